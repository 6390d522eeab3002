"""Proposes hierarchies for several columns; accepting is one undo step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.configure.facts import example_of, levels_in_words
from anonymizer_gui.perspectives.configure.table.tick_list_dialog import TickListDialog, TickRow
from anonymizer_gui.perspectives.configure.view import ConfigurePerspective
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import TaskRunner
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.layouts import named
from engine.advice.columns import proposed_hierarchy
from engine.monitor import SILENT, Monitor
from engine.project import AttributeHierarchy, Project, edits
from engine.table import Column
from engine.words import _, ngettext


@dataclass(frozen=True, eq=False)
class HierarchyProposal:
    """Hierarchy proposed for a column, with its row in the dialog."""

    entry: AttributeHierarchy
    row: TickRow


class ProposePresenter(QObject):
    """Proposals for several columns; a single column has its own command."""

    def __init__(
        self, session: Session, runner: TaskRunner, view: ConfigurePerspective, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._view = session, runner, view

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

    def _show(self, project: Project, made: tuple[HierarchyProposal, ...]) -> None:
        if project is not self._session.project:
            return
        dialog = ProposeDialog([proposed.row for proposed in made], self._view)
        dialog.columns_accepted.connect(lambda columns: self._on_accepted(made, columns))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_accepted(self, made: tuple[HierarchyProposal, ...], columns: tuple[str, ...]) -> None:
        project = self._session.project
        if project is None:
            return
        changes = {p.row.column: p.entry for p in made if p.row.column in columns}
        text = ngettext("Suggest hierarchy", "Suggest hierarchies", len(changes))
        self._session.edit(text, edits.set_hierarchies(project, changes))


def proposals(
    project: Project, names: Sequence[str], monitor: Monitor = SILENT
) -> tuple[HierarchyProposal, ...]:
    """Build the proposed hierarchy of each column."""
    made = []
    for number, name in enumerate(names):
        monitor.step(number, len(names), _("Suggesting a hierarchy for {name}").format(name=name))
        entry, reason = proposed_hierarchy(project.table, name)
        made.append(
            HierarchyProposal(entry, proposal_row(project, project.table.column(name), entry, reason))
        )
    return tuple(made)


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
    )


_WIDTH = 1000


class ProposeDialog(TickListDialog):
    """Preselects the columns without a hierarchy."""

    def __init__(self, rows: Sequence[TickRow], parent: QWidget | None = None) -> None:
        super().__init__("proposeDialog", self.tr("Suggested hierarchies"), parent)
        self.all_button = named(make_button(self.tr("Use all {n}").format(n=len(rows))), "acceptAllButton")
        self.all_button.setToolTip(self.tr("Replace existing hierarchies with the suggested ones"))
        self.all_button.clicked.connect(lambda: self.accept_columns(tuple(self.boxes)))
        self.build(
            rows,
            self.tr("Based on type, values and name of each column. You can change each of them afterwards."),
            (self.tr("Column"), self.tr("Builder"), self.tr("Levels, example and reason")),
            _WIDTH,
            self.all_button,
        )

    def accept_text(self, n_columns: int) -> str:
        """Return the text of the button that accepts the ticked columns."""
        return ngettext("Use {n} hierarchy", "Use {n} hierarchies", n_columns).format(n=n_columns)
