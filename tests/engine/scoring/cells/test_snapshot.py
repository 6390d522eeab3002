"""Equal classes joined, and snapshots while cells are added."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.frequency import Problem
from engine.scoring.cells.snapshot import CellStore, join_alike
from tests.strategies import modest


def test_classes_that_differ_in_any_measure_are_never_joined() -> None:
    entry = st.tuples(st.integers(1, 3), st.integers(1, 3), st.sampled_from([0.0, 0.1, 0.1 + 1e-17, 0.3]))

    @modest
    @given(st.lists(entry, min_size=1, max_size=30), st.integers(0, 2))
    def check(entries: list[tuple[int, int, float]], n_measures: int) -> None:
        sizes, distinct, distances = (np.array(column) for column in zip(*entries, strict=True))
        measures = [distinct, distances][:n_measures]
        joined = join_alike(sizes, measures)
        rows = [entry[: 1 + n_measures] for entry in entries]
        weights = np.arange(len(entries))
        columns = [joined.sizes, *(measure[joined.first] for measure in measures)]
        found: Counter[tuple[float, ...]] = Counter()
        sums: Counter[tuple[float, ...]] = Counter()
        cells_of_joined = zip(*(column.tolist() for column in columns), strict=True)
        for row, n_classes, weight in zip(cells_of_joined, joined.classes, joined.sums(weights), strict=True):
            found[row] += int(n_classes)
            sums[row] += int(weight)
        assert found == Counter(rows)
        assert +sums == +sum((Counter({row: i}) for i, row in enumerate(rows)), Counter())

    check()


def test_a_snapshot_does_not_change_while_the_store_grows() -> None:
    count = np.dtype(np.int32)
    store = CellStore({"size": count, "records": count, "extra": np.dtype(np.float64)}, 3)
    problem = Problem(3, (), ())
    store.append(2, {"size": np.array([5, 6]), "extra": np.array([0.5, 0.25])})
    seen = store.snapshot(problem)
    store.append(0, {"size": np.arange(10_000)})
    store.append(1, {"size": np.array([7])})
    assert seen.nodes.tolist() == [2]
    assert seen.sizes.tolist() == [5, 6]
    whole = store.snapshot(problem)
    assert whole.nodes.tolist() == [2, 0, 1]
    assert whole.starts.tolist() == [0, 2, 10_002]
    assert whole.sizes[-2:].tolist() == [9_999, 7]
    assert whole.label_sums.of("extra", np.arange(3)).tolist() == [0.5, 0.25, 0]
