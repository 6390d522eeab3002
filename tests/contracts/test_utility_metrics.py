"""Contract of every registered utility metric; a new file is covered before it has tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.params import describe, values_of
from engine.privacy import Requirement
from engine.scoring import Evaluation, LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.utility import utility_metrics
from tests.strategies import cases, cases_with_requirement, few

# Settings without which keeping a record may cost more than suppressing it.
HARMLESS = {"payout": {"loss": 0.0}}

pytestmark = pytest.mark.parametrize("key", list(utility_metrics))


def evaluated(case, requirement: Requirement) -> Evaluation:  # type: ignore[no-untyped-def]
    profile = LatticeProfile(case.problem, requirement)
    return evaluate(score_lattice(case.problem, profile=profile), requirement)


def test_it_is_made_from_its_defaults_and_describes_itself(key: str) -> None:
    metric = utility_metrics.create(key)
    assert metric.key == key
    assert metric.title
    assert metric.meaning
    assert all(d.label and d.help for d in describe(type(metric)))
    assert utility_metrics.create(key, **values_of(metric)) == metric


def test_it_gives_one_number_per_node_within_its_bounds(key: str) -> None:
    @few
    @given(cases_with_requirement())
    def check(judged) -> None:  # type: ignore[no-untyped-def]
        case, requirement = judged
        evaluation = evaluated(case, requirement)
        metric = utility_metrics.create(key)
        natural, normalized = metric.natural(evaluation), metric.normalized(evaluation)
        assert natural.shape == normalized.shape == (case.problem.lattice.n_nodes,)
        assert natural.dtype == normalized.dtype == np.float64
        low, high = metric.bounds(case.problem)
        assert low <= high
        exists = ~np.isnan(natural)
        # only if no record is kept, a metric may have no value
        assert exists[evaluation.kept_classes > 0].all()
        slack = 1e-9 * max(abs(high), 1)
        assert np.all((natural[exists] >= low - slack) & (natural[exists] <= high + slack))
        assert np.all((normalized[exists] >= -1e-9) & (normalized[exists] <= 1 + 1e-9))

    check()


def test_attribute_weights_change_it_only_if_declared_and_stay_within_0_and_1(key: str) -> None:
    @few
    @given(st.data())
    def check(data: st.DataObject) -> None:
        case, requirement = data.draw(cases_with_requirement())
        weights = np.array([data.draw(st.sampled_from([0.0, 0.5, 1.0, 4.0])) for _ in case.qi])
        evaluation = evaluated(case, requirement)
        metric = utility_metrics.create(key)
        weighted = metric.natural(evaluation, weights)
        if not metric.weighted:
            assert np.array_equal(weighted, metric.natural(evaluation), equal_nan=True)
        normalized = metric.normalized(evaluation, weights)
        exists = ~np.isnan(normalized)
        assert np.all((normalized[exists] >= -1e-9) & (normalized[exists] <= 1 + 1e-9))

    check()


def test_its_declared_monotonicity_is_true_without_suppression(key: str) -> None:
    metric = utility_metrics.create(key)

    @few
    @given(cases(bounded=False))
    def check(case) -> None:  # type: ignore[no-untyped-def]
        evaluation = evaluated(case, Requirement((), 0.0))
        values = metric.natural(evaluation)
        lattice = case.problem.lattice
        for number in range(lattice.n_nodes):
            for successor in lattice.successors(lattice.node(number)):
                assert (
                    values[lattice.number(successor)] >= values[number] - 1e-9 * abs(values[number]) - 1e-12
                )

    if metric.monotonic:
        check()


def test_suppressing_everything_loses_no_less_than_any_node_without_suppression(key: str) -> None:
    from engine.privacy.k_anonymity import KAnonymity

    @few
    @given(cases(bounded=False))
    def check(case) -> None:  # type: ignore[no-untyped-def]
        metric = utility_metrics.create(key, **HARMLESS.get(key, {}))
        nothing = Requirement((KAnonymity(case.n_records + 1),), 1.0)
        gone = metric.natural(evaluated(case, nothing))
        kept = metric.natural(evaluated(case, replace(nothing, models=())))
        exists = ~np.isnan(gone)
        assert exists.all() or key == "c_avg"
        if exists.all():
            assert np.all(gone >= kept - 1e-9 * np.abs(kept) - 1e-12)

    check()


def test_suppression_never_lowers_it_if_it_declares_that(key: str) -> None:
    metric = utility_metrics.create(key)

    @few
    @given(st.data())
    def check(data: st.DataObject) -> None:
        case, requirement = data.draw(cases_with_requirement())
        weights = np.array([data.draw(st.sampled_from([0.5, 1.0, 4.0])) for _ in case.qi])
        evaluation = evaluated(case, requirement)
        everything_kept = evaluate(evaluation.profile, Requirement())
        values, least = metric.natural(evaluation, weights), metric.natural(everything_kept, weights)
        if metric.suppressing_costs:
            assert np.all(values >= least - 1e-9 * np.abs(least) - 1e-12)

    check()
