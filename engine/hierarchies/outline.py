"""A hierarchy over a column laid out in one line: leaves in an order that keeps groups together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from engine.hierarchies.editing import move
from engine.hierarchies.hierarchy import Hierarchy
from engine.hierarchies.natural_order import natural_key
from engine.kernels.arrays import BoolArray, Counts, IntArray, Reals
from engine.table import Column
from engine.table.values import exact_number


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
        Leaves of the group that are shown, closed ones included.
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
    hierarchy : Hierarchy
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
    """

    hierarchy: Hierarchy
    leaves: IntArray
    starts: IntArray
    closed: IntArray
    records: Counts
    numbers: Reals
    levels: tuple[Spans, ...]

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
        """Whether places are numbers that increase, so that they can stand on an axis.

        What is no number, such as the missing value, may follow at the end.
        """
        known = np.isfinite(self.numbers)
        n_known = int(known.sum())
        return (
            n_known > 1
            and bool(known[:n_known].all())
            and bool((np.diff(self.numbers[:n_known]) > 0).all())
            and not self.closed.any()
        )

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
    hierarchy : Hierarchy
    column : Column
        Values the hierarchy lacks have no place.
    order : Order
    closed : iterable of (int, str)
        Level and label of groups that are shown as one place; unknown ones are ignored.
    shows_absent : bool
        Whether leaves without records are shown too; they are if there are no others.
    """
    records = np.zeros(hierarchy.n_leaves, dtype=np.int64)
    numbers = np.full(hierarchy.n_leaves, np.nan)
    rank = np.full(hierarchy.n_leaves, -1, dtype=np.int64)
    index = hierarchy.index
    found = np.fromiter((index.get(label, -1) for label in column.labels), np.int64, len(column.labels))
    present = found >= 0
    records[found[present]] = column.counts[present]
    numbers[found[present]] = column.numbers[present]
    rank[found[present]] = np.flatnonzero(present)
    shown = np.ones(hierarchy.n_leaves, dtype=np.bool_)
    if not shows_absent and present.any():
        shown = rank >= 0
    elif column.data_type.is_numeric:
        _add_absent_numbers(hierarchy, column, rank, numbers)
    leaves = _ordered(
        hierarchy, np.flatnonzero(shown), _keys(hierarchy, order, rank, numbers, records), order
    )
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
    )


def with_cut(shown: Outline, level: int, boundary: int, place: int) -> Hierarchy:
    """Move the boundary between two groups that stand side by side; groups below that it crosses are cut.

    Parameters
    ----------
    shown : Outline
    level : int
        At least 1.
    boundary : int
        The group at its right, counted from the left; at least 1.
    place : int
        The first place that belongs to the group at the right from now on.

    Returns
    -------
    Hierarchy
        The same one where nothing moves. A boundary never passes the next one: each group keeps a place.
    """
    spans, hierarchy = shown.levels[level], shown.hierarchy
    left, here, right = (int(spans.starts[boundary + step]) for step in (-1, 0, 1))
    place = min(max(place, left + 1), right - 1)
    if place == here:
        return hierarchy
    first, last = min(place, here), max(place, here)
    leaves = shown.leaves[shown.starts[first] : shown.starts[last]]
    goal = int(spans.codes[boundary if place < here else boundary - 1])
    values = [hierarchy.values[leaf] for leaf in leaves.tolist()]
    return move(hierarchy, 0, values, level, hierarchy.levels[level].labels[goal])


def _keys(
    hierarchy: Hierarchy, order: Order, rank: IntArray, numbers: Reals, records: Counts
) -> IntArray | Reals:
    """What leaves are sorted by, shape (n_leaves,)."""
    if order is Order.FILE:
        return np.arange(hierarchy.n_leaves)
    if order is Order.RECORDS:
        return -records
    if order is Order.NATURAL:
        by_text = sorted(range(hierarchy.n_leaves), key=lambda leaf: natural_key(hierarchy.values[leaf]))
        place = np.empty(hierarchy.n_leaves, dtype=np.int64)
        place[by_text] = np.arange(hierarchy.n_leaves)
        return place
    if (rank >= 0).all():
        return rank
    if np.isfinite(numbers).any():
        return np.where(np.isfinite(numbers), numbers, np.inf)
    by_text = sorted(range(hierarchy.n_leaves), key=hierarchy.values.__getitem__)
    place = np.empty(hierarchy.n_leaves, dtype=np.int64)
    place[by_text] = np.arange(hierarchy.n_leaves)
    return place


def _add_absent_numbers(hierarchy: Hierarchy, column: Column, rank: IntArray, numbers: Reals) -> None:
    for leaf in np.flatnonzero(rank < 0).tolist():
        number = exact_number(hierarchy.values[leaf], column.data_type)
        if number is not None:
            numbers[leaf] = float(number)


def _ordered(hierarchy: Hierarchy, leaves: IntArray, keys: IntArray | Reals, order: Order) -> IntArray:
    """Leaves sorted from the top level down: by the key of their group, then by the group itself."""
    columns: list[IntArray | Reals] = [np.arange(len(leaves)), keys[leaves]]  # the last is the most important
    for level in hierarchy.levels[1:]:
        codes = level.codes[leaves].astype(np.int64)
        if order is Order.RECORDS:
            of_group = np.zeros(len(level.labels))
            np.add.at(of_group, codes, keys[leaves])
        else:
            of_group = np.full(len(level.labels), np.inf)
            np.minimum.at(of_group, codes, keys[leaves])
        columns += [codes, of_group[codes]]
    found: IntArray = leaves[np.lexsort(columns)]
    return found


def _closed_levels(hierarchy: Hierarchy, leaves: IntArray, closed: Iterable[tuple[int, str]]) -> IntArray:
    """The highest level on which each leaf is in a closed group, 0 where in none; shape of `leaves`."""
    found = np.zeros(len(leaves), dtype=np.int64)
    for level, label in sorted(closed):
        if 0 < level <= hierarchy.height and (code := hierarchy.levels[level].index.get(label)) is not None:
            found[hierarchy.levels[level].codes[leaves] == code] = level
    return found


def _begins(hierarchy: Hierarchy, leaves: IntArray, closed_level: IntArray) -> BoolArray:
    """Whether a place begins at each leaf."""
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
