"""Placement of leftover records: each joins the group of records that it adds the least cost to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.kernels.arrays import BoolArray, Codes, Counts, FloatArray, IntArray
from engine.kernels.covering import NO_GROUP
from engine.kernels.grouping import class_labels, first_rows
from engine.monitor import Monitor
from engine.privacy import Requirement
from engine.privacy.limit import allowed_losses
from engine.recoding.allowed_labels import LabelCosts
from engine.recoding.distinct import DistinctRecords, Shares, common_levels
from engine.words import _

HIDDEN = 1.0  # what a record costs whose cells are all hidden
TRIED = 24  # groups that are tried one by one before several are joined


class LeftoverPlacement:
    """Groups of rows that meet a requirement, and accept leftover records while they still meet it.

    Parameters
    ----------
    found : Shares
        The groups so far, numbered without gaps.
    """

    def __init__(
        self,
        records: DistinctRecords,
        requirement: Requirement,
        costs: LabelCosts,
        found: Shares,
        monitor: Monitor,
    ) -> None:
        self._records, self._requirement, self._costs, self._monitor = records, requirement, costs, monitor
        self.found = found
        rows, labels = found.rows, found.groups
        self._by_size = records.are_sizes_enough(requirement)
        self._least = requirement.k or 1
        self._top = records.top_classes()[0]
        n_groups = int(labels.max()) + 1 if len(labels) else 0
        self._levels = common_levels(records.problem, records.leaves[rows], labels, n_groups).astype(np.int64)
        first = rows[first_rows(labels, n_groups)] if n_groups else rows[:0]
        self._leaves: Codes = records.leaves[first]
        self._tops = self._top[first]
        self._sizes = np.bincount(labels, weights=found.counts, minlength=n_groups).astype(np.int64)

    def settle(self, rows: IntArray, counts: Counts, most_cost: float = np.inf) -> tuple[IntArray, Counts]:
        """Place the records of some rows in groups; records with the same original values stay together.

        Parameters
        ----------
        rows, counts : ndarray of int64, shape (n_left,)
        most_cost : float
            Largest cost per placed record, the additional cost of its group included; 1 is the cost of a
            record with every cell hidden. Groups are joined only if the cost is unlimited.

        Returns
        -------
        rows, counts : ndarray of int64
            Rows and records that were not placed.
        """
        if not len(rows):
            return rows, counts
        leaves = self._records.leaves[rows]
        spans = [attribute.hierarchy.n_leaves for attribute in self._records.problem.attributes]
        guests, _unused, _unused = class_labels(list(leaves.T), spans)
        together = np.split(np.argsort(guests, kind="stable"), np.cumsum(np.bincount(guests))[:-1])
        unplaced: list[IntArray] = []
        for number, chosen in enumerate(together):
            self._monitor.step(number, len(together), _("Placing remaining records"))
            if not self._take_in(rows[chosen], counts[chosen], most_cost):
                unplaced.append(chosen)
        left = np.concatenate(unplaced) if unplaced else np.zeros(0, dtype=np.int64)
        return rows[left], counts[left]

    def _take_in(self, rows: IntArray, counts: Counts, most_cost: float) -> bool:
        n_guests = int(counts.sum())
        costs, levels = self._increases(rows[0], n_guests)
        open_to = np.flatnonzero(np.isfinite(costs) & (costs <= most_cost * n_guests))
        order = open_to[np.argsort(costs[open_to], kind="stable")]
        for some in (order[:1], order[1:TRIED]):  # mostly the first one will do
            is_safe = self._are_safe(some, rows, counts)
            if is_safe.any():
                host = int(some[np.argmax(is_safe)])
                self._join([host], rows, counts, levels[host])
                return True
        n_hosts = 1 if np.isinf(most_cost) else len(order)
        while n_hosts < len(order):
            n_hosts = min(2 * n_hosts, len(order))
            hosts = order[:n_hosts].tolist()
            if self._would_be_safe(hosts, rows, counts):
                self._join(hosts, rows, counts, None)
                return True
        return False

    def _increases(self, row: int, n_guests: int) -> tuple[FloatArray, IntArray]:
        """Return the additional cost of each group with some more records.

        inf if joining would need hidden cells that are not allowed, or if the group was merged into another.
        """
        problem, leaves = self._records.problem, self._records.leaves[row]
        levels = self._levels.copy()
        before, after = np.zeros(len(levels)), np.zeros(len(levels))
        for q, (attribute, table) in enumerate(zip(problem.attributes, self._costs.tables, strict=True)):
            own = self._leaves[:, q]
            before += table[levels[:, q], own]
            for number in range(attribute.minimum, attribute.maximum + 1):
                codes = attribute.hierarchy.levels[number].codes
                differs = (levels[:, q] == number) & (codes[own] != codes[leaves[q]])
                levels[differs, q] = number + 1 if number < attribute.maximum else attribute.hierarchy.height
            after += table[levels[:, q], own]
        costs = self._sizes * (after - before) + n_guests * after
        costs[(self._tops != self._top[row]) | (self._sizes == 0)] = np.inf
        return costs, levels

    def _are_safe(self, hosts: IntArray, rows: IntArray, counts: Counts) -> BoolArray:
        """Return for each of some groups whether it would meet the requirement with the rows in it."""
        if self._by_size or not len(hosts):
            return np.asarray(self._sizes[hosts] + counts.sum() >= self._least)
        places = np.full(len(self._sizes), -1)
        places[hosts] = np.arange(len(hosts))
        own = places[self.found.groups]
        here = np.flatnonzero(own >= 0)
        classes = self._records.classes(
            np.concatenate((own[here], np.repeat(np.arange(len(hosts)), len(rows)))),
            np.concatenate((self.found.rows[here], np.tile(rows, len(hosts)))),
            np.concatenate((self.found.counts[here], np.tile(counts, len(hosts)))),
        )
        return np.asarray(self._requirement.fulfilled(classes))

    def _would_be_safe(self, hosts: list[int], rows: IntArray, counts: Counts) -> bool:
        if self._by_size:
            return int(self._sizes[hosts].sum() + counts.sum()) >= self._least
        here = self._members(hosts)
        rows_now = np.concatenate((self.found.rows[here], rows))
        theirs = np.concatenate((self.found.counts[here], counts))
        classes = self._records.classes(np.zeros(len(rows_now), dtype=np.int64), rows_now, theirs)
        return bool(self._requirement.fulfilled(classes)[0])

    def _members(self, hosts: list[int]) -> BoolArray:
        if len(hosts) == 1:
            return np.asarray(self.found.groups == hosts[0])
        return np.asarray(np.isin(self.found.groups, hosts), dtype=np.bool_)

    def _join(self, hosts: list[int], rows: IntArray, counts: Counts, levels: IntArray | None) -> None:
        home = hosts[0]
        if len(hosts) > 1:
            groups = np.where(self._members(hosts), home, self.found.groups)
            self.found = replace(self.found, groups=groups)
            self._sizes[home] = self._sizes[hosts].sum()
            self._sizes[hosts[1:]] = 0
        self.found = self.found.joined_by(rows, np.full(len(rows), home), counts)
        self._sizes[home] += counts.sum()
        if levels is None:
            leaves = self._records.leaves[self.found.rows[self._members([home])]]
            one_group = np.zeros(len(leaves), dtype=np.int64)
            levels = common_levels(self._records.problem, leaves, one_group, 1)[0].astype(np.int64)
        self._levels[home] = levels


def housed(
    records: DistinctRecords, requirement: Requirement, costs: LabelCosts, groups: IntArray, monitor: Monitor
) -> Shares:
    """The groups with the rows left over in them, but those that are better suppressed.

    Parameters
    ----------
    groups : ndarray of int64, shape (n_rows,)
        Group of every row, in any numbers; -1 for none.
    """
    rows, left = np.flatnonzero(groups != NO_GROUP), np.flatnonzero(groups == NO_GROUP)
    _, labels = np.unique(groups[rows], return_inverse=True)
    found = Shares(rows, labels, records.counts[rows])
    if not len(left) or not len(rows):
        return found
    placement = LeftoverPlacement(records, requirement, costs, found, monitor)
    left, counts = placement.settle(left, records.counts[left], most_cost=HIDDEN)
    if counts.sum() > allowed_losses(records.problem, requirement):
        placement.settle(left, counts)
    return placement.found
