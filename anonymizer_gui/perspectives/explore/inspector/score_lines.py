"""Lines of the inspector: the node in words, the requirement, the metrics."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from anonymizer_gui.perspectives.explore.inspector.inspector_parts import LevelDots
from anonymizer_gui.perspectives.explore.inspector.inspector_values import MetricRow, RequirementRow, WordRow
from anonymizer_gui.theming import Text, scaled, theme_manager
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_tone
from anonymizer_gui.widgets.meter import Meter

_Right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_NAME_WIDTH = 92
_ROOMY = 145  # from which width on a meter is long


class _Lines(QWidget):
    """A grid whose lines are made when they are first needed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(0, 0, 0, 0)
        self.grid.setHorizontalSpacing(6)
        self.grid.setVerticalSpacing(4)

    def add_line(self, line: int, widgets: Sequence[QWidget]) -> None:
        for column, widget in enumerate(widgets):
            self.grid.addWidget(widget, line, column)


class WordLines(_Lines):
    """One line per attribute: its level as boxes, and what that leaves in words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grid.setColumnStretch(2, 1)
        self._lines: list[tuple[ElidedLabel, LevelDots, ElidedLabel]] = []
        theme_manager().theme_changed.connect(self._on_theme_changed)

    def show_rows(self, rows: Sequence[WordRow]) -> None:
        """Show the levels of another node."""
        while len(self._lines) < len(rows):
            made = (ElidedLabel("", Text.CELL, "text_2"), LevelDots(), ElidedLabel("", Text.CELL))
            made[0].setFixedWidth(scaled(_NAME_WIDTH))
            self.add_line(len(self._lines), made)
            self._lines.append(made)
        for i, (name, dots, words) in enumerate(self._lines):
            _set_visible((name, dots, words), i < len(rows))
            if i < len(rows):
                row = rows[i]
                name.setText(row.name)
                dots.show_level(row.level, row.height)
                words.setText(row.words)

    def texts(self) -> dict[str, str]:
        """What is said of every attribute."""
        return {name.text(): words.text() for name, _, words in self._lines if not name.isHidden()}

    def _on_theme_changed(self) -> None:
        for name, _, _ in self._lines:
            name.setFixedWidth(scaled(_NAME_WIDTH))


class RequirementLines(_Lines):
    """Measured against threshold per model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grid.setHorizontalSpacing(4)
        self.grid.setColumnStretch(1, 1)
        self._lines: list[tuple[IconLabel, ElidedLabel, QLabel, QLabel]] = []

    def show_rows(self, rows: Sequence[RequirementRow]) -> None:
        """Show what another node measures."""
        while len(self._lines) < len(rows):
            line = (
                IconLabel("check", 14, "ok"),
                ElidedLabel("", Text.CELL),
                make_label("", Text.CELL_STRONG),
                make_label("", Text.CAPTION, "text_3"),
            )
            line[2].setAlignment(_Right)
            self.add_line(len(self._lines), line)
            self._lines.append(line)
        for i, (icon, name, measured, threshold) in enumerate(self._lines):
            _set_visible((icon, name, measured, threshold), i < len(rows))
            if i < len(rows):
                row = rows[i]
                icon.set_icon("check" if row.is_met else "x", "ok" if row.is_met else "danger")
                icon.setAccessibleName(self.tr("met") if row.is_met else self.tr("missed"))
                name.setText(row.name)
                name.set_hint(row.detail)
                measured.setText(row.measured)
                set_tone(measured, "text" if row.is_met else "danger")
                threshold.setText(row.threshold)

    def texts(self) -> dict[str, tuple[str, str]]:
        """Measured value and threshold by name."""
        return {
            name.text(): (measured.text(), threshold.text())
            for _, name, measured, threshold in self._lines
            if not name.isHidden()
        }


class MetricLines(_Lines):
    """Metrics as bars over the range of the lattice, with the optimum as a tick."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grid.setColumnStretch(0, 1)
        self._lines: list[tuple[ElidedLabel, Meter, QLabel]] = []

    def show_rows(self, rows: Sequence[MetricRow]) -> None:
        """Show the values of another node."""
        while len(self._lines) < len(rows):
            line = (ElidedLabel("", Text.CELL), Meter("", 24), make_label("", Text.CELL_STRONG))
            line[2].setAlignment(_Right)
            self.add_line(len(self._lines), line)
            self._lines.append(line)
        self._fit_meters()
        for i, (name, meter, value) in enumerate(self._lines):
            _set_visible((name, meter, value), i < len(rows))
            if i < len(rows):
                row = rows[i]
                name.setText(row.name)
                name.set_hint(row.detail)
                meter.setAccessibleName(row.name)
                meter.setToolTip(row.detail)
                meter.show_share(row.share or 0.0, row.tick)
                meter.setVisible(row.share is not None)
                value.setText(row.text)

    def texts(self) -> dict[str, str]:
        """The values by name."""
        return {name.text(): value.text() for name, _, value in self._lines if not name.isHidden()}

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_meters()

    def _fit_meters(self) -> None:
        width = scaled(24 if self.width() >= scaled(_ROOMY) else 16)
        for _, meter, _ in self._lines:
            meter.setFixedWidth(width)


def _set_visible(widgets: Sequence[QWidget], visible: bool) -> None:
    for widget in widgets:
        widget.setVisible(visible)
