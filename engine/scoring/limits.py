"""How much of a lattice is scored whole: the one place that decides it."""

from __future__ import annotations

from engine.frequency import Problem
from engine.privacy import Requirement
from engine.scoring.explored import ExploredProfile
from engine.scoring.profile import LatticeProfile

LARGEST_LATTICE = 1_000_000  # nodes; arrays by node number, and pictures of all nodes, end here
USUAL_MEMORY = 1 << 30  # bytes for scores
_SMALL_LATTICE = 20_000  # nodes that are scored whole whatever they take, as the user waits only once
_SAMPLE = 16
_BYTES_BY_NUMBER = 250  # arrays over all nodes: profile, evaluation, picture and list


def profile_for(
    problem: Problem, requirement: Requirement | None = None, memory: int = USUAL_MEMORY
) -> LatticeProfile | ExploredProfile:
    """An empty profile of all nodes, or one that explores the lattice where they are too many.

    Parameters
    ----------
    problem : Problem
    requirement : Requirement, optional
        What its models measure is part of the scores.
    memory : int
        Bytes the scores may take.
    """
    n_nodes = problem.lattice.n_nodes
    if n_nodes <= _SMALL_LATTICE:
        return LatticeProfile(problem, requirement)
    explored = ExploredProfile(problem, requirement)
    if n_nodes > LARGEST_LATTICE or bytes_when_whole(explored) > memory:
        return explored
    return LatticeProfile(problem, requirement)


def bytes_when_whole(profile: ExploredProfile) -> int:
    """Memory the scores of all nodes would take, by a sample spread over the lattice, which is scored."""
    lattice = profile.problem.lattice
    numbers = {i * (lattice.n_nodes - 1) // (_SAMPLE - 1) for i in range(_SAMPLE)}
    for number in sorted(numbers):
        profile.score(lattice.node(number))
    per_node = profile.part().cells().n_cells * profile.bytes_per_cell / profile.n_scored
    return int((per_node + _BYTES_BY_NUMBER) * lattice.n_nodes)
