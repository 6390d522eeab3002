"""The statistics of each level: groups, smallest, largest, and the k of the attribute alone as a bar."""

from __future__ import annotations

from math import log
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    Qt,
)
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyleOptionViewItem, QTableView, QWidget

from anonymizer_gui.theming import Text, current_theme, font, scaled
from anonymizer_gui.widgets.numbers import as_exact_count
from anonymizer_gui.widgets.tables import CELL_PADDING, RowDelegate, prepare_table
from engine.hierarchies.statistics import LevelStatistics

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_Role = Qt.ItemDataRole
_K = 5
_TITLES = ("Level", "In words", "Groups", "Smallest", "Largest", "k alone")


class StatisticsModel(QAbstractTableModel):
    """The highest level first, as in a hierarchy."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[LevelStatistics, ...] = ()
        self._words: tuple[str, ...] = ()
        self.required_k: int | None = None

    def show_statistics(
        self, statistics: tuple[LevelStatistics, ...], words: tuple[str, ...], required_k: int | None
    ) -> None:
        """Show other levels; `words` says what each level does."""
        self.beginResetModel()
        self._rows = tuple(reversed(statistics))
        self._words, self.required_k = words, required_k
        self.endResetModel()

    def statistics(self, row: int) -> LevelStatistics:
        """The level of a row."""
        return self._rows[row]

    @property
    def largest_k(self) -> int:
        """The longest bar."""
        return max((row.smallest for row in self._rows), default=1)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(_TITLES)

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == _Role.TextAlignmentRole:
            return _alignment(index.column())
        if role not in (_Role.DisplayRole, _Role.ToolTipRole):
            return None
        row = self._rows[index.row()]
        words = self._words[row.level] if row.level < len(self._words) else ""
        counts = (row.n_groups, row.smallest, row.largest, row.smallest)
        return (str(row.level), words, *map(as_exact_count, counts))[index.column()]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == _Role.DisplayRole:
            return self.tr(_TITLES[section])
        if role == _Role.TextAlignmentRole:
            return _alignment(section)
        if role == _Role.ToolTipRole and section == _K:
            return self.tr(
                "Smallest class if this were the only quasi-identifier; bars on a logarithmic scale"
            )
        return None


class _KDelegate(RowDelegate):
    """A logarithmic bar with the number beside it, and a word where it is below the required k."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        if index.column() != _K or not isinstance(model, StatisticsModel):
            super().paint(painter, option, index)
            return
        theme, cell = current_theme(), QRect(option.rect)
        if option.state & option.state.State_Selected:
            painter.fillRect(cell, QColor(theme.accent_soft))
        painter.setPen(QColor(theme.grid))
        painter.drawLine(cell.bottomLeft(), cell.bottomRight())
        k = model.statistics(index.row()).smallest
        fails = model.required_k is not None and k < model.required_k
        longest = max((cell.width() - 2 * CELL_PADDING) * 0.4, 4.0)
        share = log(k + 1) / log(max(model.largest_k, 1) + 1)
        bar = QRectF(cell.left() + CELL_PADDING, cell.center().y() - 3, max(longest * share, 4), 7)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(theme.fail_line) if fails else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.surface if fails else theme.ramp[2]))
        painter.drawRoundedRect(bar, 2, 2)
        painter.restore()
        text = as_exact_count(k)
        painter.setFont(font(Text.CELL_STRONG))
        painter.setPen(QColor(theme.text))
        place = cell.adjusted(round(CELL_PADDING + bar.width() + 8), 0, 0, 0)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(place, middle, text)
        if fails:
            place.adjust(painter.fontMetrics().horizontalAdvance(text) + 8, 0, -4, 0)
            painter.setFont(font(Text.CELL))
            painter.setPen(QColor(theme.danger))
            words = self.tr("below {0}").format(model.required_k)
            shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(place, middle, shown)


class StatisticsTable(QTableView):
    """Read only; one row per level."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statisticsTable")
        self.setAccessibleName(self.tr("Statistics of each level"))
        self.statistics = StatisticsModel(self)
        self.setModel(self.statistics)
        prepare_table(self)
        self.setItemDelegate(_KDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        for section, width in ((0, 48), (2, 58), (3, 66), (4, 62), (5, 136)):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.Interactive)
            self.setColumnWidth(section, scaled(width))
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in (2, 3, 4) else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
