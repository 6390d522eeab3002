"""The menus of the list's columns: what is done with one, and which of them are shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QMenu

from anonymizer_gui.models.node_columns import NodeColumn

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.explore.listing.list_panel import ListPanel

_tr = partial(QCoreApplication.translate, "ColumnMenu")


def column_menu(panel: ListPanel, column: NodeColumn) -> QMenu:
    """Sort by a column, filter by it, hide it."""
    menu, key, name = QMenu(panel), column.key, _escaped(column.name)
    section = [other.key for other in panel.model.table.columns].index(key)
    sort = panel.view.sortByColumn
    menu.addAction(
        _tr("Sort by {0}, rising").format(name), lambda: sort(section, Qt.SortOrder.AscendingOrder)
    )
    menu.addAction(
        _tr("Sort by {0}, falling").format(name), lambda: sort(section, Qt.SortOrder.DescendingOrder)
    )
    if column.has_filter:
        menu.addAction(_tr("Filter by {0}…").format(name), lambda: panel.filter_column(key))
    menu.addSeparator()
    menu.addAction(_tr("Hide {0}").format(name), lambda: panel.choose_column(key, False))
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
