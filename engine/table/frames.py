"""DataFrames as tables, by their values; the index is ignored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import TableError
from engine.monitor import SILENT, Monitor
from engine.table.options import JUDGED, ReadOptions
from engine.table.raw import column_of
from engine.table.reading import read_table
from engine.table.table import Table
from engine.table.types import DataType
from engine.words import _

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def as_table(
    data: Table | pd.DataFrame | Path | str | Any, monitor: Monitor = SILENT, options: ReadOptions = JUDGED
) -> Table:
    """Return the table given as a table, a DataFrame of any library, or the path of a file.

    Parameters
    ----------
    data : Table, DataFrame, Path or str
        A DataFrame is one of pandas, or anything with `__arrow_c_stream__` (polars, Arrow, DuckDB) or
        `__dataframe__`.
    monitor : Monitor
    options : ReadOptions
        How a file is read, such as the sheet of a workbook; options left open are detected.

    Raises
    ------
    TableError
        The file cannot be read, the DataFrame is refused (see `table_from_frame`), or it is neither.
    """
    if isinstance(data, Table):
        return data
    if isinstance(data, Path | str):
        return read_table(Path(data), options, monitor)[0]

    import pandas as pd  # takes long to import, which a file does not need

    if isinstance(data, pd.DataFrame):
        return table_from_frame(data)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__dataframe__"):
        return table_from_frame(_exact_frame(arrow_of(data)))
    raise _no_table(data)


def _no_table(data: Any) -> TableError:
    return TableError(
        _("A {kind} is not a table.").format(kind=type(data).__name__),
        hint=_("Pass a DataFrame or the path of a file."),
    )


def table_from_frame(frame: pd.DataFrame, missing: str = "") -> Table:
    """Return the table with the values of a DataFrame.

    Parameters
    ----------
    frame : DataFrame
        Its index is ignored. Records are distinguished by value: 1 and 1.0 are one value. Categories without
        records are dropped.
    missing : str
        The text for None, nan, NaT and NA, which are all one missing value. A cell with this text is missing
        too; it is refused if its column also has empty cells.

    Returns
    -------
    Table
        Numbers, booleans and dates (as ISO texts) have their type. Ordered categories keep their order. Texts
        are text, even if they look like numbers. Times with a zone become local times.

    Raises
    ------
    TableError
        The frame has no columns or records; the name of a column is not a text, or is repeated; a cell is not
        a single finite value; or two different values would become the same.
    """
    from engine.table import series  # pandas is loaded only when a DataFrame comes in

    names = _names(frame)
    if not len(frame):
        raise TableError(
            _("The DataFrame has no records."), hint=_("Pass a DataFrame with at least one record.")
        )
    columns = []
    for position, name in enumerate(names):
        raw = series.raw_column(name, frame.iloc[:, position])
        columns.append(column_of(raw, raw.data_type or DataType(), missing))
    return Table(tuple(columns))


def arrow_of(data: Any) -> pa.Table:
    """Return the Arrow table of an object with `__arrow_c_stream__` or `__dataframe__`.

    Raises
    ------
    TableError
        It is a single column.
    """
    import pyarrow as pa
    from pyarrow.interchange import from_dataframe

    try:
        return pa.table(data) if hasattr(data, "__arrow_c_stream__") else from_dataframe(data)
    except pa.ArrowInvalid:
        raise _no_table(data) from None


def _exact_frame(table: pa.Table) -> pd.DataFrame:
    """Return an Arrow table as a DataFrame whose numbers stay exact next to missing values."""
    import pandas as pd
    import pyarrow as pa

    def own(kind: pa.DataType) -> pd.ArrowDtype | None:
        return None if pa.types.is_dictionary(kind) else pd.ArrowDtype(kind)

    frame: pd.DataFrame = table.to_pandas(types_mapper=own)
    return frame


def _names(frame: pd.DataFrame) -> list[str]:
    names: list[Any] = list(frame.columns)
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
