"""Positions of groups and values in an icicle, and hit tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF

from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from anonymizer_gui.perspectives.configure.hierarchy.icicle.geometry import (
    FrameSizes,
    IcicleFrame,
    IcicleGeometry,
    WidthMeaning,
    axis_of,
    frame_for,
)
from anonymizer_gui.perspectives.configure.hierarchy.icicle.marks import (
    drop_target,
    marks_of,
    running_sum,
    selection_of,
)
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget
from engine.hierarchies import Hierarchy
from engine.hierarchies.outline import Order, Outline, outline
from engine.records import Column, DataType, Kind
from engine.records.values import make_column

FRAME = IcicleFrame(left=100, right=500, top=10, row=30, gap=4, bars_top=120, bars_bottom=200)
NUMBERS = st.lists(st.integers(-1000, 1000), min_size=2, max_size=40, unique=True).map(sorted)


def column_of(texts: list[str], kind: Kind = Kind.INTEGER, missing: str | None = None) -> Column:
    distinct = list(dict.fromkeys(texts))
    codes = np.array([distinct.index(text) for text in texts], dtype=np.int32)
    return make_column("age", distinct, codes, DataType(kind), missing)


def numbers_shown(numbers: list[int], *, missing: bool = False) -> Outline:
    texts = [str(number) for number in numbers] + (["?"] if missing else [])
    hierarchy = Hierarchy.from_rows([[text, f"{text[:-1]}x", "*"] for text in texts])
    return outline(hierarchy, column_of(texts, missing="?" if missing else None))


def words_shown(groups: dict[str, list[str]], closed: tuple[tuple[int, str], ...] = ()) -> Outline:
    rows = [[value, group, "*"] for group, values in groups.items() for value in values]
    texts = [value for values in groups.values() for value in values]
    return outline(Hierarchy.from_rows(rows), column_of(texts, Kind.TEXT), Order.FILE, closed=closed)


def geometry_of(shown: Outline, meaning: WidthMeaning = WidthMeaning.VALUE) -> IcicleGeometry:
    return IcicleGeometry(shown, axis_of(shown, meaning), FRAME)


@pytest.fixture
def fruit() -> Outline:
    return words_shown({"red": ["apple", "cherry"], "green": ["kiwi", "lime", "pear"]})


@given(NUMBERS)
def test_every_number_has_an_interval_around_it(numbers: list[int]) -> None:
    axis = axis_of(numbers_shown(numbers), WidthMeaning.VALUE)
    assert axis.edges[0] == 0
    assert axis.edges[-1] == pytest.approx(1)
    assert (np.diff(axis.edges) > 0).all()
    assert ((axis.edges[:-1] < axis.centers) & (axis.centers < axis.edges[1:])).all()
    assert ((axis.edges[:-1] <= axis.lefts) & (axis.lefts < axis.rights)).all()
    assert (axis.rights <= axis.edges[1:] + 1e-12).all()
    for number, center in zip(numbers, axis.centers.tolist(), strict=True):
        assert axis.unit_of(number) == pytest.approx(center)
        assert axis.number_at(center) == pytest.approx(number)


@given(NUMBERS, st.sampled_from(WidthMeaning), st.floats(1, 50), st.floats(0, 1))
def test_the_interval_of_a_place_contains_its_centre_at_any_zoom(
    numbers: list[int], meaning: WidthMeaning, zoom: float, where: float
) -> None:
    geometry = geometry_of(numbers_shown(numbers), meaning).zoomed(zoom, FRAME.left + where * FRAME.width)
    edges = geometry.group_edges(0)
    for place, (left, right) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
        assert geometry.place_at((left + right) / 2) == place


def test_places_without_a_number_follow_the_number_line() -> None:
    axis = axis_of(numbers_shown([10, 20, 30], missing=True), WidthMeaning.VALUE)
    assert axis.numbers == (5, 35)
    assert axis.numbers_end < axis.lefts[-1] < axis.rights[-1] <= 1
    assert axis.unit_of(35) == pytest.approx(axis.numbers_end)


def test_widths_are_proportional_to_records_if_they_mean_records() -> None:
    texts = ["1"] * 6 + ["2"] * 3 + ["3"]
    shown = outline(Hierarchy.from_rows([[t, "*"] for t in "123"]), column_of(texts))
    axis = axis_of(shown, WidthMeaning.RECORDS)
    assert np.diff(axis.edges).tolist() == pytest.approx([0.6, 0.3, 0.1])


def test_levels_are_found_by_height_and_gaps_between_them_have_none(fruit: Outline) -> None:
    geometry = geometry_of(fruit)
    assert [geometry.level_at(y) for y in (11, 39, 42, 45, 73, 77, 100, 121, 199, 201)] == (
        [2, 2, None, 1, 1, None, None, 0, 0, None]
    )
    assert [geometry.level_near(y) for y in (0, 30, 50, 70, 110)] == [2, 2, 1, 1, 0]


def test_groups_span_their_values(fruit: Outline) -> None:
    geometry = geometry_of(fruit)
    red, green = geometry.group_rect(1, 0), geometry.group_rect(1, 1)
    assert (red.left(), red.right(), green.left(), green.right()) == pytest.approx((100, 260, 260, 500))
    assert geometry.groups_at(1, 259) == (0, 1)
    assert geometry.groups_at(1, 261) == (1, 2)
    assert geometry.groups_between(0, 150, 300) == (0, 3)


def test_groups_narrower_than_pixels_are_meant_together() -> None:
    shown = numbers_shown(list(range(2000)))
    geometry = geometry_of(shown)
    first, last = geometry.groups_at(0, 300)
    assert last - first > 5
    assert geometry.edge_x(first) == pytest.approx(300, abs=4)
    assert geometry.bars.is_shared
    assert geometry.boundaries(1) == []
    wide, begins, ends = geometry.runs_of_narrow(geometry.group_edges(1))
    assert not wide.any()
    assert (begins.tolist(), ends.tolist()) == ([0], [len(shown.levels[1].codes)])


@given(st.floats(1, 200), st.floats(100, 500), st.floats(-300, 300))
def test_zooming_keeps_the_position_under_the_pointer_and_panning_stays_within_the_ends(
    zoom: float, x: float, pixels: float
) -> None:
    geometry = geometry_of(numbers_shown(list(range(100))))
    unit = geometry.unit_at(x)
    zoomed = geometry.zoomed(zoom, x)
    assert zoomed.unit_at(x) == pytest.approx(unit)
    panned = zoomed.panned(pixels)
    assert 0 <= panned.start <= panned.end <= 1 + 1e-9
    assert panned.fitted().end == 1


def test_a_group_out_of_view_is_brought_into_it_by_the_least_way() -> None:
    geometry = geometry_of(numbers_shown(list(range(10, 60)))).zoomed(10, FRAME.left)
    shown = geometry.showing(1, 4)
    assert shown.group_rect(1, 4).right() == pytest.approx(FRAME.right)
    assert shown.showing(1, 4) is not None
    assert shown.showing(1, 4).start == shown.start
    back = shown.showing(1, 0)
    assert back.group_rect(1, 0).left() == pytest.approx(FRAME.left)


def test_a_cut_leaves_both_groups_a_value_and_closed_groups_have_none() -> None:
    groups = {"a": ["1", "2"], "b": ["3", "4", "5"], "c": ["6"]}
    assert geometry_of(words_shown(groups)).cut_range(1, 1) == (1, 4)
    assert geometry_of(words_shown(groups)).boundaries(1) == [1, 2]
    closed = geometry_of(words_shown(groups, ((1, "b"),)))
    assert [closed.can_cut(1, boundary) for boundary in (0, 1, 2, 3)] == [False, True, True, False]
    top = geometry_of(words_shown(groups, ((2, "*"),)))
    assert not top.can_cut(1, 1)


@given(st.floats(150, 900), st.integers(1, 14), st.floats(1, 1.5))
def test_rows_and_histogram_share_the_height_without_touching(
    height: float, n_levels: int, scale: float
) -> None:
    sizes = FrameSizes(80 * scale, 12, 42 * scale, 34 * scale, 22 * scale, 36 * scale, 36 * scale)
    frame = frame_for(800, height, n_levels, sizes)
    last_row = frame.top + n_levels * (frame.row + frame.gap)
    assert frame.row > 0
    assert last_row <= frame.bars_top < frame.bars_bottom


# Marks ------------------------------------------------------------------------------------------


def test_a_selection_marks_its_groups_and_sums_the_records_below_them(fruit: Outline) -> None:
    marks = marks_of(fruit, Selection(1, ("green",)))
    assert marks.groups.tolist() == [False, True]
    assert marks.running.tolist() == [0, 0, 0, 1, 2, 3]
    assert marks.is_marked(1, 1, 2)
    assert not marks.is_marked(2, 0, 1)
    assert not marks_of(fruit, Selection(5, ("green",))).groups.any()


def test_a_closed_group_counts_only_if_it_is_completely_selected() -> None:
    closed = words_shown({"red": ["apple", "cherry"], "green": ["kiwi"]}, ((1, "red"),))
    assert marks_of(closed, Selection(0, ("apple",))).running.tolist() == [0, 0, 0]
    assert marks_of(closed, Selection(0, ("apple", "cherry"))).running.tolist() == [0, 2, 2]
    assert selection_of(closed, 0, 0, 1) == Selection(0, ("apple", "cherry"))


def test_selections_are_toggled_and_added_within_a_level() -> None:
    both = Selection(1, ("a", "b"))
    assert both.toggled(Selection(1, ("a",))) == Selection(1, ("b",))
    assert both.toggled(Selection(1, ("b", "c"))) == Selection(1, ("a", "b", "c"))
    assert both.toggled(both) == Selection()
    assert both.toggled(Selection(2, ("x",))) == Selection(2, ("x",))
    assert both.added(Selection(1, ("c", "a"))) == Selection(1, ("a", "b", "c"))
    assert both.added(Selection(0, ("v",))) == Selection(0, ("v",))


def test_a_cumulative_sum_starts_with_zero() -> None:
    assert running_sum(np.array([2, 3, 4])).tolist() == [0, 2, 5, 9]


# Drops ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "y", "dragged", "target"),
    [
        (400, 60, Selection(0, ("apple",)), DropTarget(1, "green")),
        (150, 60, Selection(0, ("apple",)), None),  # has the value already
        (150, 60, Selection(0, ("apple", "kiwi")), DropTarget(1, "red")),
        (400, 60, Selection(1, ("red",)), DropTarget(1, "green")),  # merges both
        (150, 60, Selection(1, ("red",)), None),
        (300, 20, Selection(1, ("red",)), None),  # the top has all values already
        (262, 60, Selection(0, ("apple",)), DropTarget(1)),  # between two groups
        (50, 60, Selection(0, ("apple",)), DropTarget(1)),  # next to the row
        (50, 60, Selection(1, ("red",)), None),  # not below its own level
        (50, 20, Selection(1, ("red",)), DropTarget(2)),
        (300, 100, Selection(0, ("apple",)), DropTarget(1)),  # below the rows
        (300, 100, Selection(2, ("*",)), None),
        (300, 150, Selection(0, ("apple",)), None),  # values are not groups
        (400, 60, Selection(0, ("plum",)), DropTarget(1, "green")),  # not in the hierarchy yet
    ],
)
def test_a_drop_targets_the_group_or_the_free_room_under_it(
    fruit: Outline, x: float, y: float, dragged: Selection, target: DropTarget | None
) -> None:
    assert drop_target(geometry_of(fruit), QPointF(x, y), dragged) == target
