"""Models joined into a requirement."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import ParameterError
from engine.frequency import Measure
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness


class Classes:
    """Four classes with made-up measures."""

    sizes = np.array([5, 4, 9, 9])

    def measured(self, measure: Measure) -> np.ndarray:
        return {
            Measure("distinct", "illness"): np.array([3, 3, 2, 3]),
            Measure("ordered", "illness"): np.array([0.2, 0.1, 0.1, 0.3]),
            Measure("equal", "illness"): np.array([0.5] * 4),
        }[measure]

    def default_distance(self, column: str) -> str:
        return "ordered"


def test_a_class_must_meet_every_model_and_exact_ties_are_met() -> None:
    models = (KAnonymity(5), DistinctLDiversity("illness", 3), TCloseness("illness", 0.2))
    assert Requirement(models).fulfilled(Classes()).tolist() == [True, False, False, False]
    assert Requirement(models[:1]).fulfilled(Classes()).tolist() == [True, False, True, True]


def test_without_models_every_class_is_kept() -> None:
    assert Requirement(()).fulfilled(Classes()).all()


def test_a_named_distance_is_the_one_compared() -> None:
    assert TCloseness("illness", 0.4).fulfilled(Classes()).all()
    assert not TCloseness("illness", 0.4, "equal").fulfilled(Classes()).any()


@pytest.mark.parametrize("limit", [-0.01, 1.01, float("nan")])
def test_a_limit_that_is_not_a_fraction_is_refused(limit: float) -> None:
    with pytest.raises(ParameterError, match="from 0 to 1"):
        Requirement((), limit)


def test_the_required_k_is_the_largest_of_all_models() -> None:
    assert Requirement((KAnonymity(5), KAnonymity(3))).k == 5
    assert Requirement((DistinctLDiversity("illness", 3),)).k is None


def test_changing_one_threshold_changes_neither_the_others_nor_the_original() -> None:
    before = Requirement((KAnonymity(5), TCloseness("illness", 0.2, "equal")), 0.1)
    after = before.with_limit(1, 0.3)
    assert after == Requirement((KAnonymity(5), TCloseness("illness", 0.3, "equal")), 0.1)
    assert before.models[1].limit == 0.2


def test_equal_requirements_are_equal_and_can_be_keys() -> None:
    assert {Requirement((KAnonymity(5),), 0.1): 1}[Requirement((KAnonymity(5),), 0.1)] == 1
