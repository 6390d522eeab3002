"""Alike classes joined, and what readers see while cells are added."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.scoring import cells
from engine.scoring.cells import CellStore, join_alike
from tests.strategies import modest


@pytest.mark.parametrize("mix", [cells._MIX, (1, 0, 0)], ids=["hashed", "every hash collides"])
def test_classes_that_differ_in_any_measure_are_never_joined(
    mix: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "_MIX", mix)
    entry = st.tuples(st.integers(1, 3), st.integers(1, 3), st.sampled_from([0.0, 0.1, 0.1 + 1e-17, 0.3]))

    @modest
    @given(st.lists(entry, min_size=1, max_size=30), st.integers(0, 2))
    def check(entries: list[tuple[int, int, float]], n_measures: int) -> None:
        sizes, distinct, distances = (np.array(column) for column in zip(*entries, strict=True))
        measures = [distinct, distances][:n_measures]
        order, starts = join_alike(sizes, measures)
        rows = [entry[: 1 + n_measures] for entry in entries]
        assert sorted(order.tolist()) == list(range(len(entries)))
        runs = [run.tolist() for run in np.split(order, starts[1:])]
        assert all(len({rows[i] for i in run}) == 1 for run in runs)
        assert sum((Counter({rows[run[0]]: len(run)}) for run in runs), Counter()) == Counter(rows)

    check()


def test_alike_classes_without_measures_make_one_cell_per_size() -> None:
    order, starts = join_alike(np.array([3, 1, 3, 2, 1]), [])
    assert np.array([3, 1, 3, 2, 1])[order].tolist() == [1, 1, 2, 3, 3]
    assert starts.tolist() == [0, 2, 3]


def test_a_snapshot_does_not_change_while_the_store_grows() -> None:
    store = CellStore({"size": np.dtype(np.int32), "extra": np.dtype(np.float64)}, 3)
    store.append(2, {"size": np.array([5, 6]), "extra": np.array([0.5, 0.25])})
    seen = store.snapshot()
    store.append(0, {"size": np.arange(10_000)})
    store.append(1, {"size": np.array([7])})
    assert seen.nodes.tolist() == [2]
    assert seen.columns["size"].tolist() == [5, 6]
    whole = store.snapshot()
    assert whole.nodes.tolist() == [2, 0, 1]
    assert whole.starts.tolist() == [0, 2, 10_002]
    assert whole.columns["size"][-2:].tolist() == [9_999, 7]
    assert whole.columns["extra"][:3].tolist() == [0.5, 0.25, 0]
