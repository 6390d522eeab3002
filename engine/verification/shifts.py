"""Moved dates of a file: every one with the key, their relations without it."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.aggregates import date_text
from engine.verification.claims import ReleaseClaim, RuleClaim
from engine.verification.findings import Findings, UnverifiableError
from engine.verification.reading import Vocabulary
from engine.verification.rules import key_of
from engine.verification.subsets import value_of
from engine.words import _

_ALL = 1 << 64


@dataclass(frozen=True)
class MovedColumn:
    """A column whose dates are moved, before it is moved.

    Attributes
    ----------
    name : str
    rule : RuleClaim
    values : Series of int
        Original cells of the released records.
    persons : Sequence of str
        Person of each of these records, a missing one as the empty text.
    vocabulary : Vocabulary
        Vocabulary of the column; extended by expected texts.
    missing : str or None
        Text of the missing value.
    """

    name: str
    rule: RuleClaim
    values: pd.Series[int]
    persons: Sequence[str]
    vocabulary: Vocabulary
    missing: str | None

    @property
    def has_key(self) -> bool:
        """Return whether the claim names the key."""
        return bool(self.rule.parameters.get("key_file"))

    def among(self, chosen: pd.Index[int]) -> MovedColumn:
        """Return the column of some of its records, by their labels in `values`."""
        by_record = dict(zip(self.values.index.tolist(), self.persons, strict=True))
        persons = [by_record[label] for label in chosen.tolist()]
        return replace(self, values=self.values.loc[chosen], persons=persons)

    def due(self) -> pd.Series[int]:
        """Return the expected cell of every record, by the key."""
        key = key_of(self.rule.parameters.get("key_file"))
        limit, skips = int(self.rule.parameters["days"]), bool(self.rule.parameters["skip_zero"])
        possible = [days for days in range(-limit, limit + 1) if days or not skips]
        days = {person: _drawn(key, person, possible) for person in dict.fromkeys(self.persons)}
        texts = {code: self.vocabulary.texts[code] for code in self.values.unique().tolist()}
        dates = {code: self._date(text) for code, text in texts.items() if text != self.missing}
        cells: dict[object, int] = {}
        found = []
        for code, person in zip(self.values.tolist(), self.persons, strict=True):
            if code not in dates:
                found.append(code)
                continue
            moved = self._moved(dates[code], days[person])
            written = (moved.replace(tzinfo=None), moved.tzinfo)  # equal times of two zones are two texts
            if written not in cells:
                cells[written] = self.vocabulary.code(date_text(moved, self.rule.kind))
            found.append(cells[written])
        return pd.Series(found, index=self.values.index, dtype=self.values.dtype)

    def check(self, written: pd.Series[int], places: pd.Series[bool], findings: Findings) -> None:
        """Report dates that no key could have moved so: what is the same for every key is compared.

        Parameters
        ----------
        written : Series of int
            Cell of every record of `values` in the file.
        places : Series of bool
            Which of them are readable.
        findings : Findings
        """
        moved: dict[str, int] = {}
        limit, skips = int(self.rule.parameters["days"]), bool(self.rule.parameters["skip_zero"])
        rows = zip(self.values.tolist(), written.tolist(), places.tolist(), self.persons, strict=True)
        for record, (before, after, is_readable, person) in enumerate(rows, start=1):
            if not is_readable:
                continue
            texts = (self.vocabulary.texts[before], self.vocabulary.texts[after])
            if self.missing in texts:
                problem = "" if texts[0] == texts[1] else _("only one of the two is missing")
            else:
                problem = self._problem(texts, person, moved, limit, skips)
            if problem:
                findings.add(
                    _("Record {record}, column '{name}': '{before}' became '{after}', but {problem}.").format(
                        record=as_exact_count(record),
                        name=self.name,
                        before=texts[0],
                        after=texts[1],
                        problem=problem,
                    )
                )

    def _problem(
        self, texts: tuple[str, str], person: str, moved: dict[str, int], limit: int, skips: bool
    ) -> str:
        try:
            before, after = (self._date(text) for text in texts)
        except UnverifiableError:
            return _("this is not a date")
        difference = after - before
        if difference % timedelta(days=1):
            return _("the time of day differs")
        days = difference // timedelta(days=1)
        if abs(days) > limit:
            return _("this is more than {n} days").format(n=as_exact_count(limit))
        if skips and not days:
            return _("every date must move")
        if moved.setdefault(person, days) != days:
            return _("other dates of this person moved by another number of days")
        return ""

    def _date(self, text: str) -> datetime:
        found = value_of(text, self.rule.kind)
        if not isinstance(found, datetime):
            raise UnverifiableError(_("'{name}' is not a column of dates.").format(name=self.name))
        return found

    def _moved(self, moment: datetime, days: int) -> datetime:
        try:
            return moment + timedelta(days=days)
        except OverflowError:
            text = date_text(moment, self.rule.kind)
            raise UnverifiableError(
                _("'{text}' in '{name}' would leave the calendar.").format(text=text, name=self.name)
            ) from None


def _drawn(key: bytes, person: str, possible: Sequence[int]) -> int:
    """Return the entry that the key draws for a person."""
    usable = _ALL // len(possible) * len(possible)
    counter = 0
    while True:
        code = hmac.new(key, b"%s\0%d" % (person.encode("utf-8"), counter), hashlib.sha256)
        number = int(code.hexdigest()[:16], 16)
        if number < usable:
            return possible[number % len(possible)]
        counter += 1


def as_written(
    claim: ReleaseClaim, moved: MovedColumn, released: pd.DataFrame, findings: Findings
) -> pd.Series[int]:
    """Return the cells of the file for moved dates of a sensitive column without the key."""
    is_whole = claim.suppressed_records == "star" and not claim.blank_suppressed
    if not is_whole or len(released) != len(moved.values):
        raise UnverifiableError(
            _(
                "The values of the sensitive column '{name}' cannot be recounted without its key, "
                "because cells of suppressed records are not in the file."
            ).format(name=moved.name)
        )
    written = released[moved.name].set_axis(moved.values.index)
    moved.check(written, written >= 0, findings)
    return written
