"""Mondrian: the table is cut into ever smaller parts, as long as every part meets the requirement [1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.kernels.arrays import BoolArray, FloatArray, IntArray
from engine.kernels.covering import NO_GROUP
from engine.kernels.grouping import class_labels, first_rows
from engine.monitor import Monitor
from engine.params import Choice, param
from engine.privacy import Requirement
from engine.recoding.allowed_labels import LabelCosts
from engine.recoding.base import Recoding, RecodingMethod, RecodingTask, recoding_methods
from engine.recoding.distinct import DistinctRecords, common_levels, grouped_recoding, renumbered
from engine.recoding.requirement_check import highest_node, records_of, strictest_needed
from engine.words import N_, _, lazy


@recoding_methods.register("mondrian")
@dataclass(frozen=True, slots=True)
class Mondrian(RecodingMethod):
    """Split parts of the table, the column of the widest labels first, by the children of their label.

    It begins with the classes of the highest levels allowed. A part is split by one column: its records go
    apart by the labels one level below the one they have in common. If a column cannot be split, the
    next one is tried; a part that no column splits is a class, each column on the lowest level that its
    records have in common. Numbers are split by their hierarchy like all else, since only its labels can
    be released.

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan (2006). Mondrian Multidimensional K-Anonymity. ICDE.
    """

    title: ClassVar[str] = lazy("Mondrian")
    summary: ClassVar[str] = lazy(
        "Splits the table into smaller and smaller parts, by one column at a time, as long as "
        "every part is safe; fast, also on large tables."
    )
    weakness: ClassVar[str] = lazy(
        "A part is split whenever its pieces are safe; a general label suggests that the values "
        "it covers were too rare, or their sensitive values too similar, to separate them."
    )
    source: ClassVar[str] = lazy("LeFevre, DeWitt and Ramakrishnan 2006")

    cut: str = param(
        "relaxed",
        Choice(
            label=N_("Pieces that are too small"),
            help=N_("Treatment of pieces that do not meet the requirement by themselves."),
            options=(
                ("relaxed", N_("Stay together with their common label; the others are split off")),
                ("strict", N_("Prevent the split")),
            ),
        ),
    )
    first: str = param(
        "width",
        Choice(
            label=N_("Column to split first"),
            help=N_("Column by which a part is split if several are possible."),
            options=(
                ("width", N_("The one with the widest label, as in the paper")),
                ("gain", N_("The one that makes the labels most precise")),
            ),
        ),
    )

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        records = records_of(task)
        costs = LabelCosts(task.problem, task.weights)

        def recode(requirement: Requirement) -> Recoding:
            labels = _Partition(records, requirement, costs, self, monitor).labels()
            return grouped_recoding(records, labels)

        return strictest_needed(task, recode, highest_node(records, task.requirement))


class _Partition:
    """One run: the parts that may still be cut, and the classes found."""

    def __init__(
        self,
        records: DistinctRecords,
        requirement: Requirement,
        costs: LabelCosts,
        method: Mondrian,
        monitor: Monitor,
    ) -> None:
        self._records, self._requirement, self._costs = records, requirement, costs
        self._is_strict, self._by_gain = method.cut == "strict", method.first == "gain"
        self._monitor = monitor
        self._n_found = 0
        self._n_done = 0

    def labels(self) -> IntArray:
        """Class of every row, -1 where the requirement is missed whatever is cut."""
        records = self._records
        found = np.full(records.n_rows, NO_GROUP, dtype=np.int64)
        parts, _unused = records.top_classes()
        is_safe = self._requirement.fulfilled(records.classes(parts))
        rows = np.flatnonzero(is_safe[parts])
        parts = parts[rows]
        while len(rows):
            parts, n_parts = renumbered(parts)
            pieces, is_split = self._cut(rows, parts, n_parts)
            whole = ~is_split[parts]
            found[rows[whole]] = self._n_found + parts[whole]
            self._n_found += n_parts
            self._n_done += int(records.counts[rows[whole]].sum())
            rows, parts = rows[~whole], pieces[~whole]
        return found

    def _cut(self, rows: IntArray, parts: IntArray, n_parts: int) -> tuple[IntArray, BoolArray]:
        """Cut every part by one column; the piece of each row, and which parts were cut."""
        records, problem = self._records, self._records.problem
        levels = common_levels(problem, records.leaves[rows], parts, n_parts).astype(np.int64)
        first = rows[first_rows(parts, n_parts)]
        widths = self._costs.by_column(levels, records.leaves[first])
        may_cut = levels > np.array(problem.lattice.minimum)
        pieces = parts.copy()
        is_split = np.zeros(n_parts, dtype=np.bool_)
        if self._by_gain:
            best = np.full(n_parts, -1.0)
            for q in range(len(problem.attributes)):
                new, gain = self._cut_by(q, rows, parts, levels, may_cut[:, q])
                better = gain > best
                best[better] = gain[better]
                is_split |= better
                pieces = np.where(better[parts], new, pieces)
            return self._apart(parts, pieces), is_split
        order = np.argsort(-widths, axis=1, kind="stable")
        for place in range(order.shape[1]):
            for q in np.unique(order[~is_split, place]).tolist():
                tried = ~is_split & (order[:, place] == q) & may_cut[:, q]
                new, gain = self._cut_by(q, rows, parts, levels, tried)
                done = gain >= 0
                is_split |= done
                pieces = np.where(done[parts], new, pieces)
        return self._apart(parts, pieces), is_split

    @staticmethod
    def _apart(parts: IntArray, pieces: IntArray) -> IntArray:
        """Return numbers that distinguish pieces of different parts."""
        return class_labels([parts, pieces], [int(parts.max()) + 1, int(pieces.max()) + 1])[0]

    def _cut_by(
        self, q: int, rows: IntArray, parts: IntArray, levels: IntArray, wanted: BoolArray
    ) -> tuple[IntArray, FloatArray]:
        """Cut some parts by one column.

        Returns
        -------
        pieces : ndarray of int64, shape (n_rows,)
            Piece of each row within its part.
        gain : ndarray of float64, shape (n_parts,)
            How much cheaper the labels of the column become, summed over records; -1 where not cut.
        """
        records, table = self._records, self._costs.tables[q]
        n_records = int(records.counts.sum())
        self._monitor.step(self._n_done, n_records, _("Splitting the table into parts"))
        pieces = np.zeros(len(rows), dtype=np.int64)
        gain = np.full(len(wanted), -1.0)
        here = np.flatnonzero(wanted[parts])
        if not len(here):
            return pieces, gain
        hierarchy = records.problem.attributes[q].hierarchy
        leaves = records.leaves[rows[here], q]
        above = levels[parts[here], q]
        below = np.minimum(above - 1, records.problem.attributes[q].maximum)  # a hidden cell may be far above
        codes = np.array([level.codes for level in hierarchy.levels], dtype=np.int64)[below, leaves]
        children, first, _unused = class_labels(
            [parts[here], codes], [len(wanted), max(len(level.labels) for level in hierarchy.levels)]
        )
        owner = parts[here][first]
        classes = records.classes(children, rows[here])
        is_own = self._requirement.fulfilled(classes)
        saved = (table[above, leaves] - table[below, leaves])[first] * classes.records
        cut, is_own = self._remainders(rows[here], children, owner, classes.sizes, is_own, len(wanted))
        np.maximum(gain, 0.0, out=gain, where=cut)
        gain += np.bincount(owner, weights=np.where(is_own & cut[owner], saved, 0.0), minlength=len(gain))
        # Children that are no piece of their own make one together, number 0.
        pieces[here] = np.where(is_own, np.arange(1, len(owner) + 1), 0)[children]
        return pieces, gain

    def _remainders(
        self,
        rows: IntArray,
        children: IntArray,
        owner: IntArray,
        sizes: IntArray,
        is_own: BoolArray,
        n_parts: int,
    ) -> tuple[BoolArray, BoolArray]:
        """Make the rest of every part safe, by the smallest of its safe children if needed.

        Returns
        -------
        cut : ndarray of bool, shape (n_parts,)
            Parts of which at least two pieces came.
        is_own : ndarray of bool, shape (n_children,)
            Children that are a piece of their own.
        """
        is_own = is_own.copy()
        undecided = np.zeros(n_parts, dtype=np.bool_)
        undecided[owner[~is_own]] = True
        failed = undecided.copy() if self._is_strict else np.zeros(n_parts, dtype=np.bool_)
        undecided &= ~failed
        by_size = np.lexsort((sizes, owner))
        while undecided.any():
            here = np.flatnonzero((~is_own & undecided[owner])[children])
            remainders, n_remainders = renumbered(owner[children[here]])
            which = np.flatnonzero(undecided)
            assert len(which) == n_remainders
            is_safe = self._requirement.fulfilled(self._records.classes(remainders, rows[here]))
            undecided[which[is_safe]] = False
            spare = by_size[(is_own & undecided[owner])[by_size]]
            helped, first = np.unique(owner[spare], return_index=True)
            is_own[spare[first]] = False
            gone = undecided.copy()
            gone[helped] = False
            failed |= gone
            undecided &= ~gone
        n_own = np.bincount(owner[is_own], minlength=n_parts)
        has_rest = np.bincount(owner[~is_own], minlength=n_parts) > 0
        return ~failed & (n_own + has_rest >= 2), is_own
