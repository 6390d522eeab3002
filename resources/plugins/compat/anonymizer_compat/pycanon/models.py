"""pyCANON's nine privacy models of a given table, known bugs included.

Where other sensitive columns join the quasi-identifying ones of the table while one is looked at, it is
what pyCANON calls `gen=False`. Where the library raises an exception, an `InputError` says so;
its `nan` is None here. A missing number equals nothing, itself included, so that its records count in
the size of their class and in no value; texts cannot be sorted together with missing values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from anonymizer_compat.pycanon.classes import Classes, class_sizes, classes_of, refuse, without_others
from engine.errors import InputError
from engine.findings.given_table import GivenTable
from engine.kernels.arrays import Counts, FloatArray

T = TypeVar("T")


def k_anonymity(given: GivenTable) -> int:
    """Size of the smallest class; with one quasi-identifying column its missing values are in no class."""
    return int(class_sizes(given).min())


def alpha_k_anonymity(given: GivenTable) -> tuple[float, int]:
    """Largest share of a value in a class, and k, which is always that of the quasi-identifying columns."""

    def alpha(classes: Classes) -> float:
        _refuse_mixed(classes)
        return float((np.maximum.reduceat(classes.found, classes.pairs.starts) / classes.sizes).max())

    k = k_anonymity(given)
    return max(_each(given, alpha)), k


def l_diversity(given: GivenTable) -> int:
    """Least number of distinct values in a class; a missing number is one, each missing text is another."""
    return min(_each(given, lambda classes: int(_distinct(classes).min())))


def entropy_l_diversity(given: GivenTable) -> int:
    """e^H cut off to a whole number, rounding errors included: two equally frequent values give 1."""
    per_column = _each(given, _entropies)
    if given.others_as_qi:
        found = [_first_least(entropies) for entropies in per_column]
    else:
        found = [_first_least(_first_least(np.array(per_column)))]
    # e is raised as an array is: a single power may differ in the last digit.
    least = float(_first_least(np.exp(1) ** np.array(found)))
    if np.isnan(least):
        refuse("ValueError", "the entropy of a class without any value is not a number")
    return int(least)


def recursive_c_l_diversity(given: GivenTable) -> tuple[int | None, int]:
    """c from counts sorted the wrong way round, and l; no c where l is 1.

    l is that of the quasi-identifying columns alone, also where other sensitive columns join them.
    """
    l = l_diversity(without_others(given))  # noqa: E741  the name of the papers
    if l == 1:
        return None, l
    found = _each(given, lambda classes: _first_most(_ratios(classes, l)))
    if any(np.isnan(c) for c in found):
        refuse("ValueError", "a class has no value, and 0/0 is not a number")
    if any(np.isinf(c) for c in found):
        refuse("OverflowError", f"a class has fewer than l = {l} values, so c is infinite")
    return int(max(found)), l


def basic_beta_likeness(given: GivenTable) -> float | None:
    """Largest relative gain of a value's share in a class over its share in the table."""
    return _number(max(_each(given, _basic_beta)))


def enhanced_beta_likeness(given: GivenTable) -> float | None:
    """The largest gain, but at most -ln p of the rarest value, whichever value gains."""

    def beta(classes: Classes) -> float:
        rarest = np.inf if classes.column.has_missing else -np.log(classes.table_shares.min())
        return min(_basic_beta(classes), float(rarest))

    return _number(max(_each(given, beta)))


def t_closeness(given: GivenTable) -> float:
    """Ordered distance for numbers and truth values, by rank; half the L1 distance for texts."""
    return t_and_distance(given)[0]


def t_and_distance(given: GivenTable) -> tuple[float, str]:
    """`t_closeness`, and the distance it was found by: "ordered" or "equal"."""
    found = _each(given, lambda c: (_t(c), "ordered" if c.column.is_number else "equal"))
    return max(found, key=lambda pair: pair[0])


def delta_disclosure(given: GivenTable) -> float:
    """Largest |ln(q / p)| over the values that a class has; those it lacks do not count."""
    return max(_each(given, _delta))


def _each(given: GivenTable, measure: Callable[[Classes], T]) -> list[T]:
    """A figure for every sensitive column."""
    if not given.sensitive:
        raise InputError("No sensitive column was given.", hint="This value needs a sensitive column.")
    return [measure(classes_of(given, name)) for name in given.sensitive]


def _distinct(classes: Classes) -> Counts:
    _refuse_mixed(classes)
    if classes.column.is_number or not classes.column.has_missing:
        return classes.pairs.lengths
    more = np.where(classes.has_value, 0, classes.pairs.counts - 1)
    return np.asarray(classes.pairs.lengths + np.add.reduceat(more, classes.pairs.starts))


def _entropies(classes: Classes) -> FloatArray:
    """Entropy per class in nats, added up in the order in which numpy adds an array; nan without a value."""
    _refuse_mixed(classes)
    starts, lengths = classes.pairs.starts, classes.pairs.lengths
    shares = classes.found / classes.sizes[classes.pairs.classes]
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = shares * np.log(shares)
    entropies = np.empty(len(lengths), dtype=np.float64)
    for length in np.unique(lengths).tolist():
        alike = np.flatnonzero(lengths == length)
        entropies[alike] = -terms[starts[alike, None] + np.arange(length)].sum(axis=1)
    return entropies


def _ratios(classes: Classes, l: int) -> FloatArray:  # noqa: E741  the name of the papers
    """c per class: the count of the rarest value against the l-th rarest and all more frequent ones."""
    _refuse_mixed(classes)
    pairs = classes.pairs
    counts = classes.found[np.lexsort((classes.found, pairs.classes))]
    totals = np.concatenate(([0], np.cumsum(counts)))
    ends = pairs.starts + pairs.lengths
    tails = totals[ends] - totals[np.minimum(pairs.starts + l - 1, ends)]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.floor(counts[pairs.starts] / tails + 1))


def _basic_beta(classes: Classes) -> float:
    _refuse_missing_text(classes, "TypeError")
    values = classes.pairs.values[classes.has_value]
    if not classes.column.n_values:
        return np.nan
    shares, table = _shares(classes), classes.table_shares[values]
    # A value that a class lacks has the gain -1.
    return float(((shares - table) / table).max(initial=-1.0))


def _delta(classes: Classes) -> float:
    _refuse_missing_text(classes, "TypeError")
    if not np.logical_or.reduceat(classes.has_value, classes.pairs.starts).all():
        refuse("ValueError", f"a class has no value of '{classes.column.name}'")
    table = classes.table_shares[classes.pairs.values[classes.has_value]]
    return float(np.abs(np.log(_shares(classes) / table)).max())


def _t(classes: Classes) -> float:
    _refuse_missing_text(classes, "ValueError")
    column = classes.column
    if not column.is_number:
        return _t_equal(classes)
    if column.n_values + column.has_missing == 1:
        refuse("ZeroDivisionError", f"all values of '{column.name}' are the same")
    return _t_ordered(classes)


def _t_equal(classes: Classes) -> float:
    values, counts = classes.pairs.values, classes.column.counts
    differences = np.abs(_shares(classes) - classes.table_shares[values])
    absent = classes.n_records - np.add.reduceat(counts[values], classes.pairs.starts)
    halves = 0.5 * (np.add.reduceat(differences, classes.pairs.starts) + absent / classes.n_records)
    return float(halves.max())


def _t_ordered(classes: Classes) -> float:
    """Sum of |cumulated share in the class - cumulated share in the table| over the values by rank."""
    column, n = classes.column, classes.n_records
    of, values = classes.pairs.classes[classes.has_value], classes.pairs.values[classes.has_value]
    sizes, n_classes = classes.sizes, len(classes.sizes)
    below = np.cumsum(column.counts)  # records of the table up to a value
    area = np.concatenate(([0], np.cumsum(below)))
    found = classes.found[classes.has_value]
    firsts = np.append(True, of[1:] != of[:-1])[: len(of)]
    totals = np.cumsum(found)
    inside = totals - np.repeat((totals - found)[firsts], np.diff(np.append(np.flatnonzero(firsts), len(of))))
    # From a value to the next one in the class its cumulated share stays, and the table's one grows past it.
    ends = np.append(values[1:], column.n_values)[: len(of)]
    ends[np.append(firsts[1:], True)[: len(of)]] = column.n_values
    shares = inside / sizes[of]
    crossings = np.clip(np.searchsorted(below, shares * n), values, ends)
    steps = shares * (2 * crossings - values - ends) + (area[ends] - 2 * area[crossings] + area[values]) / n
    sums = np.bincount(of, weights=steps, minlength=n_classes)
    starts = np.full(n_classes, column.n_values)
    starts[of[firsts]] = values[firsts]
    sums += area[starts] / n
    if column.has_missing:  # it comes last, adds nothing to either share, and is a rank of its own
        sums += np.abs(np.bincount(of, weights=found, minlength=n_classes) / sizes - below[-1:].sum() / n)
    return float((sums / (column.n_values + column.has_missing - 1)).max())


def _shares(classes: Classes) -> FloatArray:
    """Share of each (class, value) pair in its class, missing left out."""
    shares = classes.pairs.counts / classes.sizes[classes.pairs.classes]
    return np.asarray(shares[classes.has_value])


def _first_least(values: FloatArray) -> FloatArray:
    """The least along the first axis as Python's `min` finds it: nan only where the first is nan."""
    rest = np.where(np.isnan(values), np.inf, values).min(axis=0)
    return np.where(np.isnan(values[0]), np.nan, rest)


def _first_most(values: FloatArray) -> float:
    """The largest as Python's `max` finds it: nan only if the first is nan."""
    return float(-_first_least(-values))


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


def _refuse_mixed(classes: Classes) -> None:
    """Texts and missing values in one class cannot be sorted."""
    if classes.column.is_number or not classes.column.has_missing:
        return
    starts = classes.pairs.starts
    has_both = np.logical_or.reduceat(classes.has_value, starts) & np.logical_or.reduceat(
        ~classes.has_value, starts
    )
    if has_both.any():
        refuse("TypeError", f"a class contains texts of '{classes.column.name}' and missing values")


def _refuse_missing_text(classes: Classes, error: str) -> None:
    column = classes.column
    if not column.is_number and column.has_missing:
        refuse(error, f"'{column.name}' contains texts and missing values")
