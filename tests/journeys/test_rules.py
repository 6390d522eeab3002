"""Moved dates and coded incomes: from CSV to a verified file and its report, by window and command."""

from __future__ import annotations

import json
import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PySide6.QtCore import QPoint, Qt

from engine.cli import main as run_command
from engine.project.storage.file import save_project
from tests.engine.recoding.slow_rules import coded, offset, rounded
from tests.window_driver import LONG, Driver

IDENTIFYING, QUASI, SENSITIVE, INSENSITIVE = Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_4
KEY = b"0123456789abcdef0123456789abcdef"
RECIPE = """
[data]
path = "visits.csv"
[roles]
identifying = ["patient"]
quasi_identifying = ["age"]
sensitive = ["income"]
insensitive = ["admitted", "discharged", "weight"]
person = "patient"
[hierarchies.age]
builder = "intervals"
width = 20
origin = 0
[[privacy]]
model = "k_anonymity"
k = 3
[[privacy]]
model = "t_closeness"
column = "income"
t = 0.5
[transformation]
suppression_limit = 0.5
[rules.admitted]
rule = "date_shift"
days = 45
key_file = "keys/visits.key"
[rules.discharged]
rule = "date_shift"
days = 45
key_file = "keys/visits.key"
[rules.income]
rule = "top_code"
limit = 4000
[rules.weight]
rule = "round"
base = 2.5
mode = "half_up"
"""


def visits() -> pd.DataFrame:
    drawn, rows = random.Random(11), []
    for number in range(60):
        for _unused in range(drawn.randint(1, 3)):
            day = date(2021, 1, 1) + timedelta(days=drawn.randrange(700))
            stay = timedelta(days=drawn.randrange(9))
            income, weight = drawn.randrange(900, 5200, 10), drawn.randrange(400, 1200) / 10
            rows.append((f"P{number}", 20 + number % 60, income, day, day + stay, weight))
    return pd.DataFrame(rows, columns=["patient", "age", "income", "admitted", "discharged", "weight"])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "visits.csv"
    visits().to_csv(path, index=False)
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "visits.key").write_bytes(KEY + b"\n")
    return path


def moved(original: pd.DataFrame, column: str, key: bytes, days: int) -> list[str]:
    """Return the dates of a column as they must be written."""
    pairs = zip(original["patient"], original[column], strict=True)
    return [str(day + timedelta(days=offset(key, person, days, True))) for person, day in pairs]


def tables_of(report: dict[str, Any], key: str) -> dict[str, list[Any]]:
    """Return the rows of a table of the report, by their first cell."""
    blocks = [block for section in report["sections"] for block in section["blocks"]]
    (found,) = (block for block in blocks if block.get("key") == key)
    return {row[0]: row[1:] for row in found["rows"]}


def test_by_command_every_cell_follows_its_rule_and_the_report_says_so(table: Path) -> None:
    recipe, out, report = (table.with_name(name) for name in ("recipe.toml", "out.csv", "report.json"))
    recipe.write_text(RECIPE, encoding="utf-8")
    summary = table.with_name("summary.json")
    words = ["--out", str(out), "--report", str(report), "--summary", str(summary), "--quiet"]
    assert run_command(["anonymize", str(recipe), *words]) == 0
    assert json.loads(summary.read_text(encoding="utf-8"))["verified"] is True
    written, original = pd.read_csv(out, dtype=str), visits()
    for column in ("admitted", "discharged"):
        assert written[column].tolist() == moved(original, column, KEY, 45)
    due = [coded(str(value), "4000", ">=", "label") for value in original["income"]]
    assert written["income"].tolist() == due
    assert written["weight"].tolist() == [rounded(str(v), "2.5", "half_up") for v in original["weight"]]
    told = json.loads(report.read_text(encoding="utf-8"))
    rules = tables_of(told, "rules")
    assert list(rules) == ["income", "admitted", "discharged", "weight"]
    for column in ("admitted", "discharged"):
        title, result, unprotected, parameters, n_coded = rules[column]
        assert title == "Date shift"
        assert result == (
            "Dates moved per person by up to 45 days; weekday, season and order across persons are not kept."
        )
        assert "one true date of a person gets all others" in unprotected
        assert parameters == "days = 45, skip_zero = True"
        assert n_coded is None
    assert rules["income"][1] == "Numbers from 4000 on written as one label."
    assert rules["income"][-1] == sum(value >= 4000 for value in original["income"])
    assert rules["weight"][1] == "Numbers rounded to the nearest multiple of 2.5, halves away from 0."
    roles = tables_of(told, "roles")
    assert all("released by a rule" in roles[column][1] for column in rules)
    for path in (report, summary, out, recipe):
        assert KEY not in path.read_bytes()


def test_in_the_window_moved_dates_lead_from_csv_to_a_verified_file(
    driver: Driver, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = tmp_path / "keys" / "new.key"
    monkeypatch.setattr("anonymizer_gui.forms.rule_form.ask_save", lambda *_: key)
    driver.open_table(table)
    driver.set_role(IDENTIFYING, "patient")
    box = driver.find("personBox")
    driver.click(box, QPoint(8, box.height() // 2))
    driver.set_role(QUASI, "age")
    driver.set_role(SENSITIVE, "income")
    driver.set_role(INSENSITIVE, "weight", "admitted", "discharged")
    driver.select_columns("admitted", "discharged")
    driver.choose("columnRuleBox", "Date shift")
    preflight = driver.wiring.configure.view.preflight
    driver.wait(lambda: any(f.key == "rule.key:admitted" for f in preflight.findings), LONG)
    driver.click("columnRuleSettings")
    dialog = driver.dialog("identifierDialog")
    assert dialog.rule.unprotected.text().startswith("Not protected: Moved dates are not true.")
    driver.click(driver.button(dialog, "newKeyButton"))
    assert key.exists()
    first = visits().iloc[0]
    secret = key.read_bytes().rstrip()
    due = first["admitted"] + timedelta(days=offset(secret, first["patient"], 365, True))
    assert dialog.rule.examples.text().startswith(f"{first['admitted']} → {due}")
    driver.type_into(dialog.rule.form.editor("days").widget, "45")
    due = first["admitted"] + timedelta(days=offset(secret, first["patient"], 45, True))
    assert dialog.rule.examples.text().startswith(f"{first['admitted']} → {due}")
    driver.click(driver.button(dialog, "acceptButton"))
    driver.select_columns("income")
    driver.choose("columnRuleBox", "Top coding")
    project = driver.session.project
    limit = project.rules["income"].limit  # type: ignore[attr-defined]
    assert 0 < (visits()["income"] >= limit).sum() < 0.1 * len(visits())
    driver.wait(lambda: driver.wiring.is_settled, LONG)
    assert not [f for f in preflight.findings if f.key.startswith("rule.key")]
    button = preflight.fix_button("no_hierarchy")
    assert button is not None
    driver.click(button)
    driver.wait(lambda: "age" in driver.session.project.hierarchies, LONG)  # type: ignore[union-attr]
    driver.click("tab.explore")
    driver.wait_settled()
    optimum = driver.session.results.optimum
    assert optimum is not None
    driver.click_node(optimum)
    driver.wait_settled()
    driver.apply()
    release = driver.session.applied.release
    assert f">= {limit:g}" in release.problem.sensitive[0].column.labels
    out = tmp_path / "out.csv"
    assert driver.export(out).startswith("Written and verified: out.csv")
    written = pd.read_csv(out, dtype=str)
    for column in ("admitted", "discharged"):
        assert written[column].tolist() == moved(visits(), column, secret, 45)
    save_project(driver.session.project, tmp_path / "visits.anon")
    assert secret not in (tmp_path / "visits.anon").read_bytes()
