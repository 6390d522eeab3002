"""Numbered contents: recognized, distinguished, unchanged when their arrays grow."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.kernels.compiled.contents import Contents, add_base, grown, make_contents, without_table
from engine.kernels.compiled.pairs import MOST_BYTES, unpacked
from engine.kernels.compiled.traversal import DONE, LOST_RECORDS, NEEDS_CONTENTS
from tests.engine.kernels.compiled.raising import Raise, random_raise
from tests.engine.kernels.compiled.test_cells import content, found_cells
from tests.strategies import modest

Prints = NDArray[np.uint64]


def numbered(prints: Prints, contents: Contents) -> list[int]:
    """Number contents of one pair each, whose value is the column in which the fingerprint first occurred."""
    n = prints.shape[1]
    pairs = (np.arange(n, dtype=np.int64) << 32) | 1
    numbers = np.empty(n, dtype=np.int32)
    add_base(contents, np.arange(n + 1), pairs, prints, np.ones(n, dtype=np.int32), numbers)
    return numbers.tolist()


fingerprints = st.lists(
    st.tuples(st.sampled_from([1, 2, 1 << 63, 5]), st.sampled_from([1 << 32, 7 << 32, 1 << 63])),
    min_size=1,
    max_size=40,
)


@modest
@given(fingerprints)
def test_contents_of_one_fingerprint_are_one_and_those_that_differ_in_either_word_are_not(
    drawn: list[tuple[int, int]],
) -> None:
    prints = np.array(drawn, dtype=np.uint64).T.copy()
    contents = make_contents(len(drawn), MOST_BYTES * len(drawn))
    numbers = numbered(prints, contents)
    order = list(dict.fromkeys(drawn))
    assert numbers == [order.index(one) for one in drawn]
    assert contents.used[0] == len(order)
    values, counts, starts = unpacked(contents.starts, contents.pairs, 0, len(order))
    assert values.tolist() == [drawn.index(one) for one in order]
    assert counts.tolist() == [1] * len(order)
    assert starts.tolist() == list(range(len(order)))


@modest
@given(st.integers(1, 200), st.integers(1, 4))
def test_grown_contents_keep_their_numbers_and_the_old_ones_stay_readable(n: int, factor: int) -> None:
    prints = np.random.default_rng(n).integers(0, 1 << 64, (2, n), dtype=np.uint64)
    contents = make_contents(n, MOST_BYTES * n)
    assert numbered(prints, contents) == list(range(n))
    before = [array.copy() for array in contents]
    larger = grown(contents, factor * n, factor * MOST_BYTES * n)
    assert numbered(prints, larger) == list(range(n)), "all of them are found again"
    assert larger.used[0] == n
    more = np.random.default_rng(n + 1).integers(0, 1 << 64, (2, (factor - 1) * n), dtype=np.uint64)
    if factor > 1:
        assert numbered(more, larger) == list(range(n, factor * n))
    assert all(np.array_equal(a, b) for a, b in zip(contents, before, strict=True))
    smallest = without_table(larger)
    assert len(smallest.sizes) == factor * n
    assert np.array_equal(smallest.pairs, larger.pairs)
    assert np.array_equal(smallest.starts, larger.starts)


def many_classes(**options: int) -> Raise:
    """Some hundred classes that join to new contents."""
    return random_raise(3, 600, 4, 4, 2, 16, is_sensitive=True, **options)


def test_without_room_for_a_content_the_walk_waits_for_more_and_finds_the_same() -> None:
    whole = many_classes()
    n_base = int(whole.contents.used[0])
    assert whole.step() == DONE
    assert whole.contents.used[0] > n_base + 10
    short = many_classes(n_contents=n_base)
    asked = 0
    while (found := short.step()) == NEEDS_CONTENTS:
        asked += 1
        room, pair_room = len(short.contents.sizes) + 3, len(short.contents.pairs) + 40 * MOST_BYTES
        short.contents = grown(short.contents, room, pair_room)
    assert found == DONE
    assert asked > 1
    for node in (0, 1):
        assert found_cells(short, node) == found_cells(whole, node)


def test_every_content_numbered_is_the_content_of_its_classes() -> None:
    case = many_classes()
    assert case.step() == DONE
    n = len(case.keys)
    for row, chain in enumerate(case.parts(), start=n):
        held = sum((case.values[part] for part in chain), Counter())
        assert content(case, int(case.arena.contents[row])) == tuple(sorted(held.items()))


def test_a_content_whose_records_do_not_add_up_stops_the_walk() -> None:
    case = many_classes()
    case.contents.pairs[1 : case.contents.starts[case.contents.used[0]] : 2] += (
        1  # all counts are of one byte
    )
    assert case.step() == LOST_RECORDS
