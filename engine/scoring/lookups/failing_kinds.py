"""Kinds of classes that fail a requirement for other reasons than their size, one bit each."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.privacy import PrivacyModel, Requirement

if TYPE_CHECKING:
    from engine.scoring.cells.content_classes import ContentClasses
    from engine.scoring.scored import ScoredNodes

MOST_MODELS = 16  # models whose bits are cached, so that a turned knob marks only its own again

Bits = NDArray[np.uint8]


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
    models = [model for model in requirement.models if not (model.is_by_size or model.is_table_wide)]
    if not models:
        return None
    found = [profile.own.get("failing", m, lambda m=m: _marked(classes, m), MOST_MODELS) for m in models]  # type: ignore[misc]
    return reduce(np.bitwise_or, found)


def _marked(classes: ContentClasses, model: PrivacyModel) -> Bits:
    """Mark the failing contents of every worker, whose entries take turns."""
    workers = classes.by_worker()
    fails = np.zeros(len(classes.sizes), dtype=np.bool_)
    for first, own in enumerate(workers):
        met = model.fulfilled(own)
        np.logical_not(met, out=fails[first :: len(workers)][: len(met)])
    return np.packbits(fails, bitorder="little")
