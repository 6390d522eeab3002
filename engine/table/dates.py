"""Days of date texts: the parts of many texts at once, `strptime` where the shape of a text is unusual."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray, FloatArray, IntArray
from engine.table.text_chunks import pieces

_DAY = 86_400.0
_LONGEST = 19  # characters of a date with seconds, whose parts are read at once
_PART = re.compile("%(.)")
_BOUNDS = {"Y": (1, 9999), "m": (1, 12), "d": (1, 31), "H": (0, 23), "M": (0, 59), "S": (0, 59)}
_LENGTHS = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_BEFORE = np.concatenate(([0, 0], np.cumsum(_LENGTHS[1:-1])))  # days of a year before each month
_ZERO, _NINE = ord("0"), ord("9")

Characters = NDArray[np.uint32]


def parse_date(text: str, date_format: str) -> datetime | None:
    """Return the date of a text, None if it is not a date in this format."""
    try:
        return datetime.strptime(text, date_format)
    except (ValueError, re.error):  # re.error: a directive is repeated
        return None


def are_dates(texts: Sequence[str], date_format: str) -> bool:
    """Return whether every text is a date in this format."""
    return all(not np.isnan(days).any() for days in _days(texts, date_format))


def days_of(texts: Sequence[str], date_format: str) -> FloatArray:
    """Return the day of each text, counted from the year 1, with the time as a fraction; nan if no date."""
    return np.concatenate([np.zeros(0), *_days(texts, date_format)])


def _days(texts: Sequence[str], date_format: str) -> Iterator[FloatArray]:
    """Yield the days of the texts piece by piece, the first text alone: most formats fail there."""
    shapes = _shapes(date_format)
    if not shapes:
        yield from (np.array([_day(text, date_format) for text in piece]) for piece in pieces(texts))
        return
    yield from (np.array([_day(text, date_format)]) for text in texts[:1])
    yield from (
        _days_of_piece(piece, date_format, shapes) for piece in pieces(itertools.islice(texts, 1, None))
    )


def _day(text: str, date_format: str) -> float:
    date = parse_date(text, date_format)
    if date is None:
        return math.nan
    return date.toordinal() + (date.hour * 3600 + date.minute * 60 + date.second) / _DAY


@dataclass(frozen=True)
class _Shape:
    """Places of the parts in texts of one length; one digit or two stand for a part but the year."""

    length: int
    parts: tuple[tuple[str, int, int], ...]  # letter of the directive, first and last place
    others: tuple[tuple[int, int], ...]  # places and code points between them


@cache
def _shapes(date_format: str) -> tuple[_Shape, ...]:
    """Return the shapes of a format of numbers with marks between them; none for other formats."""
    marks = _PART.split(date_format)
    letters, between = marks[1::2], marks[::2]
    is_plain = len(set(letters)) == len(letters) and {"Y", "m", "d"} <= set(letters) <= set(_BOUNDS)
    if not is_plain or between[0] or between[-1]:
        return ()
    if not all(len(mark) == 1 and mark in "-/.: T" for mark in between[1:-1]):
        return ()
    widths = itertools.product(*[(4,) if letter == "Y" else (2, 1) for letter in letters])
    return tuple(_shape(letters, own, between[1:]) for own in widths)


def _shape(letters: Sequence[str], widths: Sequence[int], marks: Sequence[str]) -> _Shape:
    parts, others, at = [], [], 0
    for letter, width, mark in zip(letters, widths, marks, strict=True):
        parts.append((letter, at, at + width))
        at += width
        if mark:
            others.append((at, ord(mark)))
            at += 1
    return _Shape(at, tuple(parts), tuple(others))


def _days_of_piece(piece: Sequence[str], date_format: str, shapes: Sequence[_Shape]) -> FloatArray:
    lengths = np.fromiter(map(len, piece), np.int64, len(piece))
    short = piece if lengths.max() <= _LONGEST else [text if len(text) <= _LONGEST else "" for text in piece]
    width = max(1, min(int(lengths.max()), _LONGEST))
    characters = np.array(short, dtype=f"U{width}").view(np.uint32).reshape(len(piece), width)
    days, left = np.full(len(piece), np.nan), np.ones(len(piece), dtype=np.bool_)
    for shape in shapes:
        if not left.any():
            return days
        chosen = np.flatnonzero(left & (lengths == shape.length))
        if len(chosen):
            own = characters[chosen]
            fits = _fits(own, shape)
            chosen = chosen[fits]
            days[chosen] = _days_of_shape(own[fits], shape)
            left[chosen] = False
    for i in np.flatnonzero(left).tolist():
        days[i] = _day(piece[i], date_format)
    return days


def _fits(characters: Characters, shape: _Shape) -> BoolArray:
    """Return the texts with digits and marks at their places: no other reading of them is possible."""
    fits = np.ones(len(characters), dtype=np.bool_)
    for at, mark in shape.others:
        fits &= characters[:, at] == mark
    for _unused, first, last in shape.parts:
        digits = characters[:, first:last]
        fits &= ((digits >= _ZERO) & (digits <= _NINE)).all(axis=1)
    return fits


def _days_of_shape(characters: Characters, shape: _Shape) -> FloatArray:
    found: dict[str, IntArray] = {}
    is_date = np.ones(len(characters), dtype=np.bool_)
    for letter, first, last in shape.parts:
        values = np.zeros(len(characters), dtype=np.int64)
        for at in range(first, last):
            values = values * 10 + (characters[:, at].astype(np.int64) - _ZERO)
        least, most = _BOUNDS[letter]
        is_date &= (values >= least) & (values <= most)
        found[letter] = np.clip(values, least, most)
    years, months, day = found["Y"], found["m"], found["d"]
    is_leap = (years % 4 == 0) & ((years % 100 != 0) | (years % 400 == 0))
    is_date &= day <= _LENGTHS[months] + (is_leap & (months == 2))
    past = years - 1
    ordinals = past * 365 + past // 4 - past // 100 + past // 400
    ordinals += _BEFORE[months] + (is_leap & (months > 2)) + day
    seconds = sum(
        found[letter] * unit for letter, unit in (("H", 3600), ("M", 60), ("S", 1)) if letter in found
    )
    return np.where(is_date, ordinals + seconds / _DAY, np.nan)
