"""Frozen first columns of the data table."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView

from anonymizer_gui.perspectives.configure.table.column_header import ColumnHeader
from anonymizer_gui.widgets.labels import make_line

_LEAST_BESIDE = 120  # px reserved for the other columns


class FrozenColumns(QTableView):
    """Second view of the same model and selection, laid over the left of the table."""

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self._table = table
        self.count = 0
        self._is_following = False
        self.header = ColumnHeader(self)
        self.setObjectName("frozenColumns")
        self.setAccessibleName(self.tr("Frozen columns"))
        self.setHorizontalHeader(self.header)
        self.setModel(table.model())
        self.setSelectionModel(table.selectionModel())
        self.setItemDelegate(table.itemDelegate())
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectColumns)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._edge = make_line(Qt.Orientation.Vertical)
        self._edge.setParent(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.verticalScrollBar().valueChanged.connect(self.verticalScrollBar().setValue)
        self.verticalScrollBar().valueChanged.connect(table.verticalScrollBar().setValue)
        table.horizontalHeader().sectionResized.connect(self._on_table_resized)
        self.header.sectionResized.connect(self._on_resized)
        table.verticalHeader().geometriesChanged.connect(self.place)
        self.hide()

    def set_count(self, count: int) -> None:
        """Freeze the first columns; 0 lets all scroll."""
        self.count = count
        self._is_following = True
        for section in range(self.model().columnCount() if count else 0):
            self.setColumnHidden(section, section >= count)
            if section < count:
                self.setColumnWidth(section, self._table.columnWidth(section))
        self._is_following = False
        self.setVisible(count > 0)
        self.place()
        self.verticalScrollBar().setValue(self._table.verticalScrollBar().value())

    def width_taken(self) -> int:
        """Return the covered width of the cells in px."""
        return self.width() if self.count else 0

    def place(self) -> None:
        """Place the view over the left of the table, leaving room for the other columns."""
        if not self.count:
            return
        table = self._table
        self.setFont(table.font())
        self.verticalHeader().setDefaultSectionSize(table.verticalHeader().defaultSectionSize())
        self.header.setFixedHeight(table.horizontalHeader().height())
        wanted = sum(table.columnWidth(section) for section in range(self.count))
        room = max(table.viewport().width() - _LEAST_BESIDE, 0)
        corner = table.viewport().geometry().topLeft()
        height = table.viewport().height() + table.horizontalHeader().height()
        self.setGeometry(
            corner.x(), corner.y() - table.horizontalHeader().height(), min(wanted, room), height
        )
        self._edge.setGeometry(self.width() - 1, 0, 1, height)
        self._edge.raise_()
        self.raise_()

    def _on_table_resized(self, section: int, _old: int, new: int) -> None:
        if section < self.count:
            self._is_following = True
            self.setColumnWidth(section, new)
            self._is_following = False
            self.place()

    def _on_resized(self, section: int, _old: int, new: int) -> None:
        if not self._is_following and section < self.count and new:
            self._table.setColumnWidth(section, new)
