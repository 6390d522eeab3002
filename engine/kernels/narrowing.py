"""Leaves that a label cannot stand for, if classes with fewer points are known to be filled first.

A cell is the product of the leaf sets of a class's labels. A class precedes another if its cell has fewer
points; a record of a class is then in no cell that precedes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np

from engine.kernels.arrays import BoolArray, IntArray

LeafSet: TypeAlias = int  # a bit per leaf
Box: TypeAlias = tuple[LeafSet, ...]  # by column


class Excluded(NamedTuple):
    """Leaves that each rule excludes from the labels of a class, by column.

    If a rule would keep no leaf of a column, it contradicts itself, and this column has all its leaves.

    Attributes
    ----------
    one_inside : tuple of int
        R1: by classes that differ in one column only, where their label is inside.
    one_cell : tuple of int
        R1b: by preceding classes that cover the label in every other column.
    order : tuple of int
        R2: all that follows from the order, by preceding cells together.
    """

    one_inside: Box
    one_cell: Box
    order: Box


NOTHING = Excluded((), (), ())


def excluded_leaves(labels: IntArray, covers: Sequence[BoolArray]) -> Iterator[tuple[int, Box, Excluded]]:
    """Yield number, cell and excluded leaves of every class, those with fewer points first.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_classes, n_columns)
        Label of every class.
    covers : sequence of ndarray of bool, each of shape (n_labels, n_leaves)
        Leaves of every label, at least one each, by column.
    """
    masks = [[_mask(row) for row in own] for own in covers]
    sizes = [np.count_nonzero(own, axis=1) for own in covers]
    overlaps = [_Overlaps(own) for own in covers]
    cells = [tuple(own[label] for own, label in zip(masks, row, strict=True)) for row in labels.tolist()]
    points = [prod(leaves.bit_count() for leaves in cell) for cell in cells]
    order = np.array(sorted(range(len(cells)), key=points.__getitem__), dtype=np.int64)
    columns = sorted(range(len(covers)), key=lambda q: -len(covers[q]))  # those that differ most first
    sorted_labels, n_before = labels[order], 0
    for place, number in enumerate(order.tolist()):
        if points[number] > points[int(order[n_before])]:
            n_before = place
        met = np.arange(n_before)
        for q in columns:
            met = met[overlaps[q].of(labels[number, q])[sorted_labels[met, q]] > 0]
        if not len(met):
            yield number, cells[number], NOTHING
            continue
        inside = np.empty((len(met), len(covers)), dtype=np.bool_)
        covering = np.empty_like(inside)
        for q, own in enumerate(sorted_labels[met].T):
            common = overlaps[q].of(labels[number, q])[own]
            inside[:, q] = common == sizes[q][own]
            covering[:, q] = common == sizes[q][labels[number, q]]
        others = [cells[i] for i in order[met].tolist()]
        single = np.flatnonzero(covering.sum(axis=1) == len(covers) - 1)
        nearest = single[inside[single].all(axis=1)]
        box = cells[number]
        yield (
            number,
            box,
            Excluded(
                _by_single(box, others, covering, nearest),
                _by_single(box, others, covering, single),
                _by_union(box, others),
            ),
        )


class _Overlaps:
    """Number of leaves that labels of a column have in common, computed when needed."""

    def __init__(self, covers: BoolArray) -> None:
        self._covers = covers
        self._known: dict[int, IntArray] = {}

    def of(self, label: int) -> IntArray:
        """Return the leaves in common with every label, shape (n_labels,)."""
        if label not in self._known:
            self._known[label] = np.count_nonzero(self._covers[:, self._covers[label]], axis=1)
        return self._known[label]


def _mask(leaves: BoolArray) -> LeafSet:
    return int.from_bytes(np.packbits(leaves, bitorder="little").tobytes(), "little")


def _by_single(box: Box, others: Sequence[Box], covering: BoolArray, chosen: IntArray) -> Box:
    """Exclude the leaves of chosen cells in the one column in which each does not cover the box."""
    found = [0] * len(box)
    for number, q in zip(chosen.tolist(), np.argmin(covering[chosen], axis=1).tolist(), strict=True):
        found[q] |= others[number][q] & box[q]
    return tuple(found)


def _by_union(box: Box, others: Sequence[Box]) -> Box:
    """Exclude the leaves whose slab of the box the other cells cover together."""
    parts = [tuple(a & b for a, b in zip(box, other, strict=True)) for other in others]
    found = []
    for q in range(len(box)):
        excluded = 0
        for alike in _alike(box[q], [part[q] for part in parts]):
            leaf = alike & -alike
            slab = (*box[:q], leaf, *box[q + 1 :])
            if is_covered(slab, [part for part in parts if part[q] & leaf]):
                excluded |= alike
        found.append(excluded)
    return tuple(found)


def _alike(leaves: LeafSet, sets: Sequence[LeafSet]) -> list[LeafSet]:
    """Return the groups of leaves that are in the same of some sets, without those in none."""
    groups, seen = [leaves], 0
    for other in dict.fromkeys(sets):
        seen |= other
        groups = [part for group in groups for part in (group & other, group & ~other) if part]
    return [group for group in groups if group & seen]


def is_covered(box: Box, cells: Sequence[Box]) -> bool:
    """Return whether every point of a box is in one of the cells."""
    left = [(box, cells)]
    while left:
        box, cells = left.pop()
        parts, volumes = [], []
        is_inside = False
        for cell in cells:
            part = tuple(a & b for a, b in zip(box, cell, strict=True))
            if part == box:
                is_inside = True
                break
            if all(part):
                parts.append(part)
                volumes.append(_volume(part))
        if is_inside:
            continue
        if sum(volumes) < _volume(box):
            return False
        largest = parts[max(range(len(parts)), key=volumes.__getitem__)]
        for q, leaves in enumerate(largest):
            if rest := box[q] & ~leaves:
                left.append(((*largest[:q], rest, *box[q + 1 :]), parts))
    return True


def _volume(box: Box) -> int:
    return prod(leaves.bit_count() for leaves in box)
