"""Metrics of a pair of tables a second time, slowly: texts, dictionaries and exact fractions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Rows = Sequence[tuple[str, ...]]  # lines of a hierarchy file
STAR = "*"


@dataclass(frozen=True)
class SlowColumn:
    """A column: the lines of its hierarchy, and whether its values are numbers."""

    rows: Rows
    is_number: bool = False

    def level(self, label: str) -> int:
        """The lowest level that has a label."""
        return min(g for row in self.rows for g, text in enumerate(row) if text == label)

    def leaves(self, label: str) -> list[str]:
        level = self.level(label)
        return [row[0] for row in self.rows if row[level] == label]

    def cost(self, label: str | None) -> Fraction:
        """What a cell costs by the generalized information loss."""
        everything = [row[0] for row in self.rows]
        members = everything if label is None else self.leaves(label)
        if len(everything) == 1:
            return Fraction(0)
        if self.is_number:
            numbers, all_numbers = [int(v) for v in members], [int(v) for v in everything]
            return Fraction(max(numbers) - min(numbers), max(all_numbers) - min(all_numbers))
        return Fraction(len(members) - 1, len(everything) - 1)


@dataclass(frozen=True)
class SlowPair:
    """An original and its release; a released record is None where it is suppressed."""

    columns: tuple[SlowColumn, ...]
    raw: list[tuple[str, ...]]
    released: list[tuple[str, ...] | None]

    @property
    def n(self) -> int:
        return len(self.raw)

    def _cells(self, q: int) -> list[str | None]:
        return [None if record is None else record[q] for record in self.released]

    def loss(self) -> float:
        product = 1.0
        for q, column in enumerate(self.columns):
            n_leaves = len(column.rows)
            shares = [
                Fraction(n_leaves if c is None else len(column.leaves(c)), n_leaves) for c in self._cells(q)
            ]
            mean = sum(shares, Fraction(0)) / self.n
            lost = 0 if n_leaves == 1 else (mean - Fraction(1, n_leaves)) / (1 - Fraction(1, n_leaves))
            product *= 1 + float(max(lost, 0))
        return product ** (1 / len(self.columns)) - 1

    def gen_iloss(self) -> float:
        cells = [column.cost(c) for q, column in enumerate(self.columns) for c in self._cells(q)]
        return float(sum(cells, Fraction(0)) / len(cells))

    def precision(self) -> float:
        total = Fraction(0)
        for q, column in enumerate(self.columns):
            height = len(column.rows[0]) - 1
            if height:
                levels = [height if c is None else column.level(c) for c in self._cells(q)]
                total += Fraction(sum(levels), height * self.n)
        return float(total / len(self.columns))

    def _covered(self, record: tuple[str, ...] | None) -> list[list[str]]:
        if record is None:
            return [[row[0] for row in column.rows] for column in self.columns]
        return [column.leaves(label) for column, label in zip(self.columns, record, strict=True)]

    def ambiguity(self) -> float:
        total = sum(math.prod(map(len, self._covered(record))) for record in self.released)
        return float(Fraction(total, self.n))

    def kl_divergence(self) -> float:
        divergence = 0.0
        for values, count in Counter(self.raw).items():
            mass = Fraction(0)
            for record in self.released:
                box = self._covered(record)
                if all(value in leaves for value, leaves in zip(values, box, strict=True)):
                    mass += Fraction(1, self.n * math.prod(map(len, box)))
            divergence += count / self.n * math.log2(Fraction(count, self.n) / mass)
        return max(divergence, 0.0)

    def non_uniform_entropy(self) -> float:
        """In stages: whoever is not yet at the label released goes on to the next level that occurs."""
        bits = 0.0
        for q, column in enumerate(self.columns):
            path = {row[0]: row for row in column.rows}
            top = len(column.rows[0])  # one above all, for suppressed records
            goals = [top if c is None else column.level(c) for c in self._cells(q)]
            going, at = list(range(self.n)), 0

            def label(i: int, level: int, q: int = q, path: dict[str, tuple[str, ...]] = path) -> str:
                row = path[self.raw[i][q]]
                return row[level] if level < len(row) else STAR

            for level in sorted(set(goals)):
                here = Counter(label(i, at) for i in going)
                there = Counter(label(i, level) for i in going)
                bits += sum(math.log2(there[label(i, level)] / here[label(i, at)]) for i in going)
                going, at = [i for i in going if goals[i] > level], level
        return bits
