"""How a release is written, whatever is released."""

from __future__ import annotations

from dataclasses import dataclass

CSV, EXCEL, PARQUET = "csv", "xlsx", "parquet"
MINIMAL, ALL = "minimal", "all"


@dataclass(frozen=True)
class ExportOptions:
    """How a release becomes a file; the defaults are what a released file usually is.

    Attributes
    ----------
    kind : {"csv", "xlsx", "parquet"}
        All but CSV take no heed of the other options, except `safe_cells`.
    delimiter : str or None
        One character; None for that of the input.
    encoding : str
        A codec name.
    bom : bool
        Whether the file begins with a byte order mark.
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
