"""Applies nodes: makes the release in a task and gives it to the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.session.session import Session
from anonymizer_gui.session.visited import Node
from anonymizer_gui.tasks import Task, TaskRunner
from engine.project import Project

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.recoding import Release


class ReleaseController(QObject):
    """One release at a time; a newer wish supersedes an older one."""

    failed = Signal(object)  # the exception
    state_changed = Signal()

    def __init__(self, session: Session, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = runner
        self._waiting: Node | None = None  # applied as soon as the settings of now are compiled
        session.project_opened.connect(self._on_project_opened)
        session.problem_changed.connect(self._on_problem_changed)

    @property
    def is_applying(self) -> bool:
        return self._waiting is not None or self._runner.running("release") is not None

    def apply(self, node: Node) -> None:
        """Make the release of a node the applied one."""
        project, problem = self._session.project, self._session.problem
        if project is None:
            return
        if problem is None or not self._session.is_problem_current:
            self._waiting = node
            return
        self._waiting = None
        if node not in problem.lattice:
            return
        task = Task(_release, project, problem, node)
        task.succeeded.connect(lambda release: self._session.set_release(release, project))
        task.failed.connect(self.failed)
        task.ended.connect(self.state_changed)
        self._runner.start(task, label=self.tr("Applying the node"), key="release")
        self.state_changed.emit()

    def apply_optimum(self) -> None:
        """Apply the optimum of the evaluation shown."""
        if (node := self._session.optimum) is not None:
            self.apply(node)

    def _on_project_opened(self, _project: object) -> None:
        self._waiting = None
        self._runner.cancel("release")

    def _on_problem_changed(self, problem: object, error: object) -> None:
        if error is not None:
            self._waiting = None
        if problem is not None and self._waiting is not None:
            self.apply(self._waiting)


def _release(project: Project, problem: Problem, node: Node) -> Release:
    from engine.recoding import make_release

    return make_release(project, problem, node)
