"""Updates the statistics of the editor with the draft."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject

from anonymizer_gui.perspectives.configure.facts import words_of_levels
from anonymizer_gui.perspectives.configure.hierarchy.drafts import HierarchyDrafts, Selection
from anonymizer_gui.perspectives.configure.hierarchy.statistics.panel import StatisticsPanel
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task
from engine.hierarchies import Hierarchy
from engine.hierarchies.statistics import LevelStatistics, level_statistics
from engine.project import AttributeHierarchy
from engine.records import Column

_STATISTICS = "hierarchy.statistics"
AT_ONCE = 20_000  # labels of all levels that are counted in the GUI thread

DescribedStatistics = tuple[tuple[LevelStatistics, ...], tuple[str, ...]]


class StatisticsPresenter(QObject):
    """Fills the statistics panel: groups per level."""

    def __init__(self, session: Session, drafts: HierarchyDrafts, panel: StatisticsPanel) -> None:
        super().__init__(panel)
        self._session, self._runner, self._drafts, self._panel = session, session.runner, drafts, panel
        drafts.draft_changed.connect(self._count)
        session.parts.requirement_changed.connect(self._count)
        panel.level_requested.connect(self._on_level_requested)

    def _on_level_requested(self, level: int) -> None:
        """Select all groups of a level."""
        outline = self._drafts.outline
        if outline is not None and level <= outline.hierarchy.height:
            entry = outline.hierarchy.levels[level]
            codes = np.unique(entry.codes[outline.leaves]).tolist()
            self._drafts.select(Selection(level, tuple(entry.labels[code] for code in codes)))

    # Statistics ---------------------------------------------------------------------------------

    def _count(self) -> None:
        column, hierarchy = self._drafts.column, self._drafts.draft.hierarchy
        self._runner.cancel(_STATISTICS)
        if column is None or hierarchy is None:
            self._panel.show_statistics("", (), (), None)
            return
        k = self._session.shown.requirement.k if self._session.shown.requirement is not None else None
        if hierarchy.n_leaves * len(hierarchy.levels) <= AT_ONCE:
            self._show_statistics(column, k, _statistics_of(hierarchy, column, k))
            return
        self._panel.show_statistics_updating()
        task = Task(_statistics_of, hierarchy, column, k)
        task.succeeded.connect(lambda found: self._on_counted(hierarchy, column, k, found))
        self._runner.start(task, key=_STATISTICS)

    def _on_counted(
        self, hierarchy: Hierarchy, column: Column, k: int | None, found: DescribedStatistics
    ) -> None:
        if hierarchy is self._drafts.draft.hierarchy and column is self._drafts.column:
            self._show_statistics(column, k, found)

    def _show_statistics(self, column: Column, k: int | None, found: DescribedStatistics) -> None:
        statistics, words = found
        self._panel.show_statistics(column.name, statistics, words, k)


def _statistics_of(hierarchy: Hierarchy, column: Column, k: int | None) -> DescribedStatistics:
    words = words_of_levels(column, AttributeHierarchy(hierarchy))
    return level_statistics(hierarchy, column, k), tuple(level.text for level in words)
