"""No label that the program writes lies about its group or names a part of it for the whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from engine.errors import AnonymizerError
from engine.hierarchies import Hierarchy, editing
from engine.hierarchies.builders.base import BuilderContext, HierarchyBuilder, builders
from engine.hierarchies.builders.dates import DatesBuilder
from engine.hierarchies.builders.frequency import FrequencyBuilder
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.hierarchies.builders.masking import MaskingBuilder
from engine.hierarchies.builders.rounding import RoundingBuilder
from engine.hierarchies.builders.suppress import SuppressBuilder
from engine.hierarchies.builders.table import TableBuilder
from engine.hierarchies.builders.taxonomy import TaxonomyBuilder
from engine.hierarchies.builders.top_bottom import TopBottomBuilder
from engine.hierarchies.follow import broken_up, followed, merged
from engine.hierarchies.outline import outline, with_cut
from engine.hierarchies.relabel import find_mislabel
from engine.records import Column, DataType, Kind
from engine.records.values import make_column
from engine.structured_params import TreeNode
from tests.engine.hierarchies.columns import column_of
from tests.engine.hierarchies.label_rule import faults
from tests.strategies import modest

FORMATS = ("%Y-%m-%d", "%d-%m-%Y", "%m/%d/%Y")
JOINED, LEVELS = "other", "levels.csv"
VERBS = ("merge", "drop", "split", "move", "group", "cut", "add", "remove", "relabel")
BASES = (5, 10, 50)
# Groups that a person's file or tree names: no generated labels, and taken as they are. What the builders
# add to them is generated: values that are in no group.
PLACES = ("North", "South", "Land")
GRANULARITIES = (
    ("month", "year", "decade"),
    ("month", "quarter", "year"),
    ("day", "week", "week_year"),
    ("day", "weekday"),
    ("year", "century"),
    ("month", "month_of_year"),
    ("day", "week_of_month", "month"),
)


@dataclass(frozen=True)
class Case:
    column: Column
    kind: str
    day_format: str


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A column of dates, numbers or texts, with one missing value now and then."""
    kind = draw(st.sampled_from(["date", "date", "integer", "decimal", "text"]))
    form = draw(st.sampled_from(FORMATS))
    if kind == "date":
        first = draw(st.sampled_from([date(1899, 12, 20), date(1934, 1, 1), date(2019, 11, 25)]))
        spread = draw(st.sampled_from([25, 400, 9000]))
        days = draw(st.sets(st.integers(0, spread), min_size=2, max_size=14))
        texts = [(first + timedelta(day)).strftime(form) for day in sorted(days)]
        data_type = DataType(Kind.DATE, form)
    elif kind == "text":
        words = st.text("abcdé", min_size=1, max_size=3)
        texts, data_type = sorted(draw(st.sets(words, min_size=2, max_size=10))), DataType(Kind.TEXT)
    else:
        number = st.integers(-9, 60).map(str) if kind == "integer" else st.integers(-90, 300).map(_tenths)
        texts = sorted(draw(st.sets(number, min_size=2, max_size=14)))
        data_type = DataType(Kind.INTEGER if kind == "integer" else Kind.DECIMAL)
    texts += draw(st.sampled_from([[], [], [""]]))
    codes = draw(st.lists(st.integers(0, len(texts) - 1), max_size=12))
    records = np.array([*range(len(texts)), *codes], dtype=np.int32)
    column = make_column("c", texts, records, data_type, "")
    return Case(column, kind if kind in ("date", "text") else "number", form)


def _tenths(number: int) -> str:
    return f"{'-' if number < 0 else ''}{abs(number) // 10}.{abs(number) % 10}"


def built(draw: Callable[[st.SearchStrategy[Any]], Any], column: Column) -> tuple[Hierarchy, str]:
    """What one of the builders that accept a column makes of it, and the key of the builder."""
    labels = st.sampled_from(["set", "range", "interval", "bounds", "prefix"])
    choices: list[HierarchyBuilder] = [
        SuppressBuilder(),
        DatesBuilder(draw(st.sampled_from(GRANULARITIES))),
        DatesBuilder(("quarter", "year"), bottom=1935, top=1950),
        IntervalsBuilder(width=draw(st.sampled_from([2, 5, 10])), merge=(2,), label=draw(labels)),
        IntervalsBuilder(cuts=(0, 7, 30), closed="right", label=draw(labels)),
        GroupingBuilder(
            sizes=(2, 3), label=draw(labels), sort=draw(st.sampled_from(["type", "natural", "records"]))
        ),
        FrequencyBuilder(label=JOINED),
        MaskingBuilder(),
        TopBottomBuilder(),
        RoundingBuilder(BASES, draw(st.sampled_from(["nearest", "down", "up"]))),
        TaxonomyBuilder(tree=tree_over(draw, column)),
        TableBuilder(path=LEVELS),
    ]
    choices = [choice for choice in choices if choice.accepts(column)]
    first = draw(st.sampled_from(choices))
    for choice in (first, SuppressBuilder()):
        try:
            if choice.key == "table":
                return built_from_file(draw, choice, column), choice.key
            return choice.build(column), choice.key
        except AnonymizerError:
            continue
    raise AssertionError("a value can always be kept or hidden")


def places_of(draw: Callable[[st.SearchStrategy[Any]], Any], column: Column) -> dict[str, str]:
    """Where a person puts some of the values."""
    values = [label for label in column.labels if label] or ["nowhere"]
    some = draw(st.lists(st.sampled_from(values), min_size=1, unique=True))
    return {value: draw(st.sampled_from(PLACES[:2])) for value in some}


def tree_over(draw: Callable[[st.SearchStrategy[Any]], Any], column: Column) -> tuple[TreeNode, ...]:
    """Two groups in one, and perhaps a value beside them."""
    places = places_of(draw, column)
    groups = [(name, tuple(v for v, place in places.items() if place == name)) for name in PLACES[:2]]
    return ((PLACES[2], tuple(group for group in groups if group[1])),)


def built_from_file(
    draw: Callable[[st.SearchStrategy[Any]], Any], builder: HierarchyBuilder, column: Column
) -> Hierarchy:
    with TemporaryDirectory() as folder:
        lines = [f"{value};{place};{PLACES[2]}" for value, place in places_of(draw, column).items()]
        (Path(folder) / LEVELS).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return builder.build(column, BuilderContext(folder=Path(folder)))


def is_rounded(label: str, values: Sequence[str]) -> bool:
    """Whether numbers are what all values are rounded to on some level, in one direction: by definition."""
    parts = label.split(", ")
    if not all(re.fullmatch(r"-?\d+(\.\d+)?", part) for part in parts) or "" in values:
        return False
    for rounding in (ROUND_FLOOR, ROUND_CEILING, None):
        rounded = [Decimal(value) for value in values]
        for base in BASES:
            shift, side = (Decimal(base) / 2, ROUND_FLOOR) if rounding is None else (Decimal(0), rounding)
            rounded = [((n + shift) / base).to_integral_value(side) * base for n in rounded]
            if set(rounded) == set(map(Decimal, parts)):
                return True
    return False


def edited(
    draw: Callable[[st.SearchStrategy[Any]], Any], hierarchy: Hierarchy, column: Column
) -> tuple[str, Hierarchy]:
    """One edit of the window, with what it was."""
    level = draw(st.integers(1, hierarchy.height))
    source = draw(st.integers(0, level - 1))
    some = st.lists(st.sampled_from(hierarchy.levels[source].labels), min_size=1, max_size=3, unique=True)
    groups = hierarchy.levels[level].labels
    verb = draw(st.sampled_from(VERBS))
    match verb:
        case "merge" if len(groups) > 1:
            chosen = draw(st.lists(st.sampled_from(groups), min_size=2, max_size=5, unique=True))
            return verb, merged(hierarchy, level, chosen, column)
        case "drop" if len(groups) > 1:
            target, *rest = draw(st.lists(st.sampled_from(groups), min_size=2, max_size=3, unique=True))
            after = editing.merge(hierarchy, level, (target, *rest), target)
            return f"drop on {target}", followed(hierarchy, after, column)
        case "split":
            return verb, broken_up(hierarchy, level, draw(st.sampled_from(groups)), column)
        case "move":
            target = draw(st.sampled_from(groups))
            after = editing.move(hierarchy, source, draw(some), level, target)
            return f"move to {target}", followed(hierarchy, after, column)
        case "group" if level < hierarchy.height:
            return verb, followed(hierarchy, editing.new_group(hierarchy, source, draw(some), level), column)
        case "cut":
            shown = outline(hierarchy, column)
            if len(shown.levels[level].codes) > 1:
                boundary = draw(st.integers(1, len(shown.levels[level].codes) - 1))
                after = with_cut(shown, level, boundary, draw(st.integers(0, shown.n_places)))
                return verb, followed(hierarchy, after, column)
        case "add" if level < hierarchy.height:
            return verb, editing.add_level(hierarchy, level)
        case "remove" if 1 < level < hierarchy.height:
            return verb, editing.remove_level(hierarchy, level)
        case "relabel":
            found = find_mislabel(hierarchy, column)
            assert found is None, f"{found.examples}: labels and values disagree"
    return "nothing", hierarchy


@modest
@given(cases(), st.data())
def test_no_generated_label_lies_or_names_a_part_for_the_whole(case: Case, data: st.DataObject) -> None:
    hierarchy, key = built(data.draw, case.column)
    if find_mislabel(hierarchy, case.column) is not None:  # times are not meant here: day and hour look alike
        raise AssertionError(f"{key} disagrees with itself")
    typed, stands_for = [JOINED, *PLACES], is_rounded if key == "rounding" else lambda *_: False
    assert faults(hierarchy, case.kind, case.day_format, typed, stands_for) == [], key
    for _ in range(data.draw(st.integers(1, 5))):
        try:
            what, hierarchy = edited(data.draw, hierarchy, case.column)
        except AnonymizerError:  # refused
            continue
        assert faults(hierarchy, case.kind, case.day_format, typed, stands_for) == [], (key, what)


@modest
@given(cases(), st.data())
def test_no_list_names_a_value_that_was_replaced_or_leaves_out_what_it_became(
    case: Case, data: st.DataObject
) -> None:
    assume(case.kind == "text")  # ranges of numbers and dates are written anew by their builders
    hierarchy = Hierarchy.from_rows([[value, value, value, "*"] for value in case.column.labels])
    for level in (1, 2, 1):
        labels = hierarchy.levels[level].labels
        if len(labels) > 3:
            some = data.draw(st.lists(st.sampled_from(labels), min_size=2, max_size=3, unique=True))
            hierarchy = merged(hierarchy, level, some, case.column)
    texts = st.none() | st.sampled_from([*hierarchy.values, "new", "newer"])
    changes = data.draw(st.dictionaries(st.sampled_from(hierarchy.values), texts, max_size=4))
    try:
        after = editing.replace_leaves(hierarchy, changes)
    except AnonymizerError:  # no value would be left
        reject()
    assert faults(after, "text", "", []) == []
    gone = {value for value in hierarchy.values if value not in after.values}
    named = {part for level in after.levels for label in level.labels for part in label.split(", ")}
    assert not gone & named


def test_a_list_names_nothing_twice_where_a_group_below_lists_it_too() -> None:
    values = ["a", "b", "c", "d"]
    column = make_column("c", values, np.arange(4, dtype=np.int32), DataType(Kind.TEXT), "")
    hierarchy = Hierarchy.from_rows([[value, value, value, "*"] for value in values])
    for level, some in ((1, ["a", "b"]), (2, ["a, b", "c"]), (1, ["d", "a, b"])):
        hierarchy = merged(hierarchy, level, some, column)
    assert hierarchy.label("a", 2) == "a, b, d"


def test_a_list_follows_the_values_that_are_replaced_taken_away_or_joined() -> None:
    rows = [
        ["flu", "flu, cold", "flu, cold, gout", "*"],
        ["cold", "flu, cold", "flu, cold, gout", "*"],
        ["gout", "gout", "flu, cold, gout", "*"],
        ["burn", "burn, cut", "Wounds", "*"],
        ["cut", "burn, cut", "Wounds", "*"],
    ]
    hierarchy = Hierarchy.from_rows(rows)
    after = editing.replace_leaves(hierarchy, {"flu": "influenza", "cut": None, "gout": "cold"})
    assert list(map(list, after.rows())) == [
        ["influenza", "influenza, cold", "influenza, cold", "*"],
        ["cold", "influenza, cold", "influenza, cold", "*"],
        ["burn", "burn", "Wounds", "*"],
    ]


def test_every_builder_is_held_to_the_rule() -> None:
    tried = {"suppress", "dates", "intervals", "grouping", "frequency", "masking", "top_bottom", "rounding"}
    assert set(builders) == tried | {"taxonomy", "table"}


def test_a_year_follows_a_date_that_joins_its_group_from_outside_the_hierarchy() -> None:
    values = ["1934-03-01", "1934-07-01", "1936-01-01"]
    hierarchy = Hierarchy.from_rows([[value, value[:4], "*"] for value in values])
    placed = editing.place(hierarchy, ["1937-02-03"], 1, "1936")
    after = followed(hierarchy, placed, column_of(*values, kind=Kind.DATE))
    assert after.levels[1].labels == ("1934", "1936-1937")
