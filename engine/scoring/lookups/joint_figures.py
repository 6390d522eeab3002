"""Values of classes over several columns: leaf combinations covered, and prediction of the target."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.frequency import EquivalenceClasses, Measure, Problem
from engine.frequency.classes import INFORMATION, LARGEST_SHARE, POPULATION
from engine.kernels.arrays import BoolArray, Counts, FloatArray
from engine.privacy import Requirement
from engine.privacy.repetition import repeats
from engine.scoring.acceleration import kernels
from engine.scoring.cells.snapshot import CellSnapshot
from engine.scoring.limits import USUAL_MEMORY, parts_within
from engine.scoring.lookups.evaluated_sets import EvaluatedSet, are_many, kept_for_walk, measured_values
from engine.scoring.profile import LatticeProfile
from engine.scoring.scored import weighs_information
from engine.scoring.walk.packing import FrequencySet
from engine.scoring.walk.tuples import base_tuples, class_pairs
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
    misses = _misses_by_cells(profile, requirement, wanted)
    if misses is not None:
        return misses
    base, field = _tuples_with_target(profile)

    def measure(found: EvaluatedSet) -> int:
        pairs = class_pairs(found.tuples, found.starts, field)
        most = np.maximum.reduceat(pairs.counts, pairs.starts)
        return int((found.records - most)[found.kept].sum())

    return measured_values(profile, requirement, wanted, "misses", measure, base).astype(np.int64)


def kept_combinations(profile: ScoredNodes, requirement: Requirement, wanted: BoolArray) -> FloatArray:
    """Return the sum over kept records of the leaf combinations that their labels cover.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)
        0 for nodes outside `wanted`; inf beyond 1.8e308.
    """
    compiled = _covered_by_kernels(profile, requirement, wanted, are_bits=False)
    if compiled is not None:
        return compiled

    def measure(found: EvaluatedSet) -> float:
        covered = np.ones(len(found.records))
        with np.errstate(over="ignore"):
            for weights in profile.scorer.leaf_weights:
                covered *= found.weights(weights)
        return float((found.records * covered)[found.kept].sum())

    return measured_values(profile, requirement, wanted, "combinations", measure)


def spread_bits(profile: ScoredNodes, requirement: Requirement, wanted: BoolArray) -> FloatArray:
    """Return the cross entropy of the release with the input, summed over records, in bits.

    The mass of a class is evenly distributed over the leaf combinations it covers, that of all suppressed
    records over all combinations; the mass of a combination in the release is the sum of both.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)
        0 for nodes outside `wanted`.
    """
    compiled = _covered_by_kernels(profile, requirement, wanted, are_bits=True)
    if compiled is not None:
        return compiled
    n_records = profile.problem.n_records
    all_bits = sum(np.log2(a.hierarchy.n_leaves) for a in profile.problem.attributes)

    def measure(found: EvaluatedSet) -> float:
        kept = found.records[found.kept]
        suppressed = n_records - int(kept.sum())
        # by logarithms, since the number of combinations may exceed floating-point numbers
        mass = np.log2(found.records / n_records)
        for weights in profile.scorer.leaf_weights:
            mass -= np.log2(found.weights(weights))
        everywhere = np.log2(suppressed / n_records) - all_bits if suppressed else -np.inf
        total = float(kept @ np.logaddexp2(mass[found.kept], everywhere))
        return -(total + suppressed * everywhere if suppressed else total)

    return measured_values(profile, requirement, wanted, "spread", measure)


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
    compiled = _covered_by_kernels(profile, requirement, wanted, factors, are_bits=True)
    if compiled is not None:
        return compiled

    def measure(found: EvaluatedSet) -> float:
        own = np.zeros(len(found.records))
        for factor, weights in zip(factors, profile.scorer.leaf_weights, strict=True):
            own += factor * np.log2(found.weights(weights))
        return float((found.records * own)[found.kept].sum())

    return measured_values(profile, requirement, wanted, f"bits {factors.tolist()}", measure)


def kept_risk(
    profile: ScoredNodes, requirement: Requirement, wanted: BoolArray, most: float, *, of_members: bool
) -> FloatArray:
    """Return the sum of 1 / people over the records of kept classes of at most `most` people.

    Parameters
    ----------
    of_members : bool
        Whether people are those of the population.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)
        0 for nodes outside `wanted`.
    """
    if repeats(profile.problem, requirement):

        def measure(found: EvaluatedSet) -> float:
            own = _risks(found.classes, most, of_members=of_members)
            return float((found.records * own)[found.kept].sum())

        return measured_values(profile, requirement, wanted, f"risk {most} {of_members}", measure)
    cells = profile.cells()
    own = _risks(cells.classes, most, of_members=of_members)
    kept = np.where(requirement.fulfilled(cells.classes), own, 0.0)
    return np.where(wanted, _summed(cells, kept, profile.lattice.n_nodes), 0.0)


def _risks(classes: EquivalenceClasses, most: float, *, of_members: bool) -> FloatArray:
    """Return 1 / people of each class of at most `most` people, 0 of others."""
    people = classes.measured(Measure(POPULATION, "")) if of_members else classes.sizes
    people = people.astype(np.int64, copy=False)  # quotients of narrow integers are narrow
    return np.where(people <= most, 1 / np.maximum(people, 1), 0.0)


def _by_information(profile: ScoredNodes, requirement: Requirement, wanted: BoolArray) -> FloatArray | None:
    """Return the total information losses of kept records, by cells; None if cells do not contain them."""
    if not weighs_information(profile.measures) or repeats(profile.problem, requirement):
        return None
    cells = profile.cells()
    losses = np.asarray(cells.classes.measured(Measure(INFORMATION, "")))
    kept = np.where(requirement.fulfilled(cells.classes), losses, 0.0)
    return np.where(wanted, _summed(cells, kept, profile.lattice.n_nodes), 0.0)


def _covered_by_kernels(
    profile: ScoredNodes,
    requirement: Requirement,
    wanted: BoolArray,
    factors: FloatArray | None = None,
    *,
    are_bits: bool,
) -> FloatArray | None:
    """Return sums over covered combinations by a compiled walk; None if it cannot serve."""
    kept = kept_for_walk(profile, requirement, wanted, KLDivergence.kernels)
    if kept is None:
        return None
    from engine.scoring.walk.metric_walks import are_leaves_dense, covered_sums  # imports numba

    if not are_leaves_dense(profile.scorer.leaf_weights):
        return None
    sums = covered_sums(
        profile.problem, profile.base, kept, profile.scorer.leaf_weights, are_bits=are_bits, factors=factors
    )
    sums[~wanted] = 0.0
    return sums


def _misses_by_cells(profile: ScoredNodes, requirement: Requirement, wanted: BoolArray) -> Counts | None:
    """Return the misses of many nodes, summed over cells; None if kernels cannot serve.

    If the target is not a sensitive column, the lattice is scored once more with it as one.
    """
    problem = profile.problem
    target = problem.target
    assert target is not None, "only asked for where there is a target"
    if not are_many(profile, wanted) or repeats(problem, requirement):
        return None
    if any(attribute.name == target.name for attribute in problem.sensitive):
        misses = _summed_misses(profile.cells(), requirement, problem, profile.lattice.n_nodes)
    else:
        extended = replace(problem, sensitive=(*problem.sensitive, target))
        misses = _misses_of_scored(profile, requirement, extended)
    if misses is not None:
        misses[~wanted] = 0
    return misses


def _misses_of_scored(profile: ScoredNodes, requirement: Requirement, problem: Problem) -> Counts | None:
    """Score all nodes of another problem, within the usual memory, and return their misses."""
    if not isinstance(profile, LatticeProfile) or problem.measures_parts:
        return None
    whole = LatticeProfile(problem, label_sums=False)
    if not whole.can_be_compiled or any(kernels(name) is None for name in whole.kernels):
        return None
    misses: list[Counts] = []
    for part in parts_within(problem, memory=USUAL_MEMORY):
        scored = whole if part is problem else LatticeProfile(part, label_sums=False)
        scored.score_compiled()
        found = _summed_misses(scored.cells(), requirement, part, part.lattice.n_nodes)
        assert found is not None, "kernels keep the contents of classes"
        misses.append(found)
    return np.concatenate(misses)


def _summed_misses(
    cells: CellSnapshot, requirement: Requirement, problem: Problem, n_nodes: int
) -> Counts | None:
    """Return the misses of all nodes, summed over cells; None if their contents do not have the target."""
    target, classes = problem.target, cells.classes
    if target is None or problem.measures_parts or cells.kinds is None:
        return None
    from engine.scoring.cells.content_classes import ContentClasses  # imports numba

    if not isinstance(classes, ContentClasses):  # which measure only what was asked for
        return None
    most = np.rint(classes.sizes * classes.measured(Measure(LARGEST_SHARE, target.name)))
    # per record of a kept class; the sum over cells is rounded to the integer it is
    lost = np.where(
        requirement.fulfilled(classes), (classes.sizes - most) / np.maximum(classes.sizes, 1), 0.0
    )
    return np.rint(_summed(cells, lost, n_nodes)).astype(np.int64)


def _summed(cells: CellSnapshot, per_record: FloatArray, n_nodes: int) -> FloatArray:
    """Return the sum over all records of each node of a value per kind of class; 0 if not scored."""
    found = np.zeros(n_nodes)
    for nodes, of_nodes, starts in cells.blocks(CELLS_AT_ONCE):
        values = cells.records[of_nodes] * cells.by_cell(per_record, of_nodes)
        found[cells.nodes[nodes]] = np.add.reduceat(values, starts)
    return found


def _tuples_with_target(profile: ScoredNodes) -> tuple[FrequencySet, int]:
    """Return the base tuples with the target as a sensitive field, and the number of that field."""
    problem, target = profile.problem, profile.problem.target
    assert target is not None, "only asked for where there is a target"
    for number, attribute in enumerate(problem.sensitive):
        if attribute.name == target.name:
            return profile.base, number
    wanted = replace(problem, sensitive=(*problem.sensitive, target))
    return profile.of_problem.get("target", None, lambda: base_tuples(wanted)), len(problem.sensitive)
