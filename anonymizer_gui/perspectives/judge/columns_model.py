"""The columns of the table that is judged: each known to others, sensitive, or neither."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from anonymizer_gui.models.column_summary import describe_values
from engine.table import Column, Role, Table

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
NAME, KNOWN, SENSITIVE = range(3)
ROLES = {KNOWN: Role.QUASI_IDENTIFYING, SENSITIVE: Role.SENSITIVE}
_TITLES = {NAME: "Column", KNOWN: "Known", SENSITIVE: "Sensitive"}
_MEANINGS = {
    NAME: "Keys 2 and 3 mark the chosen columns as known or sensitive, 4 as neither.",
    KNOWN: "Quasi-identifying: somebody could know it of a person, and find their record by it.",
    SENSITIVE: "What nobody should learn about a person.",
}
_States = Qt.CheckState


class ColumnsModel(QAbstractTableModel):
    """A click or Space ticks; a column is never both."""

    roles_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns: tuple[Column, ...] = ()
        self._roles: dict[str, Role] = {}
        self._reasons: Mapping[str, str] = {}

    def show_table(self, table: Table, roles: Mapping[str, Role], reasons: Mapping[str, str]) -> None:
        """Show the columns of another table."""
        self.beginResetModel()
        self._columns = table.columns
        kept = set(ROLES.values())
        self._roles = {name: role for name, role in roles.items() if role in kept}
        self._reasons = reasons
        self.endResetModel()

    def names(self, role: Role) -> tuple[str, ...]:
        """Columns of a role in the order of the table."""
        return tuple(column.name for column in self._columns if self._roles.get(column.name) is role)

    @property
    def others(self) -> tuple[str, ...]:
        """Columns that are neither known nor sensitive, in the order of the table."""
        return tuple(column.name for column in self._columns if column.name not in self._roles)

    def set_role(self, rows: Iterable[int], role: Role | None) -> None:
        """Give columns a role, or none."""
        before = dict(self._roles)
        for row in rows:
            name = self._columns[row].name
            self._roles.pop(name, None)
            if role is not None:
                self._roles[name] = role
        if self._roles != before:
            self.dataChanged.emit(self.index(0, KNOWN), self.index(len(self._columns) - 1, SENSITIVE))
            self.roles_changed.emit()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(_TITLES)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() in ROLES else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column, place = self._columns[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole and place == NAME:
            return column.name
        if role == Qt.ItemDataRole.CheckStateRole and place in ROLES:
            return _States.Checked if self._roles.get(column.name) is ROLES[place] else _States.Unchecked
        if role == Qt.ItemDataRole.ToolTipRole:
            facts = f"{column.name}: {describe_values(column)}"
            return (
                f"{facts}\n{self._reasons.get(column.name, '')}".strip()
                if place == NAME
                else _MEANINGS[place]
            )
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return column.name if place == NAME else f"{column.name}: {_TITLES[place].lower()}"
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or index.column() not in ROLES:
            return False
        is_on = _States(value) == _States.Checked
        self.set_role([index.row()], ROLES[index.column()] if is_on else None)
        return True

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _TITLES[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return _MEANINGS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section in ROLES:
            return Qt.AlignmentFlag.AlignCenter
        return None
