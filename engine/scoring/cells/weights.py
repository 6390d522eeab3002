"""Contribution of each label to a metric, by path code, so that cells can store the sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.frequency import Problem
from engine.kernels.arrays import BoolArray, FloatArray, Keys
from engine.scoring.walk.packing import Layout

DENSE_BITS = 20  # paths up to this many bits are looked up by address
FIELD_BITS = 63  # largest width of a bit field of sums, so that sums fit into signed integers
SCALES = (1.0, 0.1, 0.01, 0.001)  # decimals of which real weights may be multiples


class SparseTable:
    """Weights by path code if codes are too long for addresses, such as numbers masked digit by digit.

    Parameters
    ----------
    paths : ndarray of int64, shape (n_leaves,)
    weights : ndarray of float64, shape (n_leaves,)
        Path codes, equal for equal paths.
    """

    def __init__(self, paths: Keys, weights: FloatArray) -> None:
        self._paths, first = np.unique(paths, return_index=True)
        self._weights = weights[first]

    def __getitem__(self, paths: Keys) -> FloatArray:
        return np.asarray(self._weights[np.searchsorted(self._paths, paths)])


Table: TypeAlias = FloatArray | SparseTable


@dataclass(frozen=True, eq=False)
class LabelWeights:
    """Per-record weights of one attribute's labels, level by level.

    Attributes
    ----------
    name : str
        Name of their sums in cells, as for `engine.scoring.cells.snapshot.LabelSums.of`.
    constant : tuple
        Per level the weight that all labels share, or None if they differ.
    tables : tuple
        Per level the weight by path code down to that level, or None if it is constant.
    totals : ndarray of int64 or float64, shape (height + 1,)
        Per level the sum over all records: that of a node before suppression.
    """

    name: str
    attribute: int
    constant: tuple[float | None, ...]
    tables: tuple[Table | None, ...]
    totals: NDArray[Any]

    @cached_property
    def constants(self) -> NDArray[Any]:
        """Per level the weight that all labels share; 0 if they differ."""
        return np.array([own or 0 for own in self.constant], dtype=self.totals.dtype)

    @cached_property
    def varying(self) -> BoolArray:
        """Return per level whether labels differ, so that cells store their sums."""
        return np.array([table is not None for table in self.tables], dtype=np.bool_)

    @cached_property
    def varies(self) -> bool:
        """Return whether any level needs a table."""
        return bool(self.varying.any())

    @cached_property
    def dense(self) -> tuple[FloatArray | None, ...] | None:
        """The tables if all of them are looked up by address; None if some are not."""
        dense = tuple(table for table in self.tables if not isinstance(table, SparseTable))
        return dense if len(dense) == len(self.tables) else None

    @cached_property
    def multiples(self) -> tuple[float, tuple[FloatArray | None, ...]] | None:
        """A decimal, and the dense tables as multiples of it; None if they are not."""
        assert self.dense is not None, "long paths are scored by numpy"
        for scale in SCALES:
            tables = tuple(None if table is None else np.rint(table / scale) for table in self.dense)
            pairs = zip(tables, self.dense, strict=True)
            if all(t is None or own is None or np.array_equal(t * scale, own) for t, own in pairs):
                return scale, tables
        return None

    def is_whole(self, n_records: int) -> bool:
        """Return whether sums over a number of records fit into a bit field of integers."""
        if self.multiples is None:
            return False
        largest = max(int(table.max()) for table in self.multiples[1] if table is not None)
        return (largest * n_records).bit_length() <= FIELD_BITS


def leaf_weights(problem: Problem, layout: Layout) -> tuple[LabelWeights, ...]:
    """Return the leaves covered by each label, per attribute."""
    return tuple(
        _label_weights("leaves", problem, q, layout, [level.n_leaves for level in attribute.hierarchy.levels])
        for q, attribute in enumerate(problem.attributes)
    )


def span_weights(problem: Problem, layout: Layout) -> tuple[LabelWeights | None, ...]:
    """Return the numeric width of each label, per attribute; None for attributes that are not numbers."""

    def weights(q: int) -> LabelWeights:
        attribute = problem.attributes[q]
        by_level = [attribute.label_spans(number) for number in range(attribute.hierarchy.height + 1)]
        return _label_weights("spans", problem, q, layout, by_level)

    are_numbers = (attribute.numeric_width is not None for attribute in problem.attributes)
    return tuple(weights(q) if is_number else None for q, is_number in enumerate(are_numbers))


def _label_weights(
    kind: str, problem: Problem, attribute: int, layout: Layout, by_level: Sequence[NDArray[Any]]
) -> LabelWeights:
    """Return the weights of an attribute's labels, given those of every level by code."""
    constant: list[float | None] = []
    tables: list[Table | None] = []
    totals = np.zeros(len(by_level), dtype=by_level[0].dtype)
    entry = problem.attributes[attribute]
    for level, weights in enumerate(by_level):
        if np.all(weights == weights[0]):
            constant.append(weights[0].item())
            tables.append(None)
            totals[level] = weights[0] * problem.n_records
            continue
        codes = entry.hierarchy.levels[level].codes
        paths = layout.paths[attribute] >> layout.dropped[attribute][level]
        constant.append(None)
        tables.append(_table(paths, weights[codes]))
        totals[level] = entry.leaf_counts @ weights[codes]
    return LabelWeights(f"{kind} {attribute}", attribute, tuple(constant), tuple(tables), totals)


def _table(paths: Keys, weights: NDArray[Any]) -> Table:
    """Return weights by path as floats, as in the sums: leaves are exact below 2**53."""
    if int(paths.max()) >= 1 << DENSE_BITS:
        return SparseTable(paths, weights.astype(np.float64))
    table = np.zeros(int(paths.max()) + 1)
    table[paths] = weights
    return table
