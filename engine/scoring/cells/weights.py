"""Contribution of each label to a metric, by path code, so that cells can store the sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.frequency import Problem
from engine.kernels.arrays import FloatArray, Keys
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
    constant : tuple
        Per level the weight that all labels share, or None if they differ.
    tables : tuple
        Per level the weight by path code down to that level, or None if it is constant.
    totals : ndarray of float64, shape (height + 1,)
        Per level the sum over all records; 0 if the weight is constant, as in the cells.
    """

    attribute: int
    constant: tuple[float | None, ...]
    tables: tuple[Table | None, ...]
    totals: FloatArray

    @cached_property
    def varies(self) -> bool:
        """Return whether any level needs a table."""
        return any(table is not None for table in self.tables)

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
        _label_weights(
            problem, q, layout, [(level.n_leaves, level.codes) for level in attribute.hierarchy.levels]
        )
        for q, attribute in enumerate(problem.attributes)
    )


def span_weights(problem: Problem, layout: Layout) -> tuple[LabelWeights | None, ...]:
    """Return the numeric width of each label, per attribute; None for attributes that are not numbers."""
    return tuple(
        _label_weights(
            problem,
            q,
            layout,
            [(attribute.label_spans(g), level.codes) for g, level in enumerate(attribute.hierarchy.levels)],
        )
        if attribute.numeric_width is not None
        else None
        for q, attribute in enumerate(problem.attributes)
    )


def _label_weights(
    problem: Problem, attribute: int, layout: Layout, levels: list[tuple[NDArray[Any], NDArray[np.int32]]]
) -> LabelWeights:
    constant: list[float | None] = []
    tables: list[Table | None] = []
    totals = np.zeros(len(levels))
    records = problem.attributes[attribute].leaf_counts
    for level, (weights, codes) in enumerate(levels):
        if np.all(weights == weights[0]):
            constant.append(weights[0].item())
            tables.append(None)
            continue
        paths = layout.paths[attribute] >> layout.dropped[attribute][level]
        constant.append(None)
        tables.append(_table(paths, weights[codes]))
        totals[level] = records @ weights[codes]
    return LabelWeights(attribute, tuple(constant), tuple(tables), totals)


def _table(paths: Keys, weights: NDArray[Any]) -> Table:
    """Return weights by path as floats, as in the sums: leaves are exact below 2**53."""
    if int(paths.max()) >= 1 << DENSE_BITS:
        return SparseTable(paths, weights.astype(np.float64))
    table = np.zeros(int(paths.max()) + 1)
    table[paths] = weights
    return table
