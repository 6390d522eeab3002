"""Metrics of 48 nodes of Adult at k = 5, as ARX scores them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.scoring import Evaluation, score_lattice
from engine.scoring.evaluate import evaluate
from engine.utility.by_attribute import aggregated
from engine.utility.entropy_loss import EntropyLoss
from engine.utility.height import Height
from engine.utility.normalized_entropy import NormalizedEntropy
from engine.utility.payout import Payout
from tests.adult import ARX_COLUMNS, arx_project

FOUND = Path(__file__).parents[2] / "data" / "arx" / "node_metrics_k5.json"
NODES: list[dict[str, Any]] = json.loads(FOUND.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def adult() -> Evaluation:
    return evaluate(
        score_lattice(compile_problem(arx_project(ARX_COLUMNS))), Requirement((KAnonymity(5),), 1.0)
    )


@pytest.fixture(scope="module")
def numbers(adult: Evaluation) -> list[int]:
    """The nodes in the order of the file."""
    lattice, names = adult.problem.lattice, [a.name for a in adult.problem.attributes]
    return [lattice.number(tuple(entry["node"][name] for name in names)) for entry in NODES]


def test_height_and_suppressed_records_are_those_of_arx(adult: Evaluation, numbers: list[int]) -> None:
    assert len(NODES) == 48
    assert adult.suppressed[numbers].tolist() == [entry["suppressed"] for entry in NODES]
    assert adult.metric("height")[numbers].tolist() == [entry["height"] for entry in NODES]
    assert Height().normalized(adult)[numbers] == pytest.approx([entry["height"] / 18 for entry in NODES])


def test_normalized_entropy_is_that_of_arx_by_column_in_sum_and_mean(
    adult: Evaluation, numbers: list[int]
) -> None:
    names = [a.name for a in adult.problem.attributes]
    by_column = NormalizedEntropy().by_attribute(adult)[numbers]
    wanted = [[entry["normalized_entropy_by_column"][name] for name in names] for entry in NODES]
    assert by_column == pytest.approx(np.array(wanted), rel=1e-12)
    for aggregate, key in (("sum", "normalized_entropy_sum"), ("arithmetic_mean", "normalized_entropy_mean")):
        natural = NormalizedEntropy(aggregate=aggregate).natural(adult)[numbers]
        assert natural == pytest.approx([entry[key] for entry in NODES], rel=1e-12)


def test_entropy_based_loss_and_payout_are_those_of_arx(adult: Evaluation, numbers: list[int]) -> None:
    n_records = adult.problem.n_records
    lost = EntropyLoss().natural(adult)[numbers] * n_records
    assert lost == pytest.approx([entry["entropy_based_loss"] for entry in NODES], rel=1e-12)
    for key in ("1200,300,300,4", "100,1000,1000,10"):
        payout = Payout(*map(float, key.split(",")))
        scores, totals = payout.natural(adult)[numbers], payout.total(adult)[numbers]
        assert scores == pytest.approx([entry["arx_payout_score"][key] for entry in NODES], rel=1e-12)
        assert totals == pytest.approx([entry["payout"][key] for entry in NODES], rel=1e-9, abs=1e-6)


def test_weights_of_entropy_based_loss_multiply_the_bits_of_a_column(
    adult: Evaluation, numbers: list[int]
) -> None:
    weights, n_records = np.zeros(len(ARX_COLUMNS)), adult.problem.n_records
    weights[[1, 4]] = 1.0, 2.0
    parts = []
    for q in (1, 4):
        alone = np.zeros(len(weights))
        alone[q] = 1.0
        lost = EntropyLoss().natural(adult, alone)[numbers] * n_records - adult.suppressed[numbers]
        parts.append(lost * np.log(adult.problem.attributes[q].hierarchy.n_leaves) * weights[q])
    whole = sum(
        weights[q] * np.log(attribute.hierarchy.n_leaves)
        for q, attribute in enumerate(adult.problem.attributes)
    )
    expected = (sum(parts) / whole + adult.suppressed[numbers]) / n_records
    assert EntropyLoss().natural(adult, weights)[numbers] == pytest.approx(expected, rel=1e-12)


def test_weights_multiply_the_part_of_a_column(adult: Evaluation, numbers: list[int]) -> None:
    weights = np.arange(len(ARX_COLUMNS), dtype=np.float64)
    for metric in (Height(), NormalizedEntropy()):
        parts = metric.by_attribute(adult)[numbers]
        expected = aggregated(
            metric.aggregate, enumerate(parts.T.copy()), len(numbers), len(weights), weights
        )
        assert metric.natural(adult, weights)[numbers] == pytest.approx(expected, rel=1e-12)
