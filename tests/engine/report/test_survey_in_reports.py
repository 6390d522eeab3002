"""What reports say of survey weights and households."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cli import main
from engine.findings.risk.survey import assess_survey
from engine.project.recipe.files import read_recipe
from engine.report import PUBLIC, ReportSettings
from tests.engine.report.reports import material_of
from tests.engine.report.test_persons_in_reports import facts_of, sections_of, table_of

TABLE = "age,home,w\n" + "".join(f"{20 + i % 4},h{i // 3},{10 + i}\n" for i in range(24))
RECIPE = """
[data]
path = "survey.csv"
[roles]
quasi_identifying = ["age"]
weight = "w"
household = "home"
[[privacy]]
model = "individual_risk"
threshold = 0.5
"""


def recipe_of(folder: Path) -> Path:
    (folder / "survey.csv").write_text(TABLE, encoding="utf-8")
    recipe = folder / "recipe.toml"
    recipe.write_text(RECIPE, encoding="utf-8")
    return recipe


def test_an_internal_report_has_the_risks_of_records_and_households(tmp_path: Path) -> None:
    recipe = recipe_of(tmp_path)
    settings = ReportSettings(accepted_risk=0.01)
    facts = facts_of(sections_of(material_of(recipe, settings))["survey"])
    found = assess_survey(tmp_path / "survey.csv", "age", "w", "home", threshold=0.01)
    assert facts["expected"] == pytest.approx(found.expected_reidentifications)
    assert facts["global_risk"] == pytest.approx(found.global_risk)
    assert facts["at_risk"] == found.n_at_risk
    assert facts["household_global"] == pytest.approx(found.household_global)
    assert (facts["weight"], facts["household"]) == ("w", "home")
    models = {
        row[0]: row[5] for row in table_of(sections_of(material_of(recipe, settings))["models"], "models")
    }
    assert models["individual risk"] == pytest.approx(found.highest)
    assert models["k-map"] == found.people.min()


def test_a_public_report_has_no_risk_by_weights(tmp_path: Path) -> None:
    material = material_of(recipe_of(tmp_path), replace(ReportSettings(), audience=PUBLIC))
    sections = sections_of(material)
    assert facts_of(sections["survey"]) == {}
    (row,) = (row for row in table_of(sections["models"], "models") if row[0] == "individual risk")
    assert not any(isinstance(value, float) for value in row)


def test_a_report_without_weights_has_no_such_section(tmp_path: Path) -> None:
    recipe = recipe_of(tmp_path)
    text = RECIPE.replace('weight = "w"\nhousehold = "home"\n', 'insensitive = ["w", "home"]\n')
    text = text.replace("individual_risk", "highest_risk")
    recipe.write_text(text, encoding="utf-8")
    assert read_recipe(recipe).weight is None
    assert "survey" not in sections_of(material_of(recipe, ReportSettings()))


def test_a_report_on_a_file_has_its_risks_unless_it_is_public(tmp_path: Path) -> None:
    recipe_of(tmp_path)
    words = ["report", str(tmp_path / "survey.csv"), "--qi", "age", "--weight", "w"]
    out = tmp_path / "report.json"
    assert main([*words, "--out", str(out), "--accepted-risk", "0.01", "--quiet"]) == 0
    internal = json.loads(out.read_text(encoding="utf-8"))
    found = assess_survey(tmp_path / "survey.csv", "age", "w", threshold=0.01)
    (own,) = (section for section in internal["sections"] if section["key"] == "survey")
    assert str(found.n_at_risk) in json.dumps(own)
    assert str(found.global_risk)[:8] in json.dumps(own)
    assert main([*words, "--out", str(out), "--audience", "public", "--quiet"]) == 0
    public = out.read_text(encoding="utf-8")
    assert "weights of the records" in public
    assert str(found.global_risk)[:6] not in public
    assert str(found.highest)[:6] not in public


def test_a_report_on_a_file_has_the_risk_of_its_households(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe_of(tmp_path)
    out = tmp_path / "report.json"
    words = ["report", str(tmp_path / "survey.csv"), "--qi", "age", "--household", "home", "--out", str(out)]
    assert main([*words, "--quiet"]) == 2
    assert "--household needs --weight" in capsys.readouterr().err
    assert main([*words, "--weight", "w", "--quiet"]) == 0
    found = assess_survey(tmp_path / "survey.csv", "age", "w", "home")
    (own,) = (
        section
        for section in json.loads(out.read_text(encoding="utf-8"))["sections"]
        if section["key"] == "survey"
    )
    assert '"home"' in json.dumps(own)
    assert str(found.household_global)[:8] in json.dumps(own)
    assert str(found.household_highest)[:8] in json.dumps(own)
