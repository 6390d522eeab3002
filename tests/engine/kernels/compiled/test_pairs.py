"""Pairs packed in bytes: numbers of every size come back, in contents of base tuples and in unions."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.compiled.contents import add_base, make_contents
from engine.kernels.compiled.pairs import MOST_BYTES, unpacked
from engine.kernels.compiled.traversal import DONE
from tests.engine.kernels.compiled.raising import Raise
from tests.engine.kernels.compiled.test_cells import content
from tests.strategies import modest

EDGES = [bound + step for bound in (1, 1 << 7, 1 << 14, 1 << 16, 1 << 21, 1 << 28) for step in (-1, 0, 1)]
LARGEST = (1 << 31) - 1

numbers = st.sampled_from([*EDGES, LARGEST]) | st.integers(0, LARGEST)
rows = st.dictionaries(st.integers(0, 300), st.sampled_from(EDGES[1:-3]), min_size=1, max_size=20)
held = st.dictionaries(numbers, numbers.filter(bool), min_size=1, max_size=6)


@modest
@given(st.lists(held, min_size=1, max_size=12))
def test_values_and_counts_of_every_size_come_back(drawn: list[dict[int, int]]) -> None:
    n = len(drawn)
    ordered = [sorted(row.items()) for row in drawn]
    pairs = np.array([(value << 32) | count for row in ordered for value, count in row], dtype=np.int64)
    starts = np.cumsum([0, *map(len, ordered)])
    contents = make_contents(n, MOST_BYTES * len(pairs))
    prints = np.arange(2 * n, dtype=np.uint64).reshape(2, n)  # of contents that all differ
    add_base(contents, starts, pairs, prints, np.ones(n, dtype=np.int32), np.empty(n, dtype=np.int32))
    for first in range(n):
        values, counts, begins = unpacked(contents.starts, contents.pairs, first, n)
        assert begins.tolist() == (starts[first:-1] - starts[first]).tolist()
        found = list(zip(values.tolist(), counts.tolist(), strict=True))
        assert found == [pair for row in ordered[first:] for pair in row]


@modest
@given(st.lists(rows, min_size=2, max_size=6))
def test_unions_have_sums_of_every_size(drawn: list[dict[int, int]]) -> None:
    n = len(drawn)
    case = Raise(np.arange(n), [Counter(row) for row in drawn], 0, 3, 0, True, n_reals=0, n_values=301)
    assert case.step() == DONE
    total = sum((Counter(row) for row in drawn), Counter())
    assert content(case, int(case.arena.contents[n])) == tuple(sorted(total.items()))
