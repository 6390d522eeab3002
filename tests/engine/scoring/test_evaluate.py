"""A requirement over all nodes: counts, metrics and the optimum against the definitions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.errors import CancelledError
from engine.privacy import Conditions, Monotonic, PrivacyModel, Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.records import Kind
from engine.scoring import Evaluation, LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.optimum import best_of
from engine.utility import utility_metrics
from tests.slow_reference import SlowNode, all_nodes, optimum
from tests.stopping import Stopping
from tests.strategies import Attributes, Case, cases, cases_with_requirement, few, modest, nodes

METRICS = tuple(utility_metrics)
CaseAndRequirement = tuple[Case, Requirement]


def evaluated(case: Case, requirement: Requirement) -> Evaluation:
    profile = LatticeProfile(case.problem, requirement)
    return evaluate(score_lattice(case.problem, profile=profile), requirement)


@modest
@given(st.data())
def test_suppressed_and_kept_records_and_satisfying_nodes_are_as_defined(
    data: st.DataObject,
) -> None:
    case, requirement = data.draw(cases_with_requirement())
    evaluation = evaluated(case, requirement)
    for _ in range(3):
        node = data.draw(nodes(case))
        number, slow = case.problem.lattice.number(node), SlowNode(case, node).under(requirement)
        assert evaluation.allowed == slow.allowed
        assert evaluation.suppressed[number] == slow.suppressed
        assert bool(evaluation.satisfies[number]) is slow.satisfies
        assert evaluation.kept_classes[number] == len(slow.kept)
        assert evaluation.kept_k[number] == slow.kept_k
        assert evaluation.kept_squares[number] == sum(len(members) ** 2 for members in slow.kept)


@pytest.mark.parametrize("key", METRICS)
@few
@given(data=st.data())
def test_a_metric_has_the_value_of_its_definition(key: str, data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    weights = [data.draw(st.sampled_from([0.5, 1.0, 3.0])) for _ in case.qi]
    profile = evaluated(case, requirement).profile
    evaluation = evaluate(profile, requirement, np.array(weights) if set(weights) != {1.0} else None)
    for _ in range(3):
        node = data.draw(nodes(case))
        expected = SlowNode(case, node).under(requirement).metric(key, weights)
        value = evaluation.metric(key)[case.problem.lattice.number(node)]
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-11, nan_ok=True)


@pytest.mark.parametrize("key", METRICS)
@few
@given(pair=cases_with_requirement())
def test_a_normalized_metric_stays_between_nothing_and_everything_lost(
    key: str, pair: CaseAndRequirement
) -> None:
    case, requirement = pair
    evaluation = evaluated(case, requirement)
    values = utility_metrics[key]().normalized(evaluation)
    existing = values[~np.isnan(values)]
    assert np.all(existing >= -1e-12)
    assert np.all(existing <= 1 + 1e-12)
    assert len(existing) == len(values) or key == "c_avg"


@pytest.mark.parametrize("key", METRICS)
@few
@given(pair=cases_with_requirement(max_qi=2, max_height=2))
def test_the_optimum_is_the_best_of_all_nodes(key: str, pair: CaseAndRequirement) -> None:
    case, requirement = pair
    best = evaluated(case, requirement).optimum(key)
    expected = optimum(case, requirement, key)
    assert (None if best is None else case.problem.lattice.node(best)) == expected


@modest
@given(st.data())
def test_thresholds_that_a_class_attains_exactly_are_met(data: st.DataObject) -> None:
    case = data.draw(cases(min_sensitive=1))
    node = data.draw(nodes(case))
    slow, number = SlowNode(case, node), case.problem.lattice.number(node)
    models: list[PrivacyModel] = [KAnonymity(data.draw(st.sampled_from(slow.sizes)))]
    for attribute in case.problem.sensitive:
        models.append(
            DistinctLDiversity(attribute.name, data.draw(st.sampled_from(slow.distinct(attribute.name))))
        )
        kind = data.draw(st.sampled_from(attribute.distances))
        attained = data.draw(st.sampled_from(slow.distances(attribute.name, kind)))
        models.append(TCloseness(attribute.name, float(attained), kind))
    requirement = Requirement(tuple(models), 0.0)
    evaluation = evaluated(case, requirement)
    assert evaluation.suppressed[number] == slow.under(requirement).suppressed


def test_a_distance_equal_to_the_threshold_as_typed_is_met() -> None:
    # Five values once each; classes of two have 2/5 too much of each: t = 0.6 exactly.
    rows = tuple((text, "*") for text in "abc")
    case = Case(
        (Attributes("q", ("a", "a", "b", "b", "c"), Kind.TEXT, rows),),
        (Attributes("s", ("v", "w", "x", "y", "z")),),
    )
    for t, suppressed in ((0.8, 0), (0.6, 1), (math.nextafter(0.6, 0), 5)):
        assert evaluated(case, Requirement((TCloseness("s", t),), 1.0)).suppressed[0] == suppressed


@pytest.mark.parametrize(
    ("limit", "n_records", "allowed"),
    [(0.29, 100, 29), (0.05, 30162, 1508), (0.0, 7, 0), (1.0, 7, 7), (0.07, 100, 7), (1e-05, 300000, 3)],
)
def test_the_allowed_losses_are_counted_on_the_decimal_as_typed(
    limit: float, n_records: int, allowed: int
) -> None:
    assert Requirement((), limit).allowed(n_records) == allowed


def test_twenty_nine_of_a_hundred_may_be_suppressed_at_a_limit_of_29_percent() -> None:
    texts = tuple(["big"] * 71 + [f"single {i}" for i in range(29)])
    case = Case((Attributes("q", texts),))
    evaluation = evaluated(case, Requirement((KAnonymity(2),), 0.29))
    assert (evaluation.suppressed[0], bool(evaluation.satisfies[0])) == (29, True)
    assert not evaluated(case, Requirement((KAnonymity(2),), 0.28)).satisfies[0]


@modest
@given(cases_with_requirement(bounded=False))
def test_with_suppression_k_anonymity_and_l_diversity_carry_over_to_successors(
    pair: CaseAndRequirement,
) -> None:
    case, requirement = pair
    models = tuple(
        model for model in requirement.models if model.monotonic_under(Conditions()) is Monotonic.ALWAYS
    )
    assume(models)
    requirement = replace(requirement, models=models)
    evaluation = evaluated(case, requirement)
    assume(evaluation.satisfies.any())
    lattice = case.problem.lattice
    for number in np.flatnonzero(evaluation.satisfies):
        for successor in lattice.successors(lattice.node(int(number))):
            assert evaluation.satisfies[lattice.number(successor)]
            assert evaluation.suppressed[lattice.number(successor)] <= evaluation.suppressed[number]


@modest
@given(cases_with_requirement())
def test_the_minimal_nodes_satisfy_and_have_no_satisfying_predecessor(pair: CaseAndRequirement) -> None:
    case, requirement = pair
    evaluation = evaluated(case, requirement)
    lattice = case.problem.lattice
    for node in all_nodes(case):
        number = lattice.number(node)
        below = [bool(evaluation.satisfies[lattice.number(p)]) for p in lattice.predecessors(node)]
        assert bool(evaluation.minimal[number]) is (bool(evaluation.satisfies[number]) and not any(below))


@modest
@given(st.data())
def test_some_nodes_alone_have_the_scores_they_have_among_all(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    evaluation = evaluated(case, requirement)
    numbers = st.integers(0, case.problem.lattice.n_nodes - 1)
    chosen = np.array(data.draw(st.lists(numbers, min_size=1, max_size=8)), dtype=np.int64)
    part = evaluation.lookup.at(chosen)
    for name in ("suppressed", "kept_classes", "kept_k", "kept_squares"):
        assert np.array_equal(getattr(part, name), getattr(evaluation, name)[chosen]), name
    for key in METRICS:
        values, whole = evaluation.metric_at(key, chosen), evaluation.metric(key)
        assert values == pytest.approx(whole[chosen], rel=1e-12, abs=1e-13, nan_ok=True)
        satisfying = np.flatnonzero(evaluation.satisfies)
        assert np.array_equal(evaluation.metric_at(key, satisfying), whole[satisfying], equal_nan=True)


@pytest.mark.parametrize("key", METRICS)
def test_the_optimum_is_the_same_whether_or_not_every_node_is_compared(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # comparing one node first leaves the decision to the lower bounds
    monkeypatch.setattr("engine.scoring.evaluate.FIRST_LOOK", 1)
    monkeypatch.setattr("engine.scoring.evaluate.FIRST_COSTLY_LOOK", 1)

    @few
    @given(st.data())
    def check(data: st.DataObject) -> None:
        case, requirement = data.draw(cases_with_requirement())
        weights = data.draw(st.sampled_from([None, np.arange(1.0, 1.0 + len(case.qi))]))
        profile = evaluated(case, requirement).profile
        quick, thorough = (evaluate(profile, requirement, weights) for _ in range(2))
        lattice = case.problem.lattice
        values = thorough.metric(key)
        nodes = np.flatnonzero(thorough.satisfies)
        expected = best_of(lattice, nodes, values[nodes], thorough.suppressed[nodes])
        assert quick.optimum(key) == expected
        assert thorough.optimum(key) == expected

    check()


@modest
@given(st.data())
def test_while_scoring_runs_scored_nodes_are_right_and_others_are_marked(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    whole = evaluated(case, requirement)
    n_nodes = case.problem.lattice.n_nodes
    profile = LatticeProfile(case.problem, requirement)
    steps = data.draw(st.integers(0, n_nodes - 1))
    with pytest.raises(CancelledError):
        score_lattice(case.problem, Stopping(steps + 1), profile, node_by_node=True)
    partial = evaluate(profile, requirement)
    known = partial.scored
    assert partial.n_scored == profile.n_scored == known.sum() == steps
    assert np.array_equal(known, profile.scored)
    for name in ("suppressed", "satisfies", "kept_classes", "kept_k", "kept_squares"):
        values = getattr(partial, name)
        assert np.array_equal(values[known], getattr(whole, name)[known]), name
        assert not values[~known].any(), name
    for key in METRICS:
        values = partial.metric(key)
        assert values[known] == pytest.approx(whole.metric(key)[known], rel=1e-12, abs=1e-13, nan_ok=True)
        assert np.isnan(values[~known]).all()
    best = partial.optimum("loss")
    assert best is None or known[best]
    # evaluated values do not change when scoring continues
    before = partial.satisfies.copy()
    score_lattice(case.problem, profile=profile)
    assert np.array_equal(evaluate(profile, requirement).satisfies, whole.satisfies)
    assert np.array_equal(partial.satisfies, before)
