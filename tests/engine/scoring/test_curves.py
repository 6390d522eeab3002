"""Curves over one threshold against an evaluation of the lattice for every point."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.curves import suppression_curve, threshold_curve
from engine.scoring.evaluate import evaluate
from tests.strategies import cases_with_requirement, modest

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
