"""Keeps the statistics of the editor in step with the draft."""

from __future__ import annotations

from PySide6.QtCore import QObject

from anonymizer_gui.perspectives.configure.facts import level_words
from anonymizer_gui.perspectives.configure.hierarchy.drafts import HierarchyDrafts
from anonymizer_gui.perspectives.configure.hierarchy.statistics_panel import StatisticsPanel
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import TaskRunner
from engine.hierarchies.statistics import level_statistics
from engine.project import AttributeHierarchy


class StatisticsPresenter(QObject):
    """Shows what each level of the draft leaves of the column."""

    def __init__(
        self,
        session: Session,
        runner: TaskRunner,
        drafts: HierarchyDrafts,
        panel: StatisticsPanel,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._drafts, self._panel = session, runner, drafts, panel
        drafts.draft_changed.connect(self._on_draft_changed)

    def _on_draft_changed(self) -> None:
        column, hierarchy = self._drafts.column, self._drafts.draft.hierarchy
        if column is None or hierarchy is None:
            self._panel.show_statistics((), (), None)
            return
        requirement = self._session.requirement
        self._panel.show_statistics(
            level_statistics(hierarchy, column),
            level_words(column, AttributeHierarchy(hierarchy)),
            requirement.k if requirement is not None else None,
        )
