"""Import of files of statistical programs: by pandas if it reads them itself, else by pyreadstat."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import pandas as pd
from pandas.io.stata import StataMissingValue  # type: ignore[attr-defined]  # not in the stubs

from engine.verification.claims import Reading
from engine.verification.findings import library
from engine.verification.readers.file_cells import Column, number, texts_of, values_of
from engine.words import _

Progress = Callable[[float], None]
STAR = "*"  # the label of a value that means missing, of suppressed cells
_START, _START_OF_SPSS = datetime(1960, 1, 1), datetime(1582, 10, 14)
_UTF8_SINCE = 118  # version of Stata files
_MISSING_SINCE = 2_147_483_620  # Stata labels codes from here on for its missing values
_SAS_DATES = re.compile(
    "DATE|DAY|DDMMYY|DOWNAME|JULDAY|JULIAN|MMDDYY|MMYY|MONNAME|MONTH|MONYY|QTR|QTRR|WEEKDATE|WEEKDATX|WEEKDAY|"
    "WORDDATE|WORDDATX|YEAR|YYMM|YYMMDD|YYMON|YYQ|YYQR|E8601DA|B8601DA|IS8601DA|EURDFDD|EURDFDE|EURDFMY|"
    "EURDFWDX|EURDFWKX"
)
_SAS_MOMENTS = re.compile(
    "DATETIME|DATEAMPM|DTDATE|DTMONYY|DTWKDATX|DTYEAR|DTYYQC|MDYAMPM|E8601DN|E8601DT|E8601DX|B8601DN|B8601DT|"
    "B8601DX|IS8601DN|IS8601DT"
)
_SAS_TIMES = re.compile("TIME|TIMEAMPM|TOD|HHMM|HOUR|MMSS|E8601TM|E8601TX|B8601TM|B8601TX|IS8601TM")
# with a letter for the mark between day, month and year
_MARKED = re.compile("(DDMMYY|MMDDYY|MMYY|YYMM|YYMMDD|YYQ|YYQR)[BCDNPS]")


def spss(reading: Reading, progress: Progress) -> list[Column]:
    """Return the columns of an SPSS file."""
    options: dict[str, Any] = {"encoding": reading.encoding} if reading.encoding else {}
    with library(reading.path):
        import pyreadstat  # as `pandas.read_spss` does, which takes no encoding in pandas 2

        frame, about = pyreadstat.read_sav(reading.path, **options)
        labels: dict[str, dict[Any, str]] = about.variable_value_labels
        if any(STAR in own.values() for own in labels.values()):
            frame, about = pyreadstat.read_sav(reading.path, user_missing=True, **options)
        ranges: dict[str, list[dict[str, Any]]] = about.missing_ranges
    for name, own in ranges.items():
        frame[name] = _without(frame[name], own, labels.get(name, {}))
    if reading.labels.coded:  # only suppressed cells, which mean missing, have their label
        labels = {
            name: {
                code: text
                for code, text in labels.get(name, {}).items()
                if text == STAR and _is_within(code, own)
            }
            for name, own in ranges.items()
        }
    return _columns(frame, labels, progress)


def _without(cells: pd.Series[Any], ranges: list[dict[str, Any]], labels: dict[Any, str]) -> pd.Series[Any]:
    """Return cells without those that mean missing, except suppressed ones, which are labelled so."""
    found: list[Any] = []
    for cell in cells.tolist():
        code, is_date = cell, isinstance(cell, date) and cell == cell
        if is_date:  # labels have the number of a date
            code = (datetime(*cell.timetuple()[:6]) - _START_OF_SPSS).total_seconds()
        is_star = labels.get(code) == STAR
        written = STAR if is_star and is_date else cell
        found.append(None if not is_star and _is_within(cell, ranges) else written)
    is_number = all(cell is None or isinstance(cell, int | float) for cell in found)
    return pd.Series(found, dtype="float64" if is_number else "object")


def _is_within(cell: Any, ranges: list[dict[str, Any]]) -> bool:
    kind = next((own for own in (str, date) if isinstance(cell, own)), int | float)
    own = [limits for limits in ranges if isinstance(cell, kind) and isinstance(limits["lo"], kind)]
    return any(limits["lo"] <= cell <= limits["hi"] for limits in own)


def portable(reading: Reading, progress: Progress) -> list[Column]:
    """Return the columns of an SPSS portable file."""
    with library(reading.path):
        import pyreadstat

        frame, about = pyreadstat.read_por(reading.path)
    return _columns(frame, {} if reading.labels.coded else about.variable_value_labels, progress)


def stata(reading: Reading, progress: Progress) -> list[Column]:
    """Return the columns of a Stata file."""
    with (
        library(reading.path),
        pd.read_stata(reading.path, iterator=True, convert_dates=False, convert_categoricals=False) as opened,
    ):
        reader: Any = opened
        marks: dict[int, str] = StataMissingValue.MISSING_VALUES
        reader.variable_labels()  # reads the header
        is_old = reader._format_version < _UTF8_SINCE
        reader._encoding = reading.encoding or ("cp1252" if is_old else "utf-8")
        frame = reader.read()
        own: dict[str, dict[Any, str]] = reader.value_labels()
        shapes = dict(zip(frame.columns, reader._fmtlist, strict=True))
        named = dict(zip(frame.columns, reader._lbllist, strict=True))
        stars = {
            name: [marks[int(code)] for code, text in own[labelled].items() if text == STAR and code in marks]
            for name, labelled in named.items()
            if labelled in own
        }
        starred = [name for name, letters in stars.items() if letters]
        if starred:
            again = pd.read_stata(
                reading.path,
                columns=starred,
                convert_dates=False,
                convert_categoricals=False,
                convert_missing=True,
            )
            for name in starred:
                cells = zip(frame[name].tolist(), again[name].tolist(), strict=True)
                frame[name] = pd.Series(
                    [STAR if str(mark) in stars[name] else cell for cell, mark in cells], dtype=object
                )
    labels = {
        name: {int(code): text for code, text in own[labelled].items() if code < _MISSING_SINCE}
        for name, labelled in named.items()
        if labelled in own
    }
    frame = _with_moments(frame, {name: _stata_moment(shape) for name, shape in shapes.items()})
    return _columns(frame, {} if reading.labels.coded else labels, progress)


def sas(reading: Reading, progress: Progress) -> list[Column]:
    """Return the columns of a SAS table."""
    with (
        library(reading.path),
        pd.read_sas(
            reading.path, format="sas7bdat", encoding=reading.encoding or "infer", iterator=True
        ) as opened,
    ):
        reader: Any = opened
        reader.convert_dates = False
        reader._column_convert_types = [None] * reader.column_count  # newer pandas decided at the start
        shapes = {str(column.name): str(column.format) for column in reader.columns}
        frame = reader.read()
    return _columns(_of_sas(frame, shapes), _cataloged(reading, shapes), progress)


def transport(reading: Reading, progress: Progress) -> list[Column]:
    """Return the columns of a SAS transport file; pandas reads only one of its versions."""
    with library(reading.path):
        import pyreadstat

        frame, about = pyreadstat.read_xport(
            reading.path, disable_datetime_conversion=True, encoding=reading.encoding or None
        )
        shapes: dict[str, str] = about.original_variable_types
    return _columns(_of_sas(frame, shapes), _cataloged(reading, shapes), progress)


def _cataloged(reading: Reading, shapes: Mapping[str, str]) -> dict[str, dict[Any, str]]:
    """Return the labels that a catalog has for the formats of columns, such as SEX of SEX8."""
    if reading.labels.catalog is None or reading.labels.coded:
        return {}
    with library(reading.labels.catalog):
        import pyreadstat

        _unused, about = pyreadstat.read_sas7bcat(reading.labels.catalog, encoding=reading.encoding or None)
    own = {name.rstrip(".").upper(): labels for name, labels in about.value_labels.items()}
    return {
        name: own.get(re.sub(r"[0-9]*(\.[0-9]*)?$", "", shape or "").upper(), {})
        for name, shape in shapes.items()
    }


def _of_sas(frame: pd.DataFrame, shapes: Mapping[str, str]) -> pd.DataFrame:
    """Return a frame with dates and times; for SAS, an empty text is a missing value."""
    found = _with_moments(frame, {name: _sas_moment(shape or "") for name, shape in shapes.items()})
    return found.replace("", None)


def _columns(
    frame: pd.DataFrame, all_labels: Mapping[str, Mapping[Any, str]], progress: Progress
) -> list[Column]:
    columns = []
    for done, name in enumerate(frame.columns, start=1):
        values = values_of(frame[name])
        texts = texts_of(values.distinct, _("True"), _("False"))
        labels = {_as_read(code): label for code, label in all_labels.get(name, {}).items() if label}
        columns.append(Column(str(name), _with_labels(values.distinct, texts, labels), values.places))
        progress(done / len(frame.columns))
    return columns


def _with_labels(
    values: Sequence[Any], texts: Sequence[str | None], labels: dict[Any, str]
) -> list[str | None]:
    """Replace codes by labels; an ambiguous label is followed by its code."""
    codes = [_as_read(value) for value in values]
    if not any(code in labels for code in codes):
        return list(texts)
    others = {
        text for code, text in zip(codes, texts, strict=True) if text is not None and code not in labels
    }
    meant = list(labels.values())
    shown: list[str | None] = []
    for code, text in zip(codes, texts, strict=True):
        label = labels.get(code)
        if label is None:
            shown.append(text)
        elif label in others or meant.count(label) > 1:
            shown.append(f"{label} ({code if isinstance(code, str) else number(code)})")
        else:
            shown.append(label)
    return shown


def _as_read(code: Any) -> Any:
    return code.rstrip(" ") if isinstance(code, str) else code


def _with_moments(frame: pd.DataFrame, made: Mapping[str, Callable[[float], Any] | None]) -> pd.DataFrame:
    """Return a frame with dates and times for the numbers that the program of the file shows so."""
    columns: dict[Any, Any] = {}
    for name in frame.columns:
        own, moment = frame[name], made.get(name)
        if moment is not None and (pd.api.types.is_numeric_dtype(own) or (own == STAR).any()):
            cells = [None if value != value else value for value in own.tolist()]
            found = [cell if cell in (None, STAR) else moment(float(cell)) for cell in cells]
            if any(isinstance(value, timedelta) for value in found):
                found = [None if value is None else str(_as_duration(value)) for value in found]
            own = pd.Series(found, dtype=object)
        columns[name] = own
    return pd.DataFrame(columns, copy=False)


def _as_duration(value: Any) -> Any:
    if not isinstance(value, time):
        return value
    return timedelta(
        hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond
    )


def _stata_moment(shape: str) -> Callable[[float], date] | None:
    """Return what makes a date of a number; weeks, months, quarters and half-years are their first day."""
    found = re.match(r"%-?(t?)(.)", shape)
    if found is None or (not found[1] and found[2] != "d"):
        return None
    unit = found[2]
    if unit == "d":
        return lambda value: (_START + timedelta(value // 1)).date()
    if unit == "c":
        return lambda value: _START + timedelta(milliseconds=value // 1)
    if unit == "w":
        return lambda value: date(1960 + int(value // 52), 1, 1) + timedelta(weeks=value // 1 % 52)
    if unit == "y":
        return lambda value: date(int(value // 1), 1, 1)
    if unit in "mqh":
        parts = {"m": 12, "q": 4, "h": 2}[unit]
        return lambda value: date(1960 + int(value // parts), int(value // 1 % parts) * (12 // parts) + 1, 1)
    return None


def _sas_moment(shape: str) -> Callable[[float], Any] | None:
    """Return what makes a date or time of a number, by the name of a format such as DATE9. or DATETIME20."""
    kind = shape.upper().rstrip("0123456789.")
    kind = kind.removeprefix("NL")
    kind = found[1] if (found := _MARKED.fullmatch(kind)) else kind
    if _SAS_DATES.fullmatch(kind):
        return lambda value: (_START + timedelta(value // 1)).date()
    if _SAS_MOMENTS.fullmatch(kind):
        return lambda value: _START + timedelta(microseconds=round(value * 1e6))
    return _time_of_day if _SAS_TIMES.fullmatch(kind) else None


def _time_of_day(value: float) -> time | timedelta:
    """Return a time of day; other spans are durations."""
    span = timedelta(microseconds=round(value * 1e6))
    return (_START + span).time() if timedelta() <= span < timedelta(days=1) else span
