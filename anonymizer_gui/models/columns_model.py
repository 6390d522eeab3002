"""Item model of the columns of a table: role, type, values, hierarchy, levels and weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QObject,
    Qt,
)

from anonymizer_gui.models.type_words import KIND_NAMES
from anonymizer_gui.widgets.role_badge import role_icon
from anonymizer_gui.widgets.tables import LEFT, NOWHERE, RIGHT, Index
from engine.numbers import as_exact_count
from engine.table import Kind, Role, role_key, role_word
from engine.words import N_, _

_DISPLAY = Qt.ItemDataRole.DisplayRole
_ICON = 14
_ROLES = (None, *Role)  # unassigned columns first


@dataclass(frozen=True)
class ColumnLine:
    """One column; None for properties it does not have."""

    name: str
    role: Role | None
    kind: Kind
    n_values: int
    has_missing: bool
    height: int | None = None
    min_level: int = 0
    max_level: int = 0
    weight: float | None = None

    @property
    def levels(self) -> str:
        """Levels that a search may use: "1 to 2 of 3"."""
        return (
            ""
            if self.height is None
            else _("{low} to {high} of {height}").format(
                low=self.min_level, high=self.max_level, height=self.height
            )
        )


_Key = Callable[[ColumnLine], Any]
_HEADINGS: tuple[tuple[str, _Key, _Key, bool], ...] = (
    (N_("Column"), lambda line: line.name, lambda line: line.name.casefold(), False),
    (N_("Role"), lambda line: role_word(line.role), lambda line: _ROLES.index(line.role), False),
    (N_("Type"), lambda line: _(KIND_NAMES[line.kind]), lambda line: _(KIND_NAMES[line.kind]), False),
    (N_("Values"), lambda line: as_exact_count(line.n_values), lambda line: line.n_values, True),
    (
        N_("Missing"),
        lambda line: "some" if line.has_missing else "",
        lambda line: not line.has_missing,
        False,
    ),
    (N_("Levels"), lambda line: line.levels, lambda line: -1 if line.height is None else line.height, False),
    (
        N_("Weight"),
        lambda line: "" if line.weight is None else f"{line.weight:g}",
        lambda line: -1.0 if line.weight is None else line.weight,
        True,
    ),
)


class ColumnsModel(QAbstractTableModel):
    """One row per column, sortable by any header and filtered by a text."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: tuple[ColumnLine, ...] = ()
        self._lines: list[ColumnLine] = []
        self._needle = ""
        self._sorted_by: tuple[int, Qt.SortOrder] | None = None

    def show_lines(self, lines: Sequence[ColumnLine]) -> None:
        """Replace the columns or their settings."""
        self._all = tuple(lines)
        self._update()

    def set_needle(self, needle: str) -> None:
        """Show only columns whose name, role or type contains a text."""
        self._needle = needle.casefold()
        self._update()

    def names(self, rows: Sequence[int]) -> tuple[str, ...]:
        """Return the columns in rows."""
        return tuple(self._lines[row].name for row in rows)

    def rows_of(self, names: Sequence[str]) -> tuple[int, ...]:
        """Return the rows of columns that are visible."""
        return tuple(row for row, line in enumerate(self._lines) if line.name in names)

    @property
    def n_columns(self) -> int:
        """Number of columns, hidden ones included."""
        return len(self._all)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorted_by = (column, order) if 0 <= column < len(_HEADINGS) else None
        self._update()

    def _update(self) -> None:
        self.beginResetModel()
        self._lines = [
            line
            for line in self._all
            if self._needle in f"{line.name}\n{role_word(line.role)}\n{KIND_NAMES[line.kind]}".casefold()
        ]
        if self._sorted_by is not None:
            heading, order = self._sorted_by
            self._lines.sort(key=_HEADINGS[heading][2], reverse=order == Qt.SortOrder.DescendingOrder)
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(_HEADINGS)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if not index.isValid():
            return None
        line, heading = self._lines[index.row()], _HEADINGS[index.column()]
        if role in (_DISPLAY, Qt.ItemDataRole.ToolTipRole):
            return heading[1](line)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if heading[3] else LEFT
        if role == Qt.ItemDataRole.DecorationRole and index.column() == 1:
            return role_icon(role_key(line.role), _ICON)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(_HEADINGS):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if _HEADINGS[section][3] else LEFT
        text = _(_HEADINGS[section][0])
        return QCoreApplication.translate("ColumnsModel", text) if role == _DISPLAY else None
