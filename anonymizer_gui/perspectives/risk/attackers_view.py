"""Three attackers side by side: what each knows, and bars of what each can hope for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from anonymizer_gui.perspectives.risk.attacker_values import AttackerColumn
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.bar_pair import BarPair
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, make_line
from anonymizer_gui.widgets.scroll_body import scrolled

_ROOMY = 820  # pixels of all columns


class _Column(QWidget):
    """One attacker."""

    def __init__(self, shown: AttackerColumn) -> None:
        super().__init__()
        self.setObjectName(f"attacker.{shown.key}")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(IconLabel(shown.icon, 18, "text_2"))
        head.addWidget(ElidedLabel(shown.title, Text.TITLE), 1)
        self._knows = ElidedLabel("", Text.CAPTION, "text_3")
        self._pairs = [BarPair(line.name) for line in shown.lines]
        self._sentence = make_label("", Text.CELL, "text_2", wraps=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 12)
        column.setSpacing(8)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addLayout(head)
        words.addWidget(self._knows)
        column.addLayout(words)
        for pair in self._pairs:
            column.addWidget(pair)
        column.addWidget(self._sentence)
        column.addStretch(1)
        self.show_column(shown)

    def show_column(self, shown: AttackerColumn) -> None:
        self._knows.setText(shown.knows)
        for pair, line in zip(self._pairs, shown.lines, strict=True):
            pair.show_pair(line.before, line.after, line.before_text, line.after_text)
            pair.setToolTip(line.meaning)
            pair.setAccessibleDescription(line.meaning)
        self._sentence.setText(shown.sentence)
        self._sentence.setVisible(bool(shown.sentence))

    def numbers(self) -> list[str]:
        return [pair.numbers() for pair in self._pairs]


class AttackersView(QWidget):
    """Columns are made with the first figures; which attackers there are never changes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("attackersView")
        self.setAccessibleName(self.tr("Risk by attacker, before and after"))
        self._columns: list[_Column] = []
        self._row = QHBoxLayout()
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(scrolled(self._row))

    def show_attackers(self, columns: Sequence[AttackerColumn]) -> None:
        """Show other figures."""
        if not self._columns:
            for shown in columns:
                if self._columns:
                    self._row.addWidget(make_line(Qt.Orientation.Vertical))
                made = _Column(shown)
                self._columns.append(made)
                self._row.addWidget(made)
            self._share()
            return
        for column, shown in zip(self._columns, columns, strict=True):
            column.show_column(shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def _share(self) -> None:
        """Give longer words more room, unless the shortest need all they can have."""
        is_roomy = self.width() >= scaled(_ROOMY)
        for column in self._columns:
            weight = 7 if is_roomy and len(column.numbers()) > 1 else 6
            self._row.setStretchFactor(column, weight)

    def numbers(self) -> list[list[str]]:
        """What stands over the bars of each attacker."""
        return [column.numbers() for column in self._columns]
