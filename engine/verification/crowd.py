"""The population as the judge counts it: people per class, and the models that ask for them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

import pandas as pd

from engine.verification.classes import Classes
from engine.verification.findings import UnjudgeableError

CROWD_MODELS = ("k_map", "delta_presence")
_NEAR = 1e-9  # relative; how exactly a probability is known here


class Crowd:
    """The people of the population on the levels of a node.

    Parameters
    ----------
    people : DataFrame or None
        Codes of everybody's labels per quasi-identifier; None where only their number is known.
    size : Fraction or None
        How many they are.
    persons : Series of int, optional
        Whose each row is, where somebody may have several; each row is another person otherwise.
    """

    def __init__(
        self, people: pd.DataFrame | None, size: Fraction | None, persons: pd.Series[int] | None = None
    ) -> None:
        self.size = size
        self._counts: dict[tuple[int, ...], int] | None = None
        if people is not None:
            self._counts = {}
            if persons is not None:
                people = people[~people.assign(person=persons).duplicated()]
            for row in people.to_numpy().tolist():
                labels = tuple(row)
                self._counts[labels] = self._counts.get(labels, 0) + 1

    def members(self, classes: Classes, labels: pd.DataFrame) -> pd.Series[int]:
        """How many people have the labels of each class.

        Parameters
        ----------
        classes : Classes
        labels : DataFrame
            Codes of the labels of the records that the classes are made of.

        Raises
        ------
        UnjudgeableError
            If the people are not known one by one.
        """
        if self._counts is None:
            raise UnjudgeableError("No table of the population is given to count people in.")
        first = (~classes.of_record.duplicated()).tolist()
        numbers = classes.of_record[first].tolist()
        rows = labels[first].to_numpy().tolist()
        found = {number: self._counts.get(tuple(row), 0) for number, row in zip(numbers, rows, strict=True)}
        return pd.Series(found, dtype="int64").reindex(classes.sizes.index)

    def holds_all(self, classes: Classes, labels: pd.DataFrame) -> bool:
        """Whether everybody of the population is in one of the classes."""
        return int(self.members(classes, labels).sum()) == sum((self._counts or {}).values())

    def met(
        self,
        key: str,
        threshold: Fraction,
        classes: Classes,
        labels: pd.DataFrame,
        *,
        n_records: int,
        words: Mapping[str, str],
        reals: Mapping[str, Fraction],
    ) -> pd.Series[bool]:
        """Whether each class meets k-map (with k as threshold) or delta-presence (with the maximum).

        Raises
        ------
        UnjudgeableError
            If the population it asks for is not known.
        """
        sizes = classes.sizes
        if key == "k_map" and words["estimator"] == "table":
            return self.members(classes, labels) >= math.ceil(threshold)
        if key == "k_map":
            if self.size is None or self.size < n_records:
                raise UnjudgeableError("No size of the population is given that the records fit in.")
            rate = float(n_records * threshold / self.size)
            truncated = words["estimator"] == "zero_truncated_poisson"
            found = {
                size: size >= threshold or _tail(size, rate, truncated) <= _above(reals["significance"])
                for size in set(sizes.tolist())
            }
            return sizes.map(found).astype(bool)
        low, high = float(reals["minimum"]), float(threshold)
        pairs = zip(sizes.tolist(), self.members(classes, labels).tolist(), strict=True)
        met = [n > 0 and low <= size / n <= high for size, n in pairs]
        return pd.Series(met, index=sizes.index, dtype=bool)


def _above(significance: Fraction) -> float:
    return float(significance) * (1 + _NEAR)


@lru_cache(maxsize=65_536)
def _tail(count: int, rate: float, truncated: bool) -> float:
    """P(X >= count) of a Poisson variable, or of one truncated at zero, term by term."""
    if rate >= count:  # its own terms still grow: count what is below instead
        below = range(1 if truncated else 0, count)
        terms = [math.exp(n * math.log(rate) - rate - math.lgamma(n + 1)) for n in below]
        whole = -math.expm1(-rate) if truncated else 1.0
        return 1 - math.fsum(terms) / whole
    term = math.exp(count * math.log(rate) - rate - math.lgamma(count + 1))
    terms, number = [], count
    while term > 0 and (not terms or term > terms[0] * 1e-18):
        terms.append(term)
        number += 1
        term *= rate / number
    return math.fsum(terms) / (-math.expm1(-rate) if truncated else 1.0)
