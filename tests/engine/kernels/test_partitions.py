"""Splitting classes by further columns: numpy against counting by hand, compiled against numpy."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels import partitions as by_numpy
from engine.kernels.arrays import Counts, IntArray
from engine.kernels.compiled import partitions as compiled
from engine.kernels.partitions import NarrowCodes, Partition
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


def refined(coded: Coded, columns: tuple[int, ...], *, is_compiled: bool) -> Partition:
    partition = by_numpy.whole(coded.weights)
    scratch = compiled.Scratch(int(coded.cardinalities.max()))
    for column in columns:
        if is_compiled:
            partition = compiled.refine(partition, coded.codes[column], scratch)
        else:
            cardinality = int(coded.cardinalities[column])
            partition = by_numpy.refine(partition, coded.codes[column], cardinality)
    assert not scratch.tables.any()
    return partition


def extended(coded: Coded, partition: Partition, *, is_compiled: bool) -> Counts:
    columns = np.arange(len(coded.codes), dtype=np.int64)
    figures = np.full((len(columns), 3), -1, dtype=np.int64)
    if is_compiled:
        scratch = compiled.Scratch(int(coded.cardinalities.max()))
        compiled.extend(partition, coded.codes, coded.cardinalities, columns, figures, scratch)
        assert not scratch.tables.any()
    else:
        by_numpy.extend(partition, coded.codes, coded.cardinalities, columns, figures)
    return figures


@modest
@given(coded_columns(), st.booleans())
def test_figures_of_a_partition_are_those_of_counting_row_by_row(coded: Coded, is_compiled: bool) -> None:
    for n_columns in range(1, len(coded.codes) + 1):
        columns = tuple(range(n_columns))
        partition = refined(coded, columns, is_compiled=is_compiled)
        assert partition.figures.tolist() == coded.figures(columns)


@modest
@given(coded_columns(), st.booleans(), st.integers(0, 3))
def test_one_more_column_gives_the_figures_of_the_larger_set(
    coded: Coded, is_compiled: bool, n_columns: int
) -> None:
    columns = tuple(range(min(n_columns, len(coded.codes))))
    figures = extended(coded, refined(coded, columns, is_compiled=is_compiled), is_compiled=is_compiled)
    assert figures.tolist() == [coded.figures((*columns, last)) for last in range(len(coded.codes))]


@modest
@given(coded_columns())
def test_kernels_and_numpy_find_the_same_classes(coded: Coded) -> None:
    columns = tuple(range(len(coded.codes)))
    found = [refined(coded, columns, is_compiled=is_compiled) for is_compiled in (False, True)]
    classes = [
        {frozenset(part.tolist()) for part in np.split(p.rows, p.starts[1:-1])} if p.n_classes else set()
        for p in found
    ]
    assert classes[0] == classes[1]
    assert found[0].settled.tolist() == found[1].settled.tolist()
    for partition in found:
        assert np.array_equal(partition.weights, coded.weights[partition.rows])


@pytest.mark.parametrize("weight", [1, 4])
def test_a_single_row_is_complete_from_the_start(weight: int) -> None:
    partition = by_numpy.whole(np.array([weight], dtype=np.int32))
    assert partition.n_classes == 0
    assert partition.figures.tolist() == [int(weight == 1), 1, weight * (weight - 1)]


def test_room_is_used_again_by_the_next_partition() -> None:
    codes = np.array([0, 0, 1, 1, 0], dtype=np.uint16)
    start = by_numpy.whole(np.ones(5, dtype=np.int32))
    room = compiled.Room.of(5)
    first = compiled.refine(start, codes, compiled.Scratch(2), room)
    assert np.shares_memory(first.rows, room.rows)
    assert sorted(np.diff(first.starts).tolist()) == [2, 3]
