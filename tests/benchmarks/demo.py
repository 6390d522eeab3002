"""The example of the program with a sensitive column and k, l and t together."""

from __future__ import annotations

import statistics
from pathlib import Path

from engine.privacy import Requirement
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.scoring import Evaluation, LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.lookups.by_cell import CellLookup
from tests.benchmarks.measuring import Figures, seconds

RECIPE = Path(__file__).resolve().parents[2] / "resources" / "examples" / "adult" / "recipe.toml"
TURNS = 8


def demo_profile() -> LatticeProfile:
    """Return the lattice of the example without scores."""
    project = read_recipe(RECIPE)
    return LatticeProfile(compile_problem(project), project.requirement)


def demo_round() -> Figures:
    """Measure scoring all nodes for l, t and loss, and a joint change of k, l and t.

    `turn` is what the window repaints, `complete` the values of failing nodes that follow in the background;
    `full turn` and `full pass` are the same turn and suppressed records alone by a pass over all cells.
    """
    requirement, profile = read_recipe(RECIPE).requirement, demo_profile()
    scoring = seconds(lambda: score_lattice(profile.problem, profile=profile))
    _turn(profile, requirement)  # computes data shared by later changes
    _full_turn(profile, requirement)
    turns = [requirement.with_limit(0, 3 + step).with_limit(2, 0.1 + step / 50) for step in range(TURNS)]
    figures: dict[str, list[float]] = {"turn": [], "complete": [], "full turn": [], "full pass": []}
    for turned in turns:
        figures["full pass"].append(seconds(lambda r=turned: FullPass(profile, r).suppressed))  # type: ignore[misc]
        figures["full turn"].append(seconds(lambda r=turned: _full_turn(profile, r)))  # type: ignore[misc]
        figures["turn"].append(seconds(lambda r=turned: _turn(profile, r)))  # type: ignore[misc]
        found = _turn(profile, turned)
        figures["complete"].append(seconds(lambda e=found: e.complete("loss")))  # type: ignore[misc]
    return {"scoring": scoring} | {key: statistics.median(found) for key, found in figures.items()}


class FullPass(Evaluation):
    """Evaluation by a pass over all cells, the reference for turns."""

    def __init__(self, profile: LatticeProfile, requirement: Requirement) -> None:
        super().__init__(profile, requirement)
        self.lookup = CellLookup(profile, profile.cells(), requirement)


def _turn(profile: LatticeProfile, requirement: Requirement) -> Evaluation:
    """Compute satisfying and minimal nodes, their loss and the best node."""
    found = evaluate(profile, requirement)
    _ = found.satisfies, found.n_satisfying, found.metric_of_satisfying("loss"), found.optimum("loss")
    _ = found.minimal
    return found


def _full_turn(profile: LatticeProfile, requirement: Requirement) -> None:
    """Compute the same with suppressed records and loss of all nodes."""
    found = FullPass(profile, requirement)
    _ = found.satisfies, found.suppressed, found.n_satisfying, found.metric("loss"), found.optimum("loss")
    _ = found.minimal
