"""Cells of a node against classes counted one by one: by size, and by content."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.compiled.cells import COUNTED_SIZES
from engine.kernels.compiled.pairs import unpacked
from engine.kernels.compiled.traversal import DONE
from tests.engine.kernels.compiled.raising import KINDS, Raise, random_raise
from tests.strategies import modest

Sums = dict[object, tuple[int, int, tuple[float, ...]]]


def found_cells(case: Raise, node: int) -> Sums:
    """Records, sum of words and of reals by size, or by content as its size and pairs."""
    place = case.scores.nodes[: case.stack.state[3]].tolist().index(node)
    bounds = [*case.scores.starts[: case.stack.state[3]].tolist(), int(case.stack.state[2])]
    joined: dict[object, list[int]] = defaultdict(list)
    for cell in range(bounds[place], bounds[place + 1]):
        kind = int(case.cells.kinds[cell])
        joined[content(case, kind) if case.is_sensitive else kind].append(cell)
    cells = case.cells
    if case.is_sensitive:
        assert all(len(own) == 1 for own in joined.values()), "a content is in two cells"
    return {
        kind: (
            int(cells.records[own].sum()),
            int(cells.words[0, own].sum()),
            tuple(cells.reals[:, own].sum(axis=1).tolist()),
        )
        for kind, own in joined.items()
    }


def content(case: Raise, number: int) -> tuple[tuple[int, int], ...]:
    """Sensitive values and their records."""
    values, counts, _ = unpacked(case.contents.starts, case.contents.pairs, number, number + 1)
    found = tuple(zip(values.tolist(), counts.tolist(), strict=True))
    assert list(found) == sorted(found)
    assert sum(count for _, count in found) == case.contents.sizes[number] * case.n_attributes
    return found


def expected_cells(case: Raise, node: int) -> Sums:
    values = list(case.values)
    if node:
        values = [sum((case.values[part] for part in chain), Counter()) for chain in own_parts(case)]
    sums: dict[object, tuple[int, int, tuple[float, ...]]] = {}
    for (_, count, word, reals), held in zip(case.classes(node), values, strict=True):
        kind = tuple(sorted(held.items())) if case.is_sensitive else count
        records, words, totals = sums.get(kind, (0, 0, (0.0,) * case.n_reals))
        added = tuple(a + b for a, b in zip(totals, reals, strict=True))
        sums[kind] = (records + count, words + word, added)
    return sums


def own_parts(case: Raise) -> list[list[int]]:
    by_key: dict[int, list[int]] = defaultdict(list)
    for row, key in enumerate(case.keys.tolist()):
        by_key[case.raised_key(key)].append(row)
    return [by_key[key] for key in sorted(by_key)]


def assert_cells(case: Raise) -> None:
    assert case.step() == DONE
    for node in (0, 1):
        found, expected = found_cells(case, node), expected_cells(case, node)
        assert found.keys() == expected.keys()
        for kind, (records, words, reals) in expected.items():
            assert found[kind][:2] == (records, words)
            assert found[kind][2] == pytest.approx(reals, rel=1e-12)


@modest
@given(st.integers(0, 10**6), st.integers(1, 200), st.sampled_from([0, 4, 18]), st.sampled_from(KINDS))
def test_cells_agree_with_their_classes(seed: int, n: int, shift: int, kind: tuple[bool, int]) -> None:
    is_sensitive, n_reals = kind
    assert_cells(random_raise(seed, n, shift, 3, 1, 12, is_sensitive=is_sensitive, n_reals=n_reals))


@modest
@given(st.integers(0, 10**6), st.integers(1, 60))
def test_two_sensitive_attributes_share_a_content(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    keys = np.unique(rng.integers(0, 1 << 10, n))
    values = []
    for size in rng.integers(1, 6, len(keys)):
        first, second = rng.integers(0, 4, size), rng.integers(4, 64, size)
        values.append(Counter([*first.tolist(), *second.tolist()]))
    assert_cells(Raise(keys, values, 4, 3, 3, True, 2))


@pytest.mark.parametrize(("is_sensitive", "n_reals"), KINDS)
def test_sizes_around_the_largest_counted_one_are_distinguished(is_sensitive: bool, n_reals: int) -> None:
    sizes = [1, 2, 7, 8, 9, 1022, 1023, 1024, 1024, 1025, 1023, 512, 512, 5000, 5000, 100_000]
    assert COUNTED_SIZES in sizes
    keys = np.arange(len(sizes), dtype=np.int64)
    values = [Counter({i % 3 if is_sensitive else 0: size}) for i, size in enumerate(sizes)]
    case = Raise(keys, values, 0, 1, 3, is_sensitive, n_reals=n_reals)
    assert_cells(case)
    if not is_sensitive:
        # Counted sizes make one cell each, larger ones a cell for every class.
        n_cells = int(case.scores.starts[1])
        assert n_cells == len({size for size in sizes if size < COUNTED_SIZES}) + 6
