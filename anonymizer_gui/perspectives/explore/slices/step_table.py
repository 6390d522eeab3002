"""Table of the neighbours of a node: changed attribute, and effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QBrush, QHelpEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from anonymizer_gui.perspectives.explore.hover_card import show_hover_card
from anonymizer_gui.perspectives.explore.slices.values import StepRow, Steps
from anonymizer_gui.theming import Text, current_theme, font, scaled, theme_manager
from anonymizer_gui.widgets.marks import Mark, mark_pixmap
from anonymizer_gui.widgets.tables import CELL_PADDING, LEFT, NOWHERE, RIGHT, Index, prepare_table

_STEP, _STATUS = 0, 1
_N_FIXED = 2  # columns before the measures
_STEP_WIDTH, _STATUS_WIDTH, _LEAST_WIDTH = 200, 84, 76
_Role = Qt.ItemDataRole


class StepModel(QAbstractTableModel):
    """Sorts by any column; unknown values come last."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._steps = Steps()
        self._rows: list[StepRow] = []
        self._sorted_by: tuple[int, bool] | None = None
        self.describe: Callable[[tuple[int, ...]], str] = lambda _node: ""

    def show(self, steps: Steps) -> None:
        """Show other neighbours in the chosen order."""
        self.beginResetModel()
        self._steps = steps
        self._order()
        self.endResetModel()

    def row(self, number: int) -> StepRow:
        return self._rows[number]

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else _N_FIXED + len(self._steps.titles)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorted_by = None if column < 0 else (column, order == Qt.SortOrder.DescendingOrder)
        self.beginResetModel()
        self._order()
        self.endResetModel()

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        if role == _Role.TextAlignmentRole:
            return RIGHT if column >= _N_FIXED else LEFT
        if role == _Role.FontRole:
            return font(Text.CELL_STRONG if column == _STEP else Text.CELL)
        if role == _Role.ForegroundRole:
            is_quiet = column == _STATUS and row.status is not Mark.SATISFIES
            return QBrush(current_theme().color("text_3" if is_quiet else "text"))
        if column == _STATUS and role == _Role.DecorationRole:
            return mark_pixmap(row.status)
        if role == _Role.AccessibleTextRole and column == _STEP:
            return self.describe(row.node)
        if role in (_Role.DisplayRole, _Role.AccessibleTextRole):
            return self._text(row, column)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical or section >= self.columnCount():
            return None
        if role == _Role.TextAlignmentRole:
            return RIGHT if section >= _N_FIXED else LEFT
        if role == _Role.DisplayRole:
            fixed = {_STEP: self.tr("Step"), _STATUS: self.tr("Status")}
            return fixed.get(section) or self._steps.titles[section - _N_FIXED]
        if role == _Role.ToolTipRole and section >= _N_FIXED:
            return self._steps.explained[section - _N_FIXED]
        return None

    def _text(self, row: StepRow, column: int) -> str:
        if column == _STEP:
            return f"{'↑' if row.is_up else '↓'} {row.attribute}: {row.after}"
        if column == _STATUS:
            words = {Mark.SATISFIES: self.tr("Satisfies"), Mark.FAILS: self.tr("Fails")}
            return words.get(row.status, self.tr("Not scored"))
        return row.measures[column - _N_FIXED].text

    def _order(self) -> None:
        self._rows = list(self._steps.rows)
        if self._sorted_by is None or self._sorted_by[0] >= self.columnCount():
            return
        column, falls = self._sorted_by
        if column < _N_FIXED:
            self._rows.sort(key=lambda row: self._text(row, column), reverse=falls)
            return
        sign = -1 if falls else 1

        def key(row: StepRow) -> tuple[bool, float]:
            value = row.measures[column - _N_FIXED].value
            return (value != value, sign * value if value == value else 0.0)

        self._rows.sort(key=key)


class StepTable(QTableView):
    """A click or Enter selects the neighbour."""

    node_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.steps = StepModel(self)
        self.setObjectName("stepTable")
        self.setAccessibleName(self.tr("Nodes one step away"))
        self.setModel(self.steps)
        prepare_table(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)
        self.clicked.connect(self._take)
        self.steps.modelReset.connect(self._set_widths)
        theme_manager().theme_changed.connect(self._set_widths)

    def show_steps(self, steps: Steps) -> None:
        """Show the neighbours of another node."""
        self.steps.show(steps)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._take(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self.indexAt(event.pos())
            words = self.steps.describe(self.steps.row(index.row()).node) if index.isValid() else ""
            show_hover_card(self.viewport(), event.globalPos(), words)
            return True
        return super().viewportEvent(event)

    def _take(self, index: QModelIndex) -> None:
        self.node_requested.emit(self.steps.row(index.row()).node)

    def _set_widths(self) -> None:
        metrics = self.fontMetrics()
        header = self.horizontalHeader()
        for column in range(self.steps.columnCount()):
            if column < _N_FIXED:
                self.setColumnWidth(column, scaled(_STEP_WIDTH if column == _STEP else _STATUS_WIDTH))
                continue
            texts = [self.steps.row(r).measures[column - _N_FIXED].text for r in range(self.steps.rowCount())]
            title = str(self.steps.headerData(column, Qt.Orientation.Horizontal))
            widest = max(map(metrics.horizontalAdvance, [title + " ↑↑", *texts]), default=0)
            self.setColumnWidth(column, max(widest + 2 * CELL_PADDING + 4, scaled(_LEAST_WIDTH)))
        header.setMinimumSectionSize(scaled(32))
