"""Grouping of records by verification, compared with plain tuples."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.verification import grouping
from engine.verification.grouping import joined, numbered, summed
from tests.strategies import modest

ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[st.sampled_from([0, 1, 2, 40_000, 2**30])] * width), max_size=30)
)


@pytest.mark.parametrize("bound", [grouping._BOUND, 2**33])  # the second: numbered anew at every column
@modest
@given(rows=ROWS)
def test_records_are_joined_as_tuples_are(bound: int, rows: list[tuple[int, ...]]) -> None:
    width = len(rows[0]) if rows else 1
    columns = [pd.Series([row[i] for row in rows], dtype="int32") for i in range(width)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_BOUND", bound)
        keys = joined(columns)
    counts, number_of = Counter(rows), {row: number for number, row in enumerate(dict.fromkeys(rows))}
    assert numbered(keys).tolist() == [number_of[row] for row in rows]
    of_rows = dict(zip(keys.tolist(), (counts[row] for row in rows), strict=True))
    assert summed(keys).to_dict() == dict(sorted(of_rows.items()))
    assert summed(keys, pd.Series(3, index=keys.index)).to_dict() == {
        key: 3 * n for key, n in of_rows.items()
    }
