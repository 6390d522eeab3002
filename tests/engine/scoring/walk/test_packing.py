"""Leaves as paths from the root."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hierarchies import Hierarchy
from engine.scoring.walk.packing import path_codes
from tests.strategies import Rows, hierarchy_rows, modest


@modest
@given(st.integers(1, 12).flatmap(lambda n: hierarchy_rows([f"v{i}" for i in range(n)], max_height=4)))
def test_clearing_low_bits_joins_exactly_the_leaves_under_one_label(rows: Rows) -> None:
    hierarchy = Hierarchy.from_rows(rows)
    codes, dropped = path_codes([level.codes for level in hierarchy.levels])
    assert dropped[0] == 0
    for level, bits in zip(hierarchy.levels, dropped, strict=True):
        pairs = set(zip((codes >> bits).tolist(), level.codes.tolist(), strict=True))
        assert len(pairs) == len({path for path, _ in pairs}) == len({label for _, label in pairs})


def test_a_path_takes_as_few_bits_as_its_widest_branches_need() -> None:
    levels = [np.arange(6), np.array([0, 0, 0, 0, 1, 1]), np.zeros(6, dtype=np.int64)]
    codes, dropped = path_codes([level.astype(np.int32) for level in levels])
    assert int(codes.max()).bit_length() == 3  # two groups of up to four
    assert dropped == (0, 2, 3)


def test_a_hierarchy_beyond_62_bits_is_refused() -> None:
    # Each of 7 levels splits one group into 1,000 and keeps the others: 10 bits a level.
    n_leaves, levels = 7 * 999 + 1, []
    for level in range(8):
        kept = n_leaves - level * 999
        levels.append(np.minimum(np.arange(n_leaves), kept - 1).astype(np.int32))
    with pytest.raises(OverflowError, match="62 bits"):
        path_codes(levels)
