"""Item model of the records of a table; order and filter are one array of record numbers.

Records that stay in a server are shown page by page when fetched; those of a cluster, and what a
filter finds in either, as a table in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QObject, Qt, Signal

from anonymizer_gui.tables.rows_model import LEFT, NOWHERE, RIGHT, Index
from engine.kernels.arrays import BoolArray, Codes
from engine.monitor import SILENT, Monitor
from engine.records import Table
from engine.records.disk.fetched import PAGE, Page, n_shown
from engine.words import _

_MEASURED = 10  # texts measured to find a column width
_MOST_LABELS = 1_000  # looked at for that, of records that are not here
_MOST_PAGES = 40  # kept
_NOT_YET = "…"
_DISPLAY = Qt.ItemDataRole.DisplayRole


class RecordsModel(QAbstractTableModel):
    """Shows the texts of the table, numbers right-aligned.

    Filtering and sorting ten million records here would block the window: `show_order` takes the order
    computed by `engine.records.filtering`.
    """

    page_wanted = Signal(int)  # of a table whose records stay in a server

    def __init__(self, table: Table | None = None, limit: int | None = None, parent: QObject | None = None):
        super().__init__(parent)
        self._limit = limit
        self.table = Table(())
        self._columns: list[tuple[tuple[str, ...], Any, bool]] = []
        self.order: Codes | None = None  # None is the order of the table
        self.n_shown = 0
        self._pages: dict[int, Page] = {}
        self._wanted = -1  # the page that was last asked for
        self.fetched: Table | None = None  # the records of a server or cluster that are shown, in memory
        self._is_filtered = False  # so that the numbers of those records are not known
        if table is not None:
            self.set_table(table)

    def set_table(self, table: Table | None, order: Codes | None = None) -> None:
        """Replace the table; all records in table order by default."""
        self.beginResetModel()
        if table is not self.table:
            self.table, self._is_filtered = table or Table(()), False
            self._look_at(None)
        self._pages, self._wanted = {}, -1
        self._take(order)
        self.endResetModel()

    def show_order(self, order: Codes | None) -> None:
        """Show other records or another order; None shows all in table order."""
        self.beginResetModel()
        self._take(order)
        self.endResetModel()

    def show_page(self, number: int, page: Page) -> None:
        """Show a page of records that was asked for."""
        while len(self._pages) >= _MOST_PAGES:
            del self._pages[next(iter(self._pages))]
        self._pages[number] = page
        last = min((number + 1) * PAGE, self.n_shown) - 1
        self.dataChanged.emit(self.index(number * PAGE, 0), self.index(last, len(self._columns) - 1))

    def has_page(self, number: int) -> bool:
        """Return whether a page is shown."""
        return number in self._pages

    def forget_wanted(self) -> None:
        """Ask for a page again when it is next seen, after it could not be fetched."""
        self._wanted = -1

    def show_fetched(self, fetched: Table | None, order: Codes | None, *, is_filtered: bool) -> None:
        """Show records of a server or cluster that were fetched; None shows all page by page."""
        is_there = not is_filtered and not self._is_filtered and order is None and self.order is None
        if fetched is not None and is_there and fetched.n_rows == self.n_shown:  # the view may be elsewhere
            self._look_at(fetched)
            self.dataChanged.emit(self.index(0, 0), self.index(self.n_shown - 1, len(self._columns) - 1))
            return
        self.beginResetModel()
        self._look_at(fetched)
        self._is_filtered = is_filtered
        self._take(order)
        self.endResetModel()

    def record_of(self, row: int) -> int:
        """Return the record in a row."""
        return row if self.order is None else int(self.order[row])

    def longest_texts(self, column: int, n_rows: int) -> list[str]:
        """Return some of the longest texts in the first rows of a column.

        Used to find widths. A call through Qt may wait for a worker to release the interpreter lock, so
        thousands of them would block the window.
        """
        labels, codes, _ = self._columns[column]
        if codes is None:
            return sorted(islice(labels, _MOST_LABELS), key=len)[-_MEASURED:]
        texts = {labels[codes[self.record_of(row)]] for row in range(min(n_rows, self.n_shown))}
        return sorted(texts, key=len)[-_MEASURED:]

    def row_of(self, record: int) -> int | None:
        """Return the row of a record, or None if it is hidden."""
        if self._is_filtered:
            return None
        if self.order is None:
            return record if 0 <= record < self.n_shown else None
        found = np.flatnonzero(self.order[: self.n_shown] == record)
        return int(found[0]) if len(found) else None

    def _look_at(self, fetched: Table | None) -> None:
        self.fetched = fetched
        self._columns = [(c.labels, c.cells, c.data_type.is_numeric) for c in (fetched or self.table).columns]

    def _take(self, order: Codes | None) -> None:
        self.order = order
        n_all = n_shown(self.table) if self.fetched is None else self.fetched.n_rows
        self.n_shown = n_all if order is None else len(order)
        if self._limit is not None:
            self.n_shown = min(self.n_shown, self._limit)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else self.n_shown

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if role not in (_DISPLAY, Qt.ItemDataRole.TextAlignmentRole) or not index.isValid():
            return None
        labels, codes, is_numeric = self._columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if is_numeric else LEFT
        if codes is None:
            return self._fetched(index.row(), index.column())
        return labels[codes[self.record_of(index.row())]]

    def _fetched(self, row: int, column: int) -> str:
        """Return a text of a server, which is asked for the page if it is not here yet."""
        number, place = divmod(row, PAGE)
        page = self._pages.get(number)
        if page is None:
            if number != self._wanted:
                self._wanted = number
                self.page_wanted.emit(number)
            return _NOT_YET
        return page[place][column] if place < len(page) else ""

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if role != _DISPLAY:
            return None
        if orientation == Qt.Orientation.Horizontal:
            return self.table.names[section] if section < len(self._columns) else None
        if self._is_filtered:
            return ""  # their numbers are not known
        return str(self.record_of(section) + 1) if section < self.n_shown else None


_BLOCK = 1 << 18  # rows between checks for cancellation
_LABELS = 1 << 16

Cell = tuple[int, int]


def find_next(
    table: Table,
    needle: str,
    after: Cell,
    order: Codes | None = None,
    *,
    backwards: bool = False,
    monitor: Monitor = SILENT,
) -> Cell | None:
    """Return row and column of the next cell that contains the text, ignoring case.

    Parameters
    ----------
    after : tuple of two ints
        Row and column of the previous cell; (-1, -1) begins at the top.
    order : ndarray of int32, optional
        Records in display order; the complete table in its own order by default.
    backwards : bool
        Whether to search in the opposite direction.
    """
    wanted = []
    for place, column in enumerate(table.columns):
        has = _contains(column.listed_labels or (), needle, monitor)
        if has.any():
            wanted.append((place, has))
    n_rows, done = table.n_rows if order is None else len(order), 0
    for rows, is_due in _stretches(after, n_rows, backwards):
        places = [own for own in wanted if is_due(own[0])]
        for block in _blocks(rows, backwards) if places else ():
            monitor.step(done, max(n_rows, 1), _("Finding"))
            done += len(block)
            shown = slice(block.start, block.stop)
            records = shown if order is None else order[shown]
            found = [
                (int(hits[-1 if backwards else 0]) + block.start, place)
                for place, has in places
                if len(hits := np.flatnonzero(has[table.columns[place].codes[records]]))
            ]
            if found:
                return max(found) if backwards else min(found)
    return None


def _stretches(after: Cell, n_rows: int, backwards: bool) -> list[tuple[range, Callable[[int], bool]]]:
    """Return rows, and which of their columns are due, in the order of the search around the table."""
    row, place = after
    if not 0 <= row < n_rows:
        return [(range(n_rows), lambda _place: True)]
    above, own, below = range(row), range(row, row + 1), range(row + 1, n_rows)
    first, then = (above, below) if backwards else (below, above)
    return [
        (own, lambda other: other < place if backwards else other > place),
        (first, lambda _place: True),
        (then, lambda _place: True),
        (own, lambda other: other >= place if backwards else other <= place),
    ]


def _blocks(rows: range, backwards: bool) -> Iterator[range]:
    """Yield the rows block by block, the last block first if backwards."""
    if backwards:
        for stop in range(rows.stop, rows.start, -_BLOCK):
            yield range(max(stop - _BLOCK, rows.start), stop)
    else:
        for start in range(rows.start, rows.stop, _BLOCK):
            yield range(start, min(start + _BLOCK, rows.stop))


def _contains(texts: Sequence[str], needle: str, monitor: Monitor) -> BoolArray:
    wanted, found = needle.casefold(), np.zeros(len(texts), dtype=np.bool_)
    for start in range(0, len(found), _LABELS):
        monitor.step(0, 1, _("Finding"))
        labels = texts[start : start + _LABELS]
        found[start : start + len(labels)] = [wanted in label.casefold() for label in labels]
    return found
