"""Connects the panels of Configure to the session: fills them, and turns requests into edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from anonymizer_gui.models.column_summary import ColumnSummary
from anonymizer_gui.perspectives.configure.facts import column_facts, count_values, is_counted, summaries
from anonymizer_gui.perspectives.configure.hierarchy.presenter import HierarchyPresenter
from anonymizer_gui.perspectives.configure.requirement.presenter import RequirementPresenter
from anonymizer_gui.perspectives.configure.table.column_panel import PERSONS, WEIGHTS, ColumnFacts
from anonymizer_gui.perspectives.configure.table.columns_presenter import ColumnsPresenter, ProposePresenter
from anonymizer_gui.perspectives.configure.table.population_presenter import PopulationPresenter
from anonymizer_gui.perspectives.configure.table.records_presenter import RecordsPresenter, ReplacePresenter
from anonymizer_gui.perspectives.configure.table.rule_presenter import AggregatePresenter, RulePresenter
from anonymizer_gui.perspectives.configure.table.tick_list_dialog import SuggestDialog
from anonymizer_gui.perspectives.configure.view import ConfigurePerspective
from anonymizer_gui.session import Session
from anonymizer_gui.widgets.made_ahead import MadeAhead
from engine.advice.columns import (
    apply_suggestions,
    propose_hierarchies,
    set_suggested,
    singled_out_by_sets,
)
from engine.advice.findings import Finding, Severity
from engine.advice.preflight import preflight
from engine.errors import AnonymizerError
from engine.numbers import as_exact_count
from engine.project import Project, edits
from engine.qi_detection.suggest import RoleSuggestion, suggest_role, suggest_roles
from engine.records import NO_ROLE, Column, DataType, Kind, Role, Table, retype
from engine.words import _, ngettext

_TOGETHER = "together"
_ASKS_FOR_PEOPLE = "needs_population"  # findings that the user fixes in the population dialog


class ConfigurePresenter(QObject):
    """Owner of the view of Configure."""

    perspective_requested = Signal(str)
    selection_described = Signal(str)  # for the status line: "1 column selected: age"

    def __init__(self, session: Session, ahead: MadeAhead | None = None) -> None:
        view = ConfigurePerspective(ahead=ahead)
        super().__init__(view)
        self._session, self._runner, self.view = session, session.runner, view
        self._findings: dict[str, Finding] = {}
        self._examined: Project | None = None
        self.records = RecordsPresenter(session, self.view)
        self.columns = ColumnsPresenter(session, self.view)
        self.replacing = ReplacePresenter(session, self.view)
        self.requirement = RequirementPresenter(session, self.view.requirement)
        self.hierarchies = HierarchyPresenter(session, self.view.editor)
        self.aggregates = AggregatePresenter(session, self.view.column.aggregate, self.selected_columns)
        self.rules = RulePresenter(session, self.view.column.rule, self.selected_columns)
        self.people = PopulationPresenter(session, self.view)
        self.proposals = ProposePresenter(session, self.view)
        self._preflight_soon = QTimer(self, singleShot=True, interval=0)
        self._preflight_soon.timeout.connect(self._examine)
        self._connect_view()
        session.project_opening.connect(self._on_project_opening)
        session.project_opened.connect(self._on_project_opened)
        session.parts.table_changed.connect(self._on_table_changed)
        session.parts.roles_changed.connect(self._on_roles_changed)
        session.parts.hierarchies_changed.connect(self._show_columns)
        session.parts.transformation_changed.connect(self._show_columns)
        for signal in (
            session.parts.table_changed,
            session.parts.roles_changed,
            session.parts.hierarchies_changed,
            session.parts.requirement_changed,
            session.parts.transformation_changed,
            session.applied.changed,
        ):
            signal.connect(self._preflight_soon.start)
        session.reading.changed.connect(self._on_reading_changed)
        if session.project is not None:
            self._on_project_opened(session.project)

    def actions(self) -> Mapping[str, Callable[[], object]]:
        """Return the handlers of the menu entries of this perspective, by action."""
        return {
            "find_replace": lambda: self._show_table_with(self.view.table.replace_bar.open_bar),
            "columns_table": lambda: self._show_table_with(
                lambda: self.view.table.show_columns(not self.view.table.shows_columns)
            ),
            "filter_records": lambda: self._show_table_with(self.view.table.show_filter_bar),
            "go_to_record": lambda: self._show_table_with(
                lambda: self.view.table.show_filter_bar(goes_to_record=True)
            ),
        }

    def _show_table_with(self, part: Callable[[], None]) -> None:
        self.perspective_requested.emit("configure")
        if self.view.is_editing:
            self.view.show_settings()
        part()

    def selected_columns(self) -> tuple[str, ...]:
        """Return the names of the selected columns."""
        return self.view.table.table.selected_columns()

    def _connect_view(self) -> None:
        view = self.view
        view.table.table.columns_selected.connect(self._on_columns_selected)
        view.currentChanged.connect(lambda _page: self._describe_selection())
        view.table.table.role_requested.connect(self._set_role)
        view.table.table.target_requested.connect(self._set_target)
        view.table.suggest_button.clicked.connect(self._on_suggestions_requested)
        view.table.propose_button.clicked.connect(self._on_all_proposals_requested)
        view.column.role_requested.connect(self._set_role)
        view.column.role_hint.accepted.connect(self._on_suggestion_accepted)
        view.column.kind_requested.connect(self._on_kind_requested)
        view.column.levels_requested.connect(self._on_levels_requested)
        view.column.edit_button.clicked.connect(self._on_edit_requested)
        view.column.propose_button.clicked.connect(self._on_proposals_requested)
        view.column.use_requested.connect(self._on_use_requested)
        view.preflight.fix_requested.connect(self._on_fix_requested)
        view.preflight.other_fix_requested.connect(self._on_other_fix_requested)
        view.requirement.people_button.clicked.connect(self.people.ask)
        self.hierarchies.closed.connect(view.show_settings)
        self.hierarchies.selection_described.connect(self.selection_described)

    # Display ------------------------------------------------------------------------------------

    def _on_project_opening(self) -> None:
        """Drop what is found, or shown, about the table that is about to be replaced."""
        self._runner.cancel_all("configure.")
        self.view.column.role_hint.show_suggestion(None)
        self.view.table.find_field.clear()

    def _on_project_opened(self, project: Project | None) -> None:
        self._findings, self._examined = {}, None
        self.view.preflight.show_findings(())
        if project is None:
            self.records.show_table(None, ())
            self.view.column.show_columns(ColumnFacts((), frozenset(), frozenset()))
            return
        self._on_table_changed()
        self._preflight_soon.start()

    def _on_table_changed(self) -> None:
        if (project := self._session.project) is not None:
            self.records.show_table(project, self._summaries(project))
            self._show_columns()

    def _on_reading_changed(self, is_provisional: bool) -> None:
        self.view.table.show_reading(is_provisional)
        self._show_columns()
        self._preflight_soon.start()

    def _on_roles_changed(self) -> None:
        if (project := self._session.project) is not None:
            self.view.table.table.show_summaries(self._summaries(project))
            self._show_columns()
            self._describe_selection()

    def _summaries(self, project: Project) -> tuple[ColumnSummary, ...]:
        """Return the column headers; distributions follow later if counting would block the window."""
        if is_counted(project.table):
            return summaries(project)
        shown = summaries(project, with_bars=False)  # before the count, which may fill in some of them
        self._start("count", count_values, project.table, then=self._on_counted)
        return shown

    def _on_counted(self, table: Table) -> None:
        if (project := self._session.project) is not None and project.table is table:
            self.view.table.table.show_summaries(summaries(project))

    def _on_columns_selected(self, names: tuple[str, ...]) -> None:
        self._show_columns()
        self._describe_selection()

    def _describe_selection(self) -> None:
        """Show the selected columns in the status line; nothing while a hierarchy is edited."""
        names = self.selected_columns()
        if self.view.is_editing or not names:
            self.selection_described.emit("")
            return
        words = self.tr("{n} columns selected").format(n=len(names))
        if len(names) == 1:
            words = self.tr("1 column selected: {name}").format(name=names[0])
            project = self._session.project
            if project is not None and project.role(names[0]) is None:
                words = self.tr("{words}, {NO_ROLE}").format(words=words, NO_ROLE=NO_ROLE)
        self.selection_described.emit(self.tr("{words} · keys 1 to 4 set the role").format(words=words))

    def _show_columns(self) -> None:
        if (project := self._session.project) is not None:
            facts = column_facts(project, self.selected_columns())
            self.view.column.show_columns(replace(facts, is_provisional=self._session.reading.is_provisional))
            self.view.table.show_can_propose(bool(project.quasi_identifying))
            self._suggest_one(project, facts.column)
            self._count_together(project, facts.names)

    def _count_together(self, project: Project, names: tuple[str, ...]) -> None:
        """Show how many records several selected columns single out, alone and together."""
        self._runner.cancel(f"configure.{_TOGETHER}")
        if len(names) < 2 or self._session.reading.is_provisional:
            return

        def show(counts: dict[tuple[str, ...], int]) -> None:
            if self.selected_columns() == names and self._session.project is project:
                words = ngettext(
                    "These {n} columns together single out {count} of {total} record",
                    "These {n} columns together single out {count} of {total} records",
                    project.n_records,
                ).format(
                    n=len(names), count=as_exact_count(counts[names]), total=as_exact_count(project.n_records)
                )
                rows = [
                    (", ".join(chosen), as_exact_count(count), count / max(project.n_records, 1))
                    for chosen, count in counts.items()
                ]
                self.view.column.show_together(words, rows if len(rows) > 1 else ())

        self._start(_TOGETHER, singled_out_by_sets, project, names, then=show)

    def _suggest_one(self, project: Project, column: Column | None) -> None:
        """Suggest a role for a single selected column without a role."""
        if column is None or project.role(column.name) is not None or self._session.reading.is_provisional:
            return

        def show(suggestion: RoleSuggestion) -> None:
            now = self._session.project
            is_selected = self.selected_columns() == (suggestion.column,)
            if now is not None and is_selected and now.role(suggestion.column) is None:
                self.view.column.role_hint.show_suggestion(suggestion)

        self._start(_("suggest one"), suggest_role, column, project.table.n_records, then=show)

    # Roles and types ----------------------------------------------------------------------------

    def _set_role(self, role: Role) -> None:
        project, names = self._session.project, self.selected_columns()
        if project is None or not names:
            return
        named = names[0] if len(names) == 1 else self.tr("{n} columns").format(n=len(names))
        text = self.tr("Set role of {named}").format(named=named)
        self._session.edit(text, edits.set_roles(project, names, role))
        self._show_columns()  # after an edit without effect, the previous button must be pressed again

    def _set_target(self, name: str | None) -> None:
        text = self.tr("Set target column") if name is not None else self.tr("Set no target column")
        self._session.change(text, edits.set_target, name)

    def _on_use_requested(self, use: str, is_on: bool) -> None:
        if len(names := self.selected_columns()) != 1:
            return
        name = names[0] if is_on else None
        if use == PERSONS:
            self.set_person(name)
        elif use == WEIGHTS:
            text = self.tr("Set survey weights") if is_on else self.tr("Remove survey weights")
            self._session.change(text, edits.set_weight, name)
        else:
            text = self.tr("Set households") if is_on else self.tr("Remove households")
            self._session.change(text, edits.set_household, name)

    def set_person(self, name: str | None) -> None:
        """Use an identifying column as person column, or count each record as one person."""
        project = self._session.project
        if project is None or (name is not None and project.role(name) is not Role.IDENTIFYING):
            return
        self._session.edit(self._person_words(name), edits.set_person(project, name))

    def person_choices(self) -> tuple[tuple[str | None, str], ...]:
        """Return the other ways to count people, each with its text."""
        project = self._session.project
        if project is None:
            return ()
        names = (*project.identifying, None)
        return tuple((name, self._person_words(name)) for name in names if name != project.person)

    def _person_words(self, name: str | None) -> str:
        if name is None:
            return self.tr("Count every record as one person")
        return self.tr("Count people by {name}").format(name=name)

    def _on_suggestions_requested(self) -> None:
        if (project := self._session.project) is not None:
            self._start("suggest", suggest_roles, project.table, then=self._show_suggestions)

    def _show_suggestions(self, suggestions: tuple[RoleSuggestion, ...]) -> None:
        if (project := self._session.project) is None:
            return
        dialog = SuggestDialog(suggestions, dict(project.roles), self.view)
        dialog.changes_accepted.connect(self._on_suggestions_accepted)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def set_suggested_roles(self) -> None:
        """Give the columns without a role the one suggested for each."""
        self._edit_later(self.tr("Set suggested roles"), set_suggested)

    def _on_suggestion_accepted(self, suggestion: RoleSuggestion) -> None:
        if (project := self._session.project) is not None and suggestion.column in project.table.names:
            text = self.tr("Set role of {column}").format(column=suggestion.column)
            self._session.edit(text, apply_suggestions(project, [suggestion]))

    def _on_suggestions_accepted(self, accepted: Mapping[str, RoleSuggestion | Role]) -> None:
        if accepted:
            self._session.change(self.tr("Set suggested roles"), _with_roles, accepted)

    def _on_kind_requested(self, kind: Kind) -> None:
        project, names = self._session.project, self.selected_columns()
        if project is None or len(names) != 1:
            return
        column = project.table.column(names[0])
        if self._session.reading.is_provisional:
            self._show_columns()
            self.view.column.show_error(
                self.tr("The table is still being read."),
                self.tr("Types can be changed once the table has been read completely."),
            )
        elif column.data_type.kind is not kind:
            self._start(
                "retype",
                retype,
                column,
                DataType(kind),
                then=lambda made: self._on_retyped(column, made),
                otherwise=self._on_retype_failed,
            )

    def _on_retyped(self, before: Column, after: Column) -> None:
        project = self._session.project
        if project is not None and any(column is before for column in project.table.columns):
            text = self.tr("Change type of {name}").format(name=after.name)
            self._session.edit(text, edits.set_column(project, after))

    def _on_retype_failed(self, error: AnonymizerError) -> None:
        self._show_columns()  # restores the type in the box
        self.view.column.show_error(error.problem, error.hint)

    # Hierarchies --------------------------------------------------------------------------------

    def _on_levels_requested(self, low: int, high: int) -> None:
        project, names = self._session.project, self.selected_columns()
        if project is None or len(names) != 1 or names[0] not in project.hierarchies:
            return
        height = project.hierarchies[names[0]].hierarchy.height
        after = edits.set_levels(project, names[0], low, None if high == height else high)
        self._session.edit(self.tr("Set levels of {name}").format(name=names[0]), after)

    def _on_edit_requested(self) -> None:
        names = self.selected_columns()
        if len(names) == 1:
            self.hierarchies.open(names[0])
            self.view.show_editor()

    def _on_proposals_requested(self) -> None:
        """Propose hierarchies for the selected columns: one directly, several in a dialog first."""
        names = self.selected_columns()
        if len(names) == 1:
            self._edit_later(self.tr("Suggest hierarchy"), propose_hierarchies, names)
        elif names:
            self.proposals.ask(names)

    def _on_all_proposals_requested(self) -> None:
        if (project := self._session.project) is not None:
            self.proposals.ask(project.quasi_identifying)

    # Pre-flight ---------------------------------------------------------------------------------

    def _examine(self) -> None:
        if self._session.reading.is_provisional:
            self._runner.cancel("configure.preflight")
            self._findings, self._examined = {}, None
            title = self.tr("The table is still being read")
            detail = self.tr(
                "You can set roles now. The settings are checked once the table has been read completely"
            )
            self.view.preflight.show_findings([Finding("reading", Severity.LOOK_AT, title, detail)])
        elif (project := self._session.project) is not None:
            self._start(
                "preflight",
                preflight,
                project,
                self._levels_shown(),
                then=lambda found: self._show_findings(project, found),
            )

    def _levels_shown(self) -> dict[str, int] | None:
        """Return the levels of the applied node, else of the optimum; None without either."""
        problem, release = self._session.results.problem, self._session.applied.release
        if release is not None and release.recoding is None and not self._session.applied.stale_text:
            return release.levels
        node = self._session.results.optimum
        return dict(zip(problem.names, node, strict=True)) if problem is not None and node else None

    def _show_findings(self, project: Project, findings: tuple[Finding, ...]) -> None:
        if project is not self._session.project:
            return
        self._examined = project
        self._findings = {finding.key: finding for finding in findings}
        asks = self.tr("describe the population")
        self.view.preflight.show_findings(
            [replace(f, fix=asks) if f.key.startswith(_ASKS_FOR_PEOPLE) else f for f in findings]
        )

    def _on_fix_requested(self, key: str) -> None:
        if key.startswith(_ASKS_FOR_PEOPLE):
            self.people.ask()
            return
        if (finding := self._findings.get(key)) is not None:
            self._fix(finding.fix, finding.edit)

    def _on_other_fix_requested(self, key: str) -> None:
        if (finding := self._findings.get(key)) is not None:
            self._fix(finding.other_fix, finding.other_edit)

    def _fix(self, words: str, edit: Callable[[Project], Project] | None) -> None:
        project = self._session.project
        if edit is not None and project is not None and project is self._examined:
            self._edit_later(self.tr("Fix: {words}").format(words=words), edit)

    # Tasks --------------------------------------------------------------------------------------

    def _edit_later(self, text: str, edit: Callable[..., Project], *args: Any) -> None:
        self._session.change_later(text, edit, *args, otherwise=self._on_failed, key="configure.edit")

    def _start(
        self,
        key: str,
        function: Callable[..., Any],
        *args: Any,
        then: Callable[[Any], None],
        otherwise: Callable[[AnonymizerError], None] | None = None,
    ) -> None:
        otherwise = otherwise or self._on_failed
        self._runner.run(function, *args, then=then, otherwise=otherwise, key=f"configure.{key}")

    def _on_failed(self, error: AnonymizerError) -> None:
        self.view.column.show_error(error.problem, error.hint)


def _with_roles(project: Project, accepted: Mapping[str, RoleSuggestion | Role]) -> Project:
    """Return the project with roles as suggested, and others that the user chose."""
    suggested = [role for role in accepted.values() if isinstance(role, RoleSuggestion)]
    project = apply_suggestions(project, suggested)
    for column, role in accepted.items():
        if isinstance(role, Role):
            project = edits.set_roles(project, [column], role)
    return project
