"""Tells the builder panel what the draft gives: examples, groups per level, what was not placed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.perspectives.configure.hierarchy.builder_panel import BuilderPanel
from anonymizer_gui.perspectives.configure.hierarchy.drafts import HierarchyDrafts, Selection
from anonymizer_gui.perspectives.configure.hierarchy.panels.examples import (
    common_value,
    labels_of,
    option_examples,
)
from anonymizer_gui.perspectives.configure.hierarchy.panels.suggestions import suggestion
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.widgets.numbers import as_exact_count
from engine.errors import AnonymizerError
from engine.hierarchies.builders.base import Around, HierarchyBuilder
from engine.hierarchies.names import is_about_years

_UNPLACED = "hierarchy.unplaced"
_NAMED = 5  # values a notice lists


class BuilderNotes(QObject):
    """Listens to the drafts; the panel computes nothing."""

    builder_requested = Signal(object)  # HierarchyBuilder: the one there was before changes by hand

    def __init__(
        self,
        runner: TaskRunner,
        drafts: HierarchyDrafts,
        panel: BuilderPanel,
        around: Callable[[], Around],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._runner, self._drafts, self._panel, self._around = runner, drafts, panel, around
        self._common = ""
        drafts.draft_changed.connect(self._on_draft_changed)
        drafts.selection_changed.connect(self._on_selection_changed)
        panel.form_shown.connect(self._on_form_shown)
        panel.former_requested.connect(self._on_former_requested)

    def _on_draft_changed(self) -> None:
        column, draft = self._drafts.column, self._drafts.draft
        self._runner.cancel(_UNPLACED)
        is_by_hand = draft.builder is None and draft.former is not None
        self._panel.show_former(draft.former.title if is_by_hand and draft.former is not None else "")
        self._panel.show_unplaced("")
        if column is None or draft.hierarchy is None:
            self._panel.show_example(())
            return
        self._common = common_value(column)
        self._show_example(self._drafts.selection)
        self._describe_form()
        builder = draft.builder
        if builder is not None and type(builder).unplaced is not HierarchyBuilder.unplaced:
            task = Task(builder.unplaced, column, self._around())
            task.succeeded.connect(self._on_unplaced_found)
            task.failed.connect(_refuse_other_errors)
            self._runner.start(task, key=_UNPLACED)

    def _on_selection_changed(self, selection: Selection) -> None:
        self._show_example(selection)

    def _show_example(self, selection: Selection) -> None:
        """Show the selected value where there is one, else the most frequent."""
        hierarchy = self._drafts.draft.hierarchy
        if hierarchy is None:
            return
        is_value = selection.level == 0 and len(selection.labels) == 1
        self._panel.show_example(labels_of(hierarchy, selection.labels[0] if is_value else self._common))

    def _on_form_shown(self, form: ParamForm) -> None:
        column = self._drafts.column
        if column is None:
            return
        self._common = common_value(column)  # the form is shown before the draft of a further column is told
        form.suggest_by(self._suggestion)
        form.show_note("width", self.tr("years wide") if is_about_years(column.name) else self.tr("wide"))
        form.show_note("origin", self.tr("begins a band"))
        self._describe_form()

    def _describe_form(self) -> None:
        column, hierarchy = self._drafts.column, self._drafts.draft.hierarchy
        shown = self._panel.shown_builder()
        if column is None or hierarchy is None or shown is None or shown != self._drafts.draft.builder:
            return
        self._panel.show_groups([len(level.labels) for level in hierarchy.levels])
        if self._common:
            self._panel.show_options(option_examples(shown, hierarchy, column, self._common))

    def _suggestion(self, name: str) -> Any:
        column, builder = self._drafts.column, self._panel.shown_builder()
        if column is None or builder is None:
            return None
        return suggestion(builder, column, self._drafts.draft.hierarchy, name)

    def _on_unplaced_found(self, values: tuple[str, ...]) -> None:
        if not values:
            return
        named, n_more = ", ".join(f"“{value}”" for value in values[:_NAMED]), len(values) - _NAMED
        if n_more > 0:
            named = self.tr("{0} and {1} more").format(named, as_exact_count(n_more))
        words = (
            self.tr("{0} stays itself on every level below the top.")
            if len(values) == 1
            else self.tr("{0} stay themselves on every level below the top.")
        )
        self._panel.show_unplaced(words.format(named))

    def _on_former_requested(self) -> None:
        former = self._drafts.draft.former
        if former is not None:
            self.builder_requested.emit(former)


def _refuse_other_errors(error: Exception) -> None:
    """The builder has built already; what it says of its source is shown where it is built."""
    if not isinstance(error, AnonymizerError):
        raise error
