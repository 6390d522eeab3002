"""Distinct tuples of codes with counts, packed into one integer each if all fields fit.

A value is its path from the root of its hierarchy, so that raising a level clears low bits. If the fields
need more than one word, a tuple is a row of integers. Both give the same classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.kernels.arrays import Codes, Counts, IntArray, Keys
from engine.kernels.grouping import class_keys, class_labels, counts_of, merge, merge_sorted, run_starts
from engine.lattice import Node
from engine.words import _


def path_codes(levels: Sequence[Codes]) -> tuple[Keys, tuple[int, ...]]:
    """Number the leaves of a tree so that the high bits identify the ancestors.

    Parameters
    ----------
    levels : sequence of ndarray of int32, each of shape (n_leaves,)
        Group of every leaf per level, from the leaves up; each level is coarser than the one before.

    Returns
    -------
    codes : ndarray of int64, shape (n_leaves,)
        Equal codes for leaves in one group of the lowest level.
    dropped : tuple of int, length n_levels
        Low bits to clear for each level; after clearing, leaves of one group have equal codes.

    Raises
    ------
    OverflowError
        If a path needs more than 62 bits.
    """
    codes = np.zeros(len(levels[0]), dtype=np.int64)
    widths: list[int] = []
    for level in reversed(levels):
        _unused, paths = np.unique(codes, return_inverse=True)
        distinct, children = np.unique(paths * (int(level.max()) + 1) + level, return_inverse=True)
        parents = distinct // (int(level.max()) + 1)
        ranks = np.arange(len(distinct)) - np.searchsorted(parents, parents)
        width = int(ranks.max()).bit_length()
        widths.append(width)
        if sum(widths) > 62:
            raise OverflowError(_("a path in the hierarchy needs more than 62 bits"))
        codes = (codes << width) | ranks[children]
    widths.reverse()
    return codes, tuple(sum(widths[:level]) for level in range(len(levels)))


WORD_BITS = 62


@dataclass(frozen=True, eq=False)
class Layout:
    """Width of every field, and its position in a packed key.

    Attributes
    ----------
    widths : tuple of int, length n_qi
    dropped : tuple of tuple of int
        Per attribute and level, the low bits of the field that the level clears.
    sensitive_widths : tuple of int, length n_sensitive
    paths : tuple of ndarray of int64, each of shape (n_leaves,)
        Field of every leaf per attribute.
    order : tuple of int, length n_qi
        Attributes from the most to the least significant field; the walk raises them in this order.
    lowest : tuple of int, length n_qi
        Lowest allowed level of every attribute, that of the base tuples.
    person_width : int
        Bits of the person's code, between quasi-identifiers and sensitive fields; 0 if no person has several
        records.
    """

    widths: tuple[int, ...]
    dropped: tuple[tuple[int, ...], ...]
    sensitive_widths: tuple[int, ...]
    paths: tuple[Keys, ...]
    order: tuple[int, ...]
    count_bits: int
    lowest: Node
    person_width: int = 0

    @cached_property
    def sensitive_bits(self) -> int:
        """Number of the lowest bits of a key, for the person and all sensitive fields."""
        return self.person_width + sum(self.sensitive_widths)

    @property
    def column_widths(self) -> tuple[int, ...]:
        """Bits of every field from the most to the least significant one."""
        person = (self.person_width,) if self.person_width else ()
        return (*(self.widths[q] for q in self.order), *person, *self.sensitive_widths)

    @cached_property
    def key_bits(self) -> int:
        """Number of bits of a key."""
        return sum(self.widths) + self.sensitive_bits

    @cached_property
    def shifts(self) -> tuple[int, ...]:
        """Position of each attribute's field."""
        after = [self.order[self.order.index(q) + 1 :] for q in range(len(self.order))]
        return tuple(self.sensitive_bits + sum(self.widths[p] for p in later) for later in after)

    @cached_property
    def sensitive_shifts(self) -> tuple[int, ...]:
        """Position of each sensitive field."""
        return tuple(sum(self.sensitive_widths[j + 1 :]) for j in range(len(self.sensitive_widths)))

    @cached_property
    def masks(self) -> tuple[tuple[int, ...], ...]:
        """Per attribute and level the bits of the field that raising to the level keeps, unshifted."""
        return tuple(
            tuple(((1 << width) - 1) >> drop << drop for drop in drops)
            for width, drops in zip(self.widths, self.dropped, strict=True)
        )


class FrequencySet(Protocol):
    """Distinct generalized tuples with counts, sorted by class."""

    @property
    def layout(self) -> Layout:
        """Position of the fields."""

    @property
    def node(self) -> Node:
        """Level of every attribute; -1 if tuples that differ only in it were made equal."""

    @property
    def counts(self) -> Counts:
        """Number of records per tuple."""

    def raised(self, attribute: int, level: int) -> Self:
        """Generalize one attribute to a higher level and join tuples that become equal."""

    def thinned(self, step: int) -> Self:
        """Return every n-th tuple."""

    def class_starts(self) -> IntArray:
        """Return the first tuple of every class, shape (n_classes,)."""

    def field(self, attribute: int, level: int) -> Keys:
        """Return the path codes of an attribute down to a level, for all tuples."""

    def sensitive(self, attribute: int) -> Keys:
        """Return the value codes of a sensitive attribute for all tuples."""

    def persons(self) -> Keys:
        """Return the code of the person of every tuple, if persons have several records."""

    def chosen(self, tuples: IntArray) -> Self:
        """Return some of the tuples, in an order that keeps those of a class together."""


@dataclass(frozen=True, eq=False)
class PackedSet:
    """Tuples as one integer each, sorted; `totals` are the records up to and including each."""

    layout: Layout
    node: Node
    keys: Keys
    totals: Counts

    @cached_property
    def counts(self) -> Counts:
        return counts_of(self.totals)

    def raised(self, attribute: int, level: int) -> PackedSet:
        layout, node = self.layout, raised_node(self.node, attribute, level)
        drop = ((1 << layout.dropped[attribute][level]) - 1) << layout.shifts[attribute]
        keys = self.keys & ~drop
        if attribute == layout.order[-1] and not layout.sensitive_bits:
            # clearing the lowest field keeps the order, so joining neighbours is enough
            return PackedSet(layout, node, *merge_sorted(keys, self.totals))
        return PackedSet(layout, node, *merge(keys, self.counts, layout.key_bits, layout.count_bits))

    def thinned(self, step: int) -> PackedSet:
        return PackedSet(self.layout, self.node, self.keys[::step], np.cumsum(self.counts[::step]))

    def class_starts(self) -> IntArray:
        if not self.layout.sensitive_bits:
            return np.arange(len(self.keys))
        return run_starts(self.keys >> self.layout.sensitive_bits)

    def field(self, attribute: int, level: int) -> Keys:
        drop = self.layout.dropped[attribute][level]
        mask = ((1 << self.layout.widths[attribute]) - 1) >> drop
        return (self.keys >> (self.layout.shifts[attribute] + drop)) & mask

    def sensitive(self, attribute: int) -> Keys:
        mask = (1 << self.layout.sensitive_widths[attribute]) - 1
        return np.asarray((self.keys >> self.layout.sensitive_shifts[attribute]) & mask)

    def persons(self) -> Keys:
        layout = self.layout
        mask = (1 << layout.person_width) - 1
        return np.asarray((self.keys >> (layout.sensitive_bits - layout.person_width)) & mask)

    def chosen(self, tuples: IntArray) -> PackedSet:
        return PackedSet(self.layout, self.node, self.keys[tuples], np.cumsum(self.counts[tuples]))


@dataclass(frozen=True, eq=False)
class WideSet:
    """Tuples as rows of integers, for keys beyond one word."""

    layout: Layout
    node: Node
    columns: tuple[Keys, ...]  # quasi-identifiers in layout order, the person if any, sensitive attributes
    counts: Counts

    @classmethod
    def joined(cls, layout: Layout, node: Node, columns: tuple[Keys, ...], counts: Counts) -> WideSet:
        """Join equal rows."""
        labels, first, _ = class_labels(columns, [1 << width for width in layout.column_widths])
        sums = np.zeros(len(first), dtype=np.int64)
        np.add.at(sums, labels, counts)
        return cls(layout, node, tuple(column[first] for column in columns), sums)

    def raised(self, attribute: int, level: int) -> WideSet:
        position = self.layout.order.index(attribute)
        columns = list(self.columns)
        columns[position] = columns[position] & self.layout.masks[attribute][level]
        node = raised_node(self.node, attribute, level)
        return WideSet.joined(self.layout, node, tuple(columns), self.counts)

    def thinned(self, step: int) -> WideSet:
        columns = tuple(column[::step] for column in self.columns)
        return WideSet(self.layout, self.node, columns, self.counts[::step])

    def class_starts(self) -> IntArray:
        n_qi = len(self.layout.order)
        spans = [1 << self.layout.widths[q] for q in self.layout.order]
        return run_starts(class_keys(self.columns[:n_qi], spans))

    def field(self, attribute: int, level: int) -> Keys:
        drop = self.layout.dropped[attribute][level]
        return self.columns[self.layout.order.index(attribute)] >> drop

    def sensitive(self, attribute: int) -> Keys:
        return self.columns[len(self.columns) - len(self.layout.sensitive_widths) + attribute]

    def persons(self) -> Keys:
        return self.columns[len(self.layout.order)]

    def chosen(self, tuples: IntArray) -> WideSet:
        columns = tuple(column[tuples] for column in self.columns)
        return WideSet(self.layout, self.node, columns, self.counts[tuples])


def raised_node(node: Node, attribute: int, level: int) -> Node:
    """Return a node with another level of one attribute."""
    return (*node[:attribute], level, *node[attribute + 1 :])


def class_of_tuples(tuples: FrequencySet, starts: IntArray) -> IntArray:
    """Return the number of the class of every tuple, given the first tuple of every class."""
    return np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(tuples.counts))))


def joined(
    layout: Layout, columns: Iterable[NDArray[np.integer[Any]]], counts: Counts | None
) -> FrequencySet:
    """Join equal rows of quasi-identifiers in layout order, the person if any, then sensitive values.

    Without `counts` every row is a record.
    """
    if layout.key_bits > WORD_BITS:
        rows = tuple(column.astype(np.int64) for column in columns)
        ones = np.ones(len(rows[0]), dtype=np.int64)
        return WideSet.joined(layout, layout.lowest, rows, ones if counts is None else counts)
    keys = None
    for column, width in zip(columns, layout.column_widths, strict=True):
        if keys is None:
            keys = column.astype(np.int64)
        else:
            keys <<= width
            keys |= column
    assert keys is not None, "there is at least one quasi-identifier"
    if counts is None:
        keys, counts = np.unique(keys, return_counts=True)
        return PackedSet(layout, layout.lowest, keys, np.cumsum(counts))
    return PackedSet(layout, layout.lowest, *merge(keys, counts, layout.key_bits, layout.count_bits))
