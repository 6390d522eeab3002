"""Fills the table of columns, and turns settings for several of them into one edit."""

from __future__ import annotations

from PySide6.QtCore import QObject

from anonymizer_gui.models.columns_model import ColumnLine
from anonymizer_gui.perspectives.configure.table.columns_dialog import ColumnsDialog, ColumnSettings
from anonymizer_gui.perspectives.configure.view import ConfigurePerspective
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import TaskRunner
from engine.monitor import SILENT, Monitor
from engine.project import Project, edits
from engine.words import _


class ColumnsPresenter(QObject):
    """Shares the selection with the table of records, so that other panels follow it."""

    def __init__(
        self,
        session: Session,
        runner: TaskRunner,
        view: ConfigurePerspective,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._panel = session, runner, view.table
        self._view = view
        columns = view.table.columns
        columns.columns_selected.connect(self._on_selected)
        columns.role_requested.connect(view.table.table.role_requested)
        columns.setting_requested.connect(self._ask)
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
        project = self._session.project
        columns = self._panel.columns
        columns.show_lines([] if project is None else column_lines(project))
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
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _set(self, names: tuple[str, ...], chosen: ColumnSettings) -> None:
        project = self._session.project
        if project is None:
            return
        if chosen.kind is not None and self._session.reading.is_provisional:
            self._panel.error.show_error(
                self.tr("The table is still being read."),
                self.tr("Types can be changed once the table has been read completely. Nothing was changed."),
                tone="warn",
            )
            return

        def take(after: Project) -> None:
            if self._session.project is project:
                named = names[0] if len(names) == 1 else self.tr("{n} columns").format(n=len(names))
                self._session.edit(self.tr("Set {named}").format(named=named), after)

        self._panel.error.hide()
        self._runner.run(
            _with_settings,
            project,
            names,
            chosen,
            then=take,
            otherwise=lambda error: self._panel.error.show_error(error.problem, error.hint),
            key="configure.columns",
        )


def column_lines(project: Project) -> list[ColumnLine]:
    """Return the columns of a project as rows of the table."""
    lines = []
    for column in project.table.columns:
        entry, is_qi = project.hierarchies.get(column.name), column.name in project.quasi_identifying
        lines.append(
            ColumnLine(
                column.name,
                project.role(column.name),
                column.data_type.kind,
                len(column.labels) - column.has_missing,
                column.has_missing,
                None if entry is None else entry.hierarchy.height,
                0 if entry is None else entry.min_level,
                0 if entry is None else entry.top_level,
                project.search.weights.get(column.name, 1.0) if is_qi else None,
            )
        )
    return lines


def _with_settings(
    project: Project, names: tuple[str, ...], chosen: ColumnSettings, monitor: Monitor = SILENT
) -> Project:
    monitor.step(0, 1, _("Setting columns"))
    return edits.set_columns(
        project,
        names,
        role=chosen.role,
        kind=chosen.kind,
        date_format=chosen.date_format,
        order=chosen.order,
        min_level=chosen.min_level,
        max_level=chosen.max_level,
        weight=chosen.weight,
        drops_hierarchy=chosen.drops_hierarchy,
    )
