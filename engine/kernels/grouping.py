"""Records -> equivalence class labels and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Counts, IntArray, Keys

INT64_MAX = np.iinfo(np.int64).max


def class_keys(columns: Sequence[NDArray[np.integer[Any]]], spans: Sequence[int]) -> Keys:
    """Combine code columns into one key per row, equal where all columns are equal.

    Parameters
    ----------
    columns : sequence of integer ndarray, each of shape (n_rows,)
    spans : sequence of int
        One more than the largest code of each column.

    Returns
    -------
    ndarray of int64, shape (n_rows,)
        Keys below 2**63, in lexicographic order of the columns.
    """
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    span = 1
    for column, cardinality in zip(columns, spans, strict=True):
        if span > INT64_MAX // max(cardinality, 1):  # the next digit would overflow: renumber first
            distinct, keys = np.unique(keys, return_inverse=True)
            span = len(distinct)
            if span > INT64_MAX // max(cardinality, 1):  # codes of a very wide span: renumber them too
                values, column = np.unique(column, return_inverse=True)
                cardinality = len(values)
        keys = keys * cardinality + column
        span *= cardinality
    return keys


def class_labels(
    columns: Sequence[NDArray[np.integer[Any]]], spans: Sequence[int]
) -> tuple[IntArray, IntArray, Counts]:
    """Number the equivalence classes of rows.

    Returns
    -------
    labels : ndarray of int64, shape (n_rows,)
        Class of each row; classes are numbered in lexicographic order of the columns.
    first : ndarray of int64, shape (n_classes,)
        The first row of each class.
    sizes : ndarray of int64, shape (n_classes,)
    """
    keys = class_keys(columns, spans)
    _, first, labels, sizes = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    return labels, first, sizes


def run_starts(keys: Keys) -> IntArray:
    """Start of each run of equal values in a non-empty sorted array."""
    begins = np.empty(len(keys), dtype=np.bool_)
    begins[0] = True
    np.not_equal(keys[1:], keys[:-1], out=begins[1:])
    return np.flatnonzero(begins)


def merge_sorted(keys: Keys, totals: Counts) -> tuple[Keys, Counts]:
    """Join equal neighbours of sorted keys.

    Parameters
    ----------
    keys : ndarray of int64, shape (n_rows,)
    totals : ndarray of int64, shape (n_rows,)
        Records up to and including each row: joining then needs no sums, only the last of each run.

    Returns
    -------
    keys, totals : ndarray of int64, shape (n_distinct,)
    """
    ends = np.empty(len(keys), dtype=np.bool_)
    ends[-1] = True
    np.not_equal(keys[1:], keys[:-1], out=ends[:-1])
    last = np.flatnonzero(ends)
    if len(last) == len(keys):
        return keys, totals
    return keys[last], totals[last]


def merge(keys: Keys, counts: Counts, key_bits: int, count_bits: int) -> tuple[Keys, Counts]:
    """Sort keys with their counts and join equal ones; returns distinct keys and totals.

    Key and count are packed into one word where they fit, since sorting one array of integers
    is several times faster than sorting one by the other.
    """
    if key_bits + count_bits <= 63:
        packed = (keys << count_bits) | counts
        packed.sort()
        return merge_sorted(packed >> count_bits, np.cumsum(packed & ((1 << count_bits) - 1)))
    order = np.argsort(keys)
    return merge_sorted(keys[order], np.cumsum(counts[order]))


def counts_of(totals: Counts) -> Counts:
    """Records of each row from the records up to and including it."""
    counts = np.empty_like(totals)
    counts[0] = totals[0]
    np.subtract(totals[1:], totals[:-1], out=counts[1:])
    return counts
