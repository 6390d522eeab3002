"""Empty state: one sentence about the missing content, one button that creates it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, vbox


class EmptyState(QWidget):
    """Text and button, centred in the place of the content."""

    action_requested = Signal()

    def __init__(
        self, sentence: str, action: str = "", *, icon_name: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._sentence = make_label(sentence, Text.CONTROL, "text_3", wraps=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.button = make_button(action, icon_name=icon_name)
        self.button.clicked.connect(self.action_requested)
        parts = (STRETCH, self._sentence, (self.button, 0, Qt.AlignmentFlag.AlignHCenter), STRETCH)
        vbox(*parts, spacing=12, margins=(24, 8, 24, 8), of=self)
        self.button.setVisible(bool(action))

    def sentence(self) -> str:
        return self._sentence.text()

    def set_action(self, action: str) -> None:
        """Change the text of the button, which is hidden without one."""
        self.button.setText(action)
        self.button.setVisible(bool(action))

    def set_sentence(self, sentence: str) -> None:
        self._sentence.setText(sentence)
