"""The line under the role buttons of a column without a role: what is suggested, why, and a button for it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel
from engine.qi_detection.suggest import RoleSuggestion


class RoleHint(QWidget):
    """Empty, and without height, where nothing is suggested."""

    accepted = Signal(object)  # RoleSuggestion

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._suggestion: RoleSuggestion | None = None
        self._reason = ElidedLabel("", Text.CELL, "text_2")
        self.set_button = make_button(self.tr("Set this role"), small=True)
        self.set_button.setObjectName("setSuggestedRoleButton")
        self.set_button.clicked.connect(self._on_set_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(IconLabel("lightbulb", 16, "warn"))
        row.addWidget(self._reason, 1)
        row.addWidget(self.set_button)
        self.hide()

    @property
    def suggestion(self) -> RoleSuggestion | None:
        """What is suggested at the moment."""
        return self._suggestion

    def text(self) -> str:
        return self._reason.text()

    def show_suggestion(self, suggestion: RoleSuggestion | None) -> None:
        """Show what is suggested for a column; nothing hides the line."""
        self._suggestion = suggestion
        if suggestion is not None:
            words = self.tr("Suggested: {0}. {1}").format(suggestion.role.value, suggestion.reason)
            self._reason.setText(words)
            self.set_button.setToolTip(
                self.tr("Make {0} {1}").format(suggestion.column, suggestion.role.value)
            )
        self.setVisible(suggestion is not None)

    def _on_set_clicked(self) -> None:
        if self._suggestion is not None:
            self.accepted.emit(self._suggestion)
