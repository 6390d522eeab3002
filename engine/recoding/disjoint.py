"""Disjoint cells: the domain is divided from the top, so that no class covers what another one covers."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from engine.kernels.arrays import BoolArray, IntArray
from engine.kernels.grouping import class_labels
from engine.monitor import Monitor
from engine.privacy import Requirement
from engine.privacy.limit import allowed_losses, limits_persons
from engine.privacy.repetition import repeats
from engine.recoding.allowed_labels import LabelCosts
from engine.recoding.base import Recoding, RecodingMethod, RecodingTask, recoding_methods
from engine.recoding.distinct import DistinctRecords
from engine.recoding.requirement_check import highest_node, records_of, strictest_needed
from engine.words import _, lazy


@recoding_methods.register("disjoint")
@dataclass(frozen=True, slots=True)
class Disjoint(RecodingMethod):
    """Divide cells by the labels one level below, the split that gains most detail per bit first.

    It begins with the cells of the highest levels allowed. A split divides a cell by one column: into the
    labels one level below its own. It is possible if all children with records meet the requirement, or if
    those that do not are suppressed within the limit and lose less detail than the others gain. Bits are the
    entropy of the records over the children: a division into many parts leaves little to divide. Labels are
    never tightened to what the records of a cell have in common, so cells do not overlap, and who knows the
    method excludes no value of a label. It is the top-down specialization of Fung and others [1]_, cell by
    cell.

    References
    ----------
    .. [1] Fung, Wang, Yu (2005). Top-Down Specialization for Information and Privacy Preservation. ICDE.
    """

    title: ClassVar[str] = lazy("Disjoint cells")
    summary: ClassVar[str] = lazy(
        "Divides the table from the top into cells that never overlap, so that nobody who knows the method "
        "can exclude a value of a label."
    )
    weakness: ClassVar[str] = lazy(
        "That a cell was not divided tells that one of its parts does not meet the requirement, and no more."
    )
    source: ClassVar[str] = lazy("Fung, Wang and Yu 2005")

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        records = records_of(task)
        costs = LabelCosts(task.problem, task.weights)
        problem, requirement = task.problem, task.requirement
        is_by_record = not limits_persons(problem, requirement) and not repeats(problem, requirement)
        allowed = allowed_losses(problem, requirement) if is_by_record else 0

        def recode(requirement: Requirement) -> Recoding:
            found = _Division(records, requirement, costs, allowed, monitor).recoding()
            if not allowed or not found.suppressed.any():
                return found
            # Suppressing is a choice of each split, and may cost more in the end than suppressing nothing.
            other = _Division(records, requirement, costs, 0, monitor).recoding()
            return min(found, other, key=lambda one: _cost(records, costs, one))

        return strictest_needed(task, recode, highest_node(records, requirement))


def _cost(records: DistinctRecords, costs: LabelCosts, recoding: Recoding) -> float:
    by_column = costs.by_column(recoding.levels, records.leaves[records.row_of])
    return float(np.where(recoding.suppressed, 1.0, by_column.sum(axis=1)).sum())


class _Cell(NamedTuple):
    """Rows of a cell and its level by column."""

    rows: IntArray
    levels: tuple[int, ...]


class _Split(NamedTuple):
    """A possible split of a cell; sorted by the detail gained per bit of the division, the largest first."""

    loss: float
    cell: int
    column: int
    n_failing: int


class _Division:
    """One run: the cells so far, and the splits that may still be possible."""

    def __init__(
        self,
        records: DistinctRecords,
        requirement: Requirement,
        costs: LabelCosts,
        allowed: int,
        monitor: Monitor,
    ) -> None:
        self._records, self._requirement, self._costs = records, requirement, costs
        self._by_size, self._least = records.are_sizes_enough(requirement), requirement.k or 1
        self._left, self._monitor = allowed, monitor
        self._cells: dict[int, _Cell] = {}
        self._suppressed = np.zeros(records.n_rows, dtype=np.bool_)
        self._heap: list[_Split] = []
        self._n_made = 0

    def recoding(self) -> Recoding:
        """Divide as long as a split is possible; rows of cells that never meet the requirement stay out."""
        records = self._records
        attributes = records.problem.attributes
        top = [a.hierarchy.height if records.may_hide else a.maximum for a in attributes]
        labels, n_labels = records.top_classes()
        met = self._requirement.fulfilled(records.classes(labels))
        self._suppress(np.flatnonzero(~met[labels]))
        self._add([_Cell(np.flatnonzero(labels == i), tuple(top)) for i in range(n_labels) if met[i]])
        while self._heap:
            split = heapq.heappop(self._heap)
            if split.cell in self._cells and split.n_failing <= self._left:
                self._divide(split)
        levels = np.tile(np.array(top, dtype=np.int16), (records.n_rows, 1))
        for cell in self._cells.values():
            levels[cell.rows] = cell.levels
        return Recoding(levels[records.row_of], self._suppressed[records.row_of])

    def _suppress(self, rows: IntArray) -> None:
        self._suppressed[rows] = True
        self._left -= int(self._records.counts[rows].sum())

    def _divide(self, split: _Split) -> None:
        cell = self._cells.pop(split.cell)
        children, levels = self._children(cell.rows, cell.levels, split.column)
        met, _sizes = self._judged(cell.rows, children)
        self._suppress(cell.rows[~met[children]])
        self._add([_Cell(cell.rows[children == i], levels) for i in np.flatnonzero(met).tolist()])

    def _judged(self, rows: IntArray, children: IntArray) -> tuple[BoolArray, IntArray]:
        """Return which children meet the requirement, and the records of each."""
        if self._by_size:
            sizes = np.bincount(children, weights=self._records.counts[rows]).astype(np.int64)
            return sizes >= self._least, sizes
        classes = self._records.classes(children, rows)
        return self._requirement.fulfilled(classes), classes.records

    def _children(self, rows: IntArray, levels: tuple[int, ...], q: int) -> tuple[IntArray, tuple[int, ...]]:
        """Return the child of each row if a cell is split by a column, and the levels of the children."""
        attribute = self._records.problem.attributes[q]
        below = min(levels[q] - 1, attribute.maximum)  # a hidden cell may be far above
        level = attribute.hierarchy.levels[below]
        children = class_labels([level.codes[self._records.leaves[rows, q]]], [len(level.labels)])[0]
        return children, (*levels[:q], below, *levels[q + 1 :])

    def _add(self, cells: Sequence[_Cell]) -> None:
        """Add cells with the splits that are possible."""
        n_records = len(self._records.row_of)
        for cell in cells:
            number = self._n_made = self._n_made + 1
            self._cells[number] = cell
            self._monitor.step(min(number, n_records), n_records + 1, _("Splitting the table into parts"))
            for q, attribute in enumerate(self._records.problem.attributes):
                if cell.levels[q] > attribute.minimum:
                    self._propose(number, cell, q)

    def _propose(self, number: int, cell: _Cell, q: int) -> None:
        """Add the split of a cell by a column if it is possible and keeps more detail than it loses."""
        rows, records, table = cell.rows, self._records, self._costs.tables[q]
        children, levels = self._children(rows, cell.levels, q)
        met, sizes = self._judged(rows, children)
        n_failing = int(sizes[~met].sum())
        if n_failing > self._left:
            return
        leaves, is_kept = records.leaves[rows], met[children]
        saved = table[cell.levels[q], leaves[:, q]] - table[levels[q], leaves[:, q]]
        gain = float(saved @ (records.counts[rows] * is_kept))
        if n_failing:
            places = zip(self._costs.tables, cell.levels, leaves[0].tolist(), strict=True)
            gain -= n_failing * (1 - sum(own[level, leaf] for own, level, leaf in places))
            if gain <= 0:
                return
        shares = sizes / sizes.sum()
        bits = -float(shares @ np.log2(shares))
        heapq.heappush(self._heap, _Split(-gain / bits if bits else -np.inf, number, q, n_failing))
