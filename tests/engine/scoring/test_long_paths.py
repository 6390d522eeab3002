"""Hierarchies with paths longer than an address: many levels, each with a few wide groups."""

from __future__ import annotations

import numpy as np
import pytest

from engine.records import Kind
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.acceleration import warm_up
from engine.scoring.cells.weights import DENSE_BITS, SparseTable
from tests.slow_reference import SlowNode, all_nodes
from tests.strategies import Attributes, Case

DIGITS = 10


def masked_numbers(n_records: int, seed: int) -> Attributes:
    """Numbers of ten digits masked from the right, one digit per level; some groups have one member."""
    rng = np.random.default_rng(seed)
    numbers = sorted({f"{number:010d}" for number in rng.integers(0, 10**10, 3 * n_records)})
    # Every digit occurs at every position after the same start, so that each level takes four bits.
    numbers += [
        f"{'0' * place}{digit}{'1' * (DIGITS - 1 - place)}" for place in range(DIGITS) for digit in range(10)
    ]
    numbers = sorted(set(numbers))
    rows = tuple(
        tuple(number[: DIGITS - level] + "*" * level for level in range(DIGITS + 1)) for number in numbers
    )
    texts = tuple(numbers[i] for i in rng.integers(0, len(numbers), n_records))
    return Attributes("number", texts, Kind.TEXT, rows)


def masked_case() -> Case:
    rows = (("a", "*"), ("b", "*"))
    letters = Attributes("letter", tuple("ab"[i % 2] for i in range(40)), Kind.TEXT, rows)
    return Case((masked_numbers(40, 3), letters))


def test_weights_of_long_paths_agree_with_a_recount() -> None:
    profile = score_lattice(masked_case().problem)
    paths = profile.base.layout.widths[0]
    assert paths > DENSE_BITS
    assert any(isinstance(table, SparseTable) for table in profile.scorer.leaf_weights[0].tables)
    cells = profile.cells()
    leaves = np.add.reduceat(cells.label_sums.of("leaves 0", np.arange(cells.n_cells)), cells.starts)
    attribute = profile.problem.attributes[0]
    found = dict(zip(cells.nodes.tolist(), leaves.tolist(), strict=True))
    for node in all_nodes(masked_case()):
        level = attribute.hierarchy.levels[node[0]]
        varies = len(set(level.n_leaves.tolist())) > 1
        expected = int(level.n_leaves[level.codes[attribute.leaves]].sum()) if varies else 0
        assert found[profile.lattice.number(node)] == expected


def test_long_paths_are_scored_by_numpy_unless_no_weights_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert warm_up()
    case = masked_case()
    assert not LatticeProfile(case.problem).can_be_compiled
    plain = LatticeProfile(case.problem, label_sums=False)
    assert plain.can_be_compiled
    plain.score_compiled()
    for node in all_nodes(case):
        number = plain.lattice.number(node)
        sizes = SlowNode(case, node).sizes
        assert (plain.n_classes[number], plain.k[number]) == (len(sizes), min(sizes))
