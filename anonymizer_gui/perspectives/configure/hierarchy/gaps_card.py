"""Values of the table that have no place in the hierarchy: placed by drag, by rule or at the top."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.group_drag import GroupDrag
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.labels import make_label


class GapsCard(Card):
    """Hidden while every value has its place."""

    rule_requested = Signal()  # let the builder place all
    top_requested = Signal(object)  # values that shall be kept below the top
    pick_up_requested = Signal(object)  # Selection of level 0, to be put into a group by key

    def __init__(self, drag: GroupDrag, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Not in the hierarchy"), "", parent)
        self._drag = drag
        self._values: tuple[str, ...] = ()
        self._words = make_label("", Text.CELL, "text_2", wraps=True)
        self.top_button = make_button(self.tr("Keep below the top"), small=True)
        self.top_button.setObjectName("gapsTopButton")
        self.top_button.clicked.connect(lambda: self.top_requested.emit(self._values))
        self.rule_button = make_button(self.tr("Place by rule"), small=True)
        self.rule_button.setObjectName("gapsRuleButton")
        self.rule_button.clicked.connect(self.rule_requested)
        column = QVBoxLayout()
        column.addWidget(self._words)
        column.addWidget(self.rule_button)
        column.addWidget(self.top_button)
        self.set_body(column)
        self.hide()

    def show_gaps(self, values: Sequence[str], records: Sequence[int], rule: str) -> None:
        """Show values with their records; `rule` names the builder that could place them, or is empty."""
        self._values = tuple(values)
        self._words.setText(", ".join(values[:20]))
        self.rule_button.setVisible(bool(rule))
        self.setVisible(bool(values))
