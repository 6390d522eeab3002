"""The verdict has the same clauses in *Analyze risk*, in the export dialog and in the report."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from engine.findings.subject import Subject
from engine.report import INTERNAL, PUBLIC, ReportedRelease, ReportSettings, rendered, report_of
from tests.window_driver import LONG, Driver, driven_window

EXAMPLES = Path(__file__).resolve().parents[2] / "resources" / "examples"
CLAUSES = ("identity", "class", "unchanged")


def shown(driver: Driver, names: dict[str, str]) -> list[str]:
    driver.wait(lambda: all(driver.window.findChildren(QLabel, name) for name in names.values()), LONG)
    driver.wait(lambda: all(driver.find(name, QLabel).text() for name in names.values()), LONG)
    return [driver.find(name, QLabel).text().rstrip(".") for name in names.values()]


def summary(driver: Driver, audience: str) -> list[dict[str, str]]:
    made_with, release = driver.session.applied.made_with, driver.session.applied.release
    assert made_with is not None
    assert release is not None
    material = ReportedRelease(Subject(made_with, release), ReportSettings(audience))
    sections = json.loads(rendered(report_of(material), ".json"))["sections"]
    (found,) = (section for section in sections if section["key"] == "decision")
    blocks: list[dict[str, str]] = found["blocks"]
    before = next(i for i, block in enumerate(blocks) if block.get("key") == "figures")
    said = [block for block in blocks[:before] if block["type"] == "paragraph"]
    clauses = [block for block in said if block["tone"] != "note"]  # the status is no clause
    tones = [("danger", "warn", "ok").index(block["tone"]) for block in clauses]
    assert tones == sorted(tones)  # the worst first
    return clauses


@pytest.mark.parametrize("example", ["hospital", "clinic"])
def test_risk_export_and_report_have_the_same_clauses(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, example: str
) -> None:
    folder = tmp_path / example
    shutil.copytree(EXAMPLES / example, folder)
    with driven_window(qtbot, qapp) as driver:
        driver.drop(folder / "recipe.toml")
        driver.wait(lambda: driver.session.project is not None)
        driver.wait_settled()
        driver.click("tab.explore")
        driver.wait_settled()
        driver.apply()
        driver.click("tab.risk")
        driver.wait_settled()
        in_risk = shown(driver, {key: f"riskClause.{key}" for key in CLAUSES})
        driver.key(Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
        driver.dialog("exportDialog")
        driver.wait(lambda: driver.window.findChildren(QLabel, "classClause")[0].isVisible(), LONG)
        *in_dialog, unchanged = shown(
            driver, dict(zip(CLAUSES, ("identityClause", "classClause", "unchangedColumns"), strict=True))
        )
        assert in_dialog == in_risk[:2]
        assert unchanged.startswith(in_risk[2])
        in_report = summary(driver, INTERNAL)
        texts = [block["text"].rstrip(".") for block in in_report]
        assert sorted(text for text in texts if text in in_risk) == sorted(in_risk)
        (*further,) = (text for text in texts if text not in in_risk)  # what the order reveals
        assert [text.partition(" suppressed records, ")[0] for text in further] == ["Of 57"] * (
            example == "clinic"
        )
        for_public = summary(driver, PUBLIC)
        assert len(for_public) == len(in_report)
