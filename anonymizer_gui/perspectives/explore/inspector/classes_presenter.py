"""Window of classes: sorts and filters them, and lists the records of the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QDialog, QSplitter, QWidget

from anonymizer_gui.models.node_name import own_name
from anonymizer_gui.perspectives.explore.inspector.why_part import class_name
from anonymizer_gui.session import Session
from anonymizer_gui.tables.rows_model import Cell, Heading, Rows
from anonymizer_gui.tables.table_view import CELL_PADDING, TableView
from anonymizer_gui.theming import Text, font, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.fitted_dialog import take_room
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.frequency.counted import either
from engine.monitor import SILENT, Monitor
from engine.numbers import as_decimal, as_exact_count, as_general, as_percent
from engine.privacy.measured_text import is_share, limit_text
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.kernels.arrays import IntArray
    from engine.project import Project
    from engine.records import Column
    from engine.scoring.nodes.class_table import ClassColumn, ClassTable


_DIRECT = 20_000  # more classes are sorted in a task
_MOST_IN_FILES = 1000  # records of a class that are looked for in files
_KEY, _RECORDS_KEY = "explore.inspect.classes", "explore.inspect.records"


class ClassesPresenter(QObject):
    """Updates the window, while it is open, with the classes of the selected node."""

    class_chosen = Signal(int)

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._runner, self._window = session, session.runner, window
        self._dialog: ClassesDialog | None = None
        self._table: ClassTable | None = None
        self._listed: ClassTable | None = None
        self._filter = ALL
        self._sorted_by, self._descending = 0, False
        self._chosen: int | None = None

    def open(self, number: int | None) -> None:
        """Show the window and choose one of the classes."""
        if self._dialog is None:
            self._dialog = self._made()
        self._chosen = number
        if number is not None and self._table is not None and self._filter != ALL:
            is_kept = bool(self._table.fulfilled[number])
            if is_kept is not (self._filter == KEPT):
                self._filter = ALL
                self._dialog.filter.set_current(ALL)
        self._list()
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()
        self._dialog.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_table(self, table: ClassTable | None) -> None:
        """Show the classes of another node; None if there is no node."""
        self._table, self._chosen = table, None
        if self._dialog is not None and self._dialog.isVisible():
            self._list()

    # ------------------------------------------------------------------------------------------

    def _made(self) -> ClassesDialog:
        dialog = ClassesDialog(self._window.window())
        dialog.sort_requested.connect(self._on_sort_requested)
        dialog.filter.selected.connect(self._on_filter_chosen)
        dialog.class_chosen.connect(self._on_class_chosen)
        return dialog

    def _list(self) -> None:
        dialog, table = self._dialog, self._table
        assert dialog is not None, "nothing is listed without the window"
        self._runner.cancel(_KEY)
        if table is None:
            dialog.setWindowTitle(self.tr("Classes"))
            dialog.summary.setText(self.tr("No node is selected."))
            self._show(None, ())
            return
        dialog.setWindowTitle(self.tr("Classes: {node}").format(node=own_name(table.node, table.problem)))
        place = min(self._sorted_by, len(table.columns) - 1)
        if table.n_classes <= _DIRECT:
            self._show(table, _ordered(table, place, self._descending, self._filter))
            return
        if self._listed is not table:
            self._listed = None
            dialog.show_classes(None, ())
        dialog.summary.setText(
            self.tr("Sorting {n_classes} classes").format(n_classes=as_exact_count(table.n_classes))
        )
        show = partial(self._show, table)
        self._runner.run(_ordered, table, place, self._descending, self._filter, then=show, key=_KEY)

    def _show(self, table: ClassTable | None, order: Rows) -> None:
        dialog = self._dialog
        if dialog is None or table is not self._table:
            return
        has_other_columns = table is None or self._listed is None or table.columns != self._listed.columns
        self._listed = table
        dialog.show_classes(table, order)
        if table is not None:
            dialog.summary.setText(self._summary(table))
        project = self._session.project
        is_direct = project is not None and not project.releases_files  # others are found by reading all
        if self._chosen is None and is_direct and len(order):
            self._chosen = int(order[0])
        dialog.choose(self._chosen)
        self._show_records()
        if has_other_columns:
            dialog.view.fit()

    def _summary(self, table: ClassTable) -> str:
        kept = int(table.fulfilled.sum())
        records = int(table.n_records[table.fulfilled].sum())
        return self.tr(
            "{n} classes: {n_kept} kept with {kept} records, "
            "{n_suppressed} suppressed with {suppressed} records."
        ).format(
            n=as_exact_count(table.n_classes),
            n_kept=as_exact_count(kept),
            kept=as_exact_count(records),
            n_suppressed=as_exact_count(table.n_classes - kept),
            suppressed=as_exact_count(table.problem.n_records - records),
        )

    def _show_records(self) -> None:
        dialog, table = self._dialog, self._table
        assert dialog is not None, "nothing is listed without the window"
        self._runner.cancel(_RECORDS_KEY)
        if table is None or self._chosen is None:
            dialog.show_records((), ())
            dialog.records_title.setText(self.tr("Choose a class to see its records."))
            return
        project, chosen = self._session.project, self._chosen
        if project is None or not project.releases_files:
            self._show_found(table, table.records(chosen))
            return
        dialog.show_records((), ())
        dialog.records_title.setText(self.tr("Finding records"))

        def show(records: IntArray) -> None:
            if table is self._table and chosen == self._chosen:
                self._show_found(table, records)

        label = self.tr("Finding records")
        task = self._runner.run(
            records_in_files, project, table, chosen, then=show, label=label, key=_RECORDS_KEY
        )
        task.cancelled.connect(self._on_records_cancelled)

    def _on_records_cancelled(self) -> None:
        """Say how to find records again, unless those of another class are being found."""
        if self._dialog is not None and self._runner.running(_RECORDS_KEY) is None:
            self._dialog.records_title.setText(self.tr("Choose a class to see its records."))

    def _show_found(self, table: ClassTable, records: IntArray) -> None:
        dialog, chosen = self._dialog, self._chosen
        assert dialog is not None, "nothing is listed without the window"
        assert chosen is not None, "records are those of a class"
        n_records, name = int(table.n_records[chosen]), class_name(table, chosen)
        if len(records) < n_records:
            title = self.tr("The first {n_shown} of {n} records as in the table: {name}")
        else:
            title = ngettext(
                "{n} record as in the table: {name}", "{n} records as in the table: {name}", n_records
            )
        dialog.records_title.setText(
            title.format(n_shown=as_exact_count(len(records)), n=as_exact_count(n_records), name=name)
        )
        dialog.show_records(self._record_columns(table), records)

    def _record_columns(self, table: ClassTable) -> list[Column]:
        """Return quasi-identifying and sensitive columns, then the others."""
        problem, project = table.problem, self._session.project
        if project is not None and project.releases_files:
            ahead = (*problem.names, *(attribute.name for attribute in problem.sensitive))
            return [project.records.column(name) for name in dict.fromkeys((*ahead, *project.table.names))]
        first = [attribute.column for attribute in problem.attributes]
        first += [attribute.column for attribute in problem.sensitive]
        names = {column.name for column in first}
        if project is None or project.table.n_records != problem.n_records:
            return first
        return first + [column for column in project.table.columns if column.name not in names]

    def _on_sort_requested(self, column: int, descending: bool) -> None:
        if (column, descending) != (self._sorted_by, self._descending):
            self._sorted_by, self._descending = column, descending
            self._list()

    def _on_filter_chosen(self, chosen: str) -> None:
        self._filter = chosen
        self._list()

    def _on_class_chosen(self, number: int) -> None:
        self._chosen = number
        self._show_records()
        self.class_chosen.emit(number)


def records_in_files(project: Project, table: ClassTable, number: int, monitor: Monitor = SILENT) -> IntArray:
    """Return the first records of a class of a table in files, whose rows are distinct tuples."""
    from engine.records.counting import tuple_rows

    tuples = tuple_rows(project.records, project.rows)
    is_inside = np.zeros(project.rows.n_rows, dtype=np.bool_)
    is_inside[table.records(number)] = True
    return tuples.some_records(is_inside, _MOST_IN_FILES, _("Finding records"), monitor)


def _ordered(table: ClassTable, place: int, descending: bool, shown: str) -> IntArray:
    """Return the indices of the listed classes, and compute the values shown for them."""
    for column in table.columns:
        table.values(column)
    of = None if shown == ALL else table.fulfilled if shown == KEPT else ~table.fulfilled
    return table.order(table.columns[place], descending=descending, of=of)


ALL, KEPT, SUPPRESSED = "all", "kept", "suppressed"
_SIZE, _LEAST = (900, 640), (520, 400)
_WIDEST, _ARROW, _SPARE = 220, 16, 10  # of a column, of the sort arrow, beyond the text of a cell
_LOOKED_AT = 60  # rows measured for the widths


class ClassesDialog(QDialog):
    """Two tables: classes, and the records of the chosen class; follows the selected node."""

    sort_requested = Signal(int, bool)  # column, whether descending; sorting may be slow
    class_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("classesDialog")
        self.order: Rows = ()  # number of the class in each row
        self.summary = named(make_label("", Text.CELL, "text_2", wraps=True), "classesSummary")
        self.filter = named(
            SegmentedControl(
                [(ALL, self.tr("All")), (KEPT, self.tr("Kept")), (SUPPRESSED, self.tr("Suppressed"))],
                self.tr("Listed classes"),
            ),
            "classesFilter",
        )
        self.view = _Table("classTable", self.tr("Classes of the node"))
        self.view.selectionModel().selectionChanged.connect(lambda *_: self._on_row_changed())
        header = self.view.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(False)  # Qt's own arrow covers titles of numbers
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        header.sortIndicatorChanged.connect(
            lambda place, order: self.sort_requested.emit(place, order == Qt.SortOrder.DescendingOrder)
        )
        self.records_title = named(ElidedLabel("", Text.SECTION, "text_2"), "classRecordsTitle")
        self.records_view = _Table("classRecords", self.tr("Records of the class"))
        below = QWidget()
        vbox(self.records_title, (self.records_view, 1), spacing=4, margins=(0, 4, 0, 0), of=below)
        tables = QSplitter(Qt.Orientation.Vertical)
        tables.addWidget(self.view)
        tables.addWidget(below)
        tables.setStretchFactor(0, 3)
        tables.setStretchFactor(1, 2)
        tables.setChildrenCollapsible(False)
        close = make_button(self.tr("Close"))
        close.clicked.connect(self.reject)
        vbox(self.summary, self.filter, (tables, 1), button_row(close), spacing=8, margins=16, of=self)
        self.setMinimumSize(scaled(_LEAST[0]), scaled(_LEAST[1]))
        take_room(self, QSize(scaled(_SIZE[0]), scaled(_SIZE[1])))

    def show_classes(self, table: ClassTable | None, order: Rows) -> None:
        """List the classes of a node by their numbers."""
        self.order = order
        if table is None:
            self.view.texts.show((), ())
            return
        columns, header = table.columns, self.view.horizontalHeader()
        titles = [_title(table, column) for column in columns]
        is_down = header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        titles[header.sortIndicatorSection()] += " ↓" if is_down else " ↑"
        headings = [
            Heading(title, column.kind.name not in ("LABEL", "STATUS"), _meaning(table, column))
            for title, column in zip(titles, columns, strict=True)
        ]
        self.view.texts.show_made(
            headings, order, lambda number, place: _cell(table, int(number), columns[place])
        )

    def show_records(self, columns: Sequence[Column], records: Rows) -> None:
        """List records in some columns of their table, after their numbers."""
        headings = [Heading(column.name, column.data_type.is_numeric) for column in columns]
        if columns:
            headings.insert(0, Heading(self.tr("Record"), is_number=True))

        def cell(record: int, place: int) -> Cell:
            text = columns[place - 1].text(int(record)) if place else as_exact_count(int(record) + 1)
            return Cell(text)

        n_before = self.records_view.texts.columnCount()
        self.records_view.texts.show_made(headings, records, cell)
        if len(headings) != n_before:
            self.records_view.fit()

    def choose(self, number: int | None) -> None:
        """Choose a listed class without a signal."""
        rows = np.flatnonzero(np.asarray(self.order) == (-1 if number is None else number))
        blocked = self.view.selectionModel().blockSignals(True)
        if not rows.size:
            self.view.clearSelection()
        else:
            index = self.view.texts.index(int(rows[0]), 0)
            self.view.selectionModel().setCurrentIndex(
                index,
                QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows,
            )
            self.view.scrollTo(index)
        self.view.selectionModel().blockSignals(blocked)
        self.view.viewport().update()

    def _on_row_changed(self) -> None:
        # Qt moves the current row on focus, so only the selection counts as a choice.
        if rows := self.view.selectionModel().selectedRows():
            self.class_chosen.emit(int(self.order[rows[0].row()]))


class _Table(TableView):
    """Columns are as wide as their titles and first rows."""

    def fit(self) -> None:
        """Set the widths of other columns."""
        metrics = QFontMetrics(font(Text.CELL))
        for column in range(self.texts.columnCount()):
            title = str(self.texts.headerData(column, Qt.Orientation.Horizontal))
            # The sort arrow is next to the title.
            widest = metrics.horizontalAdvance(title) + scaled(_ARROW)
            for row in range(min(self.texts.rowCount(), _LOOKED_AT)):
                widest = max(widest, metrics.horizontalAdvance(self.texts.cell(row, column).text))
            self.setColumnWidth(column, min(widest + 2 * CELL_PADDING + _SPARE, scaled(_WIDEST)))

    def _fit_columns(self) -> None:
        self.fit()


def _cell(table: ClassTable, number: int, column: ClassColumn) -> Cell:
    """Return a value of a class, with all digits in the tooltip."""
    kind = column.kind.name
    if kind == "LABEL":
        return Cell(table.label(number, column.place))
    value = table.values(column)[number]
    if kind == "STATUS":
        return Cell(_status(table, number, int(value)))
    if kind not in ("PROFIT", "PAYOUT", "REAL"):
        return Cell(as_exact_count(int(value)))
    text = as_decimal(float(value), 3 if kind == "REAL" else 2)
    if kind == "REAL" and column.place >= 0 and is_share(type(table.requirement.models[column.place])):
        text = as_percent(float(value), keep_zeros=True)
    return Cell(text, as_general(float(value), 12))


def _status(table: ClassTable, number: int, failed: int) -> str:
    """Return whether a class is kept, or the model it fails first, negative for none."""
    if failed < 0:
        return _("kept") if table.fulfilled[number] else _("suppressed like others")
    model = table.requirement.models[failed]
    relation = _("below") if model.relation.name == "AT_LEAST" else _("over")
    return _("suppressed: {symbol} {relation} {model}").format(
        symbol=model.symbol, relation=relation, model=limit_text(model)
    )


def _meaning(table: ClassTable, column: ClassColumn) -> str:
    match column.kind.name:
        case "SIZE":
            return either(table.problem.counted, _("Records in the class"), _("People in the class"))
        case "STATUS":
            return _("Whether the class is kept, or the first condition it fails")
        case "LABEL":
            return _("Released label of {name}").format(name=column.name)
        case "COUNT":
            return _("Distinct values of {name} in the class").format(name=column.name)
        case "PROFIT":
            return _("Expected gain of an attack on a record, less its cost; attacked above 0")
        case "PAYOUT":
            return _("What the records of the class pay the publisher, attacks deducted")
    if column.place < 0:
        return _("Distance of {name} between the class and the whole table").format(name=column.name)
    model = table.requirement.models[column.place]
    return f"{model.title}, {column.name}" if column.name else model.title


def _title(table: ClassTable, column: ClassColumn) -> str:
    match column.kind.name:
        case "SIZE":
            return table.problem.counted.many.capitalize()
        case "STATUS":
            return _("Status")
        case "LABEL":
            return column.name
        case "PROFIT":
            return _("Profit of an attack")
        case "PAYOUT":
            return _("Pays")
    is_only = len(table.problem.sensitive) == 1 or not column.name
    return column.symbol if is_only else f"{column.symbol} {column.name}"
