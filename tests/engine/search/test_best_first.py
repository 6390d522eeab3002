"""The search for lattices of any size: exact if it ends, with true claims if it stops."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CancelledError
from engine.frequency import Problem
from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.search import SearchResult, SearchTask, search_algorithms
from engine.search.exploration import Exploration, inherited
from engine.utility import utility_metrics
from tests.stopping import Stopping
from tests.strategies import Attributes, Case, cases_with_requirement, few, modest

BEST_FIRST = search_algorithms.create("best_first")
EXHAUSTIVE = search_algorithms.create("exhaustive")


def value_of(result: SearchResult, metric: str) -> float:
    if result.node is None:
        return np.inf
    value = float(result.evaluation.metric(metric)[result.evaluation.lattice.number(result.node)])
    return np.inf if np.isnan(value) else value


def tall_case(n_qi: int, height: int, n_records: int = 60) -> Case:
    """Columns of binary trees, `height + 1` levels each, filled by a fixed rule."""
    n_leaves = min(1 << height, 64)
    rows = tuple((*(str(i >> g) for g in range(height)), "*") for i in range(n_leaves))
    return Case(
        tuple(
            Attributes(
                f"q{j}", tuple(str((i * (2 * j + 3) + i * i) % n_leaves) for i in range(n_records)), rows=rows
            )
            for j in range(n_qi)
        )
    )


@modest
@given(cases_with_requirement(max_qi=3), st.sampled_from(sorted(utility_metrics)))
def test_without_a_limit_it_finds_the_same_node_as_exhaustive_search(judged, metric) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    task = SearchTask(case.problem, requirement, metric)
    found, expected = BEST_FIRST.run(task, SILENT), EXHAUSTIVE.run(task, SILENT)
    assert (found.node, found.guarantee) == (expected.node, expected.guarantee)
    assert found.is_proved
    assert found.nodes_checked <= found.nodes_total == case.problem.lattice.n_nodes
    assert found.bound == pytest.approx(value_of(expected, metric), rel=1e-12)


@few
@given(
    cases_with_requirement(max_qi=3),
    st.sampled_from(["loss", "gen_iloss", "precision", "non_uniform_entropy"]),
    st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=3, max_size=3),
)
def test_the_same_with_weights_of_the_attributes(judged, metric, weights) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    task = SearchTask(case.problem, requirement, metric, np.array(weights[: len(case.qi)]))
    assert BEST_FIRST.run(task, SILENT).node == EXHAUSTIVE.run(task, SILENT).node


@modest
@given(cases_with_requirement(max_qi=3), st.sampled_from(sorted(utility_metrics)), st.integers(1, 12))
def test_wherever_it_stops_its_bound_is_never_above_the_optimum(judged, metric, steps) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    free = EXHAUSTIVE.run(SearchTask(case.problem, requirement, metric), SILENT)
    found = BEST_FIRST.run(SearchTask(case.problem, requirement, metric, steps=steps), SILENT)
    assert found.nodes_checked <= steps
    assert found.bound <= value_of(free, metric) * (1 + 1e-12)
    assert found.guarantee in (("optimal", "none") if found.is_proved else ("best_known", "none"))
    if found.is_proved:
        assert found.node == free.node


@modest
@given(cases_with_requirement(max_qi=3))
def test_every_node_it_scores_has_the_scores_of_the_complete_lattice(judged) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    found = BEST_FIRST.run(SearchTask(case.problem, requirement, steps=9), SILENT).evaluation
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))
    whole = evaluate(profile, requirement)
    numbers = [case.problem.lattice.number(found.lattice.node(row)) for row in range(found.lattice.n_nodes)]
    assert len(set(numbers)) == len(numbers)
    for name in ("suppressed", "satisfies", "kept_classes", "kept_squares", "kept_k"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name)[numbers])
    for key in utility_metrics:
        np.testing.assert_allclose(found.metric(key), whole.metric(key)[numbers], rtol=1e-12, atol=1e-15)


@few
@given(cases_with_requirement(max_qi=3), st.sampled_from(["loss", "precision"]), st.data())
def test_a_box_is_searched_for_its_own_best_node(judged, metric, data) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    lattice = case.problem.lattice
    low = tuple(data.draw(st.integers(a, b)) for a, b in zip(lattice.minimum, lattice.maximum, strict=True))
    high = tuple(data.draw(st.integers(a, b)) for a, b in zip(low, lattice.maximum, strict=True))
    profile = ExploredProfile(case.problem, requirement)
    if data.draw(st.booleans()):
        profile.score(lattice.maximum)  # scored by others, perhaps outside of the box
    exploration = Exploration(profile, requirement, metric, within=(low, high))
    exploration.advance()
    assert exploration.is_proved
    whole = evaluate(
        score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement)), requirement
    )
    inside = [
        number
        for number in np.flatnonzero(whole.satisfies).tolist()
        if all(a <= level <= b for a, level, b in zip(low, lattice.node(number), high, strict=True))
    ]
    values = np.nan_to_num(whole.metric(metric)[inside], nan=np.inf)
    assert exploration.bound == pytest.approx(values.min(initial=np.inf), rel=1e-12)


def test_stopping_and_continuing_ends_like_one_run() -> None:
    case, requirement = tall_case(4, 4), Requirement((KAnonymity(4),), 0.1)
    whole = ExploredProfile(case.problem, requirement)
    Exploration(whole, requirement).advance()
    stopped = ExploredProfile(case.problem, requirement)
    exploration = Exploration(stopped, requirement)
    n_stops = 0
    while not exploration.is_proved:
        with pytest.raises(CancelledError):
            exploration.advance(Stopping(done=stopped.n_scored + 7))
        n_stops += 1
        if n_stops > 1000:
            pytest.fail("it does not end")
        exploration.advance(steps=3)
    assert n_stops > 3
    same = [stopped.part().lattice.node(row) for row in range(stopped.n_scored)]
    assert same == [whole.part().lattice.node(row) for row in range(whole.n_scored)]


def test_scores_serve_another_requirement_as_well() -> None:
    case = tall_case(3, 4)
    profile = ExploredProfile(case.problem)
    Exploration(profile, Requirement((KAnonymity(3),), 0.1)).advance()
    n_scored = profile.n_scored
    other = Requirement((KAnonymity(6),), 0.2)
    exploration = Exploration(profile, other, "precision")
    exploration.advance()
    alone = BEST_FIRST.run(SearchTask(case.problem, other, "precision"), SILENT)
    evaluation = evaluate(profile, other)
    best = evaluation.optimum("precision")
    assert best is not None
    assert evaluation.lattice.node(best) == alone.node
    assert profile.n_scored - n_scored < alone.nodes_checked


def test_if_the_top_fails_it_is_proven_at_once_that_nothing_satisfies() -> None:
    case = tall_case(4, 5)
    result = BEST_FIRST.run(SearchTask(case.problem, Requirement((KAnonymity(61),), 0.5)), SILENT)
    assert (result.node, result.guarantee, result.is_proved, result.bound) == (None, "none", True, np.inf)
    assert result.nodes_checked < 20


@pytest.mark.parametrize("steps", [1, 40])
def test_limits_of_steps_count_scored_nodes(steps: int) -> None:
    task = SearchTask(tall_case(6, 5).problem, Requirement((KAnonymity(3),)), steps=steps)
    result = BEST_FIRST.run(task, SILENT)
    assert (result.nodes_checked, result.is_proved) == (steps, False)


def test_a_limit_of_seconds_ends_it_after_a_node() -> None:
    result = BEST_FIRST.run(
        SearchTask(tall_case(8, 6).problem, Requirement((KAnonymity(3),)), seconds=1e-6), SILENT
    )
    assert result.nodes_checked == 1


@pytest.mark.parametrize(("n_qi", "height", "n_nodes"), [(12, 9, 10**12), (21, 9, 10**21), (30, 9, 10**30)])
def test_lattices_beyond_counting_are_explored_in_little_memory(n_qi: int, height: int, n_nodes: int) -> None:
    problem: Problem = tall_case(n_qi, height, n_records=300).problem
    requirement = Requirement((KAnonymity(5),), 0.05)
    tracemalloc.start()
    result = BEST_FIRST.run(SearchTask(problem, requirement, steps=200), SILENT)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.nodes_total == n_nodes
    assert (result.nodes_checked, result.guarantee) == (200, "best_known")
    assert result.node is not None
    top = value_of(BEST_FIRST.run(SearchTask(problem, requirement, steps=2), SILENT), "loss")
    assert 0.0 <= result.bound <= value_of(result, "loss") < top
    assert peak < 50_000_000


def test_only_what_is_declared_to_carry_over_is_pruned_by() -> None:
    models = (KAnonymity(2), DistinctLDiversity("s", 2), TCloseness("s", 0.3))
    problem = tall_case(1, 2, n_records=100).problem
    assert inherited(Requirement(models, 0.1), problem).models == models[:2]
    assert inherited(Requirement(models, 0.0), problem).models == models
    assert inherited(Requirement(models, 0.009), problem).models == models


@pytest.mark.parametrize("metric", ["classification", "ambiguity", "kl_divergence"])
def test_metrics_of_complete_classes_are_proven_without_checking_every_node(metric: str) -> None:
    case, requirement = tall_case(3, 4), Requirement((KAnonymity(4),), 0.1)
    task = SearchTask(replace(case, target="q0").problem, requirement, metric)
    found, expected = BEST_FIRST.run(task, SILENT), EXHAUSTIVE.run(task, SILENT)
    assert found.node == expected.node
    assert found.is_proved
    assert found.nodes_checked < 0.8 * found.nodes_total
