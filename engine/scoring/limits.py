"""How much of a lattice is scored whole: the one place that decides it."""

from __future__ import annotations

import numpy as np

from engine.frequency import Problem
from engine.privacy import Requirement
from engine.scoring.acceleration import is_possible
from engine.scoring.explored import ExploredProfile
from engine.scoring.profile import LatticeProfile
from engine.scoring.walk.node_tuples import raised_to
from engine.scoring.walk.packing import FrequencySet
from engine.scoring.walk.tuples import measured_classes

LARGEST_LATTICE = 1_000_000  # nodes; arrays by node number, and pictures of all nodes, end here
USUAL_MEMORY = 1 << 30  # bytes for scores
SMALL_LATTICE = 20_000  # nodes that are rather scored whole, as the user waits only once,
LENIENCE = 4  # as long as they take no more than this many times the memory
_SAMPLE = 24
_BYTES_BY_NUMBER = 250  # arrays over all nodes: profile, evaluation, picture and list
# What compiled kernels keep. Arrays of cells are grown by doubling; most are half full. Nodes near each
# other have many contents in common: on Adult and others every fourth to sixth cell has its own.
_BYTES_PER_CELL, _BYTES_PER_WEIGHT, _ROOM = 8, 4, 1.5
_CONTENTS_PER_CELL, _BYTES_PER_CONTENT, _BYTES_PER_PAIR = 0.25, 60, 12


def profile_for(
    problem: Problem, requirement: Requirement | None = None, memory: int = USUAL_MEMORY
) -> LatticeProfile | ExploredProfile:
    """An empty profile of all nodes, or one that explores the lattice where they would take too much.

    Parameters
    ----------
    problem : Problem
    requirement : Requirement, optional
        What its models measure is part of the scores.
    memory : int
        Bytes the scores may take; for small lattices a few times that.
    """
    explored = ExploredProfile(problem, requirement)
    n_nodes = problem.lattice.n_nodes
    if n_nodes <= SMALL_LATTICE:
        memory *= LENIENCE
    if n_nodes > LARGEST_LATTICE or bytes_when_whole(explored) > memory:
        return explored
    return LatticeProfile(problem, requirement)


def bytes_when_whole(profile: ExploredProfile) -> int:
    """Memory the scores of all nodes would take, about, by a sample of nodes."""
    lattice = profile.problem.lattice
    # At random: the levels of evenly spaced numbers repeat, and miss the nodes with most classes.
    numbers = np.random.default_rng(0).integers(lattice.n_nodes, size=_SAMPLE).tolist()
    nodes = [lattice.node(number) for number in numbers]
    if is_possible() and profile.problem.can_be_compiled:
        per_node = float(np.mean([_bytes_compiled(profile, raised_to(profile.base, node)) for node in nodes]))
    else:
        rows = [profile.score(node) for node in nodes]
        cells = profile.part().cells()
        lengths = np.diff(np.append(cells.starts, cells.n_cells))
        per_node = float(lengths[rows].mean()) * profile.bytes_per_cell
    return int((per_node + _BYTES_BY_NUMBER) * lattice.n_nodes)


def _bytes_compiled(profile: ExploredProfile, tuples: FrequencySet) -> float:
    """What compiled kernels keep of one node: a cell per content, and the contents nobody else has."""
    problem, random = profile.problem, np.random.default_rng(1)
    _, classes = measured_classes(problem, tuples)
    prints, n_pairs = classes.sizes.astype(np.uint64), 0
    for attribute in problem.sensitive:
        pairs = classes.pairs(attribute.name)
        numbers = random.integers(1 << 63, size=attribute.n_values, dtype=np.uint64)
        shares = numbers[pairs.values] * pairs.counts.astype(np.uint64)
        prints += np.add.reduceat(shares, pairs.starts)  # equal where all sensitive values are
        n_pairs += len(pairs.values)
    weights = (*profile.scorer.leaf_weights, *profile.scorer.span_weights)
    per_cell: float = _BYTES_PER_CELL + _BYTES_PER_WEIGHT * sum(w is not None and w.varies for w in weights)
    if problem.sensitive:
        per_content = _BYTES_PER_CONTENT + _BYTES_PER_PAIR * n_pairs / len(prints)
        per_cell += _CONTENTS_PER_CELL * per_content / _ROOM
    return len(np.unique(prints)) * per_cell * _ROOM
