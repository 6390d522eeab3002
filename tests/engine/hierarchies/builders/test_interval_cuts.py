"""Cuts of intervals by hand: moved, added and taken away, with every other group as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.table import Column, DataType, Kind
from engine.table.values import make_column
from tests.engine.hierarchies.columns import column_of

AGES = column_of(*map(str, (17, 18, 22, 25, 31, 38, 40, 45, 60, 90)), kind=Kind.INTEGER)
TENS = IntervalsBuilder(width=10, merge=(2,))
BOTH = pytest.mark.parametrize("closed", ["left", "right"])


def groups(hierarchy: Hierarchy, level: int = 1) -> set[frozenset[str]]:
    """Who is with whom on a level."""
    entry = hierarchy.levels[level]
    members: dict[int, set[str]] = {}
    for value, code in zip(hierarchy.values, entry.codes.tolist(), strict=True):
        members.setdefault(code, set()).add(value)
    return set(map(frozenset, members.values()))


def built(builder: IntervalsBuilder | None, level: int = 1) -> tuple[str, ...]:
    assert builder is not None
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
    assert moved is not None
    assert moved.cuts == (0, 10, 20, 38, 40, 50, 60, 70, 80, 90, 100)
    assert all(isinstance(cut, int) for cut in moved.cuts)


def test_a_cut_of_bands_closed_on_the_right_stands_at_the_last_number_before() -> None:
    right = replace(TENS, closed="right")
    moved = right.with_cut(AGES, 31, 38)
    assert built(moved)[:4] == ("11-20", "21-31", "32-40", "41-50")
    assert moved is not None
    assert 31 in moved.cut_numbers(AGES)


def test_a_cut_that_would_cross_its_neighbour_does_not_move() -> None:
    assert TENS.with_cut(AGES, 31, 45) is None
    assert TENS.with_cut(AGES, 31, 18) is None
    assert TENS.with_cut(AGES, 60, 45) is None  # the cut at 50 is between, though nothing is in 50-59
    assert TENS.with_moved_cut(AGES, 30, 40) is None
    assert TENS.with_moved_cut(AGES, 30, 41) is None


def test_there_is_no_cut_before_the_smallest_number_nor_between_cuts() -> None:
    assert TENS.with_cut(AGES, 17, 22) is None
    assert TENS.with_cut(AGES, 18, 17) is None
    assert TENS.with_moved_cut(AGES, 33, 35) is None
    assert TENS.without_cut(AGES, 33) is None


def test_a_cut_is_added_and_taken_away() -> None:
    more = TENS.with_new_cut(AGES, 35)
    assert built(more)[:4] == ("10-19", "20-29", "30-34", "35-39")
    assert more is not None
    assert built(more.without_cut(AGES, 35)) == built(TENS)
    assert built(TENS.without_cut(AGES, 30))[:3] == ("10-19", "20-39", "40-49")
    assert TENS.with_new_cut(AGES, 30) is None
    assert TENS.with_new_cut(AGES, 17) is None
    assert TENS.with_new_cut(AGES, 91) is None


def test_cuts_among_whole_numbers_are_whole_and_others_have_the_places_of_the_column() -> None:
    moved = TENS.with_moved_cut(AGES, 30, 33.4)
    assert moved is not None
    assert 33 in moved.cut_numbers(AGES)
    decimals = column_of("0.5", "1.25", "2.0", kind=Kind.DECIMAL)
    cut = IntervalsBuilder(width=1).with_moved_cut(decimals, 1.0, 0.7777)
    assert cut is not None
    assert cut.cut_numbers(decimals) == (0.78, 2.0)


@BOTH
def test_bottom_and_top_move_like_cuts(closed: str) -> None:
    builder = replace(TENS, bottom=18, top=45, closed=closed)
    moved = builder.with_moved_cut(AGES, 18, 19)
    assert moved == replace(builder, bottom=19)
    assert builder.with_moved_cut(AGES, 45, 60) is None  # the cut at 50 is hidden in the group at the top
    assert builder.with_moved_cut(AGES, 45, 48) == replace(builder, top=48)
    assert builder.without_cut(AGES, 18) == replace(builder, bottom=20)
    assert builder.without_cut(AGES, 45) == replace(builder, top=40)


def test_bottom_at_a_cut_takes_the_cut_with_it() -> None:
    moved = replace(TENS, bottom=20).with_moved_cut(AGES, 20, 18)
    assert built(moved)[:3] == ("<18", "18-29", "30-39")


def test_bounds_hold_back_a_cut() -> None:
    builder = replace(TENS, minimum=17, bottom=18)
    assert builder.with_moved_cut(AGES, 18, 16) is None


def test_snapped_bands_and_labels_stay() -> None:
    builder = replace(TENS, snap_bottom=20, snap_top=60, label="bounds")
    assert builder.cut_numbers(AGES) == (30, 40, 50)
    moved = builder.with_moved_cut(AGES, 40, 32)
    assert built(moved) == ("[17, 25]", "31", "[38, 45]", "[60, 90]")
    assert moved is not None
    assert (moved.snap_bottom, moved.snap_top, moved.label) == (20, 60, "bounds")


def test_a_number_of_bands_becomes_cuts() -> None:
    for spread in ("width", "records"):
        builder = IntervalsBuilder(bands=4, spread=spread)
        cut = builder.cut_numbers(AGES)[1]
        moved = builder.with_moved_cut(AGES, cut, cut + 1)
        assert moved is not None
        assert moved.bands is None
        assert moved.cut_numbers(AGES) == tuple(n + (n == cut) for n in builder.cut_numbers(AGES))


def test_a_column_with_thousands_of_bands_has_no_cuts_to_move() -> None:
    column = make_column("c", list(map(str, range(3000))), np.arange(3000, dtype=np.int32),
                         DataType(Kind.INTEGER))  # fmt: skip
    assert IntervalsBuilder(width=1).cut_numbers(column) == ()
    assert IntervalsBuilder(width=1).with_cut(column, 7, 8) is None
    assert IntervalsBuilder(width=1).with_new_cut(column, 7.5) is None


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


@settings(max_examples=50, deadline=None)
@given(cases(), st.data())
def test_every_change_of_a_cut_changes_that_cut_alone(
    case: tuple[IntervalsBuilder, Column], data: st.DataObject
) -> None:
    builder, column = case
    cuts = builder.cut_numbers(column)
    hierarchy = builder.build(column)
    number = data.draw(st.integers(-30, 60))
    new = builder.with_new_cut(column, number)
    if new is not None:
        assert new.cut_numbers(column) == tuple(sorted({*cuts, number}))
        back = new.without_cut(column, number)
        assert back is not None
        assert groups(back.build(column)) == groups(hierarchy)
    if not cuts:
        return
    cut = data.draw(st.sampled_from(cuts))
    fewer = builder.without_cut(column, cut)
    if fewer is not None:
        assert fewer.cut_numbers(column) == tuple(at for at in cuts if at != cut)
    moved = builder.with_moved_cut(column, cut, number)
    if moved is not None:
        assert moved.cut_numbers(column) == tuple(number if at == cut else at for at in cuts)
        same = moved.with_moved_cut(column, number, cut)
        if same is not None:
            for level in range(1, hierarchy.height):
                assert groups(same.build(column), level) == groups(hierarchy, level)


@settings(max_examples=50, deadline=None)
@given(cases(), st.data())
def test_a_cut_dragged_between_two_values_parts_them_there(
    case: tuple[IntervalsBuilder, Column], data: st.DataObject
) -> None:
    builder, column = case
    hierarchy = builder.build(column)
    before, after = (data.draw(st.sampled_from(column.labels)) for _ in range(2))
    moved = builder.with_cut(column, float(before), float(after))
    if moved is None:
        return
    found = moved.build(column)
    place = column.labels.index(after)
    codes = found.levels[1].codes
    assert codes[place - 1] != codes[place]
    assert found.height == hierarchy.height
    untouched = {group for group in groups(hierarchy) if before not in group}
    assert len(untouched - groups(found)) <= 1  # the group at the left alone has other members
