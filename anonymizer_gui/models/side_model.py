"""Item model of input or release in the comparison; cells are read when they are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QObject, Qt

from anonymizer_gui.models.sides import NOT_RELEASED, Change, Sides
from anonymizer_gui.widgets.tables import LEFT, NOWHERE, RIGHT, Index
from engine.kernels.arrays import Codes
from engine.numbers import as_exact_count
from engine.table import Role, Table, role_word

_DISPLAY = Qt.ItemDataRole.DisplayRole


class SideModel(QAbstractTableModel):
    """One side of the comparison; drawing time does not depend on the number of rows.

    Parameters
    ----------
    is_release : bool
        Whether it shows the release, else the input.
    """

    def __init__(self, *, is_release: bool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_release = is_release
        self.sides: Sides | None = None
        self.table = Table(())
        self.order: Codes | None = None
        self._is_grouped = False

    @property
    def roles(self) -> tuple[Role | None, ...]:
        """Role of each column."""
        return () if self.sides is None else self.sides.roles

    @property
    def n_shown(self) -> int:
        """Number of visible records."""
        return self.table.n_records if self.order is None else len(self.order)

    def show_sides(self, sides: Sides | None, order: Codes | None = None) -> None:
        """Show this side of another comparison."""
        self.beginResetModel()
        self.sides, self.order = sides, order
        self.table = Table(()) if sides is None else sides.release if self.is_release else sides.input
        self.endResetModel()

    def show_order(self, order: Codes | None, *, is_grouped: bool = False) -> None:
        """Show other records or another order; None shows all in the order of the input.

        If they are grouped, the last record of each class is marked.
        """
        self.beginResetModel()
        self.order, self._is_grouped = order, is_grouped
        self.endResetModel()

    def record_of(self, row: int) -> int:
        """Return the record in a row."""
        return row if self.order is None else int(self.order[row])

    def row_of(self, record: int) -> int | None:
        """Return the row of a record, or None if it is hidden."""
        if self.order is None:
            return record if 0 <= record < self.n_shown else None
        found = np.flatnonzero(self.order == record)
        return int(found[0]) if len(found) else None

    def change(self, row: int, place: int) -> Change:
        """Return how a cell of the release differs from the input; for the input, no change."""
        if self.sides is None or not self.is_release:
            return Change.KEPT
        return self.sides.change(self.record_of(row), place)

    def is_suppressed(self, row: int) -> bool:
        """Return whether the record of a row is suppressed."""
        return self.sides is not None and self.sides.is_suppressed(self.record_of(row))

    def ends_class(self, row: int) -> bool:
        """Return whether the next row is in another class, if rows are grouped by class."""
        if self.sides is None or not self._is_grouped or row + 1 >= self.n_shown:
            return False
        one, other = self.record_of(row), self.record_of(row + 1)
        return self.sides.class_of(one) != self.sides.class_of(other)

    def text(self, row: int, place: int) -> str:
        """Return the text of a cell."""
        return self.table.columns[place].text(self.record_of(row))

    def is_right_aligned(self, place: int) -> bool:
        """Return whether a column is numeric."""
        return self.table.columns[place].data_type.is_numeric

    def is_dropped(self, place: int) -> bool:
        """Return whether the release omits a column."""
        return self.sides is not None and self.table.names[place] in self.sides.dropped

    # -- Qt ------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else self.n_shown

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.table.columns)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if not index.isValid():
            return None
        if role == _DISPLAY:
            return self.text(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if self.is_right_aligned(index.column()) else LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tooltip(index.row(), index.column())
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._header_tooltip(section, orientation)
        if role != _DISPLAY:
            return None
        if orientation == Qt.Orientation.Horizontal:
            return self.table.names[section] if section < len(self.table.columns) else None
        return str(self.record_of(section) + 1) if section < self.n_shown else None

    def _tooltip(self, row: int, place: int) -> str:
        """Return the cell and how it was generalized, in words."""
        text = self.text(row, place)
        if not self.is_release or self.sides is None:
            return text
        was = self.sides.input.columns[place].text(self.record_of(row))
        match self.change(row, place):
            case Change.KEPT:
                return self.tr("{text}: unchanged").format(text=text)
            case Change.HIDDEN if text == NOT_RELEASED:
                return self.tr("{was}: the column is not released").format(was=was)
            case Change.HIDDEN:
                return self.tr("{was} became {text}: hidden").format(was=was, text=text)
            case Change.ONE_STEP:
                return self.tr("{was} became {text}: one level").format(was=was, text=text)
        return self.tr("{was} became {text}: several levels").format(was=was, text=text)

    def _header_tooltip(self, section: int, orientation: Qt.Orientation) -> str | None:
        if orientation == Qt.Orientation.Horizontal:
            if section >= len(self.table.columns):
                return None
            words = f"{self.table.names[section]}: {role_word(self.roles[section])}"
            not_released = self.tr("not released")
            return f"{words}, {not_released}" if self.is_release and self.is_dropped(section) else words
        if section >= self.n_shown:
            return None
        number = as_exact_count(self.record_of(section) + 1)
        if self.is_suppressed(section):
            return self.tr("Record {number} is suppressed").format(number=number)
        return self.tr("Record {number}").format(number=number)
