"""One rule for ties: a table meets every value that the program prints for it, in the written file too."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import RequirementNotMetError
from engine.findings.model_check import check
from engine.findings.subject import Subject
from engine.monitor import SILENT
from engine.params import Integer, Real, describe
from engine.pipeline import Outcome, anonymize, export_release, summary
from engine.privacy import Group, PrivacyModel, Relation, Requirement, privacy_models
from engine.project import Project
from engine.project.compile import compile_problem
from engine.records import Kind
from engine.report import ReportContent, ReportedRelease, ReportSettings, SearchFacts, Verification
from engine.report.content import Section
from engine.report.content_builder import rendered
from engine.report.order import SECTIONS
from engine.scoring import LatticeProfile
from engine.scoring.nodes.inspection import inspect_node
from engine.verification import Verdict
from tests.contracts.populated import project_for
from tests.contracts.uncommon import made, variants
from tests.engine.report.reports import DATE
from tests.strategies import Attributes, Case, two

# Without differential privacy, since no value of a table is its epsilon.
MODELS = {key: kind for key, kind in privacy_models.items() if kind.group is not Group.SAMPLING}
EXCEEDING = {"profitability": 2e-10}  # relative, of models whose threshold must exceed the printed value
WITH_TOLERANCE = (
    "entropy_l_diversity",
    "delta_disclosure",
    "k_map",
    "individual_risk",
    "population_uniqueness",
    *EXCEEDING,
)


def tied_case(source: random.Random) -> Case:
    """Return a case with few values and many class sizes, so that shares are odd fractions; one node only."""
    n_records, level = source.randint(4, 60), source.randint(0, 1)
    groups = [f"g{i}" for i in range(source.randint(1, 4))]
    rows = tuple((group, f"{group[0]}{int(group[1]) // 2} and more", "*") for group in groups)
    qi = Attributes("q0", tuple(source.choices(groups, k=n_records)), Kind.TEXT, rows, level, level)
    values = [str(i) for i in range(11, 11 + source.randint(2, 5))]
    tree = tuple((value, f"half {int(value) // 2}", "*") for value in values)
    often = [source.random() + 0.1 for _ in values]
    sensitive = Attributes("s0", tuple(source.choices(values, often, k=n_records)), Kind.INTEGER, tree)
    other = Attributes("s1", tuple(source.choices(["a", "b"], [9, 1], k=n_records)))
    return Case((qi,), (sensitive, other))


def released(project: Project, model: PrivacyModel | None, path: Path) -> Outcome:
    """Return the release of the only node, with every record, verified by its file."""
    requirement = Requirement(() if model is None else (model,), 0.0)
    project = replace(project, requirement=requirement)
    outcome = anonymize(project)
    verdict = export_release(project, outcome.release, path)
    assert verdict.ok, verdict.problems
    assert outcome.release.n_suppressed == 0
    return outcome


def printed(project: Project, model: PrivacyModel, path: Path) -> Iterator[tuple[PrivacyModel, float]]:
    """Return what window, summary and check print for a release without a requirement."""
    outcome = released(project, None, path)
    node = outcome.release.node
    assert node is not None
    problem = compile_problem(replace(project, requirement=Requirement((model,), 0.0)))
    profile = LatticeProfile(problem)
    worst = inspect_node(profile, node, Requirement((model,), 0.0)).models[0].worst
    yield model, worst
    if model.needs_people:
        return
    if model == made(model.key, {}):  # a report measures with the default options only
        yield from reported(project, outcome, model, path)
    distance = getattr(model, "distance", None)
    if model.key == "t_closeness" and distance is None:
        yield model, json.loads(json.dumps(summary(project, outcome, verified=True)))["t"]["s0"]
    if distance == "hierarchical" or getattr(model, "estimator", "shannon") != "shannon":
        return
    report = check(
        path,
        ["q0"],
        ["s0", "s1"],
        others_as_qi=project.others_as_qi,
        distances={"s0": distance} if distance else None,
    )
    found = json.loads(json.dumps(report.as_dict()))
    said = found["by_attribute"]["s0"].get(model.key) or found.get(model.key)
    if said is not None and isinstance(said[model.threshold_name], (int, float)):
        turned = made(model.key, {name: said[name] for name in model.reported})
        yield turned, said[model.threshold_name]


def reported(
    project: Project, outcome: Outcome, model: PrivacyModel, path: Path
) -> Iterator[tuple[PrivacyModel, float]]:
    """Return the JSON of a report on the release, with the further parameters used."""
    material = ReportedRelease(
        Subject(project, outcome.release),
        ReportSettings(),
        SearchFacts.of_outcome(outcome),
        Verification.of(path, Verdict(True, (), {})),
        path.parent,
    )
    kinds = {kind.key: kind for kind in SECTIONS}
    sections = tuple(Section(k, "", tuple(kinds[k].blocks(material, SILENT))) for k in ("models", "summary"))
    content = ReportContent("", "", material.settings, DATE, "", sections)
    models, summarized = json.loads(rendered(content, ".json"))["sections"]
    (table,) = (block for block in models["blocks"] if "rows" in block)
    place = [column["key"] for column in table["columns"]].index("after")
    values = {tuple(row[:2]): row[place] for row in table["rows"]}
    for measured in material.models_of("after"):
        value = values[measured.kind.title, measured.column]
        if measured.key == model.key and measured.column in ("s0", "") and isinstance(value, (int, float)):
            yield made(model.key, measured.reported), value
    facts = {fact["key"]: fact["value"] for block in summarized["blocks"] for fact in block.get("facts", ())}
    said = {"k_anonymity": "k", "distinct_l_diversity": "l.s0", "t_closeness": "t.s0"}.get(model.key)
    if said and getattr(model, "distance", None) is None:
        yield model, facts[said]


def turned(model: PrivacyModel, value: float) -> PrivacyModel | None:
    """Return the model with a printed value as its threshold; None if that is not a valid threshold."""
    if model.relation is Relation.BELOW:  # the printed value is the bound that the threshold must exceed
        value = math.nextafter(value * (1 + EXCEEDING.get(model.key, 0.0)), math.inf)
    parameter = next(d for d in describe(type(model)) if d.name == model.threshold_name)
    assert isinstance(parameter, (Integer, Real))
    if not math.isfinite(value) or not parameter.minimum <= value <= parameter.maximum:
        return None
    return model.with_limit(int(value) if isinstance(parameter, Integer) else float(value))


@pytest.mark.parametrize(("key", "values"), list(variants(MODELS)))
def test_a_table_meets_every_value_that_the_program_prints_for_it(key: str, values: dict[str, Any]) -> None:
    model = made(key, values)

    @two
    @given(seed=st.integers(0, 2**32), others_as_qi=st.booleans())
    def hold(seed: int, others_as_qi: bool) -> None:
        source = random.Random(seed)
        project = replace(project_for(tied_case(source), model, source), others_as_qi=others_as_qi)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "out.csv"
            for measured, value in printed(project, model, path):
                typed = turned(measured, value)
                if typed is not None:
                    released(project, typed, path)
                    stricter = _stricter(typed)
                    if stricter is not None:
                        with pytest.raises(RequirementNotMetError):
                            released(project, stricter, path)

    hold()


def _stricter(model: PrivacyModel) -> PrivacyModel | None:
    """Return the model with the next threshold that a table at its own fails; None within a tolerance."""
    at_least = model.relation is Relation.AT_LEAST
    if model.key in WITH_TOLERANCE:
        return None
    if model.relation is Relation.BELOW:  # the value itself fails
        return model.with_limit(math.nextafter(model.limit, 0.0)) if model.limit > 0.001 else None
    parameter = next(d for d in describe(type(model)) if d.name == model.threshold_name)
    if isinstance(parameter, Integer):
        following = model.limit + 1 if at_least else model.limit - 1
        return model.with_limit(following) if following >= parameter.minimum else None
    below = math.nextafter(model.limit, math.inf if at_least else 0.0)
    return model.with_limit(below) if parameter.minimum <= below < model.limit else None
