"""What is said of a classifier is true also where the input predicts nothing, or the release no more."""

from __future__ import annotations

import pytest

from engine.findings.sample import Sample
from engine.findings.utility.classification import ClassificationFound, ModelFigures


def model(*by_fold: float) -> ModelFigures:
    accuracy = sum(by_fold) / len(by_fold)
    return ModelFigures(accuracy, 0.0, 0.5, by_fold)


def found(baseline: ModelFigures, original: ModelFigures, released: ModelFigures) -> ClassificationFound:
    features = ("age", "town")
    return ClassificationFound(
        "illness", features, "naive_bayes", baseline, original, released, (), 3, 900, 0, Sample(900, 900, 0)
    )


BASELINE = model(0.50, 0.50, 0.50)


@pytest.mark.parametrize(
    "original", [(0.50, 0.50, 0.50), (0.48, 0.49, 0.50), (0.46, 0.56, 0.49), (0.50, 0.50, 0.505)]
)
@pytest.mark.parametrize("released", [(0.42, 0.43, 0.44), (0.50, 0.50, 0.50), (0.60, 0.60, 0.60)])
def test_where_the_input_predicts_nothing_that_is_said(
    original: tuple[float, ...], released: tuple[float, ...]
) -> None:
    result = found(BASELINE, model(*original), model(*released))
    assert result.relative_accuracy is None
    words = result.statement().sentence
    assert words.startswith("The input does not predict 'illness'")
    assert "keeps" not in words


def test_a_release_worse_than_the_baseline_keeps_nothing_and_not_less() -> None:
    result = found(BASELINE, model(0.70, 0.71, 0.69), model(0.42, 0.43, 0.41))
    assert result.relative_accuracy == 0
    assert (
        result.statement().sentence
        == "The release retains 0\u202f% of the input's predictive accuracy for 'illness'."
    )


def test_what_a_release_keeps_of_a_clear_gain_is_its_share() -> None:
    result = found(BASELINE, model(0.70, 0.71, 0.69), model(0.60, 0.60, 0.60))
    assert result.relative_accuracy == pytest.approx(0.5)
    assert result.statement().sentence.startswith("The release retains 50")
