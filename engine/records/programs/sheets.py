"""Excel workbooks of both formats and OpenDocument sheets as plain values, read row by row."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from operator import mul
from pathlib import Path
from typing import IO, Any, Protocol

from engine.errors import TableError
from engine.monitor import Monitor
from engine.numbers import as_decimal, as_exact_count
from engine.records.formats import OPEN_DOCUMENT
from engine.records.frames.parquet import FEW_CELLS, refuse_cells
from engine.records.table_files import checked_path, need, read_by_library
from engine.words import N_, _

WHAT = N_("Excel workbook")
_ZIP, _COMPOUND = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PROTECTED = "EncryptedPackage".encode("utf-16-le")
_BLOCK = 1 << 20
_SHEETS = "xl/worksheets/"  # read in pieces, because they may be large
_OVERLAP = 1 << 16  # longer than any formula
# Limits of the unpacked size: a crafted file of some kilobytes would fill memory and disk.
_MOST_BYTES, _SMALL, _MOST_RATIO = 1 << 32, 1 << 28, 500
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=\"([A-Z0-9:]+)\"")
_FORMULA = re.compile(
    rb"<(?:\w+:)?c\b([^>]*)>\s*<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v\b[^>]*>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_CELL = re.compile(rb"<table:table-cell(?=[ />])")
_COLUMNS_REPEATED, _ROWS_REPEATED, _SPACES = (
    re.compile(rb"\b" + name + rb"""\s*=\s*["']\s*([0-9]+)""")
    for name in (b"table:number-columns-repeated", b"table:number-rows-repeated", b"text:c")
)
_DIGITS = 18  # of a number of repetitions; more are too many anyway
_TABLE, _ROW = re.compile(rb"<table:table[ >]"), re.compile(rb"<table:table-row[ />]")
_XML = (".xml", ".rels", ".vml")
_PROLOG = 1 << 16
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_ROOT = re.compile(rb"<[A-Za-z_]")
_ZEROS = re.compile("00+")
_PLACE = re.compile(rb' r="([A-Z]{1,3})[0-9]+"')
_WIDEST = 16_384  # columns of a sheet
_CELLS_PER_BYTE = 16  # cells; in a packed file a value takes some bytes, and most cells of a table have one
_REFERENCE = re.compile(rb'\br="([A-Z]+[0-9]+)"')


class Workbook(Protocol):
    """An open workbook."""

    sheets: Sequence[str]  # names of those with cells, the visible ones first

    def check(self, sheet: str, monitor: Monitor, skip_rows: int = 0) -> None:
        """Raise `TableError` if cells of a sheet, below the skipped rows, do not hold what Excel shows."""

    def merged(self, sheet: str) -> Sequence[tuple[int, int, int, int]]:
        """Return first and last row, first and last column of merged cells, from 1."""

    def size(self, sheet: str) -> int:
        """Return the number of rows according to the file; 0 if unknown."""

    def rows(self, sheet: str) -> Iterator[Sequence[Any]]:
        """Yield the cells of each row: None, text, boolean, number, date, time of day or duration.

        Whole numbers that the sheet shows with leading zeros, such as postal codes, are texts.
        """


@contextmanager
def opened(path: Path) -> Iterator[Workbook]:
    """Open a workbook; its content determines which of the three kinds it is, not its ending.

    Raises
    ------
    TableError
        The file is missing, not a workbook, protected by a password, damaged, or unpacks to too much.
    """
    checked_path(path)
    with path.open("rb") as file:
        start = file.read(8)
    if start.startswith(_ZIP) and _is_open_document(path):
        with closing(_OpenDocument(path)) as document:
            yield document
    elif start.startswith(_ZIP):
        with closing(_Packed(path)) as book:
            yield book
    elif start == _COMPOUND:
        if _PROTECTED in path.read_bytes():
            raise _protected(path)
        with closing(_Compound(path)) as old:
            yield old
    else:
        raise TableError(
            _("'{name}' is not a workbook.").format(name=path.name)
            if start
            else _("'{name}' is empty.").format(name=path.name),
            hint=_(
                "Open it in the program that created it and save it again. Text files need the ending .csv."
            ),
            file=path.name,
        )


class _Packed:
    """A workbook since 2007, XML packed as zip, read by openpyxl."""

    def __init__(self, path: Path) -> None:
        self._path = path
        library = need("openpyxl.reader.excel", path.name)
        with read_by_library(path.name, _(WHAT)):
            with zipfile.ZipFile(path) as archive:
                _check_sizes(path, archive)
                _check_declarations(path, archive)
            self._reader = reader = library.ExcelReader(path, read_only=True, keep_links=False)
            # All but the sheets, which the library would read once more for their size.
            reader.read_manifest()
            reader.read_strings()
            reader.read_workbook()
            library.apply_stylesheet(reader.archive, reader.wb)
            self._members: dict[str, str] = {}  # of each sheet, its file in the archive
            visible = []
            for sheet, link in reader.parser.find_sheets():
                if link.target in reader.valid_files and "chartsheet" not in link.Type:
                    self._members.setdefault(sheet.name, link.target)
                    visible += [sheet.name] if sheet.state == "visible" else []
            self.sheets: Sequence[str] = (*visible, *(n for n in self._members if n not in visible))
        self._n_rows: dict[str, int] = {}

    def close(self) -> None:
        self._reader.archive.close()

    def check(self, sheet: str, monitor: Monitor, skip_rows: int = 0) -> None:
        member = self._members[sheet]
        with read_by_library(self._path.name, _(WHAT)), zipfile.ZipFile(self._path) as archive:
            size = archive.getinfo(member).file_size
            with archive.open(member) as xml:
                block, done, n_rows, width = b"", 0, 0, 0
                while piece := xml.read(_BLOCK):
                    block, done = block[-_OVERLAP:] + piece, done + len(piece)
                    n_rows += piece.count(b"/row>") + piece.count(b":row>")
                    width = max(width, _last_column(piece))
                    refuse_sparse(self._path, sheet, n_rows, width)
                    monitor.step(min(done, size), size, _("Checking {file}").format(file=self._path.name))
                    self._check_block(sheet, block, skip_rows)
                self._n_rows[sheet] = n_rows

    def merged(self, sheet: str) -> Sequence[tuple[int, int, int, int]]:
        from openpyxl.utils import range_boundaries

        found: dict[str, None] = {}  # of pieces that overlap
        with read_by_library(self._path.name, _(WHAT)), zipfile.ZipFile(self._path) as archive:
            with archive.open(self._members[sheet]) as xml:
                block = b""
                while piece := xml.read(_BLOCK):
                    block = block[-_OVERLAP:] + piece
                    found |= dict.fromkeys(own.group(1).decode() for own in _MERGED.finditer(block))
            bounds = [range_boundaries(cells) for cells in found]
        return [(top, bottom, left, right) for left, top, right, bottom in bounds]

    def size(self, sheet: str) -> int:
        return self._n_rows.get(sheet, 0)

    def rows(self, sheet: str) -> Iterator[Sequence[Any]]:
        with read_by_library(self._path.name, _(WHAT)):
            texts, digits = self._reader.shared_strings, self._digits()
            with zipfile.ZipFile(self._path) as archive, archive.open(self._members[sheet]) as xml:
                yield from self._numbered(sheet, sheet_rows(xml, self._reader.wb, texts, digits))

    def _numbered(self, sheet: str, rows: Iterator[Sequence[Any]]) -> Iterator[Sequence[Any]]:
        """Yield the rows; a cell that is marked as a number and is not one is refused with its row."""
        done = 0
        while True:
            try:
                row = next(rows, None)
            except (ValueError, OverflowError) as error:
                raise TableError(
                    _(
                        "'{name}', sheet '{sheet}': a cell in row {row} or below is marked as a "
                        "number or date, but contains something else."
                    ).format(name=self._path.name, sheet=sheet, row=done + 1),
                    hint=_("Open the workbook in Excel or LibreOffice and save it again."),
                    file=self._path.name,
                    sheet=sheet,
                ) from error
            if row is None:
                return
            done += 1
            yield row

    def _digits(self) -> dict[int, int]:
        """Return the minimum number of digits of each style that adds leading zeros."""
        usual = need("openpyxl.styles.numbers", self._path.name).BUILTIN_FORMATS
        own = dict(enumerate(self._reader.wb._number_formats, start=164))  # lower numbers are built in
        formats = {
            i: (usual | own).get(style.numFmtId, "") for i, style in enumerate(self._reader.wb._cell_styles)
        }
        return {i: len(pattern) for i, pattern in formats.items() if _ZEROS.fullmatch(pattern)}

    def _check_block(self, sheet: str, xml: bytes, skip_rows: int) -> None:
        for merged in _MERGED.finditer(xml):
            cells = merged.group(1).decode()
            last = int("0" + cells[len(cells.rstrip("0123456789")) :])
            if last > skip_rows:
                raise _merged(self._path, sheet, cells, last)
        if b"<f" not in xml and b":f" not in xml:
            return  # a search of the pattern takes longer
        for formula in _FORMULA.finditer(xml):
            if b't="str"' not in formula.group(1):  # such a formula has an empty text as its result
                place = _REFERENCE.search(formula.group(1))
                if place:
                    problem = _(
                        "'{name}', sheet '{sheet}': the formula in cell {cell} has no result in the file."
                    )
                else:
                    problem = _("'{name}', sheet '{sheet}': a formula has no result in the file.")
                cell = place.group(1).decode() if place else ""
                raise TableError(
                    problem.format(name=self._path.name, sheet=sheet, cell=cell),
                    hint=_(
                        "Open the workbook in Excel or LibreOffice and save it, so that the "
                        "formulas are computed."
                    ),
                    file=self._path.name,
                    sheet=sheet,
                )


def sheet_rows(
    source: IO[bytes], book: Any, texts: Sequence[str], digits: Mapping[Any, int]
) -> Iterator[Sequence[Any]]:
    """Yield the cells of each row of a sheet, an empty row for each that the sheet leaves out.

    Parameters
    ----------
    source : binary file
        The XML of the sheet.
    book : openpyxl.Workbook
        Says which styles show dates, and from which day they count.
    texts : sequence of str
        Texts that cells name by number.
    digits : mapping of int to int
        Least number of digits of each style that shows leading zeros.
    """
    from openpyxl.worksheet._reader import WorkSheetParser

    parser = WorkSheetParser(
        source,
        texts,
        data_only=True,
        epoch=book.epoch,
        date_formats=book._date_formats,
        timedelta_formats=book._timedelta_formats,
    )
    due = 1
    for number, cells in parser.parse():
        yield from ((),) * (number - due)
        if due <= number:
            width = cells[-1]["column"] if cells else 0
            row = [None] * width  # which is as wide as its last cell says
            for cell in cells:
                if cell["column"] <= width:
                    row[cell["column"] - 1] = _padded(cell["value"], digits.get(cell["style_id"], 0))
            yield row
            due = number + 1


def _padded(value: Any, digits: int) -> Any:
    """Return a whole number as its sheet shows it if that has leading zeros, otherwise the value itself."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_shown = digits and is_number and value >= 0 and value == int(value)
    return str(int(value)).zfill(digits) if is_shown else value


class _Compound:
    """A workbook from before 2007, read by xlrd."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._xlrd = xlrd = need("xlrd", path.name)
        try:
            with read_by_library(path.name, _(WHAT)):  # what the library prints may contain cells
                self._book = xlrd.open_workbook(
                    path, formatting_info=True, on_demand=True, logfile=io.StringIO()
                )
        except TableError as error:
            raise _protected(path) if "encrypted" in str(error.__cause__) else error from None
        names = self._book.sheet_names()
        hidden = {i for i, seen in enumerate(self._book._sheet_visibility) if seen}
        self.sheets: Sequence[str] = (
            *(name for i, name in enumerate(names) if i not in hidden),
            *(name for i, name in enumerate(names) if i in hidden),
        )

    def close(self) -> None:
        self._book.release_resources()

    def check(self, sheet: str, monitor: Monitor, skip_rows: int = 0) -> None:
        with read_by_library(self._path.name, _(WHAT)):
            for first, last, left, right in self._book.sheet_by_name(sheet).merged_cells:
                if last <= skip_rows:
                    continue
                cells = (self._xlrd.cellname(first, left), self._xlrd.cellname(last - 1, right - 1))
                raise _merged(self._path, sheet, ":".join(cells), last)

    def merged(self, sheet: str) -> Sequence[tuple[int, int, int, int]]:
        with read_by_library(self._path.name, _(WHAT)):
            found = self._book.sheet_by_name(sheet).merged_cells
        return [(first + 1, last, left + 1, right) for first, last, left, right in found]

    def size(self, sheet: str) -> int:
        return int(self._book.sheet_by_name(sheet).nrows)

    def rows(self, sheet: str) -> Iterator[Sequence[Any]]:
        with read_by_library(self._path.name, _(WHAT)):
            cells = self._book.sheet_by_name(sheet)
            digits = {
                i: len(style.format_str)
                for i, style in self._book.format_map.items()
                if _ZEROS.fullmatch(style.format_str or "")
            }
            keys = [digits.get(style.format_key, 0) for style in self._book.xf_list]
            for row in range(cells.nrows):
                yield [_padded(self._value(cell), keys[cell.xf_index]) for cell in cells.row(row)]

    def _value(self, cell: Any) -> Any:
        xlrd = self._xlrd
        if cell.ctype in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK):
            return None
        if cell.ctype == xlrd.XL_CELL_BOOLEAN:
            return bool(cell.value)
        if cell.ctype == xlrd.XL_CELL_ERROR:
            return xlrd.error_text_from_code.get(cell.value, "#ERROR!")
        if cell.ctype == xlrd.XL_CELL_DATE:
            return self._moment(float(cell.value))
        return cell.value

    def _moment(self, days: float) -> datetime.date | datetime.time | str:
        """Return a date, or the time of day if there is no date; Excel shows other numbers as #VALUE!."""
        try:
            moment: datetime.datetime = self._xlrd.xldate.xldate_as_datetime(days, self._book.datemode)
        except (OverflowError, ValueError):
            return "#VALUE!"
        return moment.time() if 0 <= days < 1 else moment


class _OpenDocument:
    """A sheet of LibreOffice and others, XML packed as zip, read by calamine."""

    def __init__(self, path: Path) -> None:
        self._path = path
        library = need("python_calamine", path.name)
        try:
            with read_by_library(path.name, _(OPEN_DOCUMENT.name)):
                with zipfile.ZipFile(path) as archive:
                    _check_sizes(path, archive)
                    _check_declarations(path, archive)
                    _check_repeats(path, archive.read("content.xml"))
                self._book = library.CalamineWorkbook.from_path(path)
                seen = library.SheetVisibleEnum.Visible
                sheets = [(own.name, own.visible == seen) for own in self._book.sheets_metadata]
        except TableError as error:
            raise _protected(path) if isinstance(error.__cause__, library.PasswordError) else error from None
        self.sheets: Sequence[str] = [name for name, _unused in sorted(sheets, key=lambda own: not own[1])]

    def close(self) -> None:
        self._book.close()

    def check(self, sheet: str, monitor: Monitor, skip_rows: int = 0) -> None:
        for number, *_unused in self.merged(sheet):
            if number > skip_rows:
                raise _merged(self._path, sheet, "", number)

    def merged(self, sheet: str) -> Sequence[tuple[int, int, int, int]]:
        with read_by_library(self._path.name, _(OPEN_DOCUMENT.name)):
            with zipfile.ZipFile(self._path) as archive:
                xml = archive.read("content.xml")
            tables = _TABLE.split(xml)[1:]
            rows = _ROW.split(tables[self._book.sheet_names.index(sheet)])[1:]
        found = (number for number, row in enumerate(rows, start=1) if b"covered-table-cell" in row)
        return [(number, number, 1, _WIDEST) for number in found]

    def size(self, sheet: str) -> int:
        return 0

    def rows(self, sheet: str) -> Iterator[Sequence[Any]]:
        with read_by_library(self._path.name, _(OPEN_DOCUMENT.name)):
            own = self._book.get_sheet_by_name(sheet)
            for row in own.iter_rows():
                yield [None if cell == "" else cell for cell in row]


def _check_repeats(path: Path, xml: bytes) -> None:
    """Refuse a sheet with more cells or spaces than its file can hold: a few bytes can repeat either."""
    n_cells = n_spaces = widest = 0
    for row in _ROW.split(xml)[1:]:
        times = sum(_numbers(_ROWS_REPEATED, row.partition(b">")[0])) or 1
        texts = [cell for cell in _CELL.split(row)[1:] if b":value-type" in cell]
        copies = [sum(_numbers(_COLUMNS_REPEATED, cell)) or 1 for cell in texts]
        spaces = [sum(_numbers(_SPACES, cell)) for cell in texts]
        n_cells += times * sum(copies)
        n_spaces += times * sum(map(mul, copies, spaces))
        widest = max(widest, sum(copies))
    refuse_cells(n_cells, widest, path.stat().st_size, f"'{path.name}'", path.name)
    if n_spaces > _SMALL:
        raise _too_large(path, n_spaces)


def _numbers(repeated: re.Pattern[bytes], xml: bytes) -> list[int]:
    """Return the numbers of repetitions that a piece of XML states; very large ones are cut off."""
    return [int(number[:_DIGITS]) for number in repeated.findall(xml)]


def _too_large(path: Path, n_bytes: int) -> TableError:
    return TableError(
        _("'{name}' would unpack to {file_size} GB.").format(
            name=path.name, file_size=as_decimal(n_bytes / 1000000000.0, 1)
        ),
        hint=_("If the file is genuine, save the table as CSV and open that."),
        file=path.name,
    )


def _is_open_document(path: Path) -> bool:
    with read_by_library(path.name, _(WHAT)), zipfile.ZipFile(path) as archive:
        return "content.xml" in archive.namelist()


def _check_sizes(path: Path, archive: zipfile.ZipFile) -> None:
    for member in archive.infolist():
        is_odd = member.file_size > max(_SMALL, _MOST_RATIO * member.compress_size)
        if member.file_size > _MOST_BYTES or is_odd:
            raise _too_large(path, member.file_size)


def _check_declarations(path: Path, archive: zipfile.ZipFile) -> None:
    """Refuse XML with a document type, whose entities could become anything or name other files."""
    for member in archive.infolist():
        if member.is_dir() or not member.filename.lower().endswith(_XML):
            continue
        with archive.open(member) as xml:
            begin = xml.read(_PROLOG).replace(b"\0", b"")  # UTF-16 has zeros between the characters
            if not member.filename.startswith(_SHEETS):
                while xml.read(_BLOCK):  # a member with a wrong size fails here, before it is read at once
                    pass
        has_root = _ROOT.search(_COMMENT.sub(b"", begin)) is not None
        if b"<!DOCTYPE" in begin or (member.file_size > _PROLOG and not has_root):
            raise TableError(
                _("'{name}' declares a document type in '{filename}', which workbooks do not need.").format(
                    name=path.name, filename=member.filename
                ),
                hint=_("Open it in Excel or LibreOffice and save it again."),
                file=path.name,
                member=member.filename,
            )


def _last_column(xml: bytes) -> int:
    """Return the position of the last cell in a piece of a sheet, from 1; 0 if there is none."""
    found = _PLACE.match(xml, max(0, xml.rfind(b' r="')))
    letters = found.group(1) if found else b""
    return sum((letter - 64) * 26**power for power, letter in enumerate(reversed(letters)))


def refuse_sparse(path: Path, sheet: str, n_rows: int, width: int) -> None:
    """Check that a sheet is not so wide and long that its empty cells fill the memory.

    Parameters
    ----------
    n_rows, width : int
        Rows with cells, and columns up to the last one with any.

    Raises
    ------
    TableError
        It has far more cells than the file can have values.
    """
    n_cells = n_rows * width
    if n_cells > max(FEW_CELLS, _CELLS_PER_BYTE * path.stat().st_size):
        raise TableError(
            _(
                "'{name}', sheet '{sheet}': {n_rows} rows and {width} columns, nearly all of them empty."
            ).format(name=path.name, sheet=sheet, n_rows=as_exact_count(n_rows), width=as_exact_count(width)),
            hint=_("Delete the cells outside the table, or save the table as CSV and open that."),
            file=path.name,
            sheet=sheet,
        )


def _protected(path: Path) -> TableError:
    return TableError(
        _("'{name}' is protected by a password.").format(name=path.name),
        hint=_("Open it in the program that created it and save it without a password."),
        file=path.name,
    )


def _merged(path: Path, sheet: str, cells: str, row: int) -> TableError:
    problem = _("'{name}', sheet '{sheet}': the cells {cells} are merged, and only one of them has a value.")
    if not cells:
        problem = _(
            "'{name}', sheet '{sheet}': row {row} has merged cells, and only one of them has a value."
        )
    return TableError(
        problem.format(name=path.name, sheet=sheet, cells=cells, row=as_exact_count(row)),
        hint=_(
            "Skip rows if they are a title above the table. Otherwise unmerge them and write the value into "
            "every cell it belongs to."
        ),
        file=path.name,
        sheet=sheet,
        cells=cells,
    )
