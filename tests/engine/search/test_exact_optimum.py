"""The satisfying nodes that are compared before the optimum is returned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.search import SearchResult, SearchTask, search_algorithms
from engine.utility import utility_metrics
from tests.strategies import Attributes, Case

ROWS = tuple((str(i), str(i // 2), str(i // 4), "*") for i in range(16))
CASE = Case(
    tuple(
        Attributes(f"q{j}", tuple(str((i * step + i // 3) % 16) for i in range(90)), rows=ROWS)
        for j, step in enumerate((1, 3, 5))
    ),
    target="q0",
)
LENIENT = Requirement((KAnonymity(4),), 0.2)


def searched(metric: str, requirement: Requirement, profile: LatticeProfile | None = None) -> SearchResult:
    task = SearchTask(CASE.problem, requirement, metric, profile=profile)
    return search_algorithms.create("flash").run(task, SILENT)


def compared(result: SearchResult) -> int:
    return sum(step.rule.key == "maybe_better" for step in result.trace)


@pytest.mark.parametrize("metric", utility_metrics)
def test_bounds_exclude_nodes_but_never_the_optimum(metric: str) -> None:
    profile = score_lattice(CASE.problem, profile=LatticeProfile(CASE.problem, LENIENT))
    optimum = evaluate(profile, LENIENT).optimum(metric)
    assert optimum is not None
    found = searched(metric, LENIENT)
    assert found.node == CASE.problem.lattice.node(optimum)
    assert found.satisfying is not None
    checked = {step.node for step in found.trace if step.rule.is_check}
    satisfying = {CASE.problem.lattice.node(n) for n in np.flatnonzero(found.satisfying).tolist()}
    # An attack may cost more than all information is worth, so nothing bounds a payout before it is known.
    assert satisfying - checked or metric == "payout"


@pytest.mark.parametrize("metric", ["loss", "discernibility", "c_avg", "ambiguity"])
def test_nodes_scored_before_are_compared_in_the_same_order(metric: str) -> None:
    profile = score_lattice(CASE.problem, profile=LatticeProfile(CASE.problem, LENIENT))
    assert list(searched(metric, LENIENT).trace) == list(searched(metric, LENIENT, profile).trace)


@pytest.mark.parametrize(
    ("metric", "limit", "compares"),
    [("discernibility", 0.0, False), ("discernibility", 0.2, True), ("c_avg", 0.0, True)],
)
def test_minimal_nodes_suffice_without_suppression_if_the_metric_never_decreases(
    metric: str, limit: float, compares: bool
) -> None:
    found = searched(metric, Requirement((KAnonymity(4),), limit))
    assert (compared(found) > 0) == compares
    assert found.guarantee == "optimal"


def test_if_the_metric_has_no_value_at_all_the_lowest_node_is_returned() -> None:
    """Without a target no node has a classification loss; all values count as equally bad."""
    problem = replace(CASE, target=None).problem
    task = SearchTask(problem, LENIENT, "classification")
    found, expected = (search_algorithms.create(key).run(task, SILENT) for key in ("ola", "exhaustive"))
    assert found.node == expected.node
    np.testing.assert_array_equal(found.satisfying, expected.satisfying)
