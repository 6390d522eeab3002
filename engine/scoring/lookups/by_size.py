"""Look-ups for requirements on class sizes alone: one state of each node in precomputed tables."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.cached import cached_property
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.scoring.cells.snapshot import Array
from engine.scoring.lookups.bounded import BoundedRecords
from engine.scoring.lookups.compiled import CompiledLookup
from engine.scoring.lookups.level_sums import ByLevel
from engine.scoring.lookups.size_tables import SizeTables, WeightTable


class SizeLookup:
    """Values under a required class size; implements `engine.scoring.lookups.look_up.Lookup`.

    Parameters
    ----------
    tables : SizeTables
    k : int
        Size of the smallest kept class, at least 1.
    otherwise : callable
        Returns the look-up for values that no table has.
    """

    def __init__(
        self,
        tables: SizeTables,
        k: int,
        otherwise: Callable[[], CompiledLookup],
        nodes: IntArray | None = None,
    ) -> None:
        self._tables, self._k, self._otherwise, self._nodes = tables, k, otherwise, nodes

    def at(self, nodes: IntArray) -> SizeLookup:
        return SizeLookup(self._tables, self._k, self._otherwise, nodes)

    def bounded(self, most: int) -> BoundedRecords:
        """Return the exact records of all nodes, which are looked up."""
        return BoundedRecords.exact(self.suppressed)

    @cached_property
    def suppressed(self) -> Counts:
        if self._k >= len(self._tables.gone):
            return self._of(self._tables.suppressed)
        row: Array = self._tables.gone[self._k]
        return (row if self._nodes is None else row[self._nodes]).astype(np.int64)

    @property
    def kept_classes(self) -> Counts:
        return self._classes[:, 0]

    @property
    def kept_squares(self) -> Counts:
        return self._classes[:, 1]

    @property
    def kept_sizes(self) -> Counts:
        """Sum of sizes of the kept classes, whose records are persons each."""
        return self._tables.n_records - self.suppressed

    @cached_property
    def kept_k(self) -> Counts:
        return self._of(self._tables.smallest)

    def kept_leaves(self, attribute: int) -> Counts:
        by_level = self._tables.levels.leaves[attribute]
        if by_level.is_constant:
            return self._constant(by_level, attribute)
        if self._leaves is None:
            return self._elsewhere.kept_leaves(attribute)
        table, sums = self._leaves
        return sums[:, table.columns[attribute]].astype(np.int64)

    def kept_spans(self, attribute: int) -> FloatArray:
        by_level = self._tables.levels.spans[attribute]
        assert by_level is not None, "only numeric attributes have spans"
        if by_level.is_constant:
            return self._constant(by_level, attribute)
        if self._spans is None:
            return self._elsewhere.kept_spans(attribute)
        table, sums = self._spans
        return sums[:, table.columns[attribute]]

    def _constant(self, by_level: ByLevel, attribute: int) -> Array:
        constants = self._tables.constants(by_level, attribute)
        chosen = constants if self._nodes is None else constants[self._nodes]
        return chosen * (self._tables.n_records - self.suppressed)

    @cached_property
    def _states(self) -> IntArray:
        states = self._tables.states(self._k)
        return states if self._nodes is None else states[self._nodes]

    @cached_property
    def _classes(self) -> Counts:
        return self._tables.classes.take(self._states, axis=0)

    @cached_property
    def _leaves(self) -> tuple[WeightTable, Array] | None:
        return self._weights("leaves")

    @cached_property
    def _spans(self) -> tuple[WeightTable, Array] | None:
        return self._weights("spans")

    def _weights(self, kind: str) -> tuple[WeightTable, Array] | None:
        table = self._tables.weights(kind)
        return None if table is None else (table, table.sums.take(self._states, axis=0))

    @cached_property
    def _elsewhere(self) -> CompiledLookup:
        whole = self._otherwise()
        return whole if self._nodes is None else whole.at(self._nodes)

    def _of(self, table: Array) -> Counts:
        return table[self._states].astype(np.int64)
