"""Raising an attribute of a sorted frequency set against a dictionary, each way of merging."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.compiled.merging import DIRECT_BITS
from engine.kernels.compiled.rollup import lowest_bit
from engine.kernels.compiled.traversal import DONE
from tests.engine.kernels.compiled.raising import KINDS, Raise, random_raise
from tests.strategies import modest

SHIFTS = (0, 1, 3, 7, 13, DIRECT_BITS - 1, DIRECT_BITS, DIRECT_BITS + 1, 21, 40)


def assert_raised(case: Raise) -> None:
    assert case.step() == DONE
    expected = case.expected()
    assert case.classes(1) == expected
    assert case.scores.n_classes.tolist()[:2] == [len(case.keys), len(expected)]
    counts = np.array([count for _, count, _, _ in expected])
    assert (case.scores.k[1], case.scores.largest[1]) == (counts.min(), counts.max())
    assert case.scores.squares[1] == (counts**2).sum()


@modest
@given(
    st.integers(0, 10**6),
    st.integers(1, 250),
    st.sampled_from(SHIFTS),
    st.integers(1, 4),
    st.integers(0, 3),
    st.integers(1, 40),
    st.sampled_from(KINDS),
)
def test_raising_gives_the_classes_a_dictionary_gives(
    seed: int, n: int, shift: int, cleared: int, kept: int, n_suffixes: int, kind: tuple[bool, int]
) -> None:
    is_sensitive, n_reals = kind
    case = random_raise(seed, n, shift, cleared, kept, n_suffixes, is_sensitive=is_sensitive, n_reals=n_reals)
    assert_raised(case)
    if is_sensitive:
        assert_linked(case)


def assert_linked(case: Raise) -> None:
    """Heads and links lead to all parts of a class, and fingerprints are their sums."""
    n = len(case.keys)
    raised = [case.raised_key(key) for key in case.keys.tolist()]
    for row, chain in enumerate(case.parts(), start=n):
        key = int(case.arena.keys[row])
        assert sorted(chain) == [part for part in range(n) if raised[part] == key]
        sums = case.prints[:, chain].sum(axis=1, dtype=np.uint64)
        assert np.array_equal(case.arena.prints[:, row], sums)


@pytest.mark.parametrize(("is_sensitive", "n_reals"), KINDS)
@pytest.mark.parametrize("shift", [DIRECT_BITS, DIRECT_BITS + 1], ids=["directly", "sorted"])
@pytest.mark.parametrize("n_parts", [1, 2, 3, 4, 5, 8, 13])
def test_runs_of_a_number_of_parts(n_parts: int, shift: int, is_sensitive: bool, n_reals: int) -> None:
    paths = [2 * i for i in range(n_parts)]  # 13 of 32 that the level joins
    case = random_raise(
        n_parts, 400, shift, 5, 0, 30, is_sensitive=is_sensitive, paths=paths, n_reals=n_reals
    )
    n_paths = len(np.unique(case.keys >> shift & 31))
    assert n_paths == n_parts
    assert_raised(case)
    assert (len(case.classes(1)) == len(case.keys)) is (n_parts == 1)
    if is_sensitive:
        assert_linked(case)


@pytest.mark.parametrize("shift", [3, 20])
def test_single_runs_and_merged_runs_follow_each_other(shift: int) -> None:
    # By kept path: one part, two, three, one again.
    paths = [0b0001, 0b0100, 0b0101, 0b1000, 0b1001, 0b1011, 0b1110]
    case = random_raise(4, 300, shift, 2, 2, 20, is_sensitive=True, paths=paths)
    assert_raised(case)
    assert_linked(case)


def test_sums_below_the_largest_direct_suffix_leave_nothing_for_the_next_merge() -> None:
    for n_reals in (0, 2):
        case = random_raise(1 + n_reals, 3000, DIRECT_BITS, 4, 1, 2000, is_sensitive=False, n_reals=n_reals)
        assert_raised(case)


def test_the_lowest_bit_of_every_word_is_found() -> None:
    for bit in range(64):
        assert lowest_bit(np.uint64(1 << bit)) == bit
        higher = np.uint64((1 << 63) | (1 << bit))
        assert lowest_bit(higher) == bit
