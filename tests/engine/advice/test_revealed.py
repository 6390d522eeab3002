"""The pre-flight says what the order and the codes of a release reveal, and fixes it by one edit."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from engine.advice.findings import Finding
from engine.advice.preflight import preflight
from engine.hierarchies import Hierarchy
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import AttributeHierarchy, Project
from engine.project.edits import set_hierarchy, set_person, set_roles
from engine.records import Role
from engine.records.opening.files import read_table
from tests.table_of_visits import PANEL_QI, panel

SHOWN = {"year": 0, "pay": 0}
KEYS = ("linked", "readable", "neighbours")


def project_of(folder: Path, table: pd.DataFrame, k: int = 5, limit: float = 1.0) -> Project:
    path = folder / "panel.csv"
    table.to_csv(path, index=False)
    read, options = read_table(path)
    project = set_roles(Project("panel", path, options, read), ["person", "chip"], Role.IDENTIFYING)
    project = set_roles(project, PANEL_QI, Role.QUASI_IDENTIFYING)
    project = set_roles(project, ["health"], Role.SENSITIVE)
    project = set_roles(project, ["blood"], Role.INSENSITIVE)
    for name in PANEL_QI:
        rows = [(str(value), "*") for value in sorted(set(table[name]))]
        project = set_hierarchy(project, name, AttributeHierarchy(Hierarchy.from_rows(rows)))
    project = set_person(project, "person")
    return replace(project, requirement=Requirement((KAnonymity(k),), limit))


def found(project: Project, levels: dict[str, int] | None = None) -> dict[str, Finding]:
    return {finding.key: finding for finding in preflight(project, levels) if finding.key in KEYS}


def test_records_side_by_side_are_counted_and_shuffled_by_one_fix(tmp_path: Path) -> None:
    project = project_of(tmp_path, panel().drop(columns="blood").assign(blood="A"))
    assert not found(project)  # before a node is known
    finding = found(project, SHOWN)["linked"]
    assert finding.detail == (
        "All records of a person together match as few as 1 person, and 99 people match nobody else, because "
        "the records of a person are side by side"
    )
    assert finding.fix == "shuffle the records"
    after = finding.edit(project)
    assert after.transformation.shuffle
    assert not found(after)
    assert not found(after, SHOWN)
    mixed = panel().drop(columns="blood").assign(blood="A").sample(frac=1, random_state=1)
    assert not found(project_of(tmp_path, mixed), SHOWN)


@pytest.mark.parametrize("rule", ["pseudonym", "second id"])
def test_a_column_with_one_value_per_person_is_withheld_by_one_fix(tmp_path: Path, rule: str) -> None:
    project = project_of(tmp_path, panel().assign(blood="A"))
    project = replace(project, transformation=replace(project.transformation, shuffle=True))
    name = "chip"
    if rule == "second id":
        project = set_roles(project, ["chip"], Role.INSENSITIVE)
    else:
        project = replace(project, transformation=replace(project.transformation, identifying="pseudonym"))
        name = "person', 'chip"
    finding = found(project, SHOWN)["linked"]
    assert finding.detail.endswith(
        f"'{name}' {'has' if rule == 'second id' else 'have'} one value per person"
    )
    assert finding.fix == ("withhold it" if rule == "second id" else "withhold them")
    assert not found(finding.edit(project), SHOWN)


def test_suppressed_records_of_people_with_kept_ones_are_counted_with_whole_persons_offered(
    tmp_path: Path,
) -> None:
    table = panel(40)
    rare = (table["year"] == 1982) & (table["pay"] == table["pay"].min())
    project = project_of(tmp_path, table.assign(blood="A"), k=int(rare.sum()) + 1)
    finding = found(project, SHOWN)["readable"]
    n = int(finding.detail.split()[0])
    assert n >= rare.sum() > 0
    assert finding.detail == (
        f"{n} suppressed records can be recognized as those of people with kept records"
    )
    assert (finding.fix, finding.other_fix) == (
        "suppress all records of these people",
        "remove suppressed records",
    )
    assert finding.edit(project).requirement.whole_persons
    for after in (finding.edit(project), finding.other_edit(project)):
        assert "readable" not in found(after, SHOWN)


def test_a_table_sorted_by_a_column_names_the_records_that_neighbours_reveal(tmp_path: Path) -> None:
    text = "person,chip,blood,year,pay,health\n" + "".join(
        f"p{i},c{i},A,{1980 + i // 20},{i % 4 if i % 19 else 7 + i},good\n" for i in range(100)
    )
    table = pd.read_csv(StringIO(text))
    project = replace(project_of(tmp_path, table, k=2), person=None)
    starred = [i for i in range(100) if i % 19 == 0]
    inside = sum(1 for i in starred if 0 < i < 99 and (i - 1) // 20 == (i + 1) // 20)
    finding = found(project, SHOWN)["neighbours"]
    assert finding.detail == (
        f"Of {len(starred)} suppressed records, {inside} are between kept ones with the same label of 'year'"
    )
    for edit in (finding.edit, finding.other_edit):
        assert not found(edit(project), SHOWN)
    mixed = table.sample(frac=1, random_state=2)
    assert not found(replace(project_of(tmp_path, mixed, k=2), person=None), SHOWN)
