"""Formats of table files: their endings and readers, and those that a release is written in.

Every list of formats in commands, recipes and window follows from these declarations. Files of any other
ending are read as text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from engine.errors import TableError
from engine.words import N_, _


@dataclass(frozen=True)
class Format:
    """A format that is not text, and what reads it.

    Attributes
    ----------
    name, files : str
        What a file is called in messages, and several of them.
    reader : tuple of str
        Module and name of the function that takes path, options and monitor, and returns raw columns.
    library : str
        The optional library that reads it; empty for none.
    is_apart : bool
        Whether it is always read in a subprocess, because its library cannot be stopped, or may crash on a
        crafted file.
    has_sheets, has_encoding, has_labels : bool
        Whether a file has sheets to choose from, whether one may declare a wrong encoding, and whether values
        may have labels.
    catalog : str
        Ending of a separate file with the value labels; empty for none.
    """

    name: str
    files: str
    endings: tuple[str, ...]
    reader: tuple[str, str]
    library: str = ""
    is_apart: bool = False
    has_sheets: bool = False
    has_encoding: bool = False
    has_labels: bool = False
    catalog: str = ""

    def read(self, path: Path, *arguments: Any) -> Any:
        """Return the raw columns of a file; the reader is imported now."""
        module, name = self.reader
        read: Callable[..., Any] = getattr(import_module(module), name)
        return read(path, *arguments)


EXCEL = Format(
    N_("Excel workbook"),
    N_("Excel workbooks"),
    (".xlsx", ".xlsm"),
    ("engine.records.programs.workbooks", "read_excel"),
    library="openpyxl",
    has_sheets=True,
)
OLD_EXCEL = replace(EXCEL, endings=(".xls",), library="xlrd", is_apart=True)
OPEN_DOCUMENT = replace(
    OLD_EXCEL,
    name=N_("OpenDocument sheet"),
    files=N_("OpenDocument sheets"),
    endings=(".ods",),
    library="python_calamine",
)
SPSS = Format(
    N_("SPSS file"),
    N_("SPSS files"),
    (".sav",),
    ("engine.records.programs.statistical", "read_labelled"),
    library="pyreadstat",
    is_apart=True,
    has_encoding=True,
    has_labels=True,
)
PORTABLE = replace(
    SPSS,
    name=N_("SPSS portable file"),
    files=N_("SPSS portable files"),
    endings=(".por",),
    has_encoding=False,
)
STATA = replace(SPSS, name=N_("Stata file"), files=N_("Stata files"), endings=(".dta",))
SAS = replace(
    SPSS,
    name=N_("SAS file"),
    files=N_("SAS files"),
    endings=(".sas7bdat", ".xpt"),
    catalog=".sas7bcat",
)
PARQUET = Format(
    N_("Parquet file"), N_("Parquet files"), (".parquet",), ("engine.records.frames.parquet", "read_parquet")
)
FEATHER = Format(
    N_("Feather file"),
    N_("Feather files"),
    (".feather",),
    ("engine.records.frames.parquet", "read_feather"),
    is_apart=True,
)
JSON_LINES = Format(
    N_("JSON lines file"),
    N_("JSON lines files"),
    (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    ("engine.records.text.json_lines", "read_json_lines"),
)
FORMATS = (EXCEL, OLD_EXCEL, OPEN_DOCUMENT, SPSS, PORTABLE, STATA, SAS, PARQUET, FEATHER, JSON_LINES)
_BY_ENDING = {ending: own for own in FORMATS for ending in own.endings}


def ending_of(path: Path) -> str:
    """Return the ending that gives the format of a file, in lower case; `.jsonl.gz` is one, too."""
    packed = "".join(path.suffixes[-2:]).lower()
    return packed if packed in _BY_ENDING else path.suffix.lower()


def format_of(path: Path) -> Format | None:
    """Return the format of a file by its ending, in any case; None for text."""
    return _BY_ENDING.get(ending_of(path))


def has_types(path: Path) -> bool:
    """Return whether cells of a file have types, so that columns of numbers and dates hold no texts."""
    own = format_of(path)
    return own is not None and (own.has_labels or own in (PARQUET, FEATHER))


def endings_of(*formats: Format) -> tuple[str, ...]:
    """Return the endings of formats, in their order."""
    return tuple(ending for own in formats for ending in own.endings)


BEGIN = 1 << 12  # bytes that show it
_SHORTEST = 4  # bytes of a signature of which a damaged file may have no more
_GZIP = b"\x1f\x8b"
_BINARY = (SPSS, STATA, SAS, PARQUET, FEATHER)  # whose files have bytes that no text has
_SIGNATURES = (  # begin, end, what it is, its ending
    (b"PK\x03\x04", b"", N_("an Excel workbook or a zip archive"), ".xlsx"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", N_("an Excel workbook from before 2007"), ".xls"),
    (b"PAR1", b"PAR1", N_("a Parquet file"), ".parquet"),
    (b"$FL2@(#)", b"", N_("an SPSS file"), ".sav"),
    (b"<stata_dta>", b"", N_("a Stata file"), ".dta"),
    (b"\0" * 12 + b"\xc2\xea\x81\x60", b"", N_("a SAS file"), ".sas7bdat"),
    (b"HEADER RECORD*******LIB", b"", N_("a SAS transport file"), ".xpt"),
    (b"ARROW1", b"ARROW1", N_("a Feather file"), ".feather"),
    (b"FEA1", b"FEA1", N_("a Feather file"), ".feather"),
)


def empty_file(name: str) -> TableError:
    """Return the error for a file without a table."""
    hint = _("Choose a file with records.")
    return TableError(_("'{name}' is empty.").format(name=name), hint=hint, file=name, is_empty=True)


def refuse_no_text(path: Path, raw: bytes) -> bytes:
    """Return the bytes of a text file; refuse another format under a wrong name by its first bytes."""
    for start, end, what, ending in _SIGNATURES:
        if raw.startswith(start) and raw.endswith(end):
            raise TableError(
                _("'{name}' is not a text file: it begins like {format}.").format(
                    name=path.name, format=_(what)
                ),
                hint=_("Give it the ending {ending} (unpacked), or save the table as CSV (UTF-8).").format(
                    ending=ending
                ),
                file=path.name,
            )
    return raw


def refuse_other_format(path: Path, begin: bytes) -> None:
    """Refuse a file that is not of the format of its ending, by its first bytes.

    Raises
    ------
    TableError
        It is empty, of another known format, text instead of a binary format, or not packed.
    """
    own = format_of(path)
    if own is None:  # text is looked at when it is read
        return
    name = path.name
    if not begin and not own.has_sheets:
        raise empty_file(name)
    if path.suffix.lower() == ".gz":
        if not begin.startswith(_GZIP):
            raise TableError(
                _("'{name}' cannot be unpacked, because it is not a complete gzip file.").format(name=name),
                hint=_("Download or pack the file again."),
                file=name,
            )
        return
    alike = [(what, ending) for start, _end, what, ending in _SIGNATURES if begin.startswith(start)]
    if own.has_sheets:  # two workbooks may begin alike
        alike = [found for found in alike if found[1] not in (".xlsx", ".xls")]
    found = alike[0] if alike else None
    if found is None and own is not JSON_LINES and begin.startswith(_GZIP):
        found = (N_("a file packed with gzip"), ".gz")
    if found is not None and format_of(Path(f"file{found[1]}")) is own:
        return
    owned = [start for start, _end, _what, ending in _SIGNATURES if ending in own.endings]
    is_damaged = any(begin.startswith(start[:_SHORTEST]) for start in owned)
    if found is None and own in _BINARY and not is_damaged and _is_text(begin):
        is_json = begin.lstrip(b"\xef\xbb\xbf \r\n").startswith(b"{")
        found = (N_("a JSON lines file"), ".jsonl") if is_json else (N_("a text"), ".csv")
    if found is None:
        return
    raise TableError(
        _("'{name}' is not a valid {format}: it begins like {other}.").format(
            name=name, format=_(own.name), other=_(found[0])
        ),
        hint=_("If it is one, give it the ending {ending}.").format(ending=found[1]),
        file=name,
    )


def _is_text(begin: bytes) -> bool:
    """Return whether bytes are the beginning of a text in UTF-8."""
    text = begin.decode("utf-8", "ignore")
    n_cut = len(begin) - len(text.encode("utf-8"))
    return n_cut < 4 and all(letter.isprintable() or letter in "\t\r\n" for letter in text)
