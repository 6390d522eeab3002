"""The kinds of DataFrames that come in and go out: pandas, polars and Arrow, by what they can do."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from engine.kernels.arrays import Codes, IntArray
from engine.records import Table
from engine.records.opening.data_frames import arrow_of, as_table


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


Cells = Texts | IntArray  # texts, or the record of the input whose cell it is; -1 for none
"""Cells of a released column: other texts, or the records whose cells they are, with their type."""


@dataclass(frozen=True, eq=False)
class Frame:
    """A DataFrame of any library.

    Attributes
    ----------
    table : Table
        Its values; the index is ignored.
    data : DataFrame
        Of pandas, polars or Arrow.
    """

    table: Table
    data: Any

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
        raise NotImplementedError


def frame_of(data: Any) -> Frame:
    """Return how a DataFrame is read and written; tables and files become DataFrames of pandas.

    A stream is read once. Streams and relations of a database become tables of Arrow.

    Raises
    ------
    TableError
        It is not a table, and cannot become one (see `engine.records.opening.data_frames`).
    """
    if isinstance(data, Frame):
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
    kind = type(data)  # columns of a LazyFrame are not asked for, which may take long
    names = ("columns", "column_names", *(() if hasattr(kind, "__array__") else protocols))
    return any(hasattr(kind, name) for name in names)


def numbered(data: Any) -> Any:
    """Return a DataFrame whose columns are named by their numbers."""
    if isinstance(data, pd.DataFrame):
        return data.set_axis([str(place) for place in range(data.shape[1])], axis=1)
    table = arrow_of(data)
    return table.rename_columns([str(place) for place in range(table.num_columns)])


def selected(data: Any, columns: Mapping[str, int]) -> Any:
    """Return a frame of pandas, polars or Arrow with some columns, by new name and place."""
    names, places = list(columns), list(columns.values())
    if isinstance(data, pd.DataFrame):
        return data.iloc[:, places].set_axis(names, axis=1)
    if isinstance(data, pa.Table):
        return data.select(places).rename_columns(names)
    return type(data)([data[:, place].alias(name) for name, place in columns.items()])


class _PandasFrame(Frame):
    """A DataFrame of pandas, also for a file, a table, or a frame with the interchange protocol."""

    def released(self, columns: Mapping[str, Cells], index: IntArray | None) -> Any:
        found = pd.DataFrame({name: self._column(self.data[name], cells) for name, cells in columns.items()})
        return found if index is None else found.set_index(self.data.index.take(index))

    def _column(self, own: Any, cells: Cells) -> Any:
        is_arrow, is_category = (
            isinstance(own.dtype, pd.ArrowDtype),
            isinstance(own.dtype, pd.CategoricalDtype),
        )
        if isinstance(cells, Texts):
            if is_category:
                labels = [cells.labels[code] for code in np.unique(cells.codes)]
                kind: Any = pd.CategoricalDtype([label for label in labels if label is not None])
            elif is_arrow or isinstance(own.dtype, pd.StringDtype):
                kind = pd.ArrowDtype(pa.string()) if is_arrow else own.dtype
            else:
                kind = "str" if int(pd.__version__.partition(".")[0]) >= 3 else object
            return pd.Series(cells.cells, dtype=kind)
        if is_arrow:
            return pd.Series(pd.arrays.ArrowExtensionArray(_arrow_cells(own.array.__arrow_array__(), cells)))
        found = own.take(cells).reset_index(drop=True)
        if (empty := cells < 0).any():
            found = found.mask(empty)
        return found.cat.remove_unused_categories() if is_category else found


class _ArrowFrame(Frame):
    """A table of Arrow."""

    def released(self, columns: Mapping[str, Cells], index: IntArray | None) -> Any:
        found = {}
        for name, cells in columns.items():
            own = self.data.column(name)
            if isinstance(cells, Texts):
                found[name] = pa.array(cells.cells, pa.string())
                if pa.types.is_dictionary(own.type):
                    found[name] = found[name].dictionary_encode()
            else:
                found[name] = _arrow_cells(own, cells)
        return pa.table(found)


class _PolarsFrame(Frame):
    """A DataFrame of polars, which is imported already."""

    def released(self, columns: Mapping[str, Cells], index: IntArray | None) -> Any:
        import polars as pl

        found = []
        for name, cells in columns.items():
            own = self.data[name]
            if is_changed := isinstance(cells, Texts):
                series = pl.Series(name, cells.cells, pl.String)
            else:
                rows = pl.Series(np.where(cells < 0, 0, cells))
                series = own.gather(rows.set(pl.Series(cells < 0), None) if (cells < 0).any() else rows)
            if own.dtype in (pl.Enum, pl.Categorical):
                series = series.cast(pl.String)  # categories are those of the texts, made anew
                used, kind = series.drop_nulls().unique(maintain_order=True), own.dtype
                if kind == pl.Enum:
                    kind = pl.Enum(
                        used if is_changed else kind.categories.filter(kind.categories.is_in(used))
                    )
                series = series.cast(kind)
            found.append(series)
        return pl.DataFrame(found)


def _arrow_cells(column: Any, places: IntArray) -> Any:
    """Return the cells of some records of an Arrow column, of its type; a dictionary has no other entries."""
    kind, rows = column.type, pa.array(places, mask=places < 0)
    is_dictionary = pa.types.is_dictionary(kind)
    values = kind.value_type if is_dictionary else kind
    values = pa.large_string() if values == pa.string_view() else values  # Arrow copies no cells of views
    if not is_dictionary:
        return column.cast(values).take(rows).cast(kind)
    found = column.cast(pa.dictionary(kind.index_type, values, kind.ordered)).unify_dictionaries()
    codes = pa.chunked_array([chunk.indices for chunk in found.chunks]).take(rows)
    used = pc.unique(codes).drop_null().sort()
    entries = found.chunk(0).dictionary.take(used)
    own = pc.index_in(codes, used).cast(kind.index_type).combine_chunks()
    return pa.DictionaryArray.from_arrays(own, entries, ordered=kind.ordered).cast(kind)


def _missing_as_none(labels: tuple[str, ...], has_missing: bool) -> tuple[str | None, ...]:
    return (*labels[:-1], None) if has_missing else labels
