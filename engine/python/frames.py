"""The kinds of DataFrames that come in and go out: pandas, polars and Arrow, by what they can do."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
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


Cells = Texts | IntArray
"""Cells of a released column: other texts, or the records whose cells they are, with their type."""


class Frame(Protocol):
    """A DataFrame of any library.

    Attributes
    ----------
    table : Table
        Its values; the index is ignored.
    """

    table: Table

    def released(self, columns: Mapping[str, Cells], index: IntArray | None) -> Any:
        """Return a DataFrame of the same kind, with nothing in it but cells.

        It has none of the metadata, and no category or entry of a dictionary without a cell.

        Parameters
        ----------
        columns : mapping of str to Texts or ndarray of int64
            In their order.
        index : ndarray of int64, optional
            Records whose index is kept, if the library has one; by default the records are numbered.
        """


def frame_of(data: Any) -> Frame:
    """Return how a DataFrame is read and written; tables and files become DataFrames of pandas.

    A stream is read once. Streams and relations of a database become tables of Arrow.

    Raises
    ------
    TableError
        It is no kind of table, or cannot be one (see `engine.table.frames`).
    """
    import pandas as pd

    if isinstance(data, _PandasFrame | _ArrowFrame | _PolarsFrame):
        return data
    if isinstance(data, pd.DataFrame):
        return _PandasFrame(as_table(data), data)
    if isinstance(data, Table | Path | str):
        table = as_table(data)
        texts = {
            column.name: Texts(_missing_as_none(column.labels, column.has_missing), column.codes).cells
            for column in table.columns
        }
        return _PandasFrame(table, pd.DataFrame(texts))
    arrow = arrow_of(data)
    table = as_table(arrow)
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(data, polars.DataFrame):
        return _PolarsFrame(table, data)
    is_arrow = hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")
    return _ArrowFrame(table, arrow) if is_arrow else _PandasFrame(table, arrow.to_pandas())


def is_frame(data: Any) -> bool:
    """Return whether data are a DataFrame of any library, and not an array."""
    protocols = ("__arrow_c_stream__", "__arrow_c_array__", "__dataframe__")
    return (
        hasattr(data, "columns")
        or hasattr(data, "column_names")
        or (not hasattr(data, "__array__") and any(hasattr(data, protocol) for protocol in protocols))
    )


def numbered(data: Any) -> Any:
    """Return a DataFrame whose columns are named by their numbers."""
    import pandas as pd

    if isinstance(data, pd.DataFrame):
        return data.set_axis([str(place) for place in range(data.shape[1])], axis=1)
    table = arrow_of(data)
    return table.rename_columns([str(place) for place in range(table.num_columns)])


class _PandasFrame:
    """A DataFrame of pandas, also for a file, a table, or a frame with the interchange protocol."""

    def __init__(self, table: Table, data: Any) -> None:
        self.table = table
        self._data = data

    def released(self, columns: Mapping[str, Cells], index: IntArray | None) -> Any:
        import pandas as pd

        found = pd.DataFrame(
            {
                name: self._texts(name, cells) if isinstance(cells, Texts) else self._kept(name, cells)
                for name, cells in columns.items()
            }
        )
        return found if index is None else found.set_index(self._data.index.take(index))

    def _kept(self, name: str, places: IntArray) -> Any:
        import pandas as pd

        own = self._data[name]
        if isinstance(own.dtype, pd.ArrowDtype):
            cells = _arrow_cells(own.array.__arrow_array__(), places)
            return pd.Series(pd.arrays.ArrowExtensionArray(cells))
        found = own.take(places).reset_index(drop=True)
        return found.cat.remove_unused_categories() if isinstance(own.dtype, pd.CategoricalDtype) else found

    def _texts(self, name: str, texts: Texts) -> Any:
        import pandas as pd

        dtype = self._data[name].dtype
        if isinstance(dtype, pd.CategoricalDtype):
            used = [i for i in np.unique(texts.codes).tolist() if texts.labels[i] is not None]
            places = np.full(len(texts.labels), -1, dtype=np.int32)
            places[used] = np.arange(len(used), dtype=np.int32)
            labels = [texts.labels[i] for i in used]
            return pd.Series(pd.Categorical.from_codes(places[texts.codes], categories=pd.Index(labels)))
        own = dtype if isinstance(dtype, pd.StringDtype) else self._text_type(dtype)
        return pd.Series(texts.cells, dtype=own)

    def _text_type(self, dtype: Any) -> Any:
        """Return the type of texts that suits a column: Arrow's in Arrow's, else the usual one."""
        import pandas as pd
        import pyarrow as pa

        if not isinstance(dtype, pd.ArrowDtype):
            return "str" if int(pd.__version__.partition(".")[0]) >= 3 else object
        return pd.ArrowDtype(pa.string())


class _ArrowFrame:
    """A table of Arrow."""

    def __init__(self, table: Table, data: Any) -> None:
        self.table = table
        self._data = data

    def released(self, columns: Mapping[str, Cells], index: IntArray | None) -> Any:
        import pyarrow as pa

        found = {}
        for name, cells in columns.items():
            own = self._data.column(name)
            if not isinstance(cells, Texts):
                found[name] = _arrow_cells(own, cells)
            elif pa.types.is_dictionary(own.type):
                found[name] = pa.array(cells.cells, pa.string()).dictionary_encode()
            else:
                found[name] = pa.array(cells.cells, pa.string())
        return pa.table(found)


class _PolarsFrame:
    """A DataFrame of polars, which is imported already."""

    def __init__(self, table: Table, data: Any) -> None:
        self.table = table
        self._data = data

    def released(self, columns: Mapping[str, Cells], index: IntArray | None) -> Any:
        import polars as pl

        found = []
        for name, cells in columns.items():
            own = self._data[name]
            if is_changed := isinstance(cells, Texts):
                series = pl.Series(name, cells.cells, pl.String)
            else:
                series = own.gather(cells)
            if own.dtype in (pl.Enum, pl.Categorical):
                series = series.cast(pl.String)  # categories are those of the texts, made anew
                used = series.drop_nulls().unique(maintain_order=True)
                if own.dtype == pl.Categorical:
                    series = series.cast(own.dtype)
                else:
                    known = own.dtype.categories
                    series = series.cast(pl.Enum(used if is_changed else known.filter(known.is_in(used))))
            found.append(series)
        return pl.DataFrame(found)


def _arrow_cells(column: Any, places: IntArray) -> Any:
    """Return the cells of some records of an Arrow column, of its type; a dictionary has no other entries."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, rows = column.type, pa.array(places)
    if not pa.types.is_dictionary(kind):
        # Arrow can copy no cells of views of texts.
        return column.cast(pa.large_string()).take(rows).cast(kind) if _is_view(kind) else column.take(rows)
    values = pa.large_string() if _is_view(kind.value_type) else kind.value_type
    found = column.cast(pa.dictionary(kind.index_type, values, kind.ordered)).unify_dictionaries()
    codes = pa.chunked_array([chunk.indices for chunk in found.chunks]).take(rows)
    used = pc.unique(codes).drop_null().sort()
    entries = found.chunk(0).dictionary.take(used)
    own = pc.index_in(codes, used).cast(kind.index_type).combine_chunks()
    return pa.DictionaryArray.from_arrays(own, entries, ordered=kind.ordered).cast(kind)


def _is_view(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string_view(kind))


def _missing_as_none(labels: tuple[str, ...], has_missing: bool) -> tuple[str | None, ...]:
    return (*labels[:-1], None) if has_missing else labels
