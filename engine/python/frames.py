"""The kinds of DataFrames that come in and go out: pandas, polars and Arrow, by what they can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from engine.kernels.arrays import Codes, IntArray
from engine.table import Table
from engine.table.frames import arrow_of, as_table


@dataclass(frozen=True, eq=False)
class Texts:
    """The released texts of one column.

    Attributes
    ----------
    labels : tuple of str or None
        Distinct texts; None is missing.
    codes : ndarray of int32
        Label of each released record.
    """

    labels: tuple[str | None, ...]
    codes: Codes

    @property
    def cells(self) -> list[str | None]:
        """The text of each record."""
        return np.array(self.labels, dtype=object)[self.codes].tolist()  # type: ignore[no-any-return]


class Frame(Protocol):
    """A DataFrame of any library.

    Attributes
    ----------
    table : Table
        Its values; the index is ignored.
    """

    table: Table

    def released(self, names: Sequence[str], rows: IntArray | None, changed: Mapping[str, Texts]) -> Any:
        """Return a DataFrame of the same kind.

        Parameters
        ----------
        names : sequence of str
            Columns, in their order.
        rows : ndarray of int64 or None
            Records to keep, None for all.
        changed : mapping of str to Texts
            Columns with other cells; the others stay as they are, with their type.
        """


def frame_of(data: Any) -> Frame:
    """Return how a DataFrame is read and written; tables and files become DataFrames of pandas.

    Raises
    ------
    TableError
        It is no kind of table, or cannot be one (see `engine.table.frames`).
    """
    table = as_table(data)
    library = type(data).__module__.partition(".")[0]
    if library == "polars":
        return _PolarsFrame(table, data)
    if hasattr(data, "__arrow_c_stream__") and library != "pandas":
        return _ArrowFrame(table, arrow_of(data))
    return _PandasFrame(table, data)


class _PandasFrame:
    """A DataFrame of pandas, also for a file, a table, or a frame with the interchange protocol."""

    def __init__(self, table: Table, data: Any) -> None:
        import pandas as pd

        self.table = table
        self._pandas: Any = pd
        if isinstance(data, pd.DataFrame):
            self._frame = data
        elif hasattr(data, "__dataframe__"):
            self._frame = arrow_of(data).to_pandas()
        else:
            columns = {
                column.name: Texts(_missing_as_none(column.labels, column.has_missing), column.codes).cells
                for column in table.columns
            }
            self._frame = pd.DataFrame(columns)

    def released(self, names: Sequence[str], rows: IntArray | None, changed: Mapping[str, Texts]) -> Any:
        pd = self._pandas
        found = (self._frame if rows is None else self._frame.iloc[rows]).loc[:, list(names)].copy()
        for name, texts in changed.items():
            dtype = self._frame[name].dtype
            if isinstance(dtype, pd.CategoricalDtype):
                found[name] = self._categories(texts)
            else:
                own = dtype if isinstance(dtype, pd.StringDtype) else self._text_type(dtype)
                found[name] = pd.Series(texts.cells, index=found.index, dtype=own)
        return found

    def _categories(self, texts: Texts) -> Any:
        used = [i for i in np.unique(texts.codes).tolist() if texts.labels[i] is not None]
        places = np.full(len(texts.labels), -1, dtype=np.int32)
        places[used] = np.arange(len(used), dtype=np.int32)
        return self._pandas.Categorical.from_codes(
            places[texts.codes], categories=[texts.labels[i] for i in used]
        )

    def _text_type(self, dtype: Any) -> Any:
        """Return the type of texts that suits a column: Arrow's in Arrow's, else the usual one."""
        if not isinstance(dtype, self._pandas.ArrowDtype):
            return "str" if int(self._pandas.__version__.partition(".")[0]) >= 3 else object
        import pyarrow as pa

        return self._pandas.ArrowDtype(pa.string())


class _ArrowFrame:
    """A table of Arrow."""

    def __init__(self, table: Table, data: Any) -> None:
        self.table = table
        self._data = data

    def released(self, names: Sequence[str], rows: IntArray | None, changed: Mapping[str, Texts]) -> Any:
        import pyarrow as pa

        found = self._data.select(list(names))
        if rows is not None:
            found = found.take(pa.array(rows))
        for name, texts in changed.items():
            cells = pa.array(texts.cells, pa.string())
            if pa.types.is_dictionary(self._data.schema.field(name).type):
                cells = cells.dictionary_encode()
            found = found.set_column(list(names).index(name), name, cells)
        return found


class _PolarsFrame:
    """A DataFrame of polars, which is imported already."""

    def __init__(self, table: Table, data: Any) -> None:
        self.table = table
        self._data = data

    def released(self, names: Sequence[str], rows: IntArray | None, changed: Mapping[str, Texts]) -> Any:
        import polars as pl

        found = self._data.select(list(names))
        if rows is not None:
            found = found[rows.tolist()]
        columns = []
        for name, texts in changed.items():
            cells = pl.Series(name, texts.cells, dtype=pl.String)
            if self._data.schema[name] in (pl.Categorical, pl.Enum):
                cells = cells.cast(pl.Categorical)
            columns.append(cells)
        return found.with_columns(columns)


def _missing_as_none(labels: tuple[str, ...], has_missing: bool) -> tuple[str | None, ...]:
    return (*labels[:-1], None) if has_missing else labels
