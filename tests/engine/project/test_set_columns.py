"""Several columns are set in one edit; what is left open is unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import TableError
from engine.hierarchies import Hierarchy
from engine.project import AttributeHierarchy, Project
from engine.project.edits import set_columns, set_hierarchies
from engine.records import Kind, ReadOptions, Role
from engine.records.opening.files import read_table


@pytest.fixture
def project(tmp_path: Path) -> Project:
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n1,2,x\n3,4,y\n")
    table, options = read_table(path, ReadOptions())
    tall = Hierarchy.from_rows([["1", "odd", "any", "*"], ["3", "odd", "any", "*"]])
    low = Hierarchy.from_rows([["2", "*"], ["4", "*"]])
    made = Project("t", path, options, table)
    return set_hierarchies(made, {"a": AttributeHierarchy(tall), "b": AttributeHierarchy(low)})


def bounds(project: Project) -> list[tuple[int, int]]:
    return [(entry.min_level, entry.top_level) for entry in project.hierarchies.values()]


def test_role_type_levels_and_weight_are_set_together(project: Project) -> None:
    role = Role.QUASI_IDENTIFYING
    after = set_columns(project, ["a", "b"], role=role, kind=Kind.TEXT, min_level=1, max_level=2, weight=2.0)
    assert after.quasi_identifying == ("a", "b")
    assert [column.data_type.kind for column in after.table.columns] == [Kind.TEXT] * 3
    assert bounds(after) == [(1, 2), (1, 1)]
    assert dict(after.search.weights) == {"a": 2.0, "b": 2.0}
    assert after.role("c") is None


def test_nothing_given_changes_nothing(project: Project) -> None:
    after = set_columns(project, ["a", "b", "c"])
    assert after is project


def test_a_bound_moves_the_other_one_if_they_would_cross(project: Project) -> None:
    after = set_columns(project, ["a"], max_level=1)
    assert bounds(after)[0] == (0, 1)
    assert bounds(set_columns(after, ["a"], min_level=2))[0] == (2, 2)
    assert bounds(set_columns(set_columns(project, ["a"], min_level=2), ["a"], max_level=1))[0] == (1, 1)


def test_weights_are_for_quasi_identifiers_and_hierarchies_can_be_removed(project: Project) -> None:
    after = set_columns(project, ["a", "c"], weight=3.0, drops_hierarchy=True)
    assert dict(after.search.weights) == {}
    assert list(after.hierarchies) == ["b"]


def test_a_value_of_another_type_refuses_the_whole_edit(project: Project) -> None:
    with pytest.raises(TableError, match="Column 'c'"):
        set_columns(project, ["a", "c"], kind=Kind.INTEGER)
