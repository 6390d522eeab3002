"""Kinds of classes that fail a requirement for other reasons than their size, one bit each."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray, FloatArray
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.base import Relation

if TYPE_CHECKING:
    from engine.scoring.cells.content_classes import ContentClasses
    from engine.scoring.scored import ScoredNodes

MOST_MODELS = 16  # models whose bits are cached, so that a turned knob marks only its own again
MOST_ORDERS = 8  # models whose kinds are sorted, apart from their threshold

Bits = NDArray[np.uint8]


class _Marks(NamedTuple):
    """Kinds that fail a threshold: those at places `start` to `stop` of the order."""

    start: int
    stop: int
    fails: BoolArray


class Ordered:
    """Kinds in the order of the strictest threshold that they meet; each threshold fails a part of them.

    Another threshold marks only the kinds between both. No kind meets a threshold if its value is unknown.
    """

    def __init__(self, classes: ContentClasses, model: PrivacyModel) -> None:
        workers = classes.by_worker()
        self.relation = model.relation
        never = -np.inf if self.relation is Relation.AT_LEAST else np.inf
        met = np.full(len(classes.sizes), -never)  # places that no worker uses never fail
        for first, own in enumerate(workers):
            critical = np.asarray(model.critical(own), dtype=np.float64)
            known = met[first :: len(workers)][: len(critical)]
            np.copyto(known, critical)
            known[np.isnan(critical)] = never
        self._order = np.argsort(met, kind="stable").astype(np.int32)
        self._met: FloatArray = met[self._order]
        self._last = _Marks(0, 0, np.zeros(len(met), dtype=np.bool_))  # replaced as a whole

    def bits(self, limit: float) -> Bits:
        """Return a bit per kind, set if it fails a threshold."""
        last = self._last
        if self.relation is Relation.AT_LEAST:
            start, stop = 0, int(np.searchsorted(self._met, limit, side="left"))
        else:
            start, stop = int(np.searchsorted(self._met, limit, side="right")), len(self._met)
        fails = last.fails.copy()
        if last.start == last.stop:
            fails[self._order[start:stop]] = True
        else:
            for one, other in ((start, last.start), (stop, last.stop)):
                between = self._order[min(one, other) : max(one, other)]
                fails[between] = ~fails[between]
        self._last = _Marks(start, stop, fails)
        return np.packbits(fails, bitorder="little")

    def ranks(self, thresholds: FloatArray) -> NDArray[np.int16]:
        """Return the rank of every kind among ascending thresholds, from 1; see `failing_ranks`."""
        # AT_LEAST: rank - 1 thresholds are met. AT_MOST: rank - 1 fail.
        side: Literal["left", "right"] = "left" if self.relation is Relation.AT_LEAST else "right"
        steps = np.bincount(np.searchsorted(self._met, thresholds, side=side), minlength=len(self._met) + 1)
        ranks = np.empty(len(self._met), dtype=np.int16)
        ranks[self._order] = 1 + np.cumsum(steps[:-1])
        return ranks


def by_content(requirement: Requirement) -> tuple[PrivacyModel, ...]:
    """Return the models that select kinds of classes for other reasons than their size."""
    return tuple(model for model in requirement.models if not (model.is_by_size or model.is_table_wide))


def failing_kinds(profile: ScoredNodes, classes: ContentClasses, requirement: Requirement) -> Bits | None:
    """Return a bit per kind, lowest first, set if a model fails; None if class sizes alone decide.

    Parameters
    ----------
    profile : ScoredNodes
        A complete profile, which caches the bits of each model.
    classes : ContentClasses
        The contents of the profile.
    requirement : Requirement
        Models on class sizes are not evaluated.
    """
    models = by_content(requirement)
    if not models:
        return None
    return failing_any(profile, classes, models)


def failing_any(profile: ScoredNodes, classes: ContentClasses, models: Sequence[PrivacyModel]) -> Bits:
    """Return a bit per kind, lowest first, set if one of some models fails."""

    def bits(model: PrivacyModel) -> Bits:
        return profile.own.get("failing", model, lambda: _marked(profile, classes, model), MOST_MODELS)

    none = np.zeros(-(-len(classes.sizes) // 8), dtype=np.uint8)
    return reduce(np.bitwise_or, (bits(model) for model in models), none)


def _marked(profile: ScoredNodes, classes: ContentClasses, model: PrivacyModel) -> Bits:
    """Mark the failing contents of every worker, whose entries take turns."""
    ordered = ordered_kinds(profile, classes, model)
    if ordered is not None:
        return ordered.bits(model.limit)
    workers = classes.by_worker()
    fails = np.zeros(len(classes.sizes), dtype=np.bool_)
    for first, own in enumerate(workers):
        met = model.fulfilled(own)
        np.logical_not(met, out=fails[first :: len(workers)][: len(met)])
    return np.packbits(fails, bitorder="little")


def ordered_kinds(profile: ScoredNodes, classes: ContentClasses, model: PrivacyModel) -> Ordered | None:
    """Return the kinds in the order of the thresholds of a model; None if it has another condition."""
    if type(model).fulfilled is not PrivacyModel.fulfilled:
        return None
    key = apart_from_threshold(model)
    return profile.own.get("ordered kinds", key, lambda: Ordered(classes, model), MOST_ORDERS)


def apart_from_threshold(model: PrivacyModel) -> Hashable:
    """Return what is equal for models that differ in their threshold only."""
    others = tuple(
        (field.name, getattr(model, field.name))
        for field in dataclasses.fields(model)  # type: ignore[arg-type]  # members are dataclasses
        if field.name != model.threshold_name
    )
    return type(model), others
