"""Columns of the table as text for the clipboard: lines of cells with tabs between, names first."""

from __future__ import annotations

from collections.abc import Sequence

from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor
from engine.table import Table

MOST_CELLS = 1_000_000  # copied without a question
_STEP = 20_000  # records between looks at Cancel


def tab_separated(
    table: Table, names: Sequence[str], order: Codes | None = None, monitor: Monitor = SILENT
) -> str:
    """Return the records shown, in their order, as spreadsheets paste them."""
    columns = [table.column(name) for name in names]
    labels = [[_cell(label) for label in column.labels] for column in columns]
    n_records = table.n_records if order is None else len(order)
    lines = ["\t".join(map(_cell, names))]
    for start in range(0, n_records, _STEP):
        monitor.step(start, n_records, "Copying")
        part = slice(start, start + _STEP)
        records = part if order is None else order[part]
        cells = [
            [texts[code] for code in column.codes[records].tolist()]
            for texts, column in zip(labels, columns, strict=True)
        ]
        lines += map("\t".join, zip(*cells, strict=True))
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """A cell in quotes where it holds what would end it."""
    if not any(mark in text for mark in '\t\n\r"'):
        return text
    return '"' + text.replace('"', '""') + '"'
