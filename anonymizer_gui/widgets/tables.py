"""Look of table views: row heights, header, lines and cell padding."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from anonymizer_gui.theming import Text, current_theme, follow_theme, font, paint_selection, scaled
from anonymizer_gui.widgets.table_copying import make_copyable

ROW_HEIGHT, COMPACT_ROW_HEIGHT, HEADER_HEIGHT = 24, 20, 24
CELL_PADDING = 8
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
FITTED_COLUMNS = 300  # measured for their widths; no screen shows more at once


class RowDelegate(QStyledItemDelegate):
    """Cells with horizontal padding, one line below each row, and full rows in the selection tone."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> None:
        theme = current_theme()
        cell = QRect(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            paint_selection(painter, cell, theme)
        else:
            background = index.data(Qt.ItemDataRole.BackgroundRole)
            if background is not None:
                painter.fillRect(cell, background)
        inner = QStyleOptionViewItem(option)
        inner.rect = cell.adjusted(CELL_PADDING - 3, 0, -(CELL_PADDING - 3), 0)
        inner.state &= ~(QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_HasFocus)
        super().paint(painter, inner, index)
        painter.setPen(QColor(theme.grid))
        painter.drawLine(cell.bottomLeft(), cell.bottomRight())

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        inner = QStyleOptionViewItem(option)
        inner.rect = option.rect.adjusted(CELL_PADDING - 3, 0, -(CELL_PADDING - 3), 0)
        return super().sizeHint(inner, index) + QSize(2 * (CELL_PADDING - 3), 6)


class _ScaleFollower(QObject):
    """Updates row heights with the font scale, until the table is deleted."""

    def __init__(self, view: QTableView, row_height: int) -> None:
        super().__init__(view)
        self._view, self._row_height = view, row_height
        follow_theme(self._follow)

    def _follow(self) -> None:
        rows = self._view.verticalHeader()
        self._view.setFont(font(Text.CELL))
        # A minimum height set first would resize rows, which Qt then treats as sized by the user.
        rows.setMinimumSectionSize(1)
        rows.setDefaultSectionSize(scaled(self._row_height))
        rows.setMinimumSectionSize(scaled(COMPACT_ROW_HEIGHT))
        self._view.horizontalHeader().setFixedHeight(scaled(HEADER_HEIGHT))


def prepare_table(
    view: QTableView, *, row_height: int = ROW_HEIGHT, copies: bool = True, has_menu: bool = True
) -> None:
    """Set up a table view once; its row height follows the font scale.

    With `copies` it has the command *Copy*, with `has_menu` also in a context menu.
    """
    view.setShowGrid(False)
    view.setItemDelegate(RowDelegate(view))
    view.setWordWrap(False)
    view.setTextElideMode(Qt.TextElideMode.ElideRight)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setTabKeyNavigation(False)  # Tab leaves the table, or the keyboard would be trapped in it
    view.setCornerButtonEnabled(False)
    header = view.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setHighlightSections(False)
    header.setMinimumSectionSize(32)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    _ScaleFollower(view, row_height)
    if copies:
        make_copyable(view, has_menu=has_menu)
