"""The menus of the list's columns: what is done with one, and which of them are shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QMenu, QWidget

from anonymizer_gui.models.node_columns import NodeColumn

_tr = partial(QCoreApplication.translate, "ColumnMenu")


def column_menu(
    parent: QWidget,
    column: NodeColumn,
    sort: Callable[[Qt.SortOrder], None],
    filter_by: Callable[[], None],
    hide: Callable[[], None],
) -> QMenu:
    """Sort by a column, filter by it, hide it."""
    menu, name = QMenu(parent), _escaped(column.name)
    menu.addAction(_tr("Sort by {0}, rising").format(name), lambda: sort(Qt.SortOrder.AscendingOrder))
    menu.addAction(_tr("Sort by {0}, falling").format(name), lambda: sort(Qt.SortOrder.DescendingOrder))
    if column.has_filter:
        menu.addAction(_tr("Filter by {0}…").format(name), filter_by)
    menu.addSeparator()
    menu.addAction(_tr("Hide {0}").format(name), hide)
    return menu


def fill_columns_menu(
    menu: QMenu,
    columns: Sequence[NodeColumn],
    is_shown: Callable[[str], bool],
    choose: Callable[[str, bool], None],
) -> None:
    """One check mark per column."""
    for column in columns:
        words = column.title or column.name
        if column.tooltip and column.tooltip != words:
            words = f"{words}  ({column.tooltip})" if len(column.tooltip) <= 90 else words
        action = menu.addAction(_escaped(words))
        action.setCheckable(True)
        action.setChecked(is_shown(column.key))
        action.setToolTip(column.tooltip)
        action.toggled.connect(partial(choose, column.key))


def _escaped(text: str) -> str:
    """A text whose ampersands are not taken for keys."""
    return text.replace("&", "&&")
