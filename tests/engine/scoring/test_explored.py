"""Nodes scored one by one have the scores that they have in the complete lattice."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.frequency import Measure
from engine.frequency.classes import DISTINCT
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.scoring import explored as explored_module
from engine.scoring import score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.lookups import evaluated_sets
from engine.scoring.nodes.inspection import inspect_node
from engine.scoring.walk.node_tuples import NodeTuples, raised_to
from engine.scoring.walk.tuples import at_node, base_tuples
from engine.utility import utility_metrics
from tests.strategies import Attributes, Case, cases_with_requirement, modest


@modest
@given(cases_with_requirement(max_qi=3), st.randoms(use_true_random=False))
def test_all_nodes_in_any_order_have_the_scores_of_the_walk(judged, random) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    lattice, whole = case.problem.lattice, score_lattice(case.problem)
    numbers = list(range(lattice.n_nodes))
    random.shuffle(numbers)
    explored = ExploredProfile(case.problem, requirement)
    for number in numbers:
        explored.score(lattice.node(number))
    assert explored.is_complete
    assert explored.covers(requirement)
    part = explored.part()
    for name in ("n_classes", "k", "largest", "squares"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[numbers])
    for attribute in case.problem.sensitive:
        measure = Measure(DISTINCT, attribute.name)
        np.testing.assert_array_equal(part.worst(measure), whole.worst(measure)[numbers])
    if not whole.covers(requirement):
        whole = score_lattice(case.problem, profile=type(whole)(case.problem, requirement))
    found, expected = evaluate(explored, requirement), evaluate(whole, requirement)
    np.testing.assert_array_equal(found.suppressed, expected.suppressed[numbers])
    np.testing.assert_array_equal(found.minimal, expected.minimal[numbers])
    for key in utility_metrics:
        np.testing.assert_allclose(found.metric(key), expected.metric(key)[numbers], rtol=1e-12, atol=1e-15)
        best, best_of_all = found.optimum(key), expected.optimum(key)
        assert (best is None) == (best_of_all is None)
        if best is not None and best_of_all is not None:
            assert found.lattice.node(best) == lattice.node(best_of_all)


@modest
@given(cases_with_requirement(max_qi=3), st.data())
def test_a_run_of_nodes_is_evaluated_as_among_all(judged, data) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    explored = ExploredProfile(case.problem, requirement)
    for number in range(min(case.problem.lattice.n_nodes, 9)):
        explored.score(case.problem.lattice.node(number))
    first = data.draw(st.integers(0, explored.n_scored - 1))
    last = data.draw(st.integers(first + 1, explored.n_scored))
    run, all_of_them = evaluate(explored.part(first, last), requirement), evaluate(explored, requirement)
    np.testing.assert_array_equal(run.suppressed, all_of_them.suppressed[first:last])
    for key in utility_metrics:
        np.testing.assert_allclose(run.metric(key), all_of_them.metric(key)[first:last], rtol=1e-12)


@modest
@given(cases_with_requirement(max_qi=3), st.randoms(use_true_random=False))
def test_raising_all_attributes_at_once_gives_what_raising_one_by_one_gives(judged, random) -> None:  # type: ignore[no-untyped-def]
    case, _ = judged
    base, lattice = base_tuples(case.problem), case.problem.lattice
    recent = NodeTuples(base)
    for _ in range(12):
        node = lattice.node(random.randrange(lattice.n_nodes))
        expected = at_node(base, node)
        for found in (raised_to(base, node), recent.at(node), recent.at(node)):
            np.testing.assert_array_equal(found.counts, expected.counts)
            np.testing.assert_array_equal(found.class_starts(), expected.class_starts())
            for q, level in enumerate(node):
                np.testing.assert_array_equal(found.field(q, level), expected.field(q, level))


def wide_case(n_qi: int) -> Case:
    """Columns of 200 values, three levels each; beyond seven their keys exceed one word."""
    rows = tuple((str(i), str(i // 20), "*") for i in range(200))
    return Case(
        tuple(
            Attributes(f"q{j}", tuple(str((7 * i + j * i * i) % 200) for i in range(40)), rows=rows)
            for j in range(n_qi)
        )
    )


def test_keys_beyond_one_word_are_rolled_up_equally() -> None:
    problem = wide_case(20).problem
    base = base_tuples(problem)
    for node in [(0,) * 20, (1, 2) * 10, (2,) * 19 + (0,)]:
        expected, found = at_node(base, node), raised_to(base, node)
        np.testing.assert_array_equal(found.counts, expected.counts)
        for q, level in enumerate(node):
            np.testing.assert_array_equal(found.field(q, level), expected.field(q, level))


def test_a_node_scored_twice_keeps_its_number() -> None:
    explored = ExploredProfile(wide_case(3).problem)
    assert [explored.score((0, 1, 2)), explored.score((1, 1, 1)), explored.score((0, 1, 2))] == [0, 1, 0]
    assert explored.n_scored == 2


def test_a_node_outside_the_lattice_is_refused() -> None:
    with pytest.raises(InputError, match="not in the lattice"):
        ExploredProfile(wide_case(2).problem).score((0, 3))


def test_evaluations_do_not_change_while_more_is_scored() -> None:
    explored = ExploredProfile(wide_case(5).problem)
    explored.score((0, 0, 0, 0, 0))
    part = explored.part()
    before = part.cells().records.copy()
    for number in range(1, 200):
        explored.score(explored.problem.lattice.node(number))
    assert (part.n_scored, part.lattice.n_nodes, len(part.k)) == (1, 1, 1)
    np.testing.assert_array_equal(part.cells().records, before)
    assert part.lattice.find((0, 0, 0, 0, 1)) is None


def test_two_threads_score_no_node_twice() -> None:
    problem = wide_case(5).problem
    explored, failures = ExploredProfile(problem), []

    def work(numbers: range) -> None:
        try:
            for number in numbers:
                place = explored.score(problem.lattice.node(number))
                assert explored.part(place, place + 1).lattice.node(0) == problem.lattice.node(number)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(order,)) for order in (range(243), range(242, -1, -1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert explored.n_scored == len(explored.part().lattice.places) == 243
    whole = score_lattice(problem)
    numbers = [problem.lattice.number(explored.part().lattice.node(row)) for row in range(243)]
    np.testing.assert_array_equal(explored.part().squares, whole.squares[numbers])


def test_any_node_can_be_inspected_scored_or_not() -> None:
    case = wide_case(20)
    explored = ExploredProfile(case.problem)
    requirement = case.project.requirement
    report = inspect_node(explored, (2,) * 20, requirement)
    assert (report.satisfies, report.sizes.tolist()) == (True, [40])


@pytest.mark.parametrize("key", [key for key, metric in utility_metrics.items() if metric.costly])
def test_costly_values_are_computed_once_for_each_node_and_requirement(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tuple((str(i), str(i // 2), str(i // 4), "*") for i in range(8))
    texts = [tuple(str(i % 8) for i in range(40)), tuple(str((i * i) // 3 % 8) for i in range(40))]
    case = Case(tuple(Attributes(f"q{q}", own, rows=rows) for q, own in enumerate(texts)), target="q0")
    explored, lattice = ExploredProfile(case.problem), case.problem.lattice
    rolled: list[object] = []

    def counted(tuples, node):  # type: ignore[no-untyped-def]
        rolled.append(node)
        return raised_to(tuples, node)

    monkeypatch.setattr(evaluated_sets, "raised_to", counted)
    monkeypatch.setattr(explored_module, "raised_to", counted)
    strict, loose = Requirement((KAnonymity(9),), 1.0), Requirement((KAnonymity(3),), 1.0)
    for number in range(4):
        explored.score(lattice.node(number))
        evaluate(explored, strict).metric(key)
        assert len(rolled) == number + 1
    values = evaluate(explored, strict).metric(key)
    assert len(rolled) == 4
    other = evaluate(explored, loose).metric(key)
    assert len(rolled) > 4
    assert not np.array_equal(values, other)
    whole = evaluate(score_lattice(case.problem), strict)
    np.testing.assert_allclose(values, whole.metric(key)[:4], rtol=1e-12)
