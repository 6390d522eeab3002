"""Analyze risk in the complete window: from an applied node to the verified file and the table."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.window_driver import driven_window


def test_a_release_is_analyzed_written_and_looked_up_by_mouse_and_keys(
    qtbot: QtBot, themed: QApplication, tmp_path: Path
) -> None:
    with driven_window(qtbot, themed) as driver:
        driver.open_example("hospital")
        driver.click("tab.risk")
        driver.wait(lambda: driver.find("riskAction").text() == "Apply the optimum")  # type: ignore[attr-defined]
        with qtbot.waitSignal(driver.session.applied.changed):
            driver.click("riskAction")
        driver.wait_settled()
        assert "can be matched with a certainty above" in driver.find("riskClause.identity").text()  # type: ignore[attr-defined]
        assert driver.find("riskBasis").text() == "Computed from the release"  # type: ignore[attr-defined]
        driver.export(tmp_path / "out.csv")
        driver.wait(lambda: driver.find("riskBasis").text() == "Recomputed from the written file")  # type: ignore[attr-defined]
        switch = driver.wiring.risk.view.switch.segments
        driver.click(switch.segment("tests"))
        driver.wait_settled()
        driver.click("trialRun.population_uniqueness")
        driver.wait_settled()
        driver.click("setting.people")
        dialog = driver.dialog("peopleDialog")
        driver.key(Qt.Key.Key_Escape)
        driver.wait(lambda: not dialog.isVisible())
        driver.click(switch.segment("exposed_records"))
        driver.wait_settled()
        driver.click("showInTable")
        driver.wait(lambda: driver.window.page == "utility")
        driver.wait_settled()
        driver.key(Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
        assert driver.window.page == "risk"
