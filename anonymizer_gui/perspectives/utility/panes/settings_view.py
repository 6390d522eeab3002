"""The settings of a release as a list of names and values."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from anonymizer_gui.perspectives.utility.panes.settings_values import SettingGroup
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.scroll_body import scrolled


class SettingsView(QWidget):
    """Names at the left, values wrapped at the right, under headings."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: list[QLabel] = []
        self._shown: list[SettingGroup] = []
        self._grid = QGridLayout()
        self._grid.setContentsMargins(12, 8, 12, 8)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 1)
        inner = QVBoxLayout()
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addLayout(self._grid)
        inner.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(scrolled(inner))

    def show_groups(self, groups: list[SettingGroup]) -> None:
        """Show other settings."""
        if groups == self._shown:
            return
        self._shown = groups
        for label in self._labels:
            label.hide()
            self._grid.removeWidget(label)
            label.deleteLater()
        self._labels = []
        row = 0
        for group in groups:
            title = make_label(group.title, Text.SECTION, "text_2")
            title.setContentsMargins(0, 8 if row else 0, 0, 0)
            self._add(title, row, 0, 2)
            row += 1
            for setting in group.settings:
                self._add(make_label(setting.name, Text.CELL, "text_2", wraps=True), row, 0, 1)
                value = make_label(setting.value, Text.CELL, "text", wraps=True)
                value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                self._add(value, row, 1, 1)
                row += 1

    def texts(self) -> list[tuple[str, str]]:
        """Names and values."""
        return [(line.name, line.value) for group in self._shown for line in group.settings]

    def _add(self, label: QLabel, row: int, column: int, span: int) -> None:
        self._grid.addWidget(label, row, column, 1, span, Qt.AlignmentFlag.AlignTop)
        self._labels.append(label)
