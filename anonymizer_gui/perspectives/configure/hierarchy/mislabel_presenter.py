"""Notices labels that contradict their values while a hierarchy is edited, and writes them anew."""

from __future__ import annotations

from PySide6.QtCore import QObject

from anonymizer_gui.perspectives.configure.hierarchy.builder_panel import BuilderPanel
from anonymizer_gui.perspectives.configure.hierarchy.drafts import Draft, HierarchyDrafts
from anonymizer_gui.tasks import Task, TaskRunner
from engine.hierarchies.relabel import Mislabel, find_mislabel

_LOOK = "hierarchy.mislabel"


class MislabelPresenter(QObject):
    """What builders made is not looked at: they name groups by their values."""

    def __init__(
        self,
        runner: TaskRunner,
        drafts: HierarchyDrafts,
        panel: BuilderPanel,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._runner, self._drafts, self._panel = runner, drafts, panel
        self._found: Mislabel | None = None
        drafts.draft_changed.connect(self._on_draft_changed)
        panel.relabel_requested.connect(self._on_relabel_requested)

    def _on_draft_changed(self) -> None:
        column, draft = self._drafts.column, self._drafts.draft
        self._runner.cancel(_LOOK)
        if column is None or draft.hierarchy is None or draft.builder is not None:
            self._show(None)
            return
        task = Task(find_mislabel, draft.hierarchy, column)
        task.succeeded.connect(self._show)
        self._runner.start(task, key=_LOOK)

    def _show(self, found: Mislabel | None) -> None:
        self._found = found
        if found is None:
            self._panel.show_mislabel("")
            return
        action = ""
        if found.relabelled is not None:
            action = self.tr("Relabel as {0}").format(found.sample[1])
        self._panel.show_mislabel(self._words(found), action)

    def _words(self, found: Mislabel) -> str:
        column, draft = self._drafts.column, self._drafts.draft
        assert column is not None
        cases = [
            self.tr("{0} {1} under {2}").format(column.name, value, label) for value, label in found.examples
        ]
        source = self.tr("The imported file") if draft.path is not None else self.tr("The hierarchy")
        return self.tr("{0} puts {1}: {2}.").format(source, self.tr(" and ").join(cases), found.summary)

    def _on_relabel_requested(self) -> None:
        found, draft = self._found, self._drafts.draft
        if found is None or found.relabelled is None:
            return
        text = self.tr("Relabel {0} as {1}").format(*found.sample)
        self._drafts.edit(text, Draft(found.relabelled, former=draft.rule))
