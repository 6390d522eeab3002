"""A sweep against an evaluation of the lattice for every cell."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.errors import CancelledError
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.average_risk import AverageRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.sample_uniqueness import SampleUniqueness
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.sweep import NOWHERE, suppression_curve, sweep, threshold_curve
from engine.utility import utility_metrics
from tests.stopping import Stopping
from tests.strategies import Attributes, Case, cases_with_requirement, few, modest

LIMITS = [0.0, 0.1, 0.29, 0.5, 1.0]
SIZES = [1, 2, 3, 5]
PEOPLE = Case(
    (
        Attributes(
            "age", tuple("aabbccdd"), rows=tuple((c, "ab" if c in "ab" else "cd", "*") for c in "abcd")
        ),
        Attributes("place", tuple("xyxyxxxy"), rows=(("x", "*"), ("y", "*"))),
    ),
)


def turned(requirement: Requirement, first: PrivacyModel, sizes: list[int]) -> list[Requirement]:
    """The requirement with a further model of class sizes at several thresholds."""
    models = (first, *requirement.models)
    return [replace(requirement, models=models).with_limit(0, size) for size in sizes]


@modest
@given(cases_with_requirement(), st.sampled_from(sorted(utility_metrics)))
def test_every_cell_is_the_optimum_of_its_own_evaluation(judged, key) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    assume(case.problem.target is not None or not utility_metrics[key].needs_target)
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))
    rows = turned(requirement, KAnonymity(2), SIZES)
    swept = sweep(profile, rows, LIMITS, key)
    for (wanted, limit), (number, value) in zip(product(rows, LIMITS), swept, strict=True):
        evaluation = evaluate(profile, replace(wanted, suppression_limit=limit))
        best = evaluation.optimum(key)
        assert number == (NOWHERE if best is None else best)
        expected = np.nan if best is None else evaluation.metric(key)[best]
        assert value == pytest.approx(expected, rel=1e-12, nan_ok=True)


@few
@given(cases_with_requirement(), st.sampled_from([AverageRisk(0.5), SampleUniqueness(0.1)]))
def test_table_wide_models_are_swept_too(judged, model) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    with_model = replace(requirement, models=(*requirement.models, model))
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, with_model))
    place = len(requirement.models)
    rows = [with_model.with_limit(place, share) for share in (0.05, 0.25, 0.5, 1.0)]
    swept = sweep(profile, rows, LIMITS, "loss")
    for (wanted, limit), (number, _value) in zip(product(rows, LIMITS), swept, strict=True):
        best = evaluate(profile, replace(wanted, suppression_limit=limit)).optimum("loss")
        assert number == (NOWHERE if best is None else best)


def test_weights_move_the_optimum_of_a_cell_as_they_move_that_of_an_evaluation() -> None:
    problem = PEOPLE.problem
    profile = score_lattice(problem)
    requirement = Requirement((KAnonymity(3),), 0.0)
    optima = []
    for weights in (np.array([10.0, 1.0]), np.array([1.0, 10.0])):
        [(number, _value)] = sweep(profile, [requirement], [0.0], "loss", weights)
        assert number == evaluate(profile, requirement, weights).optimum("loss")
        optima.append(number)
    assert optima[0] != optima[1]


def test_a_cell_without_a_satisfying_node_has_no_optimum() -> None:
    profile = score_lattice(PEOPLE.problem)
    rows = turned(Requirement(), KAnonymity(2), [8, 9])
    first, _all_of_8, second, all_of_9 = sweep(profile, rows, [0.0, 1.0], "loss")
    assert second[0] == NOWHERE
    assert np.isnan(second[1])
    assert NOWHERE not in (first[0], all_of_9[0])


def test_the_nodes_scored_so_far_of_a_large_lattice_are_swept_by_their_own_numbers() -> None:
    explored = ExploredProfile(PEOPLE.problem)
    for node in ((0, 0), (1, 1), (2, 1)):
        explored.score(node)
    part = explored.part()
    [(number, _value)] = sweep(part, [Requirement((KAnonymity(2),), 0.0)], [0.0], "loss")
    assert part.lattice.node(number) == (1, 1)


def test_a_sweep_can_be_cancelled() -> None:
    with pytest.raises(CancelledError):
        sweep(
            score_lattice(PEOPLE.problem),
            turned(Requirement(), KAnonymity(2), SIZES),
            LIMITS,
            "loss",
            monitor=Stopping(done=1),
        )


GRIDS = {
    "k_anonymity": [1, 2, 3, 5, 8],
    "distinct_l_diversity": [1, 2, 3, 4],
    "t_closeness": [0.0, 0.1, 0.2, 0.25, 0.3, 0.5, 1.0],
    "alpha_k_anonymity": [0.0, 0.25, 0.5, 0.6, 0.75, 1.0],
    "entropy_l_diversity": [1.0, 1.5, 2.0, 3.0],
    "recursive_c_l_diversity": [0.25, 0.5, 1.0, 2.0, 3.0],
    "basic_beta_likeness": [0.0, 0.5, 1.0, 2.0],
    "enhanced_beta_likeness": [0.0, 0.25, 0.5, 1.0, 2.0],
    "delta_disclosure": [0.0, 0.25, 0.5, 1.0],
}


@modest
@given(st.data())
def test_a_threshold_curve_agrees_with_evaluations_of_every_single_threshold(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    assume(requirement.models)
    index = data.draw(st.integers(0, len(requirement.models) - 1))
    grid = GRIDS[requirement.models[index].key]
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))
    counts = threshold_curve(profile, requirement, index, grid)
    one_by_one = [evaluate(profile, requirement.with_limit(index, value)).n_satisfying for value in grid]
    assert counts.tolist() == one_by_one


@modest
@given(cases_with_requirement())
def test_a_suppression_curve_agrees_with_evaluations_of_every_single_limit(judged) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))
    grid = [0.0, 0.05, 0.1, 0.29, 0.5, 1.0]
    one_by_one = [
        evaluate(profile, replace(requirement, suppression_limit=limit)).n_satisfying for limit in grid
    ]
    assert suppression_curve(profile, requirement, grid).tolist() == one_by_one
    assert one_by_one[-1] == case.problem.lattice.n_nodes
