"""The example that comes with the program, as a person meets it: a sensitive column, k, l and t together."""

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
    """The lattice of the example, nothing scored yet."""
    project = read_recipe(RECIPE)
    return LatticeProfile(compile_problem(project), project.requirement)


def demo_round() -> Figures:
    """Scoring all nodes with what l, t and the loss need, and a joint turn of k, l and t."""
    requirement, profile = read_recipe(RECIPE).requirement, demo_profile()
    scoring = seconds(lambda: score_lattice(profile.problem, profile=profile))
    _turn(profile, requirement)  # makes what all later turns share
    turns = [requirement.with_limit(0, 3 + step).with_limit(2, 0.1 + step / 50) for step in range(TURNS)]
    turn = statistics.median(seconds(lambda r=r: _turn(profile, r)) for r in turns)  # type: ignore[misc]
    return {"scoring": scoring, "turn": turn}


def _turn(profile: LatticeProfile, requirement: Requirement) -> None:
    """Who satisfies, at what loss, and which node is best."""
    found = evaluate(profile, requirement)
    _ = found.satisfies, found.suppressed, found.n_satisfying, found.metric("loss"), found.optimum("loss")
