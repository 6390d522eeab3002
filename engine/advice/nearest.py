"""Single changes of the requirement that let a node satisfy it, for a lattice without such a node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from engine.advice.critical_thresholds import limit_above
from engine.monitor import SILENT, Monitor
from engine.params import Integer, Real
from engine.privacy import PrivacyModel, Relation, Requirement
from engine.privacy.limit import limits_persons
from engine.scoring.evaluate import evaluate
from engine.scoring.scored import ScoredNodes
from engine.words import _


@dataclass(frozen=True, slots=True)
class NearestChange:
    """One threshold, or the suppression limit, that has to give way, as little as can be typed.

    Attributes
    ----------
    index : int or None
        Place of the model in the requirement; None for the suppression limit.
    value : float
        The strictest value under which a node satisfies.
    requirement : Requirement
        The requirement with it.
    n_satisfying : int
        How many nodes satisfy then.
    """

    index: int | None
    value: float
    requirement: Requirement
    n_satisfying: int


def nearest_changes(
    profile: ScoredNodes, requirement: Requirement, monitor: Monitor = SILENT
) -> tuple[NearestChange, ...]:
    """Find for every threshold, and for the limit, the strictest value under which some node satisfies.

    Parameters
    ----------
    profile : ScoredNodes
        Only scored nodes are asked.
    requirement : Requirement
        One that no scored node satisfies. If it has table-wide models, only the thresholds of
        such models and the limit are tried: keeping more classes need not help then.

    Returns
    -------
    tuple of NearestChange
        In the order of the models, the limit last; without those that cannot help alone.
    """
    found = []
    for index, model in enumerate(requirement.models):
        if model.is_table_wide or not requirement.table_wide:
            monitor.step(index, len(requirement.models) + 1, _("Finding what would satisfy"))
            found.append(_weaker(profile, requirement, index, model, monitor))
    found.append(_with_limit(profile, requirement, monitor))
    return tuple(change for change in found if change is not None)


def _with_limit(profile: ScoredNodes, requirement: Requirement, monitor: Monitor) -> NearestChange | None:
    evaluation = evaluate(profile, replace(requirement, suppression_limit=1.0)).watched_by(monitor)
    # A node that keeps nothing is no release.
    possible = evaluation.satisfies & (evaluation.suppressed < profile.problem.n_records)
    if not possible.any():
        return None
    least = int(evaluation.losses(np.flatnonzero(possible)).min())
    problem = profile.problem
    total = problem.n_people if limits_persons(problem, requirement) else problem.n_records
    limit = limit_above(least, total)
    if limit >= 1:
        return None
    return _change(profile, replace(requirement, suppression_limit=limit), None, limit, monitor)


def _weaker(
    profile: ScoredNodes, requirement: Requirement, index: int, model: PrivacyModel, monitor: Monitor
) -> NearestChange | None:
    values = _typed_values(model, profile.problem.n_records)
    if values is None:
        return None
    n_values, value = values

    def satisfying(place: int) -> int:
        turned = requirement.with_limit(index, type(model.limit)(value(place)))
        return evaluate(profile, turned).watched_by(monitor).n_satisfying

    # Weaker thresholds keep more classes, or ask less of them together: what satisfies comes last.
    low, high = 0, n_values - 1
    if n_values < 1 or not satisfying(high):
        return None
    while low < high:
        monitor.step(index, len(requirement.models) + 1)
        middle = (low + high) // 2
        if satisfying(middle):
            high = middle
        else:
            low = middle + 1
    found = type(model.limit)(value(low))
    return _change(profile, requirement.with_limit(index, found), index, found, monitor)


def _typed_values(model: PrivacyModel, n_records: int) -> tuple[int, Callable[[int], float]] | None:
    """Return the number of weaker thresholds that can be entered and still require something."""
    parameter = model.threshold_parameter()
    if not isinstance(parameter, Integer | Real):
        return None
    step = Decimal(1) if isinstance(parameter, Integer) else Decimal(1).scaleb(-parameter.decimals)
    limit = Decimal(repr(model.limit))
    if model.relation is Relation.AT_LEAST:
        # Up to one, a threshold that has to be reached asks nothing; no class is larger than the table.
        last = max(Decimal(repr(parameter.minimum)), 1 + step)
        first = min(limit - step, Decimal(n_records))
        first -= (first - last) % step
        return int((first - last) / step) + 1, lambda place: float(first - place * step)
    first, last = limit + step, Decimal(repr(parameter.maximum)) - step
    return int((last - first) / step) + 1, lambda place: float(first + place * step)


def _change(
    profile: ScoredNodes, requirement: Requirement, index: int | None, value: float, monitor: Monitor
) -> NearestChange:
    n_satisfying = evaluate(profile, requirement).watched_by(monitor).n_satisfying
    return NearestChange(index, value, requirement, n_satisfying)
