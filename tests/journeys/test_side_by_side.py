"""A class of k people protects nobody whose records lie side by side: said everywhere, and prevented."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from engine.cli import main as run_command
from engine.pipeline import anonymize
from engine.project.claims import release_claim
from engine.project.recipe.files import read_recipe
from engine.records.options import ExportOptions
from engine.verification import Limits, verify
from engine.verification.claims import Judge
from tests import persons_by_hand as by_hand
from tests.table_of_visits import PANEL_QI, PANEL_RECIPE, panel
from tests.window_driver import LONG, Driver

TABLE = panel()
SHUFFLE = "shuffle = true"


def recipe_in(folder: Path, more: str = "", **parts: str) -> Path:
    TABLE.to_csv(folder / "panel.csv", index=False)
    chosen = {"identifying": ', "chip", "blood"', "insensitive": "", "rule": "star"} | parts
    recipe = folder / "recipe.toml"
    recipe.write_text(PANEL_RECIPE.format(more=more, **chosen))
    return recipe


def released(folder: Path, more: str = "", node: str = "0,0", **parts: str) -> dict[str, Any]:
    recipe = recipe_in(folder, more, **parts)
    return run(folder, recipe, "--node", node)


def run(folder: Path, recipe: Path, *words: str) -> dict[str, Any]:
    out, summary = folder / "out.csv", folder / "summary.json"
    out.unlink(missing_ok=True)
    assert run_command(["anonymize", str(recipe), "--out", str(out), "--summary", str(summary), *words]) == 0
    found: dict[str, Any] = json.loads(summary.read_text())
    return found


def kept_rows(folder: Path) -> list[by_hand.Row]:
    """Return class, person and sensitive value of the kept records of a file in the order of the table."""
    written = pd.read_csv(folder / "out.csv", dtype=str)
    kept = written[~(written[PANEL_QI] == "*").all(axis=1)]
    labels = [tuple(row) for row in kept[PANEL_QI].itertuples(index=False)]
    return list(zip(labels, TABLE["person"][kept.index], kept["health"], strict=True))


def test_the_file_tells_by_its_order_whose_records_are_whose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = released(tmp_path)
    rows = kept_rows(tmp_path)
    alone = by_hand.alone(rows)
    assert found["k"] == min(len(by_hand.people(own)) for own in by_hand.by_class(rows).values()) > 5
    assert found["persons"]["chained"] == {
        "2": by_hand.chained(rows, 2),
        "all": by_hand.chained(rows, None),
    }
    assert found["persons"]["chained"]["all"] == 1
    assert found["persons"]["linked_by"] == {"columns": {}, "order": 200, "alone": alone}
    said = (
        f"All records of a person together match as few as 1 person, and {alone} people match nobody else, "
        "because the records of a person are side by side."
    )
    (note,) = (note for note in found["notes"] if note.startswith(said))
    assert "Of 200 people with several records, 200 have all of them side by side: set shuffle" in note
    printed = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "by any two records as few as 1 person match" in printed
    assert "all records of a person together match as few as 1 person, and" in printed
    words = ["verify", str(tmp_path / "out.csv"), "--recipe", str(tmp_path / "recipe.toml")]
    assert run_command([*words, "--format", "json"]) == 0
    verified = json.loads(capsys.readouterr().out)
    assert verified["chained"] == found["persons"]["chained"]
    assert note in verified["notes"]


def test_a_file_with_its_code_is_measured_by_all_records_of_a_person(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = released(tmp_path, SHUFFLE, rule="pseudonym")
    words = ["check", str(tmp_path / "out.csv"), "--qi", "year", "--qi", "pay", "--person", "person"]
    capsys.readouterr()
    assert run_command([*words, "--format", "json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["persons"]["chained"] == found["persons"]["chained"]


def test_after_a_shuffle_the_order_no_longer_counts(tmp_path: Path) -> None:
    found = released(tmp_path, SHUFFLE)
    assert "chained" not in found["persons"]
    assert "notes" not in found
    first = pd.read_csv(tmp_path / "out.csv", dtype=str)["year"].head(12).tolist()
    assert first != [str(year) for year in TABLE["year"].head(12)]


@pytest.mark.parametrize(
    ("parts", "columns"),
    [
        ({"insensitive": '"chip"', "identifying": ', "blood"'}, {"chip": 200}),
        ({"rule": "pseudonym"}, {"person": 200, "chip": 200, "blood": 0}),
        ({"insensitive": '"blood"', "identifying": ', "chip"'}, {"blood": 0}),
    ],
)
def test_a_column_with_one_value_per_person_links_after_a_shuffle_too(
    tmp_path: Path, parts: dict[str, str], columns: dict[str, int]
) -> None:
    found = released(tmp_path, SHUFFLE, **parts)
    assert found["persons"]["linked_by"]["columns"] == columns
    assert found["persons"]["chained"] == {"2": 1, "all": 1}
    is_certain = any(columns.values())
    match = "match" if is_certain else "could match"
    (note,) = (n for n in found["notes"] if f"together {match} as few as 1 person" in n)
    assert ("shared with others" in note) is (0 in columns.values())


def test_suppressed_records_of_a_person_with_kept_ones_are_counted_and_gone_with_whole_persons(
    tmp_path: Path,
) -> None:
    recipe = recipe_in(tmp_path, "suppression_limit = 1.0")
    recipe.write_text(recipe.read_text().replace("k = 5", "k = 45"))
    found = run(tmp_path, recipe, "--node", "0,0")
    written = pd.read_csv(tmp_path / "out.csv", dtype=str)
    star = (written[PANEL_QI] == "*").all(axis=1)
    kept = set(TABLE["person"][~star])
    assert found["persons"]["readable"] == sum(person in kept for person in TABLE["person"][star]) > 0
    assert any(
        f"{found['persons']['readable']} suppressed records can be recognized" in n for n in found["notes"]
    )
    recipe.write_text(
        recipe.read_text().replace("suppression_limit", "whole_persons = true\nsuppression_limit")
    )
    whole = run(tmp_path, recipe, "--node", "0,0")
    assert whole["persons"].get("readable", 0) == 0


@pytest.mark.parametrize("place", ["files", pytest.param("database", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("counts_people", [True, False])
def test_tables_in_files_and_databases_say_the_same(
    tmp_path: Path, place: str, *, counts_people: bool
) -> None:
    parts = {"insensitive": '"chip"', "identifying": ', "blood"'}
    recipe = recipe_in(tmp_path, "suppression_limit = 1.0", **parts)
    recipe.write_text(recipe.read_text().replace("k = 5", "k = 45"))
    if not counts_people:
        recipe.write_text(recipe.read_text().replace('person = "person"', ""))
    here = run(tmp_path, recipe, "--node", "0,0")
    text = recipe.read_text()
    if place == "files":
        recipe.write_text(text.replace('path = "panel.csv"', 'path = "panel.csv"\nsource = "disk"'))
    else:
        with sqlite3.connect(tmp_path / "panel.db") as opened:
            TABLE.to_sql("panel", opened, index=False)
        address = f"sqlite:///{tmp_path / 'panel.db'}?table=panel"
        recipe.write_text(text.replace('path = "panel.csv"', f'path = "{address}"\nsource = "server"'))
    there = run(tmp_path, recipe, "--node", "0,0")
    assert there["source"] != here["source"]
    for key in ("persons", "notes", "neighbours", "k"):
        assert there.get(key) == here.get(key), key


@pytest.mark.parametrize("judge", ["memory", "database"])
def test_every_judge_counts_the_people_who_match_all_records(tmp_path: Path, judge: Judge) -> None:
    project = read_recipe(recipe_in(tmp_path))
    run(tmp_path, tmp_path / "recipe.toml", "--node", "0,0")
    release = anonymize(project, (0, 0)).release
    claim = release_claim(project, release, tmp_path / "panel.csv", tmp_path / "out.csv", ExportOptions())
    limits = Limits() if judge == "memory" else Limits(records=0)
    found = verify(claim, limits=limits)
    assert (found.ok, found.judge, found.measured["chained"]) == (True, judge, {"2": 1, "all": 1})
    wrong = dataclasses.replace(claim.expected, chained={"2": 1, "all": 2})
    problems = verify(dataclasses.replace(claim, expected=wrong), limits=limits).problems
    assert problems == ("The claim is people by all records = 2, but the file has 1.",)


def applied_in(driver: Driver, folder: Path) -> None:
    """Open the table, set its roles and count people, and apply the optimum."""
    TABLE.to_csv(folder / "panel.csv", index=False)
    driver.open_table(folder / "panel.csv")
    driver.set_role(Qt.Key.Key_1, "person", "chip", "blood")
    driver.set_role(Qt.Key.Key_3, "health")
    driver.set_role(Qt.Key.Key_2, *PANEL_QI)
    driver.select_columns("person")
    driver.find("personBox").setFocus()
    driver.qtbot.keyClick(driver.find("personBox"), Qt.Key.Key_Space)
    fix(driver, "no_hierarchy")
    driver.wait(lambda: len(driver.session.project.hierarchies) == len(PANEL_QI), LONG)  # type: ignore[union-attr]
    driver.click("tab.explore")
    driver.wait_settled()
    driver.apply()


def fix(driver: Driver, key: str) -> None:
    """Click the fix of a finding once it is there."""
    preflight = driver.wiring.configure.view.preflight
    driver.wait(lambda: driver.wiring.is_settled and preflight.fix_button(key) is not None, LONG)
    button = preflight.fix_button(key)
    assert button is not None
    driver.click(button)


def is_shuffled(driver: Driver) -> bool:
    project = driver.session.project
    return project is not None and project.transformation.shuffle


def test_in_the_window_the_pre_flight_offers_to_shuffle(driver: Driver, tmp_path: Path) -> None:
    applied_in(driver, tmp_path)
    driver.click("tab.configure")
    fix(driver, "linked")
    driver.wait(lambda: is_shuffled(driver), LONG)
    shown = driver.wiring.configure.view.preflight
    driver.wait(lambda: driver.wiring.is_settled and not any(f.key == "linked" for f in shown.findings), LONG)


def test_the_export_says_who_matches_nobody_else_and_shuffles_by_one_click(
    driver: Driver, tmp_path: Path
) -> None:
    applied_in(driver, tmp_path)
    driver.key(Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    dialog = driver.dialog("exportDialog")
    clause = dialog.findChild(QLabel, "linkedClause")
    driver.wait(clause.isVisible, LONG)
    assert "people match nobody else, because the records of a person are side by side" in clause.text()
    driver.type_into("exportPath", str(tmp_path / "ordered.csv"))
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: dialog.written or dialog.banner.isVisible(), LONG)  # type: ignore[attr-defined]
    facts = dialog.findChild(QLabel, "exportDetails")
    assert "people match nobody else" in facts.text()
    driver.click("param.shuffle")
    driver.wait(lambda: is_shuffled(driver) and not clause.isVisible(), LONG)
    driver.key(Qt.Key.Key_Escape)
    assert driver.export(tmp_path / "mixed.csv").startswith("Written and verified: mixed.csv")
    ordered, mixed = (pd.read_csv(tmp_path / name, dtype=str) for name in ("ordered.csv", "mixed.csv"))
    assert ordered["year"].tolist() != mixed["year"].tolist()
    assert sorted(ordered["year"]) == sorted(mixed["year"])
