"""A release with hidden cells is read with wildcards in the window, as its written file is by command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from anonymizer_gui.tables.table_view import TextsTable, column_width
from engine.cli import main as run_command
from engine.numbers import as_risk
from tests.engine.report.test_wildcards_in_reports import RECIPE, REGIONS
from tests.window_driver import LONG, Driver


def test_hidden_cells_of_a_release_are_read_twice(
    driver: Driver, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "regions.csv").write_text("\n".join(["region,sex", *REGIONS]) + "\n", encoding="utf-8")
    recipe, out = tmp_path / "recipe.toml", tmp_path / "out.csv"
    recipe.write_text(RECIPE + '[recoding]\nmethod = "cells"\n', encoding="utf-8")
    assert driver.drop(recipe)
    driver.wait(lambda: driver.session.applied.release is not None, LONG)
    driver.wait_settled()
    assert driver.export(out).startswith("Written and verified: out.csv")
    driver.click("tab.risk")
    driver.wait_settled()
    driver.click(driver.wiring.risk.view.switch.segments.segment("tests"))
    driver.wait_settled()
    driver.click("trialRun.wildcards")
    driver.wait_settled()
    card = driver.find("card.wildcards")
    driver.wait(lambda: card.findChildren(TextsTable) and card.findChildren(TextsTable)[0].isVisible())
    sizes, risks = values_of(driver, "wildcard_values"), values_of(driver, "wildcard_risks")
    words = ["risk", str(out), "--qi", "region", "--qi", "sex", "--wildcard", "*", "--format", "json"]
    assert run_command([*words, "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)["wildcards"]
    assert (found["k"], found["as_values"]["k"]) == (8, 3)
    assert sizes["Smallest size (k)"] == ("8", "3")
    assert risks["Average risk"] == (as_risk(found["average"]), as_risk(found["as_values"]["average"]))
    assert risks["Records at risk"] == ("0.0\u202f%", as_risk(found["as_values"]["records_at_risk"]))
    sentences = [label.text() for label in card.findChildren(QLabel) if label.isVisible()]
    assert any("at least 8 records, as values 3; read so, a table looks safer" in text for text in sentences)
    # the claims and the map know nothing of wildcards
    assert driver.session.applied.release.k == 3  # type: ignore[union-attr]

    # settings: the weight of a match, and the accepted risk of the whole perspective
    driver.type_into("param.match_weight", "0")
    driver.key(Qt.Key.Key_Tab)
    driver.wait(lambda: values_of(driver, "wildcard_values")["Smallest size (k)"][0] != "8", LONG)
    words += ["--match-weight", "0", "--threshold", "0.1"]
    driver.type_into("riskThreshold", "10")
    driver.key(Qt.Key.Key_Return)
    assert run_command([*words, "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)["wildcards"]
    wanted = as_risk(found["records_at_risk"])
    driver.wait(lambda: values_of(driver, "wildcard_risks")["Records at risk"][0] == wanted, LONG)
    assert values_of(driver, "wildcard_values")["Smallest size (k)"][0] == str(found["k"])
    for name in ("wildcard_values", "wildcard_risks"):
        table = table_of(driver, name)
        for place in range(table.texts.columnCount()):
            assert table.columnWidth(place) >= column_width(table.texts, place)


def table_of(driver: Driver, name: str) -> TextsTable:
    return driver.find(f"wildcards.{name}", TextsTable)


def values_of(driver: Driver, name: str) -> dict[str, tuple[str, str]]:
    """Return each value with wildcards and as values, as shown."""
    return {row[0]: (row[1], row[2]) for row in table_of(driver, name).texts.texts()}
