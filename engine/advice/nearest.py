"""Thresholds at which something changes for one node, and single changes that let it satisfy."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np

from engine.errors import ParameterError
from engine.kernels.arrays import Counts
from engine.monitor import SILENT, Monitor
from engine.params import Integer, Real
from engine.privacy import PrivacyModel, Relation, Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.limit import limits_persons
from engine.privacy.repetition import repeats
from engine.privacy.table_wide import TableWideModel, kept_table
from engine.privacy.values import MeasuredModel
from engine.scoring.evaluate import evaluate
from engine.scoring.nodes.suppression_causes import NodeSuppression
from engine.scoring.scored import ScoredNodes
from engine.words import _

_LIMIT_STEP = Decimal("0.0001")  # of the suppression limit: a hundredth of a percent


def limit_above(n_lost: int, n_all: int) -> float:
    """Return the least suppression limit, to a hundredth of a percent, that allows `n_lost`."""
    share = Decimal(n_lost) / Decimal(n_all)
    return float(share.quantize(_LIMIT_STEP, ROUND_CEILING))


def limit_below(n_lost: int, n_all: int) -> float:
    """The largest suppression limit, to a hundredth of a percent, that allows fewer records, or people.

    Parameters
    ----------
    n_lost : int
        At least 1.
    """
    return float(Decimal(str(limit_above(n_lost, n_all))) - _LIMIT_STEP)


def next_limits(here: NodeSuppression, index: int) -> Iterator[float]:
    """Yield weaker thresholds of one model that keep more records of a node, the others unchanged.

    First the strictest one that keeps any more; then, where more is lost than the limit allows, the
    strictest by which it is not. Of a table-wide model it is the strictest that
    is met, where its own is not. A threshold that asks nothing any more is left out.

    Parameters
    ----------
    index : int
        Place of the model in the requirement.
    """
    model = here.requirement.models[index]
    if isinstance(model, TableWideModel):
        kept = kept_table(here.problem, here.classes, here.fulfilled)
        figure = model.figures(kept, np.ones(1, dtype=np.bool_)).item()
        limit = _typed(model, figure)
        if figure > model.limit and limit is not None:
            yield limit
        return
    models = here.requirement.models
    others = replace(here.requirement, models=models[:index] + models[index + 1 :])
    only = np.flatnonzero(others.fulfilled(here.whole) & ~model.fulfilled(here.whole))
    if not len(only):
        return
    critical = model.critical(here.whole)[only].astype(np.float64)
    order = np.argsort(-critical if model.relation is Relation.AT_LEAST else critical, kind="stable")
    limits = critical[order].tolist()
    known: set[float] = set()
    for place in (0, _first_enough(here, index, limits, here.whole.records[only[order]])):
        if place >= len(order):
            continue
        limit = _typed(model, limits[place])
        if limit is not None and limit not in known:
            known.add(limit)
            yield limit


def _first_enough(here: NodeSuppression, index: int, limits: list[float], records: Counts) -> int:
    """Return the first of some thresholds, strictest first, by which suppression is within the limit.

    Parameters
    ----------
    limits : list of float
        Critical values of classes.
    records : ndarray of int64, shape (n_limits,)
        Of these classes.
    """
    losses, requirement = here.losses, here.requirement
    too_many = losses.count - losses.allowed
    if too_many <= 0:
        return 0
    if not losses.are_people and not repeats(here.problem, requirement):
        return int(np.searchsorted(np.cumsum(records), too_many))

    def is_enough(place: int) -> bool:
        limit = _typed(requirement.models[index], limits[place])
        return limit is None or here.losses_under(requirement.with_limit(index, limit)).are_allowed

    return bisect_left(range(len(limits)), True, key=is_enough)


def _typed(model: PrivacyModel, critical: float) -> float | None:
    """The strictest threshold a person can type that a class of this critical value meets."""
    parameter = model.threshold_parameter()
    if not np.isfinite(critical) or not isinstance(parameter, Integer | Real):
        return None
    at_least = model.relation is Relation.AT_LEAST
    decimals = parameter.decimals if isinstance(parameter, Real) else 0
    step = Decimal(1).scaleb(-decimals)
    # As it is written, since 0.9 as a double lies above the 0.9 that it is compared with when typed.
    written = Decimal(repr(critical))
    exact = written.quantize(step, ROUND_FLOOR if at_least else ROUND_CEILING)
    limit = int(exact) if isinstance(parameter, Integer) else float(exact)
    asks_nothing = limit <= 1 if at_least else limit >= parameter.maximum
    return None if asks_nothing or limit < parameter.minimum else limit


def model_met_by(found: MeasuredModel) -> PrivacyModel | None:
    """Return the measured model with the strictest threshold that can be typed and that is met.

    None if the classes have no value, if its settings cannot be required, or if the threshold asks nothing.
    """
    if found.value is None:
        return None
    settings = {name: value for name, value in found.reported.items() if value is not None}
    if found.column:
        settings["column"] = found.column
    try:
        model = found.kind(**settings)
    except ParameterError:
        return None  # what was reported is no setting, such as an estimated population
    limit = _typed(model, float(found.value))
    return None if limit is None else model.with_limit(limit)


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


def largest_k(profile: ScoredNodes, requirement: Requirement, monitor: Monitor = SILENT) -> int | None:
    """Return the largest k below the required one with which a second node satisfies.

    Returns
    -------
    int or None
        None if no k is required, or only one node satisfies whatever it is.
    """
    index = next((i for i, model in enumerate(requirement.models) if isinstance(model, KAnonymity)), None)
    if index is None:
        return None

    def has_one_only(k: int) -> bool:
        monitor.step(0, 1)
        return evaluate(profile, requirement.with_limit(index, k)).n_satisfying < 2

    smaller = range(2, int(requirement.models[index].limit))
    place = bisect_left(smaller, True, key=has_one_only)
    return smaller[place - 1] if place else None


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
