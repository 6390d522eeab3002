"""Something found in the hierarchy shown, in a few words, with a button that does something about it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import hbox, named, vbox


class Notice(QFrame):
    """Hidden while there is nothing to say."""

    action_requested = Signal()

    def __init__(self, title: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("banner", "quiet")
        self.setObjectName(name)
        self._title = make_label(title, Text.CELL_STRONG, wraps=True)
        self._words = make_label("", Text.CELL, "text_2", wraps=True)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.button = named(make_button("", small=True), f"{name}Button")
        self.button.clicked.connect(self.action_requested)
        vbox(
            hbox(
                (IconLabel("triangle-alert", 14, "warn"), 0, Qt.AlignmentFlag.AlignTop),
                (self._title, 1),
                spacing=6,
            ),
            self._words,
            (self.button, 0, Qt.AlignmentFlag.AlignLeft),
            spacing=6,
            margins=(12, 10, 12, 12),
            of=self,
        )
        self.hide()

    def show_words(self, words: str, action: str = "") -> None:
        """Say what is found; `action` is the text of the button. No words hide the notice."""
        self._words.setText(words)
        self.button.setText(action)
        self.button.setVisible(bool(action))
        self.button.setAccessibleDescription(words)
        self.setAccessibleName(f"{self._title.text()}: {words}" if words else "")
        self.setVisible(bool(words))

    def title(self) -> str:
        """What the notice is about."""
        return self._title.text()

    def words(self) -> str:
        """What is said; empty while nothing is."""
        return self._words.text()
