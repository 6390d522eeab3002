"""De-identification statements: outlines of seven sources, filled from projects and by answers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.cli import main
from engine.findings.blocks import FigureTable
from engine.findings.settings import FORMS, PUBLIC, REPORT, ReportSettings
from engine.monitor import SILENT
from engine.project.attack_settings import AttackSettings
from engine.project.edits import set_statement
from engine.project.outlines import CORE, outline_of
from engine.project.pins_and_runs import Choice, Pin
from engine.project.recipe.files import read_recipe, write_recipe
from engine.project.statement import QUESTIONS, StatementAnswers
from engine.report import ReportedRelease
from engine.report.json import _plain
from engine.report.sections.search import alternatives
from engine.report.statements.document import ANSWERS, FACTS, OPEN, PROJECT, filled
from engine.shipped import resources_path
from tests.engine.report.reports import MARK, flowing, marked_recipe, material_of, people_recipe, squeezed
from tests.engine.report.schema import follows

KEYS = tuple(key for key, _title in FORMS if key != REPORT)
ANSWERED = StatementAnswers(
    **{
        name: {"replicability": ("age",)}.get(name, 0.1 if name.startswith("attempt") else f"My {name}")
        for name in QUESTIONS
    }
)


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, ReportedRelease]:
    """Return what a statement on each of two examples is written of."""
    found = {}
    for name in ("clinic", "hospital"):
        folder = tmp_path_factory.mktemp("examples") / name
        shutil.copytree(resources_path() / "examples" / name, folder)
        found[name] = material_of(folder / "recipe.toml", ReportSettings())
    return found


def with_project(material: ReportedRelease, **changes: Any) -> ReportedRelease:
    """Return the material with a changed project."""
    subject = replace(material.subject, project=replace(material.project, **changes))
    return replace(material, subject=subject)


def head_of(path: Path) -> dict[str, Any]:
    """Return the head of a statement in JSON: its first sentence, and its facts by key."""
    report = json.loads(path.read_text(encoding="utf-8"))
    schema = json.loads((resources_path() / "help" / "report.schema.json").read_text(encoding="utf-8"))
    assert follows(report, schema) == []
    blocks = report["sections"][0]["blocks"]
    facts = {fact["key"]: fact["value"] for block in blocks for fact in block.get("facts", ())}
    return {"counts": blocks[0]["text"], "title": report["title"], **facts}


@pytest.mark.parametrize("key", KEYS)
def test_an_outline_names_its_source_and_only_known_facts_and_questions(key: str) -> None:
    outline = outline_of(key)
    assert (key, outline.title) in FORMS
    assert outline.source
    assert outline.edition
    assert 2012 <= outline.published.year <= 2025
    assert outline.address.startswith("https://")
    assert outline.note
    for field in outline.fields:
        assert field.heading
        assert field.about in (*CORE, "context", "governance")
        assert field.facts or field.asks
        assert set(field.facts) <= set(FACTS)
        assert set(field.asks) <= set(QUESTIONS)


def test_every_fact_and_every_question_is_used_by_an_outline() -> None:
    fields = [field for key in KEYS for field in outline_of(key).fields]
    assert {fact for field in fields for fact in field.facts} == set(FACTS)
    assert {name for field in fields for name in field.asks} == set(QUESTIONS)


@pytest.mark.parametrize("key", KEYS)
def test_most_fields_on_data_method_and_risk_come_from_the_project_and_change_with_it(
    examples: Mapping[str, ReportedRelease], key: str
) -> None:
    clinic, hospital = (filled(material, outline_of(key)) for material in examples.values())
    alike = [
        one.field.title
        for one, other in zip(clinic, hospital, strict=True)
        if one.state == PROJECT and _plain(one.blocks) == _plain(other.blocks)
    ]
    assert alike == []
    core = [found for found in clinic if found.field.about in CORE]
    assert sum(found.state == PROJECT for found in core) >= 0.7 * len(core)
    assert not [found for found in clinic if found.state == ANSWERS]


@pytest.mark.parametrize("key", KEYS)
def test_answers_fill_the_rest_once(examples: Mapping[str, ReportedRelease], key: str) -> None:
    answered = with_project(examples["clinic"], statement=ANSWERED)
    before, after = (filled(material, outline_of(key)) for material in (examples["clinic"], answered))
    for was, now in zip(before, after, strict=True):
        if was.field.asks:
            assert was.state == OPEN
            assert "To be entered" in str(was.blocks)
            assert now.state == (
                PROJECT if any(b.key != "answers" for b in now.blocks if hasattr(b, "key")) else ANSWERS
            )
        for name in was.field.asks:
            if isinstance(getattr(ANSWERED, name), str):
                assert f"My {name}" in str(now.blocks)


def test_risk_is_the_chance_of_an_attempt_times_the_risk_given_one(
    examples: Mapping[str, ReportedRelease],
) -> None:
    material = with_project(examples["clinic"], statement=StatementAnswers(attempt_breach=0.1))
    assert material.release.k == 5
    (table,) = (b for b in FACTS["attempts"].blocks(material, SILENT) if isinstance(b, FigureTable))
    found = {row[0]: row[1:] for row in table.rows}
    breach, deliberate = (list(found.values())[place] for place in (2, 0))
    assert breach[:4] == (0.1, "entered", 0.2, pytest.approx(0.02))
    assert deliberate[:4] == (1.0, "not entered; certainty is assumed", 0.2, 0.2)


def test_measured_attacks_stand_in_the_place_of_inference(examples: Mapping[str, ReportedRelease]) -> None:
    untested, tested = (
        with_project(examples["clinic"], attack_test=settings)
        for settings in (None, AttackSettings(targets=50))
    )
    for fact in ("singling_out", "linkability", "inference"):
        assert "Not measured by an attack" in str(list(FACTS[fact].blocks(untested, SILENT)))
        words = str(list(FACTS[fact].blocks(tested, SILENT)))
        assert "Not measured" not in words
        assert "above the control group" in words or "says nothing" in words
    assert list(FACTS["attack_test"].blocks(untested, SILENT)) == []


def test_pinned_nodes_are_the_alternatives_considered(examples: Mapping[str, ReportedRelease]) -> None:
    material = examples["hospital"]
    problem, own = material.release.problem, material.release
    assert own.node is not None
    top = tuple(attribute.hierarchy.height for attribute in problem.attributes)
    requirement = material.project.requirement
    pins = (
        Pin(Choice(problem.names, own.node, requirement)),
        Pin(Choice(problem.names, top, requirement), "coarse"),
        Pin(Choice(("other",), (0,), requirement)),
    )
    assert list(alternatives(material)) == []
    (table,) = alternatives(replace(material, pins=pins))
    first, second, third = table.rows
    assert first[2:] == (own.n_suppressed, own.k, "this release")
    assert second[2:] == (0, material.project.records.n_records, "coarse")
    assert third[1:4] == (None, None, None)


def test_earlier_releases_are_counted_only_with_a_ledger(tmp_path: Path) -> None:
    recipe, report = people_recipe(tmp_path), tmp_path / "s.json"
    words = ("anonymize", str(recipe), "--out", str(tmp_path / "r.csv"), "--form", "nist800188")
    words = (*words, "--report", str(report))
    book = ("--ledger", str(tmp_path / "people.ledger"))
    without_suppressed = recipe.read_text(encoding="utf-8").replace("limit = 0.2", "limit = 0.0")
    recipe.write_text(without_suppressed, encoding="utf-8")
    for given, n_earlier in (((), None), (book, 0), (book, 1)):
        assert main((*words, *given)) == 0
        text = report.read_text(encoding="utf-8")
        assert ("To be entered: a release ledger" in text) is (n_earlier is None)
        if n_earlier is not None:
            assert f"{n_earlier} earlier release" in text
    assert main((*words[:4], *words[6:], *book)) == 0
    text = report.read_text(encoding="utf-8")
    assert "Linking with this file alone returns " in text
    assert "or more candidates; the ledger has 2 earlier releases" in text


@pytest.mark.parametrize("key", KEYS)
def test_the_command_writes_a_statement_as_json_and_pdf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    recipe = people_recipe(tmp_path)
    write_recipe(set_statement(read_recipe(recipe), ANSWERED), recipe)
    assert read_recipe(recipe).statement == ANSWERED
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    for ending in ("json", "pdf"):
        assert main(("report", str(recipe), "--form", key, "--out", str(tmp_path / f"s.{ending}"))) == 0
    outline = outline_of(key)
    head = head_of(tmp_path / "s.json")
    assert head["form"] == key
    assert head["published"] == outline.published.isoformat()
    assert head["counts"].startswith(f"{len(outline.fields)} fields: ")
    assert outline.title in head["title"]
    german = ("--language", "de", "--out", str(tmp_path / "s.html"))
    assert main(("report", str(recipe), "--form", key, *german)) == 0
    assert outline.title not in (tmp_path / "s.html").read_text(encoding="utf-8")
    pdf = flowing((tmp_path / "s.pdf").read_bytes())
    for field in outline.fields:
        assert squeezed(field.heading) in pdf


def test_a_public_statement_has_no_value_of_the_input(tmp_path: Path) -> None:
    recipe, out = marked_recipe(tmp_path), tmp_path / "s.json"
    for key in KEYS:
        words = ("report", str(recipe), "--form", key, "--audience", PUBLIC, "--out", str(out))
        assert main(words) == 0
        assert head_of(out)["form"] == key
        assert MARK not in out.read_text(encoding="utf-8")


def test_a_statement_needs_a_recipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people_recipe(tmp_path)
    table, out = str(tmp_path / "people.csv"), str(tmp_path / "s.json")
    assert main(("report", table, "--qi", "age", "--form", "ico", "--out", out)) == 2
    assert "--form cannot be used for the report of a table" in capsys.readouterr().err


@pytest.mark.parametrize(("rule", "word"), [("pseudonym", "pseudonymised"), ("star", "anonymised")])
def test_a_release_is_pseudonymised_where_codes_are_released(
    tmp_path: Path, rule: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = people_recipe(tmp_path)
    text = recipe.read_text(encoding="utf-8")
    recipe.write_text(f'{text}\n[identifiers."name"]\nrule = "{rule}"\n', encoding="utf-8")
    out, figures = str(tmp_path / "r.csv"), tmp_path / "f.json"
    report = tmp_path / "r.json"
    words = ("anonymize", str(recipe), "--out", out, "--summary", str(figures), "--report", str(report))
    assert main(words) == 0
    status = json.loads(figures.read_text(encoding="utf-8"))["status"]
    assert status == {"word": word, "codes": ["name"] if rule == "pseudonym" else []}
    assert "status" in capsys.readouterr().out
    decision = json.loads(report.read_text(encoding="utf-8"))["sections"][0]
    said = " ".join(block["text"] for block in decision["blocks"] if block["type"] == "paragraph")
    if rule == "pseudonym":
        assert "Pseudonymised: 'name' is released as codes." in said
        assert "Anonymised" not in said
    else:
        assert "Anonymised in the sense of the figures, for the recipient: k = 6 for these 2 columns." in said
        assert "Pseudonymised" not in said
