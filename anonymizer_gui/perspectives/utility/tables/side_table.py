"""Model and table of one side: tinted by change, current record outlined, lines between classes."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from anonymizer_gui.models.records_model import RecordsModel
from anonymizer_gui.models.sides import NOT_RELEASED, Change, Sides
from anonymizer_gui.tables.rows_model import Index
from anonymizer_gui.tables.table_view import ROW_HEIGHT, PlainTable
from anonymizer_gui.theming import (
    Text,
    current_theme,
    follow_theme,
    font,
    paint_icon,
    paint_text,
    paint_tint,
    scaled,
)
from anonymizer_gui.widgets.layouts import fixed
from engine.kernels.arrays import Codes
from engine.numbers import as_exact_count
from engine.records import Role, role_key, role_word

COLUMN_HEADER_HEIGHT, _BAND, _PADDING, _MARK, _NARROWEST = 28, 3, 6, 12, 52


class SideColumns(QHeaderView):
    """A click requests sorting; the arrow marks the sorted column."""

    def __init__(self, model: SideModel, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._side = model
        self._sorted_by: tuple[str, bool] | None = None
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(32)
        fixed(self, height=COLUMN_HEADER_HEIGHT)

    def show_sorted(self, sorted_by: tuple[str, bool] | None) -> None:
        """Mark the sorted column, and whether it is descending."""
        self._sorted_by = sorted_by
        self.viewport().update()

    def least_width(self, place: int) -> int:
        """Return the width that shows the name."""
        name = self._side.table.names[place]
        words = QFontMetrics(font(Text.HEADER)).horizontalAdvance(name)
        return min(words + 2 * _PADDING + 4, scaled(WIDEST))

    def sizeHint(self) -> QSize:
        return QSize(0, scaled(COLUMN_HEADER_HEIGHT))

    def sectionSizeFromContents(self, logicalIndex: int) -> QSize:  # noqa: N803  # Qt's name
        return QSize(scaled(_NARROWEST), scaled(COLUMN_HEADER_HEIGHT))

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803  # Qt's name
        if not rect.isValid() or logicalIndex >= len(self._side.roles):
            return
        theme, name = current_theme(), self._side.table.names[logicalIndex]
        painter.save()
        painter.fillRect(rect, QColor(theme.surface_2))
        band = QRect(rect.left(), rect.top(), rect.width() - 1, _BAND)
        painter.fillRect(band, QColor(theme.role(role_key(self._side.roles[logicalIndex])).fill))
        painter.setPen(QColor(theme.border_strong))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        room = rect.adjusted(_PADDING, _BAND, -_PADDING, 0)
        if self._sorted_by is not None and self._sorted_by[0] == name:
            side = scaled(_MARK)
            mark = QRectF(room.right() - side, room.center().y() - side / 2 + 1, side, side)
            paint_icon(painter, mark, "arrow-down" if self._sorted_by[1] else "arrow-up", theme.accent)
            room.setRight(room.right() - side - 3)
        is_dropped = self._side.is_release and self._side.is_dropped(logicalIndex)
        is_right = self._side.table.columns[logicalIndex].data_type.is_numeric
        token = "text_3" if is_dropped else "text"
        paint_text(painter, room, name, Text.HEADER, token, is_right=is_right)
        painter.restore()


class SideRows(QHeaderView):
    """Record numbers; suppressed records are marked."""

    def __init__(self, model: SideModel, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._side = model
        self.setSectionsClickable(False)
        self.setHighlightSections(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def wanted_width(self) -> int:
        """Return the width of the largest number with a mark."""
        digits = str(max(self._side.table.n_records, 10))
        return QFontMetrics(font(Text.HEADER)).horizontalAdvance(digits) + scaled(_MARK) + 14

    def sizeHint(self) -> QSize:
        return QSize(self.wanted_width(), 0)  # Qt would query the texts of two hundred rows

    def sectionSizeFromContents(self, logicalIndex: int) -> QSize:  # noqa: N803  # Qt's name
        return QSize(self.wanted_width(), self.defaultSectionSize())

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803  # Qt's name
        if not rect.isValid() or logicalIndex >= self._side.n_shown:
            return
        theme = current_theme()
        painter.save()
        painter.fillRect(rect, QColor(theme.surface))
        painter.setPen(QColor(theme.border_strong if self._side.ends_class(logicalIndex) else theme.grid))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        if self._side.is_suppressed(logicalIndex):
            side = scaled(_MARK)
            mark = QRectF(rect.left() + 5, rect.center().y() - side / 2, side, side)
            paint_icon(painter, mark, "eye-off", theme.text_2)
        number = str(self._side.record_of(logicalIndex) + 1)
        paint_text(painter, rect.adjusted(0, 0, -8, 0), number, Text.HEADER, "text_3", is_right=True)
        painter.restore()


CHANGE_TOKENS = {Change.ONE_STEP: "change_1", Change.FURTHER: "change_2", Change.HIDDEN: "change_3"}
SAMPLE_ROWS, MOST_LABELS, WIDEST, CELL_PADDING = 60, 120, 280, 6
_OUTLINE = 2.0
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class ChangeDelegate(QStyledItemDelegate):
    """Tints a cell by the degree of its change; the text is the new value."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        model = index.model()
        assert isinstance(model, SideModel)
        theme, cell = current_theme(), QRect(option.rect)
        row, place = index.row(), index.column()
        change = model.change(row, place)
        if change is not Change.KEPT:
            paint_tint(painter, cell, theme, CHANGE_TOKENS[change])
        painter.setPen(QColor(theme.border_strong if model.ends_class(row) else theme.grid))
        painter.drawLine(cell.bottomLeft(), cell.bottomRight())
        if change is not Change.KEPT:  # adjacent tinted cells are separated by a gap
            painter.setPen(QColor(theme.surface))
            painter.drawLine(cell.topRight(), cell.bottomRight())
        room = cell.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        painter.setFont(option.font)
        painter.setPen(QColor(theme.text_2 if model.is_suppressed(row) else theme.text))
        shown = painter.fontMetrics().elidedText(
            model.text(row, place), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, _RIGHT if model.is_right_aligned(place) else _LEFT, shown)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(theme.accent), 1.5))
            painter.drawRect(cell.adjusted(1, 1, -2, -2))


class SideTable(PlainTable):
    """One side; clicks and arrow keys select a record, a click on a header requests sorting."""

    record_chosen = Signal(int)  # record, counted from 0
    sort_requested = Signal(str)  # column

    def __init__(self, *, is_release: bool, name: str) -> None:
        super().__init__("", name)
        self.side = SideModel(is_release=is_release, parent=self)  # side shown
        self.columns = SideColumns(self.side, self)  # header of the columns
        self._rows = SideRows(self.side, self)
        self.marked: int | None = None  # outlined record
        self.setHorizontalHeader(self.columns)
        self.setVerticalHeader(self._rows)
        self.setModel(self.side)
        self.setItemDelegate(ChangeDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.columns.sectionClicked.connect(
            lambda place: self.sort_requested.emit(self.side.table.names[place])
        )
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)
        follow_theme(self._on_theme_changed)

    def show_sides(self, sides: Sides | None, order: Codes | None) -> None:
        """Show another comparison."""
        self.marked = None
        self.scrollToTop()
        self.side.show_sides(sides, order)
        self._rows.setFixedWidth(self._rows.wanted_width())
        self.updateGeometries()  # otherwise cells would keep the positions of shorter numbers

    def show_order(self, order: Codes | None, *, is_grouped: bool) -> None:
        """Show the records in another order, from the top."""
        self.scrollToTop()  # resetting far down a long table is slow
        self.side.show_order(order, is_grouped=is_grouped)

    def show_sorted(self, sorted_by: tuple[str, bool] | None) -> None:
        """Mark the sorted column."""
        self.columns.show_sorted(sorted_by)

    def mark(self, record: int | None) -> None:
        """Outline a record; its row becomes the current one without scrolling."""
        self.marked = record
        row = None if record is None else self.side.row_of(record)
        if row is not None and self.currentIndex().row() != row:
            flag = self.selectionModel().SelectionFlag.NoUpdate
            place = max(self.currentIndex().column(), 0)
            blocked = self.selectionModel().blockSignals(True)
            self.selectionModel().setCurrentIndex(self.side.index(row, place), flag)
            self.selectionModel().blockSignals(blocked)
        self.viewport().update()
        self._rows.viewport().update()

    def wanted_widths(self) -> list[int]:
        """Return a width per column that shows its name and the texts of the first records."""
        metrics = QFontMetrics(font(Text.CELL))
        sample = range(min(SAMPLE_ROWS, self.side.table.n_records))
        wanted = []
        for place, column in enumerate(self.side.table.columns):
            is_short = len(column.labels) <= MOST_LABELS
            texts = column.labels if is_short else {column.text(record) for record in sample}
            longest = max((metrics.horizontalAdvance(text) for text in texts), default=0)
            named = self.columns.least_width(place)
            wanted.append(max(named, min(longest + 2 * CELL_PADDING + 2, scaled(WIDEST))))
        return wanted

    def is_in_sight(self, row: int) -> bool:
        """Return whether a row is completely visible."""
        top = self.rowViewportPosition(row)
        return top >= 0 and top + self.rowHeight(row) <= self.viewport().height()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        place = self.outline()
        if place is not None:
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(current_theme().color("accent"), _OUTLINE))
            painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), 3, 3)

    def outline(self) -> QRect | None:
        """Return the rectangle of the outlined record in the viewport; None if it is not visible."""
        row = None if self.marked is None else self._row_in_sight(self.marked)
        if row is None:
            return None
        top = self.rowViewportPosition(row)
        return QRect(0, top, self.viewport().width(), self.rowHeight(row))

    def _row_in_sight(self, record: int) -> int | None:
        """Return the visible row of a record; painting must not search ten million rows."""
        first = max(self.rowAt(0), 0)
        last = self.rowAt(self.viewport().height() - 1)
        last = self.side.n_shown - 1 if last < 0 else last
        return next((row for row in range(first, last + 1) if self.side.record_of(row) == record), None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.currentIndex()
        if index.isValid():  # also if the row was the current one
            self.record_chosen.emit(self.side.record_of(index.row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        elif event.text().isprintable() and event.text():
            event.ignore()  # letters would search the first column only
        else:
            super().keyPressEvent(event)

    def _copy(self) -> None:
        """Copy the current record below the column names as tab-separated text for spreadsheets."""
        row = self.currentIndex().row()
        if row >= 0:
            record = self.side.record_of(row)
            columns = self.side.table.columns
            lines = ([column.name for column in columns], [column.text(record) for column in columns])
            text = "".join("\t".join(cell.replace("\t", " ") for cell in line) + "\n" for line in lines)
            QGuiApplication.clipboard().setText(text)

    def _on_current_changed(self, index: QModelIndex) -> None:
        if index.isValid():
            self.record_chosen.emit(self.side.record_of(index.row()))

    def _on_theme_changed(self) -> None:
        self.setFont(font(Text.CELL))
        self._rows.setMinimumSectionSize(1)
        self._rows.setDefaultSectionSize(scaled(ROW_HEIGHT))
        self._rows.setFixedWidth(self._rows.wanted_width())


_DISPLAY = Qt.ItemDataRole.DisplayRole


class SideModel(RecordsModel):
    """One side of the comparison; drawing time does not depend on the number of rows.

    Parameters
    ----------
    is_release : bool
        Whether it shows the release, else the input.
    """

    def __init__(self, *, is_release: bool, parent: QObject | None = None) -> None:
        super().__init__(parent=parent)
        self.is_release = is_release
        self.sides: Sides | None = None
        self._is_grouped = False

    @property
    def roles(self) -> tuple[Role | None, ...]:
        """Role of each column."""
        return () if self.sides is None else self.sides.roles

    def show_sides(self, sides: Sides | None, order: Codes | None = None) -> None:
        """Show this side of another comparison."""
        self.sides = sides
        self.set_table(None if sides is None else sides.release if self.is_release else sides.input, order)

    def show_order(self, order: Codes | None, *, is_grouped: bool = False) -> None:
        """Show other records or another order; None shows all in the order of the input.

        If they are grouped, the last record of each class is marked.
        """
        self._is_grouped = is_grouped
        super().show_order(order)

    def change(self, row: int, place: int) -> Change:
        """Return how a cell of the release differs from the input; for the input, no change."""
        if self.sides is None or not self.is_release:
            return Change.KEPT
        return self.sides.change(self.record_of(row), place)

    def is_suppressed(self, row: int) -> bool:
        """Return whether the record of a row is suppressed."""
        return self.sides is not None and self.sides.is_suppressed(self.record_of(row))

    def ends_class(self, row: int) -> bool:
        """Return whether the next row is in another class, if rows are grouped by class."""
        if self.sides is None or not self._is_grouped or row + 1 >= self.n_shown:
            return False
        one, other = self.record_of(row), self.record_of(row + 1)
        return self.sides.class_of(one) != self.sides.class_of(other)

    def text(self, row: int, place: int) -> str:
        """Return the text of a cell."""
        return self.table.columns[place].text(self.record_of(row))

    def is_right_aligned(self, place: int) -> bool:
        """Return whether a column is numeric."""
        return self.table.columns[place].data_type.is_numeric

    def is_dropped(self, place: int) -> bool:
        """Return whether the release omits a column."""
        return self.sides is not None and self.table.names[place] in self.sides.dropped

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole and index.isValid():
            return self._tooltip(index.row(), index.column())
        return super().data(index, role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._header_tooltip(section, orientation)
        return super().headerData(section, orientation, role)

    def _tooltip(self, row: int, place: int) -> str:
        """Return the cell and how it was generalized, in words."""
        text = self.text(row, place)
        if not self.is_release or self.sides is None:
            return text
        was = self.sides.input.columns[place].text(self.record_of(row))
        match self.change(row, place):
            case Change.KEPT:
                return self.tr("{text}: unchanged").format(text=text)
            case Change.HIDDEN if text == NOT_RELEASED:
                return self.tr("{was}: the column is not released").format(was=was)
            case Change.HIDDEN:
                return self.tr("{was} became {text}: hidden").format(was=was, text=text)
            case Change.ONE_STEP:
                return self.tr("{was} became {text}: one level").format(was=was, text=text)
        return self.tr("{was} became {text}: several levels").format(was=was, text=text)

    def _header_tooltip(self, section: int, orientation: Qt.Orientation) -> str | None:
        if orientation == Qt.Orientation.Horizontal:
            if section >= len(self.table.columns):
                return None
            words = f"{self.table.names[section]}: {role_word(self.roles[section])}"
            not_released = self.tr("not released")
            return f"{words}, {not_released}" if self.is_release and self.is_dropped(section) else words
        if section >= self.n_shown:
            return None
        number = as_exact_count(self.record_of(section) + 1)
        if self.is_suppressed(section):
            return self.tr("Record {number} is suppressed").format(number=number)
        return self.tr("Record {number}").format(number=number)
