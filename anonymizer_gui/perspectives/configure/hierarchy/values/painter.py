"""Paints the rows of the table of values: texts, record bars, selection and drop target.

A delegate would be called for every cell and query the model some seven times; painting all visible
rows at once makes a repaint about as cheap as that of a plain table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QEvent, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QApplication,
    QCompleter,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget
from anonymizer_gui.perspectives.configure.hierarchy.values.model import ValueModel
from anonymizer_gui.perspectives.configure.hierarchy.values.rows import (
    RECORDS,
    VALUE,
    column_of,
    row_of_value,
    rows_of_group,
)
from anonymizer_gui.tables.rows_model import Index
from anonymizer_gui.tables.table_view import CELL_PADDING, ROW_HEIGHT
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
_BAR_HEIGHT, _FRAME = 7, 2
_CACHED = 20_000
_MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class ValuePainter:
    """Painter of one view; caches elided texts until `forget`."""

    def __init__(self, view: QTableView, model: ValueModel) -> None:
        self._view, self._model = view, model
        self._shortened: dict[tuple[str, int, bool], str] = {}
        self.number_width = 0

    def forget(self) -> None:
        """Discard the cached texts."""
        self._shortened.clear()
        metrics = QFontMetrics(font(Text.CELL_STRONG))
        self.number_width = metrics.horizontalAdvance(as_exact_count(self._model.largest)) + 1

    def paint(self, painter: QPainter, dirty: QRect) -> None:
        """Paint the rows and columns in a region of the view."""
        view, model = self._view, self._model
        first, last = view.rowAt(dirty.top()), view.rowAt(dirty.bottom())
        if first < 0:
            return
        rows = range(first, (model.rowCount() if last < 0 else last + 1))
        top, height = view.rowViewportPosition(first), view.rowHeight(first)
        columns = [
            (column, QRect(view.columnViewportPosition(column), top, view.columnWidth(column), height))
            for column in range(model.columnCount())
        ]
        columns = [
            (column, cell)
            for column, cell in columns
            if cell.right() >= dirty.left() and cell.left() <= dirty.right()
        ]
        if not columns:
            return
        self._paint_ground(painter, rows, columns)
        strong: list[tuple[QRect, str]] = []
        painter.setFont(font(Text.CELL))
        painter.setPen(QColor(current_theme().text))
        for column, place in columns:
            if column == RECORDS:
                self._paint_records(painter, rows, place)
            else:
                self._paint_labels(painter, rows, column, place, strong)
        painter.setFont(font(Text.CELL_STRONG))
        painter.setPen(QColor(current_theme().text))
        for room, text in strong:
            painter.drawText(room, _MIDDLE, self._fitting(text, room.width(), True))

    def paint_frame(self, painter: QPainter, place: QRect, *, is_quiet: bool = False) -> None:
        """Draw a frame around a cell or a run of cells."""
        theme = current_theme()
        color = theme.border_strong if is_quiet else theme.accent
        half = _FRAME // 2
        pen = QPen(QColor(color), _FRAME)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(place.adjusted(half, half - 1, -half, -half))

    def paint_target(self, painter: QPainter, target: DropTarget, words: str) -> None:
        """Frame the cells of the target group or value, or the room below the rows for a new group."""
        view, model = self._view, self._model
        column, outline = column_of(target.level), model.outline
        if target.beside is not None:
            row = row_of_value(outline, target.beside) if outline is not None else None
            if row is not None:
                self.paint_frame(painter, view.visualRect(model.index(row, VALUE)))
            return
        left, width = view.columnViewportPosition(column), view.columnWidth(column)
        first, height = max(view.rowAt(0), 0), view.rowHeight(0)
        if target.label is None:
            top = view.rowViewportPosition(model.rowCount() - 1) + height
            room = QRect(left, top, width, view.viewport().height() - top)
            if room.height() > height // 2:
                self._paint_room(painter, room, words)
        elif outline is not None:
            last = first + view.viewport().height() // height
            rows = rows_of_group(outline, target.level, target.label)
            rows = rows[(rows >= first) & (rows <= last)]
            for run in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1) if len(rows) else ():
                top = view.rowViewportPosition(int(run[0]))
                self.paint_frame(painter, QRect(left, top, width, height * len(run)))

    def _paint_room(self, painter: QPainter, place: QRect, words: str) -> None:
        painter.fillRect(place, QColor(current_theme().accent_soft))
        self.paint_frame(painter, place)
        room = place.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        room.setHeight(min(room.height(), scaled(ROW_HEIGHT)))
        paint_text(painter, room, words, Text.CELL, "accent_text")

    def _paint_ground(self, painter: QPainter, rows: range, columns: list[tuple[int, QRect]]) -> None:
        """Tint the selection and draw a line below each row."""
        model, theme = self._model, current_theme()
        line = QColor(theme.grid)
        current = self._view.currentIndex().row()
        left, right = columns[0][1].left(), columns[-1][1].right()
        covered, selection = model.is_covered, model.selection
        for number, row in enumerate(rows):
            if covered[row] and selection.labels:
                for column, place in columns:
                    if row == current or model.is_selected(row, column):
                        paint_selection(painter, place.translated(0, number * place.height()), theme)
            bottom = columns[0][1].bottom() + number * columns[0][1].height()
            painter.fillRect(left, bottom, right - left + 1, 1, line)

    def _paint_records(self, painter: QPainter, rows: range, place: QRect) -> None:
        model, theme = self._model, current_theme()
        plain, chosen = QColor(theme.series_1), QColor(theme.accent)
        left = place.left() + CELL_PADDING
        start = left + self.number_width + BAR_GAP
        largest = max(model.largest, 1)
        longest = min(place.right() - CELL_PADDING - start, scaled(LONGEST_BAR))
        number_room = QRect(left, place.top(), min(self.number_width, place.width() - 2 * CELL_PADDING), 0)
        number_room.setHeight(place.height())
        bars: list[tuple[QRectF, bool]] = []
        for number, row in enumerate(rows):
            shift = number * place.height()
            painter.drawText(number_room.translated(0, shift), _RIGHT, model.text(row, RECORDS))
            length = longest * model.records(row) / largest
            if length > 0:
                middle = place.center().y() + shift + 0.5
                bar = QRectF(start, middle - _BAR_HEIGHT / 2, max(length, 1.5), _BAR_HEIGHT)
                bars.append((bar, bool(model.is_covered[row])))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for is_chosen, brush in ((False, plain), (True, chosen)):
            painter.setBrush(brush)
            for bar, belongs in bars:
                if belongs == is_chosen:
                    radius = min(2.0, bar.width() / 2)
                    painter.drawRoundedRect(bar, radius, radius)
        painter.restore()

    def _paint_labels(
        self, painter: QPainter, rows: range, column: int, place: QRect, strong: list[tuple[QRect, str]]
    ) -> None:
        model = self._model
        room = place.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        for number, row in enumerate(rows):
            at = room.translated(0, number * place.height())
            if column == VALUE and model.closed_level(row):
                at = self._paint_closed(painter, at, row)
            text = model.text(row, column)
            if model.is_selected(row, column):
                strong.append((at, text))
            elif text:
                painter.drawText(at, _MIDDLE, self._fitting(text, at.width(), False))

    def _paint_closed(self, painter: QPainter, room: QRect, row: int) -> QRect:
        """Draw the chevron of a closed group and its number of values; return the remaining room."""
        theme, side = current_theme(), scaled(CHEVRON)
        icon = QRectF(room.left() - 3, room.center().y() - side / 2 + 0.5, side, side)
        paint_icon(painter, icon, "chevron-right", theme.text_2)
        room = room.adjusted(side, 0, 0, 0)
        words = as_values(self._model.n_values(row))
        metrics = painter.fontMetrics()
        needed = metrics.horizontalAdvance(words)
        if metrics.horizontalAdvance(self._model.text(row, VALUE)) + needed + CELL_PADDING > room.width():
            return room
        painter.setPen(QColor(theme.text_3))
        painter.drawText(room, _RIGHT, words)
        painter.setPen(QColor(theme.text))
        return room.adjusted(0, 0, -needed, 0)

    def _fitting(self, text: str, width: int, is_strong: bool) -> str:
        key = (text, width, is_strong)
        found = self._shortened.get(key)
        if found is None:
            if len(self._shortened) > _CACHED:
                self._shortened.clear()
            metrics = QFontMetrics(font(Text.CELL_STRONG if is_strong else Text.CELL))
            found = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
            self._shortened[key] = found
        return found


_LEAST_WIDTH = 120


class LabelDelegate(QStyledItemDelegate):
    """Emits the written label as a signal; does not change the model."""

    written = Signal(int, int, str)  # row, column, text

    def __init__(self, labels_for: Callable[[int], Sequence[str]], parent: QWidget) -> None:
        super().__init__(parent)
        self._labels_for = labels_for
        self.field: QLineEdit | None = None  # last editor created

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        field = named(QLineEdit(parent), "labelField")
        field.setAccessibleName(self.tr("Label on level {column}").format(column=index.column() - 1))
        field.setProperty(FOCUS_RING_PROPERTY, "inside")
        labels = self._labels_for(index.column())
        if labels:
            completer = QCompleter(labels, field)
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

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QLineEdit):
            editor.setText(index.data(Qt.ItemDataRole.EditRole))
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QLineEdit):
            self.written.emit(index.row(), index.column(), editor.text())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        place, view = QRect(option.rect), editor.parentWidget()
        room = view.width() if view is not None else place.width()
        place.setWidth(min(max(place.width(), scaled(_LEAST_WIDTH)), room))
        place.moveRight(min(place.right(), room - 1))
        editor.setGeometry(place)


class ValueHeader(QHeaderView):
    """Header that can highlight a section as the target of a drop."""

    menu_requested = Signal(int, QPoint)  # section, position on the screen

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._target: int | None = None
        self.setSectionsClickable(True)

    def show_target(self, section: int | None) -> None:
        """Highlight the section of a drop target."""
        if section != self._target:
            self._target = section
            self.viewport().update()

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        if section != self._target:
            super().paintSection(painter, rect, section)
            return
        theme = current_theme()
        painter.save()
        painter.fillRect(rect, QColor(theme.accent_soft))
        painter.fillRect(QRect(rect.left(), rect.bottom() - 1, rect.width(), 2), QColor(theme.accent))
        room = rect.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        paint_text(painter, room, self.tr("New group"), Text.HEADER, "accent_text")
        painter.restore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        section = self.logicalIndexAt(event.pos())
        if section >= 0:
            self.menu_requested.emit(section, event.globalPos())
