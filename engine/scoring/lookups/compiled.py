"""Look-ups by a compiled pass over the cells, for any requirement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.cached import cached_property
from engine.kernels.arrays import Counts, IntArray
from engine.privacy import Requirement
from engine.scoring.acceleration import required
from engine.scoring.cells.label_sums import PackedSums
from engine.scoring.cells.snapshot import Array, CellSnapshot
from engine.scoring.lookups.by_cell import CellLookup
from engine.scoring.lookups.level_sums import LevelSums

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes


MOST_RECORDS = np.iinfo(np.int32).max  # snapshots whose counts fit the kernels
SAMPLED = 64  # sampling interval of cells to estimate whether more fail or more are kept


class PlainCells(NamedTuple):
    """Cells as `engine.kernels.compiled.cell_evaluation` reads them."""

    nodes: IntArray
    bounds: IntArray
    kinds: NDArray[np.int32]
    records: NDArray[np.int32]
    sizes: NDArray[np.int32]


def plain_cells(cells: CellSnapshot) -> PlainCells:
    """Return a snapshot's arrays in the types of kernels; copies only arrays of other types."""
    kinds = np.arange(cells.n_cells, dtype=np.int32) if cells.kinds is None else cells.kinds
    return PlainCells(
        cells.nodes,
        np.append(cells.starts, cells.n_cells).astype(np.int64, copy=False),
        plain(kinds, np.int32),
        plain(cells.records, np.int32),
        plain(cells.classes.sizes, np.int32),
    )


def plain(values: Array, dtype: DTypeLike) -> NDArray[Any]:
    """Return values in the form that a kernel was compiled for: this type, contiguous, writable."""
    return np.require(values, dtype, ["C", "W"])


class CompiledLookup(CellLookup):
    """`CellLookup` with the sums of kernels."""

    _shared: ClassVar[tuple[str, ...]] = (*CellLookup._shared, "_plain", "_failing", "_kernels", "_chosen")

    def __init__(
        self,
        profile: ScoredNodes,
        levels: LevelSums,
        cells: CellSnapshot,
        requirement: Requirement,
        arrays: PlainCells,
    ) -> None:
        super().__init__(profile, levels, cells, requirement)
        self._plain = arrays
        self._failing = (~self._met).view(np.uint8)
        self._kernels = required("cell_evaluation")

    @cached_property
    def suppressed(self) -> Counts:
        if self._nodes is not None:
            return super().suppressed
        cells = self._plain
        sums = np.empty(len(cells.nodes), dtype=np.int64)
        self._kernels.failing_records(cells.bounds, cells.kinds, cells.records, self._failing, sums)
        return self._by_node(sums)

    @cached_property
    def kept_classes(self) -> Counts:
        return self._kept(self._classes[0], self._profile.n_classes)

    @cached_property
    def kept_squares(self) -> Counts:
        return self._kept(self._classes[1], self._profile.squares)

    @cached_property
    def kept_k(self) -> Counts:
        cells = self._plain
        smallest = np.empty(len(self._rows), dtype=np.int64)
        self._kernels.smallest_kept(
            cells.bounds, self._rows, cells.kinds, self._failing, cells.sizes, smallest
        )
        return self._by_node(smallest)

    @cached_property
    def _chosen(self) -> int:
        """Return which cells are fewer by a sample: 1 for the failing ones, 0 for the kept ones."""
        sample = self._failing[self._plain.kinds[::SAMPLED]]
        return int(2 * np.count_nonzero(sample) <= len(sample))

    @cached_property
    def _classes(self) -> NDArray[np.int64]:
        """Return the number of the chosen classes and the sum of their squared sizes, by requested row."""
        cells = self._plain
        sums = np.empty((2, len(self._rows)), dtype=np.int64)
        self._kernels.chosen_classes(
            cells.bounds,
            self._rows,
            cells.kinds,
            cells.records,
            self._failing,
            self._chosen,
            cells.sizes,
            sums,
        )
        return sums

    def _kept(self, sums: Counts, totals: Counts) -> Counts:
        by_node = self._by_node(sums)
        if not self._chosen:
            return by_node
        among = slice(None) if self._nodes is None else self._nodes
        return np.where(self._known, totals[among] - by_node, 0)

    def _kept_label_sums(self, name: str, totals: Array) -> Array:
        packed = self._cells.label_sums
        if not isinstance(packed, PackedSums) or name not in packed.fields:
            return super()._kept_label_sums(name, totals)
        sums = self._by_node(self._fields[list(packed.fields).index(name)])
        scale = packed.fields[name].scale
        real = sums if scale is None else sums * scale
        return totals - real if self._chosen else real

    @cached_property
    def _fields(self) -> NDArray[np.int64]:
        """Return the sum of every packed field over the chosen cells, by requested row, in one pass."""
        cells, packed = self._plain, self._cells.label_sums
        assert isinstance(packed, PackedSums)
        places = np.array([(f.word, f.shift, f.mask) for f in packed.fields.values()], dtype=np.uint64)
        sums = np.empty((len(places), len(self._rows)), dtype=np.int64)
        self._kernels.chosen_fields(
            cells.bounds,
            self._rows,
            cells.kinds,
            self._failing,
            self._chosen,
            cells.sizes,
            packed.words.table,
            packed.words.numbers,
            places,
            sums,
        )
        return sums
