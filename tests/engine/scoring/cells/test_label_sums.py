"""Label sums packed into words."""

from __future__ import annotations

import numpy as np

from engine.scoring.cells.label_sums import CellWords, Field, PackedSums


def by_cell(*words: int) -> CellWords:
    """One word per cell."""
    return CellWords.by_cell(np.array(words, dtype=np.uint64)[:, None])


def test_a_field_is_cut_out_of_its_word_and_counted_for_every_record() -> None:
    # Two cells: 3 and 5 leaves over their classes, with widths of 4 and 6 halves; classes of 2 and 10.
    words = by_cell(3 | 4 << 20, 5 | 6 << 20)
    fields = {"leaves 0": Field(0, 0, 20), "spans 0": Field(0, 20, 44, 0.5)}
    sums = PackedSums(words, fields, np.array([2, 10]))
    both = np.array([0, 1])
    assert sums.of("leaves 0", both).tolist() == [6, 50]
    assert sums.of("spans 0", both).tolist() == [4.0, 30.0]
    assert sums.of("leaves 0", np.array([1])).dtype == np.int64


def test_the_highest_bit_of_a_word_is_not_a_sign() -> None:
    words = by_cell(1 << 63)
    sums = PackedSums(words, {"leaves 0": Field(0, 62, 2)}, np.array([1]))
    assert sums.of("leaves 0", np.array([0])).tolist() == [2]


def test_sizes_may_be_those_of_kinds_and_sums_too_wide_lie_in_columns() -> None:
    words = CellWords(np.array([[7]], dtype=np.uint64), np.zeros(2, dtype=np.int32))
    columns = {"leaves 1": np.array([40_000, 50_000], dtype=np.int32), "spans 1": np.array([0.25, 0.75])}
    sums = PackedSums(
        words, {"leaves 0": Field(0, 0, 3)}, np.array([1, 4]), np.array([1, 0], dtype=np.int32), columns
    )
    assert sums.of("leaves 0", np.array([0, 1])).tolist() == [28, 7]
    assert sums.of("leaves 1", np.array([1])).tolist() == [50_000]
    assert sums.of("leaves 1", np.array([1])).dtype == np.int64
    assert sums.of("spans 1", np.array([1])).tolist() == [0.75]
