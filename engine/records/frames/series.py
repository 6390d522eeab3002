"""A pandas Series of any type as coded texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api import types

from engine.errors import TableError
from engine.kernels.arrays import BoolArray, Codes
from engine.records.frames import cells
from engine.records.raw import RawColumn
from engine.records.types import DataType, Kind
from engine.words import _


def raw_column(name: str, values: pd.Series[Any]) -> RawColumn:
    """Return the column of a Series; its index is ignored.

    Raises
    ------
    TableError
        See `engine.records.frames.cells.raw_column`.
    """
    dtype = values.dtype
    if isinstance(dtype, pd.ArrowDtype):
        values = of_arrow(name, values.array.__arrow_array__())
        dtype = values.dtype
    if isinstance(dtype, pd.SparseDtype):
        values = pd.Series(np.asarray(values))
        dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _of_categories(name, values)
    if isinstance(dtype, pd.DatetimeTZDtype) or (
        isinstance(dtype, pd.ArrowDtype) and getattr(dtype.pyarrow_dtype, "tz", None) is not None
    ):
        return _of_zoned(name, values)
    if types.is_bool_dtype(dtype) or types.is_integer_dtype(dtype) or types.is_float_dtype(dtype):
        return _of_numbers(name, values)
    if types.is_datetime64_dtype(dtype):
        codes, distinct = factorized(values)
        return cells.raw_column(name, list(distinct), codes)
    return _of_objects(name, values)


def of_arrow(name: str, column: pa.ChunkedArray) -> pd.Series[Any]:
    """Return an Arrow column as a Series whose numbers stay exact next to missing values.

    Texts become categories: pandas has no operations for some of Arrow's kinds of texts, and Arrow decodes
    dictionaries of some of them only.

    Raises
    ------
    TableError
        pandas or Arrow cannot do that with this type.
    """
    try:
        kind = column.type
        if pa.types.is_dictionary(kind):
            values = pa.large_string() if _is_text(kind.value_type) else kind.value_type
            column = column.cast(pa.dictionary(pa.int64(), values, kind.ordered))
            if kind.ordered:
                return pd.Series(column.unify_dictionaries().to_pandas())
            column = column.cast(values)
        if _is_text(column.type):
            return pd.Series(column.cast(pa.large_string()).dictionary_encode().to_pandas())
        found = pd.Series(pd.arrays.ArrowExtensionArray(column))
        _unused = found.dtype.type  # raises an error if pandas does not know the type
        return found
    except (pa.ArrowException, NotImplementedError, ValueError):
        raise TableError(
            _("Column '{name}' has the type {kind}, which cannot be read.").format(
                name=name, kind=column.type
            ),
            hint=_("Convert it to texts, numbers or dates first."),
            column=name,
        ) from None


def _is_text(kind: pa.DataType) -> bool:
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def _of_categories(name: str, values: pd.Series[Any]) -> RawColumn:
    codes: Codes = values.cat.codes.to_numpy().astype(np.int32)
    categories = values.cat.categories
    used = np.zeros(len(categories) + 1, dtype=np.bool_)
    used[codes] = True
    raw = raw_column(name, pd.Series(categories[used[:-1]]))
    codes = np.append(raw.codes, np.int32(-1))[_places(used[:-1])[codes]]
    if not values.cat.ordered:
        return RawColumn(name, raw.texts, codes, raw.data_type)
    order = tuple(raw.texts[i] for i in raw.codes.tolist())
    return RawColumn(name, raw.texts, codes, DataType(Kind.ORDERED, "", order))


def _of_numbers(name: str, values: pd.Series[Any]) -> RawColumn:
    """Return numbers and booleans; pandas finds the distinct ones, all of one machine type."""
    codes, distinct = factorized(values)
    own = getattr(values.dtype, "numpy_dtype", values.dtype)
    numbers = distinct if isinstance(distinct, np.ndarray) else distinct.to_numpy(dtype=own)
    known = ~np.isnan(numbers) if types.is_float_dtype(own) else np.ones(len(numbers), dtype=np.bool_)
    recode = _places(known)  # nullable numbers may hold nan next to NA: both are missing
    return cells.raw_column(name, list(numbers[known]), recode[codes])


def _of_zoned(name: str, values: pd.Series[Any]) -> RawColumn:
    """Return times with a zone as local times, if these keep them distinct and in order."""
    codes, distinct = factorized(pd.Series(pd.DatetimeIndex(values.array)))
    instants = pd.DatetimeIndex(distinct)
    refuse_repeated_hour(name, instants)
    return cells.raw_column(name, list(instants.tz_localize(None)), codes)


def refuse_repeated_hour(name: str, instants: pd.DatetimeIndex) -> None:
    """Refuse times with a zone whose local times are not distinct and in order.

    Raises
    ------
    TableError
    """
    order = np.argsort(instants.asi8)
    if (np.diff(instants.tz_localize(None).asi8[order]) <= 0).any():
        raise TableError(
            _(
                "Column '{name}' has times in the hour that its time zone repeats at the end of summer time."
            ).format(name=name),
            hint=_("Convert them to universal time (UTC) first."),
            column=name,
        )


def _of_objects(name: str, values: pd.Series[Any]) -> RawColumn:
    empty = values.isna().to_numpy(dtype=np.bool_)
    plain = values.to_numpy(dtype=object)
    raw = cells.raw_column(name, plain[~empty].tolist())
    codes = np.full(len(plain), -1, dtype=np.int32)
    codes[~empty] = raw.codes
    return RawColumn(name, raw.texts, codes, raw.data_type)


def _places(used: BoolArray) -> Codes:
    """Return the new number of each used value, -1 for the others and, at the end, for missing."""
    places = np.full(len(used) + 1, -1, dtype=np.int32)
    places[:-1][used] = np.arange(np.count_nonzero(used), dtype=np.int32)
    return places


def factorized(values: pd.Series[Any]) -> tuple[Codes, Any]:
    """Return the code of each record, -1 for missing, and the distinct values in an array of their type."""
    array: Any = values.array
    if isinstance(array, pd.arrays.NumpyExtensionArray):
        array = array.to_numpy()  # pandas 2 warns about the array itself
    codes, distinct = pd.factorize(array, use_na_sentinel=True)
    return codes.astype(np.int32), distinct


_NOTHING = " 00:00:00.000000"  # what more precise texts have behind a day
_DAYS, _SECONDS, _MICROSECONDS = 10, 19, 26  # characters
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def is_moment(kind: Any) -> bool:
    """Return whether an Arrow type, or that of its dictionary, is a date with a time."""
    import pyarrow as pa

    return bool(pa.types.is_timestamp(kind.value_type if pa.types.is_dictionary(kind) else kind))


class Moments:
    """Looks at all moments of a column.

    Parameters
    ----------
    name : str
        Of the column.
    """

    def __init__(self, name: str) -> None:
        self._name, self._width = name, _DAYS
        self._unclear: list[Any] = []  # instants in hours that a time zone repeats

    def add(self, block: Any) -> None:
        """Look at an Arrow array of cells."""
        import pandas as pd
        import pyarrow as pa

        cells = (block.dictionary_decode() if pa.types.is_dictionary(block.type) else block).drop_null()
        if not len(cells):
            return
        array_of: Any = pd.array  # for its types an array of Arrow is none
        instants = pd.DatetimeIndex(array_of(cells, dtype=pd.ArrowDtype(cells.type)))
        local = instants.tz_localize(None)
        second = _PER_SECOND[local.unit]
        if (local.asi8 % second).any():
            self._width = _MICROSECONDS
        elif (local.asi8 % (86_400 * second)).any():
            self._width = max(self._width, _SECONDS)
        zone: Any = instants.tz
        if zone is not None:
            again = local.tz_localize(zone, ambiguous="NaT", nonexistent="shift_forward")
            unclear = instants[np.asarray(again.isna())]
            if len(unclear):
                self._unclear.append(unclear.unique())

    def precise(self) -> Callable[[str], str]:
        """Return what makes the text of a moment as precise as that of all others.

        Raises
        ------
        TableError
            Local times are repeated.
        """
        if self._unclear:
            found = self._unclear[0].append(self._unclear[1:]).unique()
            refuse_repeated_hour(self._name, found)
        return lambda text: text + _NOTHING[len(text) - _DAYS : self._width - _DAYS]
