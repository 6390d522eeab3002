"""Suggested values of builder parameters, and examples of options."""

from __future__ import annotations

from anonymizer_gui.perspectives.configure.hierarchy.builder.notes import (
    common_value,
    option_examples,
    suggestion,
)
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.hierarchies.builders.top_bottom import TopBottomBuilder
from engine.records import Kind
from tests.anonymizer_gui.perspectives.configure.conftest import make

NUMBERS = make("n", [str(n) for n in range(100) for _ in range(2)] + ["50"], Kind.INTEGER)
COLOURS = make("c", ["blue", "green", "green", "red"])


def test_ends_are_suggested_at_a_cut_with_about_a_twentieth_beyond() -> None:
    bands = IntervalsBuilder(width=10)
    assert suggestion(bands, NUMBERS, None, "bottom") == 10
    assert suggestion(bands, NUMBERS, None, "top") == 90
    assert suggestion(TopBottomBuilder(), NUMBERS, None, "top") == 94  # 12 of 201 records
    assert suggestion(bands, NUMBERS, None, "minimum") == 0
    assert suggestion(bands, NUMBERS, None, "maximum") == 99


def test_cuts_and_their_number_are_suggested_as_they_are() -> None:
    bands = IntervalsBuilder(width=20)
    assert suggestion(bands, NUMBERS, None, "cuts") == (20, 40, 60, 80)
    assert suggestion(bands, NUMBERS, bands.build(NUMBERS), "bands") == 5
    assert suggestion(IntervalsBuilder(width=1), NUMBERS, None, "cuts") is None  # too many to read


def test_named_groups_are_suggested_as_they_are_and_build_the_same() -> None:
    builder = GroupingBuilder(sizes=(2,))
    before = builder.build(COLOURS)
    groups = suggestion(builder, COLOURS, before, "groups")
    assert groups == [[("blue, green", ["blue", "green"])]]
    after = GroupingBuilder(groups=groups).build(COLOURS)
    assert [after.label(value, 1) for value in COLOURS.labels] == [
        before.label(value, 1) for value in COLOURS.labels
    ]


def test_an_order_is_suggested_from_the_values_and_unknown_names_have_none() -> None:
    assert suggestion(GroupingBuilder(), COLOURS, None, "order") == ("blue", "green", "red")
    assert suggestion(GroupingBuilder(), COLOURS, None, "top") is None
    assert suggestion(GroupingBuilder(), COLOURS, None, "records") is None


def test_examples_are_those_of_the_most_frequent_value() -> None:
    assert common_value(NUMBERS) == "50"
    bands = IntervalsBuilder(width=10)
    examples = option_examples(bands, bands.build(NUMBERS), NUMBERS, "50")
    assert examples["label"]["range"] == "50-59"
    assert examples["label"]["interval"] == "[50, 60)"
