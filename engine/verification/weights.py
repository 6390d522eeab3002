"""Survey weights in a verification: exact sums of the weights of the records of classes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

from engine.verification.claims import ColumnKind
from engine.verification.classes import Classes
from engine.verification.findings import UnverifiableError
from engine.verification.subsets import value_of
from engine.words import _

_INT64_BOUND = 2**62  # sums below it cannot overflow 64 bits; larger ones use Python's integers


@dataclass(frozen=True)
class Weights:
    """Weights of some records, as whole multiples of a fraction.

    Attributes
    ----------
    each : Series of int
        Multiple of a record of each row.
    units : Series of int
        Multiple of all its records.
    per_one : int
        Multiples of a weight of 1.
    """

    each: pd.Series[int]
    units: pd.Series[int]
    per_one: int

    @classmethod
    def of(cls, name: str, texts: pd.Series[str], kind: ColumnKind, counts: pd.Series[int]) -> Weights:
        """Return the weights of all records of the original, given the cell and the records of each row.

        Raises
        ------
        UnverifiableError
            A cell is not a number above 0.
        """
        weights: dict[str, Fraction] = {}
        for text in texts.unique().tolist():
            number = value_of(text, kind)
            if not isinstance(number, Fraction) or number <= 0:
                raise UnverifiableError(
                    _("The weight {text!r} in '{name}' is not a number above 0.").format(text=text, name=name)
                )
            weights[text] = number
        per_one = math.lcm(*(weight.denominator for weight in weights.values()))
        units = {text: int(weight * per_one) for text, weight in weights.items()}
        fits = max(units.values(), default=0) * int(counts.sum()) < _INT64_BOUND
        each = texts.map(units).astype("int64" if fits else object)
        return cls(each, each * counts, per_one)

    def at(self, rows: pd.Index[int], counts: pd.Series[int]) -> Weights:
        """Return the weights of some rows, of which each has as many records as `counts` says."""
        each = self.each.loc[rows].reset_index(drop=True)
        return Weights(each, each * counts.reset_index(drop=True), self.per_one)

    def people(self, classes: Classes) -> list[Fraction]:
        """Return the sum of the weights of each class of the same rows."""
        sums = self.units.groupby(classes.of_record).sum()
        return [Fraction(int(units), self.per_one) for units in sums.reindex(classes.sizes.index).tolist()]
