"""Table view of nodes: selects, applies, copies, and shows the card of a node."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from anonymizer_gui.models.node_columns import Kind
from anonymizer_gui.models.nodes_model import NODE_ROLE, NodesModel
from anonymizer_gui.perspectives.explore.hover_card import show_hover_card
from anonymizer_gui.perspectives.explore.listing.node_header import ROW, NodeDelegate, NodeHeader
from anonymizer_gui.theming import follow_theme, scaled

MOST_COPIED = 200_000  # rows; exporting has no limit


class NodeListView(QTableView):
    """Emits requests that the surrounding panel handles."""

    apply_requested = Signal(int)  # node
    column_menu_requested = Signal(int, QPoint)  # section, position on the screen
    cell_menu_requested = Signal(int, QPoint, int)  # the same, and the node
    copying_refused = Signal(int)  # number of rows above the limit
    resized = Signal()

    def __init__(self, model: NodesModel) -> None:
        super().__init__()
        self._nodes = model
        self.setObjectName("nodeList")
        self.setAccessibleName(self.tr("Node list"))
        self.setModel(model)
        self.setItemDelegate(NodeDelegate(model, self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMinimumHeight(80)
        self.verticalHeader().hide()
        self.header = NodeHeader(self, model)
        self.setHorizontalHeader(self.header)
        self.header.setHighlightSections(False)
        self.header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.header.setMinimumSectionSize(24)
        self.header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self.header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.header.customContextMenuRequested.connect(self._on_header_menu)
        self.setSortingEnabled(True)
        self.doubleClicked.connect(lambda index: self.apply_requested.emit(index.data(NODE_ROLE)))
        follow_theme(self._on_theme_changed)

    def shown_sections(self) -> list[int]:
        """Return the columns that are not hidden, from left to right."""
        shown = [i for i in range(self._nodes.columnCount()) if not self.isColumnHidden(i)]
        return sorted(shown, key=self.header.visualIndex)

    def copy_rows(self) -> None:
        """Copy the selected rows below their headings to the clipboard, with all digits."""
        selection = self.selectionModel().selection()
        ranges = [selection.at(i) for i in range(selection.count())]
        n_rows = sum(part.height() for part in ranges)
        if n_rows > MOST_COPIED:
            self.copying_refused.emit(n_rows)
            return
        rows = sorted({row for part in ranges for row in range(part.top(), part.bottom() + 1)})
        if rows:
            text = self._nodes.copied(rows, self.shown_sections())
            QGuiApplication.clipboard().setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and self.currentIndex().isValid():
            self.apply_requested.emit(self.currentIndex().data(NODE_ROLE))
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the menu of the node and column under the pointer, or of the current cell."""
        index = self.indexAt(event.pos())
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            index = self.currentIndex()
            place = self.viewport().mapToGlobal(self.visualRect(index).bottomLeft())
        if index.isValid():
            self.cell_menu_requested.emit(index.column(), place, index.data(NODE_ROLE))
        else:
            self.column_menu_requested.emit(self._column_of_values(), place)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.RightButton:  # its menu compares with the selected node
            super().mousePressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index: QModelIndex = self.indexAt(event.pos())
            words = self._nodes.describe(index.data(NODE_ROLE)) if index.isValid() else ""
            show_hover_card(self.viewport(), event.globalPos(), words)
            return True
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def _column_of_values(self) -> int:
        columns = self._nodes.table.columns
        return next((i for i, column in enumerate(columns) if column.kind is Kind.VALUE), 0)

    def _on_header_menu(self, place: QPoint) -> None:
        section = self.header.logicalIndexAt(place)
        if section >= 0:
            self.column_menu_requested.emit(section, self.header.mapToGlobal(place))

    def _on_theme_changed(self) -> None:
        rows = self.verticalHeader()
        rows.setMinimumSectionSize(1)  # a larger minimum that raises rows would count as a height set by hand
        rows.setDefaultSectionSize(scaled(ROW))
        self.header.updateGeometries()
