"""Incognito, Flash and OLA against the complete lattice of Adult, and the optima of ARX."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from engine.monitor import SILENT
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.scoring import LatticeProfile
from engine.search import SearchResult, SearchTask, search_algorithms
from tests.adult import ARX_COLUMNS, arx_profile
from tests.conftest import DATA

EXACT = ("incognito", "flash", "ola")
METRICS = {"loss": "loss", "dm": "discernibility", "precision": "precision"}
OPTIMA = json.loads((DATA / "arx" / "optima.json").read_text())


@cache
def searched(key: str, requirement: Requirement, metric: str = "loss", sensitive: str = "") -> SearchResult:
    task = SearchTask((profile := profile_of(sensitive)).problem, requirement, metric, profile=profile)
    return search_algorithms.create(key).run(task, SILENT)


def profile_of(sensitive: str) -> LatticeProfile:
    return arx_profile(tuple(name for name in ARX_COLUMNS if name != sensitive), sensitive)


@pytest.mark.parametrize("key", EXACT)
@pytest.mark.parametrize("limit", [0.0, 0.05])
@pytest.mark.parametrize("k", [5, 100, *(pytest.param(k, marks=pytest.mark.thorough) for k in (2, 10, 50))])
def test_sets_and_optima_on_adult_are_those_of_the_complete_lattice(k: int, limit: float, key: str) -> None:
    requirement = Requirement((KAnonymity(k),), limit)
    found, expected = searched(key, requirement), searched("exhaustive", requirement)
    np.testing.assert_array_equal(found.satisfying, expected.satisfying)
    assert (found.node, found.guarantee) == (expected.node, "optimal")
    assert found.bound == pytest.approx(expected.bound)


@pytest.mark.parametrize("key", EXACT)
@pytest.mark.parametrize("config", OPTIMA, ids=lambda config: config["config"])
def test_the_optimum_is_that_of_arx(config: dict[str, Any], key: str) -> None:
    sensitive = config["sensitive"] or ""
    models: list[PrivacyModel] = [KAnonymity(config["k"])]
    if config["l_distinct"]:
        models.append(DistinctLDiversity(sensitive, config["l_distinct"]))
    if config["t_equal"]:
        models.append(TCloseness(sensitive, config["t_equal"], "equal"))
    requirement = Requirement(tuple(models), config["suppression_limit"])
    found = searched(key, requirement, METRICS[config["metric"]], sensitive)
    names = [name for name in ARX_COLUMNS if name != sensitive]
    assert found.node == tuple(config["optimum"][name] for name in names)
    assert found.guarantee == "optimal"
    np.testing.assert_array_equal(
        found.satisfying, searched("exhaustive", requirement, sensitive=sensitive).satisfying
    )


@pytest.mark.parametrize("key", EXACT)
def test_without_suppression_no_node_is_checked_for_its_value_alone(key: str) -> None:
    found = searched(key, Requirement((KAnonymity(5),), 0.0))
    keys = {step.rule.key for step in found.trace if step.rule.is_check}
    assert keys <= {"candidate", "midway", "middle", "end"}


@pytest.mark.parametrize("key", ["flash", "ola"])
def test_bounds_leave_most_satisfying_nodes_uncompared(key: str) -> None:
    found = searched(key, Requirement((KAnonymity(2),), 0.05))
    assert found.satisfying is not None
    compared = [step.node for step in found.trace if step.rule.key == "maybe_better"]
    assert 0 < len(compared) < 0.1 * found.satisfying.sum()
