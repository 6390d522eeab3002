"""Analyze utility with a release of the clinic's 2,000 patients, in a separate window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.utility.presenter import UtilityPresenter
from anonymizer_gui.perspectives.utility.tables.side_table import SideTable
from anonymizer_gui.session import Session
from anonymizer_gui.session.analyses import AnalysisDesk
from anonymizer_gui.theming import theme_manager
from engine.findings.base import utility_analyses
from engine.project import Project
from tests.anonymizer_gui.perspectives.conftest import ReleaseBench

NODE = (2, 3, 1, 3, 1)  # of the clinic: satisfies, 61 suppressed, 125 classes
LEFT = Qt.MouseButton.LeftButton


@dataclass(frozen=True)
class Bench(ReleaseBench):
    """The perspective with its session and presenters."""

    utility: UtilityPresenter

    def ask(self, key: str, **values: object) -> Any:
        """Return the result of the engine; slow results are cached."""
        analysis = utility_analyses.create(key, **values)
        return (self.desk.known(analysis) if analysis.is_costly else None) or analysis.run(self.subject)

    def settle(self) -> None:
        """Wait for all visible analyses; a busy machine leaves a classifier, of low priority, little time."""
        self.qtbot.waitUntil(
            lambda: self.utility.is_settled and not self.session.runner.is_busy, timeout=120_000
        )

    def click(self, name: str) -> None:
        self.qtbot.mouseClick(self.find(name), LEFT)
        self.settle()

    def choose(self, name: str, text: str) -> None:
        super().choose(name, text)
        self.settle()

    def open_pane(self, card: str, key: str) -> None:
        """Choose a pane of a card by mouse."""
        chooser = self.utility.view.cards[card].chooser
        self.qtbot.mouseClick(chooser.segment(key), LEFT)
        self.settle()

    def click_row(self, table: SideTable, row: int, column: int = 0) -> None:
        """Click a cell."""
        place = table.visualRect(table.side.index(row, column)).center()
        self.qtbot.mouseClick(table.viewport(), LEFT, pos=place)
        self.settle()

    def click_header(self, table: SideTable, name: str) -> None:
        """Click the header of a column."""
        place = table.side.table.names.index(name)
        x = table.columns.sectionViewportPosition(place) + table.columns.sectionSize(place) // 2
        self.qtbot.mouseClick(table.columns.viewport(), LEFT, pos=QPoint(x, table.columns.height() // 2))
        self.settle()


@pytest.fixture
def empty_bench(qtbot: QtBot, themed: QApplication) -> Iterator[Bench]:
    """Return the perspective without a project."""
    session = Session()
    desk = AnalysisDesk(session)
    with theme_manager().building(themed):
        window = QMainWindow()
        utility = UtilityPresenter(desk)
        window.setCentralWidget(utility.view)
    qtbot.addWidget(window)
    window.resize(1440, 802)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield Bench(qtbot, window, session, desk, utility)
    session.close_project()
    session.runner.shutdown()
    session.history.own.blockSignals(True)


@pytest.fixture
def bench(empty_bench: Bench, clinic: Project) -> Bench:
    """Return the perspective with the clinic's release, settled."""
    empty_bench.apply(clinic, NODE)
    return empty_bench
