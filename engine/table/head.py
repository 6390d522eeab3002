"""The first records of a file, read at once: enough to show and tag its columns before the rest is read."""

from __future__ import annotations

from pathlib import Path

from engine.monitor import SILENT
from engine.table.options import ReadOptions
from engine.table.reading import read_reported, tabled
from engine.table.sources import EXCEL_ENDINGS, PARQUET_ENDINGS, SPSS_ENDINGS, Source, load_beginning
from engine.table.table import Table
from engine.table.text import parsed


def read_head(
    path: Path | str, options: ReadOptions = ReadOptions(), n_bytes: int = 1 << 18
) -> tuple[Table, ReadOptions, bool]:
    """Return a table of the first records, what was detected in them, and whether they are all there are.

    Types are those of these records and may not hold for the others. A type that is given and that a
    value does not fit is not held to, so that there is something to show. An encoding that nothing
    proves is guessed, as `detect` does.

    Parameters
    ----------
    path : Path or str
        Formats other than text are read whole.
    options : ReadOptions
    n_bytes : int
        How much of a text is read.

    Raises
    ------
    TableError
        See `engine.table.reading.read_csv`.
    """
    path = Path(path)
    if path.suffix.lower() in (*EXCEL_ENDINGS, *SPSS_ENDINGS, *PARQUET_ENDINGS):
        table, found, _ = read_reported(path, options, guess=True, holds_types=False)
        return table, found, True
    options.refuse_impossible()
    source, is_all = load_beginning(path, n_bytes, options.encoding)
    usual = "\t" if ".tsv" in path.name.lower() else ","
    return *read_source(source, options, usual=usual), is_all


def read_source(source: Source, options: ReadOptions, *, usual: str = ",") -> tuple[Table, ReadOptions]:
    """Return the table of a text in memory, and what was detected; types that do not fit are not held to.

    Parameters
    ----------
    source : Source
    options : ReadOptions
    usual : str
        The delimiter where none divides the records.

    Raises
    ------
    TableError
        See `engine.table.reading.read_csv`.
    """
    return tabled(parsed(source, options, SILENT, usual=usual), options, SILENT, holds_types=False)
