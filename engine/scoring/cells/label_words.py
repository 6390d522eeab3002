"""Weights of labels in the compiled walk: bit fields of words, summed by cell.

The leaves that a label covers, and its numeric width, change only if its attribute is raised. So each class
stores them, and adding up a word adds up several of them at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.kernels.arrays import FloatArray, Keys
from engine.kernels.compiled.cells import CellFields
from engine.kernels.compiled.rollup import ALL_BITS, Weights
from engine.scoring.cells.label_sums import Field
from engine.scoring.cells.weights import LabelWeights
from engine.scoring.walk.subtrees import Subtrees, per_level

WORD_BITS = 64


@dataclass(frozen=True, eq=False)
class Summed:
    """A summed weight: its name, and per level its table of integers or of reals."""

    name: str
    attribute: int
    tables: tuple[NDArray[Any] | None, ...]
    scale: float | None

    def table(self, attribute: int, level: int) -> NDArray[Any] | None:
        """Return the weights of a level; None if all labels weigh the same, and for other attributes."""
        return self.tables[level] if attribute == self.attribute else None

    @property
    def largest(self) -> int:
        """The largest weight of a label."""
        return max(int(table.max()) for table in self.tables if table is not None)

    @property
    def mask(self) -> int:
        """Ones for every bit that a weight may have."""
        return (1 << self.largest.bit_length()) - 1


@dataclass(frozen=True, eq=False)
class LabelWords:
    """Position of every weight, and the weights of each label.

    Attributes
    ----------
    packed : tuple of Summed
        Weights in bit fields, in the order of `fields`.
    fields : mapping of str to Field
        Positions of sums in the words of a cell.
    places : mapping of str to (int, int)
        Word of a class, and lowest bit, of a weight.
    reals : tuple of Summed
        Weights that are multiples of no decimal, or too large.
    """

    subtrees: Subtrees
    packed: tuple[Summed, ...]
    fields: Mapping[str, Field]
    places: Mapping[str, tuple[int, int]]
    carried: CellFields
    reals: tuple[Summed, ...]

    @classmethod
    def of(cls, subtrees: Subtrees, all_weights: Sequence[LabelWeights]) -> LabelWords:
        """Assign positions to the weights that differ between labels of one level."""
        packed, reals, fields = [], [], {}
        word = used = 0
        for weights in all_weights:
            if not weights.varies:
                continue
            if not weights.is_whole(subtrees.problem.n_records):  # a cell may have all records
                reals.append(Summed(weights.name, weights.attribute, _dense(weights), None))
                continue
            summed = _whole(weights)
            # a label without records may weigh more than all that occur, and its bits need room anyway
            width = max(_largest_sum(summed, subtrees), summed.largest).bit_length()
            if used + width > WORD_BITS:
                word, used = word + 1, 0
            fields[weights.name] = Field(word, used, width, summed.scale)
            packed.append(summed)
            used += width
        carried = _carried(packed, fields)
        places = {
            name: (int(carried.carriers[field.word]), field.shift + int(carried.shifts[field.word]))
            for name, field in fields.items()
        }
        return cls(subtrees, tuple(packed), fields, places, carried, tuple(reals))

    @property
    def n_words(self) -> int:
        """Words per cell."""
        return len(self.carried.carriers)

    @cached_property
    def n_carriers(self) -> int:
        """Words per class."""
        return int(self.carried.carriers.max(initial=-1)) + 1

    @cached_property
    def weights(self) -> Weights:
        """Return the weights of the labels of the raised attributes."""
        n_columns = len(self.subtrees.raised) + 1
        words = [np.zeros((self.n_carriers, 1), dtype=np.uint64)]
        reals = [np.zeros((len(self.reals), 1))]
        for position, row in enumerate(self.tables):
            for number, first in enumerate(row):
                if first >= 0:
                    level_words, level_reals = self._labels(position, number)
                    words.append(level_words)
                    reals.append(level_reals)
        keep_words = np.full((self.n_carriers, n_columns), ALL_BITS, dtype=np.uint64)
        keep_reals = np.ones((len(self.reals), n_columns), dtype=np.bool_)
        for position, q in enumerate(self.subtrees.raised):
            for summed in self.packed:
                if summed.attribute == q:
                    word, shift = self.places[summed.name]
                    keep_words[word, position] &= ~np.uint64(summed.mask << shift)
            for r, summed in enumerate(self.reals):
                keep_reals[r, position] = summed.attribute != q
        return Weights(np.concatenate(words, axis=1), np.concatenate(reals, axis=1), keep_words, keep_reals)

    @cached_property
    def tables(self) -> tuple[tuple[int, ...], ...]:
        """Return per raised attribute and level the first label in `weights`, or -1 if labels add nothing."""
        rows = []
        first = 1
        for position in range(len(self.subtrees.raised)):
            row = []
            for number in range(len(self._levels(position))):
                if self._adding(position, number):
                    row.append(first)
                    first += self._n_labels(position, number)
                else:
                    row.append(-1)
            rows.append(tuple(row))
        return tuple(rows)

    @cached_property
    def masks(self) -> NDArray[np.int64]:
        """Return per raised attribute and level the bits of a label."""
        return per_level(
            [
                [self._n_labels(position, number) - 1 for number in range(len(self._levels(position)))]
                for position in range(len(self.subtrees.raised))
            ]
        )

    def at(self, levels: Sequence[int]) -> tuple[NDArray[np.uint64], FloatArray]:
        """Return words and reals of the base tuples at a subtree's lowest node, shape (n, n_base) each."""
        subtrees, lattice = self.subtrees, self.subtrees.problem.lattice
        fixed = dict(zip(subtrees.fixed, levels, strict=True))
        n_base = len(subtrees.base.sizes)
        words = np.zeros((self.n_carriers, n_base), dtype=np.uint64)
        reals = np.zeros((len(self.reals), n_base))

        def labels(q: int) -> tuple[int, Keys]:
            level = fixed.get(q, lattice.minimum[q])
            return level, subtrees.base.fields[q] >> subtrees.dropped[q][level]

        for summed in self.packed:
            level, paths = labels(summed.attribute)
            if (table := summed.tables[level]) is not None:
                word, shift = self.places[summed.name]
                words[word] |= table[paths].astype(np.uint64) << np.uint64(shift)
        for r, summed in enumerate(self.reals):
            level, paths = labels(summed.attribute)
            if (table := summed.tables[level]) is not None:
                reals[r] = table[paths]
        return words, reals

    def _levels(self, position: int) -> range:
        q, lattice = self.subtrees.raised[position], self.subtrees.problem.lattice
        return range(lattice.minimum[q], lattice.maximum[q] + 1)

    def _n_labels(self, position: int, number: int) -> int:
        return self.subtrees.n_labels(self.subtrees.raised[position], self._levels(position)[number])

    def _adding(self, position: int, number: int) -> bool:
        q, level = self.subtrees.raised[position], self._levels(position)[number]
        return any(s.table(q, level) is not None for s in (*self.packed, *self.reals))

    def _labels(self, position: int, number: int) -> tuple[NDArray[np.uint64], FloatArray]:
        q, level = self.subtrees.raised[position], self._levels(position)[number]
        n_labels = self._n_labels(position, number)
        words = np.zeros((self.n_carriers, n_labels), dtype=np.uint64)
        reals = np.zeros((len(self.reals), n_labels))
        for summed in self.packed:
            table = summed.table(q, level)
            if table is not None:
                word, shift = self.places[summed.name]
                words[word, : len(table)] |= table.astype(np.uint64) << np.uint64(shift)
        for r, summed in enumerate(self.reals):
            table = summed.table(q, level)
            if table is not None:
                reals[r, : len(table)] = table
        return words, reals


def _largest_sum(summed: Summed, subtrees: Subtrees) -> int:
    """Bound the sum of a weight over the classes of a cell: each class has a base tuple of its own."""
    paths = subtrees.base.fields[summed.attribute]
    dropped = subtrees.dropped[summed.attribute]
    # in integers, since a sum of reals beyond 2**53 may be rounded down and make a field too narrow
    tables = [(g, table.astype(np.int64)) for g, table in enumerate(summed.tables) if table is not None]
    return max(int(table[paths >> dropped[g]].sum()) for g, table in tables)


def _carried(packed: Sequence[Summed], fields: Mapping[str, Field]) -> CellFields:
    """Assign positions to the weights of every word of sums, next to those of another if they fit."""
    n_words = 1 + max((field.word for field in fields.values()), default=-1)
    masks = [0] * n_words
    for summed in packed:
        masks[fields[summed.name].word] |= summed.mask << fields[summed.name].shift
    taken: list[int] = []
    carriers, shifts = [], []
    for mask in masks:
        places = (
            (carrier, shift)
            for carrier, bits in enumerate(taken)
            for shift in range(WORD_BITS + 1 - mask.bit_length())
            if not bits & (mask << shift)
        )
        carrier, shift = next(places, (len(taken), 0))
        if carrier == len(taken):
            taken.append(0)
        taken[carrier] |= mask << shift
        carriers.append(carrier)
        shifts.append(shift)
    return CellFields(
        np.array(carriers, dtype=np.int64),
        np.array(shifts, dtype=np.uint64),
        np.array(masks, dtype=np.uint64),
    )


def _whole(weights: LabelWeights) -> Summed:
    assert weights.multiples is not None
    scale, tables = weights.multiples
    is_real = weights.totals.dtype.kind == "f"
    return Summed(weights.name, weights.attribute, tables, scale if is_real else None)


def _dense(weights: LabelWeights) -> tuple[FloatArray | None, ...]:
    assert weights.dense is not None, "long paths are scored by numpy"
    return weights.dense
