"""A table with a row per level, the highest first, as high as its rows; choosing a row asks for the level."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QSizePolicy, QTableView, QWidget

from anonymizer_gui.theming import theme_manager
from anonymizer_gui.widgets.tables import prepare_table


class LevelTable(QTableView):
    """Scrolls with what it stands in. A model is set once; it has all levels from the highest to 0."""

    level_requested = Signal(int)
    row_reached = Signal(int)  # by keys, so that whatever it scrolls in can follow

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        prepare_table(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._level: int | None = None
        self.clicked.connect(lambda index: self.level_requested.emit(self._level_of(index.row())))
        theme_manager().theme_changed.connect(self.updateGeometry)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        if model is not None:
            model.modelReset.connect(self._on_reset)

    def show_level(self, level: int | None) -> None:
        """Tint the row of a level."""
        self._level = level
        n_rows = self.model().rowCount()
        if level is None or level >= n_rows:
            self.clearSelection()
        else:
            self.selectRow(n_rows - 1 - level)

    def sizeHint(self) -> QSize:
        header = self.horizontalHeader()
        height = 0 if header.isHidden() else header.height()
        return QSize(super().sizeHint().width(), height + self.verticalHeader().length())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        row = self.currentIndex().row()
        chosen = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if row != before:
            self.row_reached.emit(row)
        if row >= 0 and (row != before or chosen):
            self.level_requested.emit(self._level_of(row))

    def _level_of(self, row: int) -> int:
        return self.model().rowCount() - 1 - row

    def _on_reset(self) -> None:
        self.show_level(self._level)
        self.updateGeometry()
