"""Weights of the records of a survey: the people of the population whom a record stands for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.errors import InputError
from engine.kernels.arrays import BoolArray, FloatArray
from engine.numbers import as_exact_count
from engine.records import Column
from engine.words import N_, _, ngettext

WEIGHT_HINT = N_("Choose a numeric column whose values are all above 0, or complete its values.")


class WeightCounts(NamedTuple):
    """Records by what is unusual about their weight."""

    missing: int
    not_positive: int
    below_one: int


def weight_counts(column: Column) -> WeightCounts:
    """Count the records without a weight, with one of at most 0, and with one between 0 and 1."""
    numbers, counts = column.numbers, column.counts

    def of(chosen: BoolArray) -> int:
        return int(counts[chosen].sum())

    known = np.isfinite(numbers)
    small = np.where(known, numbers, np.inf)
    return WeightCounts(of(~known), of(small <= 0), of((small > 0) & (small < 1)))


def why_no_weights(column: Column) -> str:
    """Return why the values of a column cannot be weights; empty if they can."""
    if not column.data_type.is_numeric:
        return _("The weight column '{column}' is not numeric.").format(column=column.name)
    counts = weight_counts(column)
    if counts.missing:
        return ngettext(
            "'{column}' has no weight for {n} record.",
            "'{column}' has no weight for {n} records.",
            counts.missing,
        ).format(column=column.name, n=as_exact_count(counts.missing))
    if counts.not_positive:
        return ngettext(
            "'{column}' has a weight of 0 or less for {n} record.",
            "'{column}' has a weight of 0 or less for {n} records.",
            counts.not_positive,
        ).format(column=column.name, n=as_exact_count(counts.not_positive))
    return ""


def check_weights(column: Column) -> None:
    """Raise an `InputError` if the values of a column cannot be weights."""
    if reason := why_no_weights(column):
        raise InputError(reason, hint=_(WEIGHT_HINT), column=column.name)


def weights_of_records(column: Column) -> FloatArray:
    """Return the weight of every record, shape (n_records,).

    Raises
    ------
    InputError
        The column is not numeric, or a weight is missing or not above 0.
    """
    check_weights(column)
    return np.asarray(column.numbers[column.codes], dtype=np.float64)


def weights_of_rows(column: Column) -> FloatArray:
    """Return the weight of all records of every row, shape (n_rows,); raises like `weights_of_records`."""
    weights = weights_of_records(column)
    return weights if column.records is None else weights * column.records
