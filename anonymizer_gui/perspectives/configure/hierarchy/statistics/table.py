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
from PySide6.QtWidgets import QHeaderView, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.statistics.level_table import (
    LevelTable,
    needed_width,
    paint_text,
)
from anonymizer_gui.theming import Text, current_theme, font, scaled
from anonymizer_gui.widgets.numbers import as_exact_count, as_percent
from anonymizer_gui.widgets.tables import CELL_PADDING
from engine.hierarchies.statistics import LevelStatistics

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_Role = Qt.ItemDataRole
_LEVEL, _GROUPS, _SMALLEST, _LARGEST, _BELOW, _K = range(6)
_WIDTHS = {_LEVEL: 46, _GROUPS: 58, _SMALLEST: 66, _LARGEST: 64, _BELOW: 64}  # at least
_LEAST_K = 124  # the narrowest bar with its number and a word
_SPARED = (_SMALLEST, _LARGEST, _BELOW)  # go in this order where it is narrow; the smallest is k too
_BAR_HEIGHT = 7
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ALIGNMENTS = (_LEFT, _RIGHT, _RIGHT, _RIGHT, _RIGHT, _LEFT)


class StatisticsModel(QAbstractTableModel):
    """The highest level first, as in a hierarchy."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[LevelStatistics, ...] = ()
        self._words: tuple[str, ...] = ()
        self._name = ""
        self.required_k: int | None = None

    def show_statistics(
        self,
        name: str,
        statistics: tuple[LevelStatistics, ...],
        words: tuple[str, ...],
        required_k: int | None,
    ) -> None:
        """Show the levels of another column or draft; `words` says what each level does."""
        self.beginResetModel()
        self._rows = tuple(reversed(statistics))
        self._words, self._name, self.required_k = words, name, required_k
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
        return 0 if parent.isValid() else _K + 1

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case _Role.DisplayRole:
                return self.text(index.row(), index.column())
            case _Role.ToolTipRole:
                return self._description(row)
            case _Role.TextAlignmentRole:
                return _ALIGNMENTS[index.column()]
            case _Role.FontRole if index.column() == _LEVEL:
                return font(Text.CELL_STRONG)
        return None

    def text(self, row: int, column: int) -> str:
        """What a cell says."""
        level = self._rows[row]
        if column == _LEVEL:
            return str(level.level)
        if column == _BELOW:
            return self._below(level)
        counts = {_GROUPS: level.n_groups, _LARGEST: level.largest}
        return as_exact_count(counts.get(column, level.smallest))

    def _below(self, row: LevelStatistics) -> str:
        if not row.n_below:
            return self.tr("none")
        return f"{as_exact_count(row.n_records_below)} · {as_percent(row.share_below)}"

    def _description(self, row: LevelStatistics) -> str:
        words = self._words[row.level] if row.level < len(self._words) else ""
        lines = [
            self.tr("Level {0}: {1}").format(row.level, words),
            self.tr("{0} of {1} to {2} records, the largest {3} of all").format(
                self._groups(row.n_groups),
                as_exact_count(row.smallest),
                as_exact_count(row.largest),
                as_percent(row.share_largest),
            ),
        ]
        if self.required_k is not None and row.n_below:
            records = self.tr("1 record") if row.n_records_below == 1 else self.tr("{0} records")
            lines.append(
                self.tr("{0} of fewer than {1}: {2}, {3} of all").format(
                    self._groups(row.n_below),
                    as_exact_count(self.required_k),
                    records.format(as_exact_count(row.n_records_below)),
                    as_percent(row.share_below),
                )
            )
        return "\n".join(lines)

    def _groups(self, count: int) -> str:
        return self.tr("1 group") if count == 1 else self.tr("{0} groups").format(as_exact_count(count))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        k = as_exact_count(self.required_k)
        match role:
            case _Role.DisplayRole:
                return (
                    self.tr("Level"),
                    self.tr("Groups"),
                    self.tr("Smallest"),
                    self.tr("Largest"),
                    self.tr("Below {0}").format(k),
                    self.tr("k of {0} alone").format(self._name),
                )[section]
            case _Role.TextAlignmentRole:
                return _ALIGNMENTS[section]
            case _Role.ToolTipRole if section == _K:
                return self.tr(
                    "k of {0} alone: smallest class if it were the only quasi-identifier; logarithmic bars"
                ).format(self._name)
            case _Role.ToolTipRole if section == _BELOW:
                return self.tr("Records in groups of fewer than {0}, and their share of all records").format(
                    k
                )
        return None


class StatisticsTable(LevelTable):
    """Read only; one row per level. Where it is narrow, columns that say least go."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statisticsTable")
        self.setAccessibleName(self.tr("Statistics of each level"))
        self.statistics = StatisticsModel(self)
        self._needed: dict[int, int] = {}
        self.setModel(self.statistics)
        header = self.horizontalHeader()
        header.setTextElideMode(Qt.TextElideMode.ElideRight)  # the names of columns can be long
        for section in _WIDTHS:
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(_K, QHeaderView.ResizeMode.Stretch)

    def paint_cell(self, painter: QPainter, cell: QRect, row: int, column: int) -> None:
        if column == _K:
            self._paint_k(painter, cell, row)
        else:
            use = Text.CELL_STRONG if column == _LEVEL else Text.CELL
            paint_text(painter, cell, self.statistics.text(row, column), _ALIGNMENTS[column], use)

    def measure(self) -> None:
        rows = range(self.statistics.rowCount())
        for section, least in _WIDTHS.items():
            texts = (self.statistics.text(row, section) for row in rows)
            self._needed[section] = max(needed_width(texts), scaled(least))

    def share_width(self) -> None:
        shown = dict(self._needed)
        if self.statistics.required_k is None:
            shown.pop(_BELOW, None)
        for section in _SPARED:
            if sum(shown.values()) + scaled(_LEAST_K) > self.viewport().width():
                shown.pop(section, None)
        for section in _WIDTHS:
            self.setColumnHidden(section, section not in shown)
            if section in shown:
                self.setColumnWidth(section, shown[section])

    def _paint_k(self, painter: QPainter, cell: QRect, row: int) -> None:
        """A logarithmic bar with the number beside it, and a word where it is below the required k."""
        model, theme = self.statistics, current_theme()
        k = model.statistics(row).smallest
        fails = model.required_k is not None and k < model.required_k
        longest = max((cell.width() - 2 * CELL_PADDING) * 0.4, 4.0)
        share = log(k + 1) / log(max(model.largest_k, 1) + 1)
        bar = QRectF(
            cell.left() + CELL_PADDING,
            cell.center().y() - _BAR_HEIGHT // 2,
            max(longest * share, 4),
            _BAR_HEIGHT,
        )
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
        painter.drawText(place, _LEFT, text)
        if fails:
            place.adjust(painter.fontMetrics().horizontalAdvance(text) + 8, 0, -4, 0)
            painter.setFont(font(Text.CELL))
            painter.setPen(QColor(theme.danger))
            words = self.tr("below {0}").format(as_exact_count(model.required_k))
            shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(place, _LEFT, shown)
