"""Writes the project file and the recipe, and opens both, off the GUI thread."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.session.session import Session
from anonymizer_gui.session.visited import Node
from anonymizer_gui.tasks import Task, TaskRunner
from engine.monitor import SILENT, Monitor
from engine.project import Project

PROJECT_ENDING, RECIPE_ENDING = "anon", "toml"


def holds_project(path: Path) -> bool:
    """Whether a path is that of a project or a recipe, by its ending; else it is taken for a table."""
    return path.suffix.lower() in (f".{PROJECT_ENDING}", f".{RECIPE_ENDING}")


class Saving(QObject):
    """Saves the session's project; the file is as it was until the new one is whole."""

    saved = Signal(object)  # the path of the project file
    recipe_saved = Signal(object)  # its path
    failed = Signal(object)

    def __init__(self, session: Session, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = runner

    def save(self, path: Path) -> None:
        """Save the project as it is now."""
        project, release = self._session.project, self._session.release
        if project is None:
            return
        applied = release.node if release is not None and not self._session.stale_text else None
        task = Task(_save, project, path, applied, self._session.selected)
        task.succeeded.connect(lambda _none: self._on_saved(project, path))
        task.failed.connect(self.failed)
        self._runner.start(task, label=self.tr("Saving {0}").format(path.name), key="save")

    def save_recipe(self, path: Path) -> None:
        """Write the recipe, with what it cannot name otherwise in a folder beside it."""
        project = self._session.project
        if project is None:
            return
        task = Task(_save_recipe, project, path)
        task.succeeded.connect(lambda _none: self.recipe_saved.emit(path))
        task.failed.connect(self.failed)
        self._runner.start(task, label=self.tr("Saving {0}").format(path.name), key="save recipe")

    def _on_saved(self, project: Project, path: Path) -> None:
        if self._session.project is project:  # an edit made meanwhile is not in the file
            self._session.mark_saved(path)
        self.saved.emit(path)


def read_project(path: Path, monitor: Monitor = SILENT) -> tuple[Project, Node | None]:
    """Read a recipe or a project file; also the node that was applied, if the file knows it."""
    if path.suffix.lower() == f".{PROJECT_ENDING}":
        from engine.project.file import open_project

        project, state = open_project(path, monitor)
        return project, state.applied
    from engine.project.recipe import read_recipe

    return read_recipe(path, monitor), None


def renamed(project: Project, name: str) -> Project:
    """The same project under another name."""
    return replace(project, name=name)


def _save(
    project: Project, path: Path, applied: Node | None, selected: Node | None, monitor: Monitor = SILENT
) -> None:
    from engine.project.file import ProjectState, save_project

    save_project(project, path, ProjectState(applied, selected), monitor)


def _save_recipe(project: Project, path: Path) -> None:
    from engine.project.recipe import write_recipe

    write_recipe(project, path)
