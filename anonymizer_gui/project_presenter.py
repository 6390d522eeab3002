"""Opening, saving and closing of projects; asks first if unsaved changes would be lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.main_window import MainWindow
from anonymizer_gui.perspectives.start.opening import Opening
from anonymizer_gui.perspectives.start.table_opening import BackgroundReading
from anonymizer_gui.session import Session
from anonymizer_gui.session.saving import (
    PROJECT_ENDING,
    RECIPE_ENDING,
    LockedProjectFile,
    LockOwner,
    Look,
    Saving,
    lock_file,
)
from anonymizer_gui.tasks import Task
from anonymizer_gui.widgets.file_dialogs import ask_folder, ask_save, folder_next_to, start_next_to
from anonymizer_gui.widgets.fitted_dialog import Question
from engine.errors import InputError
from engine.numbers import as_saved_moment
from engine.project import Project
from engine.project.storage.opened_project import Loss, OpenedProject
from engine.records.options import CLUSTER
from engine.records.table_files import ARX_ENDING

if TYPE_CHECKING:
    from engine.recoding import Release

MOST_LOSSES = 8  # losses shown
_HOLDS_TABLE, _NAMES_FILES = "projects hold the table", "projects name files"  # messages shown once
_NAMES_DATABASE = "projects name databases"
OPENINGS = frozenset({"open", "paste", "database", "apply", "apply.open"})  # keys of tasks that open projects


class _PreviousProject(NamedTuple):
    """Project in the background with the session state it had."""

    opened: OpenedProject
    path: Path | None
    seen: Look | None
    is_modified: bool
    release: Release | None
    made_with: Project | None


class ProjectPresenter(QObject):
    """Connects the session with files through file dialogs."""

    opened = Signal(object, object)  # OpenedProject, path of the file or None; the session has opened it
    begun = Signal(object)  # BackgroundReading in progress: the session has the first records of its table
    saved = Signal(object)  # Path of the project file
    discarded = Signal()  # the user closes without saving the changes
    failed = Signal(object)  # the exception

    def __init__(self, window: MainWindow, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._session, self._runner = session, session.runner
        self._saving = Saving(session, self)
        self.opening = Opening(window, session.runner, window.banner, self)
        self.saved_at = ""
        self.is_first_time: Callable[[str], bool] = lambda _name: False  # whether to show a one-time message
        self._locked_file = LockedProjectFile()
        self._after_saving: Callable[[], object] | None = None
        self._previous: _PreviousProject | None = None  # while the first records of another table are shown
        self._given_up: Project | None = None  # project whose changes the user discarded
        self._saving.saved.connect(self._on_saved)
        self._saving.recipe_saved.connect(self._on_recipe_saved)
        self._saving.written_for_arx.connect(self._on_written_for_arx)
        self._saving.failed.connect(self._on_saving_failed)
        self._saving.cancelled.connect(self._on_saving_cancelled)
        self.opening.opened.connect(self._on_opened)
        self.opening.begun.connect(self._on_begun)
        self.opened.connect(lambda opened, path: start_next_to(path or opened.project.source))
        self.opening.flow.ask_again = self.ask_again
        self.opening.failed.connect(self.failed)
        session.runner.task_started.connect(self._on_task_started)
        session.project_opening.connect(window.close_dialogs)
        session.project_opened.connect(self._release_others)
        session.reading.changed.connect(self._release_others)
        window.recent_requested.connect(self.open_path)
        window.ask_before_closing(self.may_close)

    def actions(self) -> Mapping[str, Callable[[], object]]:
        """Handlers of menu entries by id."""
        return {
            "open": lambda: self.ask_to_save(self.opening.ask),
            "open_folder": lambda: self.ask_to_save(self.opening.ask_folder),
            "save": self._save,
            "save_as": self._save_as,
            "save_recipe": self._save_recipe,
            "files_for_arx": self._write_for_arx,
            "close": lambda: self.ask_to_save(self._session.close_project),
        }

    def _on_task_started(self, task: Task) -> None:
        """Cancel other tasks that would open a project; the last request wins."""
        if task.key in OPENINGS:
            for key in OPENINGS - {task.key}:
                self._runner.cancel(key)

    # Opening and closing -----------------------------------------------------------------------

    def open_path(self, path: Path) -> None:
        """Open a file, after asking about unsaved changes."""
        self._window.banner.dismiss()
        self.ask_to_save(lambda: self.opening.open(path))

    def open_together(self, paths: Sequence[Path]) -> None:
        """Open a file, or several files as one table, after asking about unsaved changes."""
        self._window.banner.dismiss()
        self.ask_to_save(lambda: self.opening.open_together(paths))

    def may_close(self) -> bool:
        """Return whether the window may close; after saving first, it is asked again."""
        if not self._session.saved.is_modified:
            return True
        closes_now: list[bool] = []
        self.ask_to_save(lambda: closes_now.append(True), self._window.close)
        return bool(closes_now)

    def ask_to_save(
        self,
        then: Callable[[], object],
        after_saving: Callable[[], object] | None = None,
        *,
        instead: str = "",
    ) -> None:
        """Run an action that closes the project, after asking about unsaved changes.

        `instead` names what replaces the project, shown if the action was requested some time ago.
        """
        project = self._session.project
        if project is None or not self._session.saved.is_modified:
            then()
            return
        text = self.tr("“{instead}” replaces it. Otherwise the changes will be lost.")
        question = Question(
            "unsavedDialog",
            self.tr("Unsaved changes"),
            self.tr("Save the changes to “{name}”?").format(name=project.name),
            text.format(instead=instead) if instead else self.tr("Otherwise they will be lost."),
            self._window,
        )
        question.add_answer("discard", self.tr("Discard"), kind="danger")
        question.add_answer("save", self.tr("Save"), kind="primary", is_default=True)
        answer = question.ask()
        if answer == "discard":
            self._given_up = project
            self.discarded.emit()
            then()
        elif answer == "save":
            self._after_saving = after_saving or then
            self._save()

    def ask_again(self, then: Callable[[], object], instead: str = "") -> None:
        """Run the action that the user was asked about; ask again about changes made since then."""
        if self._session.project is self._given_up:
            then()
        else:
            self.ask_to_save(then, instead=instead)

    def seen(self, path: Path) -> Look | None:
        """Return the state of a project file when it was last opened or saved here."""
        return self._locked_file.seen(path)

    def open_recovered(self, opened: OpenedProject, path: Path | None, seen: Look | None = None) -> None:
        """Show a recovered project, which counts as modified.

        If its file has changed since it was `seen`, saving asks first.
        """
        self.ask_again(lambda: self._show_recovered(opened, path, seen), opened.project.name)

    def _show_recovered(self, opened: OpenedProject, path: Path | None, seen: Look | None) -> None:
        self._show_opened(opened, path)
        if path is not None:
            self._locked_file.remember(path, seen)
        self._session.history.own.resetClean()
        if opened.losses:
            self._show_losses(opened.losses, path or Path(opened.project.name))

    def go_back(self) -> None:
        """Return to the project that was open before the partly read table."""
        previous, self._previous = self._previous, None
        if previous is None:
            self._session.close_project()
            return
        self._show_opened(previous.opened, previous.path)
        if previous.path is not None:
            self._locked_file.remember(previous.path, previous.seen)
        if previous.is_modified:
            self._session.history.own.resetClean()
        if previous.opened.state.applied is None and previous.release is not None:
            self._session.applied.set(previous.release, previous.made_with)

    def shutdown(self) -> None:
        """Release the lock of the open file."""
        self._locked_file.release()

    def _on_opened(self, opened: OpenedProject, path: Path) -> None:
        seen = self.opening.seen
        if path.suffix.lower() == ARX_ENDING and opened.losses:
            from anonymizer_gui.perspectives.start.changes_dialog import ArxDialog

            dialog = ArxDialog(path.name, opened.losses, self._window)
            listed = opened._replace(losses=())  # those of a damaged file are shown in a banner
            dialog.accepted.connect(lambda: self._on_opened(listed, path))
            dialog.ask()
            return
        self.ask_again(lambda: self._show_read(opened, path, seen), opened.project.name)

    def _show_read(self, opened: OpenedProject, path: Path, seen: Look | None) -> None:
        # A damaged file stays unchanged, because it may contain more than could be read.
        keeps_path = path.suffix.lower() == f".{PROJECT_ENDING}" and not opened.losses
        self._show_opened(opened, path if keeps_path else None, path)
        if keeps_path:  # if another program wrote the file during reading, the open project differs from it
            self._locked_file.remember(path, seen)
        if opened.losses:
            self._show_losses(opened.losses, path)

    def _on_begun(self, opened: OpenedProject, whole: BackgroundReading) -> None:
        if not self._session.reading.is_provisional:
            self._previous = self._current()
        self._window.banner.dismiss()
        self.saved_at = ""
        self._session.open_project(opened.project, provisional=True)
        self.opened.emit(opened, whole.path)
        self.begun.emit(whole)

    def _current(self) -> _PreviousProject | None:
        """Return the open project with its state, to return to it later."""
        session = self._session
        if session.project is None:
            return None
        seen = None if session.saved.path is None else self._locked_file.seen(session.saved.path)
        released = session.applied.release, session.applied.made_with
        return _PreviousProject(
            OpenedProject(*session.snapshot()), session.saved.path, seen, session.saved.is_modified, *released
        )

    def _release_others(self) -> None:
        """Release the lock of the previous file, unless its project may be shown again."""
        self._given_up = None
        if not self._session.reading.is_provisional:
            self._previous = None
            self._locked_file.release_others(self._session.saved.path)

    def _show_opened(self, opened: OpenedProject, path: Path | None, shown: Path | None = None) -> None:
        holder = None if path is None else self._locked_file.take(path)
        self._window.banner.dismiss()
        self.saved_at = ""
        self._session.open_project(opened.project, path if holder is None else None, opened.state)
        if path is not None:
            self._locked_file.note(path)
        self.opened.emit(opened, shown or path)
        if path is not None and holder is not None:
            self._show_holder(holder, path)

    def _show_holder(self, holder: LockOwner, path: Path) -> None:
        hint = self.tr("It was opened as a copy: Save asks for another name.")
        if not holder.is_here:
            hint += " " + self.tr("If no one has it open, delete the lock file “{name}” next to it.").format(
                name=lock_file(path).name
            )
        self._window.banner.show_error(self._held_words(holder, path), hint, tone="warn")

    def _held_words(self, holder: LockOwner, path: Path) -> str:
        since = as_saved_moment(holder.since)
        if holder.is_here:
            return self.tr("“{name}” has been open in another window since {since}.").format(
                name=path.name, since=since
            )
        return self.tr("“{name}” has been open on {host} since {since}.").format(
            name=path.name, host=holder.host, since=since
        )

    def _show_losses(self, losses: Sequence[Loss], path: Path) -> None:
        lines = [f"{loss.what}: {loss.why}. {loss.hint}" for loss in losses[:MOST_LOSSES]]
        if len(losses) > MOST_LOSSES:
            lines.append(self.tr("… and {n} more.").format(n=len(losses) - MOST_LOSSES))
        lines.append(self.tr("The damaged file is unchanged; Save asks for another name."))
        problem = self.tr("“{name}” is damaged. The readable parts were opened.").format(name=path.name)
        self._window.banner.show_error(problem, "\n".join(lines), tone="warn")

    # Saving ------------------------------------------------------------------------------------

    def _save(self) -> None:
        path = self._session.saved.path
        if path is None:
            self._save_as()
        elif not self._locked_file.has_changed(path):
            self._save_to(path)
        else:
            self._ask_about_changed(path)

    def _save_as(self) -> None:
        path = self._ask_where(self.tr("Save the project"), self.tr("Projects (*.anon)"), PROJECT_ENDING)
        if path is not None:
            self._save_to(path)
        else:
            self._after_saving = None

    def _save_to(self, path: Path) -> None:
        """Save, unless another window writes the file."""
        holder = self._locked_file.take(path)
        if holder is None:
            self._saving.save(path)
            return
        self._on_saving_failed(
            InputError(
                self._held_words(holder, path),
                hint=self.tr("Nothing was saved: close it there, or save under another name."),
            )
        )

    def _ask_about_changed(self, path: Path) -> None:
        question = Question(
            "changedFileDialog",
            self.tr("Changed file"),
            self.tr("Another program changed “{name}” after it was opened here.").format(name=path.name),
            self.tr("Those changes will be lost if you replace the file."),
            self._window,
        )
        question.add_answer("replace", self.tr("Replace"), kind="danger")
        question.add_answer("saveAs", self.tr("Save as…"), kind="primary", is_default=True)
        answer = question.ask()
        if answer == "saveAs":
            self._save_as()
        elif answer == "replace":
            self._save_to(path)
        else:
            self._after_saving = None

    def _save_recipe(self) -> None:
        path = self._ask_where(self.tr("Save the recipe"), self.tr("Recipes (*.toml)"), RECIPE_ENDING)
        if path is not None:
            self._saving.save_recipe(path)

    def _on_recipe_saved(self, path: Path, folder: Path | None) -> None:
        hint = self.tr("Keep the folder “{folder}” next to it: the recipe needs it.")
        self._window.banner.show_error(
            self.tr("The recipe was saved as “{name}”.").format(name=path.name),
            "" if folder is None else hint.format(folder=folder.name),
            tone="ok",
        )

    def _write_for_arx(self) -> None:
        project = self._session.project
        if project is None:
            return
        beside = folder_next_to(self._session.saved.path or project.source)
        folder = ask_folder(self._window, self.tr("Folder for the files"), beside)
        if folder is not None:
            self._saving.write_for_arx(folder)

    def _on_written_for_arx(self, folder: Path) -> None:
        self._window.banner.show_error(
            self.tr("The files for ARX are in “{folder}”.").format(folder=folder.name),
            self.tr(
                "“data.csv” is the original table; only you can read it. “import.txt” lists the next steps."
            ),
            tone="warn",
        )

    def _ask_where(self, title: str, filters: str, ending: str) -> Path | None:
        project = self._session.project
        if project is None:
            return None
        base = self._session.saved.path or project.source
        name = f"{base.name.split('.')[0] if base is not None else project.name}.{ending}"
        path = ask_save(self._window, title, filters, name, ending)
        if path is None or path.suffix.lower() == f".{ending}":
            return path
        problem = self.tr("'{name}' does not end in .{ending}, so it could not be opened again.")
        hint = self.tr("Nothing was saved: save it under a name with this ending.")
        self.failed.emit(InputError(problem.format(name=path.name, ending=ending), hint=hint))
        return None

    def _on_saved(self, path: Path) -> None:
        self._locked_file.note(path)
        self.saved_at = time.strftime("%H:%M")
        self.saved.emit(path)
        after, self._after_saving = self._after_saving, None
        if after is not None and not self._session.saved.is_modified:
            after()
        elif not self._window.banner.isVisible():
            self._explain(path)

    def _explain(self, path: Path) -> None:
        """Say once what a saved project contains."""
        project = self._session.project
        if project is not None and project.stored is not None:
            if self.is_first_time(_NAMES_FILES):
                self._window.banner.show_error(
                    self.tr("“{name}” names the files of the table and contains none of its records.").format(
                        name=path.name
                    ),
                    self.tr("Keep the files unchanged: opening the project reads and compares them again."),
                    tone="warn",
                )
        elif project is not None and project.remote is not None:
            if self.is_first_time(_NAMES_DATABASE):
                names = self.tr("“{name}” names the table in its database and contains none of its records.")
                asks = self.tr(
                    "It has no user and no password: opening it asks for them, and the table is compared."
                )
                if project.remote.kind == CLUSTER:
                    names = self.tr(
                        "“{name}” names the table on its cluster and contains none of its records."
                    )
                    asks = self.tr("It has no token: opening it asks for it, and the table is compared.")
                self._window.banner.show_error(
                    names.format(name=path.name),
                    asks,
                    tone="warn",
                )
        elif self.is_first_time(_HOLDS_TABLE):
            self._window.banner.show_error(
                self.tr("“{name}” contains the original table; only you can read the file.").format(
                    name=path.name
                ),
                self.tr("To share your settings, share the recipe instead: File > Save recipe…"),
                tone="warn",
            )

    def _on_saving_failed(self, error: Exception) -> None:
        self._on_saving_cancelled()
        self.failed.emit(error)

    def _on_saving_cancelled(self) -> None:
        self._after_saving = None
        if self._session.saved.path is not None:
            self._locked_file.take(self._session.saved.path)  # the lock was released for another name
