"""Cells of the table of values: bars of records, closed groups, and the line edit over a label."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QApplication,
    QCompleter,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from anonymizer_gui.perspectives.configure.hierarchy.values.model import ValueModel
from anonymizer_gui.perspectives.configure.hierarchy.values.rows import RECORDS, VALUE, level_of
from anonymizer_gui.tables.rows_model import Index
from anonymizer_gui.tables.table_view import CELL_PADDING
from anonymizer_gui.theming import (
    Text,
    current_theme,
    font,
    paint_icon,
    paint_selection,
    paint_text,
    scaled,
    theme_manager,
)
from anonymizer_gui.theming.focus import FOCUS_RING_PROPERTY
from anonymizer_gui.widgets.layouts import named
from engine.numbers import as_exact_count, as_values

CHEVRON = 14
BAR_GAP, LONGEST_BAR = 8, 76
_BAR_HEIGHT, _LEAST_FIELD, _STRONG = 7, 120, Text.CELL_STRONG


def number_width(model: ValueModel) -> int:
    """Return the width of the largest number of records."""
    metrics = QFontMetrics(font(_STRONG))
    return metrics.horizontalAdvance(as_exact_count(model.largest)) + 1


def draw_frame(painter: QPainter, place: QRect, *, is_quiet: bool = False) -> None:
    """Draw a frame around a cell or a run of cells."""
    theme = current_theme()
    pen = QPen(QColor(theme.border_strong if is_quiet else theme.accent), 2)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(place.adjusted(1, 0, -1, -1))


class ValueDelegate(QStyledItemDelegate):
    """Draws cells quickly; a click on the chevron of a closed group requests to open it."""

    toggle_requested = Signal(int, str)  # level, label

    def __init__(self, model: ValueModel, view: QTableView) -> None:
        super().__init__(view)
        self._values, self._view = model, view
        self.shows_current = True  # not while the target of a drop has the frame
        self.renamed: tuple[int, str] | None = None  # level and label of the group that is written over
        self.field: QLineEdit | None = None  # last editor created

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model, row, column, cell = self._values, index.row(), index.column(), option.rect
        theme, current = current_theme(), self._view.currentIndex()
        is_selected = model.is_selected(row, column)
        if is_selected or (row == current.row() and model.is_covered[row]):
            paint_selection(painter, cell, theme)
        painter.fillRect(cell.left(), cell.bottom(), cell.width(), 1, QColor(theme.grid))
        if column == RECORDS:
            self._paint_records(painter, cell, row)
        else:
            room = cell.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
            if column == VALUE and model.closed_level(row):
                room = self._paint_closed(painter, room, row)
            paint_text(painter, room, model.text(row, column), _STRONG if is_selected else Text.CELL)
        if index == current and self.shows_current:
            draw_frame(painter, cell, is_quiet=not self._view.hasFocus())

    def _paint_records(self, painter: QPainter, cell: QRect, row: int) -> None:
        model, theme = self._values, current_theme()
        left, used = cell.left() + CELL_PADDING, number_width(model)
        start = left + used + BAR_GAP
        number = QRect(left, cell.top(), min(used, cell.width() - 2 * CELL_PADDING), cell.height())
        paint_text(painter, number, model.text(row, RECORDS), Text.CELL, is_right=True)
        longest = min(cell.right() - CELL_PADDING - start, scaled(LONGEST_BAR))
        length = longest * model.records(row) / max(model.largest, 1)
        if length > 0:
            bar = QRectF(start, cell.center().y() + 0.5 - _BAR_HEIGHT / 2, max(length, 1.5), _BAR_HEIGHT)
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent if model.is_covered[row] else theme.series_1))
            radius = min(2.0, bar.width() / 2)
            painter.drawRoundedRect(bar, radius, radius)
            painter.restore()

    def _paint_closed(self, painter: QPainter, room: QRect, row: int) -> QRect:
        """Draw the chevron of a closed group and its number of values; return the remaining room."""
        side, words = scaled(CHEVRON), as_values(self._values.n_values(row))
        icon = QRectF(room.left() - 3, room.center().y() - side / 2 + 0.5, side, side)
        paint_icon(painter, icon, "chevron-right", current_theme().text_2)
        room, metrics = room.adjusted(side, 0, 0, 0), QFontMetrics(font(Text.CELL))
        needed = metrics.horizontalAdvance(words)
        if metrics.horizontalAdvance(self._values.text(row, VALUE)) + needed + CELL_PADDING > room.width():
            return room
        paint_text(painter, room, words, Text.CELL, "text_3", is_right=True)
        return room.adjusted(0, 0, -needed, 0)

    def editorEvent(self, event: QEvent, model: object, option: QStyleOptionViewItem, index: Index) -> bool:
        if (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonPress
            and event.button() == Qt.MouseButton.LeftButton
            and index.column() == VALUE
            and self._values.closed_level(index.row())
            and event.position().x() - option.rect.left() < scaled(CHEVRON) + CELL_PADDING
        ):
            self.toggle_requested.emit(*self._values.group_at(index.row(), VALUE))
            return True
        return False

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        field = named(QLineEdit(parent), "labelField")
        field.setAccessibleName(self.tr("Label on level {column}").format(column=index.column() - 1))
        field.setProperty(FOCUS_RING_PROPERTY, "inside")
        if self.renamed is None and (outline := self._values.outline) is not None:
            completer = QCompleter(outline.hierarchy.levels[level_of(index.column())].labels, field)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            offer = completer.popup()
            assert offer is not None  # created on demand
            offer.setProperty("offer", "true")
            theme_manager().dress(offer)
            field.setCompleter(completer)
            field.returnPressed.connect(lambda: self._accept(field))
        self.field = field
        return field

    def _accept(self, field: QLineEdit) -> None:
        """Accept the text by the same Enter that closes the list of labels."""
        offer = field.completer().popup()
        if offer is not None and offer.isVisible():
            offer.hide()
            press = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier)
            QApplication.postEvent(field, press)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        place, room = QRect(option.rect), self._view.viewport().width()
        place.setWidth(min(max(place.width(), scaled(_LEAST_FIELD)), room))
        place.moveRight(min(place.right(), room - 1))
        editor.setGeometry(place)
