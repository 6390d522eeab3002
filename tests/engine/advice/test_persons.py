"""The pre-flight says where records of one person count as several, and whose are not known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.advice.findings import Finding, Severity
from engine.advice.preflight import preflight
from engine.hierarchies import Hierarchy
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import AttributeHierarchy, Project
from engine.project.edits import set_hierarchy, set_person, set_roles
from engine.records import Role
from engine.records.opening.files import read_table

VISITS = """\
patient,sex,town
a,f,1
a,f,1
a,f,1
b,f,2
c,f,2
d,m,1
d,m,2
"""


def visits(folder: Path, text: str = VISITS, k: int = 2) -> Project:
    path = folder / "visits.csv"
    path.write_text(text)
    table, options = read_table(path)
    project = Project("visits", path, options, table)
    project = set_roles(project, ["patient"], Role.IDENTIFYING)
    project = set_roles(project, ["sex", "town"], Role.QUASI_IDENTIFYING)
    for name, values in (("sex", "fm"), ("town", "12")):
        hierarchy = Hierarchy.from_rows([(value, "*") for value in values])
        project = set_hierarchy(project, name, AttributeHierarchy(hierarchy))
    return replace(project, requirement=Requirement((KAnonymity(k),), 1.0))


def found(project: Project, key: str, levels: dict[str, int] | None = None) -> Finding | None:
    return next((finding for finding in preflight(project, levels) if finding.key == key), None)


def test_an_identifying_column_that_repeats_is_found_with_the_people_of_the_smallest_class(
    tmp_path: Path,
) -> None:
    finding = found(visits(tmp_path), "persons:patient")
    assert finding.severity is Severity.LOOK_AT
    assert finding.title == "'patient' repeats: 4 people in 7 records"
    assert finding.detail == (
        "Every record counts as one person. On the lowest allowed levels, the smallest class with "
        "at least 2 records has 1 person"
    )


@pytest.mark.parametrize(
    ("levels", "k", "says"),
    [
        ({"sex": 1, "town": 0}, 2, "with at least 2 records has 2 people"),  # 1: a, d; 2: b, c, d
        ({"sex": 1, "town": 1}, 2, "with at least 2 records has 4 people"),
        ({"sex": 0, "town": 1}, 2, "with at least 2 records has 1 person"),  # m: d twice
        ({"sex": 0, "town": 1}, 3, "with at least 3 records has 3 people"),  # f: a, b, c
        ({"sex": 0, "town": 0}, 9, "the smallest class has 1 person"),
    ],
)
def test_of_a_node_it_is_said_for_its_own_classes(
    tmp_path: Path, levels: dict[str, int], k: int, says: str
) -> None:
    finding = found(visits(tmp_path, k=k), "persons:patient", levels)
    assert finding.detail.endswith(says)
    assert "On the levels shown" in finding.detail


def test_its_fix_counts_persons_and_says_so(tmp_path: Path) -> None:
    project = visits(tmp_path)
    finding = found(project, "persons:patient")
    assert finding.fix == "count people by patient"
    after = finding.edit(project)
    assert after.person == "patient"
    assert found(after, "persons:patient") is None
    known = found(after, "persons")
    assert (known.severity, known.detail) == (Severity.READY, "4 people in 7 records, by patient")


def test_nothing_is_said_where_every_value_stands_once_or_all_are_one(tmp_path: Path) -> None:
    header, *lines = VISITS.splitlines()
    once = [header, *(f"p{number}{line[1:]}" for number, line in enumerate(lines))]
    one = [header, *(f"a{line[1:]}" for line in lines)]
    for text in ("\n".join(once), "\n".join(one)):
        assert not [f for f in preflight(visits(tmp_path, text)) if f.key.startswith("person")]
    # Missing values alone say nothing of anybody who comes twice.
    missing = "patient,sex,town\n,f,1\n,f,1\na,f,1\nb,f,1\n"
    assert found(visits(tmp_path, missing), "persons:patient") is None


def test_columns_that_are_not_identifying_are_nobody(tmp_path: Path) -> None:
    project = set_roles(visits(tmp_path), ["patient"], Role.INSENSITIVE)
    assert found(project, "persons:patient") is None


@pytest.mark.parametrize(
    ("n_missing", "severity", "says"),
    [(1, Severity.NOTE, "1 record without a person"), (3, Severity.LOOK_AT, "3 records without a person")],
)
def test_records_without_a_person_are_counted(
    tmp_path: Path, n_missing: int, severity: Severity, says: str
) -> None:
    text = VISITS + ",f,1\n" * n_missing
    finding = found(set_person(visits(tmp_path, text), "patient"), "no_person")
    assert finding.severity is severity
    assert finding.title == f"patient: {says}"
    assert found(set_person(visits(tmp_path), "patient"), "no_person") is None


def test_a_table_without_classes_says_it_in_general(tmp_path: Path) -> None:
    project = set_roles(visits(tmp_path), ["sex", "town"], Role.INSENSITIVE)
    finding = found(project, "persons:patient")
    assert "A class could consist of the records of one person" in finding.detail


def test_levels_of_a_node_above_a_hierarchy_that_was_changed_are_its_highest(tmp_path: Path) -> None:
    project = visits(tmp_path)
    now = found(project, "persons:patient", {"sex": 1, "town": 1})
    assert found(project, "persons:patient", {"sex": 4, "town": 1}).detail == now.detail  # type: ignore[union-attr]
