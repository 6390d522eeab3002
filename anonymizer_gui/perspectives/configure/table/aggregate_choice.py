"""Choice between the labels of a quasi-identifying column and an aggregate of every class."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.configure.table.release_choice import TOOLTIP, ReleaseChoice

LABELS = ""  # key of generalized values


@dataclass(frozen=True)
class AggregateFacts:
    """Aggregate choice of one column.

    Attributes
    ----------
    options : tuple of (str, str, str)
        Key, title and summary of each applicable function.
    chosen : str
        Key of the chosen function, or `LABELS`.
    words : str
        Its parameters in short.
    """

    options: tuple[tuple[str, str, str], ...]
    chosen: str = LABELS
    words: str = ""


class AggregateChoice(ReleaseChoice):
    """List of released forms, with a button for the parameters of the chosen one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("aggregateBox", "aggregateSettings", parent)
        self.settings_button.setToolTip(
            self.tr("How the aggregate is computed and which records form the classes")
        )

    def show_facts(self, facts: AggregateFacts) -> None:
        """Show the choice of a column."""
        with QSignalBlocker(self.box):
            self.box.clear()
            self.add_option(LABELS, self.tr("Generalized value"))
            for option in facts.options:
                self.add_option(*option)
            self.box.setCurrentIndex(max(self.box.findData(facts.chosen), 0))
        self.box.setToolTip(
            self.box.currentData(TOOLTIP) or self.tr("The label of the value in the hierarchy")
        )
        self._words.setText(facts.words)
        self.settings_button.setVisible(facts.chosen != LABELS)
