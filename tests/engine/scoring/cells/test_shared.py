"""Cells shared by workers and readers, which grow even if memory ends half-way."""

from __future__ import annotations

import numpy as np
import pytest

from engine.scoring.cells import shared
from engine.scoring.cells.shared import FIRST_ROOM, CellArrays, SharedCells


def block(first: int, n_cells: int) -> CellArrays:
    """One node whose cells are numbers from `first` on."""
    numbers = np.arange(first, first + n_cells)
    return CellArrays(
        np.array([first]),
        np.zeros(1, dtype=np.int64),
        numbers.astype(np.int32),
        numbers.astype(np.int32) + 1,
        np.array([numbers, numbers + 2], dtype=np.uint64),
        numbers[None] + 0.5,
    )


def assert_holds(cells: CellArrays, n_cells: int, starts: list[int]) -> None:
    whole = block(0, n_cells)
    assert cells.nodes.tolist() == cells.starts.tolist() == starts
    for own, due in zip(cells[2:], whole[2:], strict=True):
        assert np.array_equal(own, due)


def test_arrays_of_readers_do_not_change_while_cells_grow() -> None:
    cells = SharedCells(3, 2, 1)
    cells.add(block(0, 10))
    early = cells.snapshot()
    cells.add(block(10, FIRST_ROOM))
    cells.reserve(5 * FIRST_ROOM)
    assert_holds(early, 10, [0])
    assert_holds(cells.snapshot(), 10 + FIRST_ROOM, [0, 10])
    assert cells.n_nodes == 2


@pytest.mark.parametrize("fails_at", range(4))
def test_if_memory_runs_out_while_cells_grow_adding_continues_later(
    fails_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = SharedCells(3, 2, 1)
    cells.add(block(0, 10))
    calls, empty = iter(range(100)), np.empty

    class Full:
        """numpy, with memory that ends at one of the arrays."""

        @staticmethod
        def empty(*given, **named):  # type: ignore[no-untyped-def]
            if next(calls) == fails_at:
                raise MemoryError
            return empty(*given, **named)

    monkeypatch.setattr(shared, "np", Full)
    with pytest.raises(MemoryError):
        cells.reserve(FIRST_ROOM)
    assert_holds(cells.snapshot(), 10, [0])
    cells.add(block(10, FIRST_ROOM))
    assert_holds(cells.snapshot(), 10 + FIRST_ROOM, [0, 10])
