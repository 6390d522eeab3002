"""Record of every applied release in the run history of the project."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from PySide6.QtCore import QObject

from anonymizer_gui.session.session import Session
from anonymizer_gui.tasks import Task, TaskRunner
from engine.project import Project
from engine.project.pins_and_runs import Run

if TYPE_CHECKING:
    from engine.recoding import Release


class RunRecorder(QObject):
    """Adds each applied release to the history; a release restored by undo or redo is not added again."""

    def __init__(self, session: Session, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, runner
        self._known: WeakSet[Release] = WeakSet()
        self._numbers = count()
        self._opened = 0
        session.project_opened.connect(self._on_project_opened)
        session.applied.changed.connect(self._on_release_changed)

    def _on_project_opened(self) -> None:
        self._opened += 1

    def _on_release_changed(self, release: Release | None) -> None:
        made_with = self._session.applied.made_with
        if release is None or made_with is None or release in self._known:
            return
        if self._session.applied.was_restored(release):
            return
        self._known.add(release)
        opened = self._opened
        task = Task(_measured, made_with, release, datetime.now().isoformat(timespec="minutes"))
        task.succeeded.connect(lambda run: self._record(run, opened))
        task.failed.connect(self._on_failed)
        self._runner.start(task, key=("run", next(self._numbers)))

    def _on_failed(self, error: Exception) -> None:
        raise error  # a finished release can always be measured, so this is a bug

    def _record(self, run: Run, opened: int) -> None:
        if opened != self._opened:
            return
        runs = self._session.remembered.runs
        # An opened project recomputes its release, which is already in the history.
        if not runs or not _is_alike(run, runs[-1]):
            from engine.project.run_settings import thinned

            self._session.remembered.set_runs(thinned((*runs, run)))


def _is_alike(run: Run, last: Run) -> bool:
    """Return whether two runs are of the same release; the last one may have fewer values."""
    figures = {key: run.figures.get(key) for key in last.figures}
    return replace(run, figures=figures, **_words(last)) == last


def _words(run: Run) -> dict[str, Any]:
    """Return the fields that do not identify a release."""
    names = ("made_at", "note", "name", "is_pinned", "settings")
    return {name: getattr(run, name) for name in names}


def _measured(project: Project, release: Release, made_at: str) -> Run:
    from engine.project.applied import run_of

    return run_of(project, release.problem, release, made_at)
