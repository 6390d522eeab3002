"""Table view of the values: its cells select groups, which are dragged, and edited in place."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRect,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QCursor,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QHeaderView, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.drafts import NOTHING, Selection
from anonymizer_gui.perspectives.configure.hierarchy.values.delegate import (
    BAR_GAP,
    CHEVRON,
    LONGEST_BAR,
    ValueDelegate,
    draw_frame,
    number_width,
)
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget, GroupDrag
from anonymizer_gui.perspectives.configure.hierarchy.values.model import ValueModel
from anonymizer_gui.perspectives.configure.hierarchy.values.rows import (
    FIRST_LEVEL,
    RECORDS,
    VALUE,
    column_of,
    groups_in_cells,
    level_of,
    moved_by_writing,
    row_of_value,
    rows_of_group,
    target_at_group,
    target_at_value,
)
from anonymizer_gui.perspectives.configure.hierarchy.values.table import LabelView
from anonymizer_gui.tables.rows_model import Index
from anonymizer_gui.tables.table_view import CELL_PADDING, ROW_HEIGHT, SEVERAL, selected_text
from anonymizer_gui.theming import Text, current_theme, font, paint_text, scaled
from engine.hierarchies.outline import Outline
from engine.numbers import as_values
from engine.records import Column
from engine.words import _

_Flag = QItemSelectionModel.SelectionFlag
_EDGE, _SCROLL_MS = 14, 60
_SHORTEST_BAR, _MEASURED_ROWS, _STRONG = 20, 60, Text.CELL_STRONG


class GroupSelection(QItemSelectionModel):
    """Selection by cells, which is requested as groups of one level instead of being made."""

    requested = Signal(object)  # Selection

    def __init__(self, model: ValueModel, view: ValueView) -> None:
        super().__init__(model, view)
        self._values, self._view = model, view
        self._base = NOTHING  # selected besides the cells that the mouse or Shift pass over
        self.is_asking = self._is_quiet = False

    def press(self, index: Index) -> bool:
        """Let Qt know whether a pressed cell is selected, and return it; it needs to know no other."""
        is_selected = index.isValid() and self._values.is_selected(index.row(), index.column())
        cell = QItemSelection(index, index) if is_selected else QItemSelection()
        super().select(cell, _Flag.ClearAndSelect)
        return is_selected

    def move_to(self, row: int, column: int) -> None:
        """Make a cell the current one without selecting anything."""
        self._is_quiet = True
        self._view.setCurrentIndex(self._values.index(row, column))
        self._is_quiet = False

    def ask(self, selection: Selection) -> None:
        """Request a selection."""
        self.is_asking = True
        self.requested.emit(selection)
        self.is_asking = False

    def setCurrentIndex(self, index: Index, command: QItemSelectionModel.SelectionFlag) -> None:
        is_passing = self._view.state() == QAbstractItemView.State.DragSelectingState  # the level stays
        column = self.currentIndex().column() if is_passing else index.column()
        place = self._values.index(index.row(), VALUE if column == RECORDS else column)
        super().setCurrentIndex(place, command)

    def select(self, cells: QItemSelection | Index, command: QItemSelectionModel.SelectionFlag) -> None:
        if not isinstance(cells, QItemSelection):
            super().select(cells, command)  # as a selection of one cell
            return
        model, outline = self._values, self._values.outline
        if outline is None or self._is_quiet or self.signalsBlocked() or command == _Flag.NoUpdate:
            return
        before = self._base if command & _Flag.Current else model.selection
        after = before = NOTHING if command & _Flag.Clear else before
        if not cells.isEmpty():
            rows = np.arange(outline.n_places)
            if not command & _Flag.Columns:
                rows = rows[cells.at(0).top() : cells.at(0).bottom() + 1]
            found = groups_in_cells(outline, rows, level_of(self.currentIndex().column()), before)
            if command & _Flag.Deselect:
                after = before.removed(found)
            else:
                after = before.toggled(found) if command & _Flag.Toggle else before.added(found)
        self._base = before if command & _Flag.Current else after
        if after != model.selection or not after.labels:
            self.ask(after)


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
        super().__init__("hierarchyTable", title, model, chooses=SEVERAL, has_menu=False)
        self._values, self._drag = model, drag
        self._target: DropTarget | None = None
        self._header = ValueHeader(Qt.Orientation.Horizontal, self)
        self._header.setSectionsClickable(True)
        self.setHorizontalHeader(self._header)
        self._selection = GroupSelection(model, self)
        self.setSelectionModel(self._selection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self._delegate = ValueDelegate(model, self)
        self.setItemDelegate(self._delegate)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._selection.requested.connect(self.selection_requested)
        self._delegate.toggle_requested.connect(self.toggle_requested)
        model.label_written.connect(self._on_written)
        self.doubleClicked.connect(self._edit_or_open)
        self._edge_timer = QTimer(self, interval=_SCROLL_MS)  # Qt scrolls only for drags of its own
        self._edge_timer.timeout.connect(self._scroll_at_edge)
        self._edge_step = 0
        self._header.sectionPressed.connect(lambda: self.setFocus(Qt.FocusReason.MouseFocusReason))
        self._header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._header.customContextMenuRequested.connect(self._on_header_menu_requested)

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
        at = current.row(), current.column()
        value = None
        if current.isValid() and before is not None:
            value = before.hierarchy.values[int(before.first_leaves[current.row()])]
        place = self.verticalScrollBar().value()
        n_rows = outline.n_places if outline is not None else 0
        if n_rows != model.rowCount():
            self.scrollToTop()  # resetting far down a long table is slow
        self._drag.cancel()
        is_new = model.show_outline(column, outline)
        self.verticalScrollBar().setValue(place)
        row = row_of_value(outline, value) if outline is not None and value is not None else None
        if row is not None:
            self.setAutoScroll(was_seen)
            self._selection.move_to(row, min(at[1], model.columnCount() - 1))
            self.setAutoScroll(True)
        self.viewport().update()
        if is_new or before is None or outline is None or before.hierarchy is not outline.hierarchy:
            self.fit_columns()

    def show_selection(self, selection: Selection) -> None:
        """Show a selection; scroll to its first row if none is visible."""
        self._values.show_selection(selection)
        rows = np.flatnonzero(self._values.is_covered)
        if not self._selection.is_asking and len(rows):
            top, bottom = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
            seen = rows[(rows >= top) & (rows <= (bottom if bottom >= 0 else self._values.rowCount()))]
            current = self.currentIndex()
            if not len(seen):
                self._reveal(int(rows[0]))
            if not current.isValid() or not self._values.is_selected(current.row(), current.column()):
                self._selection.move_to(int((seen if len(seen) else rows)[0]), column_of(selection.level))
        self.viewport().update()

    def go_to(self, level: int, row: int) -> None:
        """Make a cell the current one, select its group and scroll to it."""
        self._reveal(row)
        self.setCurrentIndex(self._values.index(row, column_of(level)))

    def begin_rename(self, level: int, label: str) -> None:
        """Open the line edit over a group to rename it."""
        outline = self._values.outline
        if outline is None or level == 0 or self.state() == QAbstractItemView.State.EditingState:
            return
        rows, current = rows_of_group(outline, level, label).tolist(), self.currentIndex().row()
        if not rows:
            return
        row = current if current in rows else rows[0]
        self._reveal(row)
        self._selection.move_to(row, column_of(level))
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._delegate.renamed = (level, label)
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
        self._edge_step = (at.y() > self.viewport().height() - scaled(_EDGE)) - (at.y() < scaled(_EDGE))
        self._edge_timer.start()
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
            self._target, self._delegate.shows_current = target, target is None
            is_new = target is not None and target.label is None and target.beside is None
            self._header.show_target(column_of(target.level) if target is not None and is_new else None)
            self.viewport().update()

    def _scroll_at_edge(self) -> None:
        self.verticalScrollBar().setValue(self.verticalScrollBar().value() + self._edge_step)
        self._drag.move(QCursor.pos())

    def _new_group_at(self, section: int, dragged: Selection) -> DropTarget | None:
        level = level_of(section)
        return DropTarget(level) if section >= 0 and level > dragged.level else None

    # Mouse and keys -----------------------------------------------------------------------------

    def selectionCommand(
        self, index: Index, event: QEvent | None = None
    ) -> QItemSelectionModel.SelectionFlag:
        flags = super().selectionCommand(index, event)
        if isinstance(event, QKeyEvent) and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            return _Flag.NoUpdate  # as with Ctrl, which with the same keys changes levels
        is_added = QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier
        return flags if is_added or not flags & _Flag.Current else flags | _Flag.Clear

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # Texts have no order, so that a range of rows is not what a drag means.
        index = self.indexAt(event.position().toPoint())
        self.setDragEnabled(self._selection.press(index) or not self._values.has_order)
        super().mousePressEvent(event)
        self._selection.press(index)

    def startDrag(self, supported: Qt.DropAction) -> None:
        if (dragged := self._values.selection).labels:
            self._drag.begin(dragged, dragged.words, QCursor.pos())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard and self.currentIndex().isValid():
            place = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).bottomLeft())
        self.menu_requested.emit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() == QAbstractItemView.State.EditingState:
            event.accept()  # keys unused by the line edit are not for the table
            return
        match event.key():
            case Qt.Key.Key_Escape if self._values.selection.labels:
                self._selection.ask(NOTHING)
            case Qt.Key.Key_Space if event.modifiers() == Qt.KeyboardModifier.NoModifier:
                self._selection.select(self.currentIndex(), _Flag.Toggle)
            case Qt.Key.Key_F2 | Qt.Key.Key_Return | Qt.Key.Key_Enter if self.currentIndex().isValid():
                self._edit_or_open(self.currentIndex())
            case Qt.Key.Key_Escape | Qt.Key.Key_Backspace | Qt.Key.Key_Delete:
                event.ignore()
            case _:
                super().keyPressEvent(event)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        index, found = self.currentIndex(), super().moveCursor(action, modifiers)
        match action:
            case QAbstractItemView.CursorAction.MoveHome:
                return self._values.index(0, max(index.column(), 0))
            case QAbstractItemView.CursorAction.MoveEnd:
                return self._values.index(self._values.rowCount() - 1, max(index.column(), 0))
        is_right = found.column() == RECORDS and index.column() == VALUE
        return found.siblingAtColumn(FIRST_LEVEL) if is_right else found

    def keyboardSearch(self, search: str) -> None:
        if search.strip():
            self.search_requested.emit(search)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(selected_text(self, is_whole=True))

    # Editing ------------------------------------------------------------------------------------

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        # The next cell depends on the table after the change.
        super().closeEditor(editor, QAbstractItemDelegate.EndEditHint.NoHint)
        self._delegate.renamed = None

    def _stop_editing(self) -> None:
        """Close the line edit and discard its text: the row may change."""
        field = self._delegate.field
        if field is not None and self.state() == QAbstractItemView.State.EditingState:
            self.closeEditor(field, QAbstractItemDelegate.EndEditHint.NoHint)

    def _on_written(self, row: int, column: int, text: str) -> None:
        renamed, outline, text = self._delegate.renamed, self._values.outline, text.strip()
        if outline is None or not text:
            return
        if renamed is not None:
            if text != renamed[1]:
                self.rename_requested.emit(*renamed, text)
            return
        level, label = self._values.group_at(row, column)
        moved = moved_by_writing(outline, self._values.selection, row, level)
        if text != label or len(moved.labels) > 1:
            self.assign_requested.emit(moved, level, text)

    def _edit_or_open(self, index: QModelIndex) -> None:
        if index.flags() & Qt.ItemFlag.ItemIsEditable:
            self._delegate.renamed = None
            self.edit(index)
        elif closed := self._values.closed_level(index.row()):
            self.toggle_requested.emit(closed, self._values.group_at(index.row(), index.column())[1])

    # Painting -----------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._target is not None:
            self._paint_target(QPainter(self.viewport()), self._target)

    def _paint_target(self, painter: QPainter, target: DropTarget) -> None:
        """Frame the cells of the target group or value, or the room below the rows for a new group."""
        model, outline, column = self._values, self._values.outline, column_of(target.level)
        if outline is None:
            return
        if target.beside is not None:
            row = row_of_value(outline, target.beside)
            draw_frame(painter, self.visualRect(model.index(row or 0, VALUE)))
        elif target.label is not None:
            rows = rows_of_group(outline, target.level, target.label)
            for run in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1) if len(rows) else ():
                first, last = (self.visualRect(model.index(int(row), column)) for row in (run[0], run[-1]))
                if first.united(last).intersects(self.viewport().rect()):
                    draw_frame(painter, first.united(last))
        else:
            below = self.visualRect(model.index(model.rowCount() - 1, column))
            room = QRect(below.left(), below.bottom() + 1, below.width(), self.viewport().height())
            room.setBottom(self.viewport().height() - 1)
            if room.height() > below.height() // 2:
                painter.fillRect(room, QColor(current_theme().accent_soft))
                draw_frame(painter, room)
                line = room.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
                line.setHeight(min(room.height(), scaled(ROW_HEIGHT)))
                paint_text(painter, line, self.tr("New group"), Text.CELL, "accent_text")

    # --------------------------------------------------------------------------------------------

    def _reveal(self, row: int) -> None:
        """Scroll to a row, centred if it was outside."""
        index = self._values.index(row, max(self.currentIndex().column(), 0))
        if not self.viewport().rect().contains(self.visualRect(index)):
            self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def _on_header_menu_requested(self, place: QPoint) -> None:
        section, selection = self._header.logicalIndexAt(place), self._values.selection
        if section < 0:
            return
        if level_of(section) != selection.level or not selection.labels:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self.selectColumn(section)
        self.menu_requested.emit(self._header.viewport().mapToGlobal(place))

    def records_width(self, free: int) -> int:
        fixed = 2 * CELL_PADDING + number_width(self._values) + BAR_GAP
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


class ValueHeader(QHeaderView):
    """Header that can highlight a section as the target of a drop."""

    _target: int | None = None

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
