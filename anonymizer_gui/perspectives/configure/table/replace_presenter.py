"""Counts the cells of a replacement, and applies it to the table and its hierarchy as one edit."""

from __future__ import annotations

from PySide6.QtCore import QObject

from anonymizer_gui.perspectives.configure.table.replace_bar import ReplaceRequest
from anonymizer_gui.perspectives.configure.view import ConfigurePerspective
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import TaskRunner
from engine.errors import AnonymizerError
from engine.numbers import as_exact_count
from engine.project import Project, edits
from engine.project.replacing import Matches, filters_that_name, find_matches
from engine.words import ngettext

_MOST_NAMED = 12  # values in a tooltip


class ReplacePresenter(QObject):
    """Listener of strip and session; counts for an outdated project are discarded."""

    def __init__(
        self,
        session: Session,
        runner: TaskRunner,
        view: ConfigurePerspective,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._runner = session, runner
        self._panel, self._bar = view.table, view.table.replace_bar
        self._counted: tuple[Project, ReplaceRequest, Matches] | None = None
        self._bar.request_changed.connect(self._count)
        self._bar.replace_requested.connect(self._replace)
        self._bar.column_chosen.connect(lambda name: self._panel.table.select_columns((name,)))
        self._panel.table.columns_selected.connect(lambda _names: self._show_columns())
        session.parts.table_changed.connect(self._show_columns)
        session.project_opened.connect(self._on_project_opened)
        session.reading.changed.connect(lambda _is_provisional: self._show_columns())

    def _on_project_opened(self, project: Project | None) -> None:
        self._counted = None
        if project is None and self._bar.isVisible():
            self._bar.close_bar()
        self._show_columns()

    def _show_columns(self) -> None:
        """Offer the current columns; the selected one is preselected."""
        if (project := self._session.project) is not None:
            names, selected = project.table.names, self._panel.table.selected_columns()
            chosen = selected[0] if selected else self._bar.request().column
            self._bar.show_columns(names, chosen)

    def _count(self, request: ReplaceRequest) -> None:
        self._counted, project = None, self._session.project
        if project is None or request.column not in project.table.names or not request.needle:
            self._bar.show_words("", can_replace=False)
            return
        if self._session.reading.is_provisional:
            self._bar.show_words(self.tr("The table is still being read"), can_replace=False)
            return

        def show(found: Matches) -> None:
            if self._session.project is project and self._bar.request() == request:
                self._counted = (project, request, found)
                self._show_matches(project, request, found)

        self._runner.run(
            find_matches,
            project,
            request.column,
            request.needle,
            request.new,
            whole=request.whole,
            case=request.case,
            then=show,
            otherwise=self._on_failed,
            key="configure.replace",
        )

    def _show_matches(self, project: Project, request: ReplaceRequest, found: Matches) -> None:
        n_values = len(found.changes)
        if not n_values:
            self._bar.show_words(self.tr("No value would change"), can_replace=False)
            return
        cells = ngettext("{n} cell", "{n} cells", found.n_cells).format(n=_n(found.n_cells))
        words = ngettext("{cells} in {n} value", "{cells} in {n} values", n_values)
        parts = [words.format(cells=cells, n=_n(n_values))]
        if found.n_missing:
            parts.append(self.tr("{n_missing} become missing").format(n_missing=_n(found.n_missing)))
        if found.n_merged:
            parts.append(self.tr("{n_merged} become equal to others").format(n_merged=_n(found.n_merged)))
        if request.column in project.hierarchies:
            parts.append(self.tr("the hierarchy is updated"))
        if named := filters_that_name(project, request.column, found.changes):
            parts.append(
                self.tr("the condition of the subset does not change: {named}").format(named=named[0])
            )
        missing = self.tr("(missing)")
        lines = [
            f"{old} → {missing if new is None else new}"
            for old, new in list(found.changes.items())[:_MOST_NAMED]
        ]
        if n_values > _MOST_NAMED:
            lines.append("…")
        self._bar.show_words(" · ".join(parts), can_replace=True, details="\n".join(lines))

    def _replace(self, request: ReplaceRequest) -> None:
        if self._counted is None or self._counted[:2] != (self._session.project, request):
            return
        project, _, found = self._counted

        def take(after: Project) -> None:
            if self._session.project is project:
                self._session.edit(self.tr("Replace in {column}").format(column=request.column), after)

        self._runner.run(
            edits.replace_values,
            project,
            request.column,
            found.changes,
            then=take,
            otherwise=self._on_failed,
            key="configure.replace.edit",
        )

    def _on_failed(self, error: AnonymizerError) -> None:
        self._bar.show_error(f"{error.problem} {error.hint}".strip())


def _n(count: int) -> str:
    return as_exact_count(count)
