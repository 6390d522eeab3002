"""Opens, saves and leaves projects, and asks first where edits would be lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMessageBox

from anonymizer_gui.main_window import MainWindow
from anonymizer_gui.perspectives.start.opening import Opening
from anonymizer_gui.session import Session
from anonymizer_gui.session.saving import PROJECT_ENDING, RECIPE_ENDING, Saving
from anonymizer_gui.tasks import TaskRunner
from anonymizer_gui.widgets.file_dialogs import ask_save
from engine.project.opened import Loss, Opened

MOST_LOSSES = 8  # that are shown


class ProjectPresenter(QObject):
    """Connects the session with files, by the dialogs that ask for them."""

    opened = Signal(object, object)  # Opened, path of the file; the session holds it already
    saved = Signal()
    failed = Signal(object)  # the exception

    def __init__(
        self, window: MainWindow, session: Session, runner: TaskRunner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._session = session
        self._saving = Saving(session, runner, self)
        self.opening = Opening(window, runner, self)
        self.saved_at = ""
        self._after_saving: Callable[[], object] | None = None
        self._saving.saved.connect(self._on_saved)
        self._saving.failed.connect(self._on_saving_failed)
        self.opening.opened.connect(self._on_opened)
        self.opening.failed.connect(self.failed)
        window.recent_requested.connect(self.open_path)
        window.ask_before_closing(self.may_close)

    def actions(self) -> Mapping[str, Callable[[], object]]:
        """What the menus can ask for."""
        return {
            "open": lambda: self.ask_to_save(self.opening.ask),
            "save": self._save,
            "save_as": self._save_as,
            "save_recipe": self._save_recipe,
            "close": lambda: self.ask_to_save(self._session.close_project),
        }

    # Opening and leaving -----------------------------------------------------------------------

    def open_path(self, path: Path) -> None:
        """Open a file, after asking about unsaved changes."""
        self._window.banner.dismiss()
        self.ask_to_save(lambda: self.opening.open(path))

    def may_close(self) -> bool:
        """Answer the window's wish to close; saving first ends with another close."""
        if not self._session.is_modified:
            return True
        closes_now: list[bool] = []
        self.ask_to_save(lambda: closes_now.append(True), self._window.close)
        return bool(closes_now)

    def ask_to_save(
        self, then: Callable[[], object], after_saving: Callable[[], object] | None = None
    ) -> None:
        """Do something that leaves the project; unsaved changes are asked about first."""
        project = self._session.project
        if project is None or not self._session.is_modified:
            then()
            return
        box = QMessageBox(self._window)
        box.setObjectName("unsavedDialog")
        box.setWindowTitle(self.tr("Unsaved changes"))
        box.setText(self.tr("Save the changes to “{0}”?").format(project.name))
        box.setInformativeText(self.tr("They are lost otherwise."))
        buttons = QMessageBox.StandardButton
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Save)
        answer = box.exec()
        box.deleteLater()
        if answer == buttons.Discard:
            then()
        elif answer == buttons.Save:
            self._after_saving = after_saving or then
            self._save()

    def _on_opened(self, opened: Opened, path: Path) -> None:
        is_project_file = path.suffix.lower() == f".{PROJECT_ENDING}"
        self._window.banner.dismiss()
        self.saved_at = ""
        # A damaged file stays as it is: there may be more in it than this program found.
        keeps_path = is_project_file and not opened.losses
        self._session.open_project(opened.project, path if keeps_path else None, opened.state)
        self.opened.emit(opened, path)
        if opened.losses:
            self._show_losses(opened.losses, path)

    def _show_losses(self, losses: Sequence[Loss], path: Path) -> None:
        lines = [f"{loss.what}: {loss.why}. {loss.hint}" for loss in losses[:MOST_LOSSES]]
        if len(losses) > MOST_LOSSES:
            lines.append(self.tr("… and {0} more.").format(len(losses) - MOST_LOSSES))
        lines.append(self.tr("The damaged file stays as it is; saving asks for another name."))
        problem = self.tr("“{0}” is damaged and was opened as far as it goes.").format(path.name)
        self._window.banner.show_error(problem, "\n".join(lines), tone="warn")

    # Saving ------------------------------------------------------------------------------------

    def _save(self) -> None:
        if self._session.path is not None:
            self._saving.save(self._session.path)
        else:
            self._save_as()

    def _save_as(self) -> None:
        path = self._ask_where(self.tr("Save the project"), self.tr("Projects (*.anon)"), PROJECT_ENDING)
        if path is not None:
            self._saving.save(path)
        else:
            self._after_saving = None

    def _save_recipe(self) -> None:
        path = self._ask_where(self.tr("Save the recipe"), self.tr("Recipes (*.toml)"), RECIPE_ENDING)
        if path is not None:
            self._saving.save_recipe(path)

    def _ask_where(self, title: str, filters: str, ending: str) -> Path | None:
        project = self._session.project
        if project is None:
            return None
        base = self._session.path or project.source
        name = f"{base.name.split('.')[0] if base is not None else project.name}.{ending}"
        return ask_save(self._window, title, filters, name, ending)

    def _on_saved(self, path: Path) -> None:
        self.saved_at = time.strftime("%H:%M")
        self.saved.emit()
        after, self._after_saving = self._after_saving, None
        if after is not None and not self._session.is_modified:
            after()

    def _on_saving_failed(self, error: Exception) -> None:
        self._after_saving = None
        self.failed.emit(error)
