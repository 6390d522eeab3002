"""The search that scores every node, and stops early when cancelled."""

from __future__ import annotations

import time

import pytest
from hypothesis import given

from engine.errors import CancelledError, InputError
from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.scoring.acceleration import CHOICE, warm_up
from engine.scoring.explored import ExploredProfile
from engine.scoring.limits import LARGEST_LATTICE, bytes_when_whole
from engine.search import SearchTask, search_algorithms
from engine.search.exhaustive import check_size, complete_profile
from tests.engine.scoring.edge_tables import adult
from tests.slow_reference import optimum
from tests.strategies import Attributes, Case, cases_with_requirement, few


@pytest.fixture(params=["numpy", "kernels"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Score by one way, then by the other, which reports many nodes at once."""
    assert warm_up()
    if request.param == "numpy":
        monkeypatch.setenv(CHOICE, "numpy")
    return str(request.param)


EXHAUSTIVE = search_algorithms.create("exhaustive")


def wide_case() -> Case:
    rows = tuple((str(i), str(i // 2), "*") for i in range(8))
    texts = tuple(str(i) for i in range(8))
    return Case(tuple(Attributes(f"q{j}", texts, rows=rows) for j in range(3)))


@pytest.mark.usefixtures("way")
@few
@given(cases_with_requirement(max_qi=2, max_height=2))
def test_it_returns_the_optimum_and_calls_it_so(judged) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    result = EXHAUSTIVE.run(SearchTask(case.problem, requirement, "loss"), SILENT)
    assert result.node == optimum(case, requirement, "loss")
    assert result.guarantee == ("none" if result.node is None else "optimal")
    assert result.nodes_checked == result.nodes_total == case.problem.lattice.n_nodes


@pytest.mark.usefixtures("way")
def test_with_a_limit_of_steps_the_best_node_so_far_is_returned_without_a_claim() -> None:
    case = wide_case()
    requirement = Requirement((KAnonymity(2),), 1.0)
    result = EXHAUSTIVE.run(SearchTask(case.problem, requirement, steps=5), SILENT)
    assert (result.nodes_checked, result.nodes_total, result.guarantee) == (5, 27, "best_known")
    assert result.node is not None
    assert result.evaluation.scored[case.problem.lattice.number(result.node)]


@pytest.mark.usefixtures("way")
def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    case = wide_case()
    requirement = Requirement((KAnonymity(2),), 0.0)
    free = EXHAUSTIVE.run(SearchTask(case.problem, requirement), SILENT)
    bound = EXHAUSTIVE.run(SearchTask(case.problem, requirement, steps=27, seconds=1e6), SILENT)
    assert (bound.node, bound.guarantee) == (free.node, "optimal")


def test_with_a_limit_of_seconds_it_stops_after_the_first_report_beyond_it(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = wide_case()
    clock = iter(range(0, 1000, 2))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    result = EXHAUSTIVE.run(SearchTask(case.problem, Requirement(), seconds=5.0), SILENT)
    assert result.nodes_checked > 0
    if way == "numpy":
        assert result.nodes_checked < 27
    assert result.guarantee == ("optimal" if result.nodes_checked == 27 else "best_known")


@pytest.mark.usefixtures("way")
def test_if_nothing_satisfies_there_is_no_node_and_no_claim() -> None:
    result = EXHAUSTIVE.run(SearchTask(wide_case().problem, Requirement((KAnonymity(9),), 0.0)), SILENT)
    assert (result.node, result.guarantee, result.nodes_checked) == (None, "none", 27)


def test_it_stops_when_the_monitor_cancels(way: str) -> None:
    told = []

    class Stop:
        def step(self, done: int, total: int, text: str = "") -> None:
            told.append(done)
            if done >= 3:
                raise CancelledError

    with pytest.raises(CancelledError):
        EXHAUSTIVE.run(SearchTask(wide_case().problem, Requirement()), Stop())
    if way == "numpy":
        assert told == [0, 1, 2, 3]
    assert [done for done in told if done >= 3] == told[-1:]


def test_a_lattice_too_large_to_score_completely_is_refused_with_its_size() -> None:
    check_size(LARGEST_LATTICE)
    with pytest.raises(InputError, match="1\u202f000\u202f001 nodes") as refused:
        check_size(LARGEST_LATTICE + 1)
    assert "best_first" in refused.value.hint


@pytest.mark.usefixtures("way")
@few
@given(cases_with_requirement(max_qi=3, max_height=2))
def test_a_lattice_whose_scores_do_not_fit_in_memory_is_explored(judged) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    profile = ExploredProfile(case.problem, requirement)
    needed = bytes_when_whole(profile)
    whole = EXHAUSTIVE.run(SearchTask(case.problem, requirement, memory=needed), SILENT)
    assert whole.notes == ()
    explored = EXHAUSTIVE.run(SearchTask(case.problem, requirement, memory=needed - 1), SILENT)
    assert explored.notes[0].startswith("The scores of all nodes do not fit in memory")
    if explored.is_proved:
        assert (explored.node, explored.guarantee) == (whole.node, whole.guarantee)
    else:
        assert explored.guarantee in ("best_known", "none")


@pytest.mark.parametrize("algorithm", ["exhaustive", "best_first", "ola", "flash", "incognito"])
def test_a_search_ends_with_its_best_node_once_its_scores_have_taken_their_memory(algorithm: str) -> None:
    problem, requirement = adult(), Requirement((KAnonymity(5),), 0.02)
    found = search_algorithms.create(algorithm).run(SearchTask(problem, requirement, memory=1), SILENT)
    assert found.nodes_checked < 10
    assert found.guarantee in ("best_known", "none")
    assert "The scores took all the memory" in " ".join(found.notes)


def test_all_nodes_are_only_listed_if_their_scores_fit_in_memory() -> None:
    case, requirement = wide_case(), Requirement((KAnonymity(2),), 1.0)
    needed = bytes_when_whole(ExploredProfile(case.problem, requirement))
    assert not complete_profile(case.problem, requirement, needed).is_complete
    with pytest.raises(InputError, match="would take more than") as caught:
        complete_profile(case.problem, requirement, needed - 1)
    assert "raise memory" in caught.value.hint
