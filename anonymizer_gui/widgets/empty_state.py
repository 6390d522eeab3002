"""Empty state: one sentence about the missing content, one button that creates it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

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
        self.button: QPushButton | None = None
        column = vbox(STRETCH, self._sentence, spacing=12, margins=(24, 8, 24, 8), of=self)
        if action:
            self.button = make_button(action, icon_name=icon_name)
            self.button.clicked.connect(self.action_requested)
            column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def sentence(self) -> str:
        return self._sentence.text()

    def set_action(self, action: str) -> None:
        """Change the text of the button, which must exist from the start."""
        if self.button is not None:
            self.button.setText(action)

    def set_sentence(self, sentence: str) -> None:
        self._sentence.setText(sentence)
