"""Values of classes over several columns: leaf combinations covered, and prediction of the target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.frequency import EquivalenceClasses, Measure
from engine.frequency.classes import INFORMATION, LARGEST_SHARE, POPULATION
from engine.kernels.arrays import BoolArray, Counts, FloatArray
from engine.privacy import Requirement
from engine.privacy.repetition import repeats
from engine.scoring.cells.snapshot import CellSnapshot
from engine.scoring.lookups.by_walk import kept_for_walk
from engine.scoring.lookups.evaluated_sets import EvaluatedSet, are_many, measured_nodes
from engine.scoring.scored import weighs_information
from engine.scoring.walk.packing import FrequencySet
from engine.scoring.walk.tuples import base_tuples, class_pairs
from engine.utility.ambiguity import Ambiguity
from engine.utility.classification import Classification
from engine.utility.kl_divergence import KLDivergence

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes

CELLS_AT_ONCE = 1 << 20  # summed in one step, to bound memory


def kept_misses(profile: ScoredNodes, requirement: Requirement, wanted: BoolArray) -> Counts:
    """Return the kept records without the most frequent target value of their class.

    If several values are the most frequent, one of them counts as such.

    Returns
    -------
    ndarray of int64, shape (n_nodes,)
        0 for nodes outside `wanted`.
    """
    for known in (_misses_by_cells, _misses_by_kernels):
        found = known(profile, requirement, wanted)
        if found is not None:
            return found
    base, field = _tuples_with_target(profile)

    def measure(found: EvaluatedSet) -> int:
        pairs = class_pairs(found.tuples, found.starts, field)
        most = np.maximum.reduceat(pairs.counts, pairs.starts)
        return int((found.records - most)[found.kept].sum())

    misses = np.zeros(profile.lattice.n_nodes, dtype=np.int64)
    for number, value in measured_nodes(profile, requirement, wanted, "misses", measure, base):
        misses[number] = value
    return misses


def kept_combinations(profile: ScoredNodes, requirement: Requirement, wanted: BoolArray) -> FloatArray:
    """Return the sum over kept records of the leaf combinations that their labels cover.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)
        0 for nodes outside `wanted`; inf beyond 1.8e308.
    """
    compiled = _covered_by_kernels(profile, requirement, wanted, Ambiguity.kernels)
    if compiled is not None:
        return compiled

    def measure(found: EvaluatedSet) -> float:
        covered = np.ones(len(found.records))
        with np.errstate(over="ignore"):
            for leaves in _covered(profile, found):
                covered *= leaves
        return float((found.records * covered)[found.kept].sum())

    combinations = np.zeros(profile.lattice.n_nodes)
    for number, value in measured_nodes(profile, requirement, wanted, "combinations", measure):
        combinations[number] = value
    return combinations


def spread_bits(profile: ScoredNodes, requirement: Requirement, wanted: BoolArray) -> FloatArray:
    """Return the cross entropy of the release with the input, summed over records, in bits.

    The mass of a class is evenly distributed over the leaf combinations it covers, that of all suppressed
    records over all combinations; the mass of a combination in the release is the sum of both.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)
        0 for nodes outside `wanted`.
    """
    compiled = _covered_by_kernels(profile, requirement, wanted, KLDivergence.kernels)
    if compiled is not None:
        return compiled
    n_records = profile.problem.n_records
    all_bits = sum(np.log2(a.hierarchy.n_leaves) for a in profile.problem.attributes)

    def measure(found: EvaluatedSet) -> float:
        kept = found.records[found.kept]
        suppressed = n_records - int(kept.sum())
        # by logarithms, since the number of combinations may exceed floating-point numbers
        mass = np.log2(found.records / n_records)
        for leaves in _covered(profile, found):
            mass -= np.log2(leaves)
        everywhere = np.log2(suppressed / n_records) - all_bits if suppressed else -np.inf
        total = float(kept @ np.logaddexp2(mass[found.kept], everywhere))
        return -(total + suppressed * everywhere if suppressed else total)

    bits = np.zeros(profile.lattice.n_nodes)
    for number, value in measured_nodes(profile, requirement, wanted, "spread", measure):
        bits[number] = value
    return bits


def kept_bits(
    profile: ScoredNodes, requirement: Requirement, wanted: BoolArray, factors: FloatArray
) -> FloatArray:
    """Return the sum over kept records of the bits that their labels leave open.

    Parameters
    ----------
    factors : ndarray of float64, shape (n_qi,)
        Factor of each attribute's bits.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)
        0 for nodes outside `wanted`.
    """
    if np.all(factors == 1):
        losses = _by_information(profile, requirement, wanted)
        if losses is not None:
            return losses * float(sum(np.log2(a.hierarchy.n_leaves) for a in profile.problem.attributes))
    compiled = _covered_by_kernels(profile, requirement, wanted, KLDivergence.kernels, factors)
    if compiled is not None:
        return compiled

    def measure(found: EvaluatedSet) -> float:
        own = np.zeros(len(found.records))
        for factor, leaves in zip(factors, _covered(profile, found), strict=True):
            own += factor * np.log2(leaves)
        return float((found.records * own)[found.kept].sum())

    bits, name = np.zeros(profile.lattice.n_nodes), f"bits {factors.tolist()}"
    for number, value in measured_nodes(profile, requirement, wanted, name, measure):
        bits[number] = value
    return bits


def kept_risk(
    profile: ScoredNodes, requirement: Requirement, wanted: BoolArray, most: float, *, of_members: bool
) -> FloatArray:
    """Return the sum of 1 / people over the records of kept classes of at most `most` people.

    Parameters
    ----------
    most : float
    of_members : bool
        Whether people are those of the population.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)
        0 for nodes outside `wanted`.
    """
    risks = np.zeros(profile.lattice.n_nodes)
    if repeats(profile.problem, requirement):

        def measure(found: EvaluatedSet) -> float:
            own = _risks(found.classes, most, of_members=of_members)
            return float((found.records * own)[found.kept].sum())

        name = f"risk {most} {of_members}"
        for number, value in measured_nodes(profile, requirement, wanted, name, measure):
            risks[number] = value
        return risks
    cells = profile.cells()
    own = _risks(cells.classes, most, of_members=of_members)
    kept = np.where(requirement.fulfilled(cells.classes), own, 0.0)
    return np.where(wanted, _summed(cells, kept, len(risks)), 0.0)


def _risks(classes: EquivalenceClasses, most: float, *, of_members: bool) -> FloatArray:
    """Return 1 / people of each class of at most `most` people, 0 of others."""
    people = classes.measured(Measure(POPULATION, "")) if of_members else classes.sizes
    people = people.astype(np.int64, copy=False)  # quotients of narrow integers are narrow
    return np.where(people <= most, 1 / np.maximum(people, 1), 0.0)


def _by_information(profile: ScoredNodes, requirement: Requirement, wanted: BoolArray) -> FloatArray | None:
    """Return the information losses of kept records added up, by cells; None if cells do not tell it."""
    if not weighs_information(profile.measures) or repeats(profile.problem, requirement):
        return None
    cells = profile.cells()
    losses = np.asarray(cells.classes.measured(Measure(INFORMATION, "")))
    kept = np.where(requirement.fulfilled(cells.classes), losses, 0.0)
    return np.where(wanted, _summed(cells, kept, profile.lattice.n_nodes), 0.0)


def _covered(profile: ScoredNodes, found: EvaluatedSet) -> Iterator[FloatArray]:
    """Return the leaves covered per attribute, each of shape (n_classes,)."""
    for weights, level in zip(profile.leaf_weights, found.node, strict=True):
        constant, table = weights.constant[level], weights.tables[level]
        if table is None:
            assert constant is not None, "a level without a table has one weight"
            yield np.full(len(found.records), float(constant))
        else:
            yield table[found.tuples.field(weights.attribute, level)[found.starts]]


def _covered_by_kernels(
    profile: ScoredNodes,
    requirement: Requirement,
    wanted: BoolArray,
    name: str,
    factors: FloatArray | None = None,
) -> FloatArray | None:
    """Return sums over covered combinations by a compiled walk; None if it cannot serve."""
    kept = kept_for_walk(profile, requirement, wanted, name)
    if kept is None:
        return None
    from engine.scoring.walk.covered_leaves import covered_sums, suits  # imports numba

    if not suits(profile.leaf_weights):
        return None
    are_bits = name == KLDivergence.kernels
    sums = covered_sums(
        profile.problem, profile.base, kept, profile.leaf_weights, are_bits=are_bits, factors=factors
    )
    sums[~wanted] = 0.0
    return sums


def _misses_by_cells(profile: ScoredNodes, requirement: Requirement, wanted: BoolArray) -> Counts | None:
    """Return the misses of many nodes, summed over cells; None if their contents have no target."""
    problem, cells = profile.problem, profile.cells()
    target, kinds = problem.target, cells.kinds
    assert target is not None, "only asked for where there is a target"
    has_target = any(attribute.name == target.name for attribute in problem.sensitive)
    if not has_target or problem.measures_parts or kinds is None or not are_many(profile, wanted):
        return None
    if repeats(problem, requirement):
        return None
    from engine.scoring.cells.content_classes import ContentClasses  # imports numba

    if not isinstance(cells.classes, ContentClasses):  # which measure only what was asked for
        return None
    sizes = cells.classes.sizes
    most = np.rint(sizes * cells.classes.measured(Measure(LARGEST_SHARE, target.name)))
    # per record of a kept class; the sum over cells is rounded to the integer it is
    lost = np.where(requirement.fulfilled(cells.classes), (sizes - most) / np.maximum(sizes, 1), 0.0)
    misses: Counts = np.rint(_summed(cells, lost, profile.lattice.n_nodes)).astype(np.int64)
    misses[~wanted] = 0
    return misses


def _summed(cells: CellSnapshot, per_record: FloatArray, n_nodes: int) -> FloatArray:
    """Return the sum over all records of each node of a value per kind of class; 0 if not scored."""
    found = np.zeros(n_nodes)
    bounds, first = np.append(cells.starts, cells.n_cells), 0
    while first < len(cells.nodes):
        last = max(int(np.searchsorted(bounds, bounds[first] + CELLS_AT_ONCE, side="right")) - 1, first + 1)
        own = slice(bounds[first], bounds[last])
        values = per_record[own] if cells.kinds is None else per_record[cells.kinds[own]]
        sums = np.add.reduceat(cells.records[own] * values, bounds[first:last] - bounds[first])
        found[cells.nodes[first:last]] = sums
        first = last
    return found


def _misses_by_kernels(profile: ScoredNodes, requirement: Requirement, wanted: BoolArray) -> Counts | None:
    """Return the misses by a compiled walk; None if it cannot serve."""
    kept = kept_for_walk(profile, requirement, wanted, Classification.kernels)
    if kept is None:
        return None
    from engine.scoring.profile import can_be_walked
    from engine.scoring.walk.target_values import target_misses, with_target  # imports numba

    problem, order = profile.problem, profile.base.layout.order
    assert problem.target is not None, "only asked for where there is a target"
    extended = with_target(problem, problem.target)
    base = profile.of_problem.get("target as attribute", None, lambda: base_tuples(extended))
    if not can_be_walked(extended, base, (order[-1], len(order))):
        return None
    misses = target_misses(extended, base, order, kept)
    misses[~wanted] = 0
    return misses


def _tuples_with_target(profile: ScoredNodes) -> tuple[FrequencySet, int]:
    """Return the base tuples with the target as a sensitive field, and the number of that field."""
    problem, target = profile.problem, profile.problem.target
    assert target is not None, "only asked for where there is a target"
    for number, attribute in enumerate(problem.sensitive):
        if attribute.name == target.name:
            return profile.base, number
    wanted = replace(problem, sensitive=(*problem.sensitive, target))
    return profile.of_problem.get("target", None, lambda: base_tuples(wanted)), len(problem.sensitive)
