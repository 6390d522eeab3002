"""Release of the selected node before any is applied, for the pages that describe a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from anonymizer_gui.session.session import Session
from anonymizer_gui.tasks import Task, TaskRunner
from engine.project import edits

if TYPE_CHECKING:
    from engine.lattice import Node
    from engine.project import Project
    from engine.recoding import Release

KEY = "preview"


class Preview(QObject):
    """Makes the release of the selected node while a page wants it.

    It is never exported and makes no undo step. An applied release replaces it. A cancelled preview is made
    when a page is shown again.
    """

    changed = Signal()  # another preview, or none
    state_changed = Signal()  # one is being made, or no longer
    failed = Signal(object)  # the exception

    def __init__(self, session: Session, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, runner
        self._wanting: set[str] = set()
        self._release: Release | None = None
        self._made_with: Project | None = None
        self._tried: tuple[Node, Project] | None = None
        # One look for the several signals of an edit.
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._look)
        for signal in (
            session.selection.changed,
            session.applied.changed,
            session.results.problem_changed,
            session.project_opened,
        ):
            signal.connect(self._on_changed)

    @property
    def release(self) -> Release | None:
        """Release of the selected node, or None."""
        return self._release

    @property
    def made_with(self) -> Project | None:
        """Project that the release was made from."""
        return self._made_with

    @property
    def node(self) -> Node | None:
        """Node to preview: the selected one; None if there is none, or one is applied."""
        session = self._session
        if session.applied.release is not None or session.applied.evicted is not None:
            return None
        if session.results.problem is None or not session.results.is_problem_current:
            return None
        return session.selection.node

    @property
    def is_settled(self) -> bool:
        """Return whether the preview belongs to the current node and settings."""
        return not self._timer.isActive() and not self.is_pending

    @property
    def is_pending(self) -> bool:
        """Return whether a preview is being made."""
        return self._runner.running(KEY) is not None

    def want(self, page: str, is_wanted: bool) -> None:
        """Set whether a page shows previews now."""
        (self._wanting.add if is_wanted else self._wanting.discard)(page)
        self._look()

    # -------------------------------------------------------------------------------------------

    def _on_changed(self, *_: object) -> None:
        if self._release is not None and not self._is_current():
            self._forget()
        self._timer.start()

    def _is_current(self) -> bool:
        """Return whether the release is the one that would be made now."""
        project, node = self._session.project, self.node
        return project is not None and node is not None and self._tried == (node, project)

    def _forget(self) -> None:
        self._tried = None
        self._runner.cancel(KEY)
        if self._release is not None:
            self._release = self._made_with = None
            self.changed.emit()

    def _look(self) -> None:
        self._timer.stop()
        if not self._is_current():
            self._forget()
        project, problem, node = self._session.project, self._session.results.problem, self.node
        if not self._wanting or self._tried is not None or node is None:
            return
        if project is None or problem is None or node not in problem.lattice:
            return
        from engine.recoding import make_release

        self._tried = wanted = (node, project)
        made_with = edits.set_recoding(project, None) if project.recoding is not None else project
        task = Task(make_release, made_with, problem, node)

        def take(release: Release) -> None:
            if self._tried == wanted:
                self._release, self._made_with = release, made_with
                self.changed.emit()

        task.succeeded.connect(take)

        def retry_later() -> None:
            if self._tried == wanted:
                self._tried = None

        task.cancelled.connect(retry_later)
        task.failed.connect(self.failed)
        task.ended.connect(self.state_changed)
        self._runner.start(task, label=self.tr("Previewing the selected node"), key=KEY)
        self.state_changed.emit()
