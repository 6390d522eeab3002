"""List of values without a group, to select, search by typing, drag and cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QItemSelectionModel,
    QObject,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QTableView, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import GroupDrag
from anonymizer_gui.theming import Text, current_theme, follow_theme, font, scaled
from anonymizer_gui.widgets.tables import LEFT, NOWHERE, RIGHT, Index, prepare_table
from engine.numbers import as_exact_count

_Role = Qt.ItemDataRole
_VALUE, _RECORDS = 0, 1
_RECORDS_WIDTH = 76


class GapsModel(QAbstractTableModel):
    """One row per value, with its number of records."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.values: tuple[str, ...] = ()
        self._records: tuple[int, ...] = ()

    def show_gaps(self, values: Sequence[str], records: Sequence[int]) -> None:
        """Replace the values shown."""
        self.beginResetModel()
        self.values, self._records = tuple(values), tuple(records)
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.values)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else 2

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, is_value = index.row(), index.column() == _VALUE
        if role == _Role.DisplayRole:
            return self.values[row] if is_value else as_exact_count(self._records[row])
        if role == _Role.ToolTipRole and is_value:
            return self.values[row]
        if role == _Role.TextAlignmentRole:
            return LEFT if is_value else RIGHT
        if role == _Role.ForegroundRole:
            return current_theme().color("text" if is_value else "text_2")
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == _Role.DisplayRole:
            return self.tr("Value") if section == _VALUE else self.tr("Records")
        if role == _Role.TextAlignmentRole:
            return LEFT if section == _VALUE else RIGHT
        if role == _Role.FontRole:
            return font(Text.HEADER)
        return None


class GapsView(QTableView):
    """Dragging from a row moves the selected values to another view; Ctrl+X cuts them."""

    pick_up_requested = Signal()
    selection_changed = Signal()

    def __init__(self, drag: GroupDrag, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drag = drag
        self._pressed: QPoint | None = None  # start of a possible drag
        self._keeps_selection = False  # the press was on one of several selected rows
        self.gaps = GapsModel(self)
        self.setObjectName("gapsTable")
        self.setAccessibleName(self.tr("Values not in the hierarchy"))
        self.setModel(self.gaps)
        prepare_table(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.horizontalHeader()
        header.setSectionResizeMode(_VALUE, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(_RECORDS, QHeaderView.ResizeMode.Fixed)
        self.selectionModel().selectionChanged.connect(self.selection_changed)
        self.gaps.modelReset.connect(self.selection_changed)
        follow_theme(self._on_theme_changed)

    def selected_values(self) -> tuple[str, ...]:
        """Return the values of the selected rows, from the top."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return tuple(self.gaps.values[row] for row in rows)

    def height_of(self, n_rows: int) -> int:
        """Return the height in px of the header and that many rows."""
        return self.horizontalHeader().height() + n_rows * self.verticalHeader().defaultSectionSize()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        index = self.indexAt(place)
        is_left = event.button() == Qt.MouseButton.LeftButton
        self._pressed = place if is_left and index.isValid() else None
        is_plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        self._keeps_selection = (
            self._pressed is not None and is_plain and self.selectionModel().isSelected(index)
        )
        if not self._keeps_selection:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag.dragged is not None:
            self._drag.move(event.globalPosition().toPoint())
            return
        if self._pressed is None:
            super().mouseMoveEvent(event)
        elif (
            event.position().toPoint() - self._pressed
        ).manhattanLength() >= QApplication.startDragDistance():
            self._begin_drag(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        keeps_selection, self._keeps_selection = self._keeps_selection, False
        if self._drag.dragged is not None:
            self._drag.drop(event.globalPosition().toPoint())
        elif keeps_selection and pressed is not None:  # a click on one of several rows selects it alone
            chosen = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(self.indexAt(pressed), chosen)
        else:
            super().mouseReleaseEvent(event)

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Cut)
        ):
            event.accept()  # shortcut applies to the selection here, not to that of other views
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Cut):
            self.pick_up_requested.emit()
        else:
            super().keyPressEvent(event)

    def _begin_drag(self, event: QMouseEvent) -> None:
        values = self.selected_values()
        if not values:
            return
        n = len(values)
        words = values[0] if n == 1 else self.tr("{n} values").format(n=as_exact_count(n))
        self._drag.begin(Selection(0, values), words, event.globalPosition().toPoint())

    def _on_theme_changed(self) -> None:
        self.setColumnWidth(_RECORDS, scaled(_RECORDS_WIDTH))
