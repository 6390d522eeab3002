"""Proposes hierarchies for several columns; accepting is one undo step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.configure.facts import example_of, levels_in_words
from anonymizer_gui.perspectives.configure.table.tick_list_dialog import TickListDialog, TickRow
from anonymizer_gui.perspectives.configure.view import ConfigurePerspective
from anonymizer_gui.session import Session
from anonymizer_gui.widgets.buttons import make_button
from engine.advice.columns import proposed_hierarchy
from engine.monitor import SILENT, Monitor
from engine.project import AttributeHierarchy, Project, edits
from engine.records import Column
from engine.words import _, ngettext


class ProposePresenter(QObject):
    """Proposals for several columns; a single column has its own command."""

    def __init__(self, session: Session, view: ConfigurePerspective) -> None:
        super().__init__(view)
        self._session, self._runner, self._view = session, session.runner, view

    def ask(self, names: tuple[str, ...]) -> None:
        """Open the dialog with a proposal for each of the columns."""
        project = self._session.project
        if project is None or not names:
            return
        self._runner.run(
            proposals,
            project,
            names,
            then=lambda made: self._show(project, made),
            otherwise=lambda error: self._view.column.show_error(error.problem, error.hint),
            key="configure.propose",
            label=self.tr("Suggesting hierarchies"),
        )

    def _show(self, project: Project, rows: Sequence[TickRow]) -> None:
        if project is self._session.project:
            propose_dialog(rows, self._view).changes_accepted.connect(self._on_accepted)

    def _on_accepted(self, changes: Mapping[str, AttributeHierarchy]) -> None:
        text = ngettext("Suggest hierarchy", "Suggest hierarchies", len(changes))
        self._session.change(text, edits.set_hierarchies, changes)


def proposals(project: Project, names: Sequence[str], monitor: Monitor = SILENT) -> list[TickRow]:
    """Build the proposed hierarchy of each column."""
    rows = []
    for number, name in enumerate(names):
        monitor.step(number, len(names), _("Suggesting a hierarchy for {name}").format(name=name))
        rows.append(
            proposal_row(project, project.table.column(name), *proposed_hierarchy(project.table, name))
        )
    return rows


def proposal_row(project: Project, column: Column, entry: AttributeHierarchy, reason: str) -> TickRow:
    """Return the row of a proposal: levels with groups, labels of a common value, and the reason."""
    builder, now = entry.builder, project.hierarchies.get(column.name)
    assert builder is not None
    lines = [levels_in_words(column, entry), example_of(column, entry.hierarchy), reason]
    if now is not None:
        lines[-1] = _("Replaces its hierarchy of height {height}. {reason}").format(
            height=now.hierarchy.height, reason=reason
        )
    return TickRow(
        column.name,
        project.role(column.name),
        builder.title,
        tuple(line for line in lines if line),
        is_ticked=now is None,
        change=entry,
    )


_WIDTH = 1000


def propose_dialog(rows: Sequence[TickRow], parent: QWidget) -> TickListDialog:
    """Return the opened dialog; columns without a hierarchy are preselected."""

    def accept_text(n_columns: int) -> str:
        return ngettext("Use {n} hierarchy", "Use {n} hierarchies", n_columns).format(n=n_columns)

    dialog = TickListDialog("proposeDialog", _("Suggested hierarchies"), accept_text, parent)
    all_button = make_button(_("Use all {n}").format(n=len(rows)), "acceptAllButton")
    all_button.setToolTip(_("Replace existing hierarchies with the suggested ones"))
    all_button.clicked.connect(lambda: dialog.accept_columns(tuple(dialog.boxes)))
    dialog.show_rows(
        rows,
        _("Based on type, values and name of each column. You can change each of them afterwards."),
        (_("Column"), _("Builder"), _("Levels, example and reason")),
        _WIDTH,
        all_button,
    )
    return dialog
