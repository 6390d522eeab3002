"""Words of cells come back, numbered or not; what readers hold does not change."""

from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.scoring.cells import shared
from engine.scoring.cells.label_sums import CellWords
from engine.scoring.cells.shared import WordStore
from tests.strategies import modest

LARGEST = (1 << 64) - 1

Words = NDArray[np.uint64]


def assert_holds(found: CellWords, due: Words) -> None:
    """Assert that cells have these words, shape (n_words, n_cells), in any order."""
    cells = np.arange(due.shape[1])[::-1]
    for number, word in enumerate(due):
        assert np.array_equal(found.word(number, cells), word[cells])
        assert np.array_equal(found.chosen(cells).word(number, cells), word)


def stored(blocks: list[Words], *, numbered: bool, most: int) -> WordStore:
    """Add blocks one after the other; what was read in between stays as it was."""
    n_words = blocks[0].shape[0]
    n_cells, read = 0, []
    with mock.patch.multiple(shared, FIRST_ENTRIES=2, MOST_ENTRIES=most):
        store = WordStore(n_words, 0, numbered=numbered)
        for block in blocks:
            n = block.shape[1]
            store.grow(n_cells, n_cells + n + 1)
            store.add(np.column_stack([block, block]), n_cells, n)  # a buffer with more than the block
            n_cells += n
            read.append(store.snapshot(n_cells))
    for number, found in enumerate(read, start=1):
        assert_holds(found, np.column_stack(blocks[:number]))
    return store


@modest
@given(
    st.integers(0, 3),
    st.lists(st.integers(0, 12), min_size=1, max_size=6),
    st.integers(1, 12),
    st.sampled_from([2, 4, 8, 1 << 22]),
    st.booleans(),
    st.integers(0, 1 << 32),
)
def test_words_come_back_and_readers_keep_theirs(
    n_words: int, lengths: list[int], n_different: int, most: int, numbered: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    words = rng.choice(np.array([0, 1, 1 << 32, 1 << 63, LARGEST], dtype=np.uint64), (n_words, n_different))
    blocks = [words[:, rng.integers(0, n_different, n)] for n in lengths]
    stored(blocks, numbered=numbered, most=most)


def test_different_words_are_stored_once() -> None:
    blocks = [np.arange(10, dtype=np.uint64)[None] % np.uint64(5)] * 3
    found = stored(blocks, numbered=True, most=8).snapshot(30)
    assert found.table.tolist() == [[0], [1], [2], [3], [4]]
    assert found.numbers.tolist() == [0, 1, 2, 3, 4] * 6


def test_too_many_different_words_are_stored_by_cell() -> None:
    blocks = [np.arange(first, first + 6, dtype=np.uint64)[None] for first in (0, 3, 6)]
    store = stored(blocks, numbered=True, most=8)
    found = store.snapshot(18)
    assert found.table.shape == (18, 1)
    assert not len(found.numbers)
    before = store.n_bytes
    store.close()
    assert store.n_bytes <= before
    assert_holds(store.snapshot(18), np.column_stack(blocks))
