"""What is on the clipboard as a table: cells of a spreadsheet or a page, or lines of a text file."""

from __future__ import annotations

from pathlib import Path

from engine.errors import TableError
from engine.files import atomic_write
from engine.table.pasted_html import table_of_html

_MOST = 1 << 28  # characters


def write_pasted(text: str, path: Path, html: str = "") -> None:
    """Write pasted text to a file that is then read like any other.

    Parameters
    ----------
    text : str
    path : Path
        Its ending should be .tsv or .csv; an existing file is replaced.
    html : str
        What is pasted where there is no text.

    Raises
    ------
    TableError
        There is no text, or far too much of it.
    """
    if not text.strip() and len(html) <= _MOST:
        text = table_of_html(html)
    if not text.strip():
        raise TableError(
            "There is nothing to paste as a table.", hint="Copy the cells of a table, with their header."
        )
    if len(text) > _MOST:
        raise TableError(
            f"The text to paste has {len(text):,} characters.",
            hint="Save it to a file in the program it comes from, and open that.",
        )
    content = text.replace("\0", "").encode("utf-8", errors="replace")
    with atomic_write(path) as file:
        file.write(content)
