"""Dates, taxonomies, rare values: trees for any input, which files and recipes restore."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path

from hypothesis import given, reject
from hypothesis import strategies as st

from engine.errors import HierarchyError, ParameterError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import BuilderContext, HierarchyBuilder, builders
from engine.hierarchies.builders.dates import DatesBuilder
from engine.hierarchies.builders.frequency import FrequencyBuilder
from engine.hierarchies.builders.taxonomy import TaxonomyBuilder
from engine.hierarchies.calendar import GRANULARITIES, coarsens
from engine.hierarchies.files import read_hierarchy, write_hierarchy
from engine.project import AttributeHierarchy, Project
from engine.project.project import frozen
from engine.project.recipe.files import recipe_text
from engine.records import Column, Table
from engine.records.options import ReadOptions
from engine.structured_params import TreeNode
from tests.engine.hierarchies.columns import column_of

KEYS = [key for key, _ in GRANULARITIES]
FORMATS = ["%Y-%m-%d", "%d/%m/%Y", "%d.%m.%y", "%Y", "%m/%Y", "%B %d, %Y", "%Y-%m-%d %H:%M"]
words = st.text("ab;\"' *,1", max_size=3)
cells = st.one_of(
    words,
    st.dates().map(str),
    st.datetimes().map(lambda moment: moment.strftime("%d/%m/%Y")),
    st.sampled_from(["2024", "12/1999", "2020-2029", "<1950", "Monday", "W10", "other", ""]),
)


@st.composite
def chains(draw: st.DrawFn) -> tuple[str, ...]:
    chain = [draw(st.sampled_from(KEYS))]
    while above := [key for key in KEYS if key != chain[-1] and coarsens(chain[-1], key)]:
        if len(chain) > 3 or draw(st.booleans()):
            break
        chain.append(draw(st.sampled_from(above)))
    return tuple(chain)


@st.composite
def trees(draw: st.DrawFn) -> tuple[TreeNode, ...]:
    values = iter(draw(st.lists(words, min_size=1, max_size=8, unique=True)))

    def nodes(depth: int) -> tuple[TreeNode, ...]:
        found: list[TreeNode] = []
        for _ in range(draw(st.integers(1, 3))):
            if depth and draw(st.booleans()):
                inner = nodes(depth - 1)
                found += [(draw(words.filter(bool)), inner)] if inner else []
            elif (value := next(values, None)) is not None:
                found.append(value)
        return tuple(found)

    return nodes(2) or ("a",)


made = st.one_of(
    st.builds(
        DatesBuilder,
        granularities=chains(),
        input_formats=st.none() | st.lists(st.sampled_from(FORMATS), min_size=1, unique=True).map(tuple),
        bottom=st.none() | st.integers(1, 1950),
        top=st.none() | st.integers(1951, 9999),
    ),
    st.builds(
        FrequencyBuilder,
        direction=st.sampled_from(["lowest_first", "highest_first"]),
        levels=st.integers(1, 6),
        by=st.sampled_from(["frequency", "value"]),
        label=st.sampled_from(["other", "*", "a;", '"']),
    ),
    st.builds(TaxonomyBuilder, tree=trees()),
    st.just(TaxonomyBuilder(from_column="group")),
    st.just(TaxonomyBuilder(from_column="group", further_columns=("top",))),
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Return a column, and two with texts that mostly depend on it."""
    texts = draw(st.lists(cells, min_size=1, max_size=15))
    groups = {text: draw(st.sampled_from(["g", "h", "", text])) for text in dict.fromkeys(texts)}
    tops = {group: draw(st.sampled_from(["x", "y", ""])) for group in dict.fromkeys(groups.values())}
    return Table(
        (
            column_of(*texts, name="c"),
            column_of(*(groups[text] for text in texts), name="group"),
            column_of(*(tops[groups[text]] for text in texts), name="top"),
        )
    )


@given(made, tables())
def test_a_built_hierarchy_is_a_tree_over_all_values_that_a_file_restores(
    builder: HierarchyBuilder, table: Table
) -> None:
    column, context = table.column("c"), BuilderContext(table)
    try:
        hierarchy = builder.build(column, context)
    except (HierarchyError, ParameterError):
        reject()
    assert Hierarchy.from_rows(hierarchy.rows()).rows() == hierarchy.rows()
    assert hierarchy.levels[-1].labels == ("*",)
    assert hierarchy.gaps(column) == []
    for value in builder.unplaced(column, context):
        assert value in column.labels
        assert value != column.missing_label
    if column.has_missing and not isinstance(builder, TaxonomyBuilder):
        assert {hierarchy.label("", level) for level in range(hierarchy.height)} == {""}
    with tempfile.TemporaryDirectory() as folder:
        write_hierarchy(hierarchy, Path(folder) / "out.csv")
        assert read_hierarchy(Path(folder) / "out.csv").rows() == hierarchy.rows()


def recipe_of(column: Column, builder: HierarchyBuilder) -> dict[str, object]:
    """Return the table of a recipe with the builder of a column's hierarchy."""
    entry = AttributeHierarchy(Hierarchy.identity(column.labels), builder=builder)
    project = Project("drawn", None, ReadOptions(), Table((column,)), hierarchies=frozen({"c": entry}))
    values: dict[str, object] = tomllib.loads(recipe_text(project, Path()))["hierarchies"]["c"]
    return values


@given(made)
def test_a_builder_is_restored_from_the_text_of_a_recipe(builder: HierarchyBuilder) -> None:
    values = recipe_of(column_of("a", name="c"), builder)
    assert builders.create(str(values.pop("builder")), **values) == builder
