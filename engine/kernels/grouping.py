"""Equivalence classes of records: labels and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray, Counts, IntArray, Keys

INT64_MAX = np.iinfo(np.int64).max
_FEW_KEYS = 1 << 10  # keys are counted up to this span, even if there are fewer rows
_BLOCK = 1 << 20  # rows at a time; all at once would need as much memory again


def class_keys(columns: Sequence[NDArray[np.integer[Any]]], spans: Sequence[int]) -> Keys:
    """Combine code columns into one key per row, equal if all columns are equal.

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
    return _keys_and_span(columns, spans, INT64_MAX)[0]


def _keys_and_span(
    columns: Sequence[NDArray[np.integer[Any]]], spans: Sequence[int], limit: int
) -> tuple[Keys, int]:
    """Return the keys, a new array, and a span above them: at most the limit, or 2**63 if needed."""
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    span = 1
    for column, cardinality in zip(columns, spans, strict=True):
        if span > limit // max(cardinality, 1):  # the next digit would exceed the limit: renumber first
            keys, span = _renumbered(keys, span)
            if span > INT64_MAX // max(cardinality, 1):  # codes of a very large span are renumbered too
                values, column = np.unique(column, return_inverse=True)
                cardinality = len(values)
        keys *= cardinality
        keys += column
        span *= cardinality
    return keys, span


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
    row_bits = len(columns[0]).bit_length()
    keys, span = _keys_and_span(columns, spans, 1 << (63 - row_bits))
    return _labels(keys, span)


def rows_alone(columns: Sequence[NDArray[np.integer[Any]]], spans: Sequence[int]) -> BoolArray:
    """Return the rows without an equal row.

    Returns
    -------
    ndarray of bool, shape (n_rows,)
    """
    row_bits = len(columns[0]).bit_length()
    keys, span = _keys_and_span(columns, spans, 1 << (63 - row_bits))
    if _are_few(keys, span):
        return np.asarray((np.bincount(keys, minlength=span) == 1)[keys])
    rows, is_alone = _in_order(keys, span)
    is_alone[:-1] &= is_alone[1:]
    found = np.empty(len(rows), dtype=np.bool_)
    found[rows] = is_alone
    return found


def _are_few(keys: Keys, span: int) -> bool:
    return span <= len(keys) + _FEW_KEYS


def _renumbered(keys: Keys, span: int) -> tuple[Keys, int]:
    """Number distinct keys from 0 in their order, and count them; the keys are overwritten."""
    if _are_few(keys, span):
        return keys, len(_number_by_counting(keys, span))
    rows, begins = _in_order(keys, span)
    return _numbers(rows, begins), int(np.count_nonzero(begins))


def _labels(keys: Keys, span: int) -> tuple[IntArray, IntArray, Counts]:
    """Return the classes of keys below a span; the keys are overwritten."""
    if _are_few(keys, span):
        sizes = _number_by_counting(keys, span)
        first = np.empty(len(sizes), dtype=np.int64)
        for end in range(len(keys), 0, -_BLOCK):  # backwards, so the first row is written last
            start = max(end - _BLOCK, 0)
            first[keys[start:end][::-1]] = np.arange(end - 1, start - 1, -1)
        return keys, first, sizes
    rows, begins = _in_order(keys, span)
    starts = np.flatnonzero(begins)
    first = np.minimum.reduceat(rows, starts)
    return _numbers(rows, begins), first, np.diff(starts, append=len(rows))


def _number_by_counting(keys: Keys, span: int) -> Counts:
    """Number distinct keys from 0 in their order, in place; return how often each occurs."""
    counts = np.bincount(keys, minlength=span)
    present = np.flatnonzero(counts)
    number = np.empty(span, dtype=np.int64)
    number[present] = np.arange(len(present))
    for start in range(0, len(keys), _BLOCK):
        keys[start : start + _BLOCK] = number[keys[start : start + _BLOCK]]
    return np.asarray(counts[present])


def _in_order(keys: Keys, span: int) -> tuple[IntArray, BoolArray]:
    """Return the rows in the order of their keys, which are overwritten, and where each key begins."""
    row_bits = len(keys).bit_length()
    begins = np.empty(len(keys), dtype=np.bool_)
    begins[:1] = True
    if (span - 1).bit_length() + row_bits > 63:
        rows = np.argsort(keys)
        keys = keys[rows]
        np.not_equal(keys[1:], keys[:-1], out=begins[1:])
        return rows, begins
    # one array of integers is sorted several times faster than one by another, and in place
    keys <<= row_bits
    for start in range(0, len(keys), _BLOCK):
        end = min(start + _BLOCK, len(keys))
        keys[start:end] |= np.arange(start, end)
    keys.sort()
    for start in range(1, len(keys), _BLOCK):
        end = min(start + _BLOCK, len(keys))
        begins[start:end] = (keys[start:end] ^ keys[start - 1 : end - 1]) >= 1 << row_bits
    keys &= (1 << row_bits) - 1
    return keys, begins


def _numbers(rows: IntArray, begins: BoolArray) -> IntArray:
    """Return the number of the key of each row, given the rows in the order of their keys."""
    numbers = np.empty(len(rows), dtype=np.int64)
    n_before = -1
    for start in range(0, len(rows), _BLOCK):  # numpy sums booleans without releasing the interpreter's lock
        block = slice(start, start + _BLOCK)
        own = np.cumsum(begins[block]) + n_before
        numbers[rows[block]] = own
        n_before = int(own[-1])
    return numbers


def first_rows(codes: NDArray[np.integer[Any]], n_codes: int) -> IntArray:
    """Return the first row of every code, -1 for codes that do not occur, shape (n_codes,)."""
    first = np.full(n_codes, -1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the row that is written last stays
    return first


def run_starts(keys: Keys) -> IntArray:
    """Return the start of each run of equal values in a non-empty sorted array."""
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
        Number of records up to and including each row: joining then needs only the last of each run.

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
    """Sort keys with their counts and join equal ones; return distinct keys and totals.

    Key and count are packed into one word if they fit, since sorting one array of integers is several times
    faster than sorting one by the other.
    """
    if key_bits + count_bits <= 63:
        packed = (keys << count_bits) | counts
        packed.sort()
        return merge_sorted(packed >> count_bits, np.cumsum(packed & ((1 << count_bits) - 1)))
    order = np.argsort(keys)
    return merge_sorted(keys[order], np.cumsum(counts[order]))


def records_by_code(codes: NDArray[np.integer[Any]], n_codes: int, records: Counts | None = None) -> Counts:
    """Count the records of every code, shape (n_codes,).

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,)
    n_codes : int
        One more than the largest code.
    records : ndarray of int64, shape (n_rows,), or None
        Records of every row, fewer than 2**53 together; None for one each.
    """
    return np.bincount(codes, weights=records, minlength=n_codes).astype(np.int64, copy=False)


def counts_of(totals: Counts) -> Counts:
    """Return the records of each row from the records up to and including it."""
    counts = np.empty_like(totals)
    counts[0] = totals[0]
    np.subtract(totals[1:], totals[:-1], out=counts[1:])
    return counts
