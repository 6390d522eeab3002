"""Values of compiled walks over classes against the numpy reference, node by node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.frequency import Measure, Problem, SensitiveAttribute
from engine.kernels.arrays import BoolArray
from engine.kernels.compiled import failing as kernel
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.lookups import joint_figures, rolled
from engine.scoring.walk import class_walk, metric_walks, subtrees
from tests.engine.scoring.edge_tables import EDGES, adult, all_distinct, random_case, tree, twenty_attributes
from tests.strategies import Attributes, Case, cases, column_of, modest

pytestmark = pytest.mark.usefixtures("warm")

Figure = Callable[[LatticeProfile, Requirement, BoolArray], NDArray[Any]]


def open_bits(profile: LatticeProfile, asked: Requirement, wanted: BoolArray) -> NDArray[Any]:
    """Bits that labels leave open, with another factor for each attribute."""
    factors = np.linspace(0.0, 2.0, len(profile.problem.attributes))
    return joint_figures.kept_bits(profile, asked, wanted, factors)


FIGURES: dict[str, Figure] = {
    "bits": rolled.suppressed_bits,
    "combinations": joint_figures.kept_combinations,
    "spread": joint_figures.spread_bits,
    "open": open_bits,
    "misses": joint_figures.kept_misses,
}


def scored(problem: Problem, *, is_sensitive: bool = False) -> LatticeProfile:
    """Scores by kernels, with a target that is no sensitive column unless it should be."""
    names = [attribute.name for attribute in problem.sensitive]
    if problem.target is None or (problem.target.name in names and not is_sensitive):
        codes = np.random.default_rng(7).integers(0, 5, problem.n_records)
        column = column_of(Attributes("target", tuple(f"t{code}" for code in codes)))
        problem = replace(problem, target=SensitiveAttribute(column))
    profile = score_lattice(problem)
    assert profile.is_compiled
    return profile


def requirement(problem: Problem, k: int, *, by_content: bool) -> Requirement:
    """k, and thresholds of every sensitive column that some classes of k records fail."""
    models: list[PrivacyModel] = [KAnonymity(k)]
    for attribute in problem.sensitive if by_content else ():
        models += [DistinctLDiversity(attribute.name, 2), TCloseness(attribute.name, 0.4, "equal")]
    return Requirement(tuple(models), 0.1)


def both(
    profile: LatticeProfile, wanted: Requirement, name: str, every: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The values of all nodes by kernels and by numpy; of every few nodes only, as numpy is slow."""
    nodes = np.ones(profile.lattice.n_nodes, dtype=np.bool_)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rolled, "measured_nodes", pytest.fail)
        patched.setattr(joint_figures, "measured_values", pytest.fail)
        found = FIGURES[name](profile, wanted, nodes)
    return found[::every], by_numpy(profile, wanted, name, every)


def by_numpy(profile: LatticeProfile, wanted: Requirement, name: str, every: int = 1) -> NDArray[Any]:
    nodes = np.zeros(profile.lattice.n_nodes, dtype=np.bool_)
    nodes[::every] = True
    with pytest.MonkeyPatch.context() as patched:
        for module in (rolled, joint_figures):
            patched.setattr(module, "kept_for_walk", lambda *_: None)
        patched.setattr(joint_figures, "_misses_by_cells", lambda *_: None)
        return FIGURES[name](profile, wanted, nodes)[::every]


def assert_alike(
    profile: LatticeProfile, wanted: Requirement, names: tuple[str, ...] = tuple(FIGURES), every: int = 1
) -> dict[str, NDArray[Any]]:
    values = {}
    for name in names:
        found, expected = both(profile, wanted, name, every)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=0 if name == "misses" else 1e-12, atol=0)
        assert np.array_equal(found == 0, expected == 0)
        values[name] = found
    return values


@pytest.mark.parametrize("k", [2, 5, 50])
@pytest.mark.parametrize("by_content", [False, True])
def test_all_nodes_of_a_table_agree_for_any_class_size(k: int, by_content: bool) -> None:
    problem = random_case([tree(16, 2, 4), tree(9, 3, 2), tree(12, 4, 2), tree(5, 5, 1)], 3000, 1).problem
    found = assert_alike(scored(problem), requirement(problem, k, by_content=by_content))
    assert all(np.count_nonzero(values) > 50 for values in found.values())


@pytest.mark.parametrize(("sensitive", "names"), [((), ("spread",)), (("occupation",), ("bits", "misses"))])
def test_nodes_of_adult_agree(sensitive: tuple[str, ...], names: tuple[str, ...], is_thorough: bool) -> None:
    problem = replace(
        adult(*sensitive, without=("native-country",)), target=adult("salary-class").sensitive[0]
    )
    # numpy takes long for the most detailed nodes; 7 divides no number of levels
    every = 1 if is_thorough else 7
    assert_alike(scored(problem), requirement(problem, 5, by_content=True), names, every)


@pytest.mark.parametrize("n_sensitive", [0, 1, 2])
@pytest.mark.parametrize(("enough", "n_fixed"), [(1, {0}), (4, {1, 2}), (10_000, {3})])
def test_any_number_of_attributes_may_be_fixed(
    enough: int, n_fixed: set[int], n_sensitive: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subtrees, "ENOUGH_SUBTREES", enough)
    cut: list[int] = []
    plan_of = class_walk.plan_of
    monkeypatch.setattr(class_walk, "plan_of", lambda s, words: cut.append(s.n_fixed) or plan_of(s, words))
    case = random_case([tree(8, 2, 3), tree(9, 3, 2), tree(5, 5, 1), tree(4, 2, 2)], 700, n_sensitive)
    profile = scored(case.problem)
    for k in (2, 7):
        assert_alike(profile, requirement(case.problem, k, by_content=True))
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
    enlarged = class_walk.enlarged
    monkeypatch.setattr(class_walk, "enlarged", lambda *a: grown.append(a[1]) or enlarged(*a))
    problem = all_distinct(n_sensitive).problem
    for name in FIGURES.keys() - {"misses"}:  # which no walk over classes counts
        grown.clear()
        assert_alike(scored(problem), requirement(problem, 2, by_content=True), (name,))
        assert grown


def test_keys_beyond_a_word_agree() -> None:
    problem = twenty_attributes(1).problem
    assert_alike(scored(problem), requirement(problem, 2, by_content=True))


@pytest.mark.parametrize("n_sensitive", [1, 2])
def test_a_sensitive_target_is_looked_up_by_cell(n_sensitive: int, monkeypatch: pytest.MonkeyPatch) -> None:
    case = random_case([tree(16, 2, 4), tree(9, 3, 2), tree(5, 5, 1)], 3000, n_sensitive)
    profile = scored(case.problem, is_sensitive=True)
    monkeypatch.setattr(class_walk.WalkedNodes, "visit", pytest.fail)
    monkeypatch.setattr(joint_figures, "CELLS_AT_ONCE", 100)
    for k in (1, 3, 40):
        for by_content in (False, True):
            wanted = requirement(case.problem, k, by_content=by_content)
            assert_alike(profile, wanted, ("misses",))


@modest
@given(cases(min_sensitive=1), st.integers(1, 4))
def test_sensitive_targets_of_small_tables_are_looked_up(case: Case, k: int) -> None:
    problem = replace(case.problem, target=case.problem.sensitive[-1])
    if LatticeProfile(problem).can_be_compiled:
        wanted = requirement(problem, k, by_content=True)
        assert_alike(scored(problem, is_sensitive=True), wanted, ("misses",))


def test_a_target_beside_sensitive_columns_known_in_parts_is_left_to_numpy() -> None:
    problem = replace(random_case([tree(8, 2, 3), tree(9, 3, 2)], 300, 1).problem, others_as_qi=True)
    profile, wanted = scored(problem), requirement(problem, 2, by_content=True)
    nodes = np.ones(profile.lattice.n_nodes, dtype=np.bool_)
    assert joint_figures._misses_by_cells(profile, wanted, nodes) is None
    found = joint_figures.kept_misses(profile, wanted, nodes)
    assert np.array_equal(found, by_numpy(profile, wanted, "misses"))


def test_misses_are_equal_if_the_lattice_is_scored_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_case([tree(8, 2, 3), tree(9, 3, 2), tree(5, 5, 1)], 300, 1).problem
    monkeypatch.setattr("engine.scoring.limits.USUAL_MEMORY", 20_000)
    assert_alike(scored(problem), requirement(problem, 2, by_content=True), ("misses",))


@modest
@given(cases(), st.integers(1, 4))
def test_small_tables_agree(case: Case, k: int) -> None:
    if not LatticeProfile(case.problem).can_be_compiled:
        return
    assert_alike(scored(case.problem), requirement(case.problem, k, by_content=True))


def test_thresholds_exactly_attained_agree() -> None:
    problem = random_case([tree(8, 2, 3), tree(9, 3, 2), tree(5, 5, 1)], 500, 1).problem
    profile, name = scored(problem), problem.sensitive[0].name
    distances = np.unique(profile.cells().by_cell(profile.cells().classes.measured(Measure("equal", name))))
    for t in distances[1 : -1 : len(distances) // 5].tolist():
        found, below = (
            assert_alike(profile, Requirement((TCloseness(name, float(threshold), "equal"),), 0.1))
            for threshold in (t, np.nextafter(t, 0))
        )
        assert not np.array_equal(found["combinations"], below["combinations"])


def test_a_requirement_that_every_class_meets_suppresses_no_label() -> None:
    problem = random_case([tree(8, 2, 3), tree(9, 3, 2)], 300, 1).problem
    found = assert_alike(scored(problem), requirement(problem, 1, by_content=False))
    assert not found["bits"].any()
    assert found["combinations"].all()


def test_combinations_beyond_floating_point_numbers_are_inf() -> None:
    rows = tree(1024, 1024, 1)
    problem = random_case([rows] * 104, 40, 0).problem
    few = replace(
        problem,
        attributes=tuple(
            replace(a, minimum=1 if j > 2 else 0, maximum=1) for j, a in enumerate(problem.attributes)
        ),
    )
    found = assert_alike(scored(few), requirement(few, 2, by_content=False), ("combinations", "spread"))
    assert np.isinf(found["combinations"]).any()
    assert np.isfinite(found["spread"]).all()


def test_attributes_of_too_many_labels_are_left_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_case([tree(8, 2, 3), tree(9, 3, 2)], 300, 0).problem
    profile, wanted = scored(problem), requirement(problem, 2, by_content=False)
    monkeypatch.setattr(metric_walks, "MOST_LABELS", 4)
    monkeypatch.setattr(metric_walks, "are_leaves_dense", lambda _weights: False)
    nodes = np.ones(profile.lattice.n_nodes, dtype=np.bool_)
    assert rolled._bits_by_kernels(profile, wanted, nodes) is None
    assert joint_figures._covered_by_kernels(profile, wanted, nodes, are_bits=True) is None


@pytest.mark.parametrize("name", FIGURES)
def test_a_few_nodes_are_rolled_up_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_case([tree(16, 2, 4), tree(27, 3, 3)], 300, 0).problem
    profile, wanted = scored(problem), requirement(problem, 2, by_content=False)
    nodes = np.zeros(profile.lattice.n_nodes, dtype=np.bool_)
    nodes[7] = True
    all_of_them, _ = both(profile, wanted, name, every=1)
    monkeypatch.setattr(class_walk.WalkedNodes, "visit", pytest.fail)
    found = FIGURES[name](profile, wanted, nodes)
    np.testing.assert_allclose(found[7], all_of_them[7], rtol=1e-12)
    assert not found[~nodes].any()


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
