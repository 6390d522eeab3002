"""One value and what each level makes of it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import vbox

_LINES = 8  # of a higher hierarchy the lowest and the highest levels are shown


class ExampleBox(QWidget):
    """Hidden while there is no hierarchy."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: tuple[str, ...] = ()
        lines = QGridLayout()
        lines.setHorizontalSpacing(8)
        lines.setVerticalSpacing(2)
        lines.setColumnStretch(1, 1)
        self._lines = [(make_label("", Text.CELL, "text_3"), ElidedLabel("")) for _ in range(_LINES)]
        for row, (number, label) in enumerate(self._lines):
            number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            lines.addWidget(number, row, 0)
            lines.addWidget(label, row, 1)
        self._title = make_label("", Text.CELL, "text_2")
        vbox(self._title, lines, spacing=4, margins=0, of=self)
        self.show_kept(False)
        self.hide()

    def show_kept(self, is_kept: bool) -> None:
        """Say whether the example is of the hierarchy that is kept while a builder cannot make another."""
        self._title.setText(
            self.tr("Example, as the hierarchy still is") if is_kept else self.tr("Example, level by level")
        )

    def labels(self) -> tuple[str, ...]:
        """The labels shown, the value first."""
        return self._labels

    def show_labels(self, labels: Sequence[str]) -> None:
        """Show the labels of one value from level 0 on."""
        self._labels = tuple(labels)
        lines = [(str(level), label or self.tr("(missing)")) for level, label in enumerate(labels)]
        if len(lines) > _LINES:
            lines = [*lines[: _LINES - 2], ("", "…"), lines[-1]]
        for row, (number, label) in enumerate(self._lines):
            is_used = row < len(lines)
            number.setText(lines[row][0] if is_used else "")
            label.setText(lines[row][1] if is_used else "")
            number.setVisible(is_used)
            label.setVisible(is_used)
        self.setAccessibleName(self.tr("Example: {0}").format(", ".join(labels)) if labels else "")
        self.setVisible(bool(labels))
