"""Detects labels that contradict their values while a hierarchy is edited, and rewrites them."""

from __future__ import annotations

from PySide6.QtCore import QObject

from anonymizer_gui.perspectives.configure.hierarchy.builder.panel import BuilderPanel
from anonymizer_gui.perspectives.configure.hierarchy.drafts import Draft, HierarchyDrafts
from anonymizer_gui.tasks import Task, TaskRunner
from engine.hierarchies import Hierarchy
from engine.hierarchies.relabel import Mislabel, find_mislabel, find_partial_name
from engine.table import Column

_LOOK = "hierarchy.mislabel"


class MislabelPresenter(QObject):
    """Checks manual hierarchies and files only: builders name groups by their values."""

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
        self._looked_at: Hierarchy | None = None
        drafts.draft_changed.connect(self._on_draft_changed)
        panel.mislabel.action_requested.connect(self._on_relabel_requested)

    def _on_draft_changed(self) -> None:
        draft = self._drafts.draft
        if self._drafts.column is None or draft.hierarchy is None or draft.builder is not None:
            self._runner.cancel(_LOOK)
            self._show(None, None)
        elif self._runner.running(_LOOK) is None:  # a check cannot be cancelled: they run in turn
            self._look()

    def _look(self) -> None:
        column, hierarchy = self._drafts.column, self._drafts.draft.hierarchy
        if column is not None and hierarchy is not None:
            is_by_hand = self._drafts.draft.path is None and self._drafts.undo_stack.canUndo()
            task = Task(_look_at, hierarchy, column, is_by_hand)
            task.succeeded.connect(lambda found: self._on_looked(hierarchy, found))
            self._runner.start(task, key=_LOOK)

    def _on_looked(self, hierarchy: Hierarchy, found: Mislabel | None) -> None:
        if hierarchy is self._drafts.draft.hierarchy:
            self._show(hierarchy, found)
        else:
            self._look()

    def _show(self, hierarchy: Hierarchy | None, found: Mislabel | None) -> None:
        self._found, self._looked_at = found, hierarchy
        if found is None:
            self._panel.mislabel.show_words("")
            return
        action = ""
        if found.relabelled is not None:
            action = self.tr("Relabel as {sample}").format(sample=found.sample[1])
        self._panel.mislabel.show_words(self._words(found), action)

    def _words(self, found: Mislabel) -> str:
        column, draft = self._drafts.column, self._drafts.draft
        assert column is not None
        cases = [
            self.tr("{name} {value} under {label}").format(name=column.name, value=value, label=label)
            for value, label in found.examples
        ]
        source = self.tr("The imported file") if draft.path is not None else self.tr("The hierarchy")
        words = self.tr("{source} puts {cases}").format(source=source, cases=self.tr(" and ").join(cases))
        is_said = found.summary.casefold() == self._panel.mislabel.title().casefold()
        return f"{words}." if is_said else f"{words}: {found.summary}."

    def _on_relabel_requested(self) -> None:
        found, draft = self._found, self._drafts.draft
        if found is None or found.relabelled is None or draft.hierarchy is not self._looked_at:
            return
        text = self.tr("Relabel {before} as {after}").format(before=found.sample[0], after=found.sample[1])
        self._drafts.edit(text, Draft(found.relabelled, former=draft.rule))


def _look_at(hierarchy: Hierarchy, column: Column, is_by_hand: bool) -> Mislabel | None:
    """Return the first wrong label; in files a group may be named after one of its values."""
    found = find_mislabel(hierarchy, column)
    return find_partial_name(hierarchy, column) if found is None and is_by_hand else found
