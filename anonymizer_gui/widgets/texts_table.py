"""Table of finished texts for lists of a few hundred rows, with columns fitted to their content."""

from __future__ import annotations

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
from PySide6.QtGui import QBrush, QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

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
    from engine.findings.blocks import FigureTable


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

    `spoken` is for a screen reader.
    """

    text: str
    tooltip: str = ""
    tone: str = "text"
    is_strong: bool = False
    spoken: str = ""
    glyph: Glyph | None = None
    icon: str = ""


class TextsModel(QAbstractTableModel):
    """Item model of cells."""

    def __init__(self, headings: Sequence[Heading] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._headings = tuple(headings)
        self._rows: tuple[tuple[Cell, ...], ...] = ()

    def show(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """Replace the rows; if only texts differ, the view keeps its scroll position."""
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
        """Return the texts of all rows."""
        return [[cell.text for cell in row] for row in self._rows]

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = NOWHERE) -> int:
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
            case Qt.ItemDataRole.DecorationRole if cell.glyph is not None:
                ratio = QGuiApplication.primaryScreen().devicePixelRatio()
                return glyph_picture(cell.glyph, SMALL, ratio, current_theme())
            case Qt.ItemDataRole.DecorationRole if cell.icon:
                return icon(cell.icon, 16, cell.tone)
            case Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if self._headings[index.column()].is_number else LEFT
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
                return RIGHT if heading.is_number else LEFT
        return None


_WIDEST, _LEAST = 320, 60
_GIVING = 300  # maximum width of a column that shrinks; numbers far from their names are hard to read


class TextsTable(FitsRoom, QTableView):
    """Shows cells; remaining width goes to columns with long texts, then to one column if it is chosen."""

    row_chosen = Signal(int)

    def __init__(
        self,
        name: str,
        title: str,
        *,
        stretched: int | None = None,
        gives_way: bool = False,
        chooses: bool = True,
        is_compact: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """Create a table; `name` is its object name, `title` its accessible name.

        `stretched` is the column that takes the remaining width, if any, counted from the end if negative.
        With `gives_way` it may be narrower than its texts, and is never very wide. With `chooses` rows can be
        selected; with `is_compact` they are low, for lists that should be seen as a whole.
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
        self.selectionModel().currentRowChanged.connect(lambda index: self.row_chosen.emit(index.row()))
        theme_manager().theme_changed.connect(self._fit_columns)

    def show_rows(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """Replace headers and rows."""
        self.texts.show(headings, rows)
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
                more = min(max(free, 0), wanted - width)
                header.resizeSection(place, width + more)
                free -= more
        if self._stretched is None:
            return
        place = self._stretched % len(self._widths)
        wanted = self._widths[place]
        others = sum(header.sectionSize(i) for i in range(len(self._widths)) if i != place)
        rest = self.viewport().width() - others
        least = _LEAST if self._gives_way else wanted
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
