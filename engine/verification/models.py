"""The privacy models the judge knows: which classes meet one, and why a class does not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

from engine.verification.claims import ModelClaim
from engine.verification.classes import Classes, Reference
from engine.verification.findings import UnjudgeableError

_TITLES = {
    "k_anonymity": "k-anonymity with k = {}",
    "distinct_l_diversity": "distinct l-diversity of '{}' with l = {}",
    "t_closeness": "t-closeness of '{}' with t = {} ({} distance)",
}
_THRESHOLDS = {"k_anonymity": "k", "distinct_l_diversity": "l", "t_closeness": "t"}


@dataclass(frozen=True)
class Model:
    """A model with its threshold as an exact fraction."""

    key: str
    threshold: Fraction
    title: str
    column: str = ""
    distance: str = ""

    def met_by(
        self, classes: Classes, values: pd.DataFrame, references: Mapping[str, Reference]
    ) -> pd.Series[bool]:
        """Whether each class meets the model, `values` being the sensitive codes of the same records."""
        if self.key == "k_anonymity":
            return classes.sizes >= math.ceil(self.threshold)
        if self.key == "distinct_l_diversity":
            return classes.distinct(values[self.column]) >= math.ceil(self.threshold)
        distances = classes.distances(values[self.column], references[self.column], self.distance)
        return distances.at_most(self.threshold)


def model_of(
    claim: ModelClaim, sensitive: Sequence[str], original: pd.DataFrame, order_types: Mapping[str, object]
) -> Model:
    """Understand a claimed model.

    Raises
    ------
    UnjudgeableError
        If the model is unknown, or lacks a column or a threshold that makes sense.
    """
    if claim.key not in _TITLES:
        raise UnjudgeableError(f"The model '{claim.key}' cannot be judged.")
    name = _THRESHOLDS[claim.key]
    threshold = fraction(claim.parameters.get(name), f"the {name} of {claim.key}")
    if claim.key == "k_anonymity":
        return Model(claim.key, threshold, _TITLES[claim.key].format(claim.parameters[name]))
    column = str(claim.parameters.get("column"))
    if column not in sensitive or column not in original.columns:
        raise UnjudgeableError(f"The model '{claim.key}' speaks of '{column}', which is no sensitive column.")
    distance = ""
    if claim.key == "t_closeness":
        distance = str(claim.parameters.get("distance") or usual_distance(column, order_types))
        if distance not in ("equal", "ordered"):
            raise UnjudgeableError(f"The distance '{distance}' of '{column}' cannot be judged.")
        threshold = min(threshold, Fraction(2))  # no distance exceeds 1, and floats have an end
    title = _TITLES[claim.key].format(column, claim.parameters[name], distance)
    return Model(claim.key, threshold, title, column, distance)


def usual_distance(column: str, order_types: Mapping[str, object]) -> str:
    """The distance of a column where none is named."""
    return "ordered" if column in order_types else "equal"


def fraction(typed: object, what: str) -> Fraction:
    """A number exactly as typed; a float counts as its shortest decimal.

    Raises
    ------
    UnjudgeableError
        If it is no number, or below 0.
    """
    try:
        number = Fraction(str(typed))
    except (ValueError, ZeroDivisionError):
        raise UnjudgeableError(f"As {what}, {typed!r} is no number.") from None
    if number < 0:
        raise UnjudgeableError(f"As {what}, {typed!r} is below 0.")
    return number
