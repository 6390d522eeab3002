"""A table of texts ready to show, for lists of a few hundred lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush

from anonymizer_gui.theming import Text, current_theme, font

if TYPE_CHECKING:
    from engine.assessment.base import FigureTable

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a column; numbers stand right."""

    text: str
    is_number: bool = False
    tooltip: str = ""


def headings_of(table: FigureTable, keys: Sequence[str]) -> list[Heading]:
    """The titles of some columns of figures, as the analysis that found them explains them."""
    places = [[column.key for column in table.columns].index(key) for key in keys]
    return [
        Heading(
            table.columns[place].title,
            not any(isinstance(row[place], str) for row in table.rows),
            table.columns[place].explanation,
        )
        for place in places
    ]


@dataclass(frozen=True, slots=True)
class Cell:
    """One text, in the colour of a token; `spoken` is what a screen reader says instead."""

    text: str
    tooltip: str = ""
    tone: str = "text"
    is_strong: bool = False
    spoken: str = ""


class TextsModel(QAbstractTableModel):
    """Shows what it is given."""

    def __init__(self, headings: Sequence[Heading] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._headings = tuple(headings)
        self._rows: tuple[tuple[Cell, ...], ...] = ()

    def show(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """Show other lines; where only texts differ the view keeps its place."""
        headings, cells = tuple(headings), tuple(map(tuple, rows))
        if headings == self._headings and len(cells) == len(self._rows):
            self._rows = cells
            if cells:
                self.dataChanged.emit(self.index(0, 0), self.index(len(cells) - 1, len(headings) - 1))
            return
        self.beginResetModel()
        self._headings, self._rows = headings, cells
        self.endResetModel()

    def texts(self) -> list[list[str]]:
        """What the lines say."""
        return [[cell.text for cell in row] for row in self._rows]

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._headings)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        cell = self._rows[index.row()][index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell.text
            case Qt.ItemDataRole.ToolTipRole:
                return cell.tooltip or cell.text
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if self._headings[index.column()].is_number else _LEFT
            case Qt.ItemDataRole.ForegroundRole:
                return QBrush(current_theme().color(cell.tone))
            case Qt.ItemDataRole.FontRole:
                return font(Text.CELL_STRONG if cell.is_strong else Text.CELL)
            case Qt.ItemDataRole.AccessibleTextRole:
                return cell.spoken or cell.text
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical or section >= len(self._headings):
            return None
        heading = self._headings[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return heading.text
            case Qt.ItemDataRole.ToolTipRole:
                return heading.tooltip or heading.text
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if heading.is_number else _LEFT
        return None
