"""Edits take a project and return another; the given one is unchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError, TableError
from engine.hierarchies import Hierarchy
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.project import AttributeHierarchy, Project, edits
from engine.records import DataType, Kind, Role
from engine.records.values import retype
from tests.strategies import Attributes, Case, modest

QI, SENSITIVE = Role.QUASI_IDENTIFYING, Role.SENSITIVE


def project() -> Project:
    texts = ("a", "b", "a")
    return Case(
        (
            Attributes("age", ("1", "2", "1"), Kind.INTEGER),
            Attributes("sex", texts),
            Attributes("zip", texts),
        ),
        (Attributes("illness", texts), Attributes("pay", ("5", "7", "9"), Kind.INTEGER)),
    ).project


def fields(of: Project) -> dict[str, Any]:
    """Everything a project says, in plain values."""
    return {
        "name": of.name,
        "roles": dict(of.roles),
        "target": of.target,
        "person": of.person,
        "order": of.qi_order,
        "hierarchies": {
            name: (id(e.hierarchy), e.min_level, e.max_level) for name, e in of.hierarchies.items()
        },
        "types": {column.name: column.data_type for column in of.table.columns},
        "options": dict(of.options.types),
        "requirement": of.requirement,
        "transformation": of.transformation,
        "search": (of.search.algorithm, of.search.metric, dict(of.search.weights)),
    }


HIERARCHY = AttributeHierarchy(Hierarchy.from_rows([("a", "*"), ("b", "*")]))
EDITS: dict[str, Callable[[Project], Project]] = {
    "roles": lambda p: edits.set_roles(p, ["zip", "illness"], Role.INSENSITIVE),
    "quasi-identifier": lambda p: edits.set_roles(p, ["pay"], QI),
    "hierarchy": lambda p: edits.set_hierarchy(p, "sex", HIERARCHY),
    "hierarchies": lambda p: edits.set_hierarchies(p, {"sex": HIERARCHY, "zip": None}),
    "levels": lambda p: edits.set_levels(edits.set_hierarchy(p, "sex", HIERARCHY), "sex", 1, 1),
    "type": lambda p: edits.set_column(p, retype(p.table.column("age"), DataType(Kind.TEXT))),
    "add model": lambda p: edits.add_model(p, DistinctLDiversity("illness", 2)),
    "replace model": lambda p: edits.replace_model(edits.add_model(p, KAnonymity(9)), -1, KAnonymity(4)),
    "remove model": lambda p: edits.remove_model(edits.add_model(p, KAnonymity(9)), 0),
    "limit": lambda p: edits.set_suppression_limit(p, 0.1),
    "metric": lambda p: edits.set_metric(p, "precision"),
    "target": lambda p: edits.set_target(p, "pay"),
    "person": lambda p: edits.set_person(edits.set_roles(p, ["pay"], Role.IDENTIFYING), "pay"),
    "weights": lambda p: edits.set_weights(p, {"age": 2.0}),
}


@modest
@given(st.lists(st.sampled_from(sorted(EDITS)), max_size=8))
def test_no_sequence_of_edits_changes_a_project_it_went_through(names: list[str]) -> None:
    current = project()
    history = [(current, fields(current))]
    for name in names:
        current = EDITS[name](current)
        history.append((current, fields(current)))
    for passed, said in history:
        assert fields(passed) == said


@pytest.mark.parametrize("name", sorted(EDITS))
def test_an_edit_changes_something_and_every_edit_something_else(name: str) -> None:
    before = project()
    after = EDITS[name](before)
    assert fields(after) != fields(before)


def test_several_columns_take_a_role_at_once() -> None:
    after = edits.set_roles(project(), ["age", "pay"], Role.IDENTIFYING)
    assert after.identifying == ("age", "pay")
    assert after.quasi_identifying == ("sex", "zip")
    assert after.sensitive == ("illness",)


def test_a_new_quasi_identifier_joins_at_its_place_in_the_table() -> None:
    without = edits.set_roles(project(), ["sex"], Role.INSENSITIVE)
    assert edits.set_roles(without, ["sex"], QI).quasi_identifying == ("age", "sex", "zip")


def test_where_the_order_is_not_the_tables_a_new_quasi_identifier_comes_last() -> None:
    turned = replace(project(), qi_order=("zip", "age", "sex"))
    without = edits.set_roles(turned, ["age"], Role.INSENSITIVE)
    assert without.quasi_identifying == ("zip", "sex")
    assert edits.set_roles(without, ["age"], QI).quasi_identifying == ("zip", "sex", "age")


def test_a_column_named_twice_is_a_quasi_identifier_once() -> None:
    after = edits.set_roles(project(), ["pay", "pay"], QI)
    assert after.quasi_identifying == ("age", "sex", "zip", "pay")


def test_models_of_a_column_that_is_no_longer_sensitive_leave_the_requirement() -> None:
    models = (KAnonymity(3), DistinctLDiversity("illness", 2), TCloseness("pay", 0.2))
    before = replace(project(), requirement=Requirement(models, 0.1))
    after = edits.set_roles(before, ["illness"], Role.INSENSITIVE)
    assert after.requirement == Requirement((models[0], models[2]), 0.1)
    assert edits.set_roles(before, ["age"], Role.INSENSITIVE).requirement is before.requirement


def test_a_hierarchy_stays_with_its_column_whatever_its_role() -> None:
    with_one = edits.set_hierarchy(project(), "sex", HIERARCHY)
    back = edits.set_roles(edits.set_roles(with_one, ["sex"], Role.INSENSITIVE), ["sex"], QI)
    assert back.hierarchies["sex"] is HIERARCHY
    assert "sex" not in edits.set_hierarchy(back, "sex", None).hierarchies


def test_bounds_of_levels_keep_the_hierarchy() -> None:
    bounded = edits.set_levels(edits.set_hierarchy(project(), "sex", HIERARCHY), "sex", 1, None)
    entry = bounded.hierarchies["sex"]
    assert (entry.min_level, entry.max_level, entry.top_level) == (1, None, 1)
    assert entry.hierarchy is HIERARCHY.hierarchy


def test_a_retyped_column_is_remembered_for_the_next_reading() -> None:
    before = project()
    after = edits.set_column(before, retype(before.table.column("age"), DataType(Kind.TEXT)))
    assert after.options.types["age"].kind is Kind.TEXT
    assert after.table.column("age").data_type.kind is Kind.TEXT
    assert np.array_equal(after.table.column("sex").codes, before.table.column("sex").codes)


def test_an_unknown_column_names_the_nearest_one() -> None:
    with pytest.raises(TableError, match="Did you mean 'illness'"):
        edits.set_roles(project(), ["ilness"], SENSITIVE)


def test_what_a_project_holds_cannot_be_changed_in_place() -> None:
    with pytest.raises(TypeError):
        project().roles["age"] = SENSITIVE  # type: ignore[index]
    with pytest.raises(TypeError):
        edits.set_weights(project(), {"age": 2.0}).search.weights["age"] = 3.0  # type: ignore[index]


def test_a_target_stays_until_no_release_shows_it() -> None:
    chosen = edits.set_target(project(), "pay")
    assert chosen.target_column == "pay"
    assert edits.set_roles(chosen, ["pay"], QI).target == "pay"
    assert edits.set_roles(chosen, ["sex"], Role.IDENTIFYING).target == "pay"
    assert edits.set_roles(chosen, ["pay"], Role.IDENTIFYING).target is None
    assert edits.set_target(chosen, None).target_column == "illness"  # the first sensitive one
    with pytest.raises(TableError):
        edits.set_target(chosen, "salary")


def test_persons_are_named_by_a_column_while_it_is_identifying() -> None:
    identifying = edits.set_roles(project(), ["pay"], Role.IDENTIFYING)
    chosen = edits.set_person(identifying, "pay")
    assert chosen.person == "pay"
    assert edits.set_person(chosen, None).person is None
    assert edits.set_roles(chosen, ["sex"], Role.IDENTIFYING).person == "pay"
    for role in (QI, SENSITIVE, Role.INSENSITIVE):
        assert edits.set_roles(chosen, ["pay"], role).person is None


@pytest.mark.parametrize("column", ["age", "illness"])
def test_persons_are_refused_where_the_column_is_not_identifying(column: str) -> None:
    with pytest.raises(InputError, match=f"'{column}' has the role '.*identifying") as raised:
        edits.set_person(project(), column)
    assert "identifying column" in raised.value.hint
    with pytest.raises(TableError, match="Did you mean 'pay'"):
        edits.set_person(project(), "pays")
