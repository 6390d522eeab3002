"""Best-first search of a hundred million nodes: soon a satisfying node, better ones, and true claims."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from engine.errors import CancelledError
from engine.lattice import Node
from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.average_risk import AverageRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.search import SearchResult, SearchTask, search_algorithms
from engine.search.exploration import CHAIN, END, HIGHEST, NEAR, SINGLE, Exploration
from tests.slow_reference import paths
from tests.stopping import Stopping
from tests.strategies import Case
from tests.wide import HUNDRED_MILLION, wide_case

BEST_FIRST = search_algorithms.create("best_first")
K, LIMIT = 5, 0.1
REQUIREMENT = Requirement((KAnonymity(K),), LIMIT)


@pytest.fixture(scope="module")
def case() -> Case:
    """Twenty columns of two to four levels, filled by a fixed seed."""
    found = wide_case(HUNDRED_MILLION, n_records=1000, seed=3)
    assert len(found.qi) == 20
    assert found.problem.lattice.n_nodes == 113_246_208 > 10**8
    return found


@pytest.fixture(scope="module")
def runs(case: Case) -> dict[int, SearchResult]:
    return {
        steps: BEST_FIRST.run(SearchTask(case.problem, REQUIREMENT, steps=steps), SILENT)
        for steps in (25, 50, 200, 800)
    }


def loss_of(result: SearchResult) -> float:
    assert result.node is not None
    return float(result.evaluation.metric("loss")[result.evaluation.lattice.number(result.node)])


def suppressed_at(case: Case, node: Node) -> int:
    """Records in classes below k, counted from the texts."""
    labels = [paths(attribute) for attribute in case.qi]
    rows = zip(
        *(
            [known[text][level] for text in attribute.texts]
            for attribute, known, level in zip(case.qi, labels, node, strict=True)
        ),
        strict=True,
    )
    return sum(size for size in Counter(rows).values() if size < K)


def test_within_two_hundred_nodes_one_satisfies_and_further_nodes_only_improve(
    case: Case, runs: dict[int, SearchResult]
) -> None:
    values = [loss_of(result) for result in runs.values()]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[2] > values[3]
    for steps, result in runs.items():
        assert result.nodes_checked == steps
        assert result.node is not None
        assert suppressed_at(case, result.node) <= LIMIT * case.n_records


def test_no_intermediate_claim_is_contradicted_later(case: Case, runs: dict[int, SearchResult]) -> None:
    best = loss_of(runs[800])
    bounds = [result.bound for result in runs.values()]
    assert bounds == sorted(bounds)
    for result in runs.values():
        assert (result.guarantee, result.is_proved) == ("best_known", False)
        assert 0 < result.bound <= best
        for step in list(result.trace)[::20]:
            assert step.satisfies == (suppressed_at(case, step.node) <= LIMIT * case.n_records)


def test_the_trace_has_the_nodes_in_the_order_they_were_scored_each_with_its_reason(
    case: Case, runs: dict[int, SearchResult]
) -> None:
    lattice, result = case.problem.lattice, runs[200]
    steps = list(result.trace)
    assert [step.node for step in steps] == [
        result.evaluation.lattice.node(number) for number in range(result.nodes_checked)
    ]
    assert [step.node for step in steps[:2]] == [lattice.maximum, lattice.minimum]
    assert {step.rule for step in steps[:2]} == {END}
    assert {step.rule for step in steps} == {END, CHAIN, NEAR, HIGHEST}
    satisfying: set[Node] = set()
    for step in steps:
        if step.rule is NEAR:
            around = {*lattice.predecessors(step.node), *lattice.successors(step.node)}
            assert around & satisfying
        if step.satisfies:
            satisfying.add(step.node)
    chain = [step.node for step in steps if step.rule is CHAIN]
    for one in chain:
        for other in chain:
            pairs = list(zip(one, other, strict=True))
            assert all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs)
    shorter = [step.node for step in runs[50].trace]
    assert [step.node for step in steps[:50]] == shorter


def test_a_small_lattice_is_proven_by_its_last_boxes() -> None:
    # An average says nothing about nodes below, so no box is excluded by its highest node.
    small = wide_case((3, 3, 2), n_records=60)
    result = BEST_FIRST.run(SearchTask(small.problem, Requirement((AverageRisk(0.2),), 0.1)), SILENT)
    assert result.is_proved
    assert SINGLE in {step.rule for step in result.trace}


def test_a_search_that_is_cancelled_keeps_its_best_node_and_can_go_on(
    case: Case, runs: dict[int, SearchResult]
) -> None:
    profile = ExploredProfile(case.problem, REQUIREMENT)
    exploration = Exploration(profile, REQUIREMENT)
    with pytest.raises(CancelledError):
        exploration.advance(Stopping(done=50))
    evaluation = evaluate(profile, REQUIREMENT)
    best = evaluation.optimum("loss")
    assert best is not None
    assert evaluation.lattice.node(best) == runs[50].node
    assert exploration.bound == runs[50].bound
    profile.score(tuple(np.minimum(case.problem.lattice.maximum, 1).tolist()))  # scored by another search
    assert exploration.reason(profile.n_scored - 1) is None
    exploration.advance(steps=10)
    assert exploration.reason(profile.n_scored - 1) is not None
    assert profile.n_scored == 61
