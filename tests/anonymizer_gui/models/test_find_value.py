"""Search for the next cell with a text, in both directions and any order."""

from __future__ import annotations

import numpy as np
import pytest

from anonymizer_gui.models.records_model import find_next
from engine.records import Table
from tests.anonymizer_gui.perspectives.configure.conftest import make

TABLE = Table((make("a", ["x", "o", "X", "o"]), make("b", ["o", "o", "xx", "o"])))
CELLS = [(0, 0), (2, 0), (2, 1)]


@pytest.mark.parametrize("backwards", [False, True])
def test_every_cell_is_found_in_turn_and_the_search_wraps(backwards: bool) -> None:
    cell, found = (-1, -1), []
    for _ in range(4):
        cell = find_next(TABLE, "x", cell, backwards=backwards) or (-9, -9)
        found.append(cell)
    assert found == ([*CELLS[::-1], CELLS[-1]] if backwards else [*CELLS, CELLS[0]])


def test_rows_are_those_of_the_display_order() -> None:
    order = np.array([3, 2, 0], dtype=np.int32)
    assert find_next(TABLE, "x", (-1, -1), order) == (1, 0)
    assert find_next(TABLE, "x", (1, 1), order) == (2, 0)
    assert find_next(TABLE, "x", (1, 0), order, backwards=True) == (2, 0)
    assert find_next(TABLE, "absent", (-1, -1), order) is None
