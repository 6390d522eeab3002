"""The example of the program with a sensitive column and k, l and t together."""

from __future__ import annotations

import statistics
from pathlib import Path

from engine.privacy import Requirement
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from tests.benchmarks.measuring import Figures, seconds

RECIPE = Path(__file__).resolve().parents[2] / "resources" / "examples" / "adult" / "recipe.toml"
TURNS = 8


def demo_profile() -> LatticeProfile:
    """Return the lattice of the example without scores."""
    project = read_recipe(RECIPE)
    return LatticeProfile(compile_problem(project), project.requirement)


def demo_round() -> Figures:
    """Measure scoring all nodes for l, t and loss, and a joint change of k, l and t."""
    requirement, profile = read_recipe(RECIPE).requirement, demo_profile()
    scoring = seconds(lambda: score_lattice(profile.problem, profile=profile))
    _turn(profile, requirement)  # computes data shared by later changes
    turns = [requirement.with_limit(0, 3 + step).with_limit(2, 0.1 + step / 50) for step in range(TURNS)]
    turn = statistics.median(seconds(lambda r=r: _turn(profile, r)) for r in turns)  # type: ignore[misc]
    return {"scoring": scoring, "turn": turn}


def _turn(profile: LatticeProfile, requirement: Requirement) -> None:
    """Compute satisfying nodes, their loss and the best node."""
    found = evaluate(profile, requirement)
    _ = found.satisfies, found.suppressed, found.n_satisfying, found.metric("loss"), found.optimum("loss")
