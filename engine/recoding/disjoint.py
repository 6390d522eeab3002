"""Disjoint cells: the domain is divided from the top, so that no class covers what another one covers."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from engine.hierarchies.remainders import covered_leaves, remainder_text
from engine.kernels.arrays import BoolArray, IntArray
from engine.kernels.grouping import class_labels
from engine.monitor import Monitor
from engine.params import Flag, param
from engine.privacy import Requirement
from engine.privacy.limit import allowed_losses, limits_persons
from engine.privacy.repetition import repeats
from engine.recoding.allowed_labels import LabelCosts
from engine.recoding.base import Recoding, RecodingMethod, RecodingTask, recoding_methods
from engine.recoding.distinct import DistinctRecords
from engine.recoding.requirement_check import highest_node, records_of, strictest_needed
from engine.words import N_, _, lazy


@recoding_methods.register("disjoint")
@dataclass(frozen=True, slots=True)
class Disjoint(RecodingMethod):
    """Divide cells by the labels one level below, the split that gains most detail per bit first.

    It begins with the cells of the highest levels allowed. A split divides a cell by one column: into the
    labels one level below its own. It is possible if all children with records meet the requirement, or if
    those that do not are suppressed within the limit and lose less detail than the others gain. Bits are the
    entropy of the records over the children: a division into many parts leaves little to divide. With
    remainders, children that meet the requirement are also split off alone: the others, and the smallest of
    those that meet it until they do together, stay one cell whose label is that of the cell without the
    labels split off, and which the column no longer divides. Labels are
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

    remainders: bool = param(
        False,
        Flag(
            label=N_("Keep what is left of a group"),
            help=N_(
                "Splits off the parts of a group that meet the requirement. What is left has a label such as "
                "20-39 without 25-29. This keeps more detail, but other programs that read hierarchies do "
                "not know such labels."
            ),
        ),
    )

    @classmethod
    def tried(cls) -> tuple[Self, ...]:
        return cls(), cls(remainders=True)

    @property
    def full_title(self) -> str:
        return _("Disjoint cells with remainders") if self.remainders else self.title

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        records = records_of(task)
        costs = LabelCosts(task.problem, task.weights)
        problem, requirement = task.problem, task.requirement
        is_by_record = not limits_persons(problem, requirement) and not repeats(problem, requirement)
        allowed = allowed_losses(problem, requirement) if is_by_record else 0

        def recode(requirement: Requirement) -> Recoding:
            found = _Division(self, records, requirement, costs, allowed, monitor).recoding()
            if not allowed or not found.suppressed.any():
                return found
            # Suppressing is a choice of each split, and may cost more in the end than suppressing nothing.
            other = _Division(self, records, requirement, costs, 0, monitor).recoding()
            return min(found, other, key=lambda one: _cost(task, records, one))

        return strictest_needed(task, recode, highest_node(records, requirement))


def _cost(task: RecodingTask, records: DistinctRecords, recoding: Recoding) -> float:
    costs = LabelCosts(recoding.labelled(task.problem), task.weights)
    by_column = costs.by_column(recoding.levels, records.leaves[records.row_of])
    return float(np.where(recoding.suppressed, 1.0, by_column.sum(axis=1)).sum())


class _Cell(NamedTuple):
    """Rows of a cell and its level by column."""

    rows: IntArray
    levels: tuple[int, ...]


class _Parts(NamedTuple):
    """Parts of a cell by the labels of a column: that of each row, levels, and which meet the requirement."""

    part: IntArray
    levels: tuple[int, ...]
    met: BoolArray
    sizes: IntArray


class _Split(NamedTuple):
    """A possible split of a cell; sorted by the detail gained per bit of the division, the largest first."""

    loss: float
    cell: int
    column: int
    n_failing: int
    keeps_rest: bool  # what is not split off stays a cell


class _Division:
    """One run: the cells so far, and the splits that may still be possible."""

    def __init__(
        self,
        method: Disjoint,
        records: DistinctRecords,
        requirement: Requirement,
        costs: LabelCosts,
        allowed: int,
        monitor: Monitor,
    ) -> None:
        self._records, self._requirement, self._costs = records, requirement, costs
        self._by_size, self._least = records.are_sizes_enough(requirement), requirement.k or 1
        self._left, self._monitor, self._keeps_rest = allowed, monitor, method.remainders
        self._cells: dict[int, _Cell] = {}
        self._found: dict[int, dict[int, tuple[_Parts, BoolArray | None]]] = {}  # by cell and column
        self._suppressed = np.zeros(records.n_rows, dtype=np.bool_)
        self._heap: list[_Split] = []
        self._n_made = 0
        # Cost by label of what is left of a group; its place is the level beyond the top one.
        self._rests = [dict[str, float]() for _unused in records.problem.attributes]

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
        texts = tuple(tuple(own) for own in self._rests)
        return Recoding(levels[records.row_of], self._suppressed[records.row_of], remainders=texts)

    def _suppress(self, rows: IntArray) -> None:
        self._suppressed[rows] = True
        self._left -= int(self._records.counts[rows].sum())

    def _divide(self, split: _Split) -> None:
        cell, q = self._cells[split.cell], split.column
        parts, stays = self._found[split.cell][q]
        divided, others = parts.met, list[_Cell]()
        if split.keeps_rest:
            assert stays is not None, "the split was possible"
            level = self._level_of_rest(cell, q, parts, stays)
            if level is None:
                return
            others = [_Cell(cell.rows[stays[parts.part]], (*cell.levels[:q], level, *cell.levels[q + 1 :]))]
            divided = ~stays
        else:
            self._suppress(cell.rows[~divided[parts.part]])
        del self._cells[split.cell], self._found[split.cell]
        new = [_Cell(cell.rows[parts.part == i], parts.levels) for i in np.flatnonzero(divided).tolist()]
        self._add(new + others)

    def _parts(self, cell: _Cell, q: int) -> _Parts:
        """Return the parts of a cell by a column."""
        rows, levels, attribute = cell.rows, cell.levels, self._records.problem.attributes[q]
        below = min(levels[q] - 1, attribute.maximum)  # a hidden cell may be far above
        level = attribute.hierarchy.levels[below]
        part = class_labels([level.codes[self._records.leaves[rows, q]]], [len(level.labels)])[0]
        if self._by_size:
            sizes = np.bincount(part, weights=self._records.counts[rows]).astype(np.int64)
            met = sizes >= self._least
        else:
            classes = self._records.classes(part, rows)
            met, sizes = self._requirement.fulfilled(classes), classes.records
        return _Parts(part, (*levels[:q], below, *levels[q + 1 :]), met, sizes)

    def _staying(self, rows: IntArray, parts: _Parts) -> BoolArray | None:
        """Return the parts that fail with the smallest others until they meet it; None if all would stay."""
        if not parts.met.any():
            return None
        stays, smallest = ~parts.met, np.argsort(parts.sizes, kind="stable")
        for i in (None, *smallest[parts.met[smallest]][:-1].tolist()):
            if i is not None:
                stays[i] = True
            if self._by_size:
                is_met = bool(parts.sizes[stays].sum() >= self._least)
            else:
                own = rows[stays[parts.part]]
                one = np.zeros(len(own), dtype=np.int64)
                is_met = bool(self._requirement.fulfilled(self._records.classes(one, own))[0])
            if is_met:
                return stays
        return None

    def _rest(self, cell: _Cell, q: int, parts: _Parts, stays: BoolArray) -> tuple[BoolArray, str, list[str]]:
        """Return the leaves left in the label of a cell, this label, and the labels split off."""
        hierarchy, leaves = self._records.problem.attributes[q].hierarchy, self._records.leaves[cell.rows, q]
        group, below = hierarchy.levels[cell.levels[q]], hierarchy.levels[parts.levels[q]]
        gone = np.unique(below.codes[leaves[~stays[parts.part]]])
        code = group.codes[leaves[0]]
        left = (group.codes == code) & ~np.isin(below.codes, gone)
        return left, group.labels[code], [below.labels[i] for i in gone.tolist()]

    def _level_of_rest(self, cell: _Cell, q: int, parts: _Parts, stays: BoolArray) -> int | None:
        """Return the level of what is left of a label; None if no text names it."""
        hierarchy, known = self._records.problem.attributes[q].hierarchy, self._rests[q]
        left, group, gone = self._rest(cell, q, parts, stays)
        text = remainder_text(group, gone)
        if text not in known:
            found = covered_leaves(hierarchy, text)
            if found is None or not np.array_equal(found[1], left):
                return None
            known[text] = self._cost_of_rest(q, left)
        return hierarchy.height + 1 + list(known).index(text)

    def _cost_of_rest(self, q: int, left: BoolArray) -> float:
        return float(self._costs.weights[q] * (np.count_nonzero(left) - 1) / max(len(left) - 1, 1))

    def _cost(self, q: int, level: int, leaf: int) -> float:
        table = self._costs.tables[q]
        return (
            float(table[level, leaf])
            if level < len(table)
            else [*self._rests[q].values()][level - len(table)]
        )

    def _add(self, cells: Sequence[_Cell]) -> None:
        """Add cells with the splits that are possible."""
        n_records = len(self._records.row_of)
        for cell in cells:
            number = self._n_made = self._n_made + 1
            self._cells[number], self._found[number] = cell, {}
            self._monitor.step(min(number, n_records), n_records + 1, _("Splitting the table into parts"))
            for q, attribute in enumerate(self._records.problem.attributes):
                if attribute.minimum < cell.levels[q] <= attribute.hierarchy.height:
                    self._propose(number, cell, q)

    def _propose(self, number: int, cell: _Cell, q: int) -> None:
        """Add the splits of a cell by a column that are possible and keep more detail than they lose."""
        parts, table = self._parts(cell, q), self._costs.tables[q]
        leaves, counts = self._records.leaves[cell.rows], self._records.counts[cell.rows]
        before, after = table[cell.levels[q], leaves[:, q]], table[parts.levels[q], leaves[:, q]]
        n_failing = int(parts.sizes[~parts.met].sum())

        def push(gain: float, sizes: IntArray, keeps_rest: bool) -> None:
            shares = sizes / sizes.sum()
            bits = -float(shares @ np.log2(shares))
            loss, n_lost = -gain / bits if bits else -np.inf, 0 if keeps_rest else n_failing
            heapq.heappush(self._heap, _Split(loss, number, q, n_lost, keeps_rest))

        stays = self._staying(cell.rows, parts) if self._keeps_rest and n_failing else None
        if stays is not None or n_failing <= self._left:
            self._found[number][q] = parts, stays
        if stays is not None:
            cost = self._cost_of_rest(q, self._rest(cell, q, parts, stays)[0])
            gain = float((before - np.where(stays[parts.part], cost, after)) @ counts)
            push(gain, np.append(parts.sizes[~stays], parts.sizes[stays].sum()), True)
        if n_failing > self._left:
            return
        gain = float((before - after) @ (counts * parts.met[parts.part]))
        if n_failing:
            whole = sum(
                self._cost(j, level, leaf)
                for j, (level, leaf) in enumerate(zip(cell.levels, leaves[0], strict=True))
            )
            gain -= n_failing * (1 - whole)
        if gain > 0 or not n_failing:
            push(gain, parts.sizes, False)
