"""`anonymizer questionnaire`: questions, demands with their sources, and the recipe that meets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cli import main
from engine.project.answers import QUESTIONS, Answers
from engine.project.questionnaire import RULES, weaker
from engine.project.recipe.files import read_recipe
from tests.engine.cli.running import Command

COMMAND = "questionnaire"
HELP = Path(__file__).resolve().parents[3] / "resources" / "help" / "questionnaire.md"
RECIPE = """
[data]
path = "table.csv"
[roles]
quasi_identifying = ["age"]
sensitive = ["illness"]
insensitive = ["job"]
[questionnaire]
harm = "low"
[[privacy]]
model = "k_anonymity"
k = 2
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / "table.csv").write_text("age,job,illness\n30,a,flu\n40,b,cold\n", encoding="utf-8")
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def test_without_a_recipe_all_questions_are_listed(run: Command) -> None:
    listed = run.json()["questions"]
    assert [question["key"] for question in listed] == [question.key for question in QUESTIONS]
    assert [answer["key"] for answer in listed[3]["answers"]] == ["high", "medium", "low"]


def test_options_replace_answers_and_the_written_recipe_meets_them(
    run: Command, recipe: Path, tmp_path: Path
) -> None:
    strict = tmp_path / "strict.toml"
    words = ("--recipient", "public", "--contract", "none", "--knowledge", "acquaintance")
    found = run.json(recipe, *words, "--rules", "none", "--known", "job", "--out", strict)
    assert [entry["answer"] for entry in found["answers"]] == [
        "public",
        "none",
        "acquaintance",
        "low",
        "none",
        ["job"],
    ]
    size = found["demands"][0]
    assert (size["demand"], size["threshold"], size["current"], size["met"]) == ("k ≥ 11", 11, "k ≥ 2", False)
    assert [reason["rule"] for reason in size["reasons"]] == ["public_cells", "open_low"]
    assert size["reasons"][1]["answers"] == {"recipient": "public", "harm": "low"}
    assert size["reasons"][1]["source"].endswith("Structured Data, 2025")
    written = read_recipe(strict)
    assert written.answers == Answers("public", "none", "acquaintance", "low", "none", ("job",))
    assert weaker(written) == ()
    assert written.requirement.k == 11
    assert written.quasi_identifying == ("age", "job")


def test_a_release_of_a_weaker_recipe_is_noted(
    recipe: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe.write_text(RECIPE.replace('harm = "low"', 'rules = "ema"'), encoding="utf-8")
    assert main(["anonymize", str(recipe), "--out", str(tmp_path / "out.csv")]) in (0, 1)
    assert "Note: weaker than the answers demand: k ≥ 11 (set: k ≥ 2)\n" in capsys.readouterr().err


def test_answers_that_do_not_exist_are_refused(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["questionnaire", str(recipe), "--harm", "hig"]) == 2
    assert "Did you mean 'high'?" in capsys.readouterr().err
    assert main(["questionnaire", "--harm", "high"]) == 2
    assert "Answers need a recipe." in capsys.readouterr().err
    assert main(["questionnaire", str(recipe), "--known", "work"]) == 2
    assert "no column 'work'" in capsys.readouterr().err


def test_the_help_page_names_every_answer_threshold_and_source() -> None:
    page = HELP.read_text(encoding="utf-8")
    for question in QUESTIONS:
        assert f"| `{question.key}` |" in page
        assert all(f"`{answer.key}`" in page for answer in question.answers)
    for rule in RULES:
        if not rule.preset_key:
            assert rule.source.split(",")[0].split(" and ")[0] in page
            assert rule.source[-4:] in page
        for model in rule.models:
            assert f"{model.limit:g}" in page
