"""Suppressed records of nodes as one class each: whether they meet the requirement too.

Where every record is a person and models look at single classes, the group of a node is the sum of its
failing cells, so the groups of all nodes are measured at once. Other nodes are rolled up again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.frequency import Problem
from engine.frequency.measured import MeasuredClasses
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, IntArray
from engine.kernels.distances import Pairs
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.repetition import repeats
from engine.privacy.suppressed_group import SuppressedGroup, held_by_class
from engine.scoring.acceleration import kernels
from engine.scoring.cells.snapshot import CellSnapshot, SizeClasses
from engine.scoring.lookups.evaluated_sets import evaluated_sets
from engine.scoring.walk.packing import FrequencySet
from engine.scoring.walk.population_tuples import PopulationTuples
from engine.scoring.walk.tuples import class_rows
from engine.words import _

if TYPE_CHECKING:
    from engine.scoring.cells.content_classes import ContentClasses
    from engine.scoring.scored import ScoredNodes

_AT_ONCE = 1 << 24  # values of groups that are summed together


def held_groups(
    profile: ScoredNodes,
    cells: CellSnapshot,
    requirement: Requirement,
    wanted: BoolArray,
    monitor: Monitor = SILENT,
) -> BoolArray:
    """Return which of the wanted nodes have suppressed records that meet a requirement as one class.

    Parameters
    ----------
    cells : CellSnapshot
        Its scored nodes.
    wanted : ndarray of bool, shape (n_nodes,)
        Scored nodes that suppress records.
    """
    held = np.zeros(len(wanted), dtype=np.bool_)
    summed = wanted & ~_have_stars(profile)
    if not _are_sums(profile.problem, cells, requirement):
        summed &= False
    if summed.any():
        places = np.flatnonzero(summed[cells.nodes])
        held[cells.nodes[places]] = _held_sums(profile.problem, cells, requirement, places, monitor)
    others = wanted & ~summed
    for done, found in enumerate(evaluated_sets(profile, requirement, others)):
        monitor.step(done, int(np.count_nonzero(others)), _("Measuring suppressed records"))
        group = group_of(found.problem, requirement, found.node, found.tuples, found.starts, found.kept)
        held[found.number] = group is not None and group.held
    return held


def _are_sums(problem: Problem, cells: CellSnapshot, requirement: Requirement) -> bool:
    """Return whether cells have all that decides about groups."""
    if repeats(problem, requirement) or problem.repeated is not None or problem.knows_people:
        return False
    return not requirement.table_wide and (
        isinstance(cells.classes, SizeClasses) or _contents(cells) is not None
    )


def _contents(cells: CellSnapshot) -> ContentClasses | None:
    """Return the contents of classes, which only kernels make."""
    if kernels() is None:
        return None
    from engine.scoring.cells.content_classes import ContentClasses  # imports numba

    return cells.classes if isinstance(cells.classes, ContentClasses) else None


def _have_stars(profile: ScoredNodes) -> BoolArray:
    """Return the nodes where a class may be written like suppressed records, besides the only class."""
    levels = profile.lattice.levels
    found = np.ones(len(levels), dtype=np.bool_)
    is_whole = np.ones(len(levels), dtype=np.bool_)
    for q, attribute in enumerate(profile.problem.attributes):
        labels = [level.labels for level in attribute.hierarchy.levels]
        found &= np.array([SUPPRESSED in own for own in labels], dtype=np.bool_)[levels[:, q]]
        is_whole &= np.array([len(own) == 1 for own in labels], dtype=np.bool_)[levels[:, q]]
    return found & ~is_whole


def _held_sums(
    problem: Problem, cells: CellSnapshot, requirement: Requirement, places: IntArray, monitor: Monitor
) -> BoolArray:
    """Return which groups are held, of nodes at some places of the snapshot."""
    fails = ~requirement.by_class.fulfilled(cells.classes)
    contents = _contents(cells)
    n_values = 1 if contents is None else contents.n_values
    step = max(_AT_ONCE // n_values, 1)
    bounds, parts = np.append(cells.starts, cells.n_cells), []
    for first in range(0, len(places), step):
        monitor.step(first, len(places), _("Measuring suppressed records"))
        some = places[first : first + step]
        lengths = bounds[some + 1] - bounds[some]
        begins = np.cumsum(lengths) - lengths
        chosen = np.repeat(bounds[some] - begins, lengths) + np.arange(lengths.sum())
        owners = np.repeat(np.arange(len(some)), lengths)
        kinds = chosen if cells.kinds is None else cells.kinds[chosen].astype(np.int64)
        failing = fails[kinds]
        chosen, owners, kinds = chosen[failing], owners[failing], kinds[failing]
        records = cells.records[chosen].astype(np.int64)
        sizes = np.bincount(owners, weights=records, minlength=len(some)).astype(np.int64)
        if contents is not None:
            groups = contents.joined(owners, kinds, records // contents.records[kinds], sizes)
        else:
            groups = MeasuredClasses(sizes, (), _no_pairs, sampling_fraction=problem.sampling_fraction)
        parts.append(held_by_class(requirement, groups))
    return np.concatenate(parts)


def _no_pairs(number: int) -> Pairs:
    raise IndexError(number)


def group_of(
    problem: Problem,
    requirement: Requirement,
    node: Node,
    tuples: FrequencySet,
    starts: IntArray,
    kept: BoolArray,
) -> SuppressedGroup | None:
    """Return the suppressed records of one node as one class; None if none is, or records are drawn.

    Parameters
    ----------
    tuples : FrequencySet
        Of the node.
    starts : ndarray of int64, shape (n_classes,)
        The first tuple of every class.
    kept : ndarray of bool, shape (n_classes,)
    """
    if kept.all() or requirement.sampling is not None:
        return None
    rows = class_rows(problem, tuples, starts)
    inside = (~kept | _are_stars(problem, node, tuples, starts))[rows.labels]
    people = None
    if isinstance(tuples, PopulationTuples):
        people = tuples.members_and_others(starts[np.unique(rows.labels[~inside])])
    return SuppressedGroup.of(problem, requirement, rows, inside, people)


def _are_stars(problem: Problem, node: Node, tuples: FrequencySet, starts: IntArray) -> BoolArray:
    """Return which classes have `*` as all of their labels."""
    stars, layout = np.ones(len(starts), dtype=np.bool_), tuples.layout
    for q, (attribute, level) in enumerate(zip(problem.attributes, node, strict=True)):
        labels = attribute.hierarchy.levels[level].labels
        if SUPPRESSED not in labels:
            return stars & False
        fields, leaves = np.unique(layout.paths[q] >> layout.dropped[q][level], return_index=True)
        own = np.searchsorted(fields, tuples.field(q, level)[starts])
        codes = attribute.hierarchy.levels[level].codes[leaves]
        stars &= codes[own] == labels.index(SUPPRESSED)
    return stars
