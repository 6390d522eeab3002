"""How a release is written, whatever is released."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from engine.errors import ExportError

CSV, EXCEL, PARQUET = "csv", "xlsx", "parquet"
MINIMAL, ALL = "minimal", "all"


@dataclass(frozen=True)
class ExportOptions:
    """How a release becomes a file; the defaults are what a released file usually is.

    Attributes
    ----------
    kind : {"csv", "xlsx", "parquet"}
        All but CSV take no heed of the other options, except `header` of Excel, and `safe_cells`.
    delimiter : str or None
        One character; None for that of the input.
    encoding : str
        A codec name.
    bom : bool
        Whether a file in UTF-8 begins with a byte order mark; one in UTF-16 always does.
    quote : {"minimal", "all"}
        Which fields get quotation marks: those that need them, or all.
    line_end : str
        A line feed, or carriage return and line feed.
    header : bool or None
        Whether the first line holds the names; None for as in the input.
    safe_cells : bool
        Whether cells that a spreadsheet would run as a formula are written so that it does not.
    """

    kind: str = CSV
    delimiter: str | None = None
    encoding: str = "utf-8"
    bom: bool = False
    quote: str = MINIMAL
    line_end: str = "\n"
    header: bool | None = None
    safe_cells: bool = False

    @property
    def text_encoding(self) -> str:
        """The codec that writes, and reads again, the text of a CSV file."""
        name = codecs.lookup(self.encoding).name
        return "utf-8-sig" if self.bom and name == "utf-8" else name

    def refuse_impossible(self) -> None:
        """Raise `ExportError` where no file can be written so."""
        try:
            is_text = bool("a".encode(self.encoding))
        except (LookupError, UnicodeError):
            is_text = False
        if not is_text:
            raise ExportError(
                f"There is no encoding called '{self.encoding}'.", hint="Choose UTF-8, or another one."
            )
        if not _can_hold_tables(self.text_encoding):
            raise ExportError(
                f"The encoding '{self.encoding}' cannot hold a table.", hint="Choose UTF-8, or another one."
            )
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n\ufeff'):
            raise ExportError(
                "What stands between the fields has to be one character, and none of quotation marks and "
                "line ends.",
                hint="Choose a comma, a semicolon or a tab.",
            )
        if self.kind not in (CSV, EXCEL, PARQUET):
            raise ExportError(f"There is no format called '{self.kind}'.", hint="It has csv, xlsx, parquet.")
        if self.quote not in (MINIMAL, ALL) or self.line_end not in ("\n", "\r\n"):
            raise ExportError(
                "Quotation marks or line ends are asked for that no file here has.",
                hint="Quotation marks stand minimal or all; a line ends with a line feed, or with both.",
            )


def _can_hold_tables(encoding: str) -> bool:
    """Whether the marks of a CSV file, written line by line, are read again as they were.

    Those of domain names cannot, such as idna and punycode.
    """
    lines = ('a;"b ""c""",\n', "\t|\\u0041,0\r\n")
    encoder = codecs.getincrementalencoder(encoding)()
    try:
        return b"".join(map(encoder.encode, lines)).decode(encoding) == "".join(lines)
    except UnicodeError:
        return False
