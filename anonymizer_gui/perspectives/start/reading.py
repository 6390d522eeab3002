"""Reads a table for the open dialog: detects, then reads with what the person chose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from engine.monitor import SILENT, Monitor
from engine.table import Table
from engine.table.reading import ReadOptions, detect, read_table
from engine.table.sources import EXCEL_ENDINGS, UNWRITABLE

# Words that mean missing in so many tables that they are offered when they occur. Others, such as a
# dash or "none", are values too often.
MISSING_WORDS = ("?", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan", "#N/A")


@dataclass(frozen=True, eq=False)
class Reading:
    """A table as the options read it, and the options with everything filled in."""

    table: Table
    options: ReadOptions
    encoding_is_guessed: bool = False


def is_workbook(path: Path) -> bool:
    """Whether a file has sheets to choose from."""
    return path.suffix.lower() in EXCEL_ENDINGS


def is_text(path: Path) -> bool:
    """Whether a file is read as text, so that delimiter and encoding mean something."""
    return path.suffix.lower() not in UNWRITABLE


def sheets_of(path: Path, monitor: Monitor = SILENT) -> tuple[str, ...]:
    """The sheets of a workbook, the visible ones first; none for other files."""
    if not is_workbook(path):
        return ()
    from engine.table.excel import sheet_names

    monitor.step(0, 1)
    return sheet_names(path)


def first_reading(path: Path, given: ReadOptions = ReadOptions(), monitor: Monitor = SILENT) -> Reading:
    """Detect everything that is not given, missing words included, and read."""
    # Only text leaves choices that reading itself refuses to guess.
    found = detect(path, given, monitor) if is_text(path) else given
    reading = read_again(path, choices_of(found), monitor)
    words = _missing_words(reading.table)
    if words:
        has_empty = any("" in column.labels for column in reading.table.columns)
        missing = ("", *words) if has_empty else words
        chosen = choices_of(reading.options)
        reading = read_again(path, replace(chosen, missing=missing), monitor)
    return replace(reading, encoding_is_guessed="encoding" in found.guessed)


def read_again(path: Path, options: ReadOptions, monitor: Monitor = SILENT) -> Reading:
    """Read with these options; types and decimal mark are detected anew."""
    table, filled = read_table(path, options, monitor)
    return Reading(table, filled)


def choices_of(options: ReadOptions) -> ReadOptions:
    """What a person chooses in the dialog; the rest follows from it."""
    return replace(options, decimal=None, types={}, guessed=())


def _missing_words(table: Table) -> tuple[str, ...]:
    counts = {
        word: sum(int(c.counts[c.labels.index(word)]) for c in table.columns if word in c.labels)
        for word in MISSING_WORDS
    }
    return tuple(sorted((word for word, n in counts.items() if n), key=lambda word: -counts[word]))
