"""Pairs of class and value: counted in an array of all keys or sorted, they are the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.frequency.measured import pairs_of
from tests.strategies import modest

N_VALUES = 6
rows = st.lists(st.tuples(st.integers(0, 4), st.integers(0, N_VALUES - 1), st.integers(1, 3)), min_size=1)


@modest
@given(rows, st.booleans())
def test_counted_pairs_are_those_that_sorting_finds(rows: list[tuple[int, int, int]], is_one: bool) -> None:
    classes, values, counts = np.array(rows).T
    labels = np.unique(classes, return_inverse=True)[1]
    found = []
    for few in (1 << 10, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("engine.frequency.measured.FEW_KEYS", few)
            patch.setattr("engine.frequency.measured.DENSE", few)
            pairs = pairs_of(labels, values, None if is_one else counts, N_VALUES)
        assert pairs.counts.dtype == np.int64
        found.append((pairs.values.tolist(), pairs.counts.tolist(), pairs.starts.tolist()))
    assert found[0] == found[1]
    assert sum(found[0][1]) == (len(rows) if is_one else counts.sum())
