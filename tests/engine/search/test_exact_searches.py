"""Incognito, Flash and OLA against the complete lattice of Adult, and the optima of ARX."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from engine.monitor import SHARES, SILENT
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
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


class Bar:
    """Collects the progress of a search, and stops it after some steps."""

    def __init__(self, most: int = 0) -> None:
        self.shown: list[tuple[int, int]] = []
        self.stop = Event()
        self._most = most

    def step(self, done: int, total: int, text: str = "") -> None:
        self.shown.append((done, total))
        if self._most and len(self.shown) >= self._most:
            self.stop.set()


@pytest.mark.parametrize("key", EXACT)
@pytest.mark.parametrize("limit", [0.0, 0.05])
def test_one_bar_covers_all_passes_of_a_search(limit: float, key: str) -> None:
    profile, bar = profile_of("occupation"), Bar()
    models = (KAnonymity(5), DistinctLDiversity("occupation", 3))
    task = SearchTask(profile.problem, Requirement(models, limit), profile=profile)
    result = search_algorithms.create(key).run(task, bar)
    assert result.is_proved
    # one total from the first step to the last, and no step back
    assert len({total for _, total in bar.shown}) == 1
    done = [done for done, _ in bar.shown]
    assert done == sorted(done)
    assert done[-1] <= bar.shown[-1][1]


@pytest.mark.parametrize(("example", "n_passes"), [("hospital", 1), ("survey", 2)])
def test_the_bar_of_an_exhaustive_search_covers_scoring_and_counting_persons(
    examples: Path, example: str, n_passes: int
) -> None:
    project = read_recipe(examples / example / "recipe.toml")
    bar, problem = Bar(), compile_problem(project)
    task = SearchTask(problem, project.requirement)
    result = search_algorithms.create("exhaustive").run(task, bar)
    assert result.is_proved
    assert {total for _, total in bar.shown} == {SHARES}
    done = [done for done, _ in bar.shown]
    assert done == sorted(done)
    assert done[0] == 0
    assert done[-1] >= SHARES // n_passes


@pytest.mark.parametrize("key", [*EXACT, "genetic"])
def test_a_stopped_search_returns_its_best_node_without_a_proof(key: str) -> None:
    profile, bar = profile_of(""), Bar(most=40)
    task = SearchTask(profile.problem, Requirement((KAnonymity(5),), 0.05), profile=profile, stop=bar.stop)
    result = search_algorithms.create(key).run(task, bar)
    assert bar.stop.is_set()
    assert not result.is_proved
    assert any("stopped early" in note for note in result.notes)
    checked = {step.node for step in result.trace if step.rule.is_check}
    assert (result.node in checked, result.guarantee) in ((True, "best_known"), (False, "none"))
    assert (result.node is None) == (result.guarantee == "none")


@pytest.mark.parametrize(
    ("config", "key"),
    [
        pytest.param(
            config, key, id=f"{config['config']}-{key}", marks=[pytest.mark.thorough] * ((i + j) % 2)
        )
        for i, config in enumerate(OPTIMA)
        for j, key in enumerate(EXACT)
    ],
)
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
    compared = [step.node for step in found.trace if step.rule.key == "maybe_better"]
    assert 0 < len(compared) < 0.1 * found.satisfying.sum()
