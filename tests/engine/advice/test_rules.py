"""Pre-flight findings on rules of columns, and what a rule refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.advice.findings import Finding, Severity
from engine.advice.preflight import preflight
from engine.errors import InputError, RecipeError
from engine.pipeline import anonymize, summary
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.edits import set_roles, set_rules
from engine.project.recipe.files import read_recipe
from engine.project.storage.file import open_project, save_project
from engine.recoding.rules import column_rules
from engine.records import Role
from engine.records.opening import open_table
from engine.records.options import DISK, ReadOptions
from tests.engine.recoding.slow_rules import offset

KEY = b"0123456789abcdef0123456789abcdef"
TABLE = """\
person,age,income,day,note
a,1,10,2020-01-01,x
a,1,20,2020-06-30,2020-01-01
b,1,30,2020-03-01,y
,2,40,2020-03-05,z
c,2,50,2020-12-31,z
"""
RECIPE = """\
[data]
path = "own.csv"
[roles]
identifying = ["person"]
quasi_identifying = ["age"]
sensitive = ["income"]
insensitive = ["day", "note"]
person = "person"
[[privacy]]
model = "k_anonymity"
k = 2
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "own.csv").write_text(TABLE)
    (tmp_path / "own.key").write_bytes(KEY)
    (tmp_path / "own.toml").write_text(RECIPE)
    return read_recipe(tmp_path / "own.toml")


def ruled(project: Project, column: str, key: str, **values: Any) -> Project:
    if key == "date_shift":
        values.setdefault("key_file", str(project.source.with_name("own.key")))
    return set_rules(project, {column: column_rules.create(key, **values)})


def found(project: Project) -> dict[str, Finding]:
    return {f.key: f for f in preflight(project) if f.key.startswith("rule")}


@pytest.mark.parametrize("age", [Role.QUASI_IDENTIFYING, Role.INSENSITIVE])
def test_a_rule_of_a_column_without_scores_is_judged_where_records_stay_in_files(
    project: Project, age: Role
) -> None:
    """Only columns that scores depend on are counted there, and there may be none."""
    assert project.source is not None
    stored = open_table(project.source, ReadOptions(source=DISK)).table
    projects = []
    for of in (project, Project("stored", None, ReadOptions(), stored)):
        asked = set_roles(set_roles(of, project.table.names, Role.INSENSITIVE), ("age",), age)
        projects.append(ruled(asked, "income", "round", base=7.0))
    whole, kept = projects
    assert found(kept) == found(whole) == {}


def test_a_moved_column_is_told_its_limits(project: Project) -> None:
    findings = found(ruled(project, "day", "date_shift", days=40))
    assert set(findings) == {"rule.known:day", "rule.edge:day", "rule.missing"}
    assert findings["rule.edge:day"].title == "day: 2 dates are near the edge of the table"
    assert findings["rule.missing"].title == "day: 1 record without a person"
    assert "one true date of a person gets all others" in findings["rule.known:day"].detail
    few = found(ruled(project, "day", "date_shift", days=29))
    assert few["rule.days:day"].severity is Severity.LOOK_AT
    alone = found(replace(ruled(project, "day", "date_shift"), person=None))
    assert "Intervals between records are lost" in alone["rule.records"].detail


def test_what_lacks_a_key_or_is_no_date_blocks(project: Project) -> None:
    findings = found(ruled(project, "day", "date_shift", key_file=None))
    assert findings["rule.key:day"].severity is Severity.BLOCKING
    texts = ruled(project, "note", "date_shift")
    assert found(texts)["rule:note"].title == "'note', record 1: 'x' is not a date"
    with pytest.raises(InputError, match="'note', record 1: 'x' is not a date"):
        anonymize(texts)


def test_a_date_that_would_leave_the_calendar_is_refused_with_its_record(
    project: Project, tmp_path: Path
) -> None:
    for number, edge in ((1, "0001-01-01"), (5, "9999-12-31")):
        rows = TABLE.splitlines()
        cells = rows[number].split(",")
        # The first person of some whose date moves beyond the edge.
        sign = -1 if number == 1 else 1
        person = next(p for p in "cdefghijklmnopq" if sign * offset(KEY, p, 40, True) > 0)
        rows[number] = ",".join([person, *cells[1:3], edge, cells[4]])
        (tmp_path / "own.csv").write_text("\n".join(rows))
        asked = ruled(read_recipe(tmp_path / "own.toml"), "day", "date_shift", days=40)
        words = f"'day', record {number}: '{edge}' cannot move, because it would leave the calendar"
        assert found(asked)["rule:day"].title == words
        with pytest.raises(InputError, match=words):
            anonymize(asked)


@pytest.mark.parametrize(("limit", "n_people"), [(50, 1), (40, 2), (10, 4)])
def test_a_limit_with_fewer_than_k_people_beyond_it_is_a_warning(
    project: Project, limit: float, n_people: int
) -> None:
    asked = replace(project, requirement=Requirement((KAnonymity(3),), 1.0))
    findings = found(ruled(asked, "income", "top_code", limit=limit))
    assert ("rule.few:income" in findings) == (n_people < 3)
    if n_people < 3:
        assert f"only {n_people} " in findings["rule.few:income"].title


def test_models_measure_released_values(project: Project) -> None:
    asked = replace(project, requirement=Requirement((DistinctLDiversity("income", 2),), 1.0))
    assert compile_problem(asked).sensitive[0].n_values == 5
    coded = ruled(asked, "income", "top_code", limit=30)
    assert compile_problem(coded).sensitive[0].column.labels == ("10", "20", ">= 30")
    hidden = ruled(asked, "income", "star")
    assert anonymize(hidden).release.n_suppressed == 5  # one value is not diverse
    dropped = ruled(asked, "income", "drop")
    with pytest.raises(InputError, match="the rule of this column removes it"):
        compile_problem(dropped)
    only_k = replace(dropped, requirement=Requirement((KAnonymity(2),), 1.0))
    assert compile_problem(only_k).sensitive == ()
    assert anonymize(only_k).release.column("income") is None


def test_a_sensitive_date_is_not_measured_without_its_key(project: Project) -> None:
    asked = set_roles(project, ["day"], Role.SENSITIVE)
    with pytest.raises(InputError, match="The key for the codes of"):
        compile_problem(ruled(asked, "day", "date_shift", key_file=None))
    ready = compile_problem(ruled(asked, "day", "date_shift"))
    assert len(ready.sensitive[1].column.labels) == 5


def test_a_project_file_keeps_rules_without_the_place_of_their_key(project: Project, tmp_path: Path) -> None:
    asked = ruled(ruled(project, "day", "date_shift", days=40), "income", "round", base=0.5, mode="down")
    save_project(asked, tmp_path / "own.anon")
    rules = open_project(tmp_path / "own.anon").project.rules
    assert rules["income"] == asked.rules["income"]
    assert rules["day"] == column_rules.create("date_shift", days=40)
    assert KEY not in (tmp_path / "own.anon").read_bytes()


def test_a_rule_goes_with_its_role_and_a_quasi_identifier_has_none(project: Project, tmp_path: Path) -> None:
    asked = ruled(project, "day", "date_shift")
    assert set_roles(asked, ["day"], Role.SENSITIVE).rules == asked.rules
    assert not set_roles(asked, ["day"], Role.QUASI_IDENTIFYING).rules
    assert not set_roles(asked, ["day"], Role.IDENTIFYING).transformation.identifiers
    with pytest.raises(InputError, match="not released by a rule"):
        set_rules(project, {"age": column_rules.create("star")})
    for column, due in (("age", "is quasi-identifying"), ("person", None), ("nobody", "no column 'nobody'")):
        (tmp_path / "own.toml").write_text(f'{RECIPE}[rules.{column}]\nrule = "star"\n')
        if due is None:
            assert read_recipe(tmp_path / "own.toml").transformation.identifiers["person"].key == "star"
            continue
        with pytest.raises(RecipeError, match=due):
            read_recipe(tmp_path / "own.toml")


def test_identifying_values_that_are_unique_after_their_rule_are_found(project: Project) -> None:
    """Of three people, the first letter shows the one whose letter no other has."""
    assert unique(project) is None
    masked = ruled(project, "person", "mask", keep_first=1, keep_last=0)
    assert unique(masked) is None  # a single character is masked completely
    longer = TABLE
    for short, name in (("a", "ann"), ("b", "bob"), ("c", "bea")):
        longer = longer.replace(f"\n{short},", f"\n{name},")
    project.source.write_text(longer)
    again = read_recipe(project.source.with_suffix(".toml"))
    masked = ruled(again, "person", "mask", keep_first=1, keep_last=0)
    finding = unique(masked)
    assert finding.severity is Severity.LOOK_AT
    assert finding.title == "person: 2 records unique in what the rule leaves"
    notes = summary(masked, anonymize(masked), verified=False)["notes"]
    assert any("k does not cover identifying columns" in note for note in notes)


def unique(project: Project) -> Finding | None:
    return next((f for f in preflight(project) if f.key == "rule.unique:person"), None)
