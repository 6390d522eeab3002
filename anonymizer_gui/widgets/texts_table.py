"""Table of finished texts for lists of a few hundred rows, with columns fitted to their content."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QObject,
    Qt,
    Signal,
)
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from anonymizer_gui.theming import Text, current_theme, font, icon, scaled, theme_manager
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.level_glyph import SMALL, Glyph, glyph_picture
from anonymizer_gui.widgets.tables import (
    CELL_PADDING,
    COMPACT_ROW_HEIGHT,
    LEFT,
    NOWHERE,
    RIGHT,
    ROW_HEIGHT,
    Index,
    prepare_table,
)

if TYPE_CHECKING:
    from engine.findings.blocks import Figure, FigureTable


@dataclass(frozen=True, slots=True)
class Heading:
    """Header of a column; numbers are right-aligned."""

    text: str
    is_number: bool = False
    tooltip: str = ""


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
    """One text in the colour of a token, after an icon or the levels of a node.

    `spoken` is for a screen reader; rows are sorted by `value`, or by the text without one. `shade` from -1
    to 1 is the strength of the background, negative in another colour.
    """

    text: str
    tooltip: str = ""
    tone: str = "text"
    is_strong: bool = False
    spoken: str = ""
    glyph: Glyph | None = None
    icon: str = ""
    value: Figure = None
    shade: float = 0.0

    @property
    def rank(self) -> tuple[bool, float, str]:
        """Place among the cells of a column; texts, and missing values, precede numbers."""
        if self.value is None or isinstance(self.value, str) or math.isnan(self.value):
            return False, 0.0, self.text.casefold()
        return True, float(self.value), ""


class TextsModel(QAbstractTableModel):
    """Item model of cells, which can be sorted by a column, and searched for words."""

    def __init__(self, headings: Sequence[Heading] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._headings = tuple(headings)
        self._rows: tuple[tuple[Cell, ...], ...] = ()
        self._order: list[int] = []  # places of the rows that are displayed
        self._sorted_by = (-1, Qt.SortOrder.AscendingOrder)
        self._words = ""

    def show(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """Replace the rows; if only texts differ, the view keeps its scroll position."""
        headings, cells = tuple(headings), tuple(map(tuple, rows))
        is_as_given = self._sorted_by[0] < 0 and not self._words
        if is_as_given and headings == self._headings and len(cells) == len(self._rows):
            self._rows = cells
            if cells:
                self.dataChanged.emit(self.index(0, 0), self.index(len(cells) - 1, len(headings) - 1))
            return
        self.beginResetModel()
        self._headings, self._rows = headings, cells
        self._arrange()
        self.endResetModel()

    def search(self, words: str) -> None:
        """Hide rows that do not contain the words; an empty text shows all."""
        self.beginResetModel()
        self._words = words.strip().casefold()
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
        return [[cell.text for cell in self._rows[place]] for place in self._order]

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
        self._order = [place for place, row in enumerate(self._rows) if self._has_words(row)]
        column, order = self._sorted_by
        if 0 <= column < len(self._headings):
            is_down = order == Qt.SortOrder.DescendingOrder
            self._order.sort(key=lambda place: self._rows[place][column].rank, reverse=is_down)

    def _has_words(self, row: tuple[Cell, ...]) -> bool:
        return not self._words or any(self._words in cell.text.casefold() for cell in row)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._headings)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        cell = self._rows[self._order[index.row()]][index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell.text
            case Qt.ItemDataRole.ToolTipRole:
                return cell.tooltip or cell.text
            case Qt.ItemDataRole.DecorationRole if cell.glyph is not None:
                ratio = QGuiApplication.primaryScreen().devicePixelRatio()
                return glyph_picture(cell.glyph, SMALL, ratio, current_theme())
            case Qt.ItemDataRole.DecorationRole if cell.icon:
                return icon(cell.icon, 16, cell.tone)
            case Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if self._headings[index.column()].is_number else LEFT
            case Qt.ItemDataRole.BackgroundRole if cell.shade:
                return _shade(cell.shade)
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
            case Qt.ItemDataRole.DisplayRole if section == self._sorted_by[0]:
                # Qt's own arrow covers titles of numbers.
                is_down = self._sorted_by[1] == Qt.SortOrder.DescendingOrder
                return f"{heading.text} {'↓' if is_down else '↑'}"
            case Qt.ItemDataRole.DisplayRole:
                return heading.text
            case Qt.ItemDataRole.ToolTipRole:
                return heading.tooltip or heading.text
            case Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if heading.is_number else LEFT
        return None


_WIDEST, _LEAST, _WRAPPED = 320, 240, 120
_GIVING = 300  # maximum width of a column that shrinks; numbers far from their names are hard to read


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


class TextsTable(FitsRoom, QTableView):
    """Shows cells; remaining width goes to columns with long texts, then to one column if it is chosen."""

    row_chosen = Signal(int)  # place among the rows given, in any order; -1 for none

    def __init__(
        self,
        name: str,
        title: str,
        *,
        stretched: int | None = None,
        gives_way: bool = False,
        chooses: bool = True,
        is_compact: bool = False,
        sorts: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """Create a table; `name` is its object name, `title` its accessible name.

        `stretched` is the column that takes the remaining width, if any, counted from the end if negative.
        With `gives_way` it may be narrower than its texts, and is never very wide. With `chooses` rows can be
        selected; with `is_compact` they are low, for lists that should be seen as a whole. With `sorts` a
        click on a header sorts by that column.
        """
        super().__init__(parent)
        self.texts = TextsModel(parent=self)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setModel(self.texts)
        prepare_table(self, row_height=COMPACT_ROW_HEIGHT if is_compact else ROW_HEIGHT)
        modes = QAbstractItemView.SelectionMode
        self.setSelectionMode(modes.SingleSelection if chooses else modes.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._stretched, self._gives_way = stretched, gives_way
        self._widths: list[int] = []
        self._wanted: list[int] = []
        if sorts:
            header = self.horizontalHeader()
            header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
            self.setSortingEnabled(True)
            header.setSortIndicatorShown(False)
        self.selectionModel().currentRowChanged.connect(
            lambda index: self.row_chosen.emit(self.texts.place(index.row()))
        )
        theme_manager().theme_changed.connect(self._fit_columns)

    def show_rows(
        self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]], *, wraps: bool = False
    ) -> None:
        """Replace headers and rows; with `wraps` a row is as high as its long texts need."""
        self.texts.show(headings, rows)
        self.setWordWrap(wraps)
        modes = QHeaderView.ResizeMode
        self.verticalHeader().setSectionResizeMode(modes.ResizeToContents if wraps else modes.Fixed)
        self._fit_columns()

    def _fit_columns(self) -> None:
        widest = scaled(_WIDEST)
        self._wanted = [column_width(self.texts, i) for i in range(self.texts.columnCount())]
        self._widths = [min(width, widest) for width in self._wanted]
        for place, width in enumerate(self._widths):
            self.horizontalHeader().resizeSection(place, width)
        self._fit()

    def _fit(self) -> None:
        """Give the width that is left to long texts, and then to one column."""
        if not self._widths:
            return
        header, free = self.horizontalHeader(), self.viewport().width() - sum(self._widths)
        for place, (width, wanted) in enumerate(zip(self._widths, self._wanted, strict=True)):
            if wanted > width:  # the width chosen by hand stays in all others
                least = scaled(_WRAPPED) - width if self.wordWrap() else 0
                more = min(max(free, least), wanted - width)
                header.resizeSection(place, width + more)
                free -= more
        if self._stretched is None:
            return
        place = self._stretched % len(self._widths)
        wanted = self._widths[place]
        others = sum(header.sectionSize(i) for i in range(len(self._widths)) if i != place)
        rest = self.viewport().width() - others
        least = min(wanted, scaled(_LEAST)) if self._gives_way else wanted
        if self.wordWrap() and self._wanted[place] > wanted:
            least = scaled(_WRAPPED)
        most = max(scaled(_GIVING), self._wanted[place]) if self._gives_way else rest
        header.resizeSection(place, max(min(rest, most), least))


_MEASURED = 40  # rows measured; measuring all takes as long as painting them
_SORTED = " ↓"


def column_width(model: QAbstractItemModel, place: int) -> int:
    """Return the width in pixels for a column's header with sort mark and its first texts."""
    title = str(model.headerData(place, Qt.Orientation.Horizontal) or "").rstrip(" ↓↑")
    in_header = QFontMetrics(font(Text.HEADER)).horizontalAdvance(title + _SORTED)
    metrics = QFontMetrics(font(Text.CELL_STRONG))
    texts = (str(model.index(row, place).data() or "") for row in range(min(model.rowCount(), _MEASURED)))
    in_cells = max(map(metrics.horizontalAdvance, texts), default=0)
    return max(in_header, in_cells) + 2 * CELL_PADDING + 4
