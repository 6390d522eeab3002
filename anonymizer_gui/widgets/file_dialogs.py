"""File dialogs that start in the folder of the previous one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget
from shiboken6 import isValid

from anonymizer_gui.widgets.layouts import named
from engine.shipped import resources_path
from engine.words import _

_last_folder: list[str] = [""]


class Opener(Protocol):
    """Reader of a file chosen by the user; `read` has path and reading, `failed` the error."""

    read: Any
    failed: Any

    def open(self, path: Path) -> None:
        """Read a file."""


def start_next_to(path: Path | None) -> None:
    """Let the next dialog start in the folder of a file, unless it is an example of the program."""
    if path is not None and not path.resolve().is_relative_to(resources_path()):
        _last_folder[0] = str(path.parent)


def ask_open(parent: QWidget, title: str, filters: str, folder: Path | None = None) -> Path | None:
    """Ask for an existing file, initially in `folder`; return None if cancelled."""
    dialog = _dialog(parent, title, filters)
    if folder is not None:
        dialog.setDirectory(str(folder))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    return _answer(dialog)


def ask_table(
    parent: QWidget, title: str, folder: Path | None = None, *, further: Sequence[str] = ()
) -> Path | None:
    """Ask for an existing file of a table, or with one of the `further` endings; see `ask_open`."""
    from engine.records.opening.readers import table_endings

    endings = " ".join(f"*{ending}" for ending in (*table_endings(), *further))
    filters = _("Tables ({endings});;All files (*)").format(endings=endings)
    return ask_open(parent, title, filters, folder)


def ask_open_several(parent: QWidget, title: str, filters: str) -> list[Path]:
    """Ask for one or more existing files of a folder; return none if cancelled."""
    dialog = _dialog(parent, title, filters)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    return _answers(dialog)


def ask_folder(parent: QWidget, title: str, folder: Path | None = None) -> Path | None:
    """Ask for an existing folder, initially in `folder`; return None if cancelled."""
    dialog = _dialog(parent, title, "")
    if folder is not None:
        dialog.setDirectory(str(folder))
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    return _answer(dialog)


def folder_next_to(path: Path | None) -> Path:
    """Return the folder suggested for files about another one: its own; for an example, the user's home."""
    if path is None or path.resolve().is_relative_to(resources_path()):
        return Path.home()
    return path.parent


def ask_save(parent: QWidget, title: str, filters: str, name: str, ending: str) -> Path | None:
    """Ask for a file to write; confirm replacing a file, append a missing extension."""
    dialog = _dialog(parent, title, filters)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setDefaultSuffix(ending)
    dialog.selectFile(name)
    return _answer(dialog)


def typed_path(text: str, ending: str = "") -> Path:
    """Return the path typed into a field; with `ending` it is a file, and gets it if it has none."""
    path = Path(os.path.expanduser(text.strip()))
    return path.with_name(f"{path.name}{ending}") if ending and path.name and not path.suffix else path


def show_folder(folder: Path) -> None:
    """Open a folder in the file manager of the system."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


def _dialog(parent: QWidget, title: str, filters: str) -> QFileDialog:
    dialog = named(QFileDialog(parent, title, _last_folder[0], filters), "fileDialog")
    if QGuiApplication.platformName() == "offscreen":
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    return dialog


def _answer(dialog: QFileDialog) -> Path | None:
    return next(iter(_answers(dialog)), None)


def _answers(dialog: QFileDialog) -> list[Path]:
    accepted = dialog.exec() == QFileDialog.DialogCode.Accepted
    if not isValid(dialog):
        return []  # it was deleted with its parent, whose table was replaced
    files = dialog.selectedFiles()
    if accepted and files:
        _last_folder[0] = dialog.directory().absolutePath()
    dialog.deleteLater()
    return [Path(file) for file in files] if accepted else []
