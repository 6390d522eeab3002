"""Splitting classes by further columns, interpreted and compiled, against counting by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels import partitions
from engine.kernels.arrays import Counts, IntArray
from engine.kernels.compiled import partitions as compiled
from engine.kernels.partitions import NarrowCodes, Partition, Room, Scratch
from tests.strategies import modest


@dataclass(frozen=True)
class Coded:
    """Codes of some columns and the records that each row represents."""

    codes: NarrowCodes
    cardinalities: IntArray
    weights: np.ndarray[tuple[int], np.dtype[np.int32]]

    def figures(self, columns: tuple[int, ...]) -> list[int]:
        """Singletons, distinct combinations and ordered equal pairs, counted one row at a time."""
        sizes: Counter[tuple[int, ...]] = Counter()
        for row, weight in enumerate(self.weights.tolist()):
            sizes[tuple(int(self.codes[column, row]) for column in columns)] += weight
        return [
            sum(size == 1 for size in sizes.values()),
            len(sizes),
            sum(size * (size - 1) for size in sizes.values()),
        ]


@st.composite
def coded_columns(draw: st.DrawFn) -> Coded:
    n_rows, n_columns = draw(st.integers(1, 60)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    cardinalities = np.array([draw(st.sampled_from([1, 2, 3, 7, 60, 500])) for _ in range(n_columns)])
    width = draw(st.sampled_from([np.uint16, np.int32]))
    codes: NarrowCodes = np.array([rng.integers(0, c, n_rows) for c in cardinalities], dtype=width)
    weights = rng.choice([1, 1, 1, 2, 5], n_rows).astype(np.int32)
    return Coded(codes, cardinalities, weights)


def refined(kernels: ModuleType, coded: Coded, columns: tuple[int, ...]) -> Partition:
    partition = partitions.whole(coded.weights)
    scratch = Scratch(int(coded.cardinalities.max()))
    for column in columns:
        partition = partitions.refine(kernels, partition, coded.codes[column], scratch)
    assert not scratch.tables.any()
    return partition


def extended(kernels: ModuleType, coded: Coded, partition: Partition) -> Counts:
    columns = np.arange(len(coded.codes), dtype=np.int64)
    figures = np.full((len(columns), 3), -1, dtype=np.int64)
    scratch = Scratch(int(coded.cardinalities.max()))
    partitions.extend(kernels, partition, coded.codes, coded.cardinalities, columns, figures, scratch)
    assert not scratch.tables.any()
    return figures


BOTH = st.sampled_from([partitions, compiled])


@modest
@given(coded_columns(), BOTH)
def test_figures_of_a_partition_are_those_of_counting_row_by_row(coded: Coded, kernels: ModuleType) -> None:
    for n_columns in range(1, len(coded.codes) + 1):
        columns = tuple(range(n_columns))
        partition = refined(kernels, coded, columns)
        assert partition.figures.tolist() == coded.figures(columns)
        assert np.array_equal(partition.weights, coded.weights[partition.rows])


@modest
@given(coded_columns(), BOTH, st.integers(0, 3))
def test_one_more_column_gives_the_figures_of_the_larger_set(
    coded: Coded, kernels: ModuleType, n_columns: int
) -> None:
    columns = tuple(range(min(n_columns, len(coded.codes))))
    figures = extended(kernels, coded, refined(kernels, coded, columns))
    assert figures.tolist() == [coded.figures((*columns, last)) for last in range(len(coded.codes))]


@pytest.mark.parametrize("weight", [1, 4])
def test_a_single_row_is_complete_from_the_start(weight: int) -> None:
    partition = partitions.whole(np.array([weight], dtype=np.int32))
    assert partition.n_classes == 0
    assert partition.figures.tolist() == [int(weight == 1), 1, weight * (weight - 1)]


def test_room_is_used_again_by_the_next_partition() -> None:
    codes = np.array([0, 0, 1, 1, 0], dtype=np.uint16)
    start = partitions.whole(np.ones(5, dtype=np.int32))
    room = Room.of(5)
    first = partitions.refine(partitions, start, codes, Scratch(2), room)
    assert np.shares_memory(first.rows, room.rows)
    assert sorted(np.diff(first.starts).tolist()) == [2, 3]
