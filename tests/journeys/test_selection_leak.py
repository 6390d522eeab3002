"""Ten people in two towns: from the warning, over a refused release, to one whose choice tells nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from engine.cli import main
from tests.engine.findings.test_selection_gate import TOWNS
from tests.third_oracle import write_recipe
from tests.window_driver import Driver

CONTROL = Qt.KeyboardModifier.ControlModifier


def towns(folder: Path) -> Path:
    """Write the recipe of two towns whose release may give away a gain of 0.1."""
    case = {"persons": None, "others_as_qi": False, **TOWNS}
    return write_recipe(folder, case, "[search]", 'metric = "loss"', "selection_gain = 0.1")


def test_a_warning_leads_to_a_release_that_gives_nothing_away(driver: Driver, tmp_path: Path) -> None:
    recipe, out = towns(tmp_path / "towns"), tmp_path / "released.csv"
    session = driver.session
    assert driver.drop(recipe)
    driver.wait(lambda: session.project is not None)
    driver.wait_settled()
    driver.click("tab.explore")
    driver.wait_settled()
    driver.apply_by_keys()
    assert session.applied.node == (1,)
    assert driver.export(out).startswith("The selection leak is not within the accepted gain of 10.0\u202f%.")
    assert not out.exists()

    driver.click("tab.risk")
    driver.wait_settled()
    driver.click(driver.wiring.risk.view.switch.segments.segment("tests"))
    driver.wait_settled()
    driver.click("trialRun.selection_leak")
    driver.wait_settled()
    result = driver.find("trialResult.selection_leak", QLabel).text()
    assert "5.5 bits" in result
    assert "'HIV' in illness rises from 20.0\u202f% to 100.0\u202f%" in result
    driver.key(Qt.Key.Key_E, CONTROL)
    texts = [label.text() for label in driver.dialog("exportDialog").findChildren(QLabel)]
    assert "5.5 bits; no record gains more than 80.0\u202f% (exact)" in texts
    driver.key(Qt.Key.Key_Escape)
    driver.wait_settled()
    driver.find("findLeakRemedies").setFocus()
    driver.key(Qt.Key.Key_Space)
    driver.wait_settled()
    driver.find("leakRemedy.by_size")
    driver.click("leakRemedy.check")
    assert session.project is not None
    assert (session.project.search.enforce, session.project.requirement.k) == ("check", 3)
    driver.key(Qt.Key.Key_Z, CONTROL)
    assert session.project.search.enforce == "during"
    driver.click("findLeakRemedies")
    driver.wait_settled()
    driver.find("leakRemedy.check").setFocus()
    driver.key(Qt.Key.Key_Space)
    driver.wait_settled()

    driver.click("tab.explore")
    driver.wait_settled()
    with driver.qtbot.waitSignal(session.applied.changed):
        driver.key(Qt.Key.Key_Return, CONTROL)
    driver.wait_settled()
    assert "verified" in driver.export(out)
    assert out.read_text(encoding="utf-8").splitlines()[1] == "*,HIV"


def test_the_command_refuses_and_then_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe, out = towns(tmp_path / "towns"), tmp_path / "released.csv"
    words = ["anonymize", str(recipe), "--out", str(out), "--format", "json"]
    assert main(words) == 1
    assert 'enforce = "check"), with k = 3' in " ".join(capsys.readouterr().err.split())
    assert not out.exists()
    text = recipe.read_text(encoding="utf-8")
    text = text.replace("k = 2", "k = 3").replace("[search]", '[search]\nenforce = "check"')
    recipe.write_text(text, encoding="utf-8")
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["selection_leak"]["selection_gain"] == 0.0
    assert out.exists()
