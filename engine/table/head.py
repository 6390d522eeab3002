"""The first records of a file, read at once: enough to show and tag its columns before the rest is read."""

from __future__ import annotations

from pathlib import Path

from engine.monitor import SILENT
from engine.table.options import ReadOptions
from engine.table.reading import Reading, read, tabled
from engine.table.sources import EXCEL_ENDINGS, PARQUET_ENDINGS, SPSS_ENDINGS, load_beginning
from engine.table.text import parsed


def read_head(path: Path | str, options: ReadOptions = ReadOptions(), n_bytes: int = 1 << 18) -> Reading:
    """Return a table of the first records, and what was detected in them.

    Types are those of these records and may not hold for the others. A type that is given and that a
    value does not fit is not held to, so that there is something to show. An encoding that nothing
    proves is guessed.

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
        See `engine.table.reading.read`.
    """
    path = Path(path)
    if path.suffix.lower() in (*EXCEL_ENDINGS, *SPSS_ENDINGS, *PARQUET_ENDINGS):
        return read(path, options, guess=True, holds_types=False)
    options.refuse_impossible()
    source, is_all = load_beginning(path, n_bytes, options.encoding)
    usual = "\t" if ".tsv" in path.name.lower() else ","
    raw = parsed(source, options, SILENT, usual=usual)
    return tabled(raw, options, SILENT, holds_types=False, is_whole=is_all)
