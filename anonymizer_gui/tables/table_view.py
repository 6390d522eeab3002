"""Views of tables: their look, fixed and fitted widths of columns, and what is copied from them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFontMetrics, QGuiApplication, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from anonymizer_gui.tables.rows_model import BAR, LEFT, Cell, Heading, Index, RowsModel
from anonymizer_gui.theming import Text, current_theme, font, paint_selection, scaled, theme_manager
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.layouts import named
from engine.words import _

ROW_HEIGHT, COMPACT_ROW_HEIGHT, HEADER_HEIGHT = 24, 20, 24
CELL_PADDING = 8
_ICON, _BAR = 16, 3  # px
FITTED_COLUMNS = 300  # measured for their widths; no screen shows more at once
_Modes = QAbstractItemView.SelectionMode
ONE, SEVERAL, NONE = _Modes.SingleSelection, _Modes.ExtendedSelection, _Modes.NoSelection  # rows to choose


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
        if bar := index.data(BAR):
            room = cell.adjusted(CELL_PADDING, cell.height() - _BAR - 3, -CELL_PADDING, -3)
            room.setWidth(max(round(room.width() * bar), 1))
            painter.fillRect(room, theme.color("series_2"))
        painter.setPen(QColor(theme.grid))
        painter.drawLine(cell.bottomLeft(), cell.bottomRight())

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        inner = QStyleOptionViewItem(option)
        inner.rect = option.rect.adjusted(CELL_PADDING - 3, 0, -(CELL_PADDING - 3), 0)
        return super().sizeHint(inner, index) + QSize(2 * (CELL_PADDING - 3), 6)


class PlainTable(QTableView):
    """Base of all tables: no grid, long texts on one line, and no cell that keeps the keyboard."""

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, name, title)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)  # Tab leaves the table, or the keyboard would be trapped in it
        self.setCornerButtonEnabled(False)


class TableView(PlainTable):
    """Table in the look of the program, whose rows and columns follow the font scale."""

    def __init__(
        self,
        name: str,
        title: str,
        model: QAbstractItemModel | None = None,
        *,
        chooses: QAbstractItemView.SelectionMode = ONE,
        widths: Sequence[int] = (),
        row_height: int = ROW_HEIGHT,
        copies: bool = True,
        has_menu: bool = True,
        wraps: bool = False,
    ) -> None:
        """Create a table; `name` is its object name, `title` its accessible name.

        Without a `model` it shows rows of cells, its `texts`. Columns have the `widths` in px at font scale
        1; those with 0 share the rest. With `copies` it has the command *Copy*, with `has_menu` also in a
        context menu. With `wraps` every row is as high as its texts need.
        """
        super().__init__(name, title)
        self._row_height, self._column_widths = row_height, widths
        self._least_height = row_height if wraps else COMPACT_ROW_HEIGHT
        self.texts = RowsModel(self)
        self.setItemDelegate(RowDelegate(self))
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(chooses)
        self.verticalHeader().hide()
        self.setWordWrap(wraps)
        modes = QHeaderView.ResizeMode
        self.verticalHeader().setSectionResizeMode(modes.ResizeToContents if wraps else modes.Fixed)
        self.setHorizontalHeader(self.horizontalHeader())
        self.setModel(self.texts if model is None else model)
        self._follow_scale()
        theme_manager().theme_changed.connect(self._on_theme_changed)
        if copies:
            self._add_copying(has_menu)

    def setHorizontalHeader(self, header: QHeaderView) -> None:
        if header is not self.horizontalHeader():
            super().setHorizontalHeader(header)
        header.setDefaultAlignment(LEFT)
        header.setHighlightSections(False)
        header.setMinimumSectionSize(32)
        header.sectionCountChanged.connect(self._set_widths)

    def _follow_scale(self) -> None:
        rows = self.verticalHeader()
        self.setFont(font(Text.CELL))
        self.setIconSize(QSize(scaled(_ICON), scaled(_ICON)))
        # A minimum height set first would resize rows, which Qt then treats as sized by the user.
        rows.setMinimumSectionSize(1)
        rows.setDefaultSectionSize(scaled(self._row_height))
        rows.setMinimumSectionSize(scaled(self._least_height))
        self.horizontalHeader().setFixedHeight(scaled(HEADER_HEIGHT))

    def _on_theme_changed(self) -> None:
        self._follow_scale()
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Set the widths of all columns for another font scale."""
        self._set_widths()

    def _set_widths(self) -> None:
        header = self.horizontalHeader()
        for place, width in enumerate(self._column_widths[: header.count()]):
            if width:
                header.resizeSection(place, scaled(width))
            else:
                header.setSectionResizeMode(place, QHeaderView.ResizeMode.Stretch)

    def _add_copying(self, has_menu: bool) -> None:
        copy = QAction(_("Copy"), self)
        copy.setObjectName("copyTable")
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        # other parts of a window have their own Copy; with a wider context Qt would find the keys ambiguous
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self._copy)
        self.addAction(copy)
        if has_menu:
            self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            self.customContextMenuRequested.connect(self._show_menu)

    def _copy(self) -> None:
        """Put the selection on the clipboard; an empty selection leaves the clipboard unchanged."""
        if text := selected_text(self):
            QGuiApplication.clipboard().setText(text)

    def _show_menu(self, place: QPoint) -> None:
        # The menu that Qt makes of actions is on the stack, and a child of the view. If the view is deleted
        # while the menu is open, because another project replaces the page, deleting this child ends the
        # program.
        menu = named(QMenu(self), "tableMenu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self.actions())
        menu.popup(self.viewport().mapToGlobal(place))


def selected_text(view: QTableView, *, is_whole: bool = False) -> str:
    """Return the selected cells below their headings, or all cells if the table has no selection mode.

    Rows and columns are in displayed order; hidden ones are omitted. Cells outside the selection are empty.
    """
    model = view.model()
    if is_whole or view.selectionMode() == QAbstractItemView.SelectionMode.NoSelection:
        rows, columns = set(range(model.rowCount())), set(range(model.columnCount()))
        cells = None
    else:
        cells = {(index.row(), index.column()) for index in view.selectedIndexes()}
        rows, columns = {row for row, _column in cells}, {column for _row, column in cells}
    shown = sorted(
        (column for column in columns if not view.isColumnHidden(column)),
        key=view.horizontalHeader().visualIndex,
    )
    listed = [row for row in sorted(rows) if not view.isRowHidden(row)]
    lines = [
        [
            _text(model.index(row, column)) if cells is None or (row, column) in cells else ""
            for column in shown
        ]
        for row in listed
    ]
    if not lines:
        return ""
    head = [_plain(model.headerData(column, Qt.Orientation.Horizontal)) for column in shown]
    if not view.verticalHeader().isHidden():
        head.insert(0, "")
        for row, line in zip(listed, lines, strict=True):
            line.insert(0, _plain(model.headerData(row, Qt.Orientation.Vertical)))
    return "\n".join("\t".join(line) for line in [head, *lines]) + "\n"


def _text(index: QModelIndex) -> str:
    """Return the text of a cell, or of a drawn cell its description for screen readers."""
    shown = _plain(index.data(Qt.ItemDataRole.DisplayRole))
    return shown or _plain(index.data(Qt.ItemDataRole.AccessibleTextRole))


def _plain(value: object) -> str:
    """Return a value on one line and without tabs, for one cell of a spreadsheet."""
    text = "" if value is None else str(value)
    return " ".join(text.split()) if any(mark in text for mark in "\t\r\n") else text


_WIDEST, _LEAST, _WRAPPED = 320, 240, 120
_GIVING = 300  # maximum width of a column that shrinks; numbers far from their names are hard to read


class TextsTable(FitsRoom, TableView):
    """Fits columns to their texts; remaining width goes to long texts, then to one column if it is chosen."""

    row_chosen = Signal(int)  # place among the rows given, in any order; -1 for none

    def __init__(
        self,
        name: str,
        title: str,
        *,
        stretched: int | None = None,
        gives_way: bool = False,
        is_compact: bool = False,
        sorts: bool = False,
    ) -> None:
        """Create a table; `name` is its object name, `title` its accessible name.

        `stretched` is the column that takes the remaining width, if any, counted from the end if negative.
        With `gives_way` it may be narrower than its texts, and is very wide only if it is the last. With
        `is_compact` rows are low, for lists that should be seen as a whole. With `sorts` a click on a header
        sorts by that column.
        """
        super().__init__(name, title, row_height=COMPACT_ROW_HEIGHT if is_compact else ROW_HEIGHT)
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

    def show_rows(
        self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]], *, wraps: bool = False
    ) -> None:
        """Replace headers and rows; with `wraps` a row is as high as its long texts need."""
        heights, modes = self.verticalHeader(), QHeaderView.ResizeMode
        heights.setSectionResizeMode(modes.Fixed)  # a thousand rows would be measured as the few before
        self.texts.show(headings, rows)
        self.setWordWrap(wraps)
        if wraps:
            heights.setSectionResizeMode(modes.ResizeToContents)
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
        least = min(wanted, scaled(_WRAPPED if self.wordWrap() else _LEAST)) if self._gives_way else wanted
        if self.wordWrap() and self._wanted[place] > wanted:
            least = scaled(_WRAPPED)
        is_capped = self._gives_way and place < len(self._widths) - 1  # the last one fills the table
        most = max(scaled(_GIVING), self._wanted[place]) if is_capped else rest
        header.resizeSection(place, max(min(rest, most), least))


_MEASURED = 40  # rows measured; measuring all takes as long as painting them
_SORTED = " ↓"


def column_width(model: QAbstractItemModel, place: int) -> int:
    """Return the width in pixels for a column's header with sort mark and its first texts."""
    title = str(model.headerData(place, Qt.Orientation.Horizontal) or "").rstrip(" ↓↑")
    in_header = QFontMetrics(font(Text.HEADER)).horizontalAdvance(title + _SORTED)
    metrics = QFontMetrics(font(Text.CELL_STRONG))
    cells = [model.index(row, place) for row in range(min(model.rowCount(), _MEASURED))]
    in_cells = max((metrics.horizontalAdvance(str(cell.data() or "")) for cell in cells), default=0)
    if any(cell.data(Qt.ItemDataRole.DecorationRole) is not None for cell in cells):
        in_cells += scaled(_ICON) + 6
    return max(in_header, in_cells) + 2 * CELL_PADDING + 4
