"""Perspectives in the whole window, or with a release in a window of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtWidgets import QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.session import Session
from anonymizer_gui.session.analyses import AnalysisDesk
from engine.findings.subject import Subject
from engine.project import Project
from engine.project.compile import compile_problem
from engine.recoding import make_release


@dataclass(frozen=True)
class ReleaseBench:
    """A perspective on a release, with its session."""

    qtbot: QtBot
    window: QMainWindow
    session: Session
    desk: AnalysisDesk

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

    def find(self, name: str) -> Any:
        """Wait for and return the visible widget of that name: a layout shows new widgets later."""

        def found() -> list[QWidget]:
            return [w for w in self.window.findChildren(QWidget, name) if w.isVisible()]

        self.qtbot.waitUntil(lambda: len(found()) == 1, timeout=2_000)
        return found()[0]

    def choose(self, name: str, text: str) -> None:
        """Choose an entry of a box by keys."""
        box = self.find(name)
        wanted = box.findText(text, Qt.MatchFlag.MatchStartsWith)
        assert wanted >= 0, [box.itemText(i) for i in range(box.count())]
        box.setFocus()
        while box.currentIndex() != wanted:
            key = Qt.Key.Key_Down if box.currentIndex() < wanted else Qt.Key.Key_Up
            self.qtbot.keyClick(box, key)

    def settle(self) -> None:
        """Wait for all visible analyses."""
        raise NotImplementedError


def texts(model: QAbstractItemModel) -> list[list[str]]:
    """Return the texts of a table."""
    return [
        [str(model.index(row, column).data() or "") for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]
