"""Place of files to write: a path, typed or chosen, and the format that its extension names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.file_dialogs import ask_folder, ask_save, typed_path
from anonymizer_gui.widgets.layouts import hbox, named
from engine.words import _


class Target(QObject):
    """Field of a path with its button, and the box that chooses its extension.

    Attributes
    ----------
    path_edit : QLineEdit
    browse_button : QPushButton
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
        self.browse_button = named(make_button(self.tr("Browse…"), icon_name="folder-open"), f"{name}Browse")
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
        """Return the field beside its button."""
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
