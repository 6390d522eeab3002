"""Files of statistical programs as raw columns: value labels are the values, ordered by their codes."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from engine.errors import TableError
from engine.monitor import Monitor
from engine.numbers import as_exact_count
from engine.records.formats import PORTABLE, SAS, SPSS, STATA, Format
from engine.records.frames import series
from engine.records.frames.cells import number_text
from engine.records.options import LABELS, ReadOptions
from engine.records.raw import RawColumn, RawTable
from engine.records.table_files import checked_path, exists, need, read_by_library
from engine.records.types import DataType, Kind, ValueCoding
from engine.words import _

_BLOCK = 50_000  # records per call; each call skips the records before, so not many are made
_MOST_BLOCKS = 40
SCALE, ORDINAL = "scale", "ordinal"
MEASURES = ("nominal", ORDINAL, SCALE)
STAR = "*"
_FIRST_DAY_OF_SPSS = datetime.datetime(1582, 10, 14)
_STAR_CODE = 2.0**1023  # of Stata's missing value that is labelled so; no code of a file is as large
# The text of a number in a column whose displayed format makes it a date or time; None for other formats.
Moments = Callable[[str], Callable[[float], Any] | None]


@dataclass(frozen=True)
class Dialect:
    """Reading of a format by the library.

    Attributes
    ----------
    function : str
        Name of its reading function.
    moments : callable, optional
        Takes the format of a column and returns what makes dates and times of its numbers; without it, the
        library does.
    has_measure : bool
        Whether variables declare a measure; otherwise all numbers are quantities.
    has_missing : bool
        Whether the function takes `user_missing`, which keeps the values that mean missing.
    is_blank_missing : bool
        Whether an empty text is a missing value.
    settings : mapping
        Further arguments of the function.
    """

    form: Format
    function: str
    moments: Moments | None = None
    has_measure: bool = False
    has_missing: bool = False
    is_blank_missing: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)


def read_labelled(path: Path, options: ReadOptions, monitor: Monitor) -> RawTable:
    """Return the columns of a file of a statistical program.

    Codes with a label become the label, unless the options ask for codes; labels that belong to several
    codes, or look like another value of the column, are followed by their code. Values that mean missing in
    the program are missing, except those labelled `*`, which are suppressed cells of a release. Labelled
    columns are ordered by their codes if the file declares an ordinal measure, or if they are quantities with
    labels for only some values; the others are text.

    Value labels of SAS are in a separate catalog: the one of the options, or that of the same name in the
    folder of the table. Of a transport file with several tables the first one is read.

    Parameters
    ----------
    options : ReadOptions
        An encoding is for files that declare a wrong one.

    Raises
    ------
    TableError
        The file is not of the format, is damaged, or has no variables.
    """
    checked_path(path)
    dialect = _DIALECTS[path.suffix.lower()]
    if dialect is not _TRANSPORT:
        return _read(dialect, path, options, monitor)
    with read_by_library(path.name, _(SAS.name)):
        if path.stat().st_size % _CARD:  # the library takes what is left for the whole table
            raise ValueError("the file is not complete")
    return _read(dialect, path, options, monitor)


def _read(dialect: Dialect, path: Path, options: ReadOptions, monitor: Monitor) -> RawTable:
    catalog, by_format = None, None
    if dialect.form is SAS:
        catalog = catalog_of(path, options)
        by_format = {} if catalog is None else _labels_of_catalog(catalog, options)
    library = need(dialect.form.library, path.name)
    read = getattr(library, dialect.function)
    settings = dict(dialect.settings)
    if dialect.form.has_encoding:
        settings["encoding"] = options.encoding
    with read_by_library(path.name, _(dialect.form.name)):
        keeping = {"user_missing": True} if dialect.has_missing else {}
        numbers = settings | keeping | {"disable_datetime_conversion": True}  # as labels have dates too
        _unused, about = read(path, metadataonly=True, **numbers)
        stars = {name: _stars(about, name) for name in about.column_names}
        if any(stars.values()):
            settings |= keeping
        frame = _frame(read, path, about.number_rows, settings, monitor)
        if not all(isinstance(name, str) for name in frame.columns):
            raise ValueError("a variable has no name")
    if not len(frame.columns):
        raise TableError(
            _("'{name}' has no variables.").format(name=path.name),
            hint=_("Choose another file."),
            file=path.name,
        )
    taken = options.columns_of(list(frame.columns), path.name)
    columns = []
    for i, (place, name) in enumerate(taken):
        monitor.step(i, len(taken), _("Reading {file}, {column}").format(file=path.name, column=name))
        own = frame.columns[place]
        with read_by_library(path.name, _(dialect.form.name)):
            values = _as_shown(frame[own], about, own, dialect.moments)
            if dialect.is_blank_missing and values.dtype != np.float64:
                values = values.mask(values == "")
        labels = _labels(about, own, by_format)
        if settings.keys() & keeping.keys():
            values = _without_missing(values, about.missing_ranges.get(own, ()), stars[own])
            if any(isinstance(code, str) for code in stars[own]):
                labels[_STAR_CODE] = STAR
        measure = about.variable_measure.get(own, "") if dialect.has_measure else SCALE
        label = about.column_names_to_labels.get(own) or ""
        shown = None if options.value_labels == LABELS else {_STAR_CODE, *map(plain_code, stars[own])}
        column = _column(name, values, labels, measure, label, shown)
        if column.coding is not None and (not dialect.has_measure or measure not in MEASURES):
            column = replace(column, coding=replace(column.coding, measure=""))
        columns.append(column)
    found = None if catalog is None else options.catalog or catalog.name
    return RawTable(path.name, tuple(columns), taken=taken, catalog=found)


def _labels(about: Any, name: str, catalog: Mapping[str, Mapping[Any, str]] | None) -> dict[Any, str]:
    """Return the labels of a variable by code; names of formats are those before width and decimals."""
    if catalog is None:
        labels: Mapping[Any, str] = about.variable_value_labels.get(name, {})
    else:
        display = about.original_variable_types.get(name) or ""
        labels = catalog.get(display.rstrip(".0123456789").upper(), {})
    return {code: text for code, text in labels.items() if text}


def _frame(
    read: Callable[..., Any],
    path: Path,
    n_records: int | None,
    settings: Mapping[str, Any],
    monitor: Monitor,
) -> pd.DataFrame:
    """Return all records, in blocks if the file gives their number, so that reading can be stopped."""
    block = max(_BLOCK, -(-(n_records or 0) // _MOST_BLOCKS))
    if not n_records or n_records <= block:
        frame: pd.DataFrame = read(path, **settings)[0]
        return frame
    frames: list[pd.DataFrame] = []
    for start in range(0, n_records, block):
        monitor.step(
            start,
            n_records,
            _("Reading {file}, record {record}").format(file=path.name, record=as_exact_count(start)),
        )
        frames.append(read(path, row_offset=start, row_limit=block, **settings)[0])
    whole: pd.DataFrame = pd.concat(frames, ignore_index=True)
    return whole


def _stars(about: Any, name: str) -> list[Any]:
    """Return the codes of a variable that mean missing and are labelled as suppressed cells are."""
    ranges = about.missing_ranges.get(name, ())
    is_text = about.readstat_variable_types.get(name) == "string"
    return [
        code
        for code, text in about.variable_value_labels.get(name, {}).items()
        if text == STAR and (_is_within(code, ranges) or (isinstance(code, str) and not is_text))
    ]


def _is_within(value: Any, ranges: Sequence[Mapping[str, Any]]) -> bool:
    kinds = (own for own in ranges if isinstance(value, str if isinstance(own["lo"], str) else int | float))
    return any(own["lo"] <= value <= own["hi"] for own in kinds)


def _without_missing(
    values: pd.Series[Any], ranges: Sequence[Mapping[str, Any]], stars: Sequence[Any]
) -> pd.Series[Any]:
    """Return values without those that mean missing, except the given ones."""
    if isinstance(values.dtype, pd.StringDtype) or not (ranges or values.dtype == object):
        return values
    codes, distinct = series.factorized(values)
    letters = [code for code in stars if isinstance(code, str)]
    has_dates = any(isinstance(value, datetime.date) for value in distinct)
    shown = np.empty(len(distinct) + 1, dtype=object)
    for place, value in enumerate(distinct):
        if isinstance(value, str) and not ranges:  # one of the letters of Stata's missing values
            shown[place] = (STAR if has_dates else _STAR_CODE) if value in letters else None
        elif has_dates and _is_within(code := _seconds(value), ranges):
            shown[place] = STAR if code in stars else None
        else:
            shown[place] = None if _is_within(value, ranges) and value not in stars else value
    found = pd.Series(shown[codes], dtype=object)
    is_number = all(value is None or isinstance(value, int | float | np.number) for value in shown)
    return found.astype(np.float64) if is_number else found


def _seconds(value: datetime.date) -> float:
    """Return the number of a date in SPSS."""
    return (datetime.datetime(*value.timetuple()[:6]) - _FIRST_DAY_OF_SPSS).total_seconds()


def _as_shown(values: pd.Series[Any], about: Any, name: str, moments: Moments | None) -> pd.Series[Any]:
    """Return values with dates and times for the numbers that the program shows so."""
    if moments is None or about.readstat_variable_types.get(name) == "string":
        return values
    moment = moments(about.original_variable_types.get(name) or "")
    if moment is None:
        is_single = about.readstat_variable_types.get(name) == "float"
        return values.astype(np.float32) if is_single and values.dtype != object else values
    codes, distinct = series.factorized(values)
    shown = np.empty(len(distinct) + 1, dtype=object)
    made = [value if isinstance(value, str) else moment(float(value)) for value in distinct]
    if any(isinstance(value, datetime.timedelta) for value in made):  # longer than a day, or negative
        made = [_duration(value) for value in made]
    shown[:-1] = made
    return pd.Series(shown[codes], dtype=object)


def _duration(value: Any) -> Any:
    if not isinstance(value, datetime.time):
        return value
    return datetime.datetime.combine(datetime.date.min, value) - datetime.datetime.min


def _column(
    name: str,
    values: pd.Series[Any],
    labels: Mapping[Any, str],
    measure: str,
    label: str,
    shown: Collection[Any] | None,
) -> RawColumn:
    """Return a column whose codes are read as their labels: all of them, or only the `shown` ones."""
    if values.dtype == object:  # texts have no system-missing value
        values = values.where(values.notna(), None)
    codes, distinct = series.factorized(values)
    used = [plain_code(value) for value in distinct]
    known = {plain_code(code): text for code, text in labels.items()}
    if not any(value in known for value in used):
        raw = series.raw_column(name, values)
        return replace(raw, coding=ValueCoding(label, {}, measure)) if label else raw
    is_text = any(isinstance(value, str) for value in used)
    known = {code: text for code, text in known.items() if isinstance(code, str) == is_text}
    read = known if shown is None else {code: text for code, text in known.items() if code in shown}
    if not any(value in read for value in used):
        values_of = {_plain(code): (code, text) for code, text in known.items()}
        return replace(series.raw_column(name, values), coding=ValueCoding(label, values_of, measure))
    every = sorted({*used, *read}, key=lambda value: (isinstance(value, str), value))
    texts = _labelled(every, read)
    place = {value: i for i, value in enumerate(every)}
    recode = np.array([*(place[value] for value in used), -1], dtype=np.int32)
    # Values without a label are the quantity itself: 98, 99 and "100 and above".
    is_ordered = measure == ORDINAL or (measure == SCALE and not all(value in read for value in used))
    data_type = DataType(Kind.ORDERED, "", tuple(texts)) if is_ordered else DataType()
    values_of = {text: (code, known[code]) for code, text in zip(every, texts, strict=True) if code in known}
    return RawColumn(name, texts, recode[codes], data_type, ValueCoding(label, values_of, measure))


def _labelled(values: Sequence[Any], labels: Mapping[Any, str]) -> list[str]:
    """Return the texts of values in order; an ambiguous label is followed by its code."""
    plain = [_plain(value) for value in values]
    texts = [labels.get(value, text) for value, text in zip(values, plain, strict=True)]
    unclear = {text for text in texts if texts.count(text) > 1}
    return [
        f"{text} ({code})" if text in unclear and value in labels else text
        for value, text, code in zip(values, texts, plain, strict=True)
    ]


def _plain(code: float | str) -> str:
    return code if isinstance(code, str) else number_text(code)


def plain_code(value: Any) -> Any:
    """Return a code in one Python type, so that codes of labels and cells are equal."""
    if isinstance(value, str):
        return value.rstrip(" ")
    return float(value) if isinstance(value, int | float | np.number) and math.isfinite(value) else value


_SPSS = Dialect(SPSS, "read_sav", has_measure=True, has_missing=True)
_PORTABLE = Dialect(PORTABLE, "read_por", has_measure=True)


_CARD = 80  # bytes of which transport files consist
# SAS and Stata count from this day.
_FIRST_DAY, _FIRST_MOMENT = datetime.date(1960, 1, 1), datetime.datetime(1960, 1, 1)
# Names of formats without width and decimals; those of national languages begin with NL.
_SAS_DATES = re.compile(
    r"(?:NL)?(?:DATE|DAY|DDMMYY[BCDNPS]?|DOWNAME|JULDAY|JULIAN|MMDDYY[BCDNPS]?|MMYY[CDNPS]?|MONNAME|MONTH|MONYY"
    r"|QTRR?|WEEKDATE|WEEKDATX|WEEKDAY|WORDDATE|WORDDATX|YEAR|YYMM[CDNPS]?|YYMMDD[BCDNPS]?|YYMON|YYQR?[CDNPS]?"
    r"|[BE]8601DA|IS8601DA|EURDF(?:DD|DE|MY|WDX|WKX))"
)
_SAS_MOMENTS = re.compile(
    r"(?:NL)?(?:DATETIME|DATEAMPM|DTDATE|DTMONYY|DTWKDATX|DTYEAR|DTYYQC|MDYAMPM|[BE]8601D[NTX]|IS8601D[NT])"
)
_SAS_TIMES = re.compile(r"(?:NL)?(?:TIME|TIMEAMPM|TOD|HHMM|HOUR|MMSS|[BE]8601T[MX]|IS8601TM)")


def catalog_of(path: Path, options: ReadOptions) -> Path | None:
    """Return the catalog of a SAS table, given or found in its folder; None if it has none."""
    if options.catalog is not None:
        return path.parent / options.catalog if options.catalog else None
    beside = (path.with_suffix(ending) for ending in (SAS.catalog, SAS.catalog.upper()))
    return next(filter(exists, beside), None)


def _labels_of_catalog(catalog: Path, options: ReadOptions) -> dict[str, dict[Any, str]]:
    """Return the labels of a catalog by code, by the name of their format.

    Raises
    ------
    TableError
        It is not a catalog, or does not exist.
    """
    checked_path(catalog)
    library = need(SAS.library, catalog.name)
    try:
        with read_by_library(catalog.name, _("SAS catalog")):
            about = library.read_sas7bcat(catalog, encoding=options.encoding)[1]
    except TableError as error:
        hint = _("Choose another catalog, or none: the codes are then the values.")
        raise TableError(error.problem, hint=hint, file=catalog.name) from error
    return {name.rstrip(".").upper(): labels for name, labels in about.value_labels.items()}


def _sas_moments(display: str) -> Callable[[float], Any] | None:
    """Return what makes a date or time of a number by the format, such as DATE9. or DATETIME20."""
    kind = display.upper().rstrip(".0123456789")
    for pattern, moment in ((_SAS_DATES, _day), (_SAS_MOMENTS, _sas_moment), (_SAS_TIMES, _sas_time)):
        if pattern.fullmatch(kind):
            return moment
    return None


def _day(value: float) -> datetime.date:
    return _FIRST_DAY + datetime.timedelta(days=int(value // 1))


def _sas_moment(value: float) -> datetime.date:
    return _FIRST_MOMENT + datetime.timedelta(microseconds=round(value * 1_000_000))


def _sas_time(value: float) -> datetime.time | datetime.timedelta:
    """Return a time of day; other spans are durations."""
    span = datetime.timedelta(microseconds=round(value * 1_000_000))
    in_a_day = datetime.timedelta() <= span < datetime.timedelta(days=1)
    return (_FIRST_MOMENT + span).time() if in_a_day else span


_SAS = Dialect(
    SAS,
    "read_sas7bdat",
    _sas_moments,
    is_blank_missing=True,
    settings={"disable_datetime_conversion": True},
)
_TRANSPORT = replace(_SAS, function="read_xport")


_WEEKS = 52  # of a year; the last one is longer


def _stata_moments(display: str) -> Callable[[float], datetime.date] | None:
    """Return what makes a date of a number by the display format, such as %td or %tcDD/NN/CCYY.

    Weeks, months, quarters, half-years and years are the date of their first day.
    """
    kind = display.lstrip("%-")
    if kind.startswith("d"):
        return _BY_KIND["d"]
    return _BY_KIND.get(kind[1:2]) if kind.startswith("t") else None


def _stata_moment(value: float) -> datetime.date:
    return _FIRST_MOMENT + datetime.timedelta(milliseconds=int(value // 1))


def _week(value: float) -> datetime.date:
    years, weeks = divmod(int(value // 1), _WEEKS)
    return datetime.date(1960 + years, 1, 1) + datetime.timedelta(days=7 * weeks)


def _months(n_months: int) -> Callable[[float], datetime.date]:
    def first_day(value: float) -> datetime.date:
        years, months = divmod(int(value // 1) * n_months, 12)
        return datetime.date(1960 + years, months + 1, 1)

    return first_day


def _year(value: float) -> datetime.date:
    return datetime.date(int(value // 1), 1, 1)


_BY_KIND: dict[str, Callable[[float], datetime.date]] = {
    "d": _day,
    "c": _stata_moment,
    "w": _week,
    "m": _months(1),
    "q": _months(3),
    "h": _months(6),
    "y": _year,
}
_STATA = Dialect(
    STATA, "read_dta", _stata_moments, has_missing=True, settings={"disable_datetime_conversion": True}
)
_DIALECTS = {".sav": _SPSS, ".por": _PORTABLE, ".dta": _STATA, ".sas7bdat": _SAS, ".xpt": _TRANSPORT}
