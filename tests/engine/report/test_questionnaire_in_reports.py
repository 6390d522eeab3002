"""What reports say of the answers: each with its effect, and settings that are weaker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.report import PUBLIC, ReportSettings
from tests.engine.report.reports import material_of
from tests.engine.report.test_persons_in_reports import sections_of, table_of

RECIPE = """
[data]
path = "people.csv"
[roles]
quasi_identifying = ["age"]
sensitive = ["illness"]
[questionnaire]
recipient = "internal"
contract = "agreement"
knowledge = "acquaintance"
harm = "medium"
[[privacy]]
model = "k_anonymity"
k = {k}
[[privacy]]
model = "distinct_l_diversity"
column = "illness"
l = 2
"""
TABLE = "age,illness\n" + "".join(f"{20 + i % 2},{'flu' if i < 20 else 'cold'}\n" for i in range(40))


def recipe_of(folder: Path, k: int, text: str = RECIPE) -> Path:
    (folder / "people.csv").write_text(TABLE, encoding="utf-8")
    path = folder / "recipe.toml"
    path.write_text(text.format(k=k), encoding="utf-8")
    return path


def remarks(section: list[dict[str, Any]], tone: str) -> list[str]:
    return [block["text"] for block in section if block.get("tone") == tone]


@pytest.mark.parametrize("is_public", [False, True])
def test_each_answer_and_each_rule_is_in_the_report(tmp_path: Path, is_public: bool) -> None:
    settings = replace(ReportSettings(), audience=PUBLIC) if is_public else ReportSettings()
    section = sections_of(material_of(recipe_of(tmp_path, 20), settings))["questionnaire"]
    answers = table_of(section, "answers")
    assert [(row[1], row[3]) for row in answers] == [
        ("Other parts of the organization", "k ≥ 3; average risk ≤ 7.5\u202f%"),
        ("An enforced agreement against re-identification", "average risk ≤ 7.5\u202f%"),
        ("What neighbours, colleagues and relatives know", "l of illness ≥ 2"),
        (
            "Medium: embarrassment, repairable disadvantages",
            "average risk ≤ 7.5\u202f%; l of illness ≥ 2",
        ),
        ("not answered", "nothing"),
    ]
    asked = {row[0]: tuple(row[1:3]) for row in table_of(section, "demands")}
    assert asked == {
        "k ≥ 3": ("k ≥ 20", "yes"),
        "average risk ≤ 7.5\u202f%": ("k ≥ 20", "yes"),
        "l of illness ≥ 2": ("l of illness ≥ 2", "yes"),
    }
    rules = table_of(section, "rules")
    assert len(rules) == 4
    assert all(row[3][-4:].isdigit() and row[2].endswith(".") for row in rules)
    assert remarks(section, "ok") == ["The settings meet everything that the answers demand."]
    assert remarks(section, "warn") == ["1 question was not answered."]


def test_settings_that_were_weakened_afterwards_are_said(tmp_path: Path) -> None:
    section = sections_of(material_of(recipe_of(tmp_path, 2), ReportSettings()))["questionnaire"]
    assert table_of(section, "demands")[0][1:3] == ["k ≥ 2", "no"]
    assert remarks(section, "warn")[0] == (
        "The settings are weaker than the answers demand: k ≥ 3 (set: k ≥ 2); "
        "average risk ≤ 7.5\u202f% (set: k ≥ 2)."
    )


def test_without_answers_there_is_no_section(tmp_path: Path) -> None:
    start, end = RECIPE.index("[questionnaire]"), RECIPE.index("[[privacy]]")
    recipe = recipe_of(tmp_path, 2, RECIPE[:start] + RECIPE[end:])
    assert "questionnaire" not in sections_of(material_of(recipe, ReportSettings()))
