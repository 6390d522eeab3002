"""Releases under differential privacy: runs of ARX, refusals, files, judge, reports, and the secret."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine.project.subset as drawing
from engine.advice.findings import Finding, Severity
from engine.advice.preflight import preflight
from engine.errors import ExportError, InputError, VerificationError
from engine.findings.subject import Subject
from engine.kernels.arrays import FloatArray
from engine.pipeline import Outcome, anonymize, export_release, judge_file, summary
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.highest_risk import HighestRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project, edits
from engine.project.compile import compile_problem
from engine.project.export_bundle import write_bundle
from engine.project.population import Population
from engine.project.project import frozen
from engine.project.recipe.files import read_recipe, recipe_text, write_recipe
from engine.project.reimport import reimport
from engine.project.run_settings import settings_of, with_settings
from engine.project.storage.file import open_project, save_project
from engine.project.subset import Subset, secret_numbers
from engine.project.trade_off import (
    class_sizes,
    complete_problem,
    expected_records,
    expected_shares,
)
from engine.recoding import recoding_methods
from engine.recoding.aggregation import aggregate_functions
from engine.recoding.rules import column_rules
from engine.records import DataType, Role
from engine.records.values import make_column
from engine.report import ReportedRelease, ReportSettings, SearchFacts, Verification, report_of
from engine.report.content_builder import rendered
from engine.scoring import score_lattice
from engine.verification import subsets
from tests.adult import arx_project

RUNS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "second" / "dp_runs.json").read_text()
)
FEW = ("sex", "age", "race")  # columns of a small lattice
SECRET = "5e" * 32


def small(*models: PrivacyModel, columns: tuple[str, ...] = FEW, others: Role = Role.IDENTIFYING) -> Project:
    """Return Adult with a few quasi-identifying columns under some models, with a fixed secret."""
    project = arx_project(columns)
    roles = {name: project.role(name) if name in columns else others for name in project.table.names}
    return replace(project, roles=frozen(roles), requirement=Requirement(models, 0.0), sampling_key=SECRET)


def stream_of_arx(n_records: int, _key: str = "") -> FloatArray:
    """Return the numbers of ARX's test mode, described in tests/data/second/README.md."""
    state, numbers = (-559038737 ^ 25214903917) % 2**48, []
    for _ in range(n_records):
        parts = []
        for shift in (22, 21):
            state = (25214903917 * state + 11) % 2**48
            parts.append(state >> shift)
        numbers.append((parts[0] * 2**27 + parts[1]) / 2**53)
    return np.array(numbers)


def draw_as_arx(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw as ARX does in its test mode, in the program and in its judge."""
    numbers = stream_of_arx(arx_project().table.n_records)
    monkeypatch.setattr(drawing, "secret_numbers", lambda n, key: numbers[:n])
    monkeypatch.setattr(subsets, "secret_number", lambda secret, place: float(numbers[place]))


# Runs of ARX ----------------------------------------------------------------------------------------


def of_run(run: dict[str, Any], folder: Path) -> Project:
    """Return the project of a run, read from a recipe."""
    scheme = "levels" if run["scheme"] == "levels" else run["scheme"].lower()
    models = (
        DifferentialPrivacy(float(run["epsilon"]), float(run["delta"]), node=scheme),
        KAnonymity(run["k_arx"]),  # ARX's is larger by one
    )
    project = replace(arx_project(), requirement=Requirement(models, 0.0))
    if scheme == "levels":
        entries = {
            name: replace(entry, min_level=run["node"][name], max_level=run["node"][name])
            for name, entry in project.hierarchies.items()
        }
        project = replace(project, hierarchies=frozen(entries))
    write_recipe(project, folder / "run.toml")
    return read_recipe(folder / "run.toml")


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run['scheme']}-{run['epsilon']}")
def test_dp_runs(run: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw_as_arx(monkeypatch)
    project = of_run(run, tmp_path)
    outcome = anonymize(project)
    release = outcome.release
    assert release.levels == run["node"]
    assert math.isclose(project.requirement.models[0].beta, run["beta"], rel_tol=1e-12)  # type: ignore[attr-defined]
    assert release.n_records == run["sampled"]
    assert release.n_suppressed == run["suppressed_in_sample"]
    assert release.n_records - release.n_suppressed == run["kept"]
    assert (release.n_classes, release.k) == (run["classes"], run["min_class"])
    assert int(release.kept_sizes.max()) == run["max_class"]
    assert math.isclose(outcome.evaluation.metric("loss")[0], run["arx_loss"], rel_tol=1e-9)
    assert release.node is not None
    expected = expected_records(complete_problem(project), release.node, project.requirement)
    assert math.isclose(expected, run["expected_kept"], rel_tol=1e-9)
    smallest = replace(project, requirement=Requirement(project.requirement.models[:1], 0.0))
    assert anonymize(smallest).release.n_suppressed == run["suppressed_in_sample_with_smallest_k"]
    verdict = export_release(project, release, tmp_path / "released.csv")
    assert verdict.ok
    assert verdict.measured["kept"] == run["kept"]


def test_every_node_has_the_expected_records_of_its_class_sizes() -> None:
    project = small(DifferentialPrivacy(2.0, 1e-6, share=0.8), KAnonymity(60))
    whole = complete_problem(project)
    assert whole.n_records == project.table.n_records
    shares = expected_shares(score_lattice(whole), project.requirement.models[0].beta, 60)  # type: ignore[attr-defined]
    for number in range(whole.lattice.n_nodes):
        expected = expected_records(whole, whole.lattice.node(number), project.requirement)
        assert math.isclose(shares[number] * whole.n_records, expected, rel_tol=1e-9)
        assert class_sizes(whole, whole.lattice.node(number)).sum() == whole.n_records


def test_the_semantics_name_a_node_that_keeps_more_with_a_smaller_probability() -> None:
    node = (0, 2, 0, 1, 1, 1, 1, 1, 0)
    model = DifferentialPrivacy(2.0, 1e-6)
    whole = complete_problem(replace(arx_project(), requirement=Requirement((model,))))
    turned = [Requirement((replace(model, share=share),)) for share in (0.8, 1.0)]
    assert [round(expected_records(whole, node, one)) for one in turned] == [10_982, 8_997]


# The node -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("degree", "levels"),
    [
        ("none", (0, 0, 0)),
        ("low", (0, 1, 0)),
        ("low_medium", (0, 2, 0)),
        ("medium", (1, 2, 1)),
        ("medium_high", (1, 2, 1)),
        ("high", (1, 3, 1)),
        ("complete", (1, 4, 1)),
    ],
)
def test_a_degree_declares_the_level_of_each_column_by_its_height(
    degree: str, levels: tuple[int, ...]
) -> None:
    lattice = compile_problem(small(DifferentialPrivacy(node=degree))).lattice
    assert (lattice.minimum, lattice.maximum) == (levels, levels)


def test_a_declared_node_is_the_only_one_and_a_chosen_one_is_said_not_to_be_covered() -> None:
    declared, chosen = DifferentialPrivacy(node="medium"), DifferentialPrivacy()
    assert "not the choice of the node" in chosen.covers
    assert "does not cover the choice of the node" in chosen.details
    assert "choice" not in declared.covers + declared.details
    assert compile_problem(small(chosen)).lattice.n_nodes == 20
    with pytest.raises(InputError, match="lattice"):
        anonymize(small(declared), (0, 0, 0))


def test_levels_are_declared_only_if_they_leave_one_node() -> None:
    with pytest.raises(InputError, match="the allowed levels leave 20 nodes"):
        compile_problem(small(DifferentialPrivacy(node="levels")))


# The draw -------------------------------------------------------------------------------------------


def test_a_record_is_drawn_by_the_first_53_bits_of_a_keyed_digest_of_its_number() -> None:
    import hashlib
    import hmac

    numbers = secret_numbers(300, SECRET)
    for place in (0, 1, 255, 256, 299):
        digest = hmac.new(bytes.fromhex(SECRET), place.to_bytes(8, "big"), hashlib.sha256).digest()
        assert numbers[place] == (int.from_bytes(digest[:8], "big") >> 11) / 2**53
        assert subsets.secret_number(bytes.fromhex(SECRET), place) == numbers[place]
    assert abs(float(secret_numbers(20_000, SECRET).mean()) - 0.5) < 0.01


def test_the_same_secret_draws_the_same_records_and_each_change_of_the_model_draws_anew() -> None:
    project = small(DifferentialPrivacy())
    again = small(DifferentialPrivacy())
    assert project.records.n_records == again.records.n_records
    other = replace(project, requirement=Requirement((DifferentialPrivacy(delta=1e-4),)))
    assert other.sampling_key not in ("", SECRET)
    assert edits.set_metric(other, "precision").sampling_key == other.sampling_key
    assert edits.set_metric(other, "precision").subset is other.subset
    without = replace(other, requirement=Requirement((KAnonymity(5),)))
    assert (without.subset, without.sampling_key) == (None, "")
    assert without.records is without.table


def test_records_that_are_not_drawn_are_absent_and_no_suppression_limit_applies() -> None:
    project = small(DifferentialPrivacy(epsilon=0.5, delta=1e-4, node="none"))
    release = anonymize(project).release
    assert 0 < release.n_records < 0.45 * project.table.n_records
    assert release.n_suppressed > 0
    assert release.satisfies
    assert (project.transformation.suppressed_records, project.transformation.shuffle) == ("remove", True)
    assert release.k is not None
    assert release.k >= 39


# Refusals -------------------------------------------------------------------------------------------


def refused(project: Project) -> str:
    with pytest.raises(InputError) as refusal:
        anonymize(project)
    assert refusal.value.hint
    return str(refusal.value)


@pytest.mark.parametrize("role", [Role.SENSITIVE, Role.INSENSITIVE])
def test_a_column_that_is_released_unchanged_is_refused(role: Role) -> None:
    assert "would be released unchanged" in refused(small(DifferentialPrivacy(), others=role))


def test_other_models_are_refused_and_the_larger_class_size_counts() -> None:
    project = small(DifferentialPrivacy(), DistinctLDiversity("occupation", 2))
    project = edits.set_roles(project, ["occupation"], Role.SENSITIVE)
    assert "would depend on the data" in refused(project)
    larger = small(DifferentialPrivacy(), KAnonymity(500))
    assert larger.requirement.k == 500
    k = anonymize(larger).release.k
    assert k is not None
    assert k >= 500


def test_people_with_several_records_are_refused_but_not_people_with_one() -> None:
    project = small(DifferentialPrivacy(node="medium"))
    assert "Some people have several records" in refused(replace(project, person="occupation"))
    n_records = project.table.n_records
    numbers = np.arange(n_records, dtype=np.int32)
    column = make_column("occupation", [f"p{n}" for n in range(n_records)], numbers, DataType())
    columns = tuple(column if own.name == "occupation" else own for own in project.table.columns)
    alone = replace(project, table=replace(project.table, columns=columns), person="occupation")
    assert anonymize(alone).release.satisfies


def test_a_subset_a_population_an_aggregate_and_local_recoding_are_refused() -> None:
    project = small(DifferentialPrivacy())
    assert "draws its own records" in refused(replace(project, subset=Subset(fraction=0.5)))
    assert "draws its own records" in refused(replace(project, population=Population(size=1_000_000)))
    mode = aggregate_functions.create("mode")
    assert "released as an aggregate" in refused(replace(project, microaggregation=frozen({"age": mode})))
    local = recoding_methods.create("iterated")
    assert "vary by record" in refused(replace(project, recoding=local))


def test_an_identifying_column_may_not_differ_by_record_also_if_that_is_set_after_the_release(
    tmp_path: Path,
) -> None:
    project = small(DifferentialPrivacy(node="medium"))
    release = anonymize(project).release
    rules = frozen({"occupation": column_rules.create("pseudonym")})
    changed = replace(project, transformation=replace(project.transformation, identifiers=rules))
    assert "would differ by record" in refused(changed)
    with pytest.raises(InputError, match="would differ by record"):
        export_release(changed, release, tmp_path / "out.csv")
    with pytest.raises(ExportError, match="counts drawn records"):
        write_bundle(project, release, tmp_path / "bundle", ("mapping",))
    assert list(tmp_path.iterdir()) == []


def findings(*models: PrivacyModel, others: Role = Role.IDENTIFYING) -> dict[str, Finding]:
    """Return what the look over a project finds on differential privacy, by key."""
    found = preflight(small(*models, others=others))
    own = {finding.key: finding for finding in found if finding.key.startswith("sampling")}
    if any(isinstance(model, DifferentialPrivacy) for model in models):
        assert own.pop("sampling.drawn").detail.endswith("of 30\u202f162 records")
    return own


def test_weak_parameters_and_a_chosen_node_are_found_before_scoring() -> None:
    assert findings(DifferentialPrivacy(3.0, 1 / 30_163, node="medium")) == {}
    weak = findings(DifferentialPrivacy(3.01, 1 / 30_000))
    assert list(weak) == ["sampling.delta", "sampling.epsilon", "sampling.node"]
    assert {finding.severity for finding in weak.values()} == {Severity.LOOK_AT}
    assert findings(KAnonymity(5)) == {}


def test_columns_that_are_not_covered_are_found_and_hidden_by_the_offered_edit() -> None:
    found = findings(DifferentialPrivacy(node="medium"), others=Role.SENSITIVE)["sampling.columns"]
    assert found.severity is Severity.BLOCKING
    hidden = found.edit(small(DifferentialPrivacy(node="medium"), others=Role.SENSITIVE))
    assert anonymize(hidden).release.satisfies
    beside = findings(DifferentialPrivacy(node="medium"), HighestRisk())["sampling.refused"]
    assert beside.severity is Severity.BLOCKING
    assert "would depend on the data" in beside.title


# The judge ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Outcome, Path]:
    project = small(DifferentialPrivacy(node="medium"))
    outcome = anonymize(project)
    path = tmp_path_factory.mktemp("released") / "released.csv"
    assert export_release(project, outcome.release, path).ok
    return project, outcome, path


def test_the_judge_draws_again_and_says_what_it_cannot_check(exported: tuple[Project, Outcome, Path]) -> None:
    project, outcome, path = exported
    verdict = judge_file(project, outcome.release, path)
    assert verdict.ok
    assert verdict.measured["records"] == outcome.release.n_records
    said = " ".join(verdict.unchecked)
    assert "the secret of the draw is random" in said
    assert "the node was declared before looking at the data" in said
    assert "the hierarchies were made without looking at the data" in said


def test_the_judge_refuses_a_file_of_another_draw(exported: tuple[Project, Outcome, Path]) -> None:
    project, outcome, path = exported
    verdict = judge_file(replace(project, sampling_key="a1" * 32), outcome.release, path)
    assert not verdict.ok


def test_the_judge_refuses_a_file_with_a_record_that_was_not_drawn_or_another_cell(
    exported: tuple[Project, Outcome, Path], tmp_path: Path
) -> None:
    project, outcome, path = exported
    lines = path.read_text(encoding="utf-8").splitlines()
    for changed in ([*lines, lines[-1]], lines[:-1], [*lines[:-1], lines[-1].replace("*", "White", 1)]):
        other = tmp_path / "other.csv"
        other.write_text("\n".join(changed) + "\n", encoding="utf-8")
        assert not judge_file(project, outcome.release, other).ok


def test_the_judge_refuses_classes_below_the_k_that_it_computes(tmp_path: Path) -> None:
    project = small(DifferentialPrivacy(node="low"))
    release = anonymize(project).release
    kept = release.classes.sizes >= 40  # k is 61
    assert kept.sum() > release.kept.sum()
    lax = replace(project, requirement=Requirement((DifferentialPrivacy(share=0.9, node="low"),)))
    with pytest.raises(VerificationError, match="classes = 48, but the file has 39"):
        export_release(project, replace(release, kept=kept), tmp_path / "out.csv")
    with pytest.raises(VerificationError):
        export_release(lax, release, tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


# Report, summary and the secret ---------------------------------------------------------------------


def report(
    project: Project, outcome: Outcome, path: Path, audience: str, ending: str = ".json"
) -> tuple[str, dict[str, Any]]:
    """Return a report as text, and the facts of its section on differential privacy."""
    verification = Verification.of(path, judge_file(project, outcome.release, path))
    material = ReportedRelease(
        Subject(project, outcome.release),
        ReportSettings(audience=audience),
        SearchFacts.of_outcome(outcome),
        verification,
        path.parent,
    )
    text = rendered(report_of(material), ending).decode("utf-8")
    facts: dict[str, Any] = {}
    for section in json.loads(text)["sections"]:
        if section["key"] == "differential_privacy":
            for block in section["blocks"]:
                facts |= {fact["key"]: fact["value"] for fact in block.get("facts", ())}
    return text, facts


def test_the_internal_report_has_the_settings_and_the_numbers_drawn(
    exported: tuple[Project, Outcome, Path],
) -> None:
    project, outcome, path = exported
    model, release = project.requirement.models[0], outcome.release
    text, facts = report(project, outcome, path, "internal")
    assert (facts["epsilon"], facts["delta"], facts["beta"]) == (model.epsilon, model.delta, model.beta)
    assert facts["k"] == model.required_k == 61
    assert facts["drawn"] == release.n_records
    assert facts["suppressed_of_drawn"] == release.n_suppressed
    assert facts["table_records"] == project.table.n_records
    assert release.node is not None
    expected = expected_records(complete_problem(project), release.node, project.requirement)
    assert facts["expected_kept"] == expected
    assert "Do not publish them." in text
    assert "adds its ε and δ" in text
    assert "It cannot be checked that the secret of the draw is random" in text


def test_the_public_report_has_no_number_of_the_data(exported: tuple[Project, Outcome, Path]) -> None:
    project, outcome, path = exported
    release = outcome.release
    text, facts = report(project, outcome, path, "public")
    assert {"epsilon", "delta", "beta", "k", "node", "verified"} == set(facts)
    assert "It cannot be checked that the node was declared" in text
    keys = [section["key"] for section in json.loads(text)["sections"]]
    assert keys == [
        "decision",
        "purpose",
        "differential_privacy",
        "requirement",
        "transformation",
        "reproduction",
    ]
    kept = release.n_records - release.n_suppressed
    plain = re.sub(r"[0-9a-f]{16,}|\d{4}-\d\d-\d\dT\S*", "", text)  # digests, and dates with times
    numbers = {int(digits) for digits in re.findall(r"\d+", re.sub(r"(?<=\d)[,\u202f](?=\d{3})", "", plain))}
    assert {1, 61} <= numbers
    assert not numbers & {project.table.n_records, release.n_records, release.n_suppressed, kept}


def test_a_report_on_a_chosen_node_says_that_the_choice_is_not_covered(tmp_path: Path) -> None:
    project = small(DifferentialPrivacy())
    outcome = anonymize(project)
    path = tmp_path / "out.csv"
    export_release(project, outcome.release, path)
    for audience in ("internal", "public"):
        text, facts = report(project, outcome, path, audience)
        assert facts["node"] == "chosen on the lattice"
        assert "not the choice of the node" in text
        assert "The guarantee does not cover the choice of the node" in text


def test_the_secret_is_in_the_project_file_only(
    exported: tuple[Project, Outcome, Path], tmp_path: Path
) -> None:
    project, outcome, path = exported
    for audience in ("internal", "public"):
        assert SECRET not in report(project, outcome, path, audience)[0]
    assert SECRET not in recipe_text(project, tmp_path)
    assert SECRET not in repr(project) + repr(project.subset)
    assert SECRET not in json.dumps(summary(project, outcome, verified=True))
    assert SECRET not in path.read_text(encoding="utf-8") + path.name
    save_project(project, tmp_path / "kept.anon")
    opened = open_project(tmp_path / "kept.anon").project
    assert opened.sampling_key == SECRET
    assert opened.subset == project.subset
    again = anonymize(opened)
    export_release(opened, again.release, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == path.read_bytes()


def test_the_summary_names_the_parameters_and_what_they_cover(
    exported: tuple[Project, Outcome, Path],
) -> None:
    project, outcome, _path = exported
    found = summary(project, outcome, verified=True)["differential_privacy"]
    assert (found["epsilon"], found["delta"], found["share"], found["node"]) == (1.0, 1e-5, 1.0, "medium")
    assert found["k"] == 61
    assert found["drawn"] == outcome.release.n_records
    assert "holds in full" in found["covers"]


def test_a_restored_release_draws_its_own_records_again_and_another_table_anew() -> None:
    project = small(DifferentialPrivacy(node="medium"))
    other = replace(project, requirement=Requirement((DifferentialPrivacy(0.5, node="medium"),), 0.0))
    restored = with_settings(other, settings_of(project))
    assert restored.sampling_key == SECRET
    assert restored.records.n_records == project.records.n_records
    assert restored.subset == project.subset
    imported, _changes = reimport(project, project.table, project.options, project.source)
    assert imported.sampling_key not in ("", SECRET)
    assert imported.subset.key == imported.sampling_key
