"""Python values as texts: equal values get one text, different values different texts, or an error."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import Codes
from engine.records.raw import RawColumn
from engine.records.types import DataType, Kind
from engine.records.values import is_number
from engine.words import _

DAYS = "%Y-%m-%d"
_TIMES = {"seconds": "%Y-%m-%d %H:%M:%S", "microseconds": "%Y-%m-%d %H:%M:%S.%f"}


def number_text(value: Any) -> str:
    """Return a finite number as text: whole numbers without a point, others with the fewest digits."""
    if value == int(value):
        return str(int(value))
    if isinstance(value, Decimal):
        return f"{value:f}".rstrip("0")
    text = float.__repr__(value) if isinstance(value, float) else str(value)
    # Readers of text do not accept an exponent of three digits, so the zeros are written out.
    return f"{Decimal(text):f}" if text[-5:-3] == "e-" else text


def date_texts(moments: Sequence[datetime.date]) -> tuple[list[str], str]:
    """Return dates as ISO texts, all as precise as any of them needs, and their format."""
    times = [moment for moment in moments if isinstance(moment, datetime.datetime)]
    if all(moment.time() == datetime.time() for moment in times):
        return [moment.isoformat()[:10] for moment in moments], DAYS
    precision = "microseconds" if any(moment.microsecond for moment in times) else "seconds"
    full = (
        moment
        if isinstance(moment, datetime.datetime)
        else datetime.datetime.combine(moment, datetime.time())
        for moment in moments
    )
    return [moment.isoformat(" ", precision) for moment in full], _TIMES[precision]


def duration_text(duration: datetime.timedelta) -> str:
    """Return a duration as hours, minutes and seconds, such as 26:00:00."""
    sign = "-" if duration < datetime.timedelta() else ""
    seconds, rest = divmod(abs(duration), datetime.timedelta(seconds=1))
    fraction = f".{rest.microseconds:06d}" if rest else ""
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"


# numbers beyond these limits could not be read back from their text
_LEAST, _MOST = Decimal("1e-330"), Decimal("1e200")


class CellKind(Enum):
    """Families of values that can be compared with each other."""

    TEXT = "text"
    BOOLEAN = "true or false"
    NUMBER = "number"
    DATE = "date"
    SPAN = "span"  # durations, times of day, periods, intervals: only their order counts


_KINDS: tuple[tuple[tuple[type, ...], CellKind], ...] = (  # the first that fits: True is an int too
    ((str,), CellKind.TEXT),
    ((bool, np.bool_), CellKind.BOOLEAN),
    ((np.timedelta64, datetime.timedelta, datetime.time), CellKind.SPAN),
    ((datetime.date, np.datetime64), CellKind.DATE),
    ((int, float, Decimal, np.integer, np.floating), CellKind.NUMBER),
)
_PANDAS_SPANS = frozenset({"Period", "Interval"})


def raw_column(name: str, cells: Sequence[Any], codes: Codes | None = None) -> RawColumn:
    """Return the column of any Python values.

    Parameters
    ----------
    cells : sequence
        Values without missing ones; with `codes`, values that no record has are allowed.
    codes : ndarray of int32, shape (n_records,), optional
        Index into `cells` per record, -1 for missing; without it every cell is a record.

    Returns
    -------
    RawColumn
        Numbers, dates, booleans and spans have their type; texts and mixtures are text.

    Raises
    ------
    TableError
        A value is none of these, is infinite, too large, or has a time zone; or two different values would
        have the same text, such as the number 1 and the text 1.
    """
    kinds = {kind: _kind(kind) for kind in set(map(type, cells))}
    for kind, found in kinds.items():
        if found is None:
            place = next(i for i, cell in enumerate(cells) if type(cell) is kind)
            raise _unusable(name, cells[place], _record(codes, place))
    present = set(kinds.values())
    index: dict[Hashable, int] = {}
    if len(present) == 1:
        own = np.fromiter((index.setdefault(cell, len(index)) for cell in cells), np.int32, len(cells))
        distinct: list[Any] = list(index)
    else:
        pairs = ((kinds[type(cell)], cell) for cell in cells)
        own = np.fromiter((index.setdefault(pair, len(index)) for pair in pairs), np.int32, len(cells))
        distinct = [pair[1] for pair in index]  # type: ignore[index]  # keys are pairs here
        _refuse_equals(name, distinct)
    texts, data_type = _described(name, distinct, {k for k in present if k is not None})
    _refuse_same_texts(name, distinct, texts)
    if codes is None:
        return RawColumn(name, texts, own, data_type)
    return RawColumn(name, texts, np.append(own, np.int32(-1))[codes], data_type)  # -1 is the last entry


def _kind(kind: type) -> CellKind | None:
    if issubclass(kind, np.longdouble) and np.longdouble is not np.float64:
        return None  # finer than the float64 by which the program compares numbers
    found = next((found for types, found in _KINDS if issubclass(kind, types)), None)
    return CellKind.SPAN if found is None and _is_span_of_pandas(kind) else found


def _is_span_of_pandas(kind: type) -> bool:
    """Return whether a type is a span of pandas, which need not be imported to know it."""
    return any(t.__name__ in _PANDAS_SPANS and t.__module__.split(".")[0] == "pandas" for t in kind.__mro__)


def _described(name: str, distinct: list[Any], kinds: set[CellKind]) -> tuple[list[str], DataType]:
    """Return the texts of distinct values, and their type."""
    if len(kinds) > 1:
        return [text for cell in distinct for text in _texts(name, [cell])[0]], DataType()
    return _texts(name, distinct) if distinct else ([], DataType())


def _texts(name: str, cells: list[Any]) -> tuple[list[str], DataType]:
    kind = _kind(type(cells[0]))
    assert kind is not None
    return _DESCRIBE[kind](name, cells)


def _plain(name: str, cells: list[Any]) -> tuple[list[str], DataType]:
    # a member of an enumeration is written as its value
    return [str.__str__(cell) for cell in cells], DataType()


def _truths(name: str, cells: list[Any]) -> tuple[list[str], DataType]:
    return [str(bool(cell)) for cell in cells], DataType(Kind.BOOLEAN)


def _numbers(name: str, cells: list[Any]) -> tuple[list[str], DataType]:
    texts = []
    for cell in cells:
        if isinstance(cell, float | np.floating | Decimal) and not math.isfinite(cell):
            raise TableError(
                _("Column '{name}' contains {cell}, which is not a finite number.").format(
                    name=name, cell=cell
                ),
                hint=_("Make it missing, or replace it with a number or a text."),
                column=name,
            )
        text = number_text(cell) if _is_writable(cell) else ""
        if not is_number(text):
            raise TableError(
                _("Column '{name}' has a number outside the supported range, such as {cell:.3e}.").format(
                    name=name, cell=_exact(cell)
                ),
                hint=_(
                    "Numbers may have up to 200 digits before and after the decimal point. Change the unit."
                ),
                column=name,
            )
        texts.append(text)
    whole = all(text.lstrip("-").isdigit() for text in texts)
    return texts, DataType(Kind.INTEGER if whole else Kind.DECIMAL)


def _is_writable(cell: Any) -> bool:
    """Return whether a number has few enough digits to be written out."""
    size = abs(_exact(cell))
    return size == 0 or _LEAST < size < _MOST


def _exact(cell: Any) -> Decimal:
    return Decimal(cell.item() if isinstance(cell, np.generic) else cell)


def _dates(name: str, cells: list[Any]) -> tuple[list[str], DataType]:
    moments = [_python_date(name, cell) for cell in cells]
    texts, date_format = date_texts(moments)
    return texts, DataType(Kind.DATE, date_format)


def _stamp(cell: np.datetime64) -> Any:
    import pandas as pd  # imported only for such dates, since it takes long

    return pd.Timestamp(cell)


def _python_date(name: str, cell: Any) -> datetime.date:
    stamp = _stamp(cell) if isinstance(cell, np.datetime64) else cell
    if getattr(stamp, "tzinfo", None) is not None:
        raise TableError(
            _("Column '{name}' has single times with a time zone, such as {stamp}.").format(
                name=name, stamp=stamp
            ),
            hint=_("Use one time zone for the whole column."),
            column=name,
        )
    if not hasattr(stamp, "nanosecond"):  # not a Timestamp of pandas
        return cell  # type: ignore[no-any-return]
    if stamp.nanosecond or not 1 <= stamp.year <= 9999:
        raise TableError(
            _(
                "Column '{name}' contains the time {stamp}, which is finer than microseconds or "
                "outside the years 1 to 9999."
            ).format(name=name, stamp=stamp),
            hint=_("Round the times to microseconds."),
            column=name,
        )
    return stamp.to_pydatetime()  # type: ignore[no-any-return]


def _spans(name: str, cells: list[Any]) -> tuple[list[str], DataType]:
    try:
        ordered = sorted(cells)
    except (TypeError, ValueError):
        raise TableError(
            _(
                "Column '{name}' mixes durations, times of day, periods or intervals, which "
                "cannot be ordered."
            ).format(name=name),
            hint=_("Convert the column to text first."),
            column=name,
        ) from None
    return [str(cell) for cell in cells], DataType(Kind.ORDERED, "", tuple(map(str, ordered)))


_DESCRIBE: dict[CellKind, Callable[[str, list[Any]], tuple[list[str], DataType]]] = {
    CellKind.TEXT: _plain,
    CellKind.BOOLEAN: _truths,
    CellKind.NUMBER: _numbers,
    CellKind.DATE: _dates,
    CellKind.SPAN: _spans,
}


def _refuse_equals(name: str, distinct: Sequence[Any]) -> None:
    """Refuse equal values of different kinds, such as True and 1."""
    seen: dict[Hashable, Any] = {}
    for cell in distinct:
        other = seen.setdefault(cell, cell)
        if other is not cell:
            raise _two_values(name, other, cell)


def _refuse_same_texts(name: str, distinct: Sequence[Any], texts: Sequence[str]) -> None:
    if len(set(texts)) == len(texts):
        return
    seen: dict[str, Any] = {}
    for cell, text in zip(distinct, texts, strict=True):
        if text in seen:
            raise _two_values(name, seen[text], cell)
        seen[text] = cell


def _two_values(name: str, one: Any, other: Any) -> TableError:
    return TableError(
        _(
            "Column '{name}' has both {one} and {other}, and it is unclear whether they are the same value."
        ).format(name=name, one=_shown(one), other=_shown(other)),
        hint=_("Convert the whole column to one type first, such as text."),
        column=name,
        values=(one, other),
    )


def _unusable(name: str, cell: Any, record: int) -> TableError:
    return TableError(
        _("Column '{name}', record {record}: cells of the type {kind} are not supported.").format(
            name=name, record=record, kind=type(cell).__name__
        ),
        hint=_("Use texts, numbers, booleans, dates and times."),
        column=name,
        record=record,
    )


def _record(codes: Codes | None, place: int) -> int:
    """Return the number of the first record with a value, counted from 1; 0 if no record has it."""
    at = np.flatnonzero(codes == place) if codes is not None else np.array([place])
    return int(at[0]) + 1 if len(at) else 0


def _shown(cell: Any) -> str:
    if isinstance(cell, str):
        return _("{cell!r} (text)").format(cell=str(cell))
    return f"{cell} ({type(cell).__name__})"
