"""Formats of table files: their endings and readers, and those that a release is written in.

Every list of formats in commands, recipes and window follows from these declarations. Files of any other
ending are read as text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from engine.words import N_


@dataclass(frozen=True)
class Format:
    """A format that is not text, and what reads it.

    Attributes
    ----------
    name, files : str
        What a file is called in messages, and several of them.
    endings : tuple of str
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
    ("engine.table.excel", "read_excel"),
    library="openpyxl",
    has_sheets=True,
)
OLD_EXCEL = Format(
    N_("Excel workbook"),
    N_("Excel workbooks"),
    (".xls",),
    ("engine.table.excel", "read_excel"),
    library="xlrd",
    is_apart=True,
    has_sheets=True,
)
OPEN_DOCUMENT = Format(
    N_("OpenDocument sheet"),
    N_("OpenDocument sheets"),
    (".ods",),
    ("engine.table.excel", "read_excel"),
    library="python_calamine",
    is_apart=True,
    has_sheets=True,
)
SPSS = Format(
    N_("SPSS file"),
    N_("SPSS files"),
    (".sav",),
    ("engine.table.spss", "read_spss"),
    library="pyreadstat",
    is_apart=True,
    has_encoding=True,
    has_labels=True,
)
PORTABLE = Format(
    N_("SPSS portable file"),
    N_("SPSS portable files"),
    (".por",),
    ("engine.table.spss", "read_portable"),
    library="pyreadstat",
    is_apart=True,
    has_labels=True,
)
STATA = Format(
    N_("Stata file"),
    N_("Stata files"),
    (".dta",),
    ("engine.table.stata", "read_stata"),
    library="pyreadstat",
    is_apart=True,
    has_encoding=True,
    has_labels=True,
)
SAS = Format(
    N_("SAS file"),
    N_("SAS files"),
    (".sas7bdat", ".xpt"),
    ("engine.table.sas", "read_sas"),
    library="pyreadstat",
    is_apart=True,
    has_encoding=True,
    has_labels=True,
    catalog=".sas7bcat",
)
PARQUET = Format(
    N_("Parquet file"), N_("Parquet files"), (".parquet",), ("engine.table.parquet", "read_parquet")
)
FEATHER = Format(
    N_("Feather file"),
    N_("Feather files"),
    (".feather",),
    ("engine.table.feather", "read_feather"),
    is_apart=True,
)
JSON_LINES = Format(
    N_("JSON lines file"),
    N_("JSON lines files"),
    (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    ("engine.table.json_lines", "read_json_lines"),
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
