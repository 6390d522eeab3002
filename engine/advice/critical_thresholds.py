"""Thresholds at which something changes for one node, as a person would type them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np

from engine.kernels.arrays import Counts
from engine.params import Integer, Real
from engine.privacy import PrivacyModel, Relation
from engine.privacy.repetition import repeats
from engine.privacy.table_wide import TableWideModel, kept_table
from engine.scoring.nodes.suppression_causes import NodeSuppression

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
