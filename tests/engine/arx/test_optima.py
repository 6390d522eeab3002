"""Adult as an ARX project comes out with the optimum and the score that ARX computed for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.arx.measures import as_in_arx
from engine.arx.reading import read_arx
from engine.pipeline import evaluate_node, search
from engine.project import Project
from engine.project.compile import compile_problem
from tests.adult import ARX_COLUMNS, TABLES
from tests.arx_projects import (
    QI,
    SENSITIVE,
    Column,
    Object,
    arx_project,
    configuration,
    java_number,
    java_rows,
    measure_object,
)

FOLDER = TABLES / "hierarchies" / "adult_arx"
OPTIMA: list[dict[str, Any]] = json.loads((TABLES.parent / "arx" / "optima.json").read_text(encoding="utf-8"))
CHOSEN = [entry for entry in OPTIMA if entry["sensitive"] or entry["metric"] != "loss"]
MEASURES = {
    "loss": (
        "Loss (0.5/1.0/1.0)",
        measure_object("MetricMDNMLossPotentiallyPrecomputed", "GEOMETRIC_MEAN", 0.5),
    ),
    "dm": ("Non-monotonic discernability", measure_object("MetricSDNMDiscernability")),
    "precision": ("Non-monotonic precision", measure_object("MetricMDNMPrecision", "ARITHMETIC_MEAN", 0.5)),
}


@pytest.mark.parametrize("expected", CHOSEN, ids=[entry["config"] for entry in CHOSEN])
def test_the_optimum_is_that_of_arx(tmp_path: Path, expected: dict[str, Any]) -> None:
    sensitive = expected["sensitive"]
    models = [f"{expected['k']}-anonymity"]
    if expected["l_distinct"]:
        models.append(f"distinct-{expected['l_distinct']}-diversity for attribute '{sensitive}'")
    if expected["t_equal"]:
        models.append(f"{expected['t_equal']}-closeness with equal distance for attribute '{sensitive}'")
    words, measure = MEASURES[expected["metric"]]
    project = read_arx(
        arx_project(
            tmp_path,
            table=(TABLES / "adult_arx.csv").read_text(encoding="utf-8"),
            columns=[Column(name, SENSITIVE if name == sensitive else QI) for name in ARX_COLUMNS],
            hierarchies={
                name: (FOLDER / f"adult_hierarchy_{name}.csv").read_text(encoding="utf-8")
                for name in expected["optimum"]
            },
            models=models,
            measure=words,
            limit=expected["suppression_limit"],
            weights=dict.fromkeys(ARX_COLUMNS, 0.5),
            config=configuration(measure=measure),
        )
    ).project
    result = search(project, compile_problem(project))
    assert dict(zip(project.quasi_identifying, result.node or (), strict=True)) == expected["optimum"]


PAYING: list[dict[str, Any]] = json.loads(
    (TABLES.parent / "second" / "cost_benefit.json").read_text(encoding="utf-8")
)
N_RECORDS = 30_162
SUMS = {
    "publisherBenefit": "publisher_benefit",
    "publisherLoss": "publisher_loss",
    "adversaryGain": "adversary_gain",
    "adversaryCost": "adversary_cost",
}
PAID = {
    "payout (prosecutor)": ("PublisherBenefit (Prosecutor, Benefit=1200.0)", "MetricSDNMPublisherPayout"),
    "payout (journalist)": ("PublisherBenefit (Journalist, Benefit=1200.0)", "MetricSDNMPublisherPayout"),
    "entropy_based": ("EntropyBasedInformationLoss", "MetricSDNMEntropyBasedInformationLoss"),
}
FEW = ("jn_default_every3",)  # no attack, journalist, sample; the others are run with --all


def adult(folder: Path, **settings: Any) -> Project:
    return read_arx(
        arx_project(
            folder,
            table=(TABLES / "adult_arx.csv").read_text(encoding="utf-8"),
            columns=[Column(name, QI) for name in ARX_COLUMNS],
            hierarchies={
                name: (FOLDER / f"adult_hierarchy_{name}.csv").read_text(encoding="utf-8")
                for name in ARX_COLUMNS
            },
            **settings,
        )
    ).project


@pytest.mark.parametrize(
    "expected",
    [
        pytest.param(entry, marks=() if entry["name"] in FEW else pytest.mark.thorough, id=entry["name"])
        for entry in PAYING
    ],
)
def test_the_optimum_of_costs_and_benefits_is_that_of_arx(tmp_path: Path, expected: dict[str, Any]) -> None:
    """Sums of money, sample and measure are taken over, also those that only Java's objects state."""
    words, kind = PAID.get(expected["metric"], (MEASURES["loss"][0], ""))
    measure = measure_object(kind, coding=0.5) if kind else MEASURES["loss"][1]
    attacker, _unused, is_safe = expected["model"].partition("_")
    sums = {name: java_number(float(expected[key])) for name, key in SUMS.items()}
    costs = Object("org.deidentifier.arx.ARXCostBenefitConfiguration", sums)
    model = f"{'no-attack-' if is_safe else ''}profitability ({attacker})"
    step = expected["sample_every"]
    config = configuration(
        measure=measure,
        costBenefitConfiguration=costs,
        run={"costBenefitConfiguration": costs},
        **({"researchSubset": java_rows(range(0, N_RECORDS, step), N_RECORDS)} if step else {}),
    )
    project = adult(
        tmp_path,
        models=(model, "Inclusion") if step else (model,),
        measure=words,
        limit=expected["suppression_limit"],
        config=config,
    )
    assert project.records.n_records == expected["released_records"]
    problem = compile_problem(project)
    result = search(project, problem)
    assert dict(zip(project.quasi_identifying, result.node or (), strict=True)) == expected["optimum"]
    found = evaluate_node(project, problem, result.node or ())
    assert int(found.suppressed[0]) == expected["suppressed"]
    if "payout" in expected["metric"]:
        assert float(found.metric("payout")[0]) == pytest.approx(expected["arx_score"], rel=1e-8)


OTHER_NODES: list[dict[str, Any]] = json.loads(
    (TABLES.parent / "arx" / "node_metrics_k5.json").read_text(encoding="utf-8")
)
NODES: list[dict[str, Any]] = json.loads(
    (TABLES.parent / "arx" / "nodes_k5.json").read_text(encoding="utf-8")
)


def more(*values: str) -> Any:
    return pytest.param(*values, marks=pytest.mark.thorough)


@pytest.mark.parametrize(
    ("words", "aggregate", "key"),
    [
        more("Loss (0.5/1.0/1.0)", "GEOMETRIC_MEAN", "loss"),
        more("Average equivalence class size", "", "aecs"),
        more("Non-monotonic discernability", "", "dm"),
        more("Non-monotonic precision", "ARITHMETIC_MEAN", "precision"),
        more("Non-monotonic non-uniform entropy", "SUM", "entropy"),
        more("Height", "SUM", "height"),
        more("Normalized non-uniform entropy", "SUM", "normalized_entropy_sum"),
        ("Normalized non-uniform entropy", "ARITHMETIC_MEAN", "normalized_entropy_mean"),
        ("EntropyBasedInformationLoss", "", "entropy_based_loss"),
    ],
)
def test_the_scores_of_a_measure_are_those_of_arx(
    tmp_path: Path, words: str, aggregate: str, key: str
) -> None:
    project = adult(
        tmp_path,
        models=("5-anonymity",),
        measure=words,
        limit=1.0,
        config=configuration(measure=measure_object("Metric", aggregate, 0.5)),
    )
    problem = compile_problem(project)
    wanted = [(entry["node"], entry[key]) for entry in OTHER_NODES if key in entry]
    wanted += [(entry["node"], entry["s100"][key]) for entry in NODES if key in entry["s100"]]
    for node, score in wanted[5:15:3]:
        evaluation = evaluate_node(project, problem, tuple(node[name] for name in problem.names))
        found = as_in_arx(float(evaluation.metric(project.search.metric)[0]), project, {})
        assert found == pytest.approx(score, rel=1e-9), node
