"""All dates of a person move by the same number of days, which a key and the person determine."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import MAXYEAR, date, timedelta
from typing import ClassVar

import numpy as np

from engine.errors import ExportError, InputError
from engine.hierarchies import Hierarchy
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import IntArray
from engine.numbers import as_exact_count
from engine.params import FilePath, Flag, Integer, param
from engine.recoding.aggregation.values import moment_text
from engine.recoding.rules.base import ColumnRule, RuleContext, Texts, column_rules
from engine.recoding.rules.keyed_hash import read_key
from engine.recoding.rules.reading import dates_of, format_of, why_no_dates
from engine.records import Column, DataType, Kind
from engine.records.values import parse_date
from engine.words import N_, _, lazy, ngettext

_LARGEST = 36_525  # days, a century
_FIRST, _LAST = date.min.toordinal(), date(MAXYEAR, 12, 31).toordinal()
_PRECISE = "YmdHMS"  # directives that are read and written exactly


@column_rules.register("date_shift")
@dataclass(frozen=True, slots=True)
class DateShift(ColumnRule):
    """Every date of a person moves by the person's number of days [1]_; missing stays missing.

    The key is read as that of keyed hashes. While it cannot be read, every cell is `*`, a sensitive column
    cannot be measured, and nothing can be exported. The persons are those of the table's person column;
    without one every record is a person, whose text is its number from 1. A missing person is the empty text.

    Parameters
    ----------
    days : int
        Largest number of days by which a date moves, in either direction.
    key_file : str or None
        Path of the key; never kept in a project file.
    skip_zero : bool
        Whether every date moves by at least one day.

    References
    ----------
    .. [1] Krawczyk, Bellare, Canetti (1997). HMAC: Keyed-Hashing for Message Authentication. RFC 2104.
    """

    title: ClassVar[str] = lazy("Date shift")
    summary: ClassVar[str] = lazy(
        "All dates of a person move by the same secret number of days; intervals between them stay."
    )
    unprotected: ClassVar[str] = lazy(
        "Moved dates are not true. An attacker who knows one true date of a person gets all others. "
        "Few days protect little, and dates at the edge of the table show their direction."
    )
    hides_values: ClassVar[bool] = False
    is_by_record: ClassVar[bool] = True

    days: int = param(
        365,
        Integer(
            label=N_("Days"),
            help=N_("Dates move by up to this number of days, earlier or later."),
            minimum=1,
            maximum=_LARGEST,
        ),
    )
    key_file: str | None = param(
        None,
        FilePath(
            label=N_("Key file"),
            help=N_("At least 32 secret bytes; the same key moves the dates of a person alike everywhere."),
            filters=N_("Keys (*.key);;All files (*)"),
        ),
    )
    skip_zero: bool = param(
        True,
        Flag(label=N_("Move every date"), help=N_("No date stays unchanged: the number of days is never 0.")),
    )

    @classmethod
    def fits(cls, column: Column, hierarchy: Hierarchy | None = None) -> bool:
        return column.data_type.kind is Kind.DATE

    def refuse_unready(self, column: str) -> None:
        """Raise `ExportError` where the key is not there, too short, or unreadable."""
        read_key(self.key_file, column)

    def why_not(self, column: Column, hierarchy: Hierarchy | None = None) -> str:
        return why_no_dates(column)

    def written_type(self, column: Column) -> DataType:
        return column.data_type

    def statement(self, person: str | None = None) -> str:
        if person is None:
            return ngettext(
                "Dates moved per record by up to {n} day; weekday, season, order and intervals across "
                "records are not kept.",
                "Dates moved per record by up to {n} days; weekday, season, order and intervals across "
                "records are not kept.",
                self.days,
            ).format(n=as_exact_count(self.days))
        return ngettext(
            "Dates moved per person by up to {n} day; weekday, season and order across persons are not kept.",
            "Dates moved per person by up to {n} days; weekday, season and order across persons are not "
            "kept.",
            self.days,
        ).format(n=as_exact_count(self.days))

    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """The moved date of each record; `*` without the key.

        Raises
        ------
        InputError
            A text is not a date, or a date would leave the calendar or its format; it names the record.
        """
        if reason := self.why_not(column):
            raise InputError(reason, hint=_("Set the type of the column to dates."), column=column.name)
        try:
            key = read_key(self.key_file, column.name)
        except ExportError:
            return (SUPPRESSED,), np.zeros(len(column.codes), dtype=np.int32)
        return self._moved(column, self.offsets(key, column, context), context.numbers)

    def offsets(self, key: bytes, column: Column, context: RuleContext) -> IntArray:
        """Return the number of days by which the date of each record moves, shape (n_records,)."""
        if context.person is None:
            numbers = range(len(column.codes)) if context.numbers is None else context.numbers.tolist()
            persons = [str(number + 1) for number in numbers]
        else:
            people = context.records.column(context.person)
            persons = [*people.labels[:-1], ""] if people.has_missing else list(people.labels)
        days = [date_offset(key, person, self.days, skip_zero=self.skip_zero) for person in persons]
        by_person = np.array(days, dtype=np.int64)
        if context.person is None:
            return by_person
        moved: IntArray = by_person[context.records.column(context.person).codes]
        return moved

    def _moved(self, column: Column, offsets: IntArray, numbers: IntArray | None) -> Texts:
        moments, written = dates_of(column), format_of(column.data_type)
        ordinals = np.array([moment.toordinal() for moment in moments] or [0], dtype=np.int64)
        present = np.flatnonzero(column.codes < len(moments))
        labels = column.codes[present].astype(np.int64)
        days = ordinals[labels] + offsets[present]
        if len(lost := np.flatnonzero((days < _FIRST) | (days > _LAST))):
            raise _left_calendar(column, int(present[lost[0]]), numbers)
        # Dates of one day and time have one text, whatever the original looked like.
        times: dict[object, int] = {}
        time_of = [times.setdefault((m.time(), m.tzinfo), len(times)) for m in moments] or [0]
        keys = days * max(len(times), 1) + np.array(time_of, dtype=np.int64)[labels]
        unique, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        texts = []
        for place in first.tolist():
            moment = moments[int(labels[place])] + timedelta(days=int(offsets[present[place]]))
            text = moment_text(moment, written)
            if not _is_exact(written) and parse_date(text, written) != moment:
                raise _left_calendar(column, int(present[place]), numbers)
            texts.append(text)
        places: dict[str, int] = {}
        recode = np.array([places.setdefault(text, len(places)) for text in texts] or [0], dtype=np.int32)
        codes = np.zeros(len(column.codes), dtype=np.int32)
        codes[present] = recode[inverse] if len(unique) else 0
        if column.has_missing:
            codes[column.codes == len(moments)] = places.setdefault(column.labels[-1], len(places))
        return tuple(places) or (SUPPRESSED,), codes


def date_offset(key: bytes, person: str, days: int, *, skip_zero: bool = True) -> int:
    """Return the number of days by which all dates of a person move.

    HMAC-SHA-256 of the person in UTF-8, a zero byte and a counter from "0"; its first 8 bytes as a number,
    the highest first. Numbers from the largest multiple of the span below 2^64 on are passed over, so that
    all numbers of days are equally likely.

    Parameters
    ----------
    days : int
        Largest number of days in either direction.
    skip_zero : bool
        Whether 0 is left out.
    """
    span = 2 * days if skip_zero else 2 * days + 1
    bound = (1 << 64) - (1 << 64) % span
    begin, counter = person.encode("utf-8") + b"\0", 0
    while True:
        digest = hmac.digest(key, begin + str(counter).encode(), hashlib.sha256)
        value = int.from_bytes(digest[:8], "big")
        if value < bound:
            offset = value % span - days
            return offset + 1 if skip_zero and offset >= 0 else offset
        counter += 1


def _is_exact(written: str) -> bool:
    """Return whether a format keeps every date of the calendar."""
    letters = written.split("%")[1:]
    return all(part[:1] in _PRECISE for part in letters) and {"Y", "m", "d"} <= {p[:1] for p in letters}


def _left_calendar(column: Column, record: int, numbers: IntArray | None) -> InputError:
    number = record if numbers is None else int(numbers[record])
    return InputError(
        _("'{name}', record {record}: '{text}' cannot move, because it would leave the calendar.").format(
            name=column.name, record=as_exact_count(number + 1), text=column.text(record)
        ),
        hint=_("Use fewer days, or correct the date."),
        column=column.name,
    )
