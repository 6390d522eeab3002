"""SAS tables and SAS transport files as raw columns; the format of a column says which numbers are dates."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.monitor import Monitor
from engine.table.formats import SAS
from engine.table.labelled import Dialect, read_labelled
from engine.table.options import ReadOptions
from engine.table.raw import RawTable
from engine.table.sources import checked_path, read_by_library
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

    Value labels are in a separate catalog of SAS, which is not read: codes are the values. Of a transport
    file with several tables the first one is read.
    """
    if path.suffix.lower() != ".xpt":
        return read_labelled(_SAS, path, options, monitor)
    checked_path(path)
    with read_by_library(path.name, _(SAS.name)):
        if path.stat().st_size % _CARD:  # the library takes what is left for the whole table
            raise ValueError("the file is not complete")
    return read_labelled(_TRANSPORT, path, options, monitor)


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
