"""Copies hierarchies to other columns, and to and from the user's library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.configure.facts import levels_in_words
from anonymizer_gui.perspectives.configure.hierarchy.drafts import Draft, HierarchyDrafts
from anonymizer_gui.perspectives.configure.hierarchy.editor import HierarchyEditor
from anonymizer_gui.perspectives.configure.hierarchy.library_dialog import (
    LibraryDialog,
    LibraryItem,
    ProblemsDialog,
)
from anonymizer_gui.perspectives.configure.table.tick_list_dialog import TickListDialog, TickRow
from anonymizer_gui.session import Session
from anonymizer_gui.tables.rows_model import Cell
from engine.errors import AnonymizerError
from engine.hierarchies.builders.base import NO_CONTEXT, BuilderContext
from engine.hierarchies.library import LibraryEntry, entries, entry_named, forget, keep
from engine.hierarchies.problems import LineProblem
from engine.hierarchies.similar import Fit, SimilarColumn, fit, similar_columns
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.project import AttributeHierarchy, Project, edits
from engine.records import Column
from engine.scratch import config_dir
from engine.words import _, ngettext

_LISTING = "hierarchy.library"


class SharingPresenter(QObject):
    """Handles the buttons above the editor that concern other columns or the library."""

    draft_made = Signal(str, object)  # name of the step, and the Draft
    described = Signal(str)  # for the status line

    def __init__(self, session: Session, drafts: HierarchyDrafts, editor: HierarchyEditor) -> None:
        super().__init__(editor)
        self._session, self._runner, self._drafts, self._editor = session, session.runner, drafts, editor
        self._library: LibraryDialog | None = None
        editor.copy_button.clicked.connect(self._on_copy_requested)
        editor.library_action.triggered.connect(self._on_library_requested)

    def show_problems(self, name: str, problems: tuple[LineProblem, ...]) -> None:
        """List all errors of a file."""
        dialog = ProblemsDialog(name, problems, self._editor)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    # Other columns ------------------------------------------------------------------------------

    def _on_copy_requested(self) -> None:
        project, column, draft = self._session.project, self._drafts.column, self._drafts.draft
        hierarchy = draft.hierarchy
        if project is None or column is None or hierarchy is None:
            return
        self._runner.run(
            copies,
            project,
            column,
            AttributeHierarchy(hierarchy, builder=draft.builder),
            then=lambda found: self._show_columns(project, column, draft, found),
            otherwise=self._show_error,
            label=self.tr("Finding similar columns"),
            key="hierarchy.copy",
        )

    def _show_columns(self, project: Project, column: Column, draft: Draft, rows: Sequence[TickRow]) -> None:
        if project is self._session.project and draft is self._drafts.draft:
            dialog = copy_dialog(column.name, rows, self._editor)
            dialog.changes_accepted.connect(lambda changes: self._on_copy_accepted(column, changes))

    def _on_copy_accepted(self, column: Column, changes: Mapping[str, AttributeHierarchy]) -> None:
        text = self.tr("Copy hierarchy of {name}").format(name=column.name)
        self._session.change(text, edits.set_hierarchies, changes)
        self.described.emit(self.tr("Copied to {names}").format(names=", ".join(changes)))

    # The library --------------------------------------------------------------------------------

    def _on_library_requested(self) -> None:
        column = self._drafts.column
        if column is None or self._library is not None:
            return
        dialog = self._library = LibraryDialog(str(_folder()), column.name, column.name, self._editor)
        dialog.keep_requested.connect(self._on_keep_requested)
        dialog.replace_requested.connect(self._keep)
        dialog.use_requested.connect(self._on_use_requested)
        dialog.delete_requested.connect(
            lambda path: self._start(forget, path, then=lambda _none: self._load(""))
        )
        dialog.finished.connect(self._on_library_finished)
        dialog.open()
        self._load("")

    def _load(self, current: str) -> None:
        column = self._drafts.column
        if column is not None and self._library is not None:
            self._runner.run(
                offers,
                _folder(),
                column,
                builder_context(self._session.project),
                then=lambda found: self._show_library(found, current),
                otherwise=self._show_error,
                key=_LISTING,
            )

    def _show_library(self, found: Sequence[LibraryItem], current: str) -> None:
        if self._library is not None:
            self._library.show_items(found, current)

    def _on_keep_requested(self, name: str) -> None:
        try:
            is_taken = entry_named(_folder(), name) is not None
        except AnonymizerError as error:
            self._show_error(error)
            return
        if is_taken and self._library is not None:
            self._library.ask_to_replace(name)
        else:
            self._keep(name)

    def _keep(self, name: str) -> None:
        column, draft = self._drafts.column, self._drafts.draft
        if column is not None and draft.hierarchy is not None:
            entry = (_folder(), name, draft.hierarchy, draft.builder, column.name)
            self._start(keep, *entry, then=lambda _path: self._load(name))

    def _on_use_requested(self, offered: LibraryItem) -> None:
        if offered.fit is None or offered.entry.hierarchy is None:
            return
        entry = offered.entry
        draft = Draft(entry.hierarchy, former=entry.builder)
        if offered.fit.is_by_rule:
            draft = Draft(offered.fit.hierarchy, offered.fit.builder)
        if self._library is not None:
            self._library.accept()
        self.draft_made.emit(self.tr("Use “{name}” from the library").format(name=entry.name), draft)

    def _on_library_finished(self) -> None:
        self._runner.cancel(_LISTING)
        if self._library is not None:
            self._library.deleteLater()
        self._library = None

    def _show_error(self, error: AnonymizerError) -> None:
        if self._library is not None:
            self._library.show_error(error.problem, error.hint)
        else:
            self._editor.banner.show_error(error.problem, error.hint)

    def _start(self, function: Callable[..., Any], *args: Any, then: Callable[[Any], None]) -> None:
        """Change the library; later jobs do not cancel the change."""
        self._runner.run(function, *args, then=then, otherwise=self._on_change_failed)

    def _on_change_failed(self, error: AnonymizerError) -> None:
        """Reload the library: it may have changed before the failure."""
        self._show_error(error)
        self._load("")


def builder_context(project: Project | None) -> BuilderContext:
    """Return the project data that builders may use besides their column."""
    return NO_CONTEXT if project is None else BuilderContext(project.table)


def _folder() -> Path:
    """Return the folder of the library."""
    return config_dir() / "hierarchies"


def offers(folder: Path, column: Column, context: BuilderContext) -> list[LibraryItem]:
    """Read the library and adapt each hierarchy to a column."""
    found = []
    for entry in entries(folder):
        hierarchy = entry.hierarchy
        made = None if hierarchy is None else fit(hierarchy, entry.builder, column, context)
        found.append(library_item(column, entry, made))
    return found


def copies(
    project: Project, column: Column, entry: AttributeHierarchy, monitor: Monitor = SILENT
) -> list[TickRow]:
    """Adapt the hierarchy of a column to all others, the most similar ones first."""
    others = [other for other in project.table.columns if other.name != column.name]
    context = BuilderContext(project.table)
    found = similar_columns(entry.hierarchy, entry.builder, column, others, context, monitor)
    return [copy_row(project, similar) for similar in found]


def copy_row(project: Project, similar: SimilarColumn) -> TickRow:
    """Return the row that describes the result for a column."""
    made, name = similar.fit, similar.column.name
    now = project.hierarchies.get(name)
    kept = (
        _("No hierarchy yet")
        if now is None
        else _("Replaces its hierarchy of height {height}").format(height=now.hierarchy.height)
    )
    why_not = "" if made.is_useful else _why_useless(made)
    if why_not:
        return TickRow(name, project.role(name), "–", (why_not,), why_not=why_not)
    levels = levels_in_words(similar.column, AttributeHierarchy(made.hierarchy))
    return TickRow(
        name,
        project.role(name),
        _("By rule") if made.is_by_rule else _("Unchanged"),
        (f"{_coverage(made)}: {levels}", kept),
        is_ticked=now is None and made.n_known == made.n_values,
        change=_entry(now, made),
    )


def _coverage(made: Fit) -> str:
    n_values = as_exact_count(made.n_values)
    if made.n_single:
        return _("{n_single} of {n_values} values would stay unchanged below the top").format(
            n_single=as_exact_count(made.n_single), n_values=n_values
        )
    if made.n_values == 1:
        return _("Its only value has a group")
    return _("All {n_values} values have a group").format(n_values=n_values)


def _why_useless(made: Fit) -> str:
    if not made.n_values:
        return _("It has no values")
    if made.is_by_rule:
        return _("The rule would leave every value unchanged")
    return _("None of its values is in this hierarchy")


def library_item(column: Column, entry: LibraryEntry, made: Fit | None) -> LibraryItem:
    """Return a library entry as displayed."""
    if entry.hierarchy is None or made is None:
        sizes = Cell("–"), Cell("–"), Cell(_("Cannot be read"), entry.problem, "danger")
        return LibraryItem(entry, made, sizes, entry.problem, entry.problem)
    if made.is_by_rule:
        coverage = _("By rule")
    elif made.n_known == made.n_values:
        coverage = _("All {n} values").format(n=as_exact_count(made.n_values))
    else:
        coverage = _("{n} of {total} values").format(
            n=as_exact_count(made.n_known), total=as_exact_count(made.n_values)
        )
    words = entry.problem or levels_in_words(column, AttributeHierarchy(entry.hierarchy))
    why_not = "" if made.is_useful else _("Contains no value of this column")
    sizes = (
        Cell(str(entry.hierarchy.height + 1)),
        Cell(as_exact_count(entry.hierarchy.n_leaves)),
        Cell(coverage, why_not or words, "text_3" if why_not else "text"),
    )
    return LibraryItem(entry, made, sizes, words, why_not)


def _entry(before: AttributeHierarchy | None, made: Fit) -> AttributeHierarchy:
    """Return the hierarchy with the allowed levels of the previous one if the heights are equal."""
    entry = AttributeHierarchy(made.hierarchy, builder=made.builder)
    if before is None or before.hierarchy.height != made.hierarchy.height:
        return entry
    return AttributeHierarchy(made.hierarchy, None, made.builder, before.min_level, before.max_level)


_WIDTH = 840


def copy_dialog(name: str, rows: Sequence[TickRow], parent: QWidget) -> TickListDialog:
    """Return the opened dialog for a column's hierarchy; similar columns without one are preselected."""

    def accept_text(n_columns: int) -> str:
        return ngettext("Copy to {n} column", "Copy to {n} columns", n_columns).format(n=n_columns)

    title = _("Copy the hierarchy of {name}").format(name=name)
    dialog = TickListDialog("copyDialog", title, accept_text, parent)
    dialog.show_rows(
        rows,
        _("Other columns get the hierarchy as shown now, as one step of the project."),
        (_("Column"), _("Method"), _("Result for this column")),
        _WIDTH,
    )
    return dialog
