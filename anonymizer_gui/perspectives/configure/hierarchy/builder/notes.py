"""Fills the builder panel from the draft: examples, groups, values without one, and wrong labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.perspectives.configure.hierarchy.builder.panel import BuilderPanel
from anonymizer_gui.perspectives.configure.hierarchy.drafts import Draft, HierarchyDrafts, Selection
from anonymizer_gui.tasks import Task, TaskRunner
from engine.errors import AnonymizerError
from engine.hierarchies.builders.base import BuilderContext, HierarchyBuilder
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.hierarchies.editing import children
from engine.hierarchies.hierarchy import SUPPRESSED, Hierarchy
from engine.hierarchies.names import is_about_years
from engine.hierarchies.relabel import Mislabel, find_mislabel, find_partial_name
from engine.numbers import as_exact_count
from engine.params import Choice, Choices, describe
from engine.records import Column
from engine.words import ngettext

_UNPLACED = "hierarchy.unplaced"
_NAMED = 5  # values a notice lists


class BuilderNotes(QObject):
    """Listener of the drafts; the panel computes nothing."""

    builder_requested = Signal(object)  # HierarchyBuilder: the one replaced by manual changes

    def __init__(
        self,
        runner: TaskRunner,
        drafts: HierarchyDrafts,
        panel: BuilderPanel,
        context: Callable[[], BuilderContext],
    ) -> None:
        super().__init__(panel)
        self._runner, self._drafts, self._panel, self._context = runner, drafts, panel, context
        self._common = ""
        drafts.draft_changed.connect(self._on_draft_changed)
        drafts.selection_changed.connect(self._on_selection_changed)
        panel.form_shown.connect(self._on_form_shown)
        panel.former_button.clicked.connect(self._on_former_requested)

    def _on_draft_changed(self) -> None:
        column, draft = self._drafts.column, self._drafts.draft
        self._runner.cancel(_UNPLACED)
        is_by_hand = draft.builder is None and draft.former is not None
        self._panel.show_former(draft.former.title if is_by_hand and draft.former is not None else "")
        self._panel.unplaced.show_words("")
        if column is None or draft.hierarchy is None:
            self._panel.example.show_labels(())
            return
        self._common = common_value(column)
        self._show_example(self._drafts.selection)
        self._describe_form()
        builder = draft.builder
        if builder is not None and type(builder).unplaced is not HierarchyBuilder.unplaced:
            self._runner.run(
                builder.unplaced,
                column,
                self._context(),
                then=self._on_unplaced_found,
                # The builder has run already, and its errors are shown.
                otherwise=lambda _error: None,
                key=_UNPLACED,
            )

    def _on_selection_changed(self, selection: Selection) -> None:
        self._show_example(selection)

    def _show_example(self, selection: Selection) -> None:
        """Show the selected value if there is one, otherwise the most frequent."""
        hierarchy = self._drafts.draft.hierarchy
        if hierarchy is None:
            return
        is_value = selection.level == 0 and len(selection.labels) == 1
        self._panel.example.show_labels(
            labels_of(hierarchy, selection.labels[0] if is_value else self._common)
        )

    def _on_form_shown(self, form: ParamForm) -> None:
        column = self._drafts.column
        if column is None:
            return
        self._common = common_value(column)  # the form is shown before the draft of a new column is announced
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
            named = self.tr("{named} and {n_more} more").format(named=named, n_more=as_exact_count(n_more))
        words = ngettext(
            "{named} stays unchanged on every level below the top.",
            "{named} stay unchanged on every level below the top.",
            len(values),
        )
        self._panel.unplaced.show_words(words.format(named=named))

    def _on_former_requested(self) -> None:
        former = self._drafts.draft.former
        if former is not None:
            self.builder_requested.emit(former)


_FEW_CUTS, _FEW_VALUES = 60, 200  # longer lists are too long to read and edit
_TAIL = 0.05  # share of the records in a group at either end


def suggestion(builder: HierarchyBuilder, column: Column, hierarchy: Hierarchy | None, name: str) -> Any:
    """Return a value for a missing parameter of a builder, or None if there is none.

    Limits are set so that about a twentieth of the records is beyond; cuts and groups are the current ones.
    """
    match name:
        case "order":
            return column.known_labels
        case "groups" if hierarchy is not None and len(hierarchy.values) <= _FEW_VALUES:
            return _named_groups(hierarchy, column)
        case "cuts":
            cuts = _cuts(builder, column)
            return cuts if 0 < len(cuts) <= _FEW_CUTS else None
        case "bands" if hierarchy is not None:
            return max(2, len(hierarchy.levels[1].labels))
    if not column.data_type.is_numeric:
        return None
    match name:
        case "bottom" | "snap_bottom":
            return _near_cut(builder, column, _quantile(column, _TAIL))
        case "top" | "snap_top":
            return _near_cut(builder, column, _quantile(column, 1 - _TAIL))
        case "minimum":
            return _plain(_quantile(column, 0))
        case "maximum":
            return _plain(_quantile(column, 1))
    return None


def _cuts(builder: HierarchyBuilder, column: Column) -> tuple[float, ...]:
    """Return the current cuts of bands; none if the builder makes no bands."""
    if not isinstance(builder, IntervalsBuilder):
        return ()
    try:
        return tuple(_plain(cut) for cut in builder.cut_numbers(column))
    except AnonymizerError:
        return ()


def _near_cut(builder: HierarchyBuilder, column: Column, number: float) -> float:
    cuts = _cuts(builder, column)
    return min(cuts, key=lambda cut: abs(cut - number)) if cuts else _plain(number)


def _quantile(column: Column, share: float) -> float:
    """Return the number in the column that exceeds a share of its numbers, weighted by records."""
    known = np.flatnonzero(np.isfinite(column.numbers))
    totals = np.cumsum(column.counts[known])
    place = int(np.searchsorted(totals, share * totals[-1])) if len(known) else 0
    return float(column.numbers[known[min(place, len(known) - 1)]]) if len(known) else 0.0


def _plain(number: float) -> float:
    """Return an integral number as int, so that it is written without a decimal point."""
    return int(number) if number == int(number) else number


def _named_groups(hierarchy: Hierarchy, column: Column) -> list[list[tuple[str, list[str]]]]:
    """Return the current groups of every level below the top, without those of one member."""
    levels = []
    for level in range(1, hierarchy.height):
        below = [label for label in hierarchy.levels[level].labels if label != column.missing_label]
        groups = [(label, children(hierarchy, level, [label])) for label in below]
        levels.append([(label, members) for label, members in groups if members != [label]])
    return [level for level in levels if level]


_NEIGHBOURS = 30  # values on each side from which an example is made
_MOST = 1000  # records of each of them


def common_value(column: Column) -> str:
    """Return the most frequent value; empty if all are missing."""
    values = column.known_labels
    return values[int(column.counts[: len(values)].argmax())] if values else ""


def option_examples(
    builder: HierarchyBuilder, hierarchy: Hierarchy, column: Column, value: str
) -> dict[str, dict[str, str]]:
    """Return what each option of a builder gives, by parameter and key.

    Parameters
    ----------
    hierarchy : Hierarchy
        Built from the column.
    value : str
        A value of the column. Only its neighbours are used, not the complete column.
    """
    found: dict[str, dict[str, str]] = {}
    part = _context(column, value)
    for descriptor in describe(type(builder)):
        if isinstance(descriptor, Choices):
            found[descriptor.name] = {
                key: _label(builder, descriptor.name, (key,), part, value) for key, _ in descriptor.options
            }
        elif isinstance(descriptor, Choice) and descriptor.by_example:
            chosen = getattr(builder, descriptor.name)
            found[descriptor.name] = {
                key: _first_label(hierarchy, value)
                if key == chosen
                else _label(builder, descriptor.name, key, part, value)
                for key, _ in descriptor.options
            }
    return found


def labels_of(hierarchy: Hierarchy, value: str) -> tuple[str, ...]:
    """Return the labels of a value on every level; empty if the hierarchy does not contain it."""
    if value not in hierarchy.index:
        return ()
    return tuple(hierarchy.label(value, level) for level in range(hierarchy.height + 1))


def _context(column: Column, value: str) -> Column:
    place = column.labels.index(value)
    first = max(place - _NEIGHBOURS, 0)
    codes = np.arange(first, min(place + _NEIGHBOURS + 1, len(column.known_labels)), dtype=np.int32)
    return replace(
        column,
        labels=tuple(column.labels[code] for code in codes.tolist()),
        codes=np.repeat(np.arange(len(codes), dtype=np.int32), np.minimum(column.counts[codes], _MOST)),
        has_missing=False,
        numbers=column.numbers[codes],
    )


def _label(builder: HierarchyBuilder, name: str, option: object, column: Column, value: str) -> str:
    """Return the label that a builder with another option would give; empty if it cannot be built."""
    try:
        made = replace(builder, **{name: option}).build(column)  # type: ignore[type-var]  # a dataclass
    except AnonymizerError:
        return ""
    return _first_label(made, value)


def _first_label(hierarchy: Hierarchy, value: str) -> str:
    """Return the lowest label that differs from the value; empty if there is none."""
    return next((label for label in labels_of(hierarchy, value) if label not in (value, SUPPRESSED)), "")


_LOOK = "hierarchy.mislabel"


class MislabelPresenter(QObject):
    """Checks manual hierarchies and files only: builders name groups by their values."""

    def __init__(self, runner: TaskRunner, drafts: HierarchyDrafts, panel: BuilderPanel) -> None:
        super().__init__(panel)
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
