"""Thresholds at which something changes for one node, as a person would type them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np

from engine.kernels.arrays import BoolArray
from engine.params import Integer, Param, Real, describe
from engine.privacy import PrivacyModel, Relation
from engine.privacy.table_wide import TableWideModel, kept_table
from engine.scoring.star_causes import StarClasses

_LIMIT_STEP = Decimal("0.0001")  # of the suppression limit: a hundredth of a percent


def limit_above(suppressed: int, n_records: int) -> float:
    """The least suppression limit, to a hundredth of a percent, that allows so many records."""
    share = Decimal(suppressed) / Decimal(n_records)
    return float(share.quantize(_LIMIT_STEP, ROUND_CEILING))


def limit_below(suppressed: int, n_records: int) -> float:
    """The largest suppression limit, to a hundredth of a percent, that allows fewer records.

    Parameters
    ----------
    suppressed : int
        At least 1.
    n_records : int
    """
    return float(Decimal(str(limit_above(suppressed, n_records))) - _LIMIT_STEP)


def next_limits(here: StarClasses, index: int, too_many: int) -> Iterator[float]:
    """Yield weaker thresholds of one model that keep more records of a node, the others unchanged.

    First the strictest one that keeps any more; then, where suppressed records exceed the limit, the
    strictest by which they do not. Of a model that judges what is kept as a whole it is the strictest that
    is met, where its own is not. A threshold that asks nothing any more is left out.

    Parameters
    ----------
    here : StarClasses
    index : int
        Place of the model in the requirement.
    too_many : int
        Suppressed records beyond the limit.
    """
    model = here.requirement.models[index]
    if isinstance(model, TableWideModel):
        kept = kept_table(here.problem, here.classes, here.kept)
        figure = model.figures(kept, np.ones(1, dtype=np.bool_)).item()
        limit = _typed(model, figure)
        if figure > model.limit and limit is not None:
            yield limit
        return
    others: BoolArray = np.ones(len(here.sizes), dtype=np.bool_)
    for place, other in enumerate(here.requirement.models):
        if place != index:
            others &= other.fulfilled(here.classes)
    only = np.flatnonzero(others & ~here.kept)
    if not len(only):
        return
    critical = model.critical(here.classes)[only].astype(np.float64)
    order = np.argsort(-critical if model.relation is Relation.AT_LEAST else critical, kind="stable")
    saved = np.cumsum(here.sizes[only[order]])
    enough = int(np.searchsorted(saved, too_many)) if too_many else 0
    known: set[float] = set()
    for place in (0, enough):
        if place >= len(order):
            continue
        limit = _typed(model, float(critical[order[place]]))
        if limit is not None and limit not in known:
            known.add(limit)
            yield limit


def _typed(model: PrivacyModel, critical: float) -> float | None:
    """The strictest threshold a person can type that a class of this critical value meets."""
    parameter: Param = next(p for p in describe(type(model)) if p.name == model.threshold_name)
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
