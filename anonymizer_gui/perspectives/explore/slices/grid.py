"""Grid of a slice: a table whose cells are nodes in the colours of the lattice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from anonymizer_gui.perspectives.explore.hover_card import show_hover_card
from anonymizer_gui.perspectives.explore.slices.values import Slice, SliceCell
from anonymizer_gui.theming import Text, current_theme, follow_theme, font, ramp_colors, scaled
from anonymizer_gui.widgets.marks import MARK_SIZE, Mark, draw_mark
from anonymizer_gui.widgets.table_copying import make_copyable
from anonymizer_gui.widgets.tables import NOWHERE, Index
from engine.words import _

Node = tuple[int, ...]
CELL_ROLE = Qt.ItemDataRole.UserRole
MARK_ROLE = Qt.ItemDataRole.UserRole + 1
_WIDTH, _HEIGHT, _HEADER = 84, 36, 22
_BAND = 5
_SIDE_WIDTH = 116  # px, of the descriptions at the left
_Align = Qt.AlignmentFlag


class SliceModel(QAbstractTableModel):
    """Cells of a slice, with marks on their nodes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.slice: Slice | None = None  # slice shown
        self._marks: Mapping[Node, Mark] = {}
        self.describe: Callable[[Node], str] = lambda _node: ""

    def show(self, shown: Slice | None) -> None:
        """Show another slice; if only values differ, the scroll position is unchanged."""
        before, self.slice = self.slice, shown
        if before is None or shown is None or (before.columns, before.rows) != (shown.columns, shown.rows):
            self.beginResetModel()
            self.endResetModel()
        else:
            self._emit_changed()

    def show_marks(self, marks: Mapping[Node, Mark]) -> None:
        """Mark the optimum and the applied node."""
        self._marks = dict(marks)
        self._emit_changed()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() or self.slice is None else len(self.slice.rows)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() or self.slice is None else len(self.slice.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self.slice is None or not index.isValid():
            return None
        cell = self.slice.cells[index.row()][index.column()]
        if role == CELL_ROLE:
            return cell
        if role == MARK_ROLE:
            return self._marks.get(cell.node)
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{cell.value} {cell.suppressed}".strip()
        if role == Qt.ItemDataRole.AccessibleTextRole:
            mark = self._marks.get(cell.node)
            return self.describe(cell.node) + (f"\n{_(mark.value)}" if mark is not None else "")
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if self.slice is None:
            return None
        across = orientation == Qt.Orientation.Horizontal
        words = self.slice.columns if across else self.slice.rows
        if not 0 <= section < len(words):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return words[section]
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{self.slice.across if across else self.slice.down}: {words[section]}"
        return None

    def _emit_changed(self) -> None:
        if self.rowCount():
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)


class _CellDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(scaled(_WIDTH), scaled(_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        cell = index.data(CELL_ROLE)
        if not isinstance(cell, SliceCell):
            return
        theme = current_theme()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect).adjusted(2.5, 2.5, -2.5, -2.5)
        is_met = cell.status is Mark.SATISFIES
        pen = QPen(QColor(theme.border_strong if is_met else theme.fail_line), 1)
        if not is_met:
            pen.setDashPattern([3, 2] if cell.status is Mark.FAILS else [1, 2])
        painter.setPen(pen)
        painter.setBrush(theme.color("surface"))
        painter.drawRoundedRect(rect, 4, 4)
        ramp = theme.color("fail") if cell.colour is None else ramp_colors(theme)[cell.colour]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ramp)
        painter.drawRoundedRect(QRectF(rect.left(), rect.top(), _BAND, rect.height()), 2, 2)
        self._draw_words(painter, rect.adjusted(_BAND + 5, 1, -4, -1), cell, ramp)
        mark = index.data(MARK_ROLE)
        if isinstance(mark, Mark):
            side = scaled(MARK_SIZE) + 2
            draw_mark(painter, QRectF(rect.right() - side - 2, rect.top() + 2, side, side), theme, mark)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("ink"), 2.5))
            painter.drawRoundedRect(rect, 4, 4)
        painter.restore()

    def _draw_words(self, painter: QPainter, words: QRectF, cell: SliceCell, ramp: QColor) -> None:
        theme = current_theme()
        side = scaled(MARK_SIZE)
        upper = QRectF(words.left(), words.top(), words.width(), words.height() / 2)
        draw_mark(
            painter,
            QRectF(upper.left(), upper.center().y() - side / 2, side, side),
            theme,
            cell.status,
            ramp,
        )
        middle = int(_Align.AlignLeft | _Align.AlignVCenter)
        beside = upper.adjusted(side + 4, 0, 0, 0)
        painter.setFont(font(Text.CELL_STRONG if cell.status is Mark.SATISFIES else Text.CELL))
        painter.setPen(theme.color("text_3" if cell.is_dimmed else "text"))
        painter.drawText(beside, middle, _fitted(painter, cell.value, beside))
        lower = QRectF(words.left(), upper.bottom(), words.width(), words.height() / 2)
        text = cell.suppressed if cell.value else self.tr("not scored yet")
        painter.setFont(font(Text.TICK))
        painter.setPen(theme.color("text_3" if cell.is_dimmed else "text_2"))
        painter.drawText(lower, middle, _fitted(painter, text, lower))


class SliceGrid(QTableView):
    """Clicks and arrows select, Enter applies; level descriptions are on both sides."""

    node_requested = Signal(object)
    apply_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cells = SliceModel(self)
        self._is_following = False
        self.setObjectName("sliceGrid")
        self.setAccessibleName(self.tr("Levels of two columns"))
        self.setModel(self.cells)
        self.setItemDelegate(_CellDelegate(self))
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        make_copyable(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setCornerButtonEnabled(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setHighlightSections(False)
            header.setTextElideMode(Qt.TextElideMode.ElideRight)
            header.setSectionsClickable(False)
            header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            header.setDefaultAlignment(_Align.AlignLeft | _Align.AlignVCenter)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.doubleClicked.connect(lambda index: self.apply_requested.emit(index.data(CELL_ROLE).node))
        follow_theme(self._follow_scale)

    def show_slice(self, shown: Slice | None, selected: Node | None) -> None:
        """Show a slice with its selected node."""
        self._is_following = True
        self.cells.show(shown)
        self._is_following = False
        self.show_selected(selected)

    def show_selected(self, selected: Node | None) -> None:
        """Frame the selected node, if the slice contains it."""
        shown = self.cells.slice
        place = None if shown is None else shown.place(selected)
        self._is_following = True
        if place is None:
            self.selectionModel().clear()
        else:
            index = self.cells.index(*place)
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.scrollTo(index)
        self._is_following = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        current = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current.isValid():
            self.apply_requested.emit(current.data(CELL_ROLE).node)
        else:
            super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cell = self.indexAt(event.pos()).data(CELL_ROLE)
            words = self.cells.describe(cell.node) if isinstance(cell, SliceCell) else ""
            show_hover_card(self.viewport(), event.globalPos(), words)
            return True
        return super().viewportEvent(event)

    def _on_current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid() and not self._is_following:
            self.node_requested.emit(current.data(CELL_ROLE).node)

    def _follow_scale(self) -> None:
        self.horizontalHeader().setMinimumSectionSize(scaled(_WIDTH))
        self.horizontalHeader().setFixedHeight(scaled(_HEADER))
        self.verticalHeader().setMinimumSectionSize(scaled(_HEIGHT))
        self.verticalHeader().setFixedWidth(scaled(_SIDE_WIDTH))


def _fitted(painter: QPainter, text: str, place: QRectF) -> str:
    room = int(place.width())
    return QFontMetrics(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, room)
