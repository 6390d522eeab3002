"""Analyze risk with a release of the clinic's 2,000 patients, in a separate window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.risk.presenter import RiskPresenter
from anonymizer_gui.perspectives.start.table_opening import TableOpening
from anonymizer_gui.session import Session
from anonymizer_gui.session.analyses import AnalysisDesk
from anonymizer_gui.tasks import TaskRunner
from anonymizer_gui.theming import theme_manager
from engine.assessment import Subject
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.recoding import make_release
from engine.table.options import JUDGED

NODE = (2, 3, 1, 3, 1)  # of the clinic: satisfies, 61 suppressed, 125 classes


@dataclass(frozen=True)
class Bench:
    """The perspective with its session and presenters."""

    qtbot: QtBot
    window: QMainWindow
    session: Session
    runner: TaskRunner
    desk: AnalysisDesk
    risk: RiskPresenter

    @property
    def subject(self) -> Subject:
        """Return the applied release as input of the engine's analyses."""
        found = self.desk.subject
        assert found is not None
        return found

    def apply(self, project: Project, node: tuple[int, ...]) -> None:
        """Apply a release, and wait for its visible analyses."""
        if self.session.project is not project:
            self.session.open_project(project)
        self.session.applied.set(make_release(project, compile_problem(project), node), project)
        self.settle()

    def settle(self) -> None:
        """Wait for all visible analyses."""
        self.qtbot.waitUntil(lambda: self.risk.is_settled and not self.runner.is_busy, timeout=20_000)

    def find(self, name: str) -> Any:
        """Wait for and return the visible widget of that name: a layout shows new widgets later."""

        def found() -> list[QWidget]:
            return [w for w in self.window.findChildren(QWidget, name) if w.isVisible()]

        self.qtbot.waitUntil(lambda: len(found()) == 1, timeout=2_000)
        return found()[0]

    def click(self, name: str) -> None:
        self.qtbot.mouseClick(self.find(name), Qt.MouseButton.LeftButton)

    def choose(self, name: str, text: str) -> None:
        """Choose an entry of a box by keys."""
        box = self.find(name)
        wanted = box.findText(text, Qt.MatchFlag.MatchStartsWith)
        assert wanted >= 0, [box.itemText(i) for i in range(box.count())]
        box.setFocus()
        while box.currentIndex() != wanted:
            key = Qt.Key.Key_Down if box.currentIndex() < wanted else Qt.Key.Key_Up
            self.qtbot.keyClick(box, key)

    def show_page(self, key: str) -> None:
        """Choose a page by mouse."""
        segment = self.risk.view.switch.segments.segment(key)
        self.qtbot.mouseClick(segment, Qt.MouseButton.LeftButton)
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
        opening = TableOpening(window, runner, "risk.linkage", JUDGED)
        risk = RiskPresenter(session, desk, runner, opening)
        window.setCentralWidget(risk.view)
    qtbot.addWidget(window)
    window.resize(1440, 802)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield Bench(qtbot, window, session, runner, desk, risk)
    session.close_project()
    runner.shutdown()
    session.history.own.blockSignals(True)


@pytest.fixture
def bench(empty_bench: Bench, clinic: Project) -> Bench:
    """Return the perspective with the clinic's release, settled."""
    empty_bench.apply(clinic, NODE)
    return empty_bench
