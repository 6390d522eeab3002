"""Cheapest-first cover: every record is released on the cheapest node on which it is safe, node by node."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np

from engine.kernels.arrays import IntArray
from engine.kernels.covering import NOT_PLACED
from engine.monitor import Monitor, StretchMonitor
from engine.params import Flag, Integer, param
from engine.privacy import Requirement
from engine.privacy.limit import allowed_losses
from engine.recoding.base import Recoding, RecodingMethod, RecodingTask, recoding_methods
from engine.recoding.cover_walk import CoverWalk
from engine.recoding.distinct import DistinctRecords
from engine.recoding.group_refinement import SWEEPS, GroupRefinement
from engine.recoding.grouped import Shares, shared_recoding
from engine.recoding.improvement_steps import ImprovementSteps
from engine.recoding.label_costs import LabelCosts
from engine.recoding.leftover_placement import LeftoverPlacement
from engine.recoding.rebuilding import rebuilt
from engine.recoding.requirement_check import highest_node, records_of, strictest_needed
from engine.words import N_, lazy

HIDDEN = 1.0  # what a record costs whose cells are all hidden
# Shares of the time at which leftover records are placed, and at which improving begins.
PARTS_BY_SIZE, PARTS_BY_MODEL = (0.2, 0.21), (0.2, 0.25)


@recoding_methods.register("cover")
@dataclass(frozen=True, slots=True)
class CheapestFirstCover(RecodingMethod):
    """Walk the nodes from the cheapest to the dearest and release on each what is safe there.

    At every node only the records not released yet are grouped. A class that meets the requirement is
    released, and its records are done; the others continue with costlier nodes. What remains after the last
    node joins the classes that it costs least, or is suppressed where that costs no more and the limit allows
    it. What a node or a class costs is the mean share of its columns' values that its labels leave open.

    Improving looks at every class again, the dearest first: its records move to other classes, one by one or
    all of them, wherever all records together cost less then and every class still meets the requirement.
    Where classes need a size only, a few at a time are broken up and rebuilt after that, and records are
    exchanged by simulated annealing.

    Every class has the lowest labels its records share. In lattices of more than a million nodes those on
    random ways from the lowest node to the highest are walked.
    """

    title: ClassVar[str] = lazy("Cheapest-first cover")
    summary: ClassVar[str] = lazy(
        "Usually the most precise release. It goes from the most precise labels to the most "
        "general ones and releases every record at the first safe ones; seconds with k alone, "
        "longer with l or t."
    )
    weakness: ClassVar[str] = lazy(
        "A record has general labels because no more precise ones were safe for the records left "
        "at that time; an attacker who knows the order learns that it is not among those released "
        "before."
    )

    can_stop: ClassVar[bool] = True

    refine: bool = param(
        True,
        Flag(
            label=N_("Improve the classes"),
            help=N_("Moves records to other classes afterwards if that makes labels more precise."),
        ),
    )
    rounds: int = param(
        100,
        Integer(
            minimum=0,
            maximum=100_000,
            label=N_("Rebuild rounds"),
            help=N_(
                "How often classes are split and rebuilt if they only need a size. A hundred "
                "rounds take ten seconds for 30,000 records (hours without compiled kernels); "
                "more rounds give more precise labels."
            ),
            usual=(0, 100, 1000),
        ),
    )
    ways: int = param(
        1000,
        Integer(
            minimum=1,
            maximum=10_000,
            label=N_("Paths through large lattices"),
            help=N_(
                "Number of paths from the lowest to the highest node that are followed if a "
                "lattice has more than a million nodes."
            ),
        ),
    )

    steps: int | None = param(
        None,
        Integer(
            minimum=1,
            maximum=1_000_000_000,
            label=N_("Stop after steps"),
            help=N_(
                "Ends improving after this number of steps; empty: never. If you stop a try, this is the "
                "step at which you did, so that the recipe makes the same release."
            ),
        ),
    )

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        records = records_of(task)
        costs = share_costs(task)
        steps = ImprovementSteps(self.steps or 0, monitor)

        n_passes = 0  # models of the whole table may ask for more of them

        def recode(requirement: Requirement) -> Recoding:
            nonlocal n_passes
            begin, end = (
                (1 - 0.5**n_passes, 1 - 0.5 ** (n_passes + 1)) if task.requirement.table_wide else (0, 1)
            )
            n_passes += 1
            whole = StretchMonitor(monitor, begin, end)
            shares = PARTS_BY_SIZE if records.are_sizes_enough(requirement) else PARTS_BY_MODEL
            cuts = (0.0, *shares, 1.0) if self.refine else (0.0, 0.9, 1.0, 1.0)
            walking, housing, refining = (StretchMonitor(whole, *part) for part in pairwise(cuts))
            walk = CoverWalk(records, requirement, costs, walking, n_ways=self.ways, seed=task.seed)
            found = housed(records, requirement, costs, walk.groups(by_class=self.refine), housing)
            if self.refine and len(found.rows):
                found = self._refined(records, requirement, costs, found, task.seed, refining, steps)
            return shared_recoding(records, found)

        made = strictest_needed(task, recode, highest_node(records, task.requirement))
        return replace(made, stopped_after=steps.stopped_after)

    def _refined(
        self,
        records: DistinctRecords,
        requirement: Requirement,
        costs: LabelCosts,
        found: Shares,
        seed: int,
        monitor: Monitor,
        steps: ImprovementSteps,
    ) -> Shares:
        if records.are_sizes_enough(requirement):
            return rebuilt(records, costs, found, requirement.k or 1, self.rounds, seed, monitor, steps)
        refinement = GroupRefinement(records, requirement, costs, found, monitor, steps)
        for _ in range(SWEEPS):
            if not refinement.sweep():
                break
        return refinement.shares()


def share_costs(task: RecodingTask) -> LabelCosts:
    """Cost of labels by the share of a column's values that they leave open, columns as they are weighted."""
    n_leaves = np.array([attribute.hierarchy.n_leaves for attribute in task.problem.attributes])
    weights = np.ones(len(n_leaves)) if task.weights is None or not task.weights.sum() else task.weights
    return LabelCosts(task.problem, weights * (n_leaves - 1) / n_leaves)


def housed(
    records: DistinctRecords, requirement: Requirement, costs: LabelCosts, groups: IntArray, monitor: Monitor
) -> Shares:
    """The groups with the rows left over in them, but those that are better suppressed.

    Parameters
    ----------
    groups : ndarray of int64, shape (n_rows,)
        Group of every row, in any numbers; -1 for none.
    """
    rows, left = np.flatnonzero(groups != NOT_PLACED), np.flatnonzero(groups == NOT_PLACED)
    _, labels = np.unique(groups[rows], return_inverse=True)
    found = Shares(rows, labels, records.counts[rows])
    if not len(left) or not len(rows):
        return found
    placement = LeftoverPlacement(records, requirement, costs, found, monitor)
    left, counts = placement.settle(left, records.counts[left], most_cost=HIDDEN)
    if counts.sum() > allowed_losses(records.problem, requirement):
        placement.settle(left, counts)
    return placement.found
