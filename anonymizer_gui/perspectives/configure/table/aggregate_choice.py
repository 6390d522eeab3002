"""What is released of a quasi-identifying column: its labels, or an aggregate of every class."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.configure.table.release_choice import TOOLTIP, ReleaseChoice

LABELS = ""  # the choice of generalized values


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


class AggregateChoice(ReleaseChoice):
    """A list of what can be released, and a way to the parameters of what is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("aggregateBox", "aggregateSettings", parent)
        self.settings_button.setToolTip(
            self.tr("How the aggregate is computed and which records form the classes")
        )

    def show_facts(self, facts: AggregateFacts) -> None:
        """Show the choice of another column, or another choice."""
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
