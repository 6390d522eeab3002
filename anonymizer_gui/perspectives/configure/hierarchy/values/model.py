"""Item model of an outline: a row per value or closed group, columns for records and levels."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal

from anonymizer_gui.perspectives.configure.hierarchy.drafts import NOTHING, Selection
from anonymizer_gui.perspectives.configure.hierarchy.values.rows import (
    FIRST_LEVEL,
    RECORDS,
    VALUE,
    covered_rows,
    level_of,
)
from anonymizer_gui.tables.rows_model import Cell, Heading, Index, RowsModel
from engine.hierarchies.outline import Outline
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.numbers import as_exact_count, as_groups, as_percent, as_values
from engine.records import Column

_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled


class ValueModel(RowsModel):
    """Looks cells up in arrays on demand; without an outline it has values only."""

    label_written = Signal(int, int, str)  # row, column and text, which another outline may answer

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.outline: Outline | None = None
        self._codes: tuple[Codes | IntArray, ...] = ()  # per level, code of the first leaf of each row
        self._labels: tuple[tuple[str, ...], ...] = ()
        self._closed: IntArray = np.zeros(0, dtype=np.int64)
        self._sizes: IntArray = np.zeros(0, dtype=np.int64)
        self._records: Counts = np.zeros(0, dtype=np.int64)
        self._n_records = self.largest = 0
        self._has_missing = False
        self.selection = NOTHING
        self.is_covered: BoolArray = np.zeros(0, dtype=np.bool_)

    def show_outline(self, column: Column | None, outline: Outline | None) -> bool:
        """Replace the outline and clear the selection.

        Returns
        -------
        bool
            Whether rows or columns were added or removed.
        """
        self._take(column, outline)
        n_rows, headings = len(self._closed), self._made_headings()
        is_new = (n_rows, len(headings)) != (self.rowCount(), self.columnCount())
        if is_new:
            self.show_made(headings, range(n_rows), self._cell_at)
        else:
            self._headings = headings
            self.refresh()
        return is_new

    def show_selection(self, selection: Selection) -> None:
        """Select groups."""
        self.selection = selection
        if self.outline is not None:
            self.is_covered = covered_rows(self.outline, selection)

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell; empty on a level below a closed group."""
        if column == RECORDS:
            return as_exact_count(int(self._records[row]))
        level, closed = level_of(column), int(self._closed[row])
        if column == VALUE:
            level = closed
        elif level < closed:
            return ""
        label = self._labels[level][self._codes[level][row]]
        return label or (self.tr("(missing)") if self._has_missing else self.tr("(empty)"))

    @property
    def has_order(self) -> bool:
        """Return whether values are numbers or dates, so that neighbours belong together."""
        return self.outline is not None and bool(np.isfinite(self.outline.numbers).any())

    def records(self, row: int) -> int:
        """Return the records of a row."""
        return int(self._records[row])

    def n_values(self, row: int) -> int:
        """Return the number of values in a row."""
        return int(self._sizes[row])

    def closed_level(self, row: int) -> int:
        """Return the level of the closed group in a row; 0 for a value."""
        return int(self._closed[row])

    def group_at(self, row: int, column: int) -> tuple[int, str]:
        """Return level and label of the group in a cell."""
        level = max(level_of(column), int(self._closed[row]))
        return level, self._labels[level][self._codes[level][row]]

    def is_selected(self, row: int, column: int) -> bool:
        """Return whether a cell shows a selected group."""
        if not self.is_covered[row]:
            return False
        level, chosen = level_of(column), self.selection.level
        return level == chosen or (level < chosen == int(self._closed[row]))

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        is_editable = index.column() >= FIRST_LEVEL and level_of(index.column()) >= self._closed[index.row()]
        return _FLAGS | Qt.ItemFlag.ItemIsEditable if is_editable else _FLAGS

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.EditRole and index.column() >= FIRST_LEVEL:
            return self.group_at(index.row(), index.column())[1]
        if role == Qt.ItemDataRole.AccessibleDescriptionRole and index.isValid():
            return self.tr("selected") if self.is_selected(index.row(), index.column()) else ""
        return super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        self.label_written.emit(index.row(), index.column(), value)
        return True

    # --------------------------------------------------------------------------------------------

    def _take(self, column: Column | None, outline: Outline | None) -> None:
        self.outline, self.selection = outline, NOTHING
        if outline is not None:
            first = outline.first_leaves
            self._codes = tuple(level.codes[first] for level in outline.hierarchy.levels)
            self._labels = tuple(level.labels for level in outline.hierarchy.levels)
            self._closed, self._sizes = outline.closed, np.diff(outline.starts)
            self._records = outline.records
        else:
            labels = column.labels if column is not None else ()
            self._codes = (np.arange(len(labels)),) if column is not None else ()
            self._labels = (labels,)
            self._closed = np.zeros(len(labels), dtype=np.int64)
            self._sizes = np.ones(len(labels), dtype=np.int64)
            self._records = column.counts if column is not None else np.zeros(0, dtype=np.int64)
        self._n_records, self.largest = int(self._records.sum()), int(self._records.max(initial=0))
        self._has_missing = column is not None and column.missing_label == ""
        self.is_covered = np.zeros(len(self._closed), dtype=np.bool_)

    def _hint(self, row: int, column: int) -> str:
        text = self.text(row, column)
        if column == RECORDS:
            share = as_percent(self.records(row) / self._n_records) if self._n_records else ""
            return self.tr("{text} records, {share} of all; counted, so not editable").format(
                text=text, share=share
            )
        closed = self.closed_level(row)
        if column == VALUE and not closed:
            words = self.tr("{text}\nValues come from the data; drag them to a group or another value")
            return words.format(text=text)
        if level_of(column) < closed:
            level, label = self.group_at(row, column)
            return self.tr("In {label}, collapsed on level {level}; Ctrl+Space expands it").format(
                label=label, level=level
            )
        if column == VALUE:
            words = self.tr("{text}, {values}, collapsed on level {level}; Ctrl+Space expands it")
            return words.format(text=text, values=as_values(self.n_values(row)), level=closed)
        return self.tr("{text}\nEnter or double-click moves this row to another group").format(text=text)

    def _cell_at(self, row: int, column: int) -> Cell:
        text, spoken = self.text(row, column), ""
        if column == VALUE and self._closed[row]:
            values = as_values(self.n_values(row))
            spoken = self.tr("{text}, collapsed, {row}").format(text=text, row=values)
        return Cell(text, self._hint(row, column), spoken=spoken)

    def _made_headings(self) -> tuple[Heading, ...]:
        if not self._codes:
            return ()
        counts = self.tr("{n_groups}, as in the data").format(n_groups=as_values(len(self._labels[0])))
        words = self.tr("Level {level}: {groups}. Click to select all, drop here for a new group")
        levels = (
            Heading(str(level), tooltip=words.format(level=level, groups=as_groups(len(labels))))
            for level, labels in enumerate(self._labels[1:], start=1)
        )
        return (
            Heading(self.tr("0 original"), tooltip=counts),
            Heading(self.tr("Records"), tooltip=self.tr("Records per value, with a bar")),
            *levels,
        )
