"""What is released of a quasi-identifying column: its labels, or an aggregate of every class."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from anonymizer_gui.theming import Text, scaled, theme_manager
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.labels import ElidedLabel

LABELS = ""  # the choice of generalized values
_WIDTH = 158
_TOOLTIP = Qt.ItemDataRole.ToolTipRole


@dataclass(frozen=True)
class AggregateFacts:
    """The choice for one column.

    Attributes
    ----------
    options : tuple of (str, str, str)
        Key, title and summary of every function that can be taken of the column.
    chosen : str
        Key of the one that is released, or `LABELS`.
    words : str
        Its parameters in short.
    """

    options: tuple[tuple[str, str, str], ...]
    chosen: str = LABELS
    words: str = ""


class AggregateChoice(QWidget):
    """A list of what can be released, and a way to the parameters of what is."""

    function_requested = Signal(str)  # key, or LABELS
    settings_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = ElidedComboBox()
        self.box.setObjectName("aggregateBox")
        self.box.setProperty("size", "small")
        self.box.setAccessibleName(self.tr("Released as"))
        self.box.activated.connect(lambda place: self.function_requested.emit(self.box.itemData(place)))
        self._words = ElidedLabel("", Text.CELL, "text_3")
        self.settings_button = make_button(self.tr("Settings"), icon_name="settings-2", small=True)
        self.settings_button.setObjectName("aggregateSettings")
        self.settings_button.setToolTip(self.tr("How the aggregate is taken, and who forms the classes"))
        self.settings_button.clicked.connect(self.settings_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.box)
        row.addWidget(self._words, 1)
        row.addWidget(self.settings_button)
        theme_manager().theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def show_facts(self, facts: AggregateFacts) -> None:
        """Show the choice of another column, or another choice."""
        with QSignalBlocker(self.box):
            self.box.clear()
            self.box.addItem(self.tr("Generalized value"), LABELS)
            for key, title, summary in facts.options:
                self.box.addItem(title, key)
                self.box.setItemData(self.box.count() - 1, summary, _TOOLTIP)
            self.box.setCurrentIndex(max(self.box.findData(facts.chosen), 0))
        self.box.setToolTip(
            self.box.currentData(_TOOLTIP) or self.tr("The label that the hierarchy has for the value")
        )
        self._words.setText(facts.words)
        self.settings_button.setVisible(facts.chosen != LABELS)

    def words(self) -> str:
        """What stands beside the list."""
        return self._words.text()

    def _on_theme_changed(self) -> None:
        self.box.setFixedWidth(scaled(_WIDTH))
