"""Risks of records of a weighted sample: of single records, of households, and of special uniques.

The population frequency F of a class is estimated by the sum of its weights. Given the f records of the class
it follows a negative binomial distribution, and the risk of a record is the mean of 1 / F [1]_, [2]_.

References
----------
.. [1] Benedetti, Franconi (1998). Statistical and Technological Solutions for Controlled Data Dissemination.
   Pre-proceedings of New Techniques and Technologies for Statistics.
.. [2] Franconi, Polettini (2004). Individual Risk Estimation in mu-Argus: A Review. Privacy in Statistical
   Databases, LNCS 3050.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.kernels.arrays import BoolArray, FloatArray, IntArray

_FEW = 50  # records of a class from which on the series converges quickly for any sampling fraction
_TERMS = 64  # of the series; the next one is below 2**-64 of the sum
_ROUNDING = 1e-12  # relative, of sums of weights


def individual_risks(sizes: IntArray, people: FloatArray, *, exact: bool = False) -> FloatArray:
    """Return the individual risk of the records of every class.

    Parameters
    ----------
    sizes : ndarray of int, shape (n_classes,)
        Records f per class, at least 1.
    people : ndarray of float64, shape (n_classes,)
        Sum F of the weights per class.
    exact : bool
        Whether classes of 3 and more records have the exact mean; otherwise p / (f - (1 - p)) with p = f / F,
        the usual approximation.

    Returns
    -------
    ndarray of float64, shape (n_classes,)
        1 / f if F is not above f.
    """
    records = np.asarray(sizes, dtype=np.float64)
    people = np.asarray(people, dtype=np.float64)
    risks = 1 / records
    is_sampled = people > records
    rest = is_sampled & (exact | (records < 3))
    risks[rest] = _means(records[rest], people[rest])
    rest = is_sampled & ~rest
    own, of_all = records[rest], people[rest]
    risks[rest] = own / (of_all * (own - 1) + own)  # p / (f - (1 - p)), with fewer roundings
    return risks


def _means(records: FloatArray, people: FloatArray) -> FloatArray:
    """Return the mean of 1 / F: p**f / f * 2F1(f, f; f + 1; 1 - p), by p * J(f).

    J(f), the integral of s**(f - 1) / (p + (1 - p) s) from 0 to 1, is 2F1(1, 1; f + 1; 1 - p) / f: a series
    that converges quickly for large classes and fractions above a half. In other classes, J follows from
    J(1) = ln(1 / p) / (1 - p) by J(i + 1) = (1 / i - p J(i)) / (1 - p), which is stable for p up to a half.
    """
    p, q = records / people, (people - records) / people
    by_series = (q < 0.5) | (records >= _FEW)
    term = np.ones(int(np.count_nonzero(by_series)))
    total = term.copy()
    for n in range(_TERMS):
        term = term * ((n + 1) / (records[by_series] + 1 + n) * q[by_series])
        total += term
    integrals = np.empty(len(records))
    integrals[by_series] = total / records[by_series]
    steps, own_p, own_q = records[~by_series], p[~by_series], q[~by_series]
    found = -np.log(own_p) / own_q
    for i in range(1, int(steps.max(initial=1))):
        found = np.where(steps > i, (1 / i - own_p * found) / own_q, found)
    integrals[~by_series] = found
    return np.asarray(p * integrals)


def household_risks(risks: FloatArray, households: IntArray, counts: IntArray | None = None) -> FloatArray:
    """Return the risk that any record of its household is re-identified, for every row.

    Parameters
    ----------
    risks : ndarray of float64, shape (n_rows,)
        Risks of the records, which are taken as independent.
    households : ndarray of int, shape (n_rows,)
        Number of the household of every row; negative for records without one.
    counts : ndarray of int, shape (n_rows,), optional
        Equal records of each row; by default each row is a record.

    Notes
    -----
    Equal risks of a household are counted and the others taken in their order, so that the result does not
    depend on the order of rows, nor on which equal records are one row.
    """
    known = np.flatnonzero(households >= 0)
    known = known[np.lexsort((risks[known], households[known]))]
    found, own, of_whom = risks.copy(), risks[known], households[known]
    is_first = np.ones(len(known), dtype=np.bool_)
    is_first[1:] = (own[1:] != own[:-1]) | (of_whom[1:] != of_whom[:-1])
    n_equal = np.bincount(np.cumsum(is_first) - 1, weights=None if counts is None else counts[known])
    with np.errstate(divide="ignore"):
        none = np.bincount(of_whom[is_first], weights=np.log1p(-own[is_first]) * n_equal)
    found[known] = -np.expm1(none)[of_whom]
    return found


def score_of_size(size: int, n_columns: int, largest: int) -> float:
    """Return the score of a minimal unique set: product of n_columns - i, i from size to `largest`.

    A set of all columns scores 1.

    Parameters
    ----------
    size : int
        Columns of the set.
    n_columns : int
        All columns.
    largest : int
        Columns of the largest sets that are searched; below `n_columns`, or else taken for one less.
    """
    score = 1.0
    for i in range(size, min(largest, n_columns - 1) + 1):
        score *= n_columns - i
    return score


def intruder_success(uniques: int, pairs: int, fraction: float) -> float:
    """Return the probability that a unique match is correct (DIS), estimated for a sampling fraction [1]_.

    Parameters
    ----------
    uniques : int
        Unique records.
    pairs : int
        Records in classes of two.
    fraction : float
        Records / population, in (0, 1].

    References
    ----------
    .. [1] Skinner, Elliot (2002). A Measure of Disclosure Risk for Microdata. JRSS B 64(4), 855-867.
    """
    if not uniques:
        return 0.0
    return uniques * fraction / (uniques * fraction + pairs * (1 - fraction))


def success_by_score(scores: FloatArray, uniques: int, success: float, n_columns: int) -> FloatArray:
    """Return the probability of a correct match of every record (DIS-SUDA), as sdcMicro distributes DIS.

    Parameters
    ----------
    scores : ndarray of float64, shape (n_records,)
        Scores of special uniques.
    uniques : int
        Unique records.
    success : float
        `intruder_success`.

    Notes
    -----
    The exponent is a convention of sdcMicro without a publication.
    """
    found = np.zeros(len(scores))
    has_score: BoolArray = scores > 0
    if not has_score.any() or success <= 0:
        return found
    powers = scores[has_score] ** (1 + (8 - n_columns) / 20)
    shared = (uniques / success - uniques) / (1 / powers).sum()
    found[has_score] = 1 / (1 + shared / powers)
    return found


def weighted_mean(numbers: FloatArray, weights: FloatArray) -> float:
    """Return the mean of numbers with weights, of which one at least is above 0."""
    return float(np.average(numbers, weights=weights))


def weighted_quantile(numbers: FloatArray, weights: FloatArray, share: float) -> float:
    """Return the least number at or below which a share of the weights is.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n_numbers,)
        In any order.
    weights : ndarray of float64, shape (n_numbers,)
        At least one is above 0.
    share : float
        In (0, 1], such as 0.5 for the median.
    """
    order = np.argsort(numbers, kind="stable")
    reached = np.cumsum(weights[order])
    place = np.searchsorted(reached, share * reached[-1] * (1 - _ROUNDING))
    return float(numbers[order[min(int(place), len(order) - 1)]])


def weighted_shares(codes: IntArray, weights: FloatArray, n_values: int) -> FloatArray:
    """Return the share of the weights that each value has, shape (n_values,); zeros without records."""
    amounts = np.bincount(codes, weights=weights, minlength=n_values)
    total = float(amounts.sum())
    return np.asarray(amounts / total if total else amounts, dtype=np.float64)


class WeightedNumbers(NamedTuple):
    """Weighted mean and quartiles of the numbers of a column."""

    mean: float
    lower_quartile: float
    median: float
    upper_quartile: float


def weighted_numbers(numbers: FloatArray, weights: FloatArray) -> WeightedNumbers | None:
    """Return the weighted mean and the quartiles of numbers; None without weights."""
    if not weights.any():
        return None
    quartiles = (weighted_quantile(numbers, weights, share) for share in (0.25, 0.5, 0.75))
    return WeightedNumbers(weighted_mean(numbers, weights), *quartiles)
