"""The card of attacks: what the table resists, and by which measured value."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from anonymizer_gui.perspectives.judge.values import AttackRow
from anonymizer_gui.theming import Text, scaled, theme_manager
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, make_line
from anonymizer_gui.widgets.scroll_body import scrolled

_ROW = 30
_TONES = {"ok": "ok", "warn": "warn", "danger": "danger", "neutral": "text_3"}


class _Line(QWidget):
    """One attack."""

    def __init__(self) -> None:
        super().__init__()
        self._icon = IconLabel("shield", 16)
        self.title = ElidedLabel("", Text.CELL_STRONG)
        self._value = make_label("", Text.CELL, "text_2")
        self._value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.status = Chip("")
        row = QHBoxLayout()
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self.title, 1)
        row.addWidget(self._value)
        row.addWidget(self.status)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row, 1)
        column.addWidget(make_line())
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme_manager().theme_changed.connect(self._fit)
        self._fit()

    def show_row(self, row: AttackRow) -> None:
        self._icon.set_icon(row.icon, _TONES[row.tone])
        self.title.setText(row.title)
        self._value.setText(row.value)
        self.status.show_status(row.status, row.tone, icon_name="")
        tooltip = f"{row.title}: {row.meaning}\n{row.reason}"
        self.title.set_hint(tooltip)
        for part in (self, self._value, self.status):
            part.setToolTip(tooltip)
        self.setAccessibleName(f"{row.title}: {row.status}. {row.reason}")

    def _fit(self) -> None:
        self.setFixedHeight(scaled(_ROW))


class AttacksPanel(Card):
    """One line per attack."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Attacks"), self.tr("what the table resists"), parent)
        self._lines: list[_Line] = []
        self._counts = {tone: Chip("", tone, icon_name="") for tone in ("ok", "warn", "danger")}
        for chip in self._counts.values():
            self.add_tool(chip)
        self._column = QVBoxLayout()
        self._column.setSpacing(0)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addStretch(1)
        self.set_body(scrolled(self._column), 0)

    def show_attacks(self, rows: Sequence[AttackRow]) -> None:
        """Show other verdicts."""
        while len(self._lines) < len(rows):
            line = _Line()
            self._column.insertWidget(len(self._lines), line)
            self._lines.append(line)
        for line, row in zip(self._lines, rows, strict=False):
            line.show_row(row)
        words = {"ok": self.tr("resisted"), "warn": self.tr("in part"), "danger": self.tr("open")}
        for tone, chip in self._counts.items():
            n_rows = sum(row.tone == tone for row in rows)
            chip.set_text(f"{n_rows} {words[tone]}")
            chip.setVisible(n_rows > 0)

    def texts(self) -> list[tuple[str, str]]:
        """Title and verdict of every line."""
        return [(line.title.text(), line.status.text()) for line in self._lines]
