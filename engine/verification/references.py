"""Distributions of sensitive columns in the original, with which classes are compared."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from engine.verification.cells import value_paths
from engine.verification.claims import ReleaseClaim
from engine.verification.classes import Reference
from engine.verification.collecting import Vocabulary
from engine.verification.findings import UnverifiableError
from engine.verification.models.base import Model, usual_distance
from engine.words import _


def distance_of(claim: ReleaseClaim, name: str, models: Sequence[Model]) -> str:
    """Return the distance used for the claimed t of a column."""
    by_model = next((model.distance for model in models if _is_t_of(model, name)), "")
    usual = by_model or usual_distance(name, claim.order_types)
    return str(claim.distances.get(name, usual))


def reference_of(
    claim: ReleaseClaim,
    name: str,
    counts: pd.Series[int],
    vocabulary: Vocabulary,
    models: Sequence[Model],
) -> Reference:
    """Return the distribution of a sensitive column.

    Parameters
    ----------
    claim : ReleaseClaim
    name : str
    counts : Series of int
        By value; of persons with their weights, if persons count.
    vocabulary : Vocabulary
    models : sequence of Model
    """
    distance = distance_of(claim, name, models)
    used = {distance, *(model.distance for model in models if _is_t_of(model, name))}
    levels = _levels(claim, name, counts, vocabulary) if "hierarchical" in used else ()
    if "ordered" not in used:
        return Reference(counts, levels=levels)
    if name not in claim.order_types:
        raise UnverifiableError(_("The order of the values of '{name}' is missing.").format(name=name))
    order = tuple(vocabulary.code(text) for text in claim.order_types[name])
    if len(set(order)) != len(order) or set(order) != set(counts.index):
        raise UnverifiableError(
            _("The order given for '{name}' does not contain exactly its distinct values.").format(name=name)
        )
    if claim.missing and vocabulary.code(claim.missing[0]) in order:
        raise UnverifiableError(
            _("'{name}' has missing values, so the ordered distance is not defined.").format(name=name)
        )
    return Reference(counts, order, levels)


def _levels(
    claim: ReleaseClaim, name: str, counts: pd.Series[int], vocabulary: Vocabulary
) -> tuple[dict[int, int], ...]:
    """Return the group of every value of a sensitive column, per level below the root."""
    paths = value_paths(claim, name, list(counts.index), vocabulary)
    levels = [dict(zip(paths, labels, strict=True)) for labels in zip(*paths.values(), strict=True)]
    # A single label on the highest level is the root; several labels get a root above them.
    return tuple(levels[:-1] if len(set(levels[-1].values())) == 1 else levels)


def _is_t_of(model: Model, name: str) -> bool:
    return model.key == "t_closeness" and model.column == name
