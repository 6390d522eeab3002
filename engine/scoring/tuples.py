"""Distinct base tuples (quasi-identifiers x sensitive attributes, with counts) and their roll-up.

Every node's frequency set is derived from a more precise one, never from the records. Values are
paths from the root of their hierarchy, so that raising a level clears low bits; where all fields
fit into one word a tuple is one integer, else it is a row of integers. Both give the same classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.frequency import People, Problem
from engine.frequency.measured import MeasuredClasses, Parts, pairs_from, parts_by_others
from engine.kernels.arrays import Counts, IntArray, Keys
from engine.kernels.bitfields import path_codes
from engine.kernels.distances import Pairs
from engine.kernels.grouping import class_keys, class_labels, counts_of, merge, merge_sorted, run_starts
from engine.scoring import acceleration

WORD_BITS = 62
MANY_RECORDS = 100_000  # from which on counting equal keys by a kernel is worth its table
SAMPLE = 1 << 15  # tuples by which the order of the walk is chosen


@dataclass(frozen=True, eq=False)
class Layout:
    """How many bits every field takes, and where it lies in a packed key.

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
    """

    widths: tuple[int, ...]
    dropped: tuple[tuple[int, ...], ...]
    sensitive_widths: tuple[int, ...]
    paths: tuple[Keys, ...]
    order: tuple[int, ...]
    count_bits: int

    @cached_property
    def sensitive_bits(self) -> int:
        """Bits of all sensitive fields, the lowest of a key."""
        return sum(self.sensitive_widths)

    @cached_property
    def key_bits(self) -> int:
        """Bits of a whole key."""
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
        """Per attribute and level the field's bits that raising to the level keeps, unshifted."""
        return tuple(
            tuple(((1 << width) - 1) >> drop << drop for drop in drops)
            for width, drops in zip(self.widths, self.dropped, strict=True)
        )


class FrequencySet(Protocol):
    """Distinct generalized tuples with counts, sorted by class."""

    @property
    def layout(self) -> Layout:
        """Where the fields lie."""

    @property
    def counts(self) -> Counts:
        """Records per tuple."""

    def raised(self, attribute: int, level: int) -> Self:
        """Generalize one attribute to a higher level and join what became equal."""

    def thinned(self, step: int) -> Self:
        """Every so many-th tuple."""

    def class_starts(self) -> IntArray:
        """First tuple of every class, shape (n_classes,)."""

    def field(self, attribute: int, level: int) -> Keys:
        """Path codes of an attribute down to a level, for all tuples."""

    def sensitive(self, attribute: int) -> Keys:
        """Value codes of a sensitive attribute for all tuples."""


@dataclass(frozen=True, eq=False)
class PackedSet:
    """Tuples as one integer each, sorted; `totals` are the records up to and including each."""

    layout: Layout
    keys: Keys
    totals: Counts

    @cached_property
    def counts(self) -> Counts:
        """See `FrequencySet.counts`."""
        return counts_of(self.totals)

    def raised(self, attribute: int, level: int) -> PackedSet:
        """See `FrequencySet.raised`."""
        layout = self.layout
        drop = ((1 << layout.dropped[attribute][level]) - 1) << layout.shifts[attribute]
        keys = self.keys & ~drop
        if attribute == layout.order[-1] and not layout.sensitive_widths:
            # Clearing the lowest field keeps the order, so that joining neighbours is enough.
            return PackedSet(layout, *merge_sorted(keys, self.totals))
        return PackedSet(layout, *merge(keys, self.counts, layout.key_bits, layout.count_bits))

    def thinned(self, step: int) -> PackedSet:
        """See `FrequencySet.thinned`."""
        return PackedSet(self.layout, self.keys[::step], np.cumsum(self.counts[::step]))

    def class_starts(self) -> IntArray:
        """See `FrequencySet.class_starts`."""
        if not self.layout.sensitive_widths:
            return np.arange(len(self.keys))
        return run_starts(self.keys >> self.layout.sensitive_bits)

    def field(self, attribute: int, level: int) -> Keys:
        """See `FrequencySet.field`."""
        drop = self.layout.dropped[attribute][level]
        mask = ((1 << self.layout.widths[attribute]) - 1) >> drop
        return (self.keys >> (self.layout.shifts[attribute] + drop)) & mask

    def sensitive(self, attribute: int) -> Keys:
        """See `FrequencySet.sensitive`."""
        mask = (1 << self.layout.sensitive_widths[attribute]) - 1
        return np.asarray((self.keys >> self.layout.sensitive_shifts[attribute]) & mask)


@dataclass(frozen=True, eq=False)
class WideSet:
    """Tuples as rows of integers, for keys beyond one word."""

    layout: Layout
    columns: tuple[Keys, ...]  # quasi-identifiers in layout order, then sensitive attributes
    counts: Counts

    @classmethod
    def joined(cls, layout: Layout, columns: tuple[Keys, ...], counts: Counts) -> WideSet:
        """Join equal rows."""
        spans = [1 << layout.widths[q] for q in layout.order] + [1 << w for w in layout.sensitive_widths]
        labels, first, _ = class_labels(columns, spans)
        sums = np.zeros(len(first), dtype=np.int64)
        np.add.at(sums, labels, counts)
        return cls(layout, tuple(column[first] for column in columns), sums)

    def raised(self, attribute: int, level: int) -> WideSet:
        """See `FrequencySet.raised`."""
        position = self.layout.order.index(attribute)
        columns = list(self.columns)
        columns[position] = columns[position] & self.layout.masks[attribute][level]
        return WideSet.joined(self.layout, tuple(columns), self.counts)

    def thinned(self, step: int) -> WideSet:
        """See `FrequencySet.thinned`."""
        return WideSet(self.layout, tuple(column[::step] for column in self.columns), self.counts[::step])

    def class_starts(self) -> IntArray:
        """See `FrequencySet.class_starts`."""
        n_qi = len(self.layout.order)
        spans = [1 << self.layout.widths[q] for q in self.layout.order]
        return run_starts(class_keys(self.columns[:n_qi], spans))

    def field(self, attribute: int, level: int) -> Keys:
        """See `FrequencySet.field`."""
        drop = self.layout.dropped[attribute][level]
        return self.columns[self.layout.order.index(attribute)] >> drop

    def sensitive(self, attribute: int) -> Keys:
        """See `FrequencySet.sensitive`."""
        return self.columns[len(self.layout.order) + attribute]


@dataclass(frozen=True, eq=False)
class PeopledSet:
    """Tuples of the records, and beside them those of the population, which has no sensitive values."""

    records: FrequencySet
    people: FrequencySet

    @property
    def layout(self) -> Layout:
        """See `FrequencySet.layout`: that of the records."""
        return self.records.layout

    @property
    def counts(self) -> Counts:
        """See `FrequencySet.counts`: records, not people."""
        return self.records.counts

    def raised(self, attribute: int, level: int) -> PeopledSet:
        """See `FrequencySet.raised`."""
        return PeopledSet(self.records.raised(attribute, level), self.people.raised(attribute, level))

    def thinned(self, step: int) -> PeopledSet:
        """See `FrequencySet.thinned`."""
        return PeopledSet(self.records.thinned(step), self.people.thinned(step))

    def class_starts(self) -> IntArray:
        """See `FrequencySet.class_starts`: of classes with a record."""
        return self.records.class_starts()

    def field(self, attribute: int, level: int) -> Keys:
        """See `FrequencySet.field`: of the records."""
        return self.records.field(attribute, level)

    def sensitive(self, attribute: int) -> Keys:
        """See `FrequencySet.sensitive`."""
        return self.records.sensitive(attribute)

    def members(self, starts: IntArray) -> Counts:
        """People in each class of records, given their first tuples; shape (n_classes,)."""
        people, order = self.people, self.layout.order
        if isinstance(self.records, PackedSet) and isinstance(people, PackedSet):
            own, theirs = self.records.keys[starts] >> self.layout.sensitive_bits, people.keys
        else:
            spans = [1 << self.layout.widths[q] for q in order]
            rows = [np.concatenate((self.field(q, 0)[starts], people.field(q, 0))) for q in order]
            keys = class_keys(rows, spans)
            own, theirs = keys[: len(starts)], keys[len(starts) :]
        places = np.minimum(np.searchsorted(theirs, own), len(theirs) - 1)
        return np.where(theirs[places] == own, people.counts[places], 0)


def base_tuples(problem: Problem) -> FrequencySet:
    """Reduce the records to distinct tuples at the lattice's lowest node.

    Raises
    ------
    InputError
        If one hierarchy is so large that a path in it needs more than 62 bits.
    """
    paths: list[Keys] = []
    dropped = []
    for attribute in problem.attributes:
        try:
            path, clears = path_codes([level.codes for level in attribute.hierarchy.levels])
        except OverflowError:
            raise InputError(
                f"The hierarchy of '{attribute.name}' is too large to score.",
                hint="Remove levels or join values before loading it.",
            ) from None
        # Levels below the lowest allowed one never appear, so their bits are dropped for good.
        floor = clears[attribute.minimum]
        paths.append(path >> floor)
        dropped.append(tuple(max(clear - floor, 0) for clear in clears))
    layout = Layout(
        widths=tuple(int(path.max()).bit_length() for path in paths),
        dropped=tuple(dropped),
        sensitive_widths=tuple(max(a.n_values - 1, 1).bit_length() for a in problem.sensitive),
        paths=tuple(paths),
        order=tuple(range(len(paths))),
        count_bits=problem.n_records.bit_length(),
    )
    found = _joined(layout, _columns(problem, paths), None)
    # The order is measured on the tuples, of which there are far fewer than records.
    layout = replace(layout, order=_walk_order(problem, found))
    fields = [found.field(q, 0) for q in layout.order]
    sensitive = [found.sensitive(j) for j in range(len(problem.sensitive))]
    records = _joined(layout, fields + sensitive, found.counts)
    if problem.people is None or problem.people.leaves is None:
        return records
    return PeopledSet(records, _people(problem.people, layout))


def _people(people: People, layout: Layout) -> FrequencySet:
    """The tuples of the population, laid out like those of the records."""
    assert people.leaves is not None, "only asked for where they are known"
    own = replace(layout, sensitive_widths=(), count_bits=people.n_members.bit_length())
    return _joined(own, (layout.paths[q][people.leaves[q]] for q in layout.order), None)


def _columns(problem: Problem, paths: Sequence[Keys]) -> Iterator[NDArray[np.integer[Any]]]:
    """Codes of all records, narrow and one column at a time, since millions of records fill the memory."""
    for path, attribute in zip(paths, problem.attributes, strict=True):
        is_narrow = int(path.max()) <= np.iinfo(np.int32).max
        yield (path.astype(np.int32) if is_narrow else path)[attribute.leaves]
    for sensitive in problem.sensitive:
        yield sensitive.codes


def _joined(
    layout: Layout, columns: Iterable[NDArray[np.integer[Any]]], counts: Counts | None
) -> FrequencySet:
    """Join equal rows, given the quasi-identifiers in layout order and then the sensitive attributes.

    Without `counts` every row is a record.
    """
    if layout.key_bits > WORD_BITS:
        rows = tuple(column.astype(np.int64) for column in columns)
        ones = np.ones(len(rows[0]), dtype=np.int64)
        return WideSet.joined(layout, rows, ones if counts is None else counts)
    widths = [layout.widths[q] for q in layout.order] + list(layout.sensitive_widths)
    keys = None
    for column, width in zip(columns, widths, strict=True):
        if keys is None:
            keys = column.astype(np.int64)
        else:
            keys <<= width
            keys |= column
    assert keys is not None, "there is at least one quasi-identifier"
    if counts is None:
        keys, counts = _counted(keys)
    return PackedSet(layout, *merge(keys, counts, layout.key_bits, layout.count_bits))


def _counted(keys: Keys) -> tuple[Keys, Counts]:
    """Count equal keys first where sorting all of them would take long."""
    kernels = acceleration.kernels("distinct") if len(keys) >= MANY_RECORDS else None
    if kernels is None:
        return keys, np.ones(len(keys), dtype=np.int64)
    found: tuple[Keys, Counts] = kernels.count_distinct(keys)
    return found


def at_node(base: FrequencySet, node: tuple[int, ...]) -> FrequencySet:
    """Frequency set of one node, straight from the base tuples."""
    for attribute, level in enumerate(node):
        if base.layout.dropped[attribute][level]:
            base = base.raised(attribute, level)
    return base


def measured_classes(problem: Problem, tuples: FrequencySet) -> tuple[IntArray, MeasuredClasses]:
    """Return the first tuple of every class, and the classes as privacy models see them."""
    starts = tuples.class_starts()
    sizes = tuples.counts if len(starts) == len(tuples.counts) else np.add.reduceat(tuples.counts, starts)

    def pairs(attribute: int) -> Pairs:
        return class_pairs(tuples, starts, attribute)

    def parts(attribute: int) -> Parts:
        lengths = np.diff(np.append(starts, len(tuples.counts)))
        classes = np.repeat(np.arange(len(starts)), lengths)
        values = [tuples.sensitive(j) for j in range(len(problem.sensitive))]
        return parts_by_others(classes, problem.sensitive, values, tuples.counts, attribute)

    in_parts = parts if problem.measures_parts else None
    members = (lambda: tuples.members(starts)) if isinstance(tuples, PeopledSet) else None
    fraction = problem.sampling_fraction
    return starts, MeasuredClasses(sizes, problem.sensitive, pairs, in_parts, members, fraction)


def class_pairs(tuples: FrequencySet, starts: IntArray, attribute: int) -> Pairs:
    """Distinct (class, value) pairs of a sensitive field, given the first tuple of every class."""
    values, layout = tuples.sensitive(attribute), tuples.layout
    if len(layout.sensitive_widths) == 1:
        return Pairs(values, tuples.counts, starts)
    lengths = np.diff(np.append(starts, len(tuples.counts)))
    classes = np.repeat(np.arange(len(starts)), lengths)
    width = layout.sensitive_widths[attribute]
    keys, totals = merge(
        (classes << width) | values, tuples.counts, len(starts).bit_length() + width, layout.count_bits
    )
    return pairs_from(keys >> width, keys & ((1 << width) - 1), counts_of(totals))


def _walk_order(problem: Problem, tuples: FrequencySet) -> tuple[int, ...]:
    """Raise first what shrinks the table most; last, where no sorting is needed, the tallest."""
    sample = tuples.thinned(len(tuples.counts) // SAMPLE + 1)
    n_classes = [len(sample.raised(q, a.maximum).class_starts()) for q, a in enumerate(problem.attributes)]
    order = sorted(range(len(n_classes)), key=lambda q: (n_classes[q], q))
    tallest = max(order, key=lambda q: problem.attributes[q].maximum - problem.attributes[q].minimum)
    order.remove(tallest)
    order.append(tallest)
    return tuple(order)
