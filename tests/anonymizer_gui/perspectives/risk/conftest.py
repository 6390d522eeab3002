"""Analyze risk with a release of the clinic's 2,000 patients, in a separate window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.risk.presenter import RiskPresenter
from anonymizer_gui.perspectives.start.table_opening import OpenFlow, TableOpening
from anonymizer_gui.session import Session
from anonymizer_gui.session.analyses import AnalysisDesk
from anonymizer_gui.theming import theme_manager
from engine.project import Project
from engine.records.options import JUDGED
from tests.anonymizer_gui.perspectives.conftest import ReleaseBench

NODE = (2, 3, 1, 3, 1)  # of the clinic: satisfies, 61 suppressed, 125 classes


@dataclass(frozen=True)
class Bench(ReleaseBench):
    """The perspective with its session and presenters."""

    risk: RiskPresenter

    def settle(self) -> None:
        """Wait for all visible analyses."""
        self.qtbot.waitUntil(lambda: self.risk.is_settled and not self.session.runner.is_busy, timeout=20_000)

    def click(self, name: str) -> None:
        self.qtbot.mouseClick(self.find(name), Qt.MouseButton.LeftButton)

    def show_page(self, key: str) -> None:
        """Choose a page by mouse, or open the row of a test."""
        view = self.risk.view
        segment = view.switch.segments.segment(key if key in view.pages else "tests")
        self.qtbot.mouseClick(segment, Qt.MouseButton.LeftButton)
        self.settle()
        if key not in view.pages and not view.tests.rows[key].toggle.isChecked():
            self.click(f"trialToggle.{key}")
            self.settle()


@pytest.fixture
def empty_bench(qtbot: QtBot, themed: QApplication) -> Iterator[Bench]:
    """Return the perspective without a project."""
    session = Session()
    desk = AnalysisDesk(session)
    with theme_manager().building(themed):
        window = QMainWindow()
        opening = TableOpening(OpenFlow(window, session.runner), "risk.linkage", JUDGED)
        risk = RiskPresenter(desk, opening)
        window.setCentralWidget(risk.view)
    qtbot.addWidget(window)
    window.resize(1440, 802)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield Bench(qtbot, window, session, desk, risk)
    session.close_project()
    session.runner.shutdown()
    session.history.own.blockSignals(True)


@pytest.fixture
def bench(empty_bench: Bench, clinic: Project) -> Bench:
    """Return the perspective with the clinic's release, settled."""
    empty_bench.apply(clinic, NODE)
    return empty_bench
