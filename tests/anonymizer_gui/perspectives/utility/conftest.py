"""Analyze utility with a release of the clinic's 2,000 patients, in a separate window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, QPoint, Qt
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.utility.presenter import UtilityPresenter
from anonymizer_gui.perspectives.utility.tables.side_table import SideTable
from anonymizer_gui.session import Session
from anonymizer_gui.session.analyses import AnalysisDesk
from anonymizer_gui.tasks import TaskRunner
from anonymizer_gui.theming import theme_manager
from engine.assessment import Subject, utility_analyses
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.recoding import make_release

NODE = (2, 3, 1, 3, 1)  # of the clinic: satisfies, 61 suppressed, 125 classes
LEFT = Qt.MouseButton.LeftButton


@dataclass(frozen=True)
class Bench:
    """The perspective with its session and presenters."""

    qtbot: QtBot
    window: QMainWindow
    session: Session
    runner: TaskRunner
    desk: AnalysisDesk
    utility: UtilityPresenter

    @property
    def subject(self) -> Subject:
        """Return the applied release as input of the engine's analyses."""
        found = self.desk.subject
        assert found is not None
        return found

    def ask(self, key: str, **values: object) -> Any:
        """Return the result of the engine; slow results are cached."""
        analysis = utility_analyses.create(key, **values)
        return (self.desk.known(analysis) if analysis.is_costly else None) or analysis.run(self.subject)

    def apply(self, project: Project, node: tuple[int, ...]) -> None:
        """Apply a release, and wait for its visible analyses."""
        if self.session.project is not project:
            self.session.open_project(project)
        self.session.applied.set(make_release(project, compile_problem(project), node), project)
        self.settle()

    def settle(self) -> None:
        """Wait for all visible analyses; a busy machine leaves a classifier, of low priority, little time."""
        self.qtbot.waitUntil(lambda: self.utility.is_settled and not self.runner.is_busy, timeout=120_000)

    def find(self, name: str) -> Any:
        """Wait for and return the visible widget of that name: a layout shows new widgets later."""

        def found() -> list[QWidget]:
            return [w for w in self.window.findChildren(QWidget, name) if w.isVisible()]

        self.qtbot.waitUntil(lambda: len(found()) == 1, timeout=2_000)
        return found()[0]

    def click(self, name: str) -> None:
        self.qtbot.mouseClick(self.find(name), LEFT)
        self.settle()

    def choose(self, name: str, text: str) -> None:
        """Choose an entry of a box by keys."""
        box = self.find(name)
        wanted = box.findText(text, Qt.MatchFlag.MatchStartsWith)
        assert wanted >= 0, [box.itemText(i) for i in range(box.count())]
        box.setFocus()
        while box.currentIndex() != wanted:
            key = Qt.Key.Key_Down if box.currentIndex() < wanted else Qt.Key.Key_Up
            self.qtbot.keyClick(box, key)
        self.settle()

    def open_pane(self, card: str, key: str) -> None:
        """Choose a pane of a card by mouse."""
        chooser = self.utility.view.cards[card].chooser
        assert chooser is not None
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


def texts(model: QAbstractItemModel) -> list[list[str]]:
    """Return the texts of a table."""
    return [
        [str(model.index(row, column).data() or "") for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


@pytest.fixture(scope="session")
def clinic(examples: Path) -> Project:
    """Return 2,000 patients with five quasi-identifying and two sensitive columns."""
    return read_recipe(examples / "clinic" / "recipe.toml")


@pytest.fixture
def empty_bench(qtbot: QtBot, themed: QApplication) -> Iterator[Bench]:
    """Return the perspective without a project."""
    session, runner = Session(), TaskRunner()
    desk = AnalysisDesk(session, runner)
    with theme_manager().building(themed):
        window = QMainWindow()
        utility = UtilityPresenter(session, desk, runner)
        window.setCentralWidget(utility.view)
    qtbot.addWidget(window)
    window.resize(1440, 802)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield Bench(qtbot, window, session, runner, desk, utility)
    session.close_project()
    runner.shutdown()
    session.history.own.blockSignals(True)


@pytest.fixture
def bench(empty_bench: Bench, clinic: Project) -> Bench:
    """Return the perspective with the clinic's release, settled."""
    empty_bench.apply(clinic, NODE)
    return empty_bench
