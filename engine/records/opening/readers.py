"""Readers of plug-ins: files of further formats as raw columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from engine import plugins
from engine.errors import AnonymizerError, CancelledError, TableError
from engine.monitor import Monitor
from engine.params import Configurable
from engine.records.databases.address import DATABASE_ENDINGS
from engine.records.options import ReadOptions
from engine.records.raw import RawTable, refuse_no_columns
from engine.records.table_files import ARX_ENDINGS, TABLE_ENDINGS, checked_path
from engine.registry import Registry
from engine.words import N_, _

if TYPE_CHECKING:
    import pandas as pd

_ENDINGS = (*TABLE_ENDINGS, *ARX_ENDINGS, *DATABASE_ENDINGS, ".anon", ".toml")
_OF_PROGRAM = frozenset(word for ending in _ENDINGS for word in ending.split("."))


class TableReader(Configurable):
    """Reads files of one ending, in any case; its key is the ending without the dot.

    Attributes
    ----------
    title : str
        Name of the format, such as "Fixed-width text".
    summary : str
        What it reads, in one sentence.
    """

    __slots__ = ()
    summary: ClassVar[str]

    def read(self, path: Path, monitor: Monitor) -> pd.DataFrame:
        """Return all records of a file; a cell without a value is missing.

        Texts remain texts; numbers, dates and booleans are shown as people write them. Calls of
        `monitor.step(done, total, text)` show progress and let the user cancel.

        Raises
        ------
        TableError
            The file cannot be read.
        """
        raise NotImplementedError


table_readers: Registry[TableReader] = Registry(
    "",
    N_("table reader"),
    group=plugins.READERS,
    base=TableReader,
    methods=("read",),
    is_reserved=_OF_PROGRAM.__contains__,
)


def reader_of(path: Path) -> TableReader | None:
    """Return the reader of a plug-in for a file; None if the program reads it itself."""
    ending = path.suffix.lower().removeprefix(".")
    kind = None if not ending or ending in _OF_PROGRAM else table_readers.get(ending)
    return None if kind is None else kind()


def table_endings() -> tuple[str, ...]:
    """Return the endings of all files that can be read as tables."""
    return (*TABLE_ENDINGS, *(f".{key}" for key in table_readers))


def read_plugged(reader: TableReader, path: Path, options: ReadOptions, monitor: Monitor) -> RawTable:
    """Return the columns of a file that a plug-in reads.

    Raises
    ------
    TableError
        The file does not exist, or the plug-in cannot read it.
    """
    from engine.records.frames import series  # pandas, which most commands do without

    checked_path(path)
    try:
        frame = reader.read(path, monitor)
        names = [str(name) for name in frame.columns]
    except (AnonymizerError, CancelledError, MemoryError):
        raise
    except Exception as error:  # whatever a plug-in raises concerns this file
        raise TableError(
            _("'{name}' cannot be read as {format}: {error}.").format(
                name=path.name, format=reader.title, error=str(error).rstrip(".") or type(error).__name__
            ),
            hint=_("Check the file, or ask the author of the plug-in."),
            file=path.name,
        ) from error
    refuse_no_columns(names, path.name)
    taken = options.columns_of(names, path.name)
    columns = []
    for i, (place, name) in enumerate(taken):
        monitor.step(i, len(taken), _("Reading {file}, {column}").format(file=path.name, column=name))
        columns.append(series.raw_column(name, frame.iloc[:, place]))
    return RawTable(path.name, tuple(columns), taken=taken)
