"""Percent columns of tables: one number of decimals, so that points align."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from engine.numbers import NARROW_SPACE

MOST_ROWS = 300  # checked per table
ROWS_DIFFER = {"compareFigures"}  # tables with a different figure in every row
PERCENT = re.compile(rf"[<>]?{NARROW_SPACE}?[+\u2212]?[\d{NARROW_SPACE}]*\d(?:\.(\d+))?{NARROW_SPACE}%")


def uneven_columns(shown: QWidget) -> list[str]:
    """Return the percent columns of visible tables whose cells differ in their number of decimals."""
    found = []
    for view in shown.findChildren(QAbstractItemView):
        if not view.isVisible() or not isinstance(view, QTableView) or view.objectName() in ROWS_DIFFER:
            continue
        model = view.model()
        for column in range(model.columnCount()):
            if view.isColumnHidden(column):
                continue
            cells = [
                str(model.index(row, column).data(Qt.ItemDataRole.DisplayRole) or "")
                for row in range(min(model.rowCount(), MOST_ROWS))
            ]
            matches = [match for cell in cells if (match := PERCENT.fullmatch(cell))]
            if len({len(match[1] or "") for match in matches}) > 1:
                title = model.headerData(column, Qt.Orientation.Horizontal)
                found.append(f"{view.objectName()} {title!r}: {[match[0] for match in matches[:8]]}")
    return found
