"""Contract of every registered utility metric; a new file is covered before it has tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.privacy import Requirement
from engine.scoring import Evaluation, LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.testing import laws
from engine.utility import utility_metrics
from tests.strategies import cases, cases_with_requirement, few

# Settings without which keeping a record may cost more than suppressing it.
HARMLESS = {"payout": {"loss": 0.0}}

pytestmark = pytest.mark.parametrize("key", list(utility_metrics))


def evaluated(case, requirement: Requirement) -> Evaluation:  # type: ignore[no-untyped-def]
    profile = LatticeProfile(case.problem, requirement)
    return evaluate(score_lattice(case.problem, profile=profile), requirement)


def test_it_is_made_from_its_defaults_and_describes_itself(key: str) -> None:
    laws.it_is_made_from_its_defaults(utility_metrics, key)
    laws.its_parameters_are_explained(utility_metrics[key])
    laws.values_outside_bounds_are_refused(utility_metrics[key])
    laws.it_is_restored_from_files(utility_metrics, utility_metrics.create(key))
    assert utility_metrics[key].meaning


@few
@given(judged=cases_with_requirement())
def test_it_gives_one_number_per_node_within_its_bounds(key: str, judged) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    laws.a_metric_stays_within_its_bounds(utility_metrics.create(key), evaluated(case, requirement))


@few
@given(data=st.data())
def test_attribute_weights_change_it_only_if_declared_and_stay_within_0_and_1(
    key: str, data: st.DataObject
) -> None:
    case, requirement = data.draw(cases_with_requirement())
    weights = np.array([data.draw(st.sampled_from([0.0, 0.5, 1.0, 4.0])) for _ in case.qi])
    laws.weights_change_a_metric_only_if_declared(
        utility_metrics.create(key), evaluated(case, requirement), weights
    )


def test_its_declared_monotonicity_is_true_without_suppression(key: str) -> None:
    metric = utility_metrics.create(key)

    @few
    @given(cases(bounded=False))
    def check(case) -> None:  # type: ignore[no-untyped-def]
        laws.a_monotonic_metric_never_falls(metric, evaluated(case, Requirement((), 0.0)))

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
        laws.suppression_never_lowers_a_metric(metric, evaluation, everything_kept, weights)

    check()
