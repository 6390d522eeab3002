"""The pre-flight names what is missing, and each fix removes its finding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.advice.findings import Finding, Severity
from engine.advice.preflight import preflight
from engine.hierarchies import Hierarchy
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.highest_risk import HighestRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.recursive_c_l_diversity import RecursiveCLDiversity
from engine.privacy.t_closeness import TCloseness
from engine.project import AttributeHierarchy, Project
from engine.project.edits import set_hierarchy, set_person, set_roles
from engine.records import DataType, Decider, Kind, ReadOptions, Role, Table
from engine.records.table import Column
from engine.records.values import make_column


def column(name: str, texts: list[str], kind: Kind = Kind.TEXT) -> Column:
    distinct = list(dict.fromkeys(texts))
    codes = np.array([distinct.index(text) for text in texts], dtype=np.int32)
    return make_column(name, distinct, codes, DataType(kind))


@pytest.fixture
def fresh() -> Project:
    """A table of six people whose columns have no role yet."""
    table = Table(
        (
            column("name", ["Ada", "Bob", "Cid", "Dan", "Eve", "Fay"]),
            column("age", ["20", "21", "25", "30", "34", "35"], Kind.INTEGER),
            column("disease", ["flu", "flu", "cold", "cold", "flu", "mumps"]),
        )
    )
    return Project("people", Path("people.csv"), ReadOptions(), table)


@pytest.fixture
def ready(fresh: Project) -> Project:
    """The same with roles, a hierarchy and models for everything."""
    project = set_roles(fresh, ["name"], Role.IDENTIFYING)
    project = set_roles(project, ["age"], Role.QUASI_IDENTIFYING)
    project = set_roles(project, ["disease"], Role.SENSITIVE)
    tens = [[str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}", "*"] for age in (20, 21, 25, 30, 34, 35)]
    project = set_hierarchy(project, "age", AttributeHierarchy(Hierarchy.from_rows(tens)))
    return replace(project, requirement=Requirement((KAnonymity(2), DistinctLDiversity("disease", 2)), 0.05))


def named(project: Project, key: str) -> Finding:
    return next(finding for finding in preflight(project) if finding.key == key)


def keys(project: Project) -> set[str]:
    return {finding.key for finding in preflight(project)}


def fixed(project: Project, key: str) -> Project:
    finding = named(project, key)
    assert finding.fix
    after = finding.edit(project)
    assert key not in keys(after)
    return after


def test_a_complete_project_has_nothing_to_fix(ready: Project) -> None:
    found = preflight(ready)
    assert {f.severity for f in found} == {Severity.READY, Severity.NOTE}
    assert named(ready, "lattice").detail == "3 nodes, few enough to score all"
    assert named(ready, "hierarchies").detail == "1 of 1 cover every value"
    assert named(ready, "sensitive").detail == "disease has 1 model"


def test_without_quasi_identifiers_the_suggested_ones_are_offered(fresh: Project) -> None:
    project = set_roles(fresh, fresh.table.names, Role.INSENSITIVE)
    assert named(project, "no_qi").severity is Severity.BLOCKING
    assert fixed(project, "no_qi").quasi_identifying == ("age",)


def test_columns_without_a_role_come_first_and_get_the_suggested_ones(fresh: Project) -> None:
    project = set_roles(fresh, ["age"], Role.QUASI_IDENTIFYING)
    finding = preflight(project)[0]
    assert (finding.key, finding.severity) == ("undecided", Severity.BLOCKING)
    assert finding.title == "Nothing can be released until every column has a role"
    assert finding.detail.startswith("2 of 3 columns have no role yet: name and disease.")
    assert finding.fix == "set suggested roles"
    after = fixed(project, "undecided")
    assert (after.role("name"), after.role("disease")) == (Role.IDENTIFYING, Role.SENSITIVE)
    deciders = {name: after.decider(name) for name in after.table.names}
    assert deciders == {"name": Decider.SUGGESTION, "age": Decider.PERSON, "disease": Decider.SUGGESTION}


def test_a_fresh_table_has_one_blocking_finding(fresh: Project) -> None:
    blocking = [finding.key for finding in preflight(fresh) if finding.severity is Severity.BLOCKING]
    assert blocking == ["undecided"]


def test_an_insensitive_column_that_identifies_is_pointed_out(ready: Project) -> None:
    project = set_roles(ready, ["name"], Role.INSENSITIVE)
    assert fixed(project, "revealing:name").role("name") is Role.IDENTIFYING


@pytest.mark.parametrize("role", [Role.INSENSITIVE, Role.SENSITIVE])
def test_an_unchanged_column_that_identifies_is_pointed_out_whatever_was_decided(
    ready: Project, role: Role
) -> None:
    assert named(set_roles(ready, ["name"], role), "revealing:name").severity is Severity.LOOK_AT


def test_an_unchanged_column_suggested_as_quasi_identifying_is_a_warning_whatever_was_decided(
    ready: Project,
) -> None:
    more = (column("sex", ["m", "f"] * 3), column("ward", ["a", "b"] * 3))  # a likely one, and a guess
    project = replace(ready, table=Table((*ready.table.columns, *more)))
    for name in ("sex", "ward"):
        project = set_roles(project, [name], Role.INSENSITIVE)
        assert fixed(project, f"linkable:{name}").role(name) is Role.QUASI_IDENTIFYING
        finding = named(set_roles(project, [name], Role.SENSITIVE), f"linkable:{name}")
        assert (finding.severity, finding.edit) == (Severity.LOOK_AT, None)


def with_codes(ready: Project) -> Project:
    """Codes that single three of six people out, and ages by another name."""
    codes = column("code", ["a", "b", "c", "d", "d", "d"])
    years = column("year", ["2000", "1999", "1995", "1990", "1986", "1985"], Kind.INTEGER)
    doubled = Table(tuple(c.take(np.arange(12) % 6) for c in (*ready.table.columns, codes, years)))
    codes = column("code", ["a", "b", "c", *"d" * 9])
    project = replace(ready, table=doubled.replace_column(codes))
    return set_roles(project, ["code", "year"], Role.INSENSITIVE)


def test_what_unchanged_columns_single_out_is_told_with_two_ways_to_mend_it(ready: Project) -> None:
    project = with_codes(ready)
    finding = named(project, "unchanged")
    assert finding.severity is Severity.LOOK_AT
    assert finding.title == "3 columns are released unchanged and single out 6 of 12 records"
    assert finding.detail == "Unique: disease 0, code 3 and year 0. k does not cover them"
    assert (finding.fix, finding.other_fix) == ("make it quasi-identifying", "withhold it")
    assert finding.edit(project).role("code") is Role.QUASI_IDENTIFYING
    assert named(finding.edit(project), "unchanged").severity is Severity.READY
    withheld = finding.other_edit(project)
    assert withheld.transformation.identifier_rule("code").key == "drop"
    assert withheld.role("code") is Role.IDENTIFYING
    assert named(withheld, "unchanged").severity is Severity.READY


def test_an_unchanged_column_that_undoes_a_hierarchy_is_told(ready: Project) -> None:
    finding = named(with_codes(ready), "determines:year:age")
    assert (finding.title, finding.severity) == ("year reveals the original age", Severity.LOOK_AT)
    assert "100\u202f%" in finding.detail
    assert "determines:year:age" not in keys(set_hierarchy(with_codes(ready), "age", None))


def test_unchanged_columns_are_counted_once_for_the_same_records_and_roles(
    ready: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = with_codes(ready)
    found = named(project, "unchanged")
    monkeypatch.setattr("engine.advice.revealed.records_to_count", None)
    assert (
        named(replace(project, requirement=Requirement((KAnonymity(3),), 0.1)), "unchanged").title
        == found.title
    )


def test_what_only_one_person_has_is_told_however_many_records_hold_it(ready: Project) -> None:
    project = set_person(with_codes(ready), "name")  # two records each, alike
    finding = named(project, "unchanged")
    assert finding.title == (
        "3 columns are released unchanged and single out 6 of 12 records; 12 of 12 records have values "
        "that belong to a single person"
    )
    assert finding.severity is Severity.LOOK_AT


def test_a_missing_hierarchy_is_proposed(ready: Project) -> None:
    after = fixed(set_hierarchy(ready, "age", None), "no_hierarchy")
    assert after.hierarchies["age"].builder is not None
    assert after.hierarchies["age"].hierarchy.gaps(after.table.column("age")) == []


def test_values_missing_in_a_hierarchy_block_and_are_named_and_added(ready: Project) -> None:
    short = Hierarchy.from_rows([["20", "*"], ["21", "*"], ["25", "*"]])
    project = set_hierarchy(ready, "age", AttributeHierarchy(short, path=Path("age.csv")))
    finding = named(project, "gaps:age")
    assert finding.severity is Severity.BLOCKING
    assert finding.detail == "'30', '34' and '35'"
    after = fixed(project, "gaps:age").hierarchies["age"]
    assert after.hierarchy.label("35", 1) == "*"
    assert after.path is None  # it no longer is what stands in the file


def test_levels_outside_the_hierarchy_block(ready: Project) -> None:
    entry = replace(ready.hierarchies["age"], max_level=7)
    assert fixed(set_hierarchy(ready, "age", entry), "levels:age").hierarchies["age"].top_level == 2


def test_ranges_that_do_not_hold_their_values_are_relabelled(ready: Project) -> None:
    rows = [[str(age), f"{(age - 1) // 10 * 10}-{(age - 1) // 10 * 10 + 9}", "*"] for age in range(11, 41)]
    project = set_hierarchy(ready, "age", AttributeHierarchy(Hierarchy.from_rows(rows)))
    finding = named(project, "labels:age")
    assert finding.title == "age: labels start a year late"
    assert finding.detail == "age 20 is in group 10-19, age 30 in 20-29"
    assert fixed(project, "labels:age").hierarchies["age"].hierarchy.label("30", 1) == "21-30"


def test_an_empty_requirement_is_pointed_out(ready: Project) -> None:
    project = replace(ready, requirement=Requirement((), 0.05))
    assert fixed(project, "no_model").requirement.models == (KAnonymity(5),)


def test_k_above_the_number_of_records_blocks_unless_all_may_be_suppressed(ready: Project) -> None:
    project = replace(ready, requirement=Requirement((KAnonymity(7),), 0.05))
    assert named(project, "k:0").severity is Severity.BLOCKING
    assert fixed(project, "k:0").requirement.models == (KAnonymity(5),)
    lenient = replace(ready, requirement=Requirement((KAnonymity(7),), 1.0))
    assert named(lenient, "k:0").severity is Severity.LOOK_AT


def test_l_above_the_values_of_its_column_blocks(ready: Project) -> None:
    project = replace(ready, requirement=Requirement((DistinctLDiversity("disease", 4),), 0.05))
    assert fixed(project, "l:0").requirement.models == (DistinctLDiversity("disease", 3),)


@pytest.mark.parametrize(
    ("model", "lower"),
    [
        (EntropyLDiversity("disease", 3.5), EntropyLDiversity("disease", 3)),
        (RecursiveCLDiversity("disease", 2, 9), RecursiveCLDiversity("disease", 2, 3)),
    ],
)
def test_no_class_is_more_diverse_than_its_column(
    ready: Project, model: PrivacyModel, lower: PrivacyModel
) -> None:
    project = replace(ready, requirement=Requirement((model,), 0.05))
    assert named(project, "l:0").title == f"l = {model.l:g} is more than the values of disease"  # type: ignore[attr-defined]
    assert fixed(project, "l:0").requirement.models == (lower,)


def test_differential_privacy_that_asks_for_more_than_all_records_has_no_fix(ready: Project) -> None:
    project = replace(ready, requirement=Requirement((DifferentialPrivacy(1.0, 1e-6),), 0.0))
    finding = named(project, "k:0")
    assert finding.title == "k = 74 is more than all records"
    assert (finding.fix, finding.edit) == ("", None)


def test_a_risk_that_asks_for_more_than_all_records_is_raised(ready: Project) -> None:
    project = replace(ready, requirement=Requirement((HighestRisk(0.05),), 0.05))
    found = named(project, "k:0")
    assert (found.title, found.fix) == (
        "Risk 5\u202f%: classes of 20 are larger than all records together",
        "use a risk of 20\u202f%",
    )
    assert fixed(project, "k:0").requirement.models == (HighestRisk(0.2),)


def test_the_k_of_another_model_counts_too(ready: Project) -> None:
    project = replace(ready, requirement=Requirement((AlphaKAnonymity("disease", 0.5, 7),), 0.05))
    assert fixed(project, "k:0").requirement.models == (AlphaKAnonymity("disease", 0.5, 5),)


def test_the_hierarchical_distance_without_a_hierarchy_blocks(ready: Project) -> None:
    project = replace(ready, requirement=Requirement((TCloseness("disease", 0.2, "hierarchical"),), 0.05))
    assert named(project, "distance:0").title == "disease: no distance 'hierarchical'"
    assert "has no hierarchy" in named(project, "distance:0").detail
    assert fixed(project, "distance:0").requirement.models == (TCloseness("disease", 0.2, "equal"),)
    tree = Hierarchy.from_rows([(text, "*") for text in ("flu", "cold", "mumps")])
    known = set_hierarchy(project, "disease", AttributeHierarchy(tree))
    assert "distance:0" not in {finding.key for finding in preflight(known)}


def test_the_ordered_distance_on_text_blocks(ready: Project) -> None:
    project = replace(ready, requirement=Requirement((TCloseness("disease", 0.2, "ordered"),), 0.05))
    assert fixed(project, "distance:0").requirement.models == (TCloseness("disease", 0.2, "equal"),)


def test_a_sensitive_column_without_a_model_gets_one(ready: Project) -> None:
    project = replace(ready, requirement=Requirement((KAnonymity(2),), 0.05))
    after = fixed(project, "unprotected:disease")
    assert after.requirement.models == (KAnonymity(2), DistinctLDiversity("disease", 2))


def test_what_blocks_comes_first(ready: Project) -> None:
    project = replace(ready, requirement=Requirement((KAnonymity(7),), 0.05))
    order = [finding.severity for finding in preflight(project)]
    assert order == sorted(order, key=list(Severity).index)
    assert order[0] is Severity.BLOCKING


@pytest.mark.parametrize(
    ("largest", "severity"),
    [(3, Severity.READY), (2, Severity.LOOK_AT)],
)
def test_a_lattice_that_cannot_be_scored_whole_is_named_but_does_not_block(
    ready: Project, monkeypatch: pytest.MonkeyPatch, largest: int, severity: Severity
) -> None:
    monkeypatch.setattr("engine.advice.preflight.LARGEST_LATTICE", largest)
    assert named(ready, "lattice").severity is severity


def test_an_algorithm_that_refuses_a_large_lattice_is_named_with_one_that_does_not(
    ready: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not named(ready, "lattice").fix
    monkeypatch.setattr("engine.advice.preflight.LARGEST_LATTICE", 2)
    finding = named(ready, "lattice")
    assert finding.detail.endswith("; commands refuse Exhaustive here")
    mended = finding.edit(ready)
    assert mended.search.algorithm == "best_first"
    assert not named(mended, "lattice").fix


def test_a_sensitive_column_that_writes_one_value_in_two_ways_blocks(ready: Project) -> None:
    ages = set_roles(ready, ["disease"], Role.INSENSITIVE)
    stays = column("stay", ["1", "1.0", "2", "2", "1", "3"], Kind.DECIMAL)
    project = set_roles(replace(ages, table=Table((*ages.table.columns, stays))), ["stay"], Role.SENSITIVE)
    project = replace(project, requirement=Requirement((DistinctLDiversity("stay", 2),)))
    assert named(project, "ways:stay").severity is Severity.BLOCKING
    assert (
        named(project, "ways:stay").title
        == "'stay' has the same value in several forms, such as '1' and '1.0'"
    )
    as_texts = project.table.replace_column(column("stay", ["1", "1.0", "2", "2", "1", "3"]))
    assert "ways:stay" not in keys(replace(project, table=as_texts))
