"""SAS tables and SAS transport files as raw columns; the format of a column says which numbers are dates."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.errors import TableError
from engine.monitor import Monitor
from engine.table.formats import SAS
from engine.table.labelled import Dialect, read_labelled
from engine.table.options import ReadOptions
from engine.table.raw import RawTable
from engine.table.sources import checked_path, exists, need, read_by_library
from engine.words import _

_CARD = 80  # bytes of which transport files consist
_DAY, _MOMENT = datetime.date(1960, 1, 1), datetime.datetime(1960, 1, 1)
# Names of formats without width and decimals; those of national languages begin with NL.
_DATES = re.compile(
    r"(?:NL)?(?:DATE|DAY|DDMMYY[BCDNPS]?|DOWNAME|JULDAY|JULIAN|MMDDYY[BCDNPS]?|MMYY[CDNPS]?|MONNAME|MONTH|MONYY"
    r"|QTRR?|WEEKDATE|WEEKDATX|WEEKDAY|WORDDATE|WORDDATX|YEAR|YYMM[CDNPS]?|YYMMDD[BCDNPS]?|YYMON|YYQR?[CDNPS]?"
    r"|[BE]8601DA|IS8601DA|EURDF(?:DD|DE|MY|WDX|WKX))"
)
_MOMENTS = re.compile(
    r"(?:NL)?(?:DATETIME|DATEAMPM|DTDATE|DTMONYY|DTWKDATX|DTYEAR|DTYYQC|MDYAMPM|[BE]8601D[NTX]|IS8601D[NT])"
)
_TIMES = re.compile(r"(?:NL)?(?:TIME|TIMEAMPM|TOD|HHMM|HOUR|MMSS|[BE]8601T[MX]|IS8601TM)")


def read_sas(path: Path, options: ReadOptions, monitor: Monitor) -> RawTable:
    """Return the columns of a SAS table or a transport file; see `engine.table.labelled`.

    Value labels are in a separate catalog of SAS: the one of the options, or that of the same name beside the
    table. Of a transport file with several tables the first one is read.
    """
    checked_path(path)
    is_transport = path.suffix.lower() != ".sas7bdat"
    if is_transport:
        with read_by_library(path.name, _(SAS.name)):
            if path.stat().st_size % _CARD:  # the library takes what is left for the whole table
                raise ValueError("the file is not complete")
    catalog = catalog_of(path, options)
    labels = {} if catalog is None else _labels(catalog, options)
    raw = read_labelled(_TRANSPORT if is_transport else _SAS, path, options, monitor, labels)
    return raw if catalog is None else replace(raw, catalog=options.catalog or catalog.name)


def catalog_of(path: Path, options: ReadOptions) -> Path | None:
    """Return the catalog of a SAS table, given or found beside it; None if it has none."""
    if options.catalog is not None:
        return path.parent / options.catalog if options.catalog else None
    beside = (path.with_suffix(ending) for ending in (SAS.catalog, SAS.catalog.upper()))
    return next(filter(exists, beside), None)


def _labels(catalog: Path, options: ReadOptions) -> dict[str, dict[Any, str]]:
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


def _moments(display: str) -> Callable[[float], Any] | None:
    """Return what makes a date or time of a number by the format, such as DATE9. or DATETIME20."""
    kind = display.upper().rstrip(".0123456789")
    for pattern, moment in ((_DATES, _day), (_MOMENTS, _moment), (_TIMES, _time)):
        if pattern.fullmatch(kind):
            return moment
    return None


def _day(value: float) -> datetime.date:
    return _DAY + datetime.timedelta(days=int(value // 1))


def _moment(value: float) -> datetime.date:
    return _MOMENT + datetime.timedelta(microseconds=round(value * 1_000_000))


def _time(value: float) -> datetime.time | datetime.timedelta:
    """Return a time of day; other spans are durations."""
    span = datetime.timedelta(microseconds=round(value * 1_000_000))
    in_a_day = datetime.timedelta() <= span < datetime.timedelta(days=1)
    return (_MOMENT + span).time() if in_a_day else span


_SAS = Dialect(
    SAS,
    "read_sas7bdat",
    _moments,
    is_blank_missing=True,
    settings={"disable_datetime_conversion": True},
)
_TRANSPORT = replace(_SAS, function="read_xport")
