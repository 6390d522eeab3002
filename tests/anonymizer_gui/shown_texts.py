"""Texts that a window shows, with their places, to find those in another language."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPushButton,
    QTabBar,
    QToolButton,
    QWidget,
)

_MOST_ROWS = 200  # of a table that is read completely
_SOME_ROWS = 8  # spread over others: records, nodes and classes, whose rows are alike
_MARKUP = re.compile(r"<style.*?</style>|<[^<>]+>|&\w+;", re.DOTALL)
_QUOTED = re.compile(r"'[^']*'|“[^”]*”|„[^“]*“")
_WORD = re.compile(r"[A-Za-z]{3,}")

Text = tuple[str, str]  # place, text


def shown_texts(window: QWidget) -> Iterator[Text]:
    """Yield the texts of the visible widgets of a window: labels, buttons, menus, cells, tooltips."""
    if isinstance(window, QDialog):
        yield "title", window.windowTitle()
    for widget in [window, *window.findChildren(QWidget)]:
        if widget.isVisible() and widget.window() is window:
            place = f"{type(widget).__name__} {widget.objectName()}"
            for what, text in texts_of(widget):
                yield f"{place} {what}".strip(), text
            yield f"{place} tooltip", widget.toolTip()
            yield f"{place} name", widget.accessibleName()


def words_of(text: str) -> list[str]:
    """Return the words without accents in a text, without markup and quoted names."""
    return _WORD.findall(_QUOTED.sub("", _MARKUP.sub(" ", text)))


def texts_of(widget: QWidget) -> Iterator[Text]:
    """Yield the texts of one widget, with what each is."""
    if isinstance(widget, QLabel | QAbstractButton):
        yield "", widget.text()
    elif isinstance(widget, QLineEdit):
        yield "placeholder", widget.placeholderText()
    elif isinstance(widget, QComboBox):
        yield from (("entry", widget.itemText(i)) for i in range(widget.count()))
    elif isinstance(widget, QTabBar):
        yield from (("tab", widget.tabText(i)) for i in range(widget.count()))
    elif isinstance(widget, QMenuBar | QMenu):
        yield from _entries(widget)
    elif isinstance(widget, QHeaderView):
        return  # its texts are read with the cells of its table
    elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from _cells(widget.model())
    if isinstance(widget, QPushButton) and (menu := QPushButton.menu(widget)) is not None:
        yield from _entries(menu)
    if isinstance(widget, QToolButton) and (menu := QToolButton.menu(widget)) is not None:
        yield from _entries(menu)


def _entries(menu: QMenu | QMenuBar) -> Iterator[Text]:
    for action in menu.actions():
        yield "entry", action.text()
        if (below := action.menu()) is not None:
            assert isinstance(below, QMenu)
            yield from _entries(below)


def _cells(model: QAbstractItemModel) -> Iterator[Text]:
    n_columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount()  # hidden in a list
    n_rows = model.rowCount()
    rows = range(0, n_rows, 1 if n_rows <= _MOST_ROWS else n_rows // _SOME_ROWS)
    for column in range(n_columns):
        for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            yield "header", str(model.headerData(column, Qt.Orientation.Horizontal, role) or "")
            for row in rows:
                yield "cell", str(model.index(row, column, QModelIndex()).data(role) or "")
