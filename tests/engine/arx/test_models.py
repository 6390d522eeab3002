"""Every privacy model and utility measure of ARX 3.9, in the words of its project files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from engine.arx.models import arx_words
from engine.arx.reading import read_arx
from engine.privacy import privacy_models
from engine.project.storage.opened_project import OpenedProject
from engine.utility.base import utility_metrics
from tests.arx_projects import (
    Enum,
    Object,
    arx_project,
    configuration,
    java_map,
    java_number,
    measure_object,
)

OF = " for attribute 'illness'"
MODELS: list[tuple[str, list[tuple[str, dict[str, Any]]]]] = [
    ("5-anonymity", [("k_anonymity", {"k": 5})]),
    ("(7)-map", [("k_map", {"k": 7, "estimator": "table"})]),
    (f"distinct-3-diversity{OF}", [("distinct_l_diversity", {"l": 3, "column": "illness"})]),
    (f"entropy-2.0-diversity{OF}", [("entropy_l_diversity", {"l": 2.0, "estimator": "shannon"})]),
    (f"shannon-entropy-2.5-diversity{OF}", [("entropy_l_diversity", {"l": 2.5, "estimator": "shannon"})]),
    (
        f"grassberger-entropy-2.5-diversity{OF}",
        [("entropy_l_diversity", {"l": 2.5, "estimator": "grassberger"})],
    ),
    (f"recursive-(0.5,3)-diversity{OF}", [("recursive_c_l_diversity", {"c": 0.5, "l": 3})]),
    (f"0.2-closeness with equal distance{OF}", [("t_closeness", {"t": 0.2, "distance": "equal"})]),
    (f"0.2-closeness with ordered distance{OF}", [("t_closeness", {"t": 0.2, "distance": "ordered"})]),
    (
        f"0.2-closeness with hierarchical distance{OF}",
        [("t_closeness", {"t": 0.2, "distance": "hierarchical"})],
    ),
    (f"1.0-disclosure privacy{OF}", [("delta_disclosure", {"delta": math.log(2)})]),
    (f"1.5-basic likeness{OF}", [("basic_beta_likeness", {"beta": 1.5})]),
    (f"enhanced-1.5-likeness{OF}", [("enhanced_beta_likeness", {"beta": 1.5})]),
    ("(0.1,0.4)-presence", [("delta_presence", {"minimum": 0.1, "maximum": 0.4})]),
    ("(0.15)-avg-reidentification-risk", [("average_risk", {"threshold": 0.15})]),
    (
        "(0.15, 0.2, 0.05)-avg-reidentification-risk",
        [("average_risk", {"threshold": 0.15}), ("records_at_risk", {"threshold": 0.2, "share": 0.05})],
    ),
    ("(0.01)-sample-uniqueness", [("sample_uniqueness", {"threshold": 0.01})]),
    *(
        (
            f"(0.01)-population-uniqueness ({estimator})",
            [("population_uniqueness", {"threshold": 0.01, "estimator": estimator})],
        )
        for estimator in ("dankar", "pitman", "zayatz", "snb")
    ),
    (
        "profitability (prosecutor)[benefit=1200.0, loss=300.0, gain=200.0, cost=4.0]",
        [("profitability", {"benefit": 1200, "loss": 300, "gain": 200, "cost": 4, "attacker": "prosecutor"})],
    ),
    (
        "no-attack-profitability (journalist)[benefit=1200.0, loss=300.0, gain=200.0, cost=4.0]",
        [("profitability_no_attack", {"gain": 200, "cost": 4, "attacker": "journalist"})],
    ),
    ("(2.0,1.0E-6)-DP", [("differential_privacy", {"epsilon": 2.0, "delta": 1e-6})]),
]
MEASURES: list[tuple[str, str, dict[str, Any]]] = [
    ("Loss (0.25/1.0/0.5)", "loss", {"coding": 0.25}),
    ("Non-monotonic precision", "precision", {}),
    ("Monotonic precision", "precision", {}),
    ("Non-monotonic non-uniform entropy", "non_uniform_entropy", {}),
    ("Non-uniform entropy", "non_uniform_entropy", {}),
    ("Normalized non-uniform entropy", "normalized_entropy", {}),
    ("Height", "height", {}),
    ("Non-monotonic discernability", "discernibility", {}),
    ("Monotonic discernability (DM*)", "discernibility", {}),
    ("Average equivalence class size", "aecs", {}),
    ("Ambiguity", "ambiguity", {}),
    ("KL-Divergence", "kl_divergence", {}),
    ("EntropyBasedInformationLoss", "entropy_loss", {}),
    ("PublisherBenefit (Journalist, Benefit=1200.0)", "payout", {"attacker": "journalist"}),
    ("Classification accuracy", "classification", {}),
]


def opened(folder: Path, **settings: Any) -> OpenedProject:
    return read_arx(arx_project(folder, **settings))


@pytest.mark.parametrize(("words", "expected"), MODELS, ids=[words for words, _unused in MODELS])
def test_a_privacy_model_keeps_its_parameters(
    tmp_path: Path, words: str, expected: list[tuple[str, dict[str, Any]]]
) -> None:
    found = opened(tmp_path, models=(words,))
    models = found.project.requirement.models
    assert [model.key for model in models] == [key for key, _unused in expected]
    for model, (_unused, parameters) in zip(models, expected, strict=True):
        assert {name: getattr(model, name) for name in parameters} == parameters
    lost = [loss.why for loss in found.losses if loss.what.startswith("Privacy model")]
    assert all("suppresses no records" in why for why in lost)
    assert len(lost) == sum(model.is_table_wide for model in models)


def test_every_model_that_arx_has_is_in_the_table() -> None:
    not_in_arx = {"alpha_k_anonymity", "any_columns", "highest_risk", "individual_risk", "known_columns"}
    read = {key for _unused, models in MODELS for key, _parameters in models}
    assert read | not_in_arx == set(privacy_models)


@pytest.mark.parametrize(
    "words",
    [
        words
        for words, models in MODELS
        if len(models) == 1 and not words.startswith(("entropy", "no-attack"))
    ],
)
def test_the_words_of_a_model_are_those_of_arx(tmp_path: Path, words: str) -> None:
    (model,) = opened(tmp_path, models=(words,)).project.requirement.models
    again = opened(tmp_path, models=(arx_words(model),)).project.requirement.models
    assert repr(again) == repr((model,)).replace(repr(math.log(2)), repr(getattr(again[0], "delta", "")))


@pytest.mark.parametrize(
    "words",
    ["x-anonymity", "0-anonymity", "9-unknown", "0.2-closeness with cosine distance" + OF, "(2,1)-DP x"],
)
def test_a_model_that_is_unknown_or_out_of_bounds_is_listed_and_nothing_is_guessed(
    tmp_path: Path, words: str
) -> None:
    found = opened(tmp_path, models=("2-anonymity", words))
    assert [model.key for model in found.project.requirement.models] == ["k_anonymity"]
    assert found.losses[0].what == f"Privacy model “{words}”"
    assert "less is required than in ARX" in found.losses[0].hint


def test_a_model_of_a_column_that_is_not_sensitive_is_listed(tmp_path: Path) -> None:
    found = opened(tmp_path, models=("distinct-2-diversity for attribute 'visits'",))
    assert not found.project.requirement.models
    assert "visits" in found.losses[0].what


def test_a_column_with_quotation_marks_in_its_name_is_found(tmp_path: Path) -> None:
    words = "distinct-2-diversity for attribute 'it's & <so> \"on\"'"
    found = opened(tmp_path, models=(words,))
    assert "it's & <so>" in found.losses[0].what  # there is no such column, but its name was read


@pytest.mark.parametrize("is_stored", [True, False])
def test_an_estimated_k_map_takes_its_significance_from_the_java_objects(
    tmp_path: Path, is_stored: bool
) -> None:
    stored = Object("org.deidentifier.arx.criteria.KMap", {"k": 5, "significanceLevel": 0.05})
    found = opened(
        tmp_path,
        models=("(5)-map estimated as (3)-anonymity (POISSON)",),
        config=configuration([stored] if is_stored else []),
    )
    (model,) = found.project.requirement.models
    assert (model.key, model.estimator) == ("k_map", "poisson")  # type: ignore[attr-defined]
    assert model.significance == (0.05 if is_stored else 0.01)  # type: ignore[attr-defined]
    listed = [loss.what for loss in found.losses]
    assert ("Significance of k-map" in listed) is not is_stored
    assert ": 3." in next(loss.hint for loss in found.losses if loss.what == "Estimate of k-map")


@pytest.mark.parametrize(
    ("scheme", "node", "lost"),
    [
        ({"degree": Enum("Degree", "LOW_MEDIUM")}, "low_medium", None),
        (
            {"degree": None, "levels": java_map({"age": java_number(1)})},
            "chosen",
            "Node of differential privacy",
        ),
        (None, "chosen", "Budget of the search"),
    ],
)
def test_differential_privacy_takes_its_node_from_the_java_objects(
    tmp_path: Path, scheme: dict[str, Any] | None, node: str, lost: str | None
) -> None:
    made = None if scheme is None else Object("org.deidentifier.arx.DataGeneralizationScheme", scheme)
    stored = Object("org.deidentifier.arx.criteria.EDDifferentialPrivacy", {"generalization": made})
    found = opened(tmp_path, models=("(2.0,1.0E-6)-DP",), config=configuration([stored]))
    (model,) = found.project.requirement.models
    assert model.node == node  # type: ignore[attr-defined]
    listed = [loss.what for loss in found.losses]
    assert lost in listed if lost else "Node of differential privacy" not in listed


@pytest.mark.parametrize(("words", "key", "options"), MEASURES, ids=[words for words, *_unused in MEASURES])
def test_a_measure_is_taken_over(tmp_path: Path, words: str, key: str, options: dict[str, Any]) -> None:
    found = opened(tmp_path, measure=words)
    assert found.project.search.metric == key
    found_options = dict(found.project.search.metric_options)
    found_options.pop("aggregate", None)
    assert found_options == options
    is_ignoring = words in ("Monotonic precision", "Non-uniform entropy", "Monotonic discernability (DM*)")
    assert ("Monotonic variant of the measure" in [loss.what for loss in found.losses]) is is_ignoring


def test_every_measure_that_arx_has_is_in_the_table() -> None:
    assert {key for _unused, key, _options in MEASURES} | {"gen_iloss", "c_avg"} == set(utility_metrics)


@pytest.mark.parametrize(
    ("constant", "aggregate"),
    [
        ("SUM", "sum"),
        ("MAXIMUM", "maximum"),
        ("ARITHMETIC_MEAN", "arithmetic_mean"),
        ("GEOMETRIC_MEAN", None),  # the default
        ("RANK", "rank"),
    ],
)
def test_aggregate_and_coding_model_come_from_the_java_objects(
    tmp_path: Path, constant: str, aggregate: str | None
) -> None:
    config = configuration(measure=measure_object("MetricMDNMLoss", constant, 0.25))
    found = opened(tmp_path, measure="Loss (0.25/1.0/0.5)", config=config)
    expected = {"coding": 0.25} | ({} if aggregate is None else {"aggregate": aggregate})
    assert dict(found.project.search.metric_options) == expected


def test_the_coding_model_of_a_measure_without_it_in_words_is_found(tmp_path: Path) -> None:
    config = configuration(measure=measure_object("MetricSDAECS", "", 0.75))
    found = opened(tmp_path, measure="Average equivalence class size", config=config)
    assert dict(found.project.search.metric_options) == {"coding": 0.75}


def test_an_unknown_measure_is_listed(tmp_path: Path) -> None:
    found = opened(tmp_path, measure="Sum of squares")
    assert found.project.search.metric == "loss"
    assert found.losses[0].what == "Utility measure “Sum of squares”"


@pytest.mark.parametrize(
    ("constant", "weights", "kept"),
    [
        ("SUM", {"age": 1.0, "sex": 0.25}, {"age": 1.0, "sex": 0.25}),
        ("SUM", {"age": 0.5, "sex": 0.5, "visits": 1.0}, {}),
        ("SUM", {"age": 1.0}, {"age": 1.0, "sex": 0.5}),
        ("GEOMETRIC_MEAN", {"age": 1.0, "sex": 0.25}, {}),
    ],
)
def test_weights_are_taken_over_if_they_matter_in_arx(
    tmp_path: Path, constant: str, weights: dict[str, float], kept: dict[str, float]
) -> None:
    config = configuration(measure=measure_object("MetricMDNMLoss", constant, 0.5))
    found = opened(tmp_path, weights=weights, config=config)
    assert dict(found.project.search.weights) == kept
    is_left_out = constant == "GEOMETRIC_MEAN"
    assert ("Weights of the columns" in [loss.what for loss in found.losses]) is is_left_out
