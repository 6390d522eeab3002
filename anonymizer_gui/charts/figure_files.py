"""The figures behind a chart as a CSV file or as text for the clipboard: every digit, no units in cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from engine.assessment.tables import Figure, FigureTable
from engine.table.writing import write_rows


def write_figures(path: Path, table: FigureTable) -> None:
    """Write a table of figures as CSV, with the keys of its columns as names.

    Raises
    ------
    ExportError
        The file cannot be written; what was there is as it was.
    """
    rows = table.rows

    def texts(start: int, stop: int) -> list[list[str]]:
        part = rows[start:stop]
        return [[figure_text(row[place]) for row in part] for place in range(len(table.columns))]

    write_rows(path, [column.key for column in table.columns], texts, len(rows))


def clipboard_text(tables: Sequence[FigureTable]) -> str:
    """Tables below one another, as spreadsheets take them: tabs between cells, titles above columns."""
    blocks = []
    for table in tables:
        lines = [[_title(column.title, column.unit) for column in table.columns]]
        lines += [[_one_line(figure_text(figure)) for figure in row] for row in table.rows]
        head = [table.title] if len(tables) > 1 else []
        blocks.append("\n".join([*head, *("\t".join(line) for line in lines)]))
    return "\n\n".join(blocks) + "\n"


def figure_text(figure: Figure) -> str:
    """A figure with all its digits; nothing where there is none."""
    if figure is None or (isinstance(figure, float) and math.isnan(figure)):
        return ""
    if isinstance(figure, (bool, int, str)):
        return str(figure)
    return repr(float(figure))


def _title(title: str, unit: str) -> str:
    return f"{title} ({unit})" if unit else title


def _one_line(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ")
