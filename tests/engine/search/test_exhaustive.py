"""The search that scores every node, and stops early when cancelled."""

from __future__ import annotations

import time

import pytest
from hypothesis import given

from engine.errors import CancelledError, InputError
from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.scoring.limits import LARGEST_LATTICE
from engine.search import SearchTask, search_algorithms
from engine.search.exhaustive import check_size
from tests.slow_reference import optimum
from tests.stopping import Stopping
from tests.strategies import Attributes, Case, cases_with_requirement, few

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
    problem, requirement = wide_case().problem, Requirement((KAnonymity(2),), 1.0)
    result = EXHAUSTIVE.run(SearchTask(problem, requirement, steps=5), SILENT)
    assert (result.nodes_checked, result.nodes_total, result.guarantee) == (5, 27, "best_known")
    assert result.evaluation.scored[problem.lattice.number(result.node)]


@pytest.mark.usefixtures("way")
def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    problem, requirement = wide_case().problem, Requirement((KAnonymity(2),), 0.0)
    free = EXHAUSTIVE.run(SearchTask(problem, requirement), SILENT)
    bound = EXHAUSTIVE.run(SearchTask(problem, requirement, steps=27, seconds=1e6), SILENT)
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
    monitor = Stopping(done=111_000)  # shares of a million: three of the 27 nodes
    with pytest.raises(CancelledError):
        EXHAUSTIVE.run(SearchTask(wide_case().problem, Requirement()), monitor)
    nodes = [round(27 * done / total) for done, total, _ in monitor.steps]
    if way == "numpy":
        assert nodes == [0, 1, 2, 3]
    assert [done for done in nodes if done >= 3] == nodes[-1:]


def test_a_lattice_too_large_to_score_completely_is_refused_with_its_size() -> None:
    check_size(LARGEST_LATTICE)
    with pytest.raises(InputError, match="1\u202f000\u202f001 nodes") as refused:
        check_size(LARGEST_LATTICE + 1)
    assert "best_first" in refused.value.hint
