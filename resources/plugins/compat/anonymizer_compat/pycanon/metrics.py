"""pyCANON's metrics of a table and its anonymized form, known bugs included."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anonymizer_compat.pycanon.classes import (
    PandasColumn,
    class_sizes,
    labels_of,
    refuse,
    refuse_order,
    sorted_column,
)
from engine.findings.given_table import GivenTable
from engine.frequency.measured import pairs_of
from engine.kernels.arrays import IntArray
from engine.records import Table


def average_ecsize(raw: Table, anonymized: GivenTable, *, sup: bool = True) -> float:
    """Records per class, divided by the size of the smallest class, not by the k that was asked for.

    Parameters
    ----------
    sup : bool
        Count the records of the anonymized table; else those of the raw one.
    """
    sizes = class_sizes(anonymized)
    n_records = anonymized.n_records if sup else raw.n_records
    return n_records / (len(sizes) * int(sizes.min()))


def classification_metric(raw: Table, anonymized: GivenTable) -> float:
    """Share of records suppressed or without the most frequent sensitive value of their class.

    All values that are equally most frequent are forgiven. The values of several sensitive columns are
    counted together, so that the figure may exceed 1.
    """
    records, labels, _ = labels_of(anonymized)
    n_suppressed = raw.n_records - anonymized.n_records
    if not len(records):
        return n_suppressed / raw.n_records
    pooled, n_values = _pooled(
        [sorted_column(anonymized.table.column(name)) for name in anonymized.sensitive], records, labels
    )
    pairs = pairs_of(np.tile(labels, len(pooled) // len(labels)), pooled, None, n_values)
    most = np.maximum.reduceat(pairs.counts, pairs.starts)
    others = int(pairs.counts[pairs.counts != most[pairs.classes]].sum())
    return (n_suppressed + others) / raw.n_records


def discernability_metric(raw: Table, anonymized: GivenTable) -> int:
    """Sum of the squared class sizes, and as many as the raw table has for each record it has lost."""
    sizes = labels_of(anonymized)[2]
    return int((sizes**2).sum()) + (raw.n_records - anonymized.n_records) * raw.n_records


def sizes_ec(anonymized: GivenTable) -> dict[str, int | float]:
    """Number of classes, and the least, largest, mean and median of their sizes."""
    sizes = class_sizes(anonymized)
    return {
        "n_ec": len(sizes),
        "min_ec": int(sizes.min()),
        "max_ec": int(sizes.max()),
        "mean_ec": float(sizes.mean()),
        "median_ec": float(np.median(sizes)),
    }


def stats_quasi_ident(table: Table, column: str) -> dict[str, Any]:
    """The most and the least frequent value; of numbers also mean, median and population deviation.

    Of equally frequent values the first in order is returned. A missing number is a value, and makes mean,
    median, std and var None.
    """
    own = sorted_column(table.column(column))
    if not own.is_number and own.has_missing:
        refuse("TypeError", f"'{column}' contains texts and missing values")
    counts = np.append(own.counts, np.count_nonzero(own.is_missing))[: own.n_values + own.has_missing]
    most, least = int(np.argmax(counts)), int(np.argmin(counts))
    found: dict[str, Any] = {
        "max_freq_value": _value(own, most),
        "max_freq": int(counts[most]),
        "min_freq_value": _value(own, least),
        "min_freq": int(counts[least]),
    }
    if own.numbers is None or own.is_truth:
        return found
    if own.has_missing:
        return found | dict.fromkeys(("mean", "median", "std", "var"))
    numbers = own.numbers[own.codes]
    return found | {
        "mean": float(numbers.mean()),
        "median": float(np.median(numbers)),
        "std": float(numbers.std()),
        "var": float(numbers.var()),
    }


def average_rir(anonymized: GivenTable) -> float | None:
    """Mean of 1 / size over the classes, not over the records; None without any class."""
    sizes = labels_of(anonymized)[2]
    return float((1 / sizes).mean()) if len(sizes) else None


def max_rir(anonymized: GivenTable) -> float:
    """One divided by the size of the smallest class."""
    return 1 / int(class_sizes(anonymized).min())


def sa_entropy(table: Table, column: str) -> float | None:
    """Shannon entropy of a column in nats; missing numbers are left out of it. None without any value."""
    own = sorted_column(table.column(column))
    if not own.is_number and own.has_missing:
        refuse("TypeError", f"'{column}' contains texts and missing values")
    if not own.n_values:
        return None
    shares = own.counts / own.counts.sum()
    return float(-(shares * np.log(shares)).sum()) + 0.0  # no negative zero


def _pooled(columns: list[PandasColumn], records: IntArray, labels: IntArray) -> tuple[IntArray, int]:
    """The values of all columns as one bag: codes of the columns one after the other, and how many."""
    if not columns:
        refuse("no figure", "no column is named as sensitive")
    if len({column.is_number for column in columns}) > 1:
        refuse("TypeError", "it cannot sort the texts of one sensitive column and the numbers of another")
    has_missing = any(column.has_missing for column in columns)
    if has_missing and columns[0].is_number and len({column.is_truth for column in columns}) > 1:
        refuse_order("truth values, numbers and missing values are sorted together")
    values = [column.texts if column.numbers is None else column.numbers.tolist() for column in columns]
    place = {value: code for code, value in enumerate(sorted({v for own in values for v in own}))}
    codes = []
    for column, own in zip(columns, values, strict=True):
        recode = np.array([*(place[value] for value in own), len(place)], dtype=np.int64)
        codes.append(recode[column.codes[records]])
    pooled = np.concatenate(codes)
    if not has_missing or columns[0].is_number:
        return pooled, len(place) + 1
    return _missing_apart(pooled, np.tile(labels, len(columns)), len(place))


def _missing_apart(pooled: IntArray, labels: IntArray, missing: int) -> tuple[IntArray, int]:
    """Missing texts differ from each other, and cannot be sorted with texts of the same class."""
    is_missing = pooled == missing
    if np.intersect1d(labels[is_missing], labels[~is_missing]).size:
        refuse("TypeError", "a class contains texts and missing values")
    pooled = pooled.copy()
    pooled[is_missing] += np.arange(np.count_nonzero(is_missing))
    return pooled, int(pooled.max()) + 1


def _value(column: PandasColumn, code: int) -> str | int | float | bool | None:
    """A value as pandas has it."""
    if code == column.n_values:
        return None
    if column.numbers is None:
        return column.texts[code]
    if column.is_truth:
        return bool(column.numbers[code])
    if column.is_whole:
        return int(column.texts[code])
    number = float(column.numbers[code])
    assert math.isfinite(number)  # what is read as a number is one
    return number
