"""A hierarchy over a column laid out in one line: leaves in an order that keeps groups together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np

from engine.errors import HierarchyError
from engine.hierarchies.calendar import RETURNING, period_text
from engine.hierarchies.editing import move_leaves
from engine.hierarchies.hierarchy import Hierarchy
from engine.hierarchies.lines import CalendarLine, line_of
from engine.hierarchies.natural_order import natural_key
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.records import Column, Kind
from engine.words import _

_MANY, _EMPTY = 100, 0.3  # so many numbers with so much of their range empty at one place have no axis


class Order(Enum):
    """By what groups, and values in them, are sorted."""

    VALUE = "value"  # numbers by size, dates by time, texts by alphabet, as the column has them
    NATURAL = "natural"  # texts with the numbers in them by size: item 2 before item 10
    RECORDS = "records"  # what has the most records first
    FILE = "file"  # as the hierarchy lists them


@dataclass(frozen=True, eq=False)
class Spans:
    """The groups of one level from left to right.

    Attributes
    ----------
    codes : ndarray of int64, shape (n_groups,)
        Index into the labels of the level.
    starts : ndarray of int64, shape (n_groups + 1,)
        Where each group begins; places from `starts[i]` to before `starts[i + 1]` are its own.
    records : ndarray of int64, shape (n_groups,)
    n_values : ndarray of int64, shape (n_groups,)
        Leaves of the group that are shown, those in closed places included.
    """

    codes: IntArray
    starts: IntArray
    records: Counts
    n_values: Counts


@dataclass(frozen=True, eq=False)
class Outline:
    """Places from left to right (rows from top to bottom in a table), each a leaf or a closed group.

    Attributes
    ----------
    leaves : ndarray of int64, shape (n_leaves_shown,)
        Leaf numbers in order.
    starts : ndarray of int64, shape (n_places + 1,)
        Where in `leaves` each place begins.
    closed : ndarray of int64, shape (n_places,)
        The level of the closed group a place stands for; 0 for a single leaf.
    records : ndarray of int64, shape (n_places,)
    numbers : ndarray of float64, shape (n_places,)
        The value of a leaf where the column holds numbers or dates; nan otherwise.
    levels : tuple of Spans
        Per level, 0 included; below the level of a closed place the place is one group, that of its
        first leaf.
    ranks : ndarray of int64, shape (n_leaves,)
        What leaves of one group are sorted by, those included that are not shown.
    """

    hierarchy: Hierarchy
    leaves: IntArray
    starts: IntArray
    closed: IntArray
    records: Counts
    numbers: FloatArray
    levels: tuple[Spans, ...]
    ranks: IntArray

    @property
    def n_places(self) -> int:
        """Leaves and closed groups."""
        return len(self.closed)

    @property
    def first_leaves(self) -> IntArray:
        """The first leaf of each place, shape (n_places,)."""
        found: IntArray = self.leaves[self.starts[:-1]]
        return found

    @property
    def has_number_line(self) -> bool:
        """Return whether places are numbers that increase, so that they fit on an axis.

        Values that are not numbers, such as the missing value, may follow at the end. Many numbers in a few
        places, such as postal codes, are placed side by side: on an axis they would have no room.
        """
        known = np.isfinite(self.numbers)
        n_known = int(known.sum())
        if n_known < 2 or not known[:n_known].all() or self.closed.any():
            return False
        steps = np.diff(self.numbers[:n_known])
        is_crowded = n_known > _MANY and steps.max() > _EMPTY * steps.sum()
        return bool((steps > 0).all()) and not is_crowded

    def code_at(self, level: int, place: int) -> int:
        """The code of the group of a level at a place."""
        return int(self.hierarchy.levels[level].codes[self.leaves[self.starts[place]]])


def outline(
    hierarchy: Hierarchy,
    column: Column,
    order: Order = Order.VALUE,
    *,
    closed: Iterable[tuple[int, str]] = (),
    shows_absent: bool = False,
) -> Outline:
    """Lay out a hierarchy over the values of a column.

    Groups are sorted by their first value (or by their records), from the top level down, so that every
    group of every level is in one piece.

    Parameters
    ----------
    column : Column
        Values the hierarchy lacks have no place.
    closed : iterable of (int, str)
        Level and label of groups that are shown as one place; unknown ones are ignored.
    shows_absent : bool
        Whether leaves without records are shown too; they are if there are no others.
    """
    records = np.zeros(hierarchy.n_leaves, dtype=np.int64)
    rank = np.full(hierarchy.n_leaves, -1, dtype=np.int64)
    found = hierarchy.leaves_of(column)
    present = found >= 0
    records[found[present]] = column.counts[present]
    rank[found[present]] = np.flatnonzero(present)
    is_absent = rank < 0
    numbers = hierarchy.numbers_of(column)
    ranks = _ranks(hierarchy.values, column, order, rank, numbers)
    leaves = np.arange(hierarchy.n_leaves)
    if not shows_absent and present.any():
        leaves = np.flatnonzero(~is_absent)
    leaves = _ordered(hierarchy, leaves, ranks, records if order is Order.RECORDS else None)
    closed_level = _closed_levels(hierarchy, leaves, closed)
    begins = _begins(hierarchy, leaves, closed_level)
    starts = np.append(np.flatnonzero(begins), len(leaves))
    first = leaves[starts[:-1]]
    closed_place = closed_level[starts[:-1]]
    place_records = np.add.reduceat(records[leaves], starts[:-1])
    sizes = np.diff(starts)
    levels = tuple(
        _spans(
            hierarchy.levels[level].codes[first].astype(np.int64), closed_place > level, place_records, sizes
        )
        for level in range(hierarchy.height + 1)
    )
    return Outline(
        hierarchy,
        leaves,
        starts,
        closed_place,
        place_records,
        np.where(closed_place > 0, np.nan, numbers[first]),
        levels,
        ranks,
    )


def with_cut(shown: Outline, level: int, boundary: int, place: int) -> Hierarchy:
    """Move the boundary between two neighbouring groups; groups below that it crosses are cut.

    Values that are not shown go with the shown ones around them.

    Parameters
    ----------
    level : int
        At least 1.
    boundary : int
        The group at its right, counted from the left; at least 1.
    place : int
        The first place that belongs to the group at the right from now on.

    Returns
    -------
    Hierarchy
        The same one if nothing moves. A boundary never passes the next one: each group keeps a place.
        Closed groups of a higher level have no boundaries in them or next to them.

    Raises
    ------
    HierarchyError
        There is no such boundary.
    """
    hierarchy = shown.hierarchy
    if not 1 <= level <= hierarchy.height or not 1 <= boundary < len(shown.levels[level].codes):
        raise HierarchyError(
            _("Level {level} has no cut {boundary}.").format(level=level, boundary=boundary),
            hint=_("Drag a cut between two groups."),
            level=level,
        )
    spans = shown.levels[level]
    left, here, right = (int(spans.starts[boundary + step]) for step in (-1, 0, 1))
    place = min(max(place, left + 1), right - 1)
    if place == here or (shown.closed[[here - 1, here]] > level).any():
        return hierarchy
    first, last = min(place, here), max(place, here)
    moving = shown.leaves[shown.starts[first] : shown.starts[last]]
    to_left = place > here
    source, goal = spans.codes[[boundary, boundary - 1] if to_left else [boundary - 1, boundary]].tolist()
    hidden = _hidden_with(shown, level, source, (left, place, right), to_left)
    return move_leaves(
        hierarchy, np.concatenate((moving, hidden)), level, hierarchy.levels[level].labels[goal]
    )


def _hidden_with(
    shown: Outline, level: int, source: int, places: tuple[int, int, int], to_left: bool
) -> IntArray:
    """Leaves of a group that are not shown and are on the other side of a boundary once it has moved."""
    left, place, right = (int(shown.starts[place]) for place in places)
    if shown.closed[place_of := places[1]]:
        entry = shown.hierarchy.levels[int(shown.closed[place_of])]
        bound = int(shown.ranks[entry.codes == entry.codes[shown.leaves[place]]].min())
    else:
        bound = int(shown.ranks[shown.leaves[place:right]].min())
    if shown.ranks[shown.leaves[left:place]].max() >= bound:  # not sorted by value: nothing lies between
        return np.zeros(0, dtype=np.int64)
    is_hidden = shown.hierarchy.levels[level].codes == source
    is_hidden[shown.leaves] = False
    beyond = shown.ranks < bound if to_left else shown.ranks >= bound
    return np.flatnonzero(is_hidden & beyond)


def _ranks(
    values: tuple[str, ...], column: Column, order: Order, rank: IntArray, numbers: FloatArray
) -> IntArray:
    """Return the sort keys of the leaves of one group."""
    if order is Order.FILE:
        return np.arange(len(values))
    missing = np.zeros(len(values), dtype=np.bool_)
    if column.has_missing:
        missing |= rank == len(column.labels) - 1
    if order is Order.NATURAL:
        keys: IntArray | FloatArray = _natural_places(values)
    elif (rank >= 0).all():
        keys = rank
    elif column.data_type.kind is Kind.TEXT:
        keys = _text_places(values)
    elif column.data_type.kind is Kind.ORDERED:
        declared = {value: float(place) for place, value in enumerate(column.data_type.values)}
        keys = np.array([declared.get(value, np.inf) for value in values])
    else:
        keys = np.where(np.isfinite(numbers), numbers, np.inf)
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[np.lexsort((rank, keys, missing))] = np.arange(len(values))
    return ranks


@lru_cache(maxsize=4)
def _text_places(values: tuple[str, ...]) -> IntArray:
    return _places(values, values)


@lru_cache(maxsize=4)
def _natural_places(values: tuple[str, ...]) -> IntArray:
    return _places(values, list(map(natural_key, values)))


def _places(values: Sequence[str], keys: Sequence[Any]) -> IntArray:
    places = np.empty(len(values), dtype=np.int64)
    places[sorted(range(len(values)), key=keys.__getitem__)] = np.arange(len(values))
    return places


def _ordered(hierarchy: Hierarchy, leaves: IntArray, ranks: IntArray, records: Counts | None) -> IntArray:
    """Leaves sorted from the top level down: groups by their first leaf, or by records and then so."""
    n = hierarchy.n_leaves
    firsts, entry_leaves = [], leaves[np.argsort(ranks[leaves])][::-1]
    for level in hierarchy.levels[1:]:
        first = np.full(len(level.labels), n, dtype=np.int64)
        first[level.codes[entry_leaves]] = ranks[entry_leaves]  # the last that is written is the first leaf
        firsts.append(first)
    above: IntArray | None = None  # where each group of the level above stands
    for number in range(hierarchy.height, 0, -1):
        level = hierarchy.levels[number]
        keys = firsts[number - 1]
        if records is not None:
            of_group = np.bincount(level.codes, records, len(level.labels))
            keys = _dense(np.lexsort((keys, -of_group)))
        if above is not None:
            keys = above[hierarchy.parent_codes[number]] * (n + 1) + keys
        above = _dense(np.argsort(keys, kind="stable"))
    keys = ranks[leaves] if records is None else _dense(np.lexsort((ranks, -records)))[leaves]
    if above is not None:
        keys = above[hierarchy.levels[1].codes[leaves]] * (n + 1) + keys
    found: IntArray = leaves[np.argsort(keys)]
    return found


def _dense(order: IntArray) -> IntArray:
    """Return the place of each one in an order."""
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return places


def _closed_levels(hierarchy: Hierarchy, leaves: IntArray, closed: Iterable[tuple[int, str]]) -> IntArray:
    """The highest level on which each leaf is in a closed group, 0 where in none; shape of `leaves`."""
    by_level: dict[int, list[int]] = {}
    for level, label in closed:
        if 0 < level <= hierarchy.height and (code := hierarchy.levels[level].index.get(label)) is not None:
            by_level.setdefault(level, []).append(code)
    found = np.zeros(len(leaves), dtype=np.int64)
    for level in sorted(by_level):
        entry = hierarchy.levels[level]
        is_closed = np.zeros(len(entry.labels), dtype=np.bool_)
        is_closed[by_level[level]] = True
        found[is_closed[entry.codes[leaves]]] = level
    return found


def _begins(hierarchy: Hierarchy, leaves: IntArray, closed_level: IntArray) -> BoolArray:
    """Return whether a place begins at each leaf."""
    begins = np.ones(len(leaves), dtype=np.bool_)
    for level in np.unique(closed_level[closed_level > 0]).tolist():
        codes = hierarchy.levels[level].codes[leaves]
        same = (codes[1:] == codes[:-1]) & (closed_level[1:] == level) & (closed_level[:-1] == level)
        begins[1:][same] = False
    return begins


def _spans(codes: IntArray, is_closed: BoolArray, records: Counts, sizes: IntArray) -> Spans:
    """Groups of one level over the places; a place closed above the level is a group for itself."""
    begins = np.ones(len(codes), dtype=np.bool_)
    begins[1:] = (codes[1:] != codes[:-1]) | is_closed[1:] | is_closed[:-1]
    first = np.flatnonzero(begins)
    return Spans(
        codes[first],
        np.append(first, len(codes)),
        np.add.reduceat(records, first),
        np.add.reduceat(sizes, first),
    )


class DateCuts:
    """The cuts of an outline of dates.

    Parameters
    ----------
    line : CalendarLine
        Its dates.
    """

    def __init__(self, shown: Outline, line: CalendarLine) -> None:
        self._shown, self._line = shown, line
        starts = shown.starts[1:-1]  # of each place but the first
        self._sides = before, after = shown.leaves[starts - 1], shown.leaves[starts]
        self._is_known: BoolArray = line.known[before] & line.known[after]
        self._are_in_order = (line.seconds[before] <= line.seconds[after])[self._is_known].all()
        self._found: dict[int, tuple[str, IntArray] | None] = {}

    def stops(self, level: int) -> IntArray | None:
        """The places of a level before which a period begins; None if a cut may be anywhere: if labels are
        not periods, or days as the values are, or places are not in the order of
        time.
        """
        found = self._of(level)
        return None if found is None else found[1]

    def border(self, level: int, boundary: int, place: int) -> str:
        """Return the period that begins at a cut: the first of the group at its right, whatever days occur.

        Parameters
        ----------
        level, boundary : int
            The cut.
        place : int
            Its place, or the place it is moved to.

        Returns
        -------
        str
            Empty if there is no period.
        """
        shown, spans = self._shown, self._shown.levels[level]
        if place == int(spans.starts[boundary]):
            runs = self._line.read(shown.hierarchy.levels[level].labels[int(spans.codes[boundary])])
            if runs is not None and runs[0].low is not None and runs[0].unit not in RETURNING:
                return period_text(runs[0].unit, int(runs[0].low), self._line.pattern)
        found = self._of(level)
        if found is None or place not in found[1]:
            return ""
        leaf = int(shown.leaves[shown.starts[place]])
        if not self._line.known[leaf]:
            return ""
        return period_text(found[0], int(self._line.places(found[0])[leaf]), self._line.pattern)

    def _of(self, level: int) -> tuple[str, IntArray] | None:
        if level not in self._found:
            line, (before, after) = self._line, self._sides
            unit = line.unit_of(self._shown.hierarchy.levels[level])
            if unit is None or unit in (*RETURNING, line.resolution) or not self._are_in_order:
                self._found[level] = None
            else:
                begins = ~self._is_known | (line.places(unit)[before] != line.places(unit)[after])
                self._found[level] = unit, 1 + np.flatnonzero(begins)
        return self._found[level]


def date_cuts(shown: Outline, column: Column) -> DateCuts | None:
    """Return the cuts of an outline; None if its values are not dates."""
    line = line_of(shown.hierarchy, column)
    return DateCuts(shown, line) if isinstance(line, CalendarLine) else None
