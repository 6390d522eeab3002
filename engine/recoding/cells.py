"""Cell suppression: of records that would be suppressed as a whole only some cells are hidden [1]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import ClassVar

import numpy as np

from engine.errors import InputError
from engine.kernels.arrays import BoolArray, Codes, FloatArray, IntArray
from engine.kernels.grouping import class_labels
from engine.monitor import Monitor
from engine.params import Integer, param
from engine.privacy import Requirement
from engine.recoding.allowed_labels import LabelCosts
from engine.recoding.base import Recoding, RecodingMethod, RecodingTask, recoding_methods
from engine.recoding.distinct import DistinctRecords
from engine.recoding.local import released_texts
from engine.recoding.requirement_check import strictest_needed
from engine.words import N_, _, lazy

ROUNDING = 12  # decimals of costs; equal ones are told apart by their columns


@recoding_methods.register("cells")
@dataclass(frozen=True, slots=True)
class Cells(RecodingMethod):
    """Hide as few cells of the suppressed records as make them safe, and change no others.

    Sets of columns are tried in the order of the cost of hiding them, by weight and by how precise their
    labels are. With the cells of a set hidden, suppressed records that are alike in the others are released
    where they meet the requirement; the others wait for the next set. If there are more sets than may be
    tried, columns are at last hidden one after the other, always the one that makes most records alike.

    References
    ----------
    .. [1] Meyerson, Williams (2004). On the Complexity of Optimal K-Anonymity. PODS. There single cells of
       original values are hidden; here cells of values generalized by a node.
    """

    title: ClassVar[str] = lazy("Cell suppression")
    summary: ClassVar[str] = lazy(
        "Recovers suppressed records by hiding as few of their cells as the requirement allows. "
        "Other records do not change."
    )
    weakness: ClassVar[str] = lazy(
        "An attacker who knows the method learns that a record with hidden cells has a rare "
        "combination of values: with fewer hidden cells it would be unique or in a class too small."
    )
    needs_start: ClassVar[bool] = True
    source: ClassVar[str] = lazy("Meyerson and Williams 2004")

    combinations: int = param(
        4096,
        Integer(
            minimum=1,
            maximum=1_000_000,
            label=N_("Column sets to try"),
            help=N_(
                "The sets with the lowest loss first; 12 columns have 4096 sets. More sets take "
                "longer and hide fewer cells."
            ),
            usual=(512, 4096, 65_536),
        ),
    )

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        start = task.start
        if start is None:
            raise InputError(
                _("Cell suppression recovers suppressed records of a release, and none is given."),
                hint=_("Apply a node first."),
            )
        records = DistinctRecords(task.problem)
        costs = LabelCosts(task.problem, task.weights)

        def recode(requirement: Requirement) -> Recoding:
            return _Hiding(task, start, records, requirement, monitor).done(self.combinations, costs)

        return strictest_needed(task, recode, start)


class _Hiding:
    """One run: which suppressed records are back, and which of their cells are hidden."""

    def __init__(
        self,
        task: RecodingTask,
        start: Recoding,
        records: DistinctRecords,
        requirement: Requirement,
        monitor: Monitor,
    ) -> None:
        self._problem, self._start, self._monitor = task.problem, start, monitor
        self._records, self._requirement = records, requirement
        self._left: IntArray = np.flatnonzero(start.suppressed)
        self._levels = start.levels.copy()
        self._roots = np.array([a.hierarchy.height for a in self._problem.attributes])
        self._texts: list[Codes] = released_texts(self._problem, start)
        self._hidden = [int(a.hierarchy.text_codes[-1, 0]) for a in self._problem.attributes]

    def done(self, most: int, costs: LabelCosts) -> Recoding:
        """Try sets of columns until all records are back or there are no more sets."""
        left = self._left
        leaves = np.column_stack([attribute.leaves[left] for attribute in self._problem.attributes])
        roots = np.broadcast_to(self._roots, leaves.shape)
        by_column = costs.by_column(roots, leaves) - costs.by_column(self._levels[left], leaves)
        shown = [q for q, hidden in enumerate(self._hidden) if (self._texts[q][left] != hidden).any()]
        prices = np.round(by_column.sum(axis=0), ROUNDING)
        n_sets = min(2 ** len(shown), most)
        for number, columns in enumerate(cheapest_sets(prices, shown)):
            if number == most or not len(self._left):
                break
            self._monitor.step(number, n_sets, _("Hiding cells of suppressed records"))
            self._release(columns)
        self._hide_one_by_one(shown)
        suppressed = np.zeros(self._problem.n_records, dtype=np.bool_)
        suppressed[self._left] = True
        return Recoding(self._levels, suppressed)

    def _hide_one_by_one(self, shown: list[int]) -> None:
        """Hide column after column in the remaining records, the one that leaves fewest classes first."""
        hidden: list[int] = []
        while len(self._left) and len(hidden) < len(shown):
            others = [q for q in shown if q not in hidden]
            n_classes = []
            for q in others:
                self._monitor.step(len(hidden), len(shown), _("Hiding cells of suppressed records"))
                n_classes.append(int(self._classes([*hidden, q]).max()))
            hidden.append(others[int(np.argmin(n_classes))])
            self._release(hidden)

    def _release(self, columns: list[int]) -> None:
        """Bring back the records that are safe with the cells of some columns hidden."""
        classes = self._classes(columns)
        rows = self._records.row_of[self._left]
        ones = np.ones(len(rows), dtype=np.int64)
        is_safe: BoolArray = self._requirement.fulfilled(self._records.classes(classes, rows, ones))[classes]
        if is_safe.any():
            back = self._left[is_safe]
            for q in columns:
                self._levels[back, q] = self._roots[q]
            self._left = self._left[~is_safe]

    def _classes(self, columns: list[int]) -> IntArray:
        """Class of each record left, with the cells of some columns hidden."""
        shown = [q for q in range(len(self._hidden)) if q not in columns]
        if not shown:
            return np.zeros(len(self._left), dtype=np.int64)
        spans = [len(self._problem.attributes[q].hierarchy.texts) for q in shown]
        return class_labels([self._texts[q][self._left] for q in shown], spans)[0]


def cheapest_sets(prices: FloatArray, columns: list[int]) -> Iterator[list[int]]:
    """All sets of some columns but the empty one, in the order of their total price.

    Parameters
    ----------
    prices : ndarray of float64, shape (n_qi,)
        Of every column, none negative.
    columns : list of int
        Those to choose from.
    """
    order = sorted(columns, key=lambda q: (prices[q], q))
    if not order:
        return
    # Every set comes from exactly one other: by its last column moved on, or by the next one added.
    waiting: list[tuple[float, tuple[int, ...]]] = [(float(prices[order[0]]), (0,))]
    while waiting:
        price, places = heappop(waiting)
        yield sorted(order[place] for place in places)
        following = places[-1] + 1
        if following < len(order):
            step = float(prices[order[following]])
            heappush(waiting, (price + step, (*places, following)))
            moved = price + step - float(prices[order[places[-1]]])
            heappush(waiting, (moved, (*places[:-1], following)))
