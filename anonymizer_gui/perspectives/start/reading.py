"""Reads a table for the open dialog: detects options, then reads with the chosen ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import TableError
from engine.monitor import SILENT, Monitor
from engine.qi_detection.value_forms import OfferedForms, offered_forms
from engine.records import Column, Table
from engine.records.candidates import Candidate, Misfits, candidates_of
from engine.records.chunks import has_any
from engine.records.columns_taken import named_apart
from engine.records.formats import JSON_LINES, PARQUET, ending_of, format_of
from engine.records.opening import open_beginning, open_table
from engine.records.opening.raw_rows import RawRows, raw_rows
from engine.records.opening.readers import reader_of
from engine.records.options import (
    AUTO,
    CATALOGS,
    DISK,
    LINES,
    MEMORY,
    PLACES,
    ROWS,
    SHEETS,
    VALUE_LABELS,
    ReadOptions,
)
from engine.records.places import files_of, is_several
from engine.records.reading import Reading
from engine.records.table_files import TEXT_ENDINGS, UNWRITABLE, exists
from engine.records.types import DataType
from engine.words import _

# Common words for missing values, which are offered if they occur. Others, such as a
# dash or "none", are too often ordinary values.
MISSING_WORDS = ("?", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan", "#N/A")
COMMENT = "#"
LARGE = 1 << 23  # bytes of a text, Parquet or JSON lines file above which a preview is read first
MOST_COMPARED = 200_000  # values of a column whose forms are compared
HEAD = 1 << 18  # bytes of the preview
_PACKED = 4  # assumed compression ratio


@dataclass(frozen=True)
class TypeChange:
    """Column whose further records do not have the type of the first ones.

    Attributes
    ----------
    n_cells : int
        Number of cells that do not parse as the type before; none if the new type is only wider.
    record : int
        First of these cells, from 0.
    """

    name: str
    before: DataType
    after: DataType
    n_cells: int = 0
    record: int = 0
    value: str = ""


def is_workbook(path: Path) -> bool:
    """Return whether a file has sheets to choose from."""
    own = format_of(path)
    return own is not None and own.has_sheets


def catalogs_of(path: Path) -> tuple[str, ...] | None:
    """Return the names of nearby files that may have the value labels of a table; None if it has none."""
    own = format_of(path)
    if own is None or not own.catalog:
        return None
    return tuple(sorted(p.name for p in path.parent.glob("*") if p.suffix.lower() == own.catalog))


def is_text(path: Path) -> bool:
    """Return whether a file, or the first of several, is read as text, with delimiter and encoding."""
    first = first_file(path)
    return ending_of(first) not in UNWRITABLE and reader_of(first) is None


def first_file(path: Path) -> Path:
    """Return the first file of a folder, pattern or list, if it has any; otherwise the path."""
    try:
        return files_of(path)[0]
    except TableError:  # reading says what is wrong
        return path


def may_be_text(path: Path) -> bool:
    """Return whether other options of text may read a table that could not be read."""
    first = first_file(path)
    is_there = first.name.lower().endswith(TEXT_ENDINGS) and exists(first) and first.is_file()
    return is_there and first.stat().st_size > 0


def sheets_of(path: Path, monitor: Monitor = SILENT) -> tuple[str, ...]:
    """Return the sheets of a workbook, the visible ones first; none for other files."""
    if not is_workbook(path):
        return ()
    from engine.records.programs.workbooks import sheet_names

    monitor.step(0, 1)
    return sheet_names(path)


def is_large(path: Path) -> bool:
    """Return whether a table is large enough for a preview; several files always are."""
    if is_several(path):
        return True
    if not exists(path) or not (is_text(path) or format_of(path) in (PARQUET, JSON_LINES)):
        return False
    return path.stat().st_size * (_PACKED if path.suffix.lower() == ".gz" else 1) > LARGE


def places_of(path: Path) -> tuple[str, ...]:
    """Return where the records may be while they are worked on, if the table is so large that it matters."""
    if not is_large(path):
        return ()
    return (AUTO, DISK) if is_several(path) else (AUTO, MEMORY, DISK)


def traits_of(path: Path) -> frozenset[str]:
    """Return what a file has that options of reading are about."""
    own = format_of(path)
    found = {
        LINES: is_text(path),
        ROWS: is_text(path) or is_workbook(path),
        SHEETS: is_workbook(path),
        VALUE_LABELS: own is not None and own.has_labels,
        CATALOGS: own is not None and bool(own.catalog),
        PLACES: is_large(path),
    }
    return frozenset(trait for trait, has in found.items() if has)


def offered_by(path: Path, sheets: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """Return the values that a file offers for options of reading, with their captions."""
    catalogs = [(name, name) for name in catalogs_of(path) or ()]
    return {
        "sheet": [(name, name) for name in sheets],
        "source": [(place, place) for place in places_of(path)],
        "catalog": [("", _("None")), *catalogs],
    }


def first_reading(
    path: Path, given: ReadOptions = ReadOptions(), monitor: Monitor = SILENT, *, is_head: bool = False
) -> Reading:
    """Detect all options that are not given, missing words and comments included, and read.

    With `is_head`, read the first records only.
    """
    try:
        reading = read_again(path, given, monitor, is_head=is_head)
    except TableError:
        if given.comment or is_several(path) or not is_text(path) or not _begins_with_comment(path):
            raise
        reading = read_again(path, replace(given, comment=COMMENT), monitor, is_head=is_head)
    missing = _all_missing(reading.table, given.missing)
    if missing == given.missing:
        return reading
    encoding = given.encoding if reading.encoding_is_guessed else reading.options.encoding
    chosen = replace(choices_of(reading.options), missing=missing, encoding=encoding)
    del reading  # frees the memory before the next reading
    return read_again(path, chosen, monitor, is_head=is_head)


def read_again(
    path: Path, options: ReadOptions, monitor: Monitor = SILENT, *, is_head: bool = False
) -> Reading:
    """Read with these options; options left open are detected again.

    A column with a value that does not fit the given type gets the detected type, and the reading
    lists the misfits. Columns with the same name get distinct ones.
    """
    try:
        return _read(path, options, monitor, is_head=is_head)
    except TableError as error:
        names = error.context.get("names")
        if options.take or not isinstance(names, tuple | list):
            raise
        return _read(path, replace(options, take=named_apart(names)), monitor, is_head=is_head)


def type_changes(head: Table, whole: Table, monitor: Monitor = SILENT) -> tuple[TypeChange, ...]:
    """Return the columns whose type differs from that of their first records, with the first misfit."""
    found = []
    for i, column in enumerate(whole.columns):
        monitor.step(i, len(whole.columns))
        before = head.column(column.name).data_type
        if column.data_type == before:
            continue
        wrong = Misfits(column, before)
        cells = wrong.cells(0, 1)
        record, value = cells[0] if cells else (0, "")
        found.append(TypeChange(column.name, before, column.data_type, wrong.n_cells, record, value))
    return tuple(found)


def choices_of(options: ReadOptions) -> ReadOptions:
    """Return the options that the user chooses in the dialog; the others follow from them."""
    return replace(options, decimal=None, thousands="", types={}, guessed=())


def file_choices(options: ReadOptions) -> ReadOptions:
    """Return the options of a file without those for its columns."""
    return replace(options, take=(), types={}, column_missing={}, replacements=(), forms={}, guessed=())


def candidates_for(column: Column, options: ReadOptions, monitor: Monitor = SILENT) -> tuple[Candidate, ...]:
    """Return the types some cells of a column parse as, from all its cells."""
    monitor.step(0, 1)
    return candidates_of(column, options.decimal or ".", options.thousands)


def misfits_of(column: Column, data_type: DataType, monitor: Monitor = SILENT) -> Misfits:
    """Return the cells of a column that do not parse as a type."""
    monitor.step(0, 1)
    found = Misfits(column, data_type)
    monitor.step(1, 2)
    _ = found.records, found.values
    return found


def offers_of(table: Table, monitor: Monitor = SILENT) -> dict[str, OfferedForms]:
    """Return the forms in which values of columns could be read, such as with their lost zeros."""
    found = {}
    for i, column in enumerate(table.columns):
        monitor.step(i, len(table.columns))
        if len(column.labels) <= MOST_COMPARED and (offered := offered_forms(column)) is not None:
            found[column.name] = offered
    return found


def raw_rows_of(path: Path, options: ReadOptions, monitor: Monitor = SILENT) -> RawRows | None:
    """Return the rows of a file as they are; None if it cannot be opened, which reading it explains."""
    try:
        return raw_rows(first_file(path), options, monitor)
    except TableError:
        return None


def _all_missing(table: Table, given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the given tokens and the words of the table that mean missing, including "" if it occurs."""
    known = tuple(word for word in given if word)
    words = (*known, *(word for word in _missing_words(table) if word not in known))
    if not words:
        return given
    return ("", *words) if any(has_any(column.labels, ("",)) for column in table.columns) else words


def _read(path: Path, options: ReadOptions, monitor: Monitor, *, is_head: bool) -> Reading:
    if is_head:
        monitor.step(0, 1)
        reading = open_beginning(path, options, HEAD)
    else:
        # Only text has options that reading refuses to guess.
        guess = is_text(path) and options.encoding is None
        reading = open_table(path, options, monitor, guess=guess, holds_types=False)
    for wrong in reading.misfits.values():
        _unused = wrong.records, wrong.values  # computed here, so that the window does not wait for them
    return reading


def _begins_with_comment(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(8).removeprefix(b"\xef\xbb\xbf").startswith(COMMENT.encode())
    except OSError:  # it is gone or locked, which the error of reading says
        return False


def _missing_words(table: Table) -> tuple[str, ...]:
    columns = [column for column in table.columns if has_any(column.labels, MISSING_WORDS)]
    counts = {
        word: sum(int(c.counts[c.labels.index(word)]) for c in columns if word in c.labels)
        for word in MISSING_WORDS
    }
    return tuple(sorted((word for word, n in counts.items() if n), key=lambda word: -counts[word]))
