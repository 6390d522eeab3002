"""Table with cells shaded by their number, which is always printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QObject, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from anonymizer_gui.theming import Text, current_theme, font, scaled, theme_manager
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.table_copying import make_copyable
from anonymizer_gui.widgets.tables import NOWHERE, Index
from engine.kernels.arrays import FloatArray

_DISPLAY = Qt.ItemDataRole.DisplayRole
LEAST_WIDTH, LEAST_HEIGHT, MOST_HEIGHT, WIDEST_NAME = 54, 24, 48, 150
_STRONGEST = 0.75  # opacity of the largest number, which keeps the text legible


@dataclass(frozen=True, eq=False)
class Heat:
    """Content of a heat table.

    Attributes
    ----------
    rows, columns : tuple of str
    values : ndarray of float64, shape (n_rows, n_columns)
        nan for no number.
    text : callable
        Formats a number.
    words : callable
        Row and column -> tooltip.
    most : float
        Number with the strongest shade; negative numbers have the other colour.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: FloatArray
    text: Callable[[float], str]
    words: Callable[[int, int], str]
    most: float


class _HeatModel(QAbstractTableModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.heat = Heat((), (), np.zeros((0, 0)), str, lambda _row, _column: "", 1.0)

    def show_heat(self, heat: Heat) -> None:
        self.beginResetModel()
        self.heat = heat
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.heat.rows)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.heat.columns)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if not index.isValid():
            return None
        if role == _DISPLAY:
            value = float(self.heat.values[index.row(), index.column()])
            return "" if np.isnan(value) else self.heat.text(value)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.heat.words(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        names = self.heat.columns if orientation == Qt.Orientation.Horizontal else self.heat.rows
        if section >= len(names):
            return None
        if role in (_DISPLAY, Qt.ItemDataRole.ToolTipRole):
            return names[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            across = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            return Qt.AlignmentFlag.AlignCenter if orientation == Qt.Orientation.Horizontal else across
        return None


class _HeatDelegate(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        assert isinstance(model, _HeatModel)
        theme, heat = current_theme(), model.heat
        cell = QRect(option.rect).adjusted(1, 1, -1, -1)
        value = float(heat.values[index.row(), index.column()])
        painter.fillRect(cell, QColor(theme.sunken))
        if value == value and heat.most > 0:
            color = theme.color("series_2" if value > 0 else "series_4")
            color.setAlphaF(
                min(abs(value) / heat.most, 1.0) * _STRONGEST * (0.6 if not theme.is_dark else 0.8)
            )
            painter.fillRect(cell, color)
        painter.setPen(QColor(theme.text))
        painter.setFont(font(Text.CELL))
        shown = painter.fontMetrics().elidedText(
            str(index.data()), Qt.TextElideMode.ElideRight, cell.width() - 4
        )
        painter.drawText(cell, int(Qt.AlignmentFlag.AlignCenter), shown)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(theme.accent), 1.5))
            painter.drawRect(cell)


class HeatTable(FitsRoom, QTableView):
    """Cells share the width if there are few; many are scrolled."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = _HeatModel(self)
        self.setModel(self._model)
        self.setItemDelegate(_HeatDelegate(self))
        self.setAccessibleName(name)
        self.setProperty("plain", "true")
        self.setShowGrid(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        make_copyable(self)
        self.setCornerButtonEnabled(False)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setHighlightSections(False)
            header.setSectionsClickable(False)
            header.setMinimumSectionSize(8)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.verticalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        theme_manager().theme_changed.connect(self._fit)

    @property
    def heat(self) -> Heat:
        """Content shown."""
        return self._model.heat

    def show_heat(self, heat: Heat) -> None:
        """Show other numbers."""
        self._model.show_heat(heat)
        self._fit()

    def texts(self) -> list[list[str]]:
        """Return the numbers as printed."""
        model = self._model
        return [
            [str(model.index(row, column).data()) for column in range(model.columnCount())]
            for row in range(model.rowCount())
        ]

    def _fit(self) -> None:
        n_rows, n_columns = self._model.rowCount(), self._model.columnCount()
        self.verticalHeader().setFixedWidth(self._name_width(self._model.heat.rows))
        self.updateGeometries()  # otherwise cells would keep the positions of shorter names
        if not n_rows or not n_columns:
            return
        width = max(self.viewport().width() // n_columns, scaled(LEAST_WIDTH))
        height = min(max(self.viewport().height() // n_rows, scaled(LEAST_HEIGHT)), scaled(MOST_HEIGHT))
        self.horizontalHeader().setDefaultSectionSize(width)
        self.verticalHeader().setDefaultSectionSize(height)

    def _name_width(self, names: Sequence[str]) -> int:
        metrics = QFontMetrics(font(Text.HEADER))
        longest = max((metrics.horizontalAdvance(name) for name in names[:500]), default=0)
        return min(longest + 20, scaled(WIDEST_NAME))
