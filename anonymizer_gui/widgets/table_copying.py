"""Copies what is selected in a table view, with its headings, as tab-separated text."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView

from anonymizer_gui.widgets.layouts import named
from engine.words import _


def make_copyable(view: QTableView, *, has_menu: bool = True) -> None:
    """Give a table the command *Copy*, by keys and, with `has_menu`, in its context menu."""
    copy = QAction(_("Copy"), view)
    copy.setObjectName("copyTable")
    copy.setShortcut(QKeySequence.StandardKey.Copy)
    # other parts of a window have their own Copy; with a wider context Qt would find the keys ambiguous
    copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    copy.triggered.connect(lambda: copy_table(view))
    view.addAction(copy)
    if has_menu:
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(lambda place: _show_menu(view, place))


def _show_menu(view: QTableView, place: QPoint) -> None:
    # The menu that Qt makes of actions is on the stack, and a child of the view. If the view is deleted while
    # the menu is open, because another project replaces the page, deleting this child ends the program.
    menu = named(QMenu(view), "tableMenu")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.addActions(view.actions())
    menu.popup(view.viewport().mapToGlobal(place))


def copy_table(view: QTableView) -> None:
    """Put the selection on the clipboard; an empty selection leaves the clipboard unchanged."""
    if text := selected_text(view):
        QGuiApplication.clipboard().setText(text)


def selected_text(view: QTableView) -> str:
    """Return the selected cells below their headings, or all cells if the table has no selection mode.

    Rows and columns are in displayed order; hidden ones are omitted. Cells outside the selection are empty.
    """
    model = view.model()
    if view.selectionMode() == QAbstractItemView.SelectionMode.NoSelection:
        rows, columns = set(range(model.rowCount())), set(range(model.columnCount()))
        cells = None
    else:
        cells = {(index.row(), index.column()) for index in view.selectedIndexes()}
        rows, columns = {row for row, _column in cells}, {column for _row, column in cells}
    shown = sorted(
        (column for column in columns if not view.isColumnHidden(column)),
        key=view.horizontalHeader().visualIndex,
    )
    listed = [row for row in sorted(rows) if not view.isRowHidden(row)]
    lines = [
        [
            _text(model.index(row, column)) if cells is None or (row, column) in cells else ""
            for column in shown
        ]
        for row in listed
    ]
    if not lines:
        return ""
    head = [_plain(model.headerData(column, Qt.Orientation.Horizontal)) for column in shown]
    if not view.verticalHeader().isHidden():
        head.insert(0, "")
        for row, line in zip(listed, lines, strict=True):
            line.insert(0, _plain(model.headerData(row, Qt.Orientation.Vertical)))
    return "\n".join("\t".join(line) for line in [head, *lines]) + "\n"


def _text(index: QModelIndex) -> str:
    """Return the text of a cell, or of a drawn cell its description for screen readers."""
    shown = _plain(index.data(Qt.ItemDataRole.DisplayRole))
    return shown or _plain(index.data(Qt.ItemDataRole.AccessibleTextRole))


def _plain(value: object) -> str:
    """Return a value on one line and without tabs, for one cell of a spreadsheet."""
    text = "" if value is None else str(value)
    return " ".join(text.split()) if any(mark in text for mark in "\t\r\n") else text
