"""Reads a table for the open dialog: detects, then reads with what the person chose."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.errors import TableError
from engine.monitor import SILENT, Monitor
from engine.table import Column, Table
from engine.table.candidates import Candidate, candidates_of
from engine.table.misfits import Misfits, misfits
from engine.table.reading import ReadOptions, ReadReport, read_reported
from engine.table.sources import EXCEL_ENDINGS, UNWRITABLE
from engine.table.types import DataType

# Words that mean missing in so many tables that they are offered when they occur. Others, such as a
# dash or "none", are values too often.
MISSING_WORDS = ("?", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan", "#N/A")
COMMENT = "#"


@dataclass(frozen=True, eq=False)
class Reading:
    """A table as the options read it, the options with everything filled in, and what to look at."""

    table: Table
    options: ReadOptions
    encoding_is_guessed: bool = False
    report: ReadReport = field(default_factory=ReadReport)
    typed: frozenset[str] = frozenset()  # the columns whose type was given


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
    """Detect everything that is not given, missing words and comments included, and read."""
    try:
        reading = _read(path, given, monitor, guess=True)
    except TableError:
        if given.comment or not is_text(path) or not _begins_with_comment(path):
            raise
        reading = _read(path, replace(given, comment=COMMENT), monitor, guess=True)
    words = _missing_words(reading.table)
    if words:
        has_empty = any("" in column.labels for column in reading.table.columns)
        missing = ("", *words) if has_empty else words
        chosen = replace(choices_of(reading.options), missing=missing)
        reading = replace(read_again(path, chosen, monitor), encoding_is_guessed=reading.encoding_is_guessed)
    return reading


def read_again(path: Path, options: ReadOptions, monitor: Monitor = SILENT) -> Reading:
    """Read with these options; whatever they leave open is detected anew."""
    return _read(path, options, monitor, guess=False)


def choices_of(options: ReadOptions) -> ReadOptions:
    """What a person chooses in the dialog; the rest follows from it."""
    return replace(options, decimal=None, thousands="", types={}, guessed=())


def candidates_for(column: Column, options: ReadOptions, monitor: Monitor = SILENT) -> tuple[Candidate, ...]:
    """The types some cells of a column parse as, from all its cells."""
    monitor.step(0, 1)
    return candidates_of(column, options.decimal or ".", options.thousands)


def misfits_of(column: Column, data_type: DataType, monitor: Monitor = SILENT) -> Misfits:
    """The cells of a column that do not parse as a type, found already."""
    monitor.step(0, 1)
    found = misfits(column, data_type)
    monitor.step(1, 2)
    _ = found.records, found.values
    return found


def _read(path: Path, options: ReadOptions, monitor: Monitor, *, guess: bool) -> Reading:
    # Only text leaves choices that reading itself refuses to guess.
    table, found, report = read_reported(path, options, monitor, guess=guess and is_text(path))
    return Reading(table, found, "encoding" in found.guessed, report, frozenset(options.types))


def _begins_with_comment(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(8).removeprefix(b"\xef\xbb\xbf").startswith(COMMENT.encode())


def _missing_words(table: Table) -> tuple[str, ...]:
    counts = {
        word: sum(int(c.counts[c.labels.index(word)]) for c in table.columns if word in c.labels)
        for word in MISSING_WORDS
    }
    return tuple(sorted((word for word, n in counts.items() if n), key=lambda word: -counts[word]))
