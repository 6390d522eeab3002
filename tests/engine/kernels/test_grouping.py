"""Grouping rows by integer codes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels import grouping
from engine.kernels.grouping import (
    class_keys,
    class_labels,
    counts_of,
    merge,
    merge_sorted,
    rows_alone,
    run_starts,
)
from tests.strategies import modest

SPANS = st.sampled_from([1, 2, 5, 1000, 1 << 31, 1 << 40, 1 << 62])


@modest
@given(st.data())
def test_rows_share_a_label_exactly_when_all_their_codes_agree(data: st.DataObject) -> None:
    spans = data.draw(st.lists(SPANS, min_size=1, max_size=5))
    n_rows = data.draw(st.integers(1, 20))
    # Few different codes per column, from both ends of its span, so that rows do repeat.
    rows = [
        tuple(data.draw(st.sampled_from(sorted({0, 1 % span, span - 1, span // 2}))) for span in spans)
        for _ in range(n_rows)
    ]
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
    labels, first, sizes = class_labels(columns, spans)
    order = sorted(set(rows))
    assert [order[label] for label in labels] == rows
    assert [rows[i] for i in first] == order
    assert [rows.index(row) for row in order] == first.tolist()
    assert sizes.tolist() == [Counter(rows)[row] for row in order]
    assert rows_alone(columns, spans).tolist() == [rows.count(row) == 1 for row in rows]
    keys = class_keys(columns, spans)
    assert [rows[i] for i in np.argsort(keys, kind="stable")] == sorted(rows)
    assert keys.min() >= 0


@pytest.mark.parametrize("spans", [(3, 5), (900, 900, 900), (1 << 31, 1 << 31)])
def test_rows_are_numbered_block_by_block_as_all_at_once(
    spans: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grouping, "_BLOCK", 7)
    random = np.random.default_rng(5)
    columns = [random.integers(0, min(span, 40), 500) for span in spans]
    _, first, labels, sizes = np.unique(
        np.stack(columns), axis=1, return_index=True, return_inverse=True, return_counts=True
    )
    for found, expected in zip(class_labels(columns, spans), (labels, first, sizes), strict=True):
        assert np.array_equal(found, expected.ravel())
    assert np.array_equal(rows_alone(columns, spans), (sizes == 1)[labels.ravel()])


@pytest.mark.parametrize("count_bits", [6, 60])
@modest
@given(pairs=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)), min_size=1, max_size=12))
def test_merging_adds_the_counts_of_equal_keys(count_bits: int, pairs: list[tuple[int, int]]) -> None:
    expected: Counter[int] = Counter()
    for key, count in pairs:
        expected[key] += count
    keys, counts = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    merged, totals = merge(keys, counts, 4, count_bits)
    assert list(zip(merged.tolist(), counts_of(totals).tolist(), strict=True)) == sorted(expected.items())
    assert totals[-1] == counts.sum()


def test_merging_sorted_keys_that_all_differ_changes_nothing() -> None:
    keys, totals = merge_sorted(np.array([2, 5, 9]), np.array([1, 2, 5]))
    assert (keys.tolist(), totals.tolist()) == ([2, 5, 9], [1, 2, 5])


def test_joining_neighbours_keeps_the_records_up_to_the_last_of_them() -> None:
    keys, totals = merge_sorted(np.array([2, 2, 5, 9, 9]), np.array([1, 4, 5, 7, 8]))
    assert (keys.tolist(), totals.tolist()) == ([2, 5, 9], [4, 5, 8])
    assert counts_of(totals).tolist() == [4, 1, 3]


def test_runs_begin_where_the_value_changes() -> None:
    assert run_starts(np.array([4, 4, 7, 7, 7, 9])).tolist() == [0, 2, 5]
    assert run_starts(np.array([4])).tolist() == [0]
