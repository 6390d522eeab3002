"""Runs the hierarchy editor: a draft that builders, files and repairs change, and one edit at its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.forms import FormContext, ParamForm
from anonymizer_gui.models.column_summary import describe_values
from anonymizer_gui.perspectives.configure.builder_panel import BY_HAND, BuilderChoice
from anonymizer_gui.perspectives.configure.facts import level_words
from anonymizer_gui.perspectives.configure.hierarchy_editor import HierarchyEditor
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.widgets import file_dialogs
from anonymizer_gui.widgets.numbers import as_exact_count
from engine.errors import AnonymizerError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import HierarchyBuilder, builders
from engine.hierarchies.files import read_hierarchy, write_hierarchy
from engine.hierarchies.propose import propose
from engine.hierarchies.statistics import LevelStatistics, level_statistics
from engine.params import values_of
from engine.project import AttributeHierarchy, edits
from engine.table import Column

_NAMED = 3
_BUILD = "hierarchy.build"


@dataclass(frozen=True)
class Draft:
    """What Done would take over; no hierarchy while the first one is being built."""

    hierarchy: Hierarchy | None = None
    builder: HierarchyBuilder | None = None
    path: Path | None = None


class HierarchyPresenter(QObject):
    """Nothing reaches the project before Done; what cannot be built says why and keeps the last draft."""

    closed = Signal()

    def __init__(
        self, session: Session, runner: TaskRunner, editor: HierarchyEditor, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._editor = session, runner, editor
        self._column: Column | None = None
        self._entry: AttributeHierarchy | None = None
        self._draft = Draft()
        self._by_hand: Draft | None = None
        self._is_done_wanted = False
        editor.left.connect(self.close)
        editor.done.connect(self._on_done)
        editor.import_requested.connect(self._on_import_requested)
        editor.export_requested.connect(self._on_export_requested)
        editor.gaps_requested.connect(self._on_gaps_requested)
        editor.builder.builder_chosen.connect(self._on_builder_chosen)
        editor.builder.builder_changed.connect(self._build)
        editor.builder.form_refused.connect(self._on_form_refused)
        session.hierarchies_changed.connect(self._on_project_changed)
        session.table_changed.connect(self._on_project_changed)
        session.project_opened.connect(lambda _project: self.close())

    @property
    def is_open(self) -> bool:
        """Whether a hierarchy is being edited."""
        return self._column is not None

    def open(self, name: str) -> None:
        """Begin a draft of a column's hierarchy; without one the proposed builder makes it."""
        project = self._session.project
        assert project is not None
        self._column = column = project.table.column(name)
        self._entry = entry = project.hierarchies.get(name)
        self._is_done_wanted = False
        caption = (
            f"{describe_values(column)} · {as_exact_count(project.table.n_records)} {self.tr('records')}"
        )
        self._editor.show_column(column, project.role(name), caption)
        self._editor.banner.hide()
        if entry is None:
            self._by_hand = None
            self._show(Draft())
            builder, reason = propose(column)
            self._show_builder(builder.key, reason, builder)
            self._build(builder)
            return
        draft = Draft(entry.hierarchy, entry.builder, entry.path)
        self._by_hand = draft if entry.builder is None else None
        self._show(draft)
        self._name_gaps()
        if entry.builder is not None:
            self._show_builder(entry.builder.key, entry.builder.summary, entry.builder)
        else:
            self._show_builder(BY_HAND, self._words_by_hand(), None)

    def close(self) -> None:
        """Leave the draft."""
        if self._column is not None:
            self._column = None
            self._runner.cancel(_BUILD)
            self.closed.emit()

    # Drafts -------------------------------------------------------------------------------------

    def _show(self, draft: Draft) -> None:
        assert self._column is not None
        self._draft = draft
        column, hierarchy = self._column, draft.hierarchy
        words: tuple[str, ...] = ()
        statistics: tuple[LevelStatistics, ...] = ()
        if hierarchy is not None:
            words = level_words(column, AttributeHierarchy(hierarchy))
            statistics = level_statistics(hierarchy, column)
        requirement = self._session.requirement
        required_k = requirement.k if requirement is not None else None
        self._editor.show_draft(column, hierarchy, statistics, words, required_k)
        self._editor.show_coverage(len(hierarchy.gaps(column)) if hierarchy is not None else None)
        self._editor.show_changed(self._is_changed())
        self._set_usable(hierarchy is not None)

    def _is_changed(self) -> bool:
        if self._entry is None:
            return self._draft.hierarchy is not None
        if self._draft.builder is not None and self._draft.builder == self._entry.builder:
            return False
        return self._draft.hierarchy is not self._entry.hierarchy

    def _set_usable(self, is_usable: bool) -> None:
        self._editor.done_button.setEnabled(is_usable)
        self._editor.done_button.setToolTip(
            self.tr("Use the hierarchy shown for this column")
            if is_usable
            else self.tr("Correct the builder's parameters first")
        )

    def _words_by_hand(self) -> str:
        path = self._by_hand.path if self._by_hand is not None else None
        if path is not None:
            return self.tr("As it stands in {0}. Choose a builder to make another.").format(path.name)
        return self.tr("As it is. Choose a builder to make another.")

    # Builders -----------------------------------------------------------------------------------

    def _choices(self) -> list[BuilderChoice]:
        assert self._column is not None
        column = self._column
        choices = [
            BuilderChoice(key, kind.title, kind.summary)
            for key, kind in builders.items()
            if kind().accepts(column)
        ]
        choices.sort(key=lambda choice: choice.title)
        if self._by_hand is not None:
            path = self._by_hand.path
            title = path.name if path is not None else self.tr("As it is")
            choices.insert(0, BuilderChoice(BY_HAND, title, self._words_by_hand()))
        return choices

    def _show_builder(self, key: str, summary: str, builder: HierarchyBuilder | None) -> None:
        panel = self._editor.builder
        panel.show_choices(self._choices())
        form = None
        if builder is not None:
            form = ParamForm(type(builder), values_of(builder), FormContext())
        panel.show_builder(key, summary, form)

    def _on_builder_chosen(self, key: str) -> None:
        assert self._column is not None
        self._editor.banner.hide()
        if key == BY_HAND:
            assert self._by_hand is not None
            self._runner.cancel(_BUILD)
            self._show(self._by_hand)
            self._show_builder(BY_HAND, self._words_by_hand(), None)
            self._name_gaps()
            return
        proposed, reason = propose(self._column)
        if proposed.key == key:
            self._show_builder(key, reason, proposed)
            self._build(proposed)
        else:
            builder = builders[key]()
            self._show_builder(key, builder.summary, builder)
            self._build(builder)

    def _build(self, builder: HierarchyBuilder) -> None:
        column = self._column
        if column is None:
            return
        self._editor.builder.show_no_error()
        task = Task(builder.build, column)
        task.succeeded.connect(lambda hierarchy: self._on_built(column, builder, hierarchy))
        task.failed.connect(self._on_build_failed)
        self._runner.start(task, key=_BUILD)

    def _on_built(self, column: Column, builder: HierarchyBuilder, hierarchy: Hierarchy) -> None:
        if column is not self._column:
            return
        self._editor.banner.hide()
        self._show(Draft(hierarchy, builder))
        if self._is_done_wanted:
            self._finish()

    def _on_build_failed(self, error: Exception) -> None:
        self._is_done_wanted = False
        if not isinstance(error, AnonymizerError):
            raise error
        self._editor.builder.show_error(error)
        self._set_usable(False)

    def _on_form_refused(self) -> None:
        self._runner.cancel(_BUILD)
        self._set_usable(False)

    # Files and gaps -----------------------------------------------------------------------------

    def _on_import_requested(self) -> None:
        path = file_dialogs.ask_open(
            self._editor,
            self.tr("Import hierarchy"),
            self.tr("Hierarchies (*.csv *.txt *.tsv);;All files (*)"),
        )
        if path is not None:
            self.import_file(path)

    def import_file(self, path: Path) -> None:
        """Read a hierarchy file into the draft."""
        column = self._column
        self._in_task(read_hierarchy, path, then=lambda made: self._on_imported(column, path, made))

    def _on_imported(self, column: Column | None, path: Path, hierarchy: Hierarchy) -> None:
        if column is None or column is not self._column:
            return
        self._runner.cancel(_BUILD)
        self._editor.banner.hide()
        self._by_hand = Draft(hierarchy, None, path)
        self._show(self._by_hand)
        self._show_builder(BY_HAND, self._words_by_hand(), None)
        self._name_gaps()

    def _name_gaps(self) -> None:
        hierarchy, column = self._draft.hierarchy, self._column
        gaps = hierarchy.gaps(column) if hierarchy is not None and column is not None else []
        if not gaps:
            return
        names = ", ".join(f"'{value}'" for value in gaps[:_NAMED])
        if len(gaps) > _NAMED:
            names = self.tr("{0} and {1} more").format(names, as_exact_count(len(gaps) - _NAMED))
        problem = (
            self.tr("1 value of the table is not in this hierarchy")
            if len(gaps) == 1
            else self.tr("{0} values of the table are not in this hierarchy").format(
                as_exact_count(len(gaps))
            )
        )
        hint = self.tr("{0}. Added values stay themselves below the top level.").format(names)
        self._editor.banner.show_error(problem, hint, self.tr("Add them"), tone="warn")

    def _on_gaps_requested(self) -> None:
        hierarchy, column = self._draft.hierarchy, self._column
        if hierarchy is None or column is None:
            return
        self._by_hand = Draft(hierarchy.extended(hierarchy.gaps(column)))
        self._editor.banner.hide()
        self._show(self._by_hand)
        self._show_builder(BY_HAND, self._words_by_hand(), None)

    def _on_export_requested(self) -> None:
        hierarchy, column = self._draft.hierarchy, self._column
        if hierarchy is None or column is None:
            return
        path = file_dialogs.ask_save(
            self._editor,
            self.tr("Export hierarchy"),
            self.tr("Hierarchies (*.csv)"),
            f"{column.name}.csv",
            "csv",
        )
        if path is not None:
            self._in_task(write_hierarchy, hierarchy, path, then=lambda _none: None)

    def _in_task(self, function: Callable[..., Any], *args: Any, then: Callable[[Any], None]) -> None:
        task = Task(function, *args)
        task.succeeded.connect(then)
        task.failed.connect(self._on_file_failed)
        self._runner.start(task, key="hierarchy.file")

    def _on_file_failed(self, error: Exception) -> None:
        if not isinstance(error, AnonymizerError):
            raise error
        self._editor.banner.show_error(error.problem, error.hint)

    # The end ------------------------------------------------------------------------------------

    def _on_done(self) -> None:
        if self._runner.running(_BUILD) is not None:  # the draft of the last keystroke is on its way
            self._is_done_wanted = True
        else:
            self._finish()

    def _finish(self) -> None:
        project, column = self._session.project, self._column
        if project is None or column is None:
            return
        draft, entry = self._draft, self._entry
        if draft.hierarchy is None or not self._is_changed():
            self.close()
            return
        keeps_levels = entry is not None and entry.hierarchy.height == draft.hierarchy.height
        after = AttributeHierarchy(
            draft.hierarchy,
            draft.path,
            draft.builder,
            entry.min_level if entry is not None and keeps_levels else 0,
            entry.max_level if entry is not None and keeps_levels else None,
        )
        self.close()
        text = self.tr("Change hierarchy of {0}").format(column.name)
        self._session.edit(text, edits.set_hierarchy(project, column.name, after))

    def _on_project_changed(self) -> None:
        project, column = self._session.project, self._column
        if column is None or project is None:
            return
        if column.name not in project.table.names:
            self.close()
        elif (
            project.table.column(column.name) is not column
            or project.hierarchies.get(column.name) is not self._entry
        ):
            self.open(column.name)
