"""Filters and sorts the displayed records; finds, goes to and copies cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication

from anonymizer_gui.models.column_summary import ColumnSummary
from anonymizer_gui.models.records_model import find_next
from anonymizer_gui.perspectives.configure.facts import table_facts
from anonymizer_gui.perspectives.configure.table.filter_bar import ReplaceRequest
from anonymizer_gui.perspectives.configure.view import ConfigurePerspective
from anonymizer_gui.session import Session
from engine.errors import AnonymizerError
from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.project import Project, edits
from engine.project.replacing import Matches, filters_that_name, find_matches
from engine.records import Table
from engine.records.disk.fetched import Page, is_shown_at_once, n_shown, page_of, shown_records
from engine.records.filtering import filter_names, order_of, values_like
from engine.records.remote import source_of
from engine.words import _, ngettext


class RecordsPresenter(QObject):
    """Changes the display only: nothing here is an edit of the project."""

    def __init__(self, session: Session, view: ConfigurePerspective) -> None:
        super().__init__(view)
        self._session, self._runner, self._panel = session, session.runner, view.table
        self._project: Project | None = None
        self._filter = ""
        self._sorted_by: tuple[str, bool] | None = None
        self._next_page: int | None = None  # asked for while another one is fetched
        self._first: tuple[Table, Table] | None = None  # a table on a cluster, and its first records
        panel, bar = view.table, view.table.filter_bar
        panel.find_requested.connect(self._on_find_requested)
        panel.table.sort_requested.connect(self._on_sort_requested)
        panel.table.copy_requested.connect(self._on_copy_requested)
        # later, as a view asks for it while it is painted
        panel.table.records.page_wanted.connect(self._on_page_wanted, Qt.ConnectionType.QueuedConnection)
        bar.filter_requested.connect(lambda text: self._update(text, self._sorted_by))
        bar.record_requested.connect(self._on_record_requested)

    def show_table(self, project: Project | None, summaries: Sequence[ColumnSummary]) -> None:
        """Show the table of a project; filter and order are unchanged if only its values changed."""
        panel, before = self._panel, self._project
        self._project = project
        panel.error.hide()
        if project is None or before is None or before.table.names != project.table.names:
            self._filter, self._sorted_by = "", None
            panel.filter_bar.reset()
            panel.table.show_order(None, None)
        if project is None:
            panel.filter_bar.filter_edit.forget_known()
            panel.table.show_table(None, ())
            return
        table = project.table
        panel.filter_bar.set_most(n_shown(table))
        panel.filter_bar.filter_edit.set_known(
            filter_names(table), lambda name, part: values_like(table, name, part)
        )
        order = panel.table.records.order
        is_fetched = panel.table.records.fetched is not None and panel.table.records.table is table
        if (
            before is None
            or before.table.n_records != table.n_records
            or (project.remote is not None and not is_fetched)
        ):
            order = None
        panel.table.show_table(table, summaries, order)
        self._show_facts()
        if (self._filter or self._sorted_by is not None) and not is_fetched:
            self._update(self._filter, self._sorted_by)

    def _on_sort_requested(self, sorted_by: tuple[str, bool] | None) -> None:
        self._update(self._filter, sorted_by)

    def _update(self, text: str, sorted_by: tuple[str, bool] | None) -> None:
        project = self._project
        if project is None:
            return

        def show(order: Codes | None) -> None:
            if self._project is project:
                self._filter, self._sorted_by = text.strip(), sorted_by
                self._panel.table.show_order(order, sorted_by)
                self._show_facts()

        def fail(error: AnonymizerError) -> None:
            if self._project is project:
                problem = f"{error.problem} {error.hint}".strip()
                position = error.context.get("position")
                place = position if isinstance(position, int) else None
                self._panel.filter_bar.show_error(place, problem)

        if project.remote is not None:
            self._fetch(project, text.strip(), sorted_by, fail)
            return
        self._runner.run(order_of, project.table, text, sorted_by, then=show, otherwise=fail, key=_ORDER_TASK)

    def _fetch(
        self,
        project: Project,
        text: str,
        sorted_by: tuple[str, bool] | None,
        fail: Callable[[AnonymizerError], None],
    ) -> None:
        """Show the first records in a server or cluster that pass a filter, in order; without both, pages."""
        table, view = project.table, self._panel.table
        is_first = not text and is_shown_at_once(table)

        def show(found: tuple[Table, Codes | None] | None) -> None:
            if self._project is None or self._project.table is not table:
                return
            is_other = (text, sorted_by) != (self._filter, self._sorted_by)
            self._filter, self._sorted_by = text, sorted_by
            fetched, order = found or (None, None)
            if is_first and fetched is not None:
                self._first = table, fetched
            view.records.show_fetched(fetched, order, is_filtered=bool(text))
            if is_other:
                view.show_order(order, sorted_by)
            self._show_facts()

        if not text and not is_first:
            if sorted_by is None:
                show(None)
            else:
                self._refuse_pages()
            return
        known = self._first[1] if is_first and self._first is not None and self._first[0] is table else None
        self._runner.run(
            _fetched,
            table,
            text,
            sorted_by,
            known,
            then=show,
            otherwise=fail,
            key=_ORDER_TASK,
            label=self.tr("Filtering") if text else "",
        )

    def _refuse_pages(self) -> None:
        if is_shown_at_once(self._panel.table.records.table):
            self._panel.error.show_error(
                self.tr("The first records are still being fetched."),
                self.tr("Try it again once they are shown."),
            )
            return
        self._panel.error.show_error(
            self.tr("The records of this table are shown page by page."),
            self.tr("Filter them first: what a filter finds can be sorted, searched and copied."),
        )

    @property
    def _shown(self) -> Table | None:
        """The records that are shown, to be searched and copied; None if they come page by page."""
        records = self._panel.table.records
        shown = records.fetched or records.table
        return shown if source_of(shown) is None else None

    def _on_page_wanted(self, number: int) -> None:
        """Fetch a page of records in a server; one at a time, and finally the one asked for last."""
        project, records = self._project, self._panel.table.records
        if project is None or project.remote is None or records.has_page(number):
            return
        if is_shown_at_once(project.table):
            if not self._runner.running(_ORDER_TASK):
                self._fetch(project, self._filter, self._sorted_by, self._fail_page)
            return
        if self._runner.running(_PAGE_TASK):
            self._next_page = number
            return
        table = project.table

        def show(page: Page) -> None:
            if records.table is table:
                records.show_page(number, page)
            following, self._next_page = self._next_page, None
            if following is not None:
                self._on_page_wanted(following)

        self._runner.run(page_of, table, number, then=show, otherwise=self._fail_page, key=_PAGE_TASK)

    def _fail_page(self, error: AnonymizerError) -> None:
        self._next_page = None
        self._panel.table.records.forget_wanted()
        self._show_error(error)

    def _show_facts(self) -> None:
        """Show filter and sorting in the caption."""
        assert self._project is not None
        records = self._panel.table.records
        shown, n_records = as_exact_count(records.n_shown), as_exact_count(records.table.n_records)
        words = (
            self.tr("{n_shown} of {n_records} records shown").format(n_shown=shown, n_records=n_records)
            if self._filter
            else ""
        )
        self._panel.filter_bar.show_words(words)
        parts = [words] if words else [table_facts(self._project)]
        if not self._filter and n_shown(records.table) < records.table.n_records:
            parts.append(self.tr("the first {n} are shown").format(n=shown))
        if self._sorted_by is not None:
            parts.append(self.tr("sorted by {sorted_by}").format(sorted_by=self._sorted_by[0]))
        self._panel.show_facts(" · ".join(parts))

    def _on_find_requested(self, text: str, backwards: bool) -> None:
        if self._project is None:
            return
        shown = self._shown
        if shown is None:
            self._refuse_pages()
            return
        table, current = self._panel.table, self._panel.table.currentIndex()
        after = (current.row(), current.column()) if current.isValid() else (-1, -1)
        order = table.records.order

        def show(cell: tuple[int, int] | None) -> None:
            if table.records.order is order and self._shown is shown:
                self._panel.show_found(cell)

        self._runner.run(
            find_next,
            shown,
            text,
            after,
            order,
            backwards=backwards,
            then=show,
            otherwise=self._show_error,
            key="configure.find",
        )

    def _on_record_requested(self, number: int) -> None:
        table = self._panel.table
        row = table.records.row_of(number - 1)
        if row is None:
            problem = self.tr("Record {number} does not meet the condition and is not shown.")
            self._panel.filter_bar.show_no_record(problem.format(number=as_exact_count(number)))
            return
        table.show_cell(row, max(table.currentIndex().column(), 0))
        table.setFocus()

    def _on_copy_requested(self) -> None:
        table = self._panel.table
        n_cells = table.records.n_shown * len(table.selected_columns())
        if n_cells > MOST_CELLS:
            self._panel.error.show_error(
                self.tr("Copying {n_cells} cells may be too much for the clipboard.").format(
                    n_cells=as_exact_count(n_cells)
                ),
                self.tr("Other programs may be unable to paste them. A filter reduces the records."),
                self.tr("Copy anyway"),
                self._copy,
                tone="warn",
            )
        elif n_cells:
            self._copy()

    def _copy(self) -> None:
        self._panel.error.hide()
        shown = self._shown
        if shown is None:
            self._refuse_pages()
            return
        table, names = self._panel.table, self._panel.table.selected_columns()
        self._runner.run(
            tab_separated,
            shown,
            names,
            table.records.order,
            then=lambda text: QApplication.clipboard().setText(text),
            otherwise=self._show_error,
            key="configure.copy",
            label=self.tr("Copying"),
        )

    def _show_error(self, error: AnonymizerError) -> None:
        self._panel.error.show_error(error.problem, error.hint)


_PAGE_TASK = "configure.page"
_ORDER_TASK = "configure.order"
MOST_CELLS = 1_000_000  # copied without a question
_STEP = 20_000  # records between checks for cancellation


def _fetched(
    table: Table,
    text: str,
    sorted_by: tuple[str, bool] | None,
    known: Table | None,
    monitor: Monitor = SILENT,
) -> tuple[Table, Codes | None]:
    """Return the first records that pass a filter, and their order; `known` if they were fetched before."""
    found = shown_records(table, text, monitor) if known is None else known
    return found, order_of(found, "", sorted_by, monitor)


def tab_separated(
    table: Table, names: Sequence[str], order: Codes | None = None, monitor: Monitor = SILENT
) -> str:
    """Return the displayed records in their order as tab-separated text for spreadsheets."""
    columns = [table.column(name) for name in names]
    labels = [[_cell(label) for label in column.labels] for column in columns]
    n_records = table.n_records if order is None else len(order)
    lines = ["\t".join(map(_cell, names))]
    for start in range(0, n_records, _STEP):
        monitor.step(start, n_records, _("Copying"))
        part = slice(start, start + _STEP)
        records = part if order is None else order[part]
        cells = [
            [texts[code] for code in column.codes[records].tolist()]
            for texts, column in zip(labels, columns, strict=True)
        ]
        lines += map("\t".join, zip(*cells, strict=True))
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Return a cell, in quotation marks if it contains a separator."""
    if not any(mark in text for mark in '\t\n\r"'):
        return text
    return '"' + text.replace('"', '""') + '"'


_MOST_NAMED = 12  # values in a tooltip


class ReplacePresenter(QObject):
    """Listener of strip and session; counts for an outdated project are discarded."""

    def __init__(self, session: Session, view: ConfigurePerspective) -> None:
        super().__init__(view)
        self._session, self._runner = session, session.runner
        self._panel, self._bar = view.table, view.table.replace_bar
        self._counted: tuple[Project, ReplaceRequest, Matches] | None = None
        self._bar.request_changed.connect(self._count)
        self._bar.replace_requested.connect(self._replace)
        self._bar.column_box.textActivated.connect(lambda name: self._panel.table.select_columns((name,)))
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
        self._session.change_later(
            self.tr("Replace in {column}").format(column=request.column),
            edits.replace_values,
            request.column,
            self._counted[2].changes,
            otherwise=self._on_failed,
            key="configure.replace.edit",
        )

    def _on_failed(self, error: AnonymizerError) -> None:
        self._bar.show_error(f"{error.problem} {error.hint}".strip())


def _n(count: int) -> str:
    return as_exact_count(count)
