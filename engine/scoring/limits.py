"""The limit on lattices that are scored completely, and their parts that are below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from engine.frequency import Problem
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.scoring.acceleration import is_possible
from engine.scoring.explored import ExploredProfile
from engine.scoring.profile import LatticeProfile
from engine.scoring.scored import weighs_information
from engine.scoring.walk.base_classes import BaseClasses
from engine.scoring.walk.node_tuples import raised_to
from engine.scoring.walk.packing import FrequencySet
from engine.scoring.walk.tuples import PREPARING
from engine.words import _

LARGEST_LATTICE = 1_000_000  # nodes; limit of arrays by node number, and of pictures of all nodes
USUAL_MEMORY = 1 << 30  # bytes for scores
SMALL_LATTICE = 20_000  # nodes; smaller ones are scored completely, since the user waits only once
LENIENCE = 4  # times the memory that small lattices may take
_SAMPLE, _SAMPLE_OF_PART = 24, 6  # nodes; there may be many parts
_MOST_PER_RECORD, _MOST_PER_NODE = 1_000, 10_000  # bytes of scores that are never exceeded
_BYTES_BY_NUMBER = 250  # arrays over all nodes: profile, evaluation, picture and list
# Memory of compiled kernels. Arrays of cells grow by doubling, so most are half full. Neighbouring nodes
# share many contents: on Adult and others every fourth to sixth cell has a content of its own. Weights of
# labels are bits of words, which cells of contents only refer to.
_BYTES_PER_CELL, _BYTES_PER_WEIGHT, _BYTES_PER_REFERENCE, _ROOM = 8, 4, 4, 1.5
_CONTENTS_PER_CELL, _BYTES_PER_CONTENT, _BYTES_PER_PAIR = 0.25, 60, 3


def profile_for(
    problem: Problem,
    requirement: Requirement | None = None,
    memory: int = USUAL_MEMORY,
    monitor: Monitor = SILENT,
) -> LatticeProfile | ExploredProfile:
    """Return an empty profile of all nodes, or an exploring one if they would take too much memory.

    Parameters
    ----------
    requirement : Requirement, optional
        Requirement whose models' measures are part of the scores.
    memory : int
        Memory for scores in bytes; small lattices may take a few times as much.
    monitor : Monitor
        Asked while tuples are sorted and a sample of nodes is looked at.
    """
    explored = ExploredProfile(problem, requirement, monitor)
    n_nodes = problem.lattice.n_nodes
    if n_nodes <= SMALL_LATTICE:
        memory *= LENIENCE
    if n_nodes > LARGEST_LATTICE or bytes_when_whole(explored, monitor=monitor) > memory:
        return explored
    return LatticeProfile(problem, requirement, base=explored.base)


def bytes_when_whole(profile: ExploredProfile, sample: int = _SAMPLE, monitor: Monitor = SILENT) -> int:
    """Estimate the memory of the scores of all nodes from a sample of `sample` nodes."""
    lattice = profile.problem.lattice
    # at random: evenly spaced numbers have repeating levels, and miss the nodes with most classes
    numbers = np.random.default_rng(0).integers(lattice.n_nodes, size=sample).tolist()
    nodes = [lattice.node(number) for number in numbers]
    by_kernels = profile.problem.can_be_compiled and not weighs_information(profile.measures)
    if is_possible() and by_kernels:
        known: dict[Node, float] = {}
        for done, node in enumerate(nodes):
            pause = partial(monitor.step, done, sample, _(PREPARING))
            pause()
            if node not in known:  # a small lattice has fewer nodes than the sample
                tuples = raised_to(profile.base, node)
                pause()
                known[node] = _bytes_compiled(profile, tuples, pause)
        per_node = float(np.mean([known[node] for node in nodes]))
    else:
        rows = [profile.score(node) for node in nodes]
        cells = profile.part().cells()
        lengths = np.diff(np.append(cells.starts, cells.n_cells))
        per_node = float(lengths[rows].mean()) * profile.bytes_per_cell
    return int((per_node + _BYTES_BY_NUMBER) * lattice.n_nodes)


def _bytes_compiled(profile: ExploredProfile, tuples: FrequencySet, pause: Callable[[], object]) -> float:
    """Return the memory of one node in compiled kernels: a cell per content, and its own contents."""
    problem, random = profile.problem, np.random.default_rng(1)
    classes = BaseClasses.of(problem, tuples)
    pause()
    prints = classes.sizes[classes.sizes > 0].astype(np.uint64)
    n_pairs = 0
    for pairs, n_values in zip(classes.groups, classes.n_values, strict=True):
        numbers = random.integers(1 << 63, size=n_values, dtype=np.uint64)
        shares = numbers[pairs.values] * pairs.counts.astype(np.uint64)
        prints += np.add.reduceat(shares, pairs.starts)  # equal if all sensitive values are
        n_pairs += len(pairs.values)
    if classes.people is not None:
        number = random.integers(1 << 63, size=1, dtype=np.uint64)
        prints += number * classes.people[: len(prints)].astype(np.uint64)
        n_pairs += len(prints)
    weights = [own for own in profile.scorer.weights if own.varies]
    per_cell: float = _BYTES_PER_CELL
    if not problem.has_contents:
        per_cell += _BYTES_PER_WEIGHT * len(weights)
    else:
        per_cell += _BYTES_PER_REFERENCE * bool(weights)
        per_content = _BYTES_PER_CONTENT + _BYTES_PER_PAIR * n_pairs / len(prints)
        per_cell += _CONTENTS_PER_CELL * per_content / _ROOM
    return len(np.unique(prints)) * per_cell * _ROOM


def parts_within(
    problem: Problem, requirement: Requirement | None = None, memory: int = 0
) -> Iterator[Problem]:
    """Divide the lattice into parts whose scores fit into memory, in the order of node numbers.

    Parameters
    ----------
    requirement : Requirement, optional
        Requirement whose models' measures are part of the scores.
    memory : int
        Memory for scores in bytes; 0 for no limit: then the lattice is one part.

    Returns
    -------
    iterator of Problem
        The problem itself if all scores fit; else the same with fewer levels of the first columns. Every part
        has its own range of node numbers, and single nodes are parts however large they are.
    """
    most = problem.lattice.n_nodes * (problem.n_records * _MOST_PER_RECORD + _MOST_PER_NODE)
    if not memory or most <= memory or bytes_when_whole(ExploredProfile(problem, requirement)) <= memory:
        yield problem
        return
    yield from _divided(problem, requirement, memory)


def _divided(problem: Problem, requirement: Requirement | None, memory: int) -> Iterator[Problem]:
    attributes = problem.attributes
    free = next((q for q, size in enumerate(problem.lattice.shape) if size > 1), None)
    if free is None:
        yield problem
        return
    for level in range(attributes[free].minimum, attributes[free].maximum + 1):
        fixed = replace(attributes[free], minimum=level, maximum=level)
        part = replace(problem, attributes=(*attributes[:free], fixed, *attributes[free + 1 :]))
        if bytes_when_whole(ExploredProfile(part, requirement), _SAMPLE_OF_PART) <= memory:
            yield part
        else:
            yield from _divided(part, requirement, memory)
