"""Runs the hierarchy editor: builders, files and manual edits change a draft; Done makes one edit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.forms import FormContext, ParamForm
from anonymizer_gui.models.column_summary import describe_values
from anonymizer_gui.perspectives.configure.hierarchy.builder.notes import BuilderNotes, MislabelPresenter
from anonymizer_gui.perspectives.configure.hierarchy.builder.panel import BY_HAND, Choice
from anonymizer_gui.perspectives.configure.hierarchy.drafts import Draft, HierarchyDrafts
from anonymizer_gui.perspectives.configure.hierarchy.editing_presenter import EditingPresenter
from anonymizer_gui.perspectives.configure.hierarchy.editor import HierarchyEditor
from anonymizer_gui.perspectives.configure.hierarchy.sharing_presenter import (
    SharingPresenter,
    builder_context,
)
from anonymizer_gui.perspectives.configure.hierarchy.statistics.presenter import StatisticsPresenter
from anonymizer_gui.session import Session
from anonymizer_gui.widgets import file_dialogs
from engine.errors import AnonymizerError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import HierarchyBuilder, builders
from engine.hierarchies.editing import place_as
from engine.hierarchies.files import read_hierarchy, write_hierarchy
from engine.hierarchies.propose import propose
from engine.monitor import Monitor
from engine.numbers import as_exact_count, as_records
from engine.params import values_of
from engine.project import AttributeHierarchy, edits
from engine.records import Column
from engine.words import ngettext, within_sentence

_BUILD, _FILE = "hierarchy.build", "hierarchy.file"


class HierarchyPresenter(QObject):
    """Changes the project only on Done; if a build fails, shows the error and keeps the last draft."""

    closed = Signal()
    selection_described = Signal(str)  # for the status line

    def __init__(self, session: Session, editor: HierarchyEditor) -> None:
        super().__init__(editor)
        self._session, self._runner, self._editor = session, session.runner, editor
        self._column: Column | None = None
        self._entry: AttributeHierarchy | None = None
        self._formed: Column | None = None  # column of the builder form
        self._by_hand: Draft | None = None
        self._discarded: dict[str, tuple[AttributeHierarchy | None, Draft]] = {}
        self._is_done_wanted = False
        self._way_on: Callable[[], None] = self._bring_back  # action of the button in the banner
        self.drafts = HierarchyDrafts(self)
        self.editing = EditingPresenter(self.drafts, editor)
        self.editing.described.connect(self.selection_described)
        self.editing.builder_requested.connect(self._build)
        self.statistics = StatisticsPresenter(session, self.drafts, editor.statistics)
        self.sharing = SharingPresenter(session, self.drafts, editor)
        self.sharing.draft_made.connect(self._take_draft)
        self.sharing.described.connect(self.selection_described)
        self.drafts.draft_changed.connect(self._on_draft_changed)
        self.notes = BuilderNotes(
            session.runner, self.drafts, editor.builder, lambda: builder_context(session.project)
        )
        self.notes.builder_requested.connect(self._build)
        self.mislabels = MislabelPresenter(session.runner, self.drafts, editor.builder)
        editor.back_button.clicked.connect(self._on_left)
        editor.banner.action_requested.connect(lambda: self._way_on())
        editor.done_button.clicked.connect(self._on_done)
        editor.import_button.clicked.connect(self._on_import_requested)
        editor.export_action.triggered.connect(self._on_export_requested)
        editor.gaps.rule_button.clicked.connect(self._on_rule_requested)
        editor.builder.builder_box.data_chosen.connect(self._on_builder_chosen)
        editor.builder.builder_changed.connect(self._build)
        editor.builder.form_refused.connect(self._on_form_refused)
        session.parts.hierarchies_changed.connect(self._on_project_changed)
        session.parts.table_changed.connect(self._on_project_changed)
        session.project_opened.connect(self._on_project_opened)

    @property
    def is_open(self) -> bool:
        """True if a hierarchy is being edited."""
        return self._column is not None

    def open(self, name: str) -> None:
        """Start a draft of the hierarchy of a column; without one, the proposed builder makes it."""
        project = self._session.project
        assert project is not None
        self._column = column = project.table.column(name)
        self._accepting = tuple(key for key, kind in builders.items() if kind().accepts(column))
        self._entry = entry = project.hierarchies.get(name)
        self._is_done_wanted = False
        self._by_hand = None
        caption = f"{describe_values(column)} · {as_records(project.table.n_records)}"
        self._editor.show_column(column, project.role(name), caption)
        self._editor.banner.hide()
        self._session.history.undo_in(self.drafts.undo_stack)
        if entry is not None:
            self.drafts.begin(column, Draft(entry.hierarchy, entry.builder, entry.path))
            self._offer_discarded()
            return
        self.drafts.begin(column, Draft())
        self._offer_discarded()
        builder, reason = propose(column)
        self._show_builder(builder.key, reason, builder)
        self._build(builder)

    def close(self) -> None:
        """Close the editor and the draft."""
        if self._column is not None:
            self._column = None
            self._runner.cancel(_BUILD)
            self.drafts.end()
            self._session.history.undo_in(None)
            self.closed.emit()

    def _on_left(self) -> None:
        """Leave without Done; the changes can be restored until the window is closed."""
        if self._column is not None and self._is_changed() and self.drafts.undo_stack.canUndo():
            self._discarded[self._column.name] = (self._entry, self.drafts.draft)
        self.close()

    def _offer_discarded(self) -> None:
        found = self._discarded.get(self._column.name) if self._column is not None else None
        if found is not None and found[0] is self._entry:
            self._way_on = self._bring_back
            self._editor.banner.show_error(
                self.tr("Earlier changes to this hierarchy were discarded"),
                self.tr("They are available until the project is closed."),
                self.tr("Restore them"),
                tone="warn",
            )

    def _bring_back(self) -> None:
        found = self._discarded.pop(self._column.name, None) if self._column is not None else None
        self._editor.banner.hide()
        if found is not None:
            self._runner.cancel(_BUILD)
            self.drafts.edit(self.tr("Restore discarded changes"), found[1])

    def _on_project_opened(self) -> None:
        self._discarded.clear()
        self.close()

    # Drafts -------------------------------------------------------------------------------------

    def _on_draft_changed(self) -> None:
        column, draft = self._column, self.drafts.draft
        if column is None:
            return
        hierarchy = draft.hierarchy
        self._editor.show_height(hierarchy.height + 1 if hierarchy is not None else 0)
        self._editor.show_coverage(len(hierarchy.gaps(column)) if hierarchy is not None else None)
        self._editor.show_changed(self._is_changed())
        self._set_usable(hierarchy is not None)
        if hierarchy is None:
            return
        if draft.builder is None:
            self._by_hand = draft
            self._show_builder(BY_HAND, self._words_by_hand(), None)
        elif self._editor.builder.shown_builder() != draft.builder:
            form = self._editor.builder.form
            if form is not None and form.kind is type(draft.builder) and self._formed is column:
                self._editor.builder.show_values(draft.builder.summary, draft.builder)
            else:
                self._show_builder(draft.builder.key, draft.builder.summary, draft.builder)

    def _is_changed(self) -> bool:
        draft = self.drafts.draft
        if self._entry is None:
            return draft.hierarchy is not None
        if draft.builder is not None and draft.builder == self._entry.builder:
            return False
        return draft.hierarchy is not self._entry.hierarchy

    def _set_usable(self, is_usable: bool) -> None:
        self._editor.done_button.setEnabled(is_usable)
        self._editor.done_button.setToolTip(
            self.tr("Use this hierarchy for the column")
            if is_usable
            else self.tr("Correct the builder's parameters first")
        )

    def _words_by_hand(self) -> str:
        path = self._by_hand.path if self._by_hand is not None else None
        if path is not None:
            return self.tr("Read from {name}. Choose a builder to replace it.").format(name=path.name)
        return self.tr("Changed by hand. Choose a builder to replace it.")

    # Builders -----------------------------------------------------------------------------------

    def _choices(self) -> list[Choice]:
        choices = [(key, builders[key].title, builders[key].summary) for key in self._accepting]
        choices.sort(key=lambda choice: choice[1])
        if self._by_hand is not None:
            path = self._by_hand.path
            title = path.name if path is not None else self.tr("By hand")
            choices.insert(0, (BY_HAND, title, self._words_by_hand()))
        return choices

    def _show_builder(self, key: str, summary: str, builder: HierarchyBuilder | None) -> None:
        panel = self._editor.builder
        panel.show_choices(self._choices())
        form, self._formed = None, self._column
        if builder is not None:
            form = ParamForm(type(builder), values_of(builder), self._context())
        panel.show_builder(key, summary, form)

    def _context(self) -> FormContext:
        """Return the other columns of the table, which a builder may refer to."""
        project, column = self._session.project, self._column
        names = project.table.names if project is not None else ()
        return FormContext({"": [name for name in names if column is None or name != column.name]})

    def _on_builder_chosen(self, key: str) -> None:
        assert self._column is not None
        self._editor.banner.hide()
        if key == BY_HAND:
            assert self._by_hand is not None
            self._runner.cancel(_BUILD)
            self.drafts.edit(self.tr("Return to the hierarchy made by hand"), self._by_hand)
            return
        proposed, reason = propose(self._column)
        builder = proposed if proposed.key == key else builders[key]()
        self._show_builder(key, reason if builder is proposed else builder.summary, builder)
        self._build(builder)

    def _build(self, builder: HierarchyBuilder, step: str = "") -> None:
        """Rebuild the draft; steps with their own name are never merged with others."""
        column = self._column
        if column is None:
            return
        self._editor.builder.show_no_error()
        self._runner.run(
            builder.build,
            column,
            builder_context(self._session.project),
            then=lambda hierarchy: self._on_built(column, builder, hierarchy, step),
            otherwise=self._on_build_failed,
            key=_BUILD,
        )

    def _on_built(self, column: Column, builder: HierarchyBuilder, hierarchy: Hierarchy, step: str) -> None:
        if column is not self._column:
            return
        self._set_usable(True)
        before = self.drafts.draft
        draft = Draft(hierarchy, builder)
        if before.hierarchy is None:
            self.drafts.show(draft)  # discarded changes of the last session can still be restored
        else:
            self._editor.banner.hide()
            if before.builder != builder:
                text, kind = (step, "") if step else self._step_between(before.builder, builder)
                self.drafts.edit(text, draft, kind)
        if self._is_done_wanted:
            self._finish()

    def _step_between(self, before: HierarchyBuilder | None, after: HierarchyBuilder) -> tuple[str, str]:
        """Return the name of a step, and the kind by which keystrokes merge."""
        title = within_sentence(after.title)
        if type(before) is not type(after) or before is None:
            return self.tr("Build with {title}").format(title=title), ""
        old, new = values_of(before), values_of(after)
        changed = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
        is_single = len(changed) == 1
        kind = f"{after.key}.{changed[0]}" if is_single else ""
        return self.tr("Change {title}").format(title=title), kind

    def _on_build_failed(self, error: AnonymizerError) -> None:
        self._is_done_wanted = False
        self._editor.builder.show_error(error)
        self._set_usable(False)

    def _on_form_refused(self) -> None:
        self._runner.cancel(_BUILD)
        self._set_usable(False)

    def _on_rule_requested(self) -> None:
        """Place the values without a group by the builder."""
        column, draft = self._column, self.drafts.draft
        hierarchy, rule = draft.hierarchy, draft.rule
        if column is None or hierarchy is None or rule is None:
            return
        self._runner.run(
            rule.build,
            column,
            builder_context(self._session.project),
            then=lambda built: self._on_rule_built(draft, built),
            otherwise=self._on_file_failed,
            key=_BUILD,
        )

    def _on_rule_built(self, before: Draft, built: Hierarchy) -> None:
        column, hierarchy = self._column, before.hierarchy
        if column is None or hierarchy is None or before is not self.drafts.draft:
            return
        gaps = hierarchy.gaps(column)
        words = ngettext("Place {gap} by rule", "Place {n} values by rule", len(gaps))
        text = words.format(gap=gaps[0] if gaps else "", n=as_exact_count(len(gaps)))
        if before.builder is not None:
            self.drafts.edit(text, Draft(built, before.builder))
        else:
            self.drafts.edit(text, Draft(place_as(hierarchy, gaps, built), former=before.former))

    # Files --------------------------------------------------------------------------------------

    def _on_import_requested(self) -> None:
        path = file_dialogs.ask_open(
            self._editor,
            self.tr("Import hierarchy"),
            self.tr("Hierarchies (*.csv *.txt *.tsv);;All files (*)"),
        )
        if path is not None:
            self.import_file(path)

    def import_file(self, path: Path, encoding: str | None = None) -> None:
        """Read a hierarchy file into the draft; without an encoding it is detected."""
        column = self._column
        self._runner.run(
            read_hierarchy,
            path,
            encoding=encoding,
            then=lambda made: self._on_imported(column, path, made, encoding),
            otherwise=lambda error: self._on_import_failed(path, error),
            key=_FILE,
        )

    def _on_imported(
        self, column: Column | None, path: Path, hierarchy: Hierarchy, encoding: str | None
    ) -> None:
        if column is None or column is not self._column:
            return
        # A given encoding is not stored, so the file could not be read again.
        source = path if encoding is None else None
        # The builder can place values that the file lacks.
        draft = Draft(hierarchy, None, source, self.drafts.draft.rule)
        self._take_draft(self.tr("Import {name}").format(name=path.name), draft)

    def _on_import_failed(self, path: Path, error: AnonymizerError) -> None:
        self._on_file_failed(error)
        fitting = error.context.get("encodings")
        if isinstance(fitting, tuple) and fitting:
            self._way_on = lambda: self.import_file(path, fitting[0])
            action = self.tr("Read it as {fitting}").format(fitting=fitting[0])
            self._editor.banner.show_error(error.problem, error.hint, action)

    def _take_draft(self, text: str, draft: Draft) -> None:
        """Continue with a hierarchy from a file, the library or another column."""
        self._runner.cancel(_BUILD)
        self._editor.banner.hide()
        self.drafts.edit(text, draft)

    def _on_export_requested(self) -> None:
        hierarchy, column = self.drafts.draft.hierarchy, self._column
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

            def write(monitor: Monitor) -> None:
                monitor.step(0, 1)  # nothing is written after cancellation
                write_hierarchy(hierarchy, path)

            self._runner.run(write, then=lambda _none: None, otherwise=self._on_file_failed, key=_FILE)

    def _on_file_failed(self, error: AnonymizerError) -> None:
        self._editor.banner.show_error(error.problem, error.hint)
        problems = error.context.get("problems")
        if isinstance(problems, tuple) and len(problems) > 1:
            self.sharing.show_problems(str(error.context.get("source")), problems)

    # The end ------------------------------------------------------------------------------------

    def _on_done(self) -> None:
        if self._runner.running(_BUILD) is not None:  # the last keystroke is still being built
            self._is_done_wanted = True
        else:
            self._finish()

    def _finish(self) -> None:
        project, column = self._session.project, self._column
        if project is None or column is None:
            return
        draft, entry = self.drafts.draft, self._entry
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
        text = self.tr("Change hierarchy of {name}").format(name=column.name)
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
