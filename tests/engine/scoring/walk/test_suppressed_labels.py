"""Entropy of suppressed labels by the compiled walk against the numpy reference, node by node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray
from engine.kernels.compiled import suppressed_labels as kernel
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.acceleration import warm_up
from engine.scoring.lookups import rolled
from engine.scoring.walk import subtrees, suppressed_labels
from tests.engine.scoring.edge_tables import EDGES, adult, all_distinct, random_case, tree, twenty_attributes
from tests.strategies import Case, cases, modest


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    assert warm_up()


def scored(problem: Problem) -> LatticeProfile:
    profile = score_lattice(problem)
    assert profile.is_compiled or problem.repeated is not None
    return profile


def requirement(problem: Problem, k: int, *, by_content: bool) -> Requirement:
    """k, and thresholds of every sensitive column that some classes of k records fail."""
    models: list[PrivacyModel] = [KAnonymity(k)]
    for attribute in problem.sensitive if by_content else ():
        models += [DistinctLDiversity(attribute.name, 2), TCloseness(attribute.name, 0.4, "equal")]
    return Requirement(tuple(models), 0.1)


def both(profile: LatticeProfile, wanted: Requirement) -> tuple[FloatArray, FloatArray]:
    """The bits of all nodes by kernels and by numpy."""
    nodes = np.ones(profile.lattice.n_nodes, dtype=np.bool_)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rolled, "measured_nodes", pytest.fail)
        found = rolled.suppressed_bits(profile, wanted, nodes)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rolled, "_bits_by_kernels", lambda *_: None)
        return found, rolled.suppressed_bits(profile, wanted, nodes)


def assert_alike(profile: LatticeProfile, wanted: Requirement) -> FloatArray:
    found, expected = both(profile, wanted)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)
    assert np.array_equal(found == 0, expected == 0)
    return found


@pytest.mark.parametrize("k", [2, 5, 50])
@pytest.mark.parametrize("by_content", [False, True])
def test_all_nodes_of_a_table_agree_for_any_class_size(k: int, by_content: bool) -> None:
    problem = random_case([tree(16, 2, 4), tree(9, 3, 2), tree(12, 4, 2), tree(5, 5, 1)], 3000, 1).problem
    found = assert_alike(scored(problem), requirement(problem, k, by_content=by_content))
    assert np.count_nonzero(found) > 50


@pytest.mark.parametrize("sensitive", [(), ("occupation",)], ids=["plain", "sensitive"])
def test_all_nodes_of_adult_agree(sensitive: tuple[str, ...]) -> None:
    problem = adult(*sensitive)
    assert_alike(scored(problem), requirement(problem, 5, by_content=True))


@pytest.mark.parametrize("n_sensitive", [0, 1, 2])
@pytest.mark.parametrize(("enough", "n_fixed"), [(1, {0}), (4, {1, 2}), (10_000, {3})])
def test_any_number_of_attributes_may_be_fixed(
    enough: int, n_fixed: set[int], n_sensitive: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subtrees, "ENOUGH_SUBTREES", enough)
    cut: list[int] = []
    plan_of = suppressed_labels.plan_of
    monkeypatch.setattr(
        suppressed_labels, "plan_of", lambda s, words: cut.append(s.n_fixed) or plan_of(s, words)
    )
    case = random_case([tree(8, 2, 3), tree(9, 3, 2), tree(5, 5, 1), tree(4, 2, 2)], 700, n_sensitive)
    for k in (2, 7):
        assert_alike(scored(case.problem), requirement(case.problem, k, by_content=True))
    assert cut
    assert set(cut) <= n_fixed


@pytest.mark.parametrize("is_sensitive", [False, True])
@pytest.mark.parametrize("make", EDGES.values(), ids=EDGES)
def test_edge_tables_agree(make: Callable[[], Case], is_sensitive: bool) -> None:
    case = make()
    problem = (case if is_sensitive else replace(case, sensitive=())).problem
    assert_alike(scored(problem), requirement(problem, 3, by_content=True))


@pytest.mark.parametrize("n_sensitive", [0, 1])
def test_if_raising_joins_hardly_any_classes_the_arena_grows(
    n_sensitive: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown: list[int] = []
    enlarged = suppressed_labels.enlarged
    monkeypatch.setattr(suppressed_labels, "enlarged", lambda *a: grown.append(a[1]) or enlarged(*a))
    problem = all_distinct(n_sensitive).problem
    assert_alike(scored(problem), requirement(problem, 2, by_content=True))
    assert grown


def test_keys_beyond_a_word_agree() -> None:
    problem = twenty_attributes(1).problem
    assert_alike(scored(problem), requirement(problem, 2, by_content=True))


@modest
@given(cases(), st.integers(1, 4))
def test_small_tables_agree(case: Case, k: int) -> None:
    if not LatticeProfile(case.problem).can_be_compiled:
        return
    assert_alike(scored(case.problem), requirement(case.problem, k, by_content=True))


def test_a_requirement_that_every_class_meets_suppresses_no_label() -> None:
    problem = random_case([tree(8, 2, 3), tree(9, 3, 2)], 300, 1).problem
    assert not assert_alike(scored(problem), requirement(problem, 1, by_content=False)).any()


def test_attributes_of_too_many_labels_are_left_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_case([tree(8, 2, 3), tree(9, 3, 2)], 300, 0).problem
    profile = scored(problem)
    monkeypatch.setattr(suppressed_labels, "MOST_LABELS", 4)
    nodes = np.ones(profile.lattice.n_nodes, dtype=np.bool_)
    assert rolled._bits_by_kernels(profile, requirement(problem, 2, by_content=False), nodes) is None


def test_a_few_nodes_are_rolled_up_one_by_one() -> None:
    problem = random_case([tree(16, 2, 4), tree(27, 3, 3)], 300, 0).problem
    profile = scored(problem)
    nodes = np.zeros(profile.lattice.n_nodes, dtype=np.bool_)
    nodes[0] = True
    wanted = requirement(problem, 2, by_content=False)
    assert rolled._bits_by_kernels(profile, wanted, nodes) is None
    found, _ = both(profile, wanted)
    np.testing.assert_allclose(rolled.suppressed_bits(profile, wanted, nodes)[0], found[0], rtol=1e-12)


def test_a_table_too_small_for_the_failing_contents_is_noticed() -> None:
    sizes, fails = np.ones(3, dtype=np.int32), np.ones(3, dtype=np.uint8)
    pairs = np.array([0, 1, 1, 1, 2, 1], dtype=np.uint8)
    numbers = np.arange(1, 7, dtype=np.uint64).reshape(2, 3) << np.uint64(33)
    met, starts = np.ones(2, dtype=np.uint8), np.arange(0, 8, 2)
    entered = kernel.enter_failing(starts, pairs, sizes, fails, met, numbers, np.zeros((4, 2), np.uint64))
    assert entered == -1
    table = np.zeros((8, 2), dtype=np.uint64)
    assert kernel.enter_failing(starts, pairs, sizes, fails, met, numbers, table) == 3
    assert kernel.enter_failing(starts, pairs, sizes, fails, met, numbers, table) == 0  # known by then
