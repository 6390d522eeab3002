"""Fills the table of columns, and turns settings or proposals for several of them into one edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from anonymizer_gui.forms.number_spin import NumberSpin
from anonymizer_gui.forms.weights_dialog import HEAVIEST
from anonymizer_gui.models.column_summary import KIND_NAMES
from anonymizer_gui.perspectives.configure.facts import example_of, levels_in_words
from anonymizer_gui.perspectives.configure.table.data_table import ROLE_TITLES
from anonymizer_gui.perspectives.configure.table.tick_list_dialog import TickListDialog, TickRow
from anonymizer_gui.perspectives.configure.view import ConfigurePerspective
from anonymizer_gui.session import Session
from anonymizer_gui.tables.rows_model import Cell
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import gridbox, named
from anonymizer_gui.widgets.role_badge import role_icon
from engine.advice.columns import proposed_hierarchy
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.project import AttributeHierarchy, Project, edits
from engine.records import Column, Kind, Role, role_key, role_word
from engine.words import _, ngettext


class ColumnsPresenter(QObject):
    """Shares the selection with the table of records, so that other panels follow it."""

    def __init__(self, session: Session, view: ConfigurePerspective) -> None:
        super().__init__(view)
        self._session, self._panel = session, view.table
        self._view = view
        columns = view.table.columns
        columns.columns_selected.connect(self._on_selected)
        columns.view.role_requested.connect(view.table.table.role_requested)
        for requested in (columns.view.setting_requested, columns.set_button.clicked):
            requested.connect(self._ask)
        view.table.columns_shown.connect(self._show_columns)
        for signal in (
            session.project_opened,
            session.parts.table_changed,
            session.parts.roles_changed,
            session.parts.hierarchies_changed,
            session.parts.search_changed,
        ):
            signal.connect(lambda *_unused: self._show_columns())

    def _show_columns(self) -> None:
        """Fill the table while it is visible."""
        if not self._panel.shows_columns:
            return
        project, columns = self._session.project, self._panel.columns
        rows = [] if project is None else [column_cells(project, each) for each in project.table.columns]
        columns.show_columns(rows)
        columns.select_columns(self._panel.table.selected_columns())

    def _on_selected(self, names: tuple[str, ...]) -> None:
        self._panel.table.select_columns(names)

    def _ask(self) -> None:
        project, names = self._session.project, self._panel.columns.selected_columns()
        if project is None or not names:
            return
        heights = [
            project.hierarchies[name].hierarchy.height for name in names if name in project.hierarchies
        ]
        dialog = ColumnsDialog(names, max(heights, default=0), self._view)
        dialog.settings_chosen.connect(lambda chosen: self._set(names, chosen))
        dialog.ask()

    def _set(self, names: tuple[str, ...], chosen: dict[str, Any]) -> None:
        if chosen["kind"] is not None and self._session.reading.is_provisional:
            self._panel.error.show_error(
                self.tr("The table is still being read."),
                self.tr("Types can be changed once the table has been read completely. Nothing was changed."),
                tone="warn",
            )
            return
        named = names[0] if len(names) == 1 else self.tr("{n} columns").format(n=len(names))
        self._panel.error.hide()
        self._session.change_later(
            self.tr("Set {named}").format(named=named),
            _with_settings,
            names,
            chosen,
            otherwise=lambda error: self._panel.error.show_error(error.problem, error.hint),
            key="configure.columns",
        )


def column_cells(project: Project, column: Column) -> list[Cell]:
    """Return a column as a row of the table; properties that it does not have come before all others."""
    role, entry = project.role(column.name), project.hierarchies.get(column.name)
    n_values, levels, weight = len(column.labels) - column.has_missing, "", None
    if entry is not None:
        levels = _("{low} to {high} of {height}").format(
            low=entry.min_level, high=entry.top_level, height=entry.hierarchy.height
        )
    if column.name in project.quasi_identifying:
        weight = project.search.weights.get(column.name, 1.0)
    return [
        Cell(column.name),
        Cell(role_word(role), badge=role_key(role), value=_ROLES.index(role)),
        Cell(_(KIND_NAMES[column.data_type.kind])),
        Cell(as_exact_count(n_values), value=n_values),
        Cell("some" if column.has_missing else "", value=not column.has_missing),
        Cell(levels, value=-1 if entry is None else entry.hierarchy.height),
        Cell("" if weight is None else f"{weight:g}", value=-1 if weight is None else weight),
    ]


def _with_settings(
    project: Project, names: tuple[str, ...], chosen: Mapping[str, Any], monitor: Monitor = SILENT
) -> Project:
    monitor.step(0, 1, _("Setting columns"))
    return edits.set_columns(project, names, **chosen)


_ROLES = (None, *Role)  # unassigned columns first
_WIDTH, _FIELD = 400, 200
SEPARATOR = ";"  # between ordered categories


class ColumnsDialog(AskingDialog):
    """Emits the settings on acceptance.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    height : int
        Largest height of their hierarchies; 0 if none has one.
    """

    settings_chosen = Signal(object)  # options of `edits.set_columns`, by name

    def __init__(self, names: Sequence[str], height: int, parent: QWidget | None = None) -> None:
        super().__init__("columnsDialog", self.tr("Set columns"), self.tr("Set"), _WIDTH, parent)
        self.role_box = self._box("role", self.tr("Role"))
        for role, title in ROLE_TITLES.items():
            self.role_box.addItem(role_icon(role.value, 14), _(title), role)
        self.kind_box = self._box("type", self.tr("Type"))
        for kind, title in KIND_NAMES.items():
            self.kind_box.addItem(_(title), kind)
        self.format_edit = self._field("format", self.tr("Date format"), self.tr("detected"))
        self.order_edit = self._field("order", self.tr("Order"), self.tr("unchanged"))
        self.kind_box.currentIndexChanged.connect(self._show_kind)
        self.low_box = self._box("lowest", self.tr("Lowest level"))
        self.high_box = self._box("highest", self.tr("Highest level"))
        for box in (self.low_box, self.high_box):
            for level in range(height + 1):
                box.addItem(str(level), level)
            box.setEnabled(height > 0)
            box.setToolTip(
                self.tr("At most the height of each hierarchy")
                if height
                else self.tr("None of the columns has a hierarchy")
            )
        self.weight_check = named(QCheckBox(self.tr("Weight")), "columns.weighs")
        self.weight_check.setToolTip(self.tr("For quasi-identifying columns; only the ratios matter"))
        self.weight_box = named(NumberSpin(0.0, HEAVIEST, 1), "columns.weight", self.tr("Weight"))
        self.weight_box.setValue(1.0)
        self.weight_box.setEnabled(False)
        self.weight_check.toggled.connect(self.weight_box.setEnabled)
        self.drop_check = named(QCheckBox(self.tr("Remove hierarchies")), "columns.drop")
        self.drop_check.setEnabled(height > 0)
        grid = gridbox(spacing=(12, 8), stretched=0)
        kinds = (self.role_box, self.kind_box, self.format_edit, self.order_edit)
        for line, field in enumerate((*kinds, self.low_box, self.high_box, self.weight_box)):
            label = make_label(field.accessibleName(), Text.CELL, "text_2")
            field.setFixedWidth(scaled(_FIELD))
            grid.addWidget(self.weight_check if field is self.weight_box else label, line, 0)
            grid.addWidget(field, line, 1)
        grid.addWidget(self.drop_check, grid.rowCount(), 0, 1, 2)
        self._show_kind()
        title = names[0] if len(names) == 1 else self.tr("{n} columns").format(n=len(names))
        caption = ElidedLabel(", ".join(names), Text.CELL, "text_3")
        self.lay_out(ElidedLabel(title, Text.HEADING), caption, grid)

    def _show_kind(self) -> None:
        """Enable the format for dates and the categories for ordered columns."""
        kind = self.kind_box.currentData()
        for field, wanted, words, reason in (
            (
                self.format_edit,
                Kind.DATE,
                self.tr("%d day, %m month, %Y year, %H hour, %M minute, %S second, such as %d.%m.%Y"),
                self.tr("Only dates have a format"),
            ),
            (
                self.order_edit,
                Kind.ORDERED,
                self.tr("The categories from lowest to highest, separated by ;"),
                self.tr("Only ordered categories have an order"),
            ),
        ):
            field.setEnabled(kind is wanted)
            field.setToolTip(words if kind is wanted else reason)

    def _field(self, name: str, title: str, placeholder: str) -> QLineEdit:
        field = named(QLineEdit(), f"columns.{name}", title)
        field.setPlaceholderText(placeholder)
        return field

    def _box(self, name: str, title: str) -> QComboBox:
        box = named(QComboBox(), f"columns.{name}", title)
        box.addItem(self.tr("unchanged"), None)
        return box

    def submit(self) -> bool:
        order = self.order_edit.text().split(SEPARATOR) if self.order_edit.isEnabled() else ()
        self.settings_chosen.emit(
            {
                "role": self.role_box.currentData(),
                "kind": self.kind_box.currentData(),
                "date_format": self.format_edit.text().strip() if self.format_edit.isEnabled() else "",
                "order": tuple(word.strip() for word in order if word.strip()),
                "min_level": self.low_box.currentData(),
                "max_level": self.high_box.currentData(),
                "weight": self.weight_box.value() if self.weight_check.isChecked() else None,
                "drops_hierarchy": self.drop_check.isChecked(),
            }
        )
        return True


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


_PROPOSALS_WIDTH = 1000


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
        _PROPOSALS_WIDTH,
        all_button,
    )
    return dialog
