"""Item model of the most exposed records, with sorting and search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QObject, Qt
from PySide6.QtGui import QBrush

from anonymizer_gui.theming import Text, current_theme, font
from anonymizer_gui.widgets.tables import LEFT, NOWHERE, RIGHT, Index
from engine.frequency.counted import PEOPLE, RECORDS, Noun
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.numbers import as_exact_count, as_risk
from engine.words import N_, _

RECORD, CLASS, RISK, BEFORE = range(4)
N_FIGURES = 4
_TITLES = (N_("Record"), N_("Class"), N_("Risk"), N_("Before"))
_ALIKE_PEOPLE = N_("Number of people with an equal record in the release, including its own")
_MEANINGS = (
    N_("Position in the input, from 1"),
    N_("Number of equal records in the release, including this one"),
    N_("1 divided by the class size: probability that a guess is right"),
    N_("The same in the input: 100 % was unique"),
)


@dataclass(frozen=True, eq=False)
class ExposedRows:
    """Exposed records with their values and released cells.

    Attributes
    ----------
    records : ndarray of int64, shape (n_listed,)
        Counted from 0.
    class_sizes, sizes_before : ndarray of int64, shape (n_listed,)
    risks : ndarray of float64, shape (n_listed,)
    threshold : float
        A risk above it is marked as at risk.
    columns : tuple of str
    cells : sequence of tuple of str
        Released texts, one tuple per record.
    """

    records: IntArray
    class_sizes: Counts
    risks: FloatArray
    sizes_before: Counts
    threshold: float
    columns: tuple[str, ...]
    cells: Sequence[tuple[str, ...]]


class ExposedModel(QAbstractTableModel):
    """Has its own row order; a search hides the rows whose cells do not contain the words."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._counted = RECORDS
        self._rows: ExposedRows | None = None
        self._order: IntArray = np.zeros(0, dtype=np.int64)
        self._words = ""
        self._sorted_by = (RISK, Qt.SortOrder.DescendingOrder)

    def show_rows(self, rows: ExposedRows | None) -> None:
        """Show other records in the current order."""
        self.beginResetModel()
        self._rows = rows
        self._arrange()
        self.endResetModel()

    def set_words(self, words: str) -> None:
        """Hide records whose cells or numbers do not contain the words; an empty text shows all."""
        self.beginResetModel()
        self._words = words.strip().casefold()
        self._arrange()
        self.endResetModel()

    def record(self, row: int) -> int:
        """Return the record of a row, counted from 0."""
        assert self._rows is not None
        return int(self._rows.records[self._order[row]])

    def show_counted(self, counted: Noun) -> None:
        """Show whether class sizes count records or people."""
        self._counted = counted

    def row_of(self, record: int) -> int | None:
        """Return the row of a record, if it is listed."""
        if self._rows is None:
            return None
        found = np.flatnonzero(self._rows.records[self._order] == record)
        return int(found[0]) if len(found) else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        before = {int(place): row for row, place in enumerate(self._order)}
        self._sorted_by = (column, order)
        self._arrange()
        after = {int(place): row for row, place in enumerate(self._order)}
        moved = {row: after[place] for place, row in before.items()}
        old = self.persistentIndexList()
        self.changePersistentIndexList(old, [self.index(moved[i.row()], i.column()) for i in old])
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        if parent.isValid() or self._rows is None:
            return 0
        return N_FIGURES + len(self._rows.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._rows is None:
            return None
        place, column = int(self._order[index.row()]), index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(place, column)
            case Qt.ItemDataRole.ToolTipRole:
                return self._text(place, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if column < N_FIGURES else LEFT
            case Qt.ItemDataRole.ForegroundRole:
                return QBrush(current_theme().color(self._tone(place, column)))
            case Qt.ItemDataRole.FontRole:
                return font(Text.CELL_STRONG if column == RISK else Text.CELL)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical or self._rows is None or section >= self.columnCount():
            return None
        is_figure = section < N_FIGURES
        match role:
            case Qt.ItemDataRole.DisplayRole:
                title = _(_TITLES[section]) if is_figure else self._rows.columns[section - N_FIGURES]
                return with_arrow(title, section, self._sorted_by)
            case Qt.ItemDataRole.ToolTipRole:
                return self._meaning(section) if is_figure else self._rows.columns[section - N_FIGURES]
            case Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if is_figure else LEFT
        return None

    def _meaning(self, section: int) -> str:
        return _(_(_ALIKE_PEOPLE) if section == CLASS and self._counted is PEOPLE else _MEANINGS[section])

    def _text(self, place: int, column: int) -> str:
        rows = self._rows
        assert rows is not None
        if column == RECORD:
            return as_exact_count(int(rows.records[place]) + 1)
        if column == CLASS:
            return as_exact_count(int(rows.class_sizes[place]))
        if column == RISK:
            return as_risk(float(rows.risks[place]))
        if column == BEFORE:
            return as_risk(1 / int(rows.sizes_before[place]))
        return rows.cells[place][column - N_FIGURES]

    def _tone(self, place: int, column: int) -> str:
        assert self._rows is not None
        if column == RISK and self._rows.risks[place] > self._rows.threshold:
            return "danger"
        return "text_2" if column == BEFORE else "text"

    def _arrange(self) -> None:
        rows = self._rows
        if rows is None:
            self._order = np.zeros(0, dtype=np.int64)
            return
        column, direction = self._sorted_by
        keys = _keys(rows, column)
        order = np.argsort(keys, kind="stable")
        if direction == Qt.SortOrder.DescendingOrder:
            # Ties keep the order of the input, also when descending.
            order = len(keys) - 1 - np.argsort(keys[::-1], kind="stable")[::-1]
        if self._words:
            order = np.array([i for i in order if self._has_words(int(i))], dtype=np.int64)
        self._order = order.astype(np.int64)

    def _has_words(self, place: int) -> bool:
        return any(self._words in self._text(place, i).casefold() for i in range(self.columnCount()))


def with_arrow(title: str, section: int, sorted_by: tuple[int, Qt.SortOrder]) -> str:
    """Return the title of a column with its sort direction; Qt's own arrow covers titles of numbers."""
    if section != sorted_by[0]:
        return title
    return f"{title} {'↓' if sorted_by[1] == Qt.SortOrder.DescendingOrder else '↑'}".strip()


def _keys(rows: ExposedRows, column: int) -> Any:
    """Return the sort keys of a column."""
    figures = {RECORD: rows.records, CLASS: rows.class_sizes, RISK: rows.risks, BEFORE: rows.sizes_before}
    if column in figures:
        return figures[column]
    return np.array([cells[column - N_FIGURES] for cells in rows.cells], dtype=object).astype(str)
