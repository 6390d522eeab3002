"""Problems with a known population, or measured in parts of classes, by kernels as by numpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.frequency import Measure, PopulationMembers, Problem
from engine.frequency.classes import DISTINCT, POPULATION
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.delta_presence import DeltaPresence
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.k_map import KMap
from engine.privacy.t_closeness import TCloseness
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.limits import bytes_when_whole
from engine.scoring.reuse import reuse
from engine.utility import utility_metrics
from tests.engine.scoring.alike import Expected, by_kernels, by_numpy, every_model
from tests.engine.scoring.edge_tables import EDGES, merged, random_case, tree, twenty_attributes
from tests.engine.scoring.walk.test_class_walk import FIGURES, assert_alike
from tests.strategies import Case, cases, modest, ten

pytestmark = pytest.mark.usefixtures("warm")

KINDS = ("people", "parts", "both")


def extended(problem: Problem, kind: str, n_more: int = 40) -> Problem:
    """With other sensitive columns known, or people: some who have a record, others like no record."""
    problem = replace(problem, others_as_qi=kind != "people")
    if kind == "parts":
        return problem
    rng, n = np.random.default_rng(n_more), problem.n_records
    own = np.concatenate((np.flatnonzero(rng.random(n) < 0.7), rng.integers(0, n, n_more)))
    leaves = []
    for attribute in problem.attributes:
        others = rng.integers(0, attribute.hierarchy.n_leaves, n_more)
        leaves.append(np.concatenate((attribute.leaves[own], others)).astype(np.int32))
    return replace(problem, people=PopulationMembers(float(len(leaves[0]) + n), tuple(leaves)))


def requirement(problem: Problem, k: int) -> Requirement:
    """Models of people and of parts that some classes fail."""
    models: list[PrivacyModel] = [KAnonymity(k)]
    if problem.knows_people:
        models += [KMap(2 * k), DeltaPresence(0.0, 0.9)]
    for attribute in problem.sensitive:
        models.append(TCloseness(attribute.name, 0.75 if problem.measures_parts else 0.6, "equal"))
        if not problem.measures_parts:  # few parts have two values
            models.append(DistinctLDiversity(attribute.name, 2))
    return Requirement(tuple(models), 0.2)


def scored(problem: Problem) -> LatticeProfile:
    profile = score_lattice(problem)
    assert profile.is_compiled
    return profile


@modest
@given(cases(max_qi=4), st.sampled_from(KINDS), st.integers(1, 2), st.integers(0, 30))
def test_random_tables_are_scored_as_by_numpy(case: Case, kind: str, n_workers: int, n_more: int) -> None:
    problem = extended(case.problem, kind, n_more)
    Expected(problem).holds(by_kernels(problem, n_workers))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", EDGES.values(), ids=EDGES)
def test_edge_tables_are_scored_as_by_numpy(make: Callable[[], Case], kind: str) -> None:
    case = make()
    problem = extended((case if kind != "people" else replace(case, sensitive=())).problem, kind)
    Expected(problem).holds(by_kernels(problem))


@pytest.mark.parametrize("kind", KINDS)
def test_three_sensitive_columns_are_scored_as_by_numpy(kind: str) -> None:
    problem = extended(random_case([tree(8, 2, 3), tree(9, 3, 2), tree(5, 5, 1)], 900, 3).problem, kind)
    Expected(problem).holds(by_kernels(problem, 2))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fan", [2, 5])
def test_every_way_of_merging_is_scored_as_by_numpy(fan: int, kind: str) -> None:
    problem = extended(merged(fan, tree(27, 3, 4), 2).problem, kind)
    Expected(problem).holds(by_kernels(problem))


def test_keys_beyond_a_word_are_scored_as_by_numpy() -> None:
    problem = extended(twenty_attributes(2).problem, "both")
    expected = Expected(problem, Requirement((KAnonymity(2), KMap(2))))
    expected.holds(by_kernels(problem))


def test_measures_of_parts_are_those_by_numpy_for_every_model() -> None:
    problem = extended(random_case([tree(8, 2, 3), tree(9, 3, 2)], 500, 2).problem, "parts")
    found, expected = by_kernels(problem), by_numpy(problem)
    usual = problem.sensitive[0].default_distance
    for measure in {m for model in every_model(problem).models for m in model.measures(usual)}:
        values = expected.worst(measure)
        np.testing.assert_allclose(found.worst(measure), values, rtol=1e-12)
    alone = by_kernels(replace(problem, others_as_qi=False))
    name = problem.sensitive[0].name
    assert not np.array_equal(alone.worst(Measure(DISTINCT, name)), found.worst(Measure(DISTINCT, name)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 2, 6])
def test_evaluations_and_every_metric_agree(kind: str, k: int) -> None:
    case = random_case([tree(16, 2, 4), tree(9, 3, 2), tree(6, 3, 2)], 800, 2)
    problem = extended(case.problem, kind, 900)
    wanted = requirement(problem, k)
    found, expected = (evaluate(p, wanted) for p in (scored(problem), by_numpy(problem, wanted)))
    assert np.array_equal(found.satisfies, expected.satisfies)
    assert np.array_equal(found.suppressed, expected.suppressed)
    assert np.array_equal(found.kept_classes, expected.kept_classes)
    assert len(set(found.suppressed.tolist())) > 5
    for key in utility_metrics:
        np.testing.assert_allclose(found.metric(key), expected.metric(key), rtol=1e-12, atol=1e-12)


@ten
@given(cases(min_sensitive=1), st.sampled_from(KINDS), st.integers(1, 4), st.integers(0, 30))
def test_walks_over_classes_agree(case: Case, kind: str, k: int, n_more: int) -> None:
    problem = extended(case.problem, kind, n_more)
    # numpy counts the misses of a target beside columns that attackers may know
    names = tuple(name for name in FIGURES if name != "misses" or not problem.others_as_qi)
    assert_alike(scored(problem), requirement(problem, k), names)


@pytest.mark.parametrize("sensitive", [0, 1])
def test_thresholds_exactly_attained_agree(sensitive: int) -> None:
    problem = extended(random_case([tree(8, 2, 3), tree(9, 3, 2)], 300, sensitive).problem, "people")
    found, expected = scored(problem), by_numpy(problem)
    people = found.cells().by_cell(found.cells().classes.measured(Measure(POPULATION, "")))
    ratios = np.unique(found.cells().sizes / np.maximum(people, 1))
    for share in ratios[(ratios > 0) & (ratios < 1)][::7].tolist():
        for threshold in (share, float(np.nextafter(share, 0))):
            wanted = Requirement((DeltaPresence(0.0, threshold),), 0.3)
            own, other = evaluate(found, wanted), evaluate(expected, wanted)
            assert np.array_equal(own.suppressed, other.suppressed)


def test_scores_are_reused_for_the_same_people_only() -> None:
    case = random_case([tree(8, 2, 3), tree(9, 3, 2)], 300, 1)
    old = scored(extended(case.problem, "people"))
    assert old.problem.people.leaves is not None
    assert reuse(LatticeProfile(extended(case.problem, "people")), old)
    swapped = tuple(own[::-1].copy() if q else own for q, own in enumerate(old.problem.people.leaves))
    others = replace(old.problem, people=replace(old.problem.people, leaves=swapped))
    assert not reuse(LatticeProfile(others), old)
    assert not reuse(LatticeProfile(case.problem), old)


@pytest.mark.parametrize("kind", KINDS)
def test_the_memory_of_all_nodes_is_estimated_as_of_kernels(kind: str) -> None:
    problem = extended(random_case([tree(16, 2, 4), tree(9, 3, 2), tree(6, 3, 2)], 800, 2).problem, kind)
    plain = replace(problem, others_as_qi=False, people=None)
    assert bytes_when_whole(ExploredProfile(problem)) > bytes_when_whole(ExploredProfile(plain))
