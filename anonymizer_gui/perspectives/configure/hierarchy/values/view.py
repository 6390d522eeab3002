"""Table view of the values under mouse and keys: selecting, dragging, editing in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QApplication, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.drafts import NOTHING, Selection
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget, GroupDrag
from anonymizer_gui.perspectives.configure.hierarchy.values.model import ValueModel
from anonymizer_gui.perspectives.configure.hierarchy.values.painter import (
    BAR_GAP,
    CHEVRON,
    LONGEST_BAR,
    LabelDelegate,
    ValueHeader,
    ValuePainter,
)
from anonymizer_gui.perspectives.configure.hierarchy.values.rows import (
    RECORDS,
    VALUE,
    column_of,
    groups_between,
    groups_under,
    level_of,
    moved_by_writing,
    row_of_value,
    rows_of_group,
    target_at_group,
    target_at_value,
    toggled,
)
from anonymizer_gui.perspectives.configure.hierarchy.values.table import LabelView
from anonymizer_gui.tables.table_view import CELL_PADDING, NONE
from anonymizer_gui.theming import Text, font, scaled
from engine.hierarchies.outline import Outline
from engine.numbers import as_values
from engine.records import Column
from engine.words import _

_Key, _Modifier = Qt.Key, Qt.KeyboardModifier
_EDGE, _SCROLL_MS = 14, 60
_SHORTEST_BAR, _MEASURED_ROWS, _STRONG = 20, 60, Text.CELL_STRONG
_STEPS: dict[int, int] = {_Key.Key_Up: -1, _Key.Key_Down: 1, _Key.Key_PageUp: -1, _Key.Key_PageDown: 1}
_FAR: dict[int, int] = {_Key.Key_Home: -1, _Key.Key_End: 1}
_SIDES: dict[int, int] = {_Key.Key_Left: -1, _Key.Key_Right: 1}
_EDITS = (_Key.Key_Return, _Key.Key_Enter, _Key.Key_F2)


@dataclass
class _PressedButton:
    """Pressed mouse button: its start, and whether moving drags or selects."""

    at: QPoint
    row: int
    column: int
    drags: bool
    base: Selection  # selected groups besides the rows passed over
    reached: int


class ValueView(LabelView):
    """Shows the outline and selection it is given, and emits requests for changes."""

    least_widths = 80, 64

    selection_requested = Signal(object)  # Selection
    assign_requested = Signal(object, int, str)  # Selection of the level below, level, label of a group
    rename_requested = Signal(int, str, str)  # level, label, new label
    toggle_requested = Signal(int, str)  # level, label: close or open
    search_requested = Signal(str)  # typed text
    menu_requested = Signal(QPoint)  # position on the screen

    def __init__(self, model: ValueModel, drag: GroupDrag) -> None:
        title = _("Values and their groups on each level")
        super().__init__("hierarchyTable", title, model, chooses=NONE, has_menu=False)
        self._values, self._drag = model, drag
        self._press: _PressedButton | None = None
        self._anchor = 0
        self._is_asking = False
        self._renamed: tuple[int, str] | None = None
        self._written: tuple[int, int, str] | None = None
        self._target: DropTarget | None = None
        self._edge_timer = QTimer(self, interval=_SCROLL_MS)
        self._edge_timer.timeout.connect(self._on_edge)
        self._edge_step, self._pointer = 0, QPoint()
        self._header = ValueHeader(self)
        self.setHorizontalHeader(self._header)
        self._delegate = LabelDelegate(self._choices, self)
        self._delegate.written.connect(self._on_written)
        self.setItemDelegate(self._delegate)
        self._painter = ValuePainter(self, model)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAutoScroll(False)
        self._header.sectionPressed.connect(self._on_section_pressed)
        self._header.menu_requested.connect(self._on_header_menu_requested)

    @property
    def current_cell(self) -> tuple[int, int] | None:
        """Level and row of the current cell."""
        index = self.currentIndex()
        return (level_of(index.column()), index.row()) if index.isValid() else None

    # Display ------------------------------------------------------------------------------------

    def show_outline(self, column: Column | None, outline: Outline | None) -> None:
        """Show another outline; the current cell follows its value; only another order keeps widths."""
        self._stop_editing()
        model, current, before = self._values, self.currentIndex(), self._values.outline
        was_seen = current.isValid() and self.viewport().rect().intersects(self.visualRect(current))
        value = None
        if current.isValid() and before is not None:
            value = before.hierarchy.values[int(before.first_leaves[current.row()])]
        place = self.verticalScrollBar().value()
        n_rows = outline.n_places if outline is not None else 0
        if n_rows != model.rowCount():
            self.scrollToTop()  # resetting far down a long table is slow
        self._drag.cancel()
        self._press = None
        is_new = model.show_outline(column, outline)
        self._painter.forget()
        self.verticalScrollBar().setValue(place)
        row = row_of_value(outline, value) if outline is not None and value is not None else None
        if row is not None:
            self._anchor = row
            self._set_current(row, min(current.column(), model.columnCount() - 1))
            if was_seen:
                self._scroll_to(row)
        self._anchor = min(self._anchor, max(model.rowCount() - 1, 0))
        self.viewport().update()
        if is_new or before is None or outline is None or before.hierarchy is not outline.hierarchy:
            self.fit_columns()

    def show_selection(self, selection: Selection) -> None:
        """Show a selection; scroll to its first row if none is visible."""
        model = self._values
        model.show_selection(selection)
        rows = np.flatnonzero(model.is_covered)
        if not self._is_asking and len(rows):
            current, column = self.currentIndex(), column_of(selection.level)
            if not current.isValid() or not model.is_selected(current.row(), current.column()):
                self._anchor = int(rows[0])
                self._set_current(self._anchor, column)
            first, last = self._seen_rows()
            if not ((rows >= first) & (rows <= last)).any():
                self._reveal(int(rows[0]))
        self.viewport().update()

    def go_to(self, level: int, row: int) -> None:
        """Make a cell the current one, select its group and scroll to it."""
        self._anchor = row
        self._set_current(row, column_of(level))
        self._reveal(row)
        self._ask_for_rows(row, row, level)

    def select_level(self, level: int) -> None:
        """Select all values, or all groups of a level."""
        outline = self._values.outline
        if outline is not None:
            self._ask(groups_under(outline, np.arange(outline.n_places), level))

    def begin_rename(self, level: int, label: str) -> None:
        """Open the line edit over a group to rename it."""
        outline = self._values.outline
        if outline is None or level == 0 or self.state() == QAbstractItemView.State.EditingState:
            return
        rows, current = rows_of_group(outline, level, label).tolist(), self.currentIndex().row()
        if not rows:
            return
        row = current if current in rows else rows[0]
        self._set_current(row, column_of(level))
        self._reveal(row)
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._renamed = (level, label)
        self.edit(self.currentIndex())

    # Drops --------------------------------------------------------------------------------------

    def drop_target_at(self, position: QPoint, dragged: Selection) -> DropTarget | None:
        """Return the target of a drop at a position on the screen; None if it is not possible."""
        outline = self._values.outline
        if outline is None or not self.isVisible():
            return None
        self._edge_timer.stop()
        over_header = self._header.viewport().mapFromGlobal(position)
        if self._header.viewport().rect().contains(over_header):
            return self._new_group_at(self._header.logicalIndexAt(over_header), dragged)
        at = self.viewport().mapFromGlobal(position)
        if not self.viewport().rect().contains(at):
            return None
        self._near_edge(at)
        index = self.indexAt(at)
        if not index.isValid():
            return self._new_group_at(self.columnAt(at.x()), dragged)
        level, label = self._values.group_at(index.row(), index.column())
        if level == dragged.level == 0:
            return target_at_value(outline, label, dragged)
        return target_at_group(outline, level, label, dragged)

    def show_drop_target(self, target: DropTarget | None) -> None:
        """Highlight the target of a drop."""
        if self._drag.dragged is None:
            self._edge_timer.stop()
        if target != self._target:
            self._target = target
            is_new = target is not None and target.label is None and target.beside is None
            self._header.show_target(column_of(target.level) if target is not None and is_new else None)
            self.viewport().update()

    # Mouse --------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        at = event.position().toPoint()
        index = self.indexAt(at)
        outline = self._values.outline
        self._press = None
        if outline is None:
            return
        is_left = event.button() == Qt.MouseButton.LeftButton
        if not index.isValid():
            if is_left and event.modifiers() == _Modifier.NoModifier:
                self._ask(NOTHING)
            return
        row, column = index.row(), VALUE if index.column() == RECORDS else index.column()
        if is_left and self._is_on_chevron(at, row, column):
            self.toggle_requested.emit(*self._values.group_at(row, column))
            return
        was_selected = self._values.is_selected(row, column)
        self._set_current(row, column)
        if not is_left:
            if not was_selected:
                self._select_cell(row, column)
            return
        base, drags = NOTHING, False
        if event.modifiers() & _Modifier.ShiftModifier:
            if event.modifiers() & _Modifier.ControlModifier:
                base = self._values.selection
            self._ask_for_rows(self._anchor, row, level_of(column), base)
        elif event.modifiers() & _Modifier.ControlModifier:
            self._toggle_cell(row, column)
            self._anchor, base = row, self._values.selection
            if was_selected:
                return
        elif was_selected:
            drags = True
        else:
            self._select_cell(row, column)
            # Texts have no order, so that a range of rows is not what a drag means.
            drags = not self._values.has_order
        self._press = _PressedButton(at, row, column, drags, base, row)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        press, at = self._press, event.position().toPoint()
        if press is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        if not press.drags:
            self._near_edge(at)
            self._reach(at)
        elif (at - press.at).manhattanLength() >= QApplication.startDragDistance():
            selection, self._press = self._values.selection, None
            self._drag.begin(selection, selection.words, event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        press, self._press = self._press, None
        self._edge_timer.stop()
        if press is not None and press.drags and event.button() == Qt.MouseButton.LeftButton:
            self._select_cell(press.row, press.column)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.button() == Qt.MouseButton.LeftButton:
            self._press = None
            self._set_current(index.row(), VALUE if index.column() == RECORDS else index.column())
            self._edit_or_open()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard and self.currentIndex().isValid():
            place = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).bottomLeft())
        self.menu_requested.emit(place)

    # Keys ---------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = event.key(), event.modifiers()
        index = self.currentIndex()
        if self.state() == QAbstractItemView.State.EditingState:
            event.accept()  # keys unused by the line edit are not for the table
        elif self._values.outline is None:
            event.ignore()
        elif key in _STEPS or key in _FAR or key in _SIDES:
            self._walk(key, modifiers)
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.select_level(level_of(max(index.column(), 0)))
        elif key == _Key.Key_Escape and self._values.selection.labels:
            self._ask(NOTHING)
        elif key in _EDITS and index.isValid():
            self._edit_or_open()
        elif key == _Key.Key_Space and modifiers == _Modifier.NoModifier and index.isValid():
            self._anchor = index.row()
            self._toggle_cell(index.row(), index.column())
        elif (
            event.text().strip()
            and event.text().isprintable()
            and not modifiers & ~(_Modifier.ShiftModifier | _Modifier.KeypadModifier)
        ):
            self.search_requested.emit(event.text())
        else:
            event.ignore()

    def _walk(self, key: int, modifiers: Qt.KeyboardModifier) -> None:
        """Move the current cell and select its group, unless Ctrl or Alt is held down."""
        model, index = self._values, self.currentIndex()
        if not model.rowCount():
            return
        row, column = max(index.row(), 0), max(index.column(), 0)
        if index.isValid() or key in _FAR:
            first, last = self._seen_rows()
            page = max(last - first, 1) if key in (_Key.Key_PageUp, _Key.Key_PageDown) else 1
            row += _STEPS.get(key, 0) * page + _FAR.get(key, 0) * model.rowCount()
            row = min(max(row, 0), model.rowCount() - 1)
            level = level_of(column) + _SIDES.get(key, 0)
            column = column_of(min(max(level, 0), level_of(model.columnCount() - 1)))
        self._set_current(row, column)
        self._scroll_to(row)
        if modifiers & _Modifier.ShiftModifier:
            self._ask_for_rows(self._anchor, row, level_of(column))
            return
        self._anchor = row
        if not modifiers & (_Modifier.ControlModifier | _Modifier.AltModifier):
            self._select_cell(row, column)

    # Editing ------------------------------------------------------------------------------------

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        # The next cell depends on the table after the change.
        super().closeEditor(editor, QAbstractItemDelegate.EndEditHint.NoHint)
        written, self._written = self._written, None
        renamed, self._renamed = self._renamed, None
        outline = self._values.outline
        if written is None or outline is None or written[0] >= outline.n_places:
            return
        row, column, text = written
        level, label = self._values.group_at(row, column)
        text = text.strip()
        if renamed is not None and text and text != renamed[1]:
            self.rename_requested.emit(*renamed, text)
        elif renamed is None and text:
            moved = moved_by_writing(outline, self._values.selection, row, level)
            if text != label or len(moved.labels) > 1:
                self.assign_requested.emit(moved, level, text)

    def _stop_editing(self) -> None:
        """Close the line edit and discard its text: the row may change."""
        field = self._delegate.field
        if field is not None and self.state() == QAbstractItemView.State.EditingState:
            super().closeEditor(field, QAbstractItemDelegate.EndEditHint.NoHint)
            self._written = self._renamed = None

    def _edit_or_open(self) -> None:
        index = self.currentIndex()
        if index.flags() & Qt.ItemFlag.ItemIsEditable:
            self._renamed = None
            self._scroll_to(index.row())
            self.edit(index)
        elif closed := self._values.closed_level(index.row()):
            self.toggle_requested.emit(closed, self._values.group_at(index.row(), index.column())[1])

    def _choices(self, column: int) -> Sequence[str]:
        outline = self._values.outline
        if outline is None or self._renamed is not None:
            return ()
        return outline.hierarchy.levels[level_of(column)].labels

    def _on_written(self, row: int, column: int, text: str) -> None:
        self._written = (row, column, text)

    # Painting -----------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        self._painter.paint(painter, event.rect())
        if self._target is not None:
            self._painter.paint_target(painter, self._target, self.tr("New group"))
        elif self.currentIndex().isValid():
            place = self.visualRect(self.currentIndex())
            self._painter.paint_frame(painter, place, is_quiet=not self.hasFocus())

    # --------------------------------------------------------------------------------------------

    def focusInEvent(self, event: QEvent) -> None:
        super().focusInEvent(event)  # type: ignore[arg-type]  # it is one of focus
        if not self.currentIndex().isValid() and self._values.rowCount():
            self._set_current(0, VALUE)

    def _select_cell(self, row: int, column: int) -> None:
        self._anchor = row
        self._ask_for_rows(row, row, level_of(column))

    def _ask_for_rows(self, start: int, end: int, level: int, base: Selection = NOTHING) -> None:
        if (outline := self._values.outline) is not None:
            self._ask(groups_between(outline, start, end, level, base))

    def _toggle_cell(self, row: int, column: int) -> None:
        if (outline := self._values.outline) is not None:
            self._ask(toggled(outline, self._values.selection, row, level_of(column)))

    def _ask(self, selection: Selection) -> None:
        self._is_asking = True
        self.selection_requested.emit(selection)
        self._is_asking = False
        self.viewport().update()

    def _reach(self, at: QPoint) -> None:
        """Select all rows from the press to the pointer."""
        press = self._press
        if press is None:
            return
        row = self.rowAt(at.y())
        if row < 0:
            row = 0 if at.y() < 0 else self._values.rowCount() - 1
        if row != press.reached:
            press.reached = row
            self._set_current(row, press.column)
            self._ask_for_rows(self._anchor, row, level_of(press.column), press.base)

    def _near_edge(self, at: QPoint) -> None:
        """Scroll while the pointer stays at the upper or lower edge."""
        self._pointer = at
        edge, height = scaled(_EDGE), self.viewport().height()
        self._edge_step = -1 if at.y() < edge else 1 if at.y() > height - edge else 0
        if not self._edge_step:
            self._edge_timer.stop()
        elif not self._edge_timer.isActive():
            self._edge_timer.start()

    def _on_edge(self) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self._edge_step)
        if self._drag.dragged is not None:
            self._drag.move(self.viewport().mapToGlobal(self._pointer))
        elif self._press is not None:
            self._reach(self._pointer)
        else:
            self._edge_timer.stop()

    def _new_group_at(self, section: int, dragged: Selection) -> DropTarget | None:
        level = level_of(section)
        return DropTarget(level) if section >= 0 and level > dragged.level else None

    def _is_on_chevron(self, at: QPoint, row: int, column: int) -> bool:
        if column != VALUE or not self._values.closed_level(row):
            return False
        return at.x() - self.columnViewportPosition(VALUE) < scaled(CHEVRON) + CELL_PADDING

    def _set_current(self, row: int, column: int) -> None:
        flags = self.selectionModel().SelectionFlag.NoUpdate
        self.selectionModel().setCurrentIndex(self._values.index(row, column), flags)
        self.viewport().update()

    def _scroll_to(self, row: int) -> None:
        self.scrollTo(self._values.index(row, max(self.currentIndex().column(), 0)))

    def _reveal(self, row: int) -> None:
        """Scroll to a row, centred if it was outside."""
        first, last = self._seen_rows()
        if not first <= row <= last:
            self.verticalScrollBar().setValue(row - (last - first) // 2)
        self._scroll_to(row)

    def _seen_rows(self) -> tuple[int, int]:
        """Return the first and the last completely visible row."""
        first = max(self.rowAt(0), 0)
        height = max(self.rowHeight(first), 1)
        return first, min(first + self.viewport().height() // height, self._values.rowCount()) - 1

    def _on_section_pressed(self, section: int) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._set_current(max(self.rowAt(0), 0), column_of(level_of(section)))
        self.select_level(level_of(section))

    def _on_header_menu_requested(self, section: int, place: QPoint) -> None:
        if level_of(section) != self._values.selection.level or not self._values.selection.labels:
            self._on_section_pressed(section)
        self.menu_requested.emit(place)

    def _fit_columns(self) -> None:
        self._painter.forget()
        self.viewport().update()

    def records_width(self, free: int) -> int:
        fixed = 2 * CELL_PADDING + self._painter.number_width + BAR_GAP
        least = max(fixed + scaled(_SHORTEST_BAR), self._title_width(RECORDS) + 2 * CELL_PADDING + 2)
        return max(min(fixed + scaled(LONGEST_BAR), free), least)

    def wanted_width(self, column: int) -> int:
        """Return the width of the longest label among the first rows, or the first groups of a level."""
        outline, rows = self._values.outline, range(self._values.rowCount())
        if column != VALUE and outline is not None:
            width = self.width_of(column, outline.levels[level_of(column)].starts[:-1].tolist(), _STRONG)
        else:
            width = max(self.width_of(column, rows, _STRONG), self._width_of_closed(rows))
        title = self._title_width(column) + 2 * CELL_PADDING + 3
        return max(width, title, self._header.minimumSectionSize())

    def _width_of_closed(self, rows: range) -> int:
        """Return the width of closed groups: chevron, label, number of values."""
        metrics, model = QFontMetrics(font(_STRONG)), self._values
        closed = [row for row in rows[:_MEASURED_ROWS] if model.closed_level(row)]
        lines = {f"{model.text(row, VALUE)} {as_values(model.n_values(row))}" for row in closed}
        beside = scaled(CHEVRON) + 3 * CELL_PADDING + 2
        return max((metrics.horizontalAdvance(line) + beside for line in lines), default=0)

    def _title_width(self, column: int) -> int:
        title = str(self._values.headerData(column, Qt.Orientation.Horizontal))
        return QFontMetrics(font(Text.HEADER)).horizontalAdvance(title)
