"""Text of measured values and thresholds of privacy models."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from engine.frequency.counted import RECORDS, Noun
from engine.numbers import (
    DASH,
    UNBOUNDED,
    as_decimal,
    as_exact_count,
    as_general,
    as_percent,
    as_significant,
    as_typed,
    decimal_mark,
    with_unit,
)
from engine.params import Integer, Real
from engine.privacy.base import PrivacyModel
from engine.words import _

if TYPE_CHECKING:
    from engine.privacy.values import MeasuredModel

_LARGE = 100
_SMALL = 0.001  # smaller values are shown with two more digits


def value_text(found: MeasuredModel) -> str:
    """Return a measured value: counts as integers, shares as percent, others with three decimals."""
    if found.value is None:
        return DASH
    if math.isinf(found.value):
        return UNBOUNDED
    if is_count(found.kind):
        return as_exact_count(found.value)
    if is_share(found.kind):
        return as_percent(found.value, keep_zeros=True)
    return as_decimal(found.value, 3) if found.value < _LARGE else as_significant(found.value)


def figure_text(kind: type[PrivacyModel], value: float, decimals: int) -> str:
    """Return a model's value of a node: counts as integers, shares as percent, small numbers in full."""
    if is_count(kind):
        return as_exact_count(value)
    if is_share(kind):
        return as_percent(value, keep_zeros=True)
    return as_decimal(value, decimals + 2 if 0 < abs(value) < _SMALL else decimals)


def limit_text(model: PrivacyModel, limit: float | None = None) -> str:
    """Return a threshold as typed: integers as such, shares as percent, others with two decimals or more.

    `limit` is another threshold of the same model; by default the model's own.
    """
    limit = model.limit if limit is None else limit
    if is_count(type(model)):
        return as_exact_count(limit)
    if is_share(type(model)):
        return share_text(limit)
    text = f"{limit:.2f}"
    return (text if float(text) == limit else repr(float(limit))).replace(".", decimal_mark())


def parameters_text(found: MeasuredModel) -> str:
    """Return the other parameters of a measured value: "l = 3", "ordered"."""
    words = []
    for name, value in found.reported.items():
        if value is not None:
            if isinstance(value, bool):
                words += [_(name)] if value else []
            elif isinstance(value, int):
                words.append(f"{name} = {as_exact_count(value)}")
            elif isinstance(value, float):
                words.append(f"{name} = {as_general(value)}")
            else:
                words.append(_(str(value)))
    return ", ".join(words)


def titled(found: MeasuredModel, counted: Noun = RECORDS) -> str:
    """Return the name of the model with its other parameters: "t-closeness, ordered"."""
    return ", ".join(filter(None, (counted.worded(found.kind, "title"), parameters_text(found))))


def explained(kind: type[PrivacyModel]) -> str:
    """Return what a model means and protects from, for a tooltip."""
    attacks = ", ".join(attack.title for attack in kind.protects)
    return _("{summary}\nProtects against {attacks}.\n{source}").format(
        summary=kind.summary, attacks=attacks, source=kind.source
    )


def is_count(kind: type[PrivacyModel]) -> bool:
    """Return whether the values of a model are whole numbers."""
    threshold = kind.threshold_parameter()
    return isinstance(threshold, Integer)


def is_share(kind: type[PrivacyModel]) -> bool:
    """Return whether the values of a model are shares, which people read as percent."""
    threshold = kind.threshold_parameter()
    return isinstance(threshold, Real) and threshold.is_share


def share_text(share: float) -> str:
    """Return a share that was typed, with all its digits: 20 %, 0.125 %."""
    return with_unit(as_typed(share * 100, 0), "%")
