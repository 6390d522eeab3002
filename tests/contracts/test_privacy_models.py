"""Contract of every registered privacy model; a new file is covered before it has tests."""

from __future__ import annotations

import math
import random
import tomllib
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.params import Integer, Param, Real, describe, values_of
from engine.privacy import PrivacyModel, privacy_models
from engine.privacy.table_wide import TableWideModel, kept_table
from engine.scoring.walk.tuples import at_node, base_tuples, measured_classes
from engine.testing import laws
from engine.verification.claims import ModelClaim
from engine.verification.models.base import model_of
from tests.contracts.make_saved_files import SAVED
from tests.contracts.populated import problem_for
from tests.contracts.uncommon import uncommon
from tests.strategies import cases, modest, nodes

WHOLE = [key for key, kind in privacy_models.items() if issubclass(kind, TableWideModel)]
of_every_model = pytest.mark.parametrize("key", list(privacy_models))
of_models_of_classes = pytest.mark.parametrize("key", [key for key in privacy_models if key not in WHOLE])
of_models_of_a_whole = pytest.mark.parametrize("key", WHOLE)

# Relative, by the rule for ties; thresholds of the other models are compared exactly.
TOLERANCES = {
    "entropy_l_diversity": 1e-9,
    "delta_disclosure": 1e-12,
    "individual_risk": 1e-12,
    "profitability": 1e-10,
}
# Conditions in addition to the threshold, such that every class meets them.
FURTHER: dict[str, dict[str, float]] = {"alpha_k_anonymity": {"k": 1}, "differential_privacy": {"delta": 0.9}}
# Values that the other parameters need while one is at its bounds.
BESIDE = {("delta_presence", "minimum"): {"maximum": 1.0}}
# The risk of a class is exactly 1 / size; a float close to it is another threshold.
FRACTIONS = ("highest_risk",)


def made(key: str, **values: Any) -> PrivacyModel:
    """Return a model of the sensitive column `s0`, with its other defaults."""
    model: PrivacyModel = laws.made(privacy_models[key], **values)
    return model


def parameter(key: str, name: str) -> Param:
    return next(d for d in describe(privacy_models[key]) if d.name == name)


@of_every_model
def test_it_is_made_from_its_defaults_and_describes_itself(key: str) -> None:
    laws.it_is_made_from_its_defaults(privacy_models, key)
    laws.its_parameters_are_explained(privacy_models[key])
    assert made(key).is_table_wide is (key in WHOLE)


@of_every_model
def test_it_describes_its_meaning_its_attacks_and_its_source(key: str) -> None:
    laws.a_model_describes_itself(privacy_models[key])
    laws.a_model_cites_its_source(privacy_models[key])


@of_every_model
def test_its_numbers_have_usual_values(key: str) -> None:
    for descriptor in describe(privacy_models[key]):
        if isinstance(descriptor, (Integer, Real)):
            assert descriptor.usual


@of_every_model
def test_every_parameter_has_another_value_to_save(key: str) -> None:
    kind = privacy_models[key]
    assert set(uncommon(kind)) == {descriptor.name for descriptor in describe(kind)}
    assert all(getattr(kind(), name) != value for name, value in uncommon(kind).items())


@of_every_model
def test_one_step_outside_a_bound_is_refused_with_a_hint(key: str) -> None:
    laws.values_outside_bounds_are_refused(privacy_models[key])


@of_every_model
def test_the_bounds_themselves_are_accepted(key: str) -> None:
    for descriptor in describe(privacy_models[key]):
        if isinstance(descriptor, (Integer, Real)):
            for value in (descriptor.minimum, descriptor.maximum):
                values = BESIDE.get((key, descriptor.name), {}) | {descriptor.name: value}
                assert getattr(made(key, **values), descriptor.name) == value


@of_every_model
def test_its_written_values_make_the_same_model_again(key: str) -> None:
    laws.it_is_restored_from_files(privacy_models, made(key))


@of_every_model
def test_the_threshold_is_one_of_its_parameters_and_can_be_changed(key: str) -> None:
    laws.its_threshold_can_be_changed(privacy_models[key])


@of_models_of_classes
@modest
@given(data=st.data())
def test_a_class_meets_it_exactly_when_its_measure_meets_the_threshold_by_its_rule_for_ties(
    key: str, data: st.DataObject
) -> None:
    case = data.draw(cases(min_sensitive=1))
    model = made(key, **FURTHER.get(key, {}))
    problem = problem_for(case, model, random.Random(data.draw(st.integers(0, 2**32))))
    _, classes = measured_classes(problem, at_node(base_tuples(problem), data.draw(nodes(case))))
    measured = model.measure(classes)
    descriptor = parameter(key, model.threshold_name)
    assert isinstance(descriptor, (Integer, Real))
    legal = [value for value in measured.tolist() if descriptor.minimum <= value <= descriptor.maximum]
    if key in FRACTIONS:
        legal = [value for value in legal if 1 / Fraction(repr(value)) == round(1 / value)]
    assume(legal)
    attained = float(data.draw(st.sampled_from(legal)))
    laws.a_class_meets_exactly_what_it_measures(model, classes, attained, TOLERANCES.get(key, 0.0))


@of_models_of_a_whole
@modest
@given(data=st.data())
def test_a_table_wide_model_keeps_every_class_and_is_met_up_to_its_value(
    key: str, data: st.DataObject
) -> None:
    case = data.draw(cases(min_sensitive=1))
    model = made(key)
    assert isinstance(model, TableWideModel)
    problem = problem_for(case, model, random.Random(data.draw(st.integers(0, 2**32))))
    _, classes = measured_classes(problem, at_node(base_tuples(problem), data.draw(nodes(case))))
    assert model.fulfilled(classes).all()
    kept = data.draw(st.lists(st.booleans(), min_size=len(classes.sizes), max_size=len(classes.sizes)))
    table, one = kept_table(problem, classes, np.array(kept)), np.ones(1, dtype=np.bool_)
    figure = float(model.figures(table, one)[0])
    if math.isnan(figure):
        assert not any(kept)
        assert model.holds(table, one)[0]
        return
    descriptor = parameter(key, model.threshold_name)
    assert isinstance(descriptor, Real)
    below = figure * (1 - 1e-9)
    for limit, met in ((figure, True), (min(1.0, figure * 2), True), (below, figure == 0)):
        if descriptor.minimum <= limit <= descriptor.maximum:
            assert bool(model.with_limit(limit).holds(table, one)[0]) is met


@of_every_model
def test_its_key_and_parameters_are_those_of_saved_recipes(key: str) -> None:
    saved = tomllib.loads((SAVED / "recipes" / f"privacy-{key}.toml").read_text(encoding="utf-8"))
    written = [list(entry)[1:] for entry in saved["privacy"] if entry["model"] == key]
    declared = [descriptor.name for descriptor in describe(privacy_models[key])]
    assert written
    for promised in written:  # later versions may add parameters
        assert [name for name in declared if name in promised] == promised


@of_every_model
def test_written_files_can_be_verified_for_it(key: str) -> None:
    claim = ModelClaim(key, values_of(made(key)))
    judged = model_of(claim, ["s0"], pd.DataFrame({"s0": [0]}), {})
    assert judged.key == key
    assert judged.threshold == Fraction(str(made(key).limit))
