"""Item models for the equivalence classes of a node and for the records of one class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QObject, Qt, Signal

from anonymizer_gui.widgets.tables import LEFT, NOWHERE, RIGHT, Index
from engine.frequency.counted import RECORDS, Noun, either
from engine.kernels.arrays import IntArray
from engine.numbers import as_decimal, as_exact_count, as_general, as_percent
from engine.privacy.measured_text import is_share, limit_text

if TYPE_CHECKING:
    from engine.scoring.nodes.class_table import ClassColumn, ClassTable
    from engine.table import Column

_DISPLAY = Qt.ItemDataRole.DisplayRole


class ClassesModel(QAbstractTableModel):
    """One row per class in a given order; sorting is requested by a signal, because it may be slow."""

    sort_requested = Signal(int, bool)  # column, whether descending

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table: ClassTable | None = None
        self._columns: tuple[ClassColumn, ...] = ()
        self._order: IntArray = np.zeros(0, dtype=np.int64)

    def show_classes(self, table: ClassTable | None, order: IntArray) -> None:
        """Show the classes of a node."""
        self.beginResetModel()
        self._table, self._order = table, order
        self._columns = () if table is None else table.columns
        self.endResetModel()

    @property
    def _counted(self) -> Noun:
        return RECORDS if self._table is None else self._table.problem.counted

    def number(self, row: int) -> int:
        """Return the number of the class in a row."""
        return int(self._order[row])

    def row_of(self, number: int) -> int | None:
        """Return the row of a class, or None if it is not listed."""
        found = np.flatnonzero(self._order == number)
        return int(found[0]) if len(found) else None

    # -- Qt ------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if not index.isValid() or self._table is None:
            return None
        column = self._columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if column.kind.name in ("LABEL", "STATUS") else RIGHT
        if role in (_DISPLAY, Qt.ItemDataRole.ToolTipRole):
            return self._text(column, int(self._order[index.row()]), whole=role != _DISPLAY)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self._columns):
            return None
        column = self._columns[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if column.kind.name in ("LABEL", "STATUS") else RIGHT
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._meaning(column)
        if role != _DISPLAY:
            return None
        match column.kind.name:
            case "SIZE":
                return self._counted.many.capitalize()
            case "STATUS":
                return self.tr("Status")
            case "LABEL":
                return column.name
            case "PROFIT":
                return self.tr("Profit of an attack")
            case "PAYOUT":
                return self.tr("Pays")
        assert self._table is not None
        is_only = len(self._table.problem.sensitive) == 1 or not column.name
        return column.symbol if is_only else f"{column.symbol} {column.name}"

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if 0 <= column < len(self._columns):
            self.sort_requested.emit(column, order == Qt.SortOrder.DescendingOrder)

    # ------------------------------------------------------------------------------------------

    def _text(self, column: ClassColumn, number: int, *, whole: bool) -> str:
        assert self._table is not None
        if column.kind.name == "LABEL":
            return self._table.label(number, column.place)
        value = self._table.values(column)[number]
        if column.kind.name == "STATUS":
            if value < 0:
                is_kept = bool(self._table.fulfilled[number])
                return self.tr("kept") if is_kept else self.tr("suppressed like others")
            model = self._table.requirement.models[int(value)]
            relation = self.tr("below") if model.relation.name == "AT_LEAST" else self.tr("over")
            return self.tr("suppressed: {symbol} {relation} {model}").format(
                symbol=model.symbol, relation=relation, model=limit_text(model)
            )
        if column.kind.name in ("PROFIT", "PAYOUT"):
            return as_general(float(value), 12) if whole else as_decimal(float(value), 2)
        if column.kind.name == "REAL":
            if whole:
                return as_general(float(value), 12)
            measured = None if column.place < 0 else self._table.requirement.models[column.place]
            if measured is not None and is_share(type(measured)):
                return as_percent(float(value), keep_zeros=True)
            return as_decimal(float(value), 3)
        return as_exact_count(int(value))

    def _meaning(self, column: ClassColumn) -> str:
        match column.kind.name:
            case "SIZE":
                return either(self._counted, self.tr("Records in the class"), self.tr("People in the class"))
            case "STATUS":
                return self.tr("Whether the class is kept, or the first condition it fails")
            case "LABEL":
                return self.tr("Released label of {name}").format(name=column.name)
            case "COUNT":
                return self.tr("Distinct values of {name} in the class").format(name=column.name)
            case "PROFIT":
                return self.tr("Expected gain of an attack on a record, less its cost; attacked above 0")
            case "PAYOUT":
                return self.tr("What the records of the class pay the publisher, attacks deducted")
        assert self._table is not None
        if column.place < 0:
            return self.tr("Distance of {name} between the class and the whole table").format(
                name=column.name
            )
        model = self._table.requirement.models[column.place]
        return f"{model.title}, {column.name}" if column.name else model.title


class ClassRecordsModel(QAbstractTableModel):
    """Selected records and columns of a table; the first column is the record number."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns: tuple[Column, ...] = ()
        self._records: IntArray = np.zeros(0, dtype=np.int64)

    def show_records(self, columns: Sequence[Column], records: IntArray) -> None:
        """Replace the records."""
        self.beginResetModel()
        self._columns, self._records = tuple(columns), records
        self.endResetModel()

    def record(self, row: int) -> int:
        """Return the record in a row, counted from 0."""
        return int(self._records[row])

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._records)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() or not self._columns else len(self._columns) + 1

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if not index.isValid():
            return None
        place, record = index.column() - 1, int(self._records[index.row()])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            is_number = place < 0 or self._columns[place].data_type.is_numeric
            return RIGHT if is_number else LEFT
        if role in (_DISPLAY, Qt.ItemDataRole.ToolTipRole):
            return as_exact_count(record + 1) if place < 0 else self._columns[place].text(record)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if orientation != Qt.Orientation.Horizontal or section > len(self._columns):
            return None
        if role == _DISPLAY:
            return self.tr("Record") if section == 0 else self._columns[section - 1].name
        if role == Qt.ItemDataRole.TextAlignmentRole:
            is_number = section == 0 or self._columns[section - 1].data_type.is_numeric
            return RIGHT if is_number else LEFT
        return None
