"""Dates as texts: formats in which a column is written, and labels for the remaining parts of a date."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from engine.errors import ParameterError
from engine.records import Column, Kind
from engine.records.values import DATE_FORMATS, parse_date
from engine.words import _

# Names of their own, since those of the C library depend on the settings of the computer.
MONTHS = (
    ("January"), ("February"), ("March"), ("April"), ("May"), ("June"),
    ("July"), ("August"), ("September"), ("October"), ("November"), ("December"),
)  # fmt: skip
WEEKDAYS = (
    ("Monday"),
    ("Tuesday"),
    ("Wednesday"),
    ("Thursday"),
    ("Friday"),
    ("Saturday"),
    ("Sunday"),
)
PARTS = ("year", "month", "day", "hour", "minute", "second")
_ISO = "%Y-%m-%d"
_DAYS = (*DATE_FORMATS, "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y")
_TIMES = ("", " %H:%M", " %H:%M:%S", "T%H:%M", "T%H:%M:%S")
_USUAL = tuple(day + time for time in _TIMES for day in _DAYS if not (time.startswith("T") and day != _ISO))
_LOOKED_AT = 400  # values that decide which formats a column of texts has
_GLANCED_AT = 100  # and whether it has dates at all
_FIRST_GLANCE = 16  # which it has not if none of these is one

_DIRECTIVE = re.compile(r"%(.)", re.DOTALL)
_SPLIT = re.compile(r"(%.)", re.DOTALL)
_BROKEN_DIGITS = re.compile(r"[0-9][^0-9]+[0-9]")  # as every date in a usual format has them
# The parts of a date that each directive tells.
_TELLS = {
    "Y": ("year",), "y": ("year",), "m": ("month",), "b": ("month",), "B": ("month",), "d": ("day",),
    "j": ("month", "day"), "H": ("hour",), "I": ("hour",), "M": ("minute",), "S": ("second",),
}  # fmt: skip
_READ = (*_TELLS, "a", "A", "p", "f", "z", "Z", "%")
_WRITTEN = {  # what labels can write, with the part that a directive goes with
    "Y": "year", "y": "year", "m": "month", "b": "month", "B": "month", "d": "day", "a": "day", "A": "day",
    "H": "hour", "M": "minute", "S": "second",
}  # fmt: skip


@dataclass(frozen=True)
class Dates:
    """Dates that were read from a column.

    Attributes
    ----------
    dates : dict of str to datetime
        By value, in the order of the column.
    parts : dict of str to int
        How many of `PARTS` each of them contains.
    formats : tuple of str
        Those that read at least one value.
    tried : tuple of str
        All that were tried.
    """

    dates: dict[str, datetime]
    parts: dict[str, int]
    formats: tuple[str, ...]
    tried: tuple[str, ...]

    @property
    def pattern(self) -> str:
        """The format in which labels write days."""
        return pattern_of(self.formats)


def pattern_of(formats: Sequence[str]) -> str:
    """The first format with a whole day, else with as many parts as any; labels can be written in it."""
    whole = PARTS.index("day") + 1
    return label_pattern(max(formats, key=lambda pattern: min(n_parts(pattern), whole)))


def read_dates(column: Column, given: Sequence[str] | None) -> Dates:
    """Read the values of a column in given formats; without, in that of its type, or in usual ones."""
    values = column.known_labels
    if given is not None:
        return _read(values, tuple(given))
    if column.data_type.kind is Kind.DATE:
        return _read(values, (column.data_type.format or DATE_FORMATS[0],))
    likely = _likely(values)
    return _read(likely, _formats_of(_some(likely, _LOOKED_AT)))


def half_are_dates(column: Column, given: Sequence[str] | None) -> bool:
    """Return whether at least half of the values can be read; of many values, some decide."""
    values = _some(column.known_labels, _GLANCED_AT)
    if not _read(_some(values, _FIRST_GLANCE), _USUAL if given is None else tuple(given)).dates:
        return False
    likely = _likely(values) if given is None else values
    if not likely or 2 * len(likely) < len(values):
        return False
    formats = _formats_of(likely) if given is None else tuple(given)
    return 2 * len(_read(likely, formats).dates) >= len(values)


def label_pattern(pattern: str) -> str:
    """The format in which labels write days, of the one that values are read in."""
    letters = _DIRECTIVE.findall(pattern)
    return pattern.replace("%y", "%Y") if all(letter in _WRITTEN for letter in letters) else _ISO


def n_parts(pattern: str) -> int:
    """Count the parts of a date that a format contains, from the year on without a gap."""
    named = {part for letter in _DIRECTIVE.findall(pattern) for part in _TELLS.get(letter, ())}
    return next((i for i, part in enumerate(PARTS) if i and part not in named), len(PARTS))


def check_pattern(pattern: str, parameter: str, *, is_read: bool) -> None:
    """Refuse a format with directives that are unknown, or without a year.

    Raises
    ------
    ParameterError
    """
    known = _READ if is_read else tuple(_WRITTEN)
    letters = _DIRECTIVE.findall(pattern)
    wrong = next((letter for letter in letters if letter not in known), None)
    if wrong is not None or pattern.replace("%%", "").endswith("%"):
        raise ParameterError(
            _("The format '{pattern}' cannot be used: %{wrong} does not exist for dates.").format(
                pattern=pattern, wrong=wrong or ""
            ),
            hint=_("Available parts: {listed}.").format(listed=", ".join("%" + letter for letter in known)),
            parameter=parameter,
        )
    if not {"Y", "y"} & set(letters):
        raise ParameterError(
            _("The format '{pattern}' has no year.").format(pattern=pattern),
            hint=_("Add %Y."),
            parameter=parameter,
        )


def write(date: datetime, pattern: str, upto: str) -> str:
    """Write a date down to a part; what is finer is left out of the format."""
    pieces = _pieces(pattern, upto)
    return "".join(_part(date, piece[1]) if piece.startswith("%") else piece for piece in pieces)


def down_to(pattern: str, upto: str) -> str:
    """A format without the parts that are finer than one of them, as `write` leaves them out."""
    return "".join(_pieces(pattern, upto))


@lru_cache(maxsize=256)
def _pieces(pattern: str, upto: str) -> tuple[str, ...]:
    """The directives that are kept, and the texts between them; those around them if all are kept."""
    kept = PARTS[: PARTS.index(upto) + 1]
    pieces = _SPLIT.split(pattern)
    if all(_WRITTEN[piece[1]] in kept for piece in pieces[1::2]):
        return tuple(pieces)
    found: list[str] = []
    between: list[str] = []
    for place, piece in enumerate(pieces):
        if place % 2 == 0:
            between.append(piece)
        elif _WRITTEN[piece[1]] in kept:
            found += [_separator(between), piece] if found else [piece]
            between = []
    return tuple(found)


def _separator(texts: Sequence[str]) -> str:
    """Return one of the texts around the omitted part: a short one, in doubt the later."""
    return min(reversed(texts), key=lambda text: (not text, len(text)))


def _part(date: datetime, letter: str) -> str:
    match letter:
        case "Y":
            return f"{date.year:04}"
        case "y":
            return f"{date.year % 100:02}"
        case "B":
            return MONTHS[date.month - 1]
        case "b":
            return MONTHS[date.month - 1][:3]
        case "A":
            return WEEKDAYS[date.weekday()]
        case "a":
            return WEEKDAYS[date.weekday()][:3]
    return f"{getattr(date, _WRITTEN[letter]):02}"


def _read(values: Sequence[str], formats: tuple[str, ...]) -> Dates:
    found: dict[str, tuple[datetime, str]] = {}
    rest: Sequence[str] = values
    for pattern in formats:  # outermost: few are remembered, and it takes long to read anew how one is made
        for value in rest:
            date = parse_date(value, pattern)
            if date is not None:
                found[value] = date, pattern
        rest = [value for value in rest if value not in found]
    read = [value for value in values if value in found]
    precision = {pattern: n_parts(pattern) for pattern in formats}
    dates = {value: found[value][0] for value in read}
    parts = {value: precision[found[value][1]] for value in read}
    used = {pattern for _unused, pattern in found.values()}
    return Dates(dates, parts, tuple(pattern for pattern in formats if pattern in used), formats)


def _likely(values: Sequence[str]) -> Sequence[str]:
    """The values that a usual format could read."""
    return [value for value in values if _BROKEN_DIGITS.search(value)]


def _formats_of(values: Sequence[str]) -> tuple[str, ...]:
    """The usual formats, those that read most values first; day and month never change places."""
    chosen: list[str] = []
    rest = list(values)
    candidates = list(_USUAL)
    while candidates:
        best, dates = _best(candidates, rest)
        chosen.append(best)
        # Where nothing more can be read, the others keep their order.
        rest = [value for value in rest if value not in dates] if dates else []
        candidates = [c for c in candidates if c != best and not _contradicts(c, best)]
    return tuple(chosen)


def _best(candidates: Sequence[str], values: Sequence[str]) -> tuple[str, Collection[str]]:
    """The first format that reads most of the values, and those it reads."""
    best, most = candidates[0], dict[str, datetime]()
    for pattern in candidates:
        if len(most) == len(values):
            break
        dates = _read(values, (pattern,)).dates
        if len(dates) > len(most):
            best, most = pattern, dates
    return best, most


def _contradicts(pattern: str, other: str) -> bool:
    """Return whether one begins with the day and the other with the month, both as numbers."""
    begins = {pattern[:6], other[:6]}
    return begins in ({"%d/%m/", "%m/%d/"}, {"%d-%m-", "%m-%d-"})


def _some(values: Sequence[str], most: int) -> Sequence[str]:
    """Return about `n` of the values, evenly spread; all if there are few."""
    return values[:: max(1, len(values) // most)]
