"""Time of scoring all nodes: against pandas, against numpy, with two threads, per class read."""

from __future__ import annotations

import random
import statistics
import time

import numpy as np

from engine.frequency import Measure, Problem
from engine.kernels.arrays import Counts
from engine.scoring import LatticeProfile
from engine.scoring.cells.label_words import LabelWords
from engine.scoring.cells.snapshot import Array
from engine.scoring.walk.base_classes import BaseClasses
from engine.scoring.walk.subtrees import Subtrees
from tests.benchmarks.measuring import Figures, seconds, wall_seconds
from tests.benchmarks.pandas_baseline import MEASURES, sampled_nodes, seconds_by_size, seconds_by_value

SAMPLED, SAMPLED_BY_VALUE = 60, 20  # nodes scored by pandas and extrapolated
CLASS_BYTES = 8 + 4 + 4  # key, count and head of a class in the arena
WORD_BYTES = 8


class FirstNodes:
    """Monitor that records when the first nodes are complete, in processor seconds."""

    def __init__(self) -> None:
        self._start = time.process_time()
        self.first: float | None = None

    def step(self, done: int, total: int, text: str = "") -> None:
        if done and self.first is None:
            self.first = time.process_time() - self._start


def compiled(problem: Problem, *, label_sums: bool, n_workers: int = 1) -> LatticeProfile:
    """Score all nodes by compiled kernels, starting with the codes of the records."""
    profile = LatticeProfile(problem, label_sums=label_sums)
    profile.score_compiled(n_workers=n_workers)
    return profile


def by_numpy(problem: Problem) -> None:
    """Score all nodes by the numpy roll-up."""
    profile = LatticeProfile(problem, label_sums=False)
    for node, tuples in profile.pending():
        profile.record(node, tuples)
    profile.check_complete()


def first_share(problem: Problem) -> float:
    """Return the share of the time after which the first nodes can be read."""
    monitor = FirstNodes()

    def score() -> None:
        LatticeProfile(problem).score_compiled(monitor, n_workers=1)

    whole = seconds(score)
    assert monitor.first is not None, "no nodes were reported"
    return monitor.first / whole


def adult_round(problem: Problem, known: LatticeProfile, number: int) -> Figures:
    """Measure all values of scoring Adult once, close together in time."""
    nodes = sampled_nodes(problem, SAMPLED, random.Random(number))
    return {
        "pandas": seconds_by_size(known, nodes),
        "plain": seconds(lambda: compiled(problem, label_sums=False)),
        "with_loss": seconds(lambda: compiled(problem, label_sums=True)),
        "numpy": seconds(lambda: by_numpy(problem)),
        "one": wall_seconds(lambda: compiled(problem, label_sums=True)),
        "two": wall_seconds(lambda: compiled(problem, label_sums=True, n_workers=2)),
        "first_share": first_share(problem),
    }


def by_value(problem: Problem) -> LatticeProfile:
    """Score all nodes and measure every class: distinct l, entropy, t equal and ordered, worst per node."""
    profile = compiled(problem, label_sums=False)
    for name in MEASURES:
        profile.worst(Measure(name, problem.sensitive[0].name))
    return profile


def sensitive_round(problem: Problem, known: LatticeProfile, number: int) -> Figures:
    """Measure all values of scoring with a sensitive attribute once, close together in time."""
    nodes = sampled_nodes(problem, SAMPLED_BY_VALUE, random.Random(number))
    return {
        "pandas": seconds_by_value(known, nodes, by_hand=False),
        "by_hand": seconds_by_value(known, nodes, by_hand=True),
        "scoring": seconds(lambda: by_value(problem)),
        "walk": seconds(lambda: compiled(problem, label_sums=False)),
    }


def measured_round(problem: Problem) -> Figures:
    """Measure scoring with the worst of every usual measure of each node, by kernels and by numpy.

    Both must agree.
    """
    known = LatticeProfile(problem, label_sums=False)

    def worst(profile: LatticeProfile) -> list[Array]:
        return [profile.worst(measure) for measure in profile.measures]

    def score_by_numpy() -> None:
        for node, tuples in known.pending():
            known.record(node, tuples)
        worst(known)

    figures = {
        "compiled": statistics.median(
            seconds(lambda: worst(compiled(problem, label_sums=False))) for _ in range(3)
        ),
        "numpy": seconds(score_by_numpy),
    }
    found = compiled(problem, label_sums=False)
    for own, other in zip(worst(found), worst(known), strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-12)
    np.testing.assert_array_equal(found.squares, known.squares)
    return figures


def class_reads(profile: LatticeProfile) -> int:
    """Return how many classes are read to compute those of all nodes: at every node those of its parent."""
    subtrees = _subtrees(profile)
    lattice = profile.lattice
    parents = np.full(lattice.n_nodes, -1)
    for q in subtrees.raised:  # the attribute raised last in the order of the walk determines the parent
        is_raised = lattice.levels[:, q] > lattice.minimum[q]
        parents[is_raised] = np.flatnonzero(is_raised) - lattice.strides[q]
    read: Counts = np.where(parents < 0, len(subtrees.base.sizes), profile.n_classes[parents])
    return int(read.sum())


def class_bytes(profile: LatticeProfile, *, label_sums: bool) -> int:
    """Bytes of a class in the arena."""
    if not label_sums:
        return CLASS_BYTES
    words = LabelWords.of(_subtrees(profile), profile.scorer.weights)
    return CLASS_BYTES + WORD_BYTES * (words.n_carriers + len(words.reals))


def _subtrees(profile: LatticeProfile) -> Subtrees:
    problem, layout = profile.problem, profile.base.layout
    base = BaseClasses.of(problem, profile.base)
    return Subtrees(problem, base, layout.widths, layout.dropped, layout.order)
