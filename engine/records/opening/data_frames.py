"""DataFrames as tables, by their values; the index is ignored."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import IntArray
from engine.monitor import SILENT, Monitor
from engine.records.databases.address import database_of
from engine.records.opening import open_table
from engine.records.opening.files import read_table
from engine.records.options import JUDGED, ReadOptions
from engine.records.raw import RawColumn, RawTable, column_of
from engine.records.reading import Reading, kept_records, tabled
from engine.records.table import Table
from engine.records.types import DataType, Kind
from engine.words import _

if TYPE_CHECKING:
    import pyarrow as pa

AnyTable: TypeAlias = Any
"""A table, a DataFrame of any library, the path of a file, or the URL of a table of a database."""


def as_table(
    data: AnyTable,
    monitor: Monitor = SILENT,
    options: ReadOptions = JUDGED,
    columns: Collection[str] = (),
) -> Table:
    """Return the table given as a table, a DataFrame of any library, the path of a file, or a database's URL.

    Parameters
    ----------
    data : Table, DataFrame, Path or str
        A DataFrame is one of pandas, or anything with `__arrow_c_stream__` (polars, Arrow, DuckDB),
        `__arrow_c_array__` or `__dataframe__`. A stream is read completely, so it can be passed only once.
    options : ReadOptions
        How a file is read, such as the sheet of a workbook; options left open are detected.
    columns : collection of str
        Columns that are needed of a DataFrame: others that cannot be read are omitted. Empty for all.

    Raises
    ------
    TableError
        The file cannot be read, the DataFrame is refused (see `table_from_frame`), or it is neither.
    """
    if isinstance(data, Table):
        return data
    if isinstance(data, Path | str):
        if database_of(data) is not None:
            return open_table(data, options, monitor).table
        return read_table(Path(data), options, monitor)[0]
    return table_from_frame(data, columns=columns)


def table_from_frame(frame: Any, missing: str = "", columns: Collection[str] = ()) -> Table:
    """Return the table with the values of a DataFrame.

    Parameters
    ----------
    frame : DataFrame
        Of any library, see `as_table`. Its index is ignored. Records are distinguished by value: 1 and 1.0
        are one value. Categories without records are dropped.
    missing : str
        The text for None, nan, NaT and NA, which are all one missing value. A cell with this text is missing
        too; it is refused if its column also has empty cells.
    columns : collection of str
        Columns that are needed: others that cannot be read are omitted. Empty for all.

    Returns
    -------
    Table
        Numbers, booleans and dates (as ISO texts) have their type. Ordered categories keep their order. Texts
        are text, even if they look like numbers. Times with a zone become local times.

    Raises
    ------
    TableError
        It is not a DataFrame, or has no columns or records; the name of a column is not a text, or is
        repeated; a cell is not a single finite value; or two different values would become the same.
    """
    own, places, needed = _readable(frame, columns)
    found = []
    for name, place in places.items():
        try:
            raw = _raw_column(own, name, place)
            found.append(column_of(raw, raw.data_type or DataType(), missing))
        except TableError:
            if name in needed or not needed:
                raise
    return Table(tuple(found), is_typed=True)


def read_frame(frame: Any, options: ReadOptions, monitor: Monitor = SILENT) -> tuple[Reading, IntArray]:
    """Read a DataFrame of any library as the options would read its file.

    Columns are taken, records left out, and missing tokens, forms and replacements applied. A type of the
    options takes the place of that of the frame, if it is of another kind. Columns of texts without one get
    a type by their values, as in a file.

    Returns
    -------
    Reading
        Its table, and the options with everything detected.
    ndarray of int64, shape (n_records,)
        Record of the frame that each record is.

    Raises
    ------
    TableError
        As `table_from_frame`; or the frame lacks a column that the options name, or a value does not fit.
    """
    own, places, _unused = _readable(frame, ())
    name = type(frame).__name__
    taken = options.columns_of(tuple(places), name)
    columns = [replace(_raw_column(own, list(places)[place], place), name=new) for place, new in taken]
    stated = {c.name: c.data_type for c in columns if c.data_type is not None}
    types = {
        column: stated[column] if column in stated and stated[column].kind is wanted.kind else wanted
        for column, wanted in options.types.items()
    }
    columns = [
        replace(c, data_type=None) if c.data_type is not None and c.data_type.kind is Kind.TEXT else c
        for c in columns
    ]
    raw, options = RawTable(name, tuple(columns), taken=taken), replace(options, types=types)
    records = np.flatnonzero(kept_records(raw, options))
    reading = tabled(raw, options, monitor)
    table = replace(reading.table, is_typed=True)
    return replace(reading, table=table, options=replace(reading.options, take=())), records


def arrow_of(data: Any) -> pa.Table:
    """Return the Arrow table of a DataFrame of another library than pandas.

    Raises
    ------
    TableError
        It is none, such as a single column, or Arrow does not know a type in it.
    """
    import pyarrow as pa
    from pyarrow.interchange import from_dataframe

    try:
        if isinstance(data, pa.Table):
            return data
        if isinstance(data, pa.RecordBatchReader):
            return data.read_all()
        if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
            return pa.table(data)
        if hasattr(data, "__dataframe__"):
            return from_dataframe(data)
    except (pa.ArrowException, NotImplementedError, ValueError) as error:
        if any(hasattr(data, name) for name in ("columns", "schema", "__dataframe__")):  # not a single column
            raise TableError(
                _("The {kind} cannot be read: {reason}.").format(kind=type(data).__name__, reason=error),
                hint=_("Convert its columns to texts, numbers or dates."),
            ) from None
    raise TableError(
        _("A {kind} is not a table.").format(kind=type(data).__name__),
        hint=_("Call its .collect() first.")
        if type(data).__name__ == "LazyFrame"
        else _("Pass a DataFrame or the path of a file."),
    )


def _readable(frame: Any, columns: Collection[str]) -> tuple[Any, dict[str, int], set[str]]:
    """Return a frame of pandas or Arrow, the places of the columns to read, and those that are needed."""
    import pandas as pd  # takes long to import, which a file does not need

    own = frame if isinstance(frame, pd.DataFrame) else arrow_of(frame)
    given = list(own.columns if isinstance(own, pd.DataFrame) else own.column_names)
    needed = {*columns} if {*columns} <= {*given} else set()
    places = [
        place for place, name in enumerate(given) if name in needed or not needed or _is_usable(name, given)
    ]
    names = _names([given[place] for place in places])
    if not len(own):
        raise TableError(
            _("The DataFrame has no records."), hint=_("Pass a DataFrame with at least one record.")
        )
    return own, dict(zip(names, places, strict=True)), needed


def _raw_column(own: Any, name: str, place: int) -> RawColumn:
    """Return a column of a frame of pandas or Arrow."""
    import pandas as pd

    from engine.records.frames import series

    cells = own.iloc[:, place] if isinstance(own, pd.DataFrame) else series.of_arrow(name, own[place])
    return series.raw_column(name, cells)


def _is_usable(name: Any, names: Sequence[Any]) -> bool:
    return isinstance(name, str) and bool(name.strip()) and names.count(name) == 1


def _names(names: Sequence[Any]) -> list[str]:
    if not names:
        raise TableError(
            _("The DataFrame has no columns."), hint=_("Pass a DataFrame with at least one column.")
        )
    for position, name in enumerate(names):
        if not isinstance(name, str) or not name.strip():
            raise TableError(
                _("Column {position} of the DataFrame has the name {name!r}, which is not a text.").format(
                    position=position + 1, name=name
                ),
                hint=_("Name the columns, for example with frame.columns = [...]."),
                column=position + 1,
            )
        if name in names[:position]:
            raise TableError(
                _("Columns {first} and {second} of the DataFrame have the same name, '{name}'.").format(
                    first=names.index(name) + 1, second=position + 1, name=name
                ),
                hint=_("Give every column a unique name."),
                column=name,
            )
    return [str.__str__(name) for name in names]
