"""Question of a few answers in a modal dialog, with the answers as buttons named by their effect."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget
from shiboken6 import isValid

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.fitted_dialog import FittedDialog
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import vbox

_WIDTH = 460


class Question(FittedDialog):
    """Shows a question with one line of consequence; `ask` returns the chosen answer."""

    def __init__(self, name: str, title: str, question: str, consequence: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setMinimumWidth(scaled(_WIDTH))
        self.question, self.consequence = question, consequence
        self.answers: dict[str, QPushButton] = {}  # buttons by key
        self._chosen = ""

    def add_answer(self, key: str, text: str, *, kind: str = "", is_default: bool = False) -> None:
        """Add a button; the default one is chosen with Return."""
        button = make_button(text, f"{key}Answer", kind=kind)
        button.clicked.connect(lambda: self._choose(key))
        button.setDefault(is_default)
        self.answers[key] = button

    def ask(self) -> str:
        """Return the key of the chosen answer; empty if the user cancelled."""
        cancel = make_button(self.tr("Cancel"), "cancelAnswer")
        cancel.clicked.connect(self.reject)
        self.answers["cancel"] = cancel
        if not any(button.isDefault() for button in self.answers.values()):
            cancel.setDefault(True)
        vbox(
            make_label(self.question, Text.TITLE, wraps=True),
            make_label(self.consequence, Text.CELL, "text_2", wraps=True),
            button_row(*self.answers.values()),
            spacing=12,
            margins=16,
            of=self,
        )
        next(button for button in self.answers.values() if button.isDefault()).setFocus()
        self.exec()
        if isValid(self):  # else it was deleted with its parent
            self.deleteLater()
        return self._chosen

    def _choose(self, key: str) -> None:
        self._chosen = key
        self.accept()
