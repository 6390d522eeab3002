"""Time of anybody who knows any three of nine columns, 84 sets, against scoring k alone."""

from __future__ import annotations

import statistics

from engine.frequency import Problem
from engine.privacy import Requirement
from engine.privacy.any_columns import AnyColumns
from engine.scoring import LatticeProfile, acceleration
from engine.scoring.evaluate import evaluate
from tests.benchmarks.measuring import Figures, Rounds, seconds
from tests.benchmarks.scoring_figures import compiled

KNOWN, SIZE, LIMIT, ROUNDS = 3, 5, 0.05, 3
TURNS = ((6, 0.05), (4, 0.05), (10, 0.05), (50, 0.05), (5, 0.1), (5, 0.01), (2, 0.0))


def attackers_figures(problem: Problem) -> Figures:
    """Return medians of rounds: scores of all nodes against k alone, and turns."""
    acceleration.kernels("known_suppression")
    _turn(compiled(problem, label_sums=True), SIZE, LIMIT)
    rounds = Rounds([_round(problem) for _unused in range(ROUNDS)])
    return {**rounds.medians(), "scored ratio": rounds.ratio("scored", "alone")}


def _round(problem: Problem) -> Figures:
    profiles: list[LatticeProfile] = []
    alone = seconds(lambda: profiles.append(compiled(problem, label_sums=True)))
    profile = profiles[0]
    scored = alone + seconds(lambda: _turn(profile, SIZE, LIMIT))
    turns = [seconds(lambda t=t: _turn(profile, *t)) for t in TURNS]  # type: ignore[misc]
    return {"alone": alone, "scored": scored, "usual turn": statistics.median(turns), "turn": max(turns)}


def _requirement(k: int, limit: float) -> Requirement:
    return Requirement((AnyColumns(m=KNOWN, k=k),), limit)


def _turn(profile: LatticeProfile, k: int, limit: float) -> None:
    """Find status, minimal nodes, loss of satisfying nodes, and optimum."""
    found = evaluate(profile, _requirement(k, limit))
    _ = found.satisfies, found.minimal, found.metric_of_satisfying("loss"), found.optimum("loss")
