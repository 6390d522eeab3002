"""Cuts of intervals moved by hand, with every other group as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.records import Column, DataType, Kind
from engine.records.values import make_column
from tests.engine.hierarchies.columns import column_of

AGES = column_of(*map(str, (17, 18, 22, 25, 31, 38, 40, 45, 60, 90)), kind=Kind.INTEGER)
TENS = IntervalsBuilder(width=10, merge=(2,))


def groups(hierarchy: Hierarchy, level: int = 1) -> set[frozenset[str]]:
    """Who is with whom on a level."""
    entry = hierarchy.levels[level]
    members: dict[int, set[str]] = {}
    for value, code in zip(hierarchy.values, entry.codes.tolist(), strict=True):
        members.setdefault(code, set()).add(value)
    return set(map(frozenset, members.values()))


def built(builder: IntervalsBuilder | None, level: int = 1) -> tuple[str, ...]:
    return builder.build(AGES).levels[level].labels


def test_cuts_stand_where_bands_begin_within_the_range_of_the_column() -> None:
    assert TENS.cut_numbers(AGES) == (20, 30, 40, 50, 60, 70, 80, 90)
    assert replace(TENS, bottom=18, top=60).cut_numbers(AGES) == (18, 20, 30, 40, 50, 60)
    assert replace(TENS, closed="right").cut_numbers(AGES) == (20, 30, 40, 50, 60, 70, 80)
    assert IntervalsBuilder(cuts=(0, 17, 30, 95)).cut_numbers(AGES) == (30,)
    assert IntervalsBuilder(cuts=(18,)).cut_numbers(AGES) == (18,)
    assert IntervalsBuilder(bottom=95).cut_numbers(AGES) == ()
    assert IntervalsBuilder(width=0.01).cut_numbers(AGES) == ()  # far too many for a hand


def test_a_cut_moves_to_the_number_that_shall_begin_the_group() -> None:
    moved = TENS.with_cut(AGES, 31, 38)
    assert built(moved)[:3] == ("10-19", "20-37", "38-39")
    assert built(moved, 2) == ("0-19", "20-39", "40-59", "60-79", "80-99")
    assert moved.cuts == (0, 10, 20, 38, 40, 50, 60, 70, 80, 90, 100)
    assert all(isinstance(cut, int) for cut in moved.cuts)


def test_a_cut_of_bands_closed_on_the_right_stands_at_the_last_number_before() -> None:
    right = replace(TENS, closed="right")
    moved = right.with_cut(AGES, 31, 38)
    assert built(moved)[:4] == ("11-20", "21-31", "32-40", "41-50")
    assert 31 in moved.cut_numbers(AGES)


def test_a_cut_that_would_cross_its_neighbour_does_not_move() -> None:
    assert TENS.with_cut(AGES, 31, 45) is None
    assert TENS.with_cut(AGES, 31, 18) is None
    assert TENS.with_cut(AGES, 60, 45) is None  # the cut at 50 is between, though nothing is in 50-59


def test_there_is_no_cut_before_the_smallest_number() -> None:
    assert TENS.with_cut(AGES, 17, 22) is None
    assert TENS.with_cut(AGES, 18, 17) is None


def test_a_cut_among_decimals_stands_at_one_of_them() -> None:
    decimals = column_of("0.5", "0.78", "1.25", "2.0", kind=Kind.DECIMAL)
    moved = IntervalsBuilder(width=1).with_cut(decimals, 1.25, 0.78)
    assert moved.cut_numbers(decimals) == (0.78, 2.0)


@pytest.mark.parametrize(
    ("closed", "bottom", "above_bottom", "above_top", "beyond"),
    [("left", 16, 18, (45, 46), 60), ("right", 15, 19, (46, 60), 70)],
)
def test_bottom_and_top_move_like_cuts(
    closed: str, bottom: int, above_bottom: int, above_top: tuple[int, int], beyond: int
) -> None:
    column = column_of(*map(str, (15, 16, 17, 18, 19, 25, 40, 45, 46, 60, 70)), kind=Kind.INTEGER)
    builder = replace(TENS, bottom=18, top=45, closed=closed)
    assert builder.with_cut(column, above_bottom, 16) == replace(builder, bottom=bottom)
    assert builder.with_cut(column, *above_top) == replace(builder, top=46)
    # The cut at 50 is hidden in the group at the top.
    assert builder.with_cut(column, above_top[0], beyond) is None


def test_bottom_at_a_cut_takes_the_cut_with_it() -> None:
    moved = replace(TENS, bottom=20).with_cut(AGES, 22, 18)
    assert built(moved)[:3] == ("<18", "18-29", "30-39")


def test_bottom_stays_below_the_numbers_that_snap() -> None:
    assert replace(TENS, bottom=18, snap_bottom=20).with_cut(AGES, 18, 25) is None


def test_snapped_bands_and_labels_stay() -> None:
    builder = replace(TENS, snap_bottom=20, snap_top=60, label="bounds")
    assert builder.cut_numbers(AGES) == (30, 40, 50)
    moved = builder.with_cut(AGES, 40, 38)
    assert built(moved) == ("[17, 25]", "31", "[38, 45]", "[60, 90]")
    assert (moved.snap_bottom, moved.snap_top, moved.label) == (20, 60, "bounds")


def test_a_number_of_bands_becomes_cuts() -> None:
    for spread in ("width", "records"):
        builder = IntervalsBuilder(bands=4, spread=spread)
        cuts = builder.cut_numbers(AGES)
        numbers = [float(value) for value in AGES.labels]
        place = next(i for i, number in enumerate(numbers) if number >= cuts[1])
        moved = builder.with_cut(AGES, numbers[place], numbers[place - 1])
        assert moved.bands is None
        assert moved.cut_numbers(AGES) == (cuts[0], numbers[place - 1], *cuts[2:])


def test_a_column_with_thousands_of_bands_has_no_cuts_to_move() -> None:
    column = make_column("c", list(map(str, range(3000))), np.arange(3000, dtype=np.int32),
                         DataType(Kind.INTEGER))  # fmt: skip
    assert IntervalsBuilder(width=1).cut_numbers(column) == ()
    assert IntervalsBuilder(width=1).with_cut(column, 7, 8) is None


@st.composite
def cases(draw: st.DrawFn) -> tuple[IntervalsBuilder, Column]:
    numbers = draw(st.lists(st.integers(-30, 60), min_size=1, max_size=15))
    column = column_of(*map(str, numbers), kind=Kind.INTEGER)
    ends = sorted(draw(st.sets(st.integers(-30, 60), min_size=4, max_size=4)))
    given_ends = dict(zip(("bottom", "snap_bottom", "snap_top", "top"), ends, strict=True))
    chosen = draw(st.sets(st.sampled_from(list(given_ends))))
    bands: dict[str, object] = draw(
        st.one_of(
            st.builds(dict, width=st.integers(3, 25), origin=st.integers(-5, 5)),
            st.builds(dict, bands=st.integers(2, 6), spread=st.sampled_from(["width", "records"])),
            st.builds(
                dict,
                cuts=st.sets(st.integers(-35, 65), min_size=1, max_size=6).map(lambda x: tuple(sorted(x))),
            ),
        )
    )
    kept: dict[str, object] = {name: float(given_ends[name]) for name in chosen}
    builder = IntervalsBuilder(
        **bands,  # type: ignore[arg-type]
        **kept,  # type: ignore[arg-type]
        closed=draw(st.sampled_from(["left", "right"])),
        merge=draw(st.sampled_from([(), (2,), (2, 3)])),
    )
    return builder, column


@st.composite
def drags(draw: st.DrawFn) -> tuple[IntervalsBuilder, Column, float, float]:
    """A builder, its column, the first number beyond one of its cuts, and a number to put the cut before."""
    builder, column = draw(cases())
    cuts = builder.cut_numbers(column)
    assume(cuts)
    numbers = sorted(float(value) for value in column.labels)
    place = draw(st.integers(0, len(cuts) - 1))
    at = cuts[place]
    before = next(n for n in numbers if n > at or (n == at and builder.closed == "left"))
    low, _, high = (-100, *cuts, 100)[place : place + 3]
    near = [number for number in numbers if low <= number <= high and number != before]
    assume(near)
    return builder, column, before, draw(st.sampled_from(near))


@given(drags())
def test_a_moved_cut_leaves_all_others_where_they_are_and_can_be_moved_back(
    drag: tuple[IntervalsBuilder, Column, float, float],
) -> None:
    builder, column, before, after = drag
    cuts = builder.cut_numbers(column)
    moved = builder.with_cut(column, before, after)
    assume(moved is not None)
    found = moved.cut_numbers(column)
    assert len(found) == len(cuts)
    changed = [i for i, (one, other) in enumerate(zip(cuts, found, strict=True)) if one != other]
    assert len(changed) == 1
    back = moved.with_cut(column, after, before)
    if back is not None:
        hierarchy = builder.build(column)
        # A bottom or top that leaves the bands may change which of them are joined above.
        is_within = (moved.bottom, moved.top) == (builder.bottom, builder.top)
        for level in range(1, hierarchy.height if is_within else 2):
            assert groups(back.build(column), level) == groups(hierarchy, level)


@given(drags())
def test_a_cut_dragged_between_two_values_parts_them_there(
    drag: tuple[IntervalsBuilder, Column, float, float],
) -> None:
    builder, column, *ends = drag
    before, after = (next(label for label in column.labels if float(label) == end) for end in ends)
    hierarchy = builder.build(column)
    moved = builder.with_cut(column, float(before), float(after))
    assume(moved is not None)
    found = moved.build(column)
    place = column.labels.index(after)
    codes = found.levels[1].codes
    assert codes[place - 1] != codes[place]
    assert found.height == hierarchy.height
    untouched = {group for group in groups(hierarchy) if before not in group}
    assert len(untouched - groups(found)) <= 1  # the group at the left alone has other members
