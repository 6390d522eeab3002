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
    units : Series of int
        Multiple per row, of all its records.
    per_one : int
        Multiples of a weight of 1.
    """

    units: pd.Series[int]
    per_one: int

    @classmethod
    def of(
        cls, name: str, texts: pd.Series[str], kind: ColumnKind, counts: pd.Series[int] | None = None
    ) -> Weights:
        """Return the weights of all records of the original, given its cells.

        Every row is one record, or as many as `counts` says.

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
        n_records = len(texts) if counts is None else int(counts.sum())
        fits = max(units.values(), default=0) * n_records < _INT64_BOUND
        of_row = texts.map(units).astype("int64" if fits else object)
        return cls(of_row if counts is None else of_row * counts, per_one)

    def at(self, rows: pd.Index[int]) -> Weights:
        """Return the weights of some rows, in their order."""
        return Weights(self.units.loc[rows], self.per_one)

    def people(self, classes: Classes) -> list[Fraction]:
        """Return the sum of the weights of each class of the same rows."""
        sums = self.units.reset_index(drop=True).groupby(classes.of_record).sum()
        return [Fraction(int(units), self.per_one) for units in sums.reindex(classes.sizes.index).tolist()]
