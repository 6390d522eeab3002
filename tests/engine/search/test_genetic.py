"""The genetic search: its claims, the repetition of draws, and its quality without proof."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from engine.errors import CancelledError, ParameterError
from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.search import SearchResult, SearchTask, search_algorithms
from engine.search.genetic import Genetic
from tests.stopping import Stopping
from tests.strategies import Case, cases_with_requirement, few
from tests.wide import TRILLION, wide_case


def value_of(result: SearchResult, metric: str = "loss") -> float:
    assert result.node is not None
    return float(result.evaluation.metric(metric)[result.evaluation.lattice.number(result.node)])


@few
@given(cases_with_requirement(max_qi=3, max_height=2))
def test_in_a_small_lattice_the_best_checked_node_is_returned_and_never_called_the_optimum(
    judged: tuple[Case, Requirement],
) -> None:
    case, requirement = judged
    result = Genetic(population=8, generations=6).run(SearchTask(case.problem, requirement), SILENT)
    satisfying = [step.node for step in result.trace if step.satisfies]
    assert (result.node is None) == (not satisfying)
    assert result.guarantee == ("best_known" if satisfying else "none")
    nodes = [step.node for step in result.trace]
    assert len(nodes) == len(set(nodes)) == result.nodes_checked
    assert not (result.node is not None and result.is_proved)
    if satisfying:
        numbers = [result.evaluation.lattice.number(node) for node in satisfying]
        assert value_of(result) <= np.min(result.evaluation.metric("loss")[numbers]) * (1 + 1e-12)
    if result.is_proved:
        whole = search_algorithms.create("exhaustive").run(SearchTask(case.problem, requirement), SILENT)
        assert whole.node is None


def test_the_same_seed_checks_the_same_nodes_and_another_seed_others() -> None:
    problem = wide_case(n_records=200).problem
    requirement = Requirement((KAnonymity(3),), 0.1)

    def nodes(seed: int) -> list[tuple[int, ...]]:
        task = SearchTask(problem, requirement, seed=seed, steps=300)
        return [step.node for step in search_algorithms.create("genetic").run(task, SILENT).trace]

    assert nodes(1) == nodes(1)
    assert nodes(1) != nodes(2)


def test_it_improves_on_data_fly_and_on_its_own_start_among_a_trillion_nodes() -> None:
    problem = wide_case(TRILLION, n_records=500).problem
    assert problem.lattice.n_nodes == 4**20
    requirement = Requirement((KAnonymity(5),), 0.1)
    found = [
        Genetic().run(SearchTask(problem, requirement, steps=steps), SILENT) for steps in (100, 400, 1600)
    ]
    values = [value_of(result) for result in found]
    assert values[0] > values[1] > values[2]
    assert {result.guarantee for result in found} == {"best_known"}
    assert [result.nodes_checked for result in found[:2]] == [100, 400]
    greedy = search_algorithms.create("datafly").run(SearchTask(problem, requirement), SILENT)
    assert values[2] < value_of(greedy)


def test_if_the_top_certainly_fails_it_ends_at_once() -> None:
    problem = wide_case(n_records=50).problem
    result = Genetic().run(SearchTask(problem, Requirement((KAnonymity(51),), 0.5)), SILENT)
    assert (result.node, result.guarantee, result.is_proved, result.bound) == (None, "none", True, np.inf)
    assert result.nodes_checked == 2


def test_populations_that_never_meet_are_allowed() -> None:
    problem = wide_case(n_records=100).problem
    task = SearchTask(problem, Requirement((KAnonymity(3),), 0.1))
    assert Genetic(population=10, generations=5, immigration=0).run(task, SILENT).node is not None


def test_breeding_ends_when_all_nodes_are_known() -> None:
    problem = wide_case((3, 2, 2), n_records=60).problem
    result = Genetic(generations=100_000).run(SearchTask(problem, Requirement((KAnonymity(3),), 0.1)), SILENT)
    assert result.nodes_checked == problem.lattice.n_nodes


def test_breeding_nodes_that_are_known_already_ends_soon() -> None:
    problem = wide_case((3, 3, 3, 2), n_records=60).problem
    # Without mutation nothing new results from two ends, so a population of four soon knows all it finds.
    endless = Genetic(population=4, generations=100_000, mutation=0.0, immigration=0)
    with pytest.raises(CancelledError):
        endless.run(SearchTask(problem, Requirement((KAnonymity(3),), 0.1)), Stopping(2001))


@pytest.mark.parametrize("parameters", [{"population": 3}, {"mutation": 1.5}, {"generations": 0}])
def test_parameters_out_of_range_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        search_algorithms.create("genetic", **parameters)
