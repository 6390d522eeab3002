"""From a recipe, or a file anonymized elsewhere, to a report on the command line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cli import main
from engine.findings.model_check import check
from tests.engine.report.reports import figures_in, flowing, people_recipe, squeezed, texts_of_html

Run = Callable[..., tuple[int, str, str]]
GIVEN = ("--qi", "age", "--qi", "sex", "--sa", "illness")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in the folder of the people; return exit code, output and messages."""
    people_recipe(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")

    def run(*words: str) -> tuple[int, str, str]:
        code = main(words)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def json_of(path: Path) -> dict[str, dict[str, object]]:
    """Return the facts of a report's JSON by section and key."""
    report = json.loads(path.read_text(encoding="utf-8"))
    return {
        section["key"]: {
            fact["key"]: fact["value"]
            for block in section["blocks"]
            if block["type"] == "facts"
            for fact in block["facts"]
        }
        for section in report["sections"]
    }


def test_a_release_is_written_with_a_report_that_names_it_by_its_hash(run: Run, tmp_path: Path) -> None:
    words = ["--purpose", "Research on illness", "--recipient", "City hospital", "--author", "Ada Ždánská"]
    code, _, _ = run("anonymize", "people.toml", "--out", "r.csv", "--report", "r.pdf", *words)
    assert code == 0
    text = flowing((tmp_path / "r.pdf").read_bytes())
    digest = hashlib.sha256((tmp_path / "r.csv").read_bytes()).hexdigest()
    for expected in ("r.csv", digest, "Researchonillness", "Cityhospital", "AdaŽdánská", "2023-11-14"):
        assert expected in text


def test_the_pdf_the_html_and_the_json_of_a_recipe_have_the_same_content(run: Run, tmp_path: Path) -> None:
    for ending in ("pdf", "html", "json"):
        code, printed, notes = run("report", "people.toml", "--out", f"r.{ending}", "--quiet")
        assert (code, printed) == (0, "")
        assert notes.startswith("Note: Of 3 suppressed records, 1 are between kept ones")
    figures = [squeezed(f) for f in figures_in(json.loads((tmp_path / "r.json").read_text(encoding="utf-8")))]
    pdf = flowing((tmp_path / "r.pdf").read_bytes())
    page = squeezed(texts_of_html((tmp_path / "r.html").read_bytes()))
    assert len(figures) > 300
    assert [figure for figure in figures if figure not in pdf] == []
    assert [figure for figure in figures if figure not in page] == []


@pytest.mark.parametrize("ending", ["pdf", "html", "json"])
def test_the_same_recipe_gives_the_same_bytes(run: Run, tmp_path: Path, ending: str) -> None:
    for name in ("first", "second"):
        assert run("report", "people.toml", "--audience", "public", "--out", f"{name}.{ending}")[0] == 0
    assert (tmp_path / f"first.{ending}").read_bytes() == (tmp_path / f"second.{ending}").read_bytes()


def test_a_report_verifies_the_file_that_anonymize_writes(run: Run, tmp_path: Path) -> None:
    assert run("anonymize", "people.toml", "--out", "r.csv", "--quiet")[0] == 0
    assert run("report", "people.toml", "--out", "alone.json")[0] == 0
    assert run("report", "people.toml", "--release", "r.csv", "--out", "named.json")[0] == 0
    alone, named = (json_of(tmp_path / name)["verification"] for name in ("alone.json", "named.json"))
    assert alone["file_sha256"] == named["file_sha256"]
    assert named["file_name"] == "r.csv"
    after = check("r.csv", ["age", "sex"], "illness", leave_out_suppressed=True)
    assert json_of(tmp_path / "named.json")["summary"]["k"] == after.k


def test_a_changed_release_gets_no_report(run: Run, tmp_path: Path) -> None:
    assert run("anonymize", "people.toml", "--out", "r.csv", "--quiet")[0] == 0
    path = tmp_path / "r.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",f,", ",m,", 1), encoding="utf-8")
    code, _, said = run("report", "people.toml", "--release", "r.csv", "--out", "r.pdf")
    assert code == 2
    assert "'r.csv' is not the release of this recipe" in said
    assert not (tmp_path / "r.pdf").exists()


def test_a_node_that_was_chosen_is_reported_as_such(run: Run, tmp_path: Path) -> None:
    assert run("report", "people.toml", "--node", "2,1", "--out", "r.json")[0] == 0
    text = (tmp_path / "r.json").read_text(encoding="utf-8")
    assert ("The node was chosen by hand; the report makes no claim that no other node loses less.") in text
    assert "--node 2,1" in text


def test_a_requirement_that_cannot_be_met_gives_no_report_and_exit_code_1(run: Run, tmp_path: Path) -> None:
    recipe = (tmp_path / "people.toml").read_text(encoding="utf-8").replace("k = 5", "k = 121")
    (tmp_path / "people.toml").write_text(recipe, encoding="utf-8")
    assert run("report", "people.toml", "--out", "r.pdf")[0] == 1
    assert run("anonymize", "people.toml", "--out", "r.csv", "--report", "r.pdf")[0] == 1
    assert not (tmp_path / "r.pdf").exists()


def test_a_file_anonymized_elsewhere_is_assessed_unchanged(run: Run, tmp_path: Path) -> None:
    recipe = (tmp_path / "people.toml").read_text(encoding="utf-8")
    kept = recipe.replace("[transformation]", '[transformation]\nsuppressed_group = "ignore"')
    (tmp_path / "people.toml").write_text(kept, encoding="utf-8")
    assert run("anonymize", "people.toml", "--out", "r.csv", "--quiet")[0] == 0
    assert run("report", "r.csv", *GIVEN, "--utility", "people.csv", "--out", "f.json")[0] == 0
    facts = json_of(tmp_path / "f.json")
    found = check("r.csv", ["age", "sex"], "illness")
    assert facts["summary"]["k"] == found.k
    assert facts["data"]["records"] == found.n_records
    assert facts["data"]["stars"] > 0
    assert facts["utility"]["classes"] == found.n_classes
    assert run("report", "r.csv", *GIVEN, "--leave-out-suppressed", "--out", "f.html")[0] == 0
    assert "excluded from all values" in (tmp_path / "f.html").read_text(encoding="utf-8")


def test_the_reports_of_pycanon_are_written_and_state_their_differences(run: Run, tmp_path: Path) -> None:
    code, _, said = run("report", "people.csv", *GIVEN, "--compat", "pycanon", "--out", "p.json")
    assert code == 0
    report = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))
    assert report["recursive_c_l_diversity"] == {"c": None, "l": 1}
    assert "pyCANON writes the bare word NaN for c" in said
    words = ("report", "people.csv", *GIVEN, "--utility", "people.csv", "--compat", "pycanon")
    assert run(*words, "--out", "p.pdf")[0] == 0
    assert "Discernabilitymetric" in flowing((tmp_path / "p.pdf").read_bytes())
    code, _, said = run(*words, "--audience", "public", "--out", "q.pdf")
    assert code == 2
    assert "no public form" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("report", "people.toml", "--out", "people.csv"), "': a report must end in"),
        (("report", "people.csv", *GIVEN, "--out", "people.csv"), "': a report must end in"),
        (("report", "people.csv", "--sa", "illness", "--out", "r.pdf"), "a table needs --qi"),
        (
            ("report", "people.csv", *GIVEN, "--release", "r.csv", "--out", "r.pdf"),
            "--release cannot be used for",
        ),
        (
            ("report", "people.toml", "--utility", "people.csv", "--out", "r.pdf"),
            "--utility cannot be used for",
        ),
        (("report", "people.toml", "--accepted-risk", "2", "--out", "r.pdf"), "Accepted risk cannot be 2"),
        (("report", "people.toml", "--audience", "all", "--out", "r.pdf"), "Audience cannot be 'all'"),
    ],
)
def test_wrong_use_ends_with_2_and_leaves_no_report(
    run: Run, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    code, _, said = run(*words)
    assert code == 2
    assert message in " ".join(said.split())
    assert not (tmp_path / "r.pdf").exists()
