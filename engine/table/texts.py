"""Numbers, dates and times as texts that people read: one text for equal values."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

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
