"""Taxonomies: groups from a column of the table, from a second file, and from a tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import HierarchyError, ParameterError, TableError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import BuilderContext
from engine.hierarchies.builders.taxonomy import TaxonomyBuilder
from engine.records import Table
from engine.structured_params import TreeNode
from tests.engine.hierarchies.columns import column_of

ZIP = column_of("01067", "01069", "80331", "01067", "99999", "", name="zip")
PLACES = Table(
    (
        ZIP,
        column_of("Saxony", "Saxony", "Bavaria", "", "", "Bavaria", name="state"),
        column_of("East", "", "South", "East", "", "", name="part"),
        column_of("a", "b", "c", "d", "e", "f", name="number"),
    )
)


def test_a_column_names_the_group_of_each_value_and_further_ones_those_of_the_groups() -> None:
    builder = TaxonomyBuilder(from_column="state", further_columns=("part",))
    assert builder.looks_at == ("state", "part")
    assert builder.build(ZIP, BuilderContext(PLACES)).rows() == [
        ("01067", "Saxony", "East", "*"),
        ("01069", "Saxony", "East", "*"),  # East by the other records of Saxony
        ("80331", "Bavaria", "South", "*"),
        ("99999", "99999", "99999", "*"),
        ("", "", "", "*"),
    ]
    assert builder.unplaced(ZIP, BuilderContext(PLACES)) == ("99999",)


def test_a_value_in_two_groups_is_named_with_both() -> None:
    table = Table((ZIP, column_of("a", "b", "c", "d", "e", "f", name="state")))
    with pytest.raises(HierarchyError, match="'state', '01067' is in 'a' and in 'd'"):
        TaxonomyBuilder(from_column="state").build(ZIP, BuilderContext(table))


def test_a_group_in_two_groups_is_named_with_both() -> None:
    with pytest.raises(HierarchyError, match="'number', 'Saxony' is in 'a' and in 'b'"):
        TaxonomyBuilder(from_column="state", further_columns=("number",)).build(
            column_of("01067", "01069", name="zip"),
            BuilderContext(PLACES.take([0, 1])),  # type: ignore[arg-type]  # an array likewise
        )


def test_a_group_called_like_a_value_takes_it_in() -> None:
    jobs = column_of("nurse", "other", "clerk", "unknown", name="job")
    table = Table((jobs, column_of("health", "", "other", "health", name="field")))
    assert TaxonomyBuilder(from_column="field").build(jobs, BuilderContext(table)).rows() == [
        ("clerk", "other", "*"),
        ("nurse", "health", "*"),
        ("other", "other", "*"),
        ("unknown", "health", "*"),
    ]


@pytest.mark.parametrize(
    ("given", "parameter", "said"),
    [
        ({}, "from_column", "No groups defined."),
        ({"from_column": "stat"}, "from_column", "Did you mean 'state'?"),
        ({"from_column": "state", "further_columns": ("prt",)}, "further_columns", "Did you mean 'part'?"),
        (
            {"from_column": "state", "key_column": "zip"},
            "key_column",
            "“Values in column” requires a second file.",
        ),
    ],
)
def test_what_cannot_be_looked_up_is_said_at_its_parameter(
    given: dict[str, object], parameter: str, said: str
) -> None:
    with pytest.raises(ParameterError) as caught:
        TaxonomyBuilder(**given).build(ZIP, BuilderContext(PLACES))  # type: ignore[arg-type]  # drawn
    assert said in str(caught.value)
    assert caught.value.context["parameter"] == parameter


def test_without_a_table_there_is_no_column() -> None:
    with pytest.raises(ParameterError, match="There is no table with the groups"):
        TaxonomyBuilder(from_column="state").build(ZIP)


def test_a_second_file_names_the_groups(tmp_path: Path) -> None:
    lines = "code;zip;state;part\n1;01067;Saxony;East\n2;01069;Saxony;East\n3;80331;Bavaria;South\n4;1;X;Y\n"
    (tmp_path / "places.csv").write_text(lines, encoding="utf-8")
    context = BuilderContext(folder=tmp_path)
    builder = TaxonomyBuilder(path="places.csv", from_column="state", further_columns=("part",))
    assert builder.looks_at == ()
    assert builder.paths == {"path": "places.csv"}
    assert builder.build(ZIP, context).rows() == [
        ("01067", "Saxony", "East", "*"),
        ("01069", "Saxony", "East", "*"),
        ("80331", "Bavaria", "South", "*"),
        ("99999", "99999", "99999", "*"),
        ("", "", "", "*"),
    ]
    by_code = TaxonomyBuilder(path="places.csv", from_column="state", key_column="code")
    assert by_code.build(column_of("1", "3"), context).rows() == [("1", "Saxony", "*"), ("3", "Bavaria", "*")]


def test_of_a_file_of_two_columns_the_first_has_the_values(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("plz,land\n01067,Sachsen\n80331,Bayern\n", encoding="utf-8")
    hierarchy = TaxonomyBuilder(path=str(tmp_path / "p.csv")).build(column_of("01067", "80331", name="zip"))
    assert hierarchy.rows() == [("01067", "Sachsen", "*"), ("80331", "Bayern", "*")]


def test_what_is_wrong_with_the_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="does not exist"):
        TaxonomyBuilder(path=str(tmp_path / "none.csv")).build(ZIP)
    (tmp_path / "p.csv").write_text("plz,land\n01067,Sachsen\n01067,Bayern\n", encoding="utf-8")
    builder = TaxonomyBuilder(path=str(tmp_path / "p.csv"))
    with pytest.raises(HierarchyError, match="'land', '01067' is in 'Bayern' and in 'Sachsen'"):
        builder.build(ZIP)
    with pytest.raises(ParameterError, match=r"'p\.csv' has no column 'lnd'"):
        TaxonomyBuilder(path=str(tmp_path / "p.csv"), from_column="lnd").build(ZIP)


TREE = {"Europe": {"Italy": ["Rome", "Milan"], "States": ["Monaco"]}, "Asia": ["Tokyo"]}


def test_a_value_that_is_not_as_deep_stays_itself_on_the_low_levels() -> None:
    column = column_of("Rome", "Tokyo", "Monaco", "Mars", "")
    builder = TaxonomyBuilder(tree=TREE)  # type: ignore[arg-type]  # as a person writes it
    assert builder.build(column).rows() == [
        ("Mars", "Mars", "Mars", "*"),
        ("Monaco", "States", "Europe", "*"),
        ("Rome", "Italy", "Europe", "*"),
        ("Tokyo", "Tokyo", "Asia", "*"),
        ("", "", "", "*"),
        ("Milan", "Italy", "Europe", "*"),  # in the tree, not in the data
    ]
    assert builder.unplaced(column) == ("Mars",)


def test_values_and_groups_may_stand_side_by_side() -> None:
    builder = TaxonomyBuilder(tree=[{"Europe": ["Monaco", {"Italy": ["Rome"]}]}, "Moon"])  # type: ignore[arg-type]
    assert builder.tree == (("Europe", ("Monaco", ("Italy", ("Rome",)))), "Moon")
    assert builder.build(column_of("Rome", "Monaco", "Moon")).rows() == [
        ("Monaco", "Monaco", "Europe", "*"), ("Moon", "Moon", "Moon", "*"), ("Rome", "Italy", "Europe", "*"),
    ]  # fmt: skip


def test_two_groups_of_a_level_with_one_name_are_refused() -> None:
    tree = {"Europe": {"other": ["Rome"]}, "Asia": {"other": ["Tokyo"]}}
    with pytest.raises(HierarchyError, match="On level 1, two different groups would have the label 'other'"):
        TaxonomyBuilder(tree=tree).build(column_of("Rome", "Tokyo"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ({"a": ["x"], "b": ["x"]}, "'x' is listed twice"),
        ({"a": []}, "must be nested mappings of groups"),
        ({"a": "xyz"}, "must be nested mappings of groups"),
        ([["a"]], "must be nested mappings of groups"),
        ({"": ["a"]}, "must be nested mappings of groups"),
        ([], "at least one group"),
        (7, "must be nested mappings of groups"),
    ],
)
def test_what_is_no_tree_is_refused(tree: object, said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        TaxonomyBuilder(tree=tree)  # type: ignore[arg-type]  # wrong on purpose
    assert said in str(caught.value)


def test_a_tree_and_a_column_exclude_each_other() -> None:
    with pytest.raises(ParameterError, match="cannot be used together"):
        TaxonomyBuilder(tree=TREE, from_column="state")  # type: ignore[arg-type]


@st.composite
def trees(draw: st.DrawFn) -> tuple[TreeNode, ...]:
    """Trees over values whose groups are called by their number, each once."""
    names = iter(range(1000))
    values = iter(range(1000))

    def nodes(depth: int) -> tuple[TreeNode, ...]:
        return tuple(
            f"v{next(values)}" if depth == 0 or draw(st.booleans()) else (f"g{next(names)}", nodes(depth - 1))
            for _ in range(draw(st.integers(1, 3)))
        )

    return nodes(3)


def paths(nodes: tuple[TreeNode, ...], above: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    found = {}
    for node in nodes:
        found |= {node: above} if isinstance(node, str) else paths(node[1], (*above, node[0]))
    return found


@given(trees())
def test_every_tree_gives_each_value_its_groups_from_the_top(tree: tuple[TreeNode, ...]) -> None:
    expected = paths(tree)
    column = column_of(*expected, "stray")
    hierarchy = TaxonomyBuilder(tree=tree).build(column)
    assert Hierarchy.from_rows(hierarchy.rows()).top_label == "*"
    assert hierarchy.gaps(column) == []
    for value, *row in hierarchy.rows():
        groups = expected.get(value, ())
        n_own = len(row) - 1 - len(groups)
        assert row == [*[value] * n_own, *reversed(groups), "*"]
