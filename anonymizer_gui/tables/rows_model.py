"""Item model of rows of cells, which are finished or made when they are drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import getitem
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QGuiApplication

from anonymizer_gui.theming import Text, current_theme, font, icon, scaled
from anonymizer_gui.widgets.level_glyph import SMALL, Glyph, glyph_picture
from anonymizer_gui.widgets.role_badge import role_icon

if TYPE_CHECKING:
    from engine.findings.blocks import Figure, FigureTable

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
Rows = Sequence[Any] | NDArray[Any]
_BADGE = 14
BAR = Qt.ItemDataRole.UserRole + 1  # length of the bar of a cell, from 0 to 1


@dataclass(frozen=True, slots=True)
class Heading:
    """Header of a column; numbers are right-aligned, and ticks are centred."""

    text: str
    is_number: bool = False
    tooltip: str = ""
    is_tick: bool = False

    @property
    def alignment(self) -> Qt.AlignmentFlag:
        """Alignment of the header and of its cells."""
        return Qt.AlignmentFlag.AlignCenter if self.is_tick else RIGHT if self.is_number else LEFT


def headings_of(table: FigureTable, keys: Sequence[str]) -> list[Heading]:
    """Return headers for columns of values, with the explanations of their analysis."""
    places = [[column.key for column in table.columns].index(key) for key in keys]
    return [
        Heading(
            table.columns[place].title,
            any(isinstance(row[place], int | float) for row in table.rows),
            table.columns[place].explanation,
        )
        for place in places
    ]


@dataclass(frozen=True, slots=True)
class Cell:
    """One text in the colour of a token, after an icon, the badge of a role or the levels of a node.

    `spoken` is for a screen reader; rows are sorted by `value`, or by the text without one. `shade` from -1
    to 1 is the strength of the background, negative in another colour; `fill` is the token of a plain one;
    `bar` is the length of a bar below the text, from 0 to 1. A cell that `is_ticked` or not can be ticked.
    """

    text: str
    tooltip: str = ""
    tone: str = "text"
    is_strong: bool = False
    spoken: str = ""
    glyph: Glyph | None = None
    icon: str = ""
    badge: str = ""
    value: Figure = None
    shade: float = 0.0
    is_ticked: bool | None = None
    fill: str = ""
    is_struck: bool = False
    bar: float = 0.0

    @property
    def rank(self) -> tuple[bool, float, str]:
        """Place among the cells of a column; texts, and missing values, precede numbers."""
        if self.value is None or isinstance(self.value, str) or math.isnan(self.value):
            return False, 0.0, self.text.casefold()
        return True, float(self.value), ""


class RowsModel(QAbstractTableModel):
    """Item model of rows of cells, which can be sorted by a column, searched for words, and ticked."""

    tick_requested = Signal(int, int, bool)  # place of the row, column, and whether to tick it

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._headings: tuple[Heading, ...] = ()
        self._rows: Rows = ()
        self._cell: Callable[[Any, int], Cell] = getitem
        self._made: tuple[int, int, Cell] | None = None  # the cell that Qt asked about last
        self._order: Sequence[int] = ()  # places of the rows that are displayed
        self._sorted_by = (-1, Qt.SortOrder.AscendingOrder)
        self._words = ""
        self._searched: Sequence[int] = ()

    def show(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """Replace the rows; if only texts differ, the view keeps its scroll position."""
        is_as_given = self._sorted_by[0] < 0 and not self._words
        if is_as_given and tuple(headings) == self._headings and len(rows) == len(self._rows):
            self._rows = tuple(map(tuple, rows))
            self.refresh()
        else:
            self.show_made(headings, tuple(map(tuple, rows)), getitem)

    def show_made(self, headings: Sequence[Heading], rows: Rows, cell: Callable[[Any, int], Cell]) -> None:
        """Replace the rows by others, whose cells are made from row and column when they are drawn."""
        self.beginResetModel()
        self._headings, self._rows, self._cell = tuple(headings), rows, cell
        self._arrange()
        self.endResetModel()

    def refresh(self) -> None:
        """Show the cells of the same rows again."""
        self._made = None
        if len(self._order):
            last = self.index(len(self._order) - 1, len(self._headings) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def cell(self, row: int, column: int) -> Cell:
        """Return a displayed cell."""
        if self._made is None or self._made[:2] != (row, column):
            self._made = row, column, self._cell(self._rows[self._order[row]], column)
        return self._made[2]

    def search(self, words: str, columns: Sequence[int] = ()) -> None:
        """Hide rows that do not contain the words, in these columns or in any; an empty text shows all."""
        self.beginResetModel()
        self._words, self._searched = words.strip().casefold(), columns
        self._arrange()
        self.endResetModel()

    def place(self, row: int) -> int:
        """Return the place of a displayed row among those that were given; -1 for no row."""
        return self._order[row] if 0 <= row < len(self._order) else -1

    def row_of(self, place: int) -> int:
        """Return the displayed row of a place; -1 if it is hidden."""
        return self._order.index(place) if place in self._order else -1

    def texts(self) -> list[list[str]]:
        """Return the texts of all displayed rows."""
        columns = range(len(self._headings))
        return [[self.cell(row, column).text for column in columns] for row in range(len(self._order))]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        before, self._sorted_by = self._order, (column, order)
        self._arrange()
        rows = {place: row for row, place in enumerate(self._order)}
        old = self.persistentIndexList()
        self.changePersistentIndexList(old, [self.index(rows[before[i.row()]], i.column()) for i in old])
        self.layoutChanged.emit()
        if self._headings:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._headings) - 1)

    def _arrange(self) -> None:
        """Put the rows in order; equal ones stay in the order given, also where the order is descending."""
        self._made, self._order = None, range(len(self._rows))
        if self._words:
            self._order = list(filter(self._has_words, self._order))
        column, order = self._sorted_by
        if 0 <= column < len(self._headings):
            is_down = order == Qt.SortOrder.DescendingOrder
            ranks = {place: self._cell(self._rows[place], column).rank for place in self._order}
            self._order = sorted(self._order, key=ranks.__getitem__, reverse=is_down)

    def _has_words(self, place: int) -> bool:
        searched = self._searched or range(len(self._headings))
        cells = (self._cell(self._rows[place], column) for column in searched)
        return any(self._words in cell.text.casefold() for cell in cells)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._headings)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        cell = self.cell(index.row(), index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell.text
            case Qt.ItemDataRole.ToolTipRole:
                return cell.tooltip or cell.text
            case Qt.ItemDataRole.DecorationRole if cell.glyph is not None:
                ratio = QGuiApplication.primaryScreen().devicePixelRatio()
                return glyph_picture(cell.glyph, SMALL, ratio, current_theme())
            case Qt.ItemDataRole.DecorationRole if cell.badge:
                return role_icon(cell.badge, scaled(_BADGE))
            case Qt.ItemDataRole.DecorationRole if cell.icon:
                return icon(cell.icon, scaled(16), cell.tone)
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._headings[index.column()].alignment
            case Qt.ItemDataRole.CheckStateRole if cell.is_ticked is not None:
                return Qt.CheckState.Checked if cell.is_ticked else Qt.CheckState.Unchecked
            case _ if role == BAR:
                return cell.bar
            case Qt.ItemDataRole.BackgroundRole if cell.shade:
                return _shade(cell.shade)
            case Qt.ItemDataRole.BackgroundRole if cell.fill:
                return current_theme().color(cell.fill)
            case Qt.ItemDataRole.ForegroundRole:
                return QBrush(current_theme().color(cell.tone))
            case Qt.ItemDataRole.FontRole:
                own = font(Text.CELL_STRONG if cell.is_strong else Text.CELL)
                own.setStrikeOut(cell.is_struck)
                return own
            case Qt.ItemDataRole.AccessibleTextRole:
                return cell.spoken or cell.text
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if not index.isValid():
            return flags
        flags |= Qt.ItemFlag.ItemIsDragEnabled  # in views that let rows be dragged
        has_tick = self.cell(index.row(), index.column()).is_ticked is not None
        return flags | Qt.ItemFlag.ItemIsUserCheckable if has_tick else flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        is_on = Qt.CheckState(value) == Qt.CheckState.Checked
        self.tick_requested.emit(self._order[index.row()], index.column(), is_on)
        return True

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical or section >= len(self._headings):
            return None
        heading = self._headings[section]
        match role:
            case Qt.ItemDataRole.DisplayRole if section == self._sorted_by[0]:
                # Qt's own arrow covers titles of numbers.
                is_down = self._sorted_by[1] == Qt.SortOrder.DescendingOrder
                return f"{heading.text} {'↓' if is_down else '↑'}"
            case Qt.ItemDataRole.DisplayRole:
                return heading.text
            case Qt.ItemDataRole.ToolTipRole:
                return heading.tooltip or heading.text
            case Qt.ItemDataRole.TextAlignmentRole:
                return heading.alignment
        return None


_STRONGEST_LIGHT, _STRONGEST_DARK = 0.45, 0.6  # opacity of the largest number, which keeps the text legible


def _shade(strength: float) -> QColor:
    """Return the background of a number, given its share of the largest one."""
    theme = current_theme()
    color, surface = theme.color("series_2" if strength > 0 else "series_4"), theme.color("surface")
    opacity = min(abs(strength), 1.0) * (_STRONGEST_DARK if theme.is_dark else _STRONGEST_LIGHT)
    # Opaque, as a delegate and the style paint one above the other.
    own, below = ((one.redF(), one.greenF(), one.blueF()) for one in (color, surface))
    mixed = (opacity * one + (1 - opacity) * other for one, other in zip(own, below, strict=True))
    return QColor.fromRgbF(*mixed)
