"""Knobs of every registered model: ranges, and captions that distinguish related models."""

from __future__ import annotations

import pytest

from anonymizer_gui.perspectives.explore.knobs.specs import knob_grid, knob_specs, model_scale, turned
from engine.params import ColumnRef, describe
from engine.privacy import PrivacyModel, Requirement, privacy_models
from engine.privacy.basic_beta_likeness import BasicBetaLikeness
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.enhanced_beta_likeness import EnhancedBetaLikeness
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.recursive_c_l_diversity import RecursiveCLDiversity
from engine.privacy.t_closeness import TCloseness
from tests.strategies import Attributes, Case

CASE = Case(
    (Attributes("age", tuple("aabbcc")),),
    (Attributes("illness", tuple("uvwxyz")),),
)


def made(key: str) -> PrivacyModel:
    kind = privacy_models[key]
    return kind(**{d.name: "illness" for d in describe(kind) if isinstance(d, ColumnRef)})


@pytest.mark.parametrize("key", list(privacy_models))
def test_a_knob_reaches_the_usual_values_and_every_stop_is_a_threshold_the_model_takes(key: str) -> None:
    model = made(key)
    scale = model_scale(model, CASE.problem)
    usual = next(d for d in describe(type(model)) if d.name == model.threshold_name).usual
    n_values = 6
    assert all(scale.minimum <= value <= scale.maximum for value in usual if value <= n_values)
    for value in knob_grid(scale):
        assert turned(Requirement((model,)), model.symbol, value).models[0].limit == value


@pytest.mark.parametrize("key", list(privacy_models))
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_threshold_at_a_bound_still_has_its_place_on_the_knob(key: str, share: float) -> None:
    model = made(key)
    descriptor = next(d for d in describe(type(model)) if d.name == model.threshold_name)
    low, high = descriptor.minimum, descriptor.maximum  # type: ignore[attr-defined]
    extreme = model.with_limit(high if share else low)
    scale = model_scale(extreme, CASE.problem)
    assert scale.minimum <= extreme.limit <= scale.maximum
    assert scale.minimum < scale.maximum


def test_related_models_with_one_letter_are_distinguished_by_their_captions() -> None:
    models = (
        DistinctLDiversity("illness", 2),
        EntropyLDiversity("illness", 2),
        EntropyLDiversity("illness", 2, "grassberger"),
        RecursiveCLDiversity("illness", 3, 2),
        BasicBetaLikeness("illness", 1),
        EnhancedBetaLikeness("illness", 1),
        TCloseness("illness", 0.2),
    )
    specs = knob_specs(Requirement(models), CASE.problem)[:-1]
    assert [(spec.key, spec.meaning) for spec in specs] == [
        ("l", "l · illness, distinct"),
        ("l.2", "l · illness, entropy"),
        ("l.3", "l · illness, Grassberger"),
        ("c", "c · illness, l = 2"),
        ("β", "β · illness, basic"),
        ("β.2", "β · illness, enhanced"),
        ("t", "t · illness, equal"),
    ]
    assert [spec.keeps_larger for spec in specs] == [True, True, True, False, False, False, False]
