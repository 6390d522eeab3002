"""Table with one row per level, the highest first, as high as its rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QSizePolicy, QTableView, QWidget

from anonymizer_gui.theming import Text, current_theme, font, theme_manager
from anonymizer_gui.widgets.tables import CELL_PADDING, prepare_table
from anonymizer_gui.widgets.texts_table import Cell, Heading, TextsModel


class LevelTable(QTableView):
    """Unscrolled table: its container scrolls. Choosing a row requests the level.

    Cell content is drawn once per draft and composed over the tint of the selected row, because the
    selection changes often.
    """

    level_requested = Signal(int)
    row_reached = Signal(int)  # by keys, so that the container can scroll to it

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.texts = TextsModel(parent=self)
        self.cells: tuple[tuple[Cell, ...], ...] = ()  # from the highest level to 0
        self.setModel(self.texts)
        prepare_table(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._level: int | None = None
        self._content: QPixmap | None = None
        self.clicked.connect(lambda index: self.level_requested.emit(self._level_of(index.row())))
        theme_manager().theme_changed.connect(self._on_theme_changed)
        self.texts.modelReset.connect(self._on_reset)
        self.texts.dataChanged.connect(self._on_theme_changed)

    def show_cells(self, headings: Sequence[Heading], cells: Iterable[tuple[Cell, ...]]) -> None:
        """Show the levels from 0 on."""
        self.cells = tuple(cells)[::-1]
        self.texts.show(headings, self.cells)

    def show_level(self, level: int | None) -> None:
        """Highlight the row of a level."""
        self._level = level
        n_rows = self.model().rowCount()
        if level is None or level >= n_rows:
            self.clearSelection()
        else:
            self.selectRow(n_rows - 1 - level)

    def sizeHint(self) -> QSize:
        header = self.horizontalHeader()
        height = 0 if header.isHidden() else header.height()
        return QSize(super().sizeHint().width(), height + self.verticalHeader().length())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._content = None
        self.share_width()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self.viewport()), current_theme()
        for index in self.selectionModel().selectedRows():
            place = QRect(0, self.rowViewportPosition(index.row()), self.viewport().width(), 0)
            place.setHeight(self.rowHeight(index.row()))
            painter.fillRect(place, theme.color("accent_soft"))
        size = self.viewport().size() * self.devicePixelRatioF()
        if self._content is None or self._content.size() != size:
            self._content = self._drawn(size)
        painter.drawPixmap(0, 0, self._content)

    def paint_cell(self, painter: QPainter, cell: QRect, row: int, column: int) -> None:
        """Draw the content of a cell, elided if it does not fit."""
        shown, room = self.cells[row][column], cell.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        painter.setFont(font(Text.CELL_STRONG if shown.is_strong else Text.CELL))
        painter.setPen(current_theme().color(shown.tone))
        text = painter.fontMetrics().elidedText(shown.text, Qt.TextElideMode.ElideRight, room.width())
        alignment = self.texts.index(row, column).data(Qt.ItemDataRole.TextAlignmentRole)
        painter.drawText(room, alignment, text)

    def measure(self) -> None:
        """Compute the widths that the columns need; called when texts or font change."""
        raise NotImplementedError

    def share_width(self) -> None:
        """Divide the width among the columns."""
        raise NotImplementedError

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        row = self.currentIndex().row()
        chosen = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if row != before:
            self.row_reached.emit(row)
        if row >= 0 and (row != before or chosen):
            self.level_requested.emit(self._level_of(row))

    def needed_width(self, column: int, use: Text = Text.CELL) -> int:
        """Return the width a column needs to show all of its texts."""
        metrics = QFontMetrics(font(use))
        longest = max((metrics.horizontalAdvance(row[column].text) for row in self.cells), default=0)
        return longest + 2 * CELL_PADDING + 2

    def _drawn(self, size: QSize) -> QPixmap:
        content = QPixmap(size)
        content.setDevicePixelRatio(self.devicePixelRatioF())
        content.fill(Qt.GlobalColor.transparent)
        painter, grid = QPainter(content), current_theme().color("grid")
        columns = [c for c in range(self.model().columnCount()) if not self.isColumnHidden(c)]
        for row in range(self.model().rowCount()):
            top, height = self.rowViewportPosition(row), self.rowHeight(row)
            for column in columns:
                left, width = self.columnViewportPosition(column), self.columnWidth(column)
                self.paint_cell(painter, QRect(left, top, width, height), row, column)
            painter.setPen(grid)
            painter.drawLine(0, top + height - 1, self.viewport().width(), top + height - 1)
        painter.end()
        return content

    def _level_of(self, row: int) -> int:
        return self.model().rowCount() - 1 - row

    def _on_reset(self) -> None:
        self.show_level(self._level)
        self._on_theme_changed()

    def _on_theme_changed(self) -> None:
        self._content = None
        self.measure()
        self.share_width()
        self.updateGeometry()
