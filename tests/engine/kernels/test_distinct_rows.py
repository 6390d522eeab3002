"""Distinct rows of blocks, merged piece by piece."""

from __future__ import annotations

import numpy as np
import pytest

from engine.kernels import distinct_rows as module
from engine.kernels.distinct_rows import RowPlaces, distinct_rows


@pytest.mark.parametrize("n_columns", [2, 4])  # 40 bits, and more than a key has
@pytest.mark.parametrize("most", [1, 30, 1 << 20])  # different values
def test_rows_merged_in_pieces_are_those_of_a_sort(
    n_columns: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PENDING", 100)
    monkeypatch.setattr(module, "_PIECE", 40)
    random = np.random.default_rng(23)
    columns = random.integers(0, most, (n_columns, 1_000))
    columns[:, 500:700] = columns[:, :200]  # rows of one block that another one has
    pauses: list[None] = []
    found, counts = distinct_rows(
        lambda: (columns[:, start : start + 90] for start in range(0, 1_000, 90)),
        [1 << 20] * n_columns,
        lambda: pauses.append(None),
    )
    expected, expected_counts = np.unique(columns, axis=1, return_counts=True)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(counts, expected_counts)
    places = RowPlaces(found, [1 << 20] * n_columns).of(columns)
    np.testing.assert_array_equal(np.array(found)[:, places], columns)
    assert (RowPlaces([own[:0] for own in found], [1 << 20] * n_columns).of(columns) == -1).all()
    assert len(pauses) > n_columns + (20 if most > 30 else 0)
