"""A hierarchy over another column: by its lines where they suffice, else by its rule."""

from __future__ import annotations

from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.hierarchies.builders.masking import MaskingBuilder
from engine.hierarchies.similar import fit, similar_columns
from engine.records import Kind
from tests.engine.hierarchies.columns import column_of

CITIES = Hierarchy.from_rows([["Rome", "Italy", "*"], ["Turin", "Italy", "*"], ["Oslo", "Norway", "*"]])
TENS = IntervalsBuilder(width=10, merge=(2,))


def test_lines_that_cover_the_column_are_taken_as_they_are() -> None:
    made = fit(CITIES, None, column_of("Oslo", "Rome", "", "Rome"))
    assert made.hierarchy is CITIES
    assert (made.builder, made.n_values, made.n_known, made.n_single) == (None, 2, 2, 0)
    assert made.is_useful


def test_values_that_lack_stay_themselves_below_the_top() -> None:
    made = fit(CITIES, None, column_of("Oslo", "Bonn", "Kiel"))
    assert (made.n_values, made.n_known, made.n_single) == (3, 1, 2)
    assert made.hierarchy.label("Bonn", 1) == "Bonn"
    assert made.hierarchy.label("Bonn", 2) == "*"
    assert made.is_useful


def test_a_hierarchy_without_any_of_the_values_is_of_no_use() -> None:
    assert not fit(CITIES, None, column_of("Bonn", "Kiel")).is_useful
    assert not fit(CITIES, None, column_of("", "")).is_useful


def test_the_rule_places_values_that_lack() -> None:
    ages = column_of("21", "34", kind=Kind.INTEGER)
    made = fit(TENS.build(ages), TENS, column_of("21", "55", kind=Kind.INTEGER))
    assert made.builder == TENS
    assert made.hierarchy.label("55", 1) == "50-59"
    assert (made.n_known, made.n_single, made.is_by_rule) == (1, 0, True)


def test_the_rule_goes_along_where_it_says_the_same_as_the_lines() -> None:
    ages = column_of("21", "34", "36", kind=Kind.INTEGER)
    made = fit(TENS.build(ages), TENS, column_of("36", "21", kind=Kind.INTEGER))
    assert made.builder == TENS


def test_lines_go_before_a_rule_that_would_say_something_else() -> None:
    pairs = GroupingBuilder(sizes=(2,))
    letters = column_of("a", "b", "c", "d")
    made = fit(pairs.build(letters), pairs, column_of("b", "c"))
    assert made.builder is None
    assert made.hierarchy.label("b", 1) != made.hierarchy.label("c", 1)


def test_a_rule_that_does_not_go_with_the_column_leaves_the_lines() -> None:
    ages = column_of("21", "34", kind=Kind.INTEGER)
    made = fit(TENS.build(ages), TENS, column_of("21", "young", "old"))
    assert made.builder is None
    assert made.hierarchy.label("young", 1) == "young"


def test_values_that_a_rule_leaves_alone_are_counted() -> None:
    grouped = GroupingBuilder(groups=((("north", ("a", "b")),),))
    made = fit(grouped.build(column_of("a", "b")), grouped, column_of("a", "x", "y"))
    assert (made.n_known, made.n_single) == (1, 2)


def test_columns_with_the_same_values_come_first_then_those_of_the_same_type() -> None:
    mask = MaskingBuilder()
    home = column_of("32042", "32021", name="home")
    text, number, partly, whole = (
        column_of("Rome", "Oslo", name="city"),
        column_of("11111", "22222", kind=Kind.INTEGER, name="number"),
        column_of("32042", "99999", name="partly"),
        column_of("32021", name="work"),
    )
    found = similar_columns(mask.build(home), mask, home, [number, text, partly, whole])
    assert [similar.column.name for similar in found] == ["work", "partly", "city", "number"]


def test_columns_it_is_of_no_use_for_come_last() -> None:
    others = [column_of("Kiel", name="a"), column_of("Rome", "Kiel", name="b")]
    found = similar_columns(CITIES, None, column_of("Rome", "Turin", "Oslo"), others)
    assert [(similar.column.name, similar.fit.is_useful) for similar in found] == [("b", True), ("a", False)]
