"""Applies an aggregate function to the equivalence classes of a column."""

from __future__ import annotations

import itertools

import numpy as np

from engine.kernels.arrays import BoolArray, Codes, IntArray
from engine.recoding.aggregation.base import AggregateFunction
from engine.recoding.aggregation.values import OrderedValues
from engine.table import Column


def aggregate(
    column: Column, function: AggregateFunction, labels: IntArray, kept: BoolArray, hidden: str
) -> tuple[tuple[str, ...], Codes]:
    """Aggregate a column over the classes of its records.

    Parameters
    ----------
    column : Column
    function : AggregateFunction
    labels : ndarray of int64, shape (n_records,)
        Class per record.
    kept : ndarray of bool, shape (n_records,)
        Whether a record is released; whole classes are, or are not.
    hidden : str
        The text of the others.

    Returns
    -------
    texts : tuple of str
        Distinct texts, `hidden` among them.
    codes : ndarray of int32, shape (n_records,)
        Index into `texts` per record.
    """
    values = OrderedValues.of(column)
    classes = labels[kept].astype(np.int64)
    of_record = np.array(values.of_label, dtype=np.int64)[column.codes[kept]]
    span = len(values.texts)
    keys, counts = np.unique(classes * span + of_record, return_counts=True)
    starts = np.flatnonzero(np.diff(keys // span, prepend=-1))
    bounds = [*starts.tolist(), len(keys)]
    numbers, codes, amounts = (keys // span)[starts], (keys % span).tolist(), counts.tolist()
    place: dict[str, int] = {hidden: 0}
    found = [
        place.setdefault(_text(function, values, codes[low:high], amounts[low:high]), len(place))
        for low, high in itertools.pairwise(bounds)
    ]
    of_class = np.zeros(int(labels.max(initial=-1)) + 1, dtype=np.int32)
    of_class[numbers] = found
    texts: Codes = np.where(kept, of_class[labels], 0).astype(np.int32)
    return tuple(place), texts


def _text(function: AggregateFunction, values: OrderedValues, codes: list[int], counts: list[int]) -> str:
    if codes[-1] == values.missing and not (function.counts_missing and not function.ignore_missing):
        if len(codes) == 1 or not function.ignore_missing:
            return values.texts[values.missing]
        codes, counts = codes[:-1], counts[:-1]
    return function.of_class(values, codes, counts)
