"""Distributions of sensitive values in classes: whether each class meets a bound.

Ratios of counts, or of integer weights if persons count, are exact fractions, rounded once when they
are compared. Logarithms are doubles; a class within a relative 1e-9 (entropy) or 1e-12 (caps,
disclosure) of its bound has reached it, as the models define.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

import pandas as pd

from engine.verification.classes import INT64_BOUND, Classes, Ratios, Reference

_ENTROPY_TOLERANCE, _TOLERANCE = 1e-9, 1e-12
_EULER = 0.5772156649015329


def largest_share_at_most(classes: Classes, values: pd.Series[int], alpha: Fraction) -> pd.Series[bool]:
    """Return whether no value of a class exceeds a share of its persons (or records)."""
    return Ratios(classes.most_holders(values), classes.sizes).at_most(alpha)


def tail_ratio_below(classes: Classes, values: pd.Series[int], c: Fraction, rank: int) -> pd.Series[bool]:
    """Return whether the most frequent value of each class is below c times the sum from a rank on."""
    pairs = classes.pairs(values).sort_values(["group", "count"], ascending=[True, False])
    groups = pairs["group"]
    tails = pairs["count"].where(groups.groupby(groups).cumcount() >= rank - 1, 0).groupby(groups).sum()
    most = pairs["count"].groupby(groups).max()
    return Ratios(most, tails.where(tails > 0, 1)).below(c) & (tails > 0)


def shannon_at_least(classes: Classes, values: pd.Series[int], least: Fraction) -> pd.Series[bool]:
    """Return whether e to the entropy of each class reaches a number of values."""
    pairs = _with_sizes(classes, values)
    # log1p((n - c) / c) is log(n / c) without loss of digits if c is nearly n.
    logarithms = ((pairs["size"] - pairs["count"]) / pairs["count"]).map(math.log1p)
    return _powers(pairs, logarithms) >= float(least) * (1 - _ENTROPY_TOLERANCE)


def grassberger_at_least(classes: Classes, values: pd.Series[int], least: Fraction) -> pd.Series[bool]:
    """Return the same by Grassberger's estimator [1], which also requires that many distinct values.

    References
    ----------
    .. [1] Grassberger (2003). Entropy Estimates from Insufficient Samplings. arXiv physics/0307138.
    """
    pairs = _with_sizes(classes, values)
    steps = (2 / (2 * k - 1) for k in range(1, int(pairs["size"].max()) // 2 + 1))
    g = pd.Series(list(accumulate(steps, initial=-_EULER - math.log(2))))  # by half the count
    halves = pairs[["size", "count"]] // 2
    differences = halves["size"].map(g) - halves["count"].map(g)
    is_diverse = _powers(pairs, differences) >= float(least) * (1 - _ENTROPY_TOLERANCE)
    return is_diverse & (classes.distinct(values) >= float(least) * (1 - _ENTROPY_TOLERANCE))


def gains_at_most(
    classes: Classes, values: pd.Series[int], reference: Reference, beta: Fraction, *, capped: bool
) -> pd.Series[bool]:
    """Return whether every value's share of a class is at most 1 + beta times its share of the original.

    With `capped`, the relative gain is also at most the negative logarithm of the original share.
    """
    pairs = _against_original(classes, values, reference)
    whole = pairs["whole"].where(pairs["whole"] > 0, 1)
    due = whole * pairs["size"]
    gains = Ratios(pairs["count"] * reference.mass - due, due)
    met = gains.at_most(beta) & (pairs["whole"] > 0)
    if capped:
        caps = ((reference.mass - whole) / whole).map(math.log1p)
        met &= gains.rounded <= caps * (1 + _TOLERANCE)
    return met.groupby(pairs["group"]).all()


def disclosure_at_most(
    classes: Classes, values: pd.Series[int], reference: Reference, delta: Fraction
) -> pd.Series[bool]:
    """Return whether the shares of class and original differ by at most delta in natural logarithms.

    False for a class without some value of the original.
    """
    pairs = _against_original(classes, values, reference)
    own, due = pairs["count"] * reference.mass, pairs["whole"] * pairs["size"]
    larger, smaller = own.where(own > due, due), own.where(own < due, due)
    known = smaller > 0
    excess = ((larger - smaller) / smaller.where(known, 1)).astype("float64").map(math.log1p)
    met = known & (excess * (1 - _TOLERANCE) <= float(delta))
    return met.groupby(pairs["group"]).all() & (classes.distinct(values) == len(reference.counts))


def _with_sizes(classes: Classes, values: pd.Series[int]) -> pd.DataFrame:
    pairs = classes.pairs(values)
    return pairs.assign(size=pairs["group"].map(classes.mass))


def _against_original(classes: Classes, values: pd.Series[int], reference: Reference) -> pd.DataFrame:
    """Return counts in class and original, as Python integers if products are large."""
    pairs = _with_sizes(classes, values)
    pairs["whole"] = reference.of(pairs["value"])
    if reference.mass**2 >= INT64_BOUND:
        pairs = pairs.astype({"count": object, "size": object, "whole": object})
    return pairs


def _powers(pairs: pd.DataFrame, logarithms: pd.Series[float]) -> pd.Series[float]:
    """Return e to the mean of a logarithm over the records of each class."""
    sums = (pairs["count"] * logarithms).groupby(pairs["group"]).sum()
    return (sums / pairs["size"].groupby(pairs["group"]).first()).map(math.exp)
