"""A release with hidden cells is read with wildcards in the window, as its written file is by command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from anonymizer_gui.widgets.texts_table import TextsTable
from engine.cli import main as run_command
from tests.engine.report.test_wildcards_in_reports import RECIPE, REGIONS
from tests.window_driver import LONG, Driver, driven_window


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    with driven_window(qtbot, qapp) as made:
        yield made


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
    driver.click(driver.wiring.risk.view.switch.segments.segment("wildcards"))
    driver.wait_settled()
    card = driver.find("card.wildcards")
    driver.wait(lambda: card.findChildren(TextsTable))
    table = next(t for t in card.findChildren(TextsTable) if t.objectName() == "wildcards.wildcard_values")
    driver.wait(table.isVisible)
    shown = {row[0]: (row[1], row[2]) for row in table.texts.texts()}
    words = ["risk", str(out), "--qi", "region", "--qi", "sex", "--wildcard", "*", "--format", "json"]
    assert run_command([*words, "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)["wildcards"]
    assert (found["k"], found["as_values"]["k"]) == (8, 3)
    assert shown["Smallest size (k)"] == ("8", "3")
    assert float(shown["Average risk"][0]) == pytest.approx(found["average"], abs=5e-4)
    sentences = [label.text() for label in card.findChildren(QLabel) if label.isVisible()]
    assert any("at least 8 records, as values 3; read so, a table looks safer" in text for text in sentences)
    # the claims and the map know nothing of wildcards
    assert driver.session.applied.release.k == 3  # type: ignore[union-attr]
