"""The application object, which also receives the files that the desktop opens by the program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from anonymizer_gui.overrides import guard_overrides


class Application(QApplication):
    """Says which file the Finder of macOS asks for; other systems start the program with its path."""

    file_requested = Signal(object)  # Path

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(list(words))
        guard_overrides()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self.file_requested.emit(Path(event.file()))
            return True
        return super().event(event)
