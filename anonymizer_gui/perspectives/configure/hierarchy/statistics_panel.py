"""What each level leaves of this column, and what it would do to the optimum."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.configure.hierarchy.statistics_table import StatisticsTable
from anonymizer_gui.widgets.card import Card
from engine.hierarchies.statistics import LevelStatistics


class StatisticsPanel(Card):
    """Values ready to show; choosing a row chooses a level."""

    level_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Statistics"), self.tr("of this attribute alone"), parent)
        self.table = StatisticsTable()
        self.set_body(self.table, 0)

    def show_statistics(
        self, statistics: tuple[LevelStatistics, ...], words: tuple[str, ...], required_k: int | None
    ) -> None:
        """Show the statistics of a draft."""
        self.table.statistics.show_statistics(statistics, words, required_k)

    def show_level(self, level: int | None) -> None:
        """Point out the level in which groups are selected."""
