"""What intervals, groupings and masks promise of any column: a true tree over it that files give back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from engine.errors import HierarchyError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import HierarchyBuilder
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.hierarchies.builders.masking import MaskingBuilder
from engine.hierarchies.files import read_hierarchy, write_hierarchy
from engine.project import AttributeHierarchy, Project
from engine.project.recipe.files import read_recipe, write_recipe
from engine.records import Column, Kind, retype
from engine.records.values import detect_type
from tests.engine.hierarchies.builders.label_judge import claims
from tests.engine.hierarchies.columns import column_of

RECIPE = """\
format = 1
[data]
path = "people.csv"
[roles]
quasi_identifying = ["age"]
"""
AGES = ("17", "18", "18", "25", "30", "41", "60", "77", "-3")
ENDS = ("minimum", "bottom", "snap_bottom", "snap_top", "top", "maximum")

wholes = st.integers(-25, 60).map(str)
decimals = st.decimals(-10, 25, places=1).map(str)
with_comma = decimals.map(lambda text: text.replace(".", ","))
any_number = st.one_of(
    st.integers(-(10**25), 10**25).map(str), st.decimals(-(10**6), 10**6, places=4).map(str)
)
merges = st.lists(st.integers(2, 4), max_size=3).map(tuple)


@st.composite
def columns(draw: st.DrawFn) -> Column:
    """Numbers of one kind, often on a boundary, some missing; now and then texts."""
    kind = draw(
        st.sampled_from([wholes, wholes, decimals, with_comma, any_number, st.text("ab*-1 é,", max_size=3)])
    )
    texts = draw(st.lists(st.one_of(kind, kind, kind, st.just("")), min_size=1, max_size=20))
    column = column_of(*texts)
    known = [label for label in column.labels if label]
    return retype(column, detect_type(known, "," if any("," in text for text in known) else "."))


@st.composite
def intervals(draw: st.DrawFn) -> IntervalsBuilder:
    # Numbers in fives, so that values lie on boundaries, and ends on cuts.
    fives = st.integers(-4, 11).map(lambda n: 5 * n)
    ends = draw(st.lists(fives, min_size=6, max_size=6, unique=True).map(sorted))
    kept = draw(st.sets(st.sampled_from(ENDS[1:5])))
    values: dict[str, object] = {name: end for name, end in zip(ENDS, ends, strict=True) if name in kept}
    values |= draw(
        st.one_of(
            st.builds(
                dict, width=st.sampled_from([0.5, 2.5, 5, 7, 10]), origin=st.sampled_from([0, 1, -2.5])
            ),
            st.builds(
                dict,
                cuts=st.lists(fives, min_size=1, max_size=6, unique=True).map(lambda x: tuple(sorted(x))),
            ),
            st.builds(
                dict,
                bands=st.integers(2, 9),
                spread=st.sampled_from(["width", "records"]),
                nice=st.booleans(),
            ),
        )
    )
    return IntervalsBuilder(
        **values,  # type: ignore[arg-type]
        merge=draw(merges),
        closed=draw(st.sampled_from(["left", "right"])),
        label=draw(
            st.sampled_from(["range", "interval", "range", "interval", "set", "bounds", "prefix", "mean"])
        ),
    )


@st.composite
def groupings(draw: st.DrawFn) -> GroupingBuilder:
    records = draw(st.none() | st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True))
    return GroupingBuilder(
        sort=draw(st.sampled_from(["type", "natural", "records"])),
        sizes=draw(merges),
        records=None if records is None else tuple(sorted(records)),
        label=draw(st.sampled_from(["set", "range", "interval", "bounds", "prefix", "mean"])),
    )


maskings = st.builds(
    MaskingBuilder,
    direction=st.sampled_from(["left_to_right", "right_to_left"]),
    characters_per_level=st.integers(1, 4),
    padding=st.sampled_from("*0a1"),
    character=st.sampled_from("*0a1"),
)


def build(builder: HierarchyBuilder, column: Column) -> Hierarchy | None:
    """The hierarchy; None where the builder refuses the column."""
    try:
        return builder.build(column)
    except HierarchyError:
        return None


@given(st.one_of(intervals(), groupings(), maskings), columns())
def test_what_is_built_is_a_tree_that_covers_the_column_and_returns_from_a_file(
    tmp_path_factory: pytest.TempPathFactory, builder: HierarchyBuilder, column: Column
) -> None:
    hierarchy = build(builder, column)
    assume(hierarchy is not None)
    assert hierarchy.top_label == "*"
    assert set(hierarchy.values) == set(column.labels)
    assert Hierarchy.from_rows(hierarchy.rows()).rows() == hierarchy.rows()  # every level coarsens
    for level in hierarchy.levels:  # as if read from a file: labels in the order they appear
        assert list(dict.fromkeys(level.codes.tolist())) == list(range(len(level.labels)))
    if column.missing_label is not None:
        assert {hierarchy.label("", level) for level in range(hierarchy.height)} == {""}
    path = tmp_path_factory.mktemp("arx") / "levels.csv"
    write_hierarchy(hierarchy, path)
    assert read_hierarchy(path).rows() == hierarchy.rows()


@given(intervals(), columns())
def test_every_number_is_in_exactly_one_interval_and_its_label_says_so(
    builder: IntervalsBuilder, column: Column
) -> None:
    hierarchy = build(builder, column) if column.data_type.is_numeric else None
    assume(hierarchy is not None and builder.label != "mean")
    numbers = [label for label in column.labels if label]
    for number, level in enumerate(hierarchy.levels[1:-1], start=1):
        labels = [label for label in level.labels if label]
        for value in numbers:
            told = [label for label in labels if claims(label, value)]
            assert hierarchy.label(value, number) in told
            if builder.label in ("range", "interval", "bounds"):
                assert len(told) == 1
            if column.data_type.kind is Kind.INTEGER:
                assert not any(".0" in label for label in told)


@given(intervals(), columns())
def test_the_labels_do_not_decide_who_is_with_whom(builder: IntervalsBuilder, column: Column) -> None:
    named = [
        build(replace(builder, label=label), column) for label in ("range", "interval", "bounds", "mean")
    ]
    found = [hierarchy for hierarchy in named if hierarchy is not None]
    assume(len(found) > 1)
    for other in found[1:]:
        assert [level.codes.tolist() for level in other.levels] == [
            level.codes.tolist() for level in found[0].levels
        ]


@given(intervals(), columns())
def test_hard_bounds_change_nothing_but_what_they_refuse(builder: IntervalsBuilder, column: Column) -> None:
    assume(column.data_type.is_numeric)
    numbers = column.numbers[: len(column.labels) - column.has_missing]
    assume(len(numbers) and abs(numbers).max() <= 1e6 and builder.bands is None)
    low, high = (f(float(numbers[i]), getattr(builder, end) or 0.0) for f, i, end in
                 ((min, 0, "bottom"), (max, -1, "top")))  # fmt: skip
    bounded = replace(
        builder, minimum=min(low, -100), maximum=max(high, 100), snap_bottom=None, snap_top=None
    )
    free = replace(bounded, minimum=None, maximum=None)
    given_rows, free_rows = (build(each, column) for each in (bounded, free))
    assert (given_rows is None) == (free_rows is None)
    if given_rows is not None and free_rows is not None:
        assert given_rows.rows() == free_rows.rows()
    with pytest.raises(HierarchyError, match="maximum"):
        replace(free, maximum=float(numbers[-1]) - 0.05, top=None, bottom=None).build(column)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Path]:
    folder = tmp_path_factory.mktemp("recipe")
    (folder / "people.csv").write_text("\n".join(("age", *AGES)) + "\n", encoding="utf-8")
    (folder / "people.toml").write_text(RECIPE, encoding="utf-8")
    return read_recipe(folder / "people.toml"), folder


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.one_of(intervals(), groupings(), maskings))
def test_a_builder_returns_from_a_recipe_and_builds_the_same(
    project: tuple[Project, Path], builder: HierarchyBuilder
) -> None:
    opened, folder = project
    hierarchy = build(builder, opened.table.column("age"))
    assume(hierarchy is not None)
    entry = AttributeHierarchy(hierarchy, builder=builder)
    write_recipe(replace(opened, hierarchies={"age": entry}), folder / "again.toml")
    again = read_recipe(folder / "again.toml").hierarchies["age"]
    assert again.builder == builder
    assert again.hierarchy.rows() == hierarchy.rows()
