"""Dialog that writes files: asks before replacing a file, and shows progress and result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QWidget

from anonymizer_gui.tasks import Task
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.accessible import announce
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.file_dialogs import ask_folder, ask_save, show_folder, typed_path
from anonymizer_gui.widgets.fitted_dialog import FittedDialog
from anonymizer_gui.widgets.job_strip import JobStrip
from anonymizer_gui.widgets.labels import make_label, set_tone
from anonymizer_gui.widgets.layouts import STRETCH, Part, hbox, named, vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.errors import AnonymizerError
from engine.words import _


class Target(QObject):
    """Field of a path with its button, and the box that chooses its extension.

    Attributes
    ----------
    format_box : QComboBox
        Empty for a folder.
    confirmed : Path or None
        File that may be replaced, because the file dialog has asked.
    """

    changed = Signal()
    format_chosen = Signal(str)  # extension

    def __init__(self, name: str, formats: Mapping[str, str], dialog: QWidget) -> None:
        """Create the fields; `formats` are captions by extension, none for a folder."""
        super().__init__(dialog)
        self._dialog, self._formats = dialog, formats
        self.confirmed: Path | None = None
        words = self.tr("File to write") if formats else self.tr("Folder")
        self.path_edit = named(QLineEdit(), f"{name}Path", words)
        self.browse_button = make_button(self.tr("Browse…"), f"{name}Browse", icon_name="folder-open")
        self.format_box = named(QComboBox(), f"{name}Format", self.tr("Format"))
        for ending, text in formats.items():
            self.format_box.addItem(_(text), ending)
        self.path_edit.textChanged.connect(self._on_path_changed)
        self.browse_button.clicked.connect(self._on_browse_clicked)
        self.format_box.currentIndexChanged.connect(self._on_format_chosen)

    @property
    def text(self) -> str:
        """Path as typed."""
        return self.path_edit.text().strip()

    @property
    def ending(self) -> str:
        """Chosen extension; empty for a folder."""
        ending: str = self.format_box.currentData() or ""
        return ending

    @property
    def path(self) -> Path:
        """Path with the chosen extension if it has none."""
        return typed_path(self.text, self.ending)

    def row(self) -> QHBoxLayout:
        """Return the field with its button."""
        return hbox((self.path_edit, 1), self.browse_button, spacing=6)

    def show_path(self, path: Path | str) -> None:
        """Show a path; its extension selects the format."""
        self.path_edit.setText(str(path))

    def show_ending(self, ending: str) -> None:
        """Choose a format; the path gets its extension."""
        self.format_box.setCurrentIndex(max(self.format_box.findData(ending), 0))

    def completed(self) -> Path:
        """Return the path to write, and show it with its extension."""
        path = self.path
        if path != typed_path(self.text):
            self.show_path(path)
        return path

    def _on_browse_clicked(self) -> None:
        title, ending = self._dialog.windowTitle(), self.ending
        if not self._formats:
            path = ask_folder(self._dialog, title, self.path)
        else:
            filters = f"{self.format_box.currentText()} (*{ending})"
            path = ask_save(self._dialog, title, filters, str(self.path), ending.removeprefix("."))
        if path is not None:
            self.show_path(path)
            self.confirmed = path if self._formats else None

    def _on_path_changed(self) -> None:
        self.confirmed = None
        shown = self.text.lower().rstrip("/\\")
        for ending in self._formats:
            if shown.endswith(ending):
                self.show_ending(ending)
        self.changed.emit()

    def _on_format_chosen(self) -> None:
        start, mark, ending = self.path_edit.text().rpartition(".")
        old = f"{mark}{ending}".lower()
        if old != self.ending and old in self._formats:
            self.show_path(f"{start}{self.ending}")
        self.format_chosen.emit(self.ending)


MARGIN, SPACING = 16, 12
_OUTCOME = 84  # height for what is said of the written files


class WritingDialog(FittedDialog):
    """Base dialog for writing; while files are written its input is disabled and it stays open.

    Attributes
    ----------
    target : Target
        Place of the files.
    banner : ErrorBanner
        Reason why files could not be written.
    """

    write_requested = Signal(object, bool)  # place, whether existing files may be replaced

    def __init__(
        self,
        name: str,
        title: str,
        width: int,
        busy_text: str,
        formats: Mapping[str, str] = MappingProxyType({}),
        parent: QWidget | None = None,
    ) -> None:
        """Create the dialog.

        Parameters
        ----------
        name, title : str
            Object name and title of the window.
        width : int
            Minimum at font scale 1, in px.
        busy_text : str
            Shown next to the progress.
        formats : mapping of str to str
            Captions of the possible formats by their extension; none if files are written to a folder.
        """
        super().__init__(parent)
        self.setObjectName(f"{name}Dialog")
        self.setWindowTitle(title)
        self.setMinimumWidth(scaled(width))
        self._busy_text = busy_text
        self._locked: tuple[QWidget, ...] = ()
        self._task: Task | None = None
        self.target = Target(name, formats, self)
        self.banner = ErrorBanner()
        self._icon = IconLabel("circle-check", 18, "ok")
        self._done = named(make_label("", Text.TITLE, "ok", wraps=True), f"{name}Done")
        self._details = named(make_label("", Text.CELL, "text_2", wraps=True), f"{name}Details")
        self._folder = Path()
        self.folder_button = make_button(
            self.tr("Show in folder"), f"{name}Folder", small=True, icon_name="folder-open"
        )
        self.folder_button.clicked.connect(lambda: show_folder(self._folder))
        self._folder = Path()
        self.job = JobStrip(fills=True)
        self.job.cancel_requested.connect(self._on_cancel_requested)
        for part in (self.job, self._done, self._details):  # they take the width of the dialog
            policy = part.sizePolicy()
            policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)
            part.setSizePolicy(policy)
        self._outcome = QWidget()
        self._following = vbox(self.folder_button, spacing=6)  # what can be done next
        self._following.addStretch(1)
        hbox(
            (self._icon, 0, Qt.AlignmentFlag.AlignTop),
            (vbox(self._done, self._details, STRETCH, spacing=2), 1),
            self._following,
            spacing=8,
            margins=0,
            of=self._outcome,
        )
        self.close_button = make_button(self.tr("Close"))
        self.close_button.clicked.connect(self.reject)

    @property
    def is_busy(self) -> bool:
        """Return whether a file is being written."""
        return not self.close_button.isEnabled()

    @property
    def place(self) -> Any:
        """Place to write to."""
        return self.target.completed()

    def request(self, *, may_replace: bool = False) -> None:
        """Ask the presenter to write; without a place, ask for one."""
        if not self.target.text:
            self.target.path_edit.setFocus()
            return
        place = self.place
        self.write_requested.emit(place, may_replace or place == self.target.confirmed)

    def follow(
        self,
        task: Task,
        then: Callable[[Any], object],
        cancelled: Callable[[], tuple[str, str] | None] | None = None,
    ) -> Task:
        """Show the progress and result of a writing task, and return it ready to be started.

        Parameters
        ----------
        then : callable
            Receives the result of the task.
        cancelled : callable, optional
            Called after cancellation; returns the message and hint to show, or None if it shows its own.
        """
        self.target.confirmed = None
        self._task = task
        task.succeeded.connect(lambda found: self._end(lambda: then(found)))
        task.failed.connect(lambda error: self._end(lambda: self._on_failed(error)))
        task.cancelled.connect(lambda: self._end(lambda: self._on_cancelled(cancelled)))
        task.progressed.connect(self._on_progressed)
        self.show_busy(True)
        return task

    @property
    def written(self) -> str:
        """Text about the written files; empty before."""
        return "" if self._outcome.isHidden() else self._done.text()

    def show_done(
        self, text: str, details: str = "", *, tone: str = "ok", folder: Path | None = None
    ) -> None:
        """Show a text about the files written to a folder of this computer; screen readers say it."""
        self._folder = folder or Path()
        self.folder_button.setVisible(folder is not None)
        self._icon.set_icon("circle-check" if tone == "ok" else "eye", tone)
        set_tone(self._done, tone)
        self._done.setText(text)
        self._details.setText(details)
        self._details.setVisible(bool(details))
        self._outcome.show()
        announce(self, f"{text}. {details}" if details else text)
        self.fit()
        self.close_button.setFocus()

    def show_busy(self, is_busy: bool) -> None:
        """Disable the input while files are written; the job strip has Cancel."""
        for widget in (*self._locked, self.close_button):
            widget.setEnabled(not is_busy)
        if is_busy:
            self._outcome.hide()
            self.banner.hide()
            self.job.start(self._busy_text)
        else:
            self.job.finish()
            self.target.path_edit.setFocus()  # what is written next often differs in the path only

    def show_problem(self, problem: str, hint: str, *, tone: str = "danger") -> None:
        """Show why the file could not be written."""
        self.banner.show_error(problem, hint, tone=tone)
        self.fit()

    def ask_to_replace(self, path: Path) -> None:
        """Ask whether to replace an existing file."""
        self.ask(
            self.tr("'{name}' already exists.").format(name=path.name),
            self.tr("Choose another name, or replace the file. Its current content will be lost."),
        )

    def ask(self, problem: str, hint: str) -> None:
        """Report that files exist, and offer to replace them until another place is chosen."""
        asked = self.target.text
        self.banner.show_error(
            problem,
            hint,
            self.tr("Replace"),
            lambda: self.request(may_replace=True),
            tone="warn",
            holds=lambda: self.target.text == asked,
        )
        self.fit()
        self.banner.focus_action()

    def reject(self) -> None:
        if not self.is_busy:
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.is_busy:
            event.ignore()
        else:
            super().closeEvent(event)

    def _end(self, tell: Callable[[], object]) -> None:
        self.show_busy(False)
        tell()

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, AnonymizerError):
            raise error
        self.show_problem(error.problem, error.hint)

    def _on_cancelled(self, cancelled: Callable[[], tuple[str, str] | None] | None) -> None:
        words: tuple[str, str] | None = (
            self.tr("Writing was cancelled."),
            self.tr("Nothing was written. The existing file is unchanged."),
        )
        if cancelled is not None:
            words = cancelled()
        if words is not None:
            self.show_problem(*words, tone="warn")

    def _on_cancel_requested(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _on_progressed(self, done: int, total: int, text: str) -> None:
        self.job.show_progress(done / max(total, 1), text)

    def lay_out(
        self,
        *parts: Part,
        buttons: tuple[QPushButton, ...],
        locked: tuple[QWidget, ...],
    ) -> None:
        """Lay out the parts and the result of writing; called once by the subclass.

        Parameters
        ----------
        buttons : tuple of QPushButton
            Buttons at the right of the last row; the last one writes.
        locked : tuple of QWidget
            Further widgets to disable while files are written.
        """
        self._locked = (*locked, buttons[-1])
        buttons[-1].setDefault(True)
        buttons[-1].clicked.connect(lambda: self.request())
        self.target.changed.connect(self.banner.look_again)
        self._outcome.hide()
        row = button_row(*buttons)
        outcome = QWidget()
        outcome.setMinimumHeight(scaled(_OUTCOME))  # so that the dialog does not grow once it has written
        vbox(self.banner, self.job, self._outcome, STRETCH, spacing=0, margins=0, of=outcome)
        inside = vbox(
            *parts,
            outcome,
            STRETCH,
            spacing=SPACING,
            margins=(MARGIN, MARGIN, MARGIN, 0),
        )
        row.setContentsMargins(MARGIN, 0, MARGIN, MARGIN)
        vbox((ScrollBody(inside, is_fitted=True), 1), row, spacing=SPACING, margins=0, of=self)
