"""Cells shared by workers and readers, which grow even if memory ends half-way."""

from __future__ import annotations

import numpy as np
import pytest

from engine.scoring.cells.label_sums import CellWords
from engine.scoring.cells.shared import FIRST_ROOM, CellArrays, CellBlock, SharedCells


def block(first: int, n_cells: int) -> CellBlock:
    """One node whose cells are numbers from `first` on."""
    numbers = np.arange(first, first + n_cells)
    cells = CellArrays(
        np.array([first]),
        np.zeros(1, dtype=np.int64),
        numbers.astype(np.int32),
        numbers.astype(np.int32) + 1,
        numbers[None] + 0.5,
    )
    return CellBlock(cells, np.array([numbers % 7, numbers % 7 + 2], dtype=np.uint64))


def assert_holds(found: tuple[CellArrays, CellWords], n_cells: int, starts: list[int]) -> None:
    (cells, words), whole = found, block(0, n_cells)
    assert cells.nodes.tolist() == cells.starts.tolist() == starts
    for own, due in zip(cells[2:], whole.cells[2:], strict=True):
        assert np.array_equal(own, due)
    for number, word in enumerate(whole.words):
        assert np.array_equal(words.word(number, np.arange(n_cells)), word)


@pytest.mark.parametrize("by_content", [False, True])
def test_arrays_of_readers_do_not_change_while_cells_grow(by_content: bool) -> None:
    cells = SharedCells(3, 2, 1, by_content=by_content)
    cells.add(block(0, 10))
    early = cells.snapshot()
    cells.add(block(10, FIRST_ROOM))
    cells.reserve(5 * FIRST_ROOM)
    assert_holds(early, 10, [0])
    assert_holds(cells.snapshot(), 10 + FIRST_ROOM, [0, 10])
    assert cells.n_nodes == 2


@pytest.mark.parametrize("by_content", [False, True])
@pytest.mark.parametrize("fails_at", range(4))
def test_if_memory_runs_out_while_cells_grow_adding_continues_later(
    fails_at: int, by_content: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = SharedCells(3, 2, 1, by_content=by_content)
    cells.add(block(0, 10))
    calls, empty = iter(range(100)), np.empty

    def empty_until(*given, **named):  # type: ignore[no-untyped-def]
        if next(calls) == fails_at:
            raise MemoryError
        return empty(*given, **named)

    monkeypatch.setattr(np, "empty", empty_until)
    with pytest.raises(MemoryError):
        cells.reserve(FIRST_ROOM)
    assert_holds(cells.snapshot(), 10, [0])
    cells.add(block(10, FIRST_ROOM))
    assert_holds(cells.snapshot(), 10 + FIRST_ROOM, [0, 10])
