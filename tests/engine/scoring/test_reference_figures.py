"""The engine against values of other programs and papers: ARX on Adult, anjana's lattices, a thesis."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import builders
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.project import AttributeHierarchy
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.records.opening.files import read_table
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from tests.adult import ARX_COLUMNS, TABLES, anjana_profile, arx_profile, text_project

DATA = Path(__file__).parents[2] / "data"
ARX_METRICS = {
    "loss": "loss",
    "precision": "precision",
    "entropy": "non_uniform_entropy",
    "aecs": "aecs",
    "dm": "discernibility",
}
TOP = (1, 4, 1, 2, 3, 2, 2, 2, 1)


def figures(name: str) -> Any:
    return json.loads((DATA / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("limit", "key"),
    [
        (0.05, "s5"),
        pytest.param(0.0, "s0", marks=pytest.mark.thorough),
        pytest.param(1.0, "s100", marks=pytest.mark.thorough),
    ],
)
def test_eighty_nodes_of_adult_have_the_counts_and_scores_that_arx_gives(limit: float, key: str) -> None:
    profile = arx_profile()
    evaluation = evaluate(profile, Requirement((KAnonymity(5),), limit))
    metrics = {theirs: evaluation.metric(ours) for theirs, ours in ARX_METRICS.items()}
    entries = figures("arx/nodes_k5.json")
    assert len(entries) == 80
    for entry in entries:
        node = tuple(entry["node"][name] for name in ARX_COLUMNS)
        number, theirs = profile.lattice.number(node), entry[key]
        assert bool(evaluation.satisfies[number]) is (theirs["anonymity"] == "ANONYMOUS"), node
        for name, values in metrics.items():
            assert values[number] == pytest.approx(theirs[name], rel=1e-9), (node, name)
        # ARX reports a class whose cells are all the root as suppressed once a limit above 0 is set; its
        # scores and its result for the top node ignore that, and so do our counts.
        output = theirs["output"]
        if node == TOP and limit > 0:
            assert (output["suppressed_rows"], output["classes"]) == (30162, 0)
            output = {"suppressed_rows": 0, "classes": 1, "min_class": 30162}
        assert evaluation.suppressed[number] == output["suppressed_rows"], node
        assert evaluation.kept_classes[number] == output["classes"], node
        assert evaluation.kept_k[number] == output["min_class"], node


@pytest.mark.parametrize("entry", figures("arx/optima.json"), ids=lambda entry: entry["config"])
def test_the_optimum_has_the_value_and_the_suppressed_records_that_arx_finds(entry: dict[str, Any]) -> None:
    sensitive = entry["sensitive"] or ""
    profile = arx_profile(tuple(name for name in ARX_COLUMNS if name != sensitive), sensitive)
    models: list[PrivacyModel] = [KAnonymity(entry["k"])]
    if entry["l_distinct"]:
        models.append(DistinctLDiversity(sensitive, entry["l_distinct"]))
    if entry["t_equal"]:
        models.append(TCloseness(sensitive, entry["t_equal"], "equal"))
    evaluation = evaluate(profile, Requirement(tuple(models), entry["suppression_limit"]))
    metric = {"dm": "discernibility"}.get(entry["metric"], entry["metric"])
    best = evaluation.optimum(metric)
    assert best is not None
    assert evaluation.metric(metric)[best] == pytest.approx(float(entry["loss_lowest"]), rel=1e-9)
    assert evaluation.suppressed[best] == entry["output"]["suppressed_rows"]
    assert evaluation.kept_classes[best] == entry["output"]["classes"]
    assert evaluation.kept_k[best] == entry["output"]["min_class"]
    assert profile.lattice.n_nodes == entry["nodes_total"]
    node = dict(zip(profile.problem.names, profile.lattice.node(best), strict=True))
    assert node == entry["optimum"]


def hospital_profile() -> LatticeProfile:
    project = text_project("hospital_extended.csv", ("age", "gender", "city"), {})
    table, _ = read_table(TABLES / "hospital_extended.csv")
    age = builders.create("intervals", width=5.0, merge=(2,)).build(table.column("age"))
    city = {"Tamil Nadu": "India north", "Karnataka": "India north", "Kerala": "India south"}
    hierarchies = {
        "age": age,
        "gender": Hierarchy.from_rows([(g, "*") for g in project.table.column("gender").labels]),
        "city": Hierarchy.from_rows([(name, region, "*") for name, region in city.items()]),
    }
    entries = frozen({name: AttributeHierarchy(hierarchy) for name, hierarchy in hierarchies.items()})
    return score_lattice(compile_problem(replace(project, hierarchies=entries)))


def published_profile(entry: dict[str, Any]) -> LatticeProfile:
    if entry["dataset"] == "hospital_extended.csv":
        return hospital_profile()
    qi = tuple(entry["qi"])
    return anjana_profile(qi) if entry["hierarchies"].endswith("adult_anjana") else arx_profile(qi)


@pytest.mark.parametrize("entry", figures("published/lattice.json"), ids=lambda entry: entry["id"])
def test_published_lattices_have_the_same_satisfying_and_minimal_nodes(entry: dict[str, Any]) -> None:
    profile = published_profile(entry)
    lattice = profile.lattice
    limit = entry["suppression_percent"] / 100
    evaluation = evaluate(profile, Requirement((KAnonymity(entry["k"]),), limit))
    assert (lattice.maximum, lattice.n_nodes) == (tuple(entry["heights"]), entry["lattice_nodes"])
    assert evaluation.n_satisfying == entry["satisfying_nodes"]
    minimal = np.flatnonzero(evaluation.minimal)
    assert sorted(lattice.node(i) for i in minimal) == sorted(map(tuple, entry["minimal_nodes"]))
    assert lattice.sums[evaluation.satisfies].min() == entry["lowest_height"]
    # their precision ignores suppression, so only the other two are compared
    for ours, theirs in (("discernibility", "best_by_dm"), ("c_avg", "best_by_c_avg")):
        values = np.where(evaluation.satisfies, evaluation.metric(ours), np.inf)
        assert values.min() == pytest.approx(entry[theirs]["value"], rel=1e-12)
        best = {lattice.node(i) for i in np.flatnonzero(values <= values.min() * (1 + 1e-12))}
        assert best == {tuple(node["levels"]) for node in entry[theirs]["nodes"]}
        for node in entry[theirs]["nodes"]:
            number = lattice.number(node["levels"])
            assert evaluation.suppressed[number] == node["suppressed"]
            assert evaluation.kept_classes[number] == node["classes"]
