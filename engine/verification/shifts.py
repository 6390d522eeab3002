"""Moved dates of a file: every one with the key, their relations without it."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.aggregates import date_text
from engine.verification.claims import ReleaseClaim, RuleClaim
from engine.verification.findings import Findings, UnverifiableError
from engine.verification.readers.collecting import Vocabulary
from engine.verification.rules import key_of
from engine.verification.subsets import value_of
from engine.words import _

_ALL = 1 << 64
_REMEMBERED = 1_000_000


class Moves:
    """Shifts of the dates of a column: by the key of its rule, or, without it, as the file shows.

    Parameters
    ----------
    missing : str or None
        Text of the missing value.
    """

    def __init__(self, name: str, rule: RuleClaim, missing: str | None) -> None:
        self.name, self._rule, self._missing = name, rule, missing
        self._limit, self._skips = int(rule.parameters["days"]), bool(rule.parameters["skip_zero"])
        self._days: dict[str, int] = {}  # by person
        self._dates: dict[str, datetime] = {}
        self._texts: dict[tuple[str, int], str] = {}

    @property
    def has_key(self) -> bool:
        """Return whether the claim names the key."""
        return bool(self._rule.parameters.get("key_file"))

    @cached_property
    def _key(self) -> bytes:
        return key_of(self._rule.parameters.get("key_file"))

    @cached_property
    def _possible(self) -> list[int]:
        return [days for days in range(-self._limit, self._limit + 1) if days or not self._skips]

    def due(self, texts: Sequence[str], persons: Sequence[str]) -> list[str]:
        """Return the expected text of every record by the key, given its original one and its person."""
        found = []
        for known in (self._days, self._dates, self._texts):
            if len(known) > _REMEMBERED:
                known.clear()
        for text, person in zip(texts, persons, strict=True):
            if text == self._missing:
                found.append(text)
                continue
            days = self._days.get(person)
            if days is None:
                days = self._days[person] = _drawn(self._key, person, self._possible)
            moved = self._texts.get((text, days))
            if moved is None:
                moved = self._texts[text, days] = self._moved(text, days)
            found.append(moved)
        return found

    def problems(
        self, before: Sequence[str], after: Sequence[str], persons: Sequence[str] | None
    ) -> list[tuple[int, str]]:
        """Return which records have a date that no key could have moved so, with a sentence on each.

        What is the same for every key is compared, with the records of earlier calls, too. `persons` is None
        if every record is another person.
        """
        if len(self._dates) > _REMEMBERED:
            self._dates.clear()
        found = []
        for place, texts in enumerate(zip(before, after, strict=True)):
            if self._missing in texts:
                problem = "" if texts[0] == texts[1] else _("only one of the two is missing")
            else:
                problem = self._problem(texts, None if persons is None else persons[place])
            if problem:
                found.append((place, problem))
        return found

    def sentence(self, record: int, before: str, after: str, problem: str) -> str:
        """Return the sentence on a problem; records count from 0."""
        return _("Record {record}, column '{name}': '{before}' became '{after}', but {problem}.").format(
            record=as_exact_count(record + 1), name=self.name, before=before, after=after, problem=problem
        )

    def _problem(self, texts: tuple[str, str], person: str | None) -> str:
        try:
            before, after = (self._date(text) for text in texts)
        except UnverifiableError:
            return _("this is not a date")
        difference = after - before
        if difference % timedelta(days=1):
            return _("the time of day differs")
        days = difference // timedelta(days=1)
        if abs(days) > self._limit:
            return _("this is more than {n} days").format(n=as_exact_count(self._limit))
        if self._skips and not days:
            return _("every date must move")
        if person is not None and self._days.setdefault(person, days) != days:
            return _("other dates of this person moved by another number of days")
        return ""

    def _date(self, text: str) -> datetime:
        found = self._dates.get(text)
        if found is None:
            value = value_of(text, self._rule.kind)
            if not isinstance(value, datetime):
                raise UnverifiableError(_("'{name}' is not a column of dates.").format(name=self.name))
            found = self._dates[text] = value
        return found

    def _moved(self, text: str, days: int) -> str:
        moment = self._date(text)
        try:
            return date_text(moment + timedelta(days=days), self._rule.kind)
        except OverflowError:
            raise UnverifiableError(
                _("'{text}' in '{name}' would leave the calendar.").format(
                    text=date_text(moment, self._rule.kind), name=self.name
                )
            ) from None


def moved(
    moves: Mapping[str, Moves],
    known: dict[str, Vocabulary],
    person: str,
    missing: str | None,
    records: pd.DataFrame,
    first: int,
) -> pd.DataFrame:
    """Return original records with the dates of some columns shifted by their keys.

    Parameters
    ----------
    moves : mapping of str to Moves
        By column, except that of persons, which tells them apart.
    known : dict of str to Vocabulary
        Of the columns that have codes; extended by expected texts.
    person : str
        Column of persons; empty if every record is another one.
    missing : str or None
        Text of the missing person.
    records : DataFrame
        Codes or texts.
    first : int
        Number of the first of the records, counted from 0.
    """
    if person and person not in records.columns:
        return records  # what is missing is named when columns are compared

    def texts_of(name: str) -> list[str]:
        cells = records[name].tolist()
        is_coded = records[name].dtype.kind == "i"
        return [known[name].texts[code] for code in cells] if is_coded else cells

    if person:
        persons = ["" if text == missing else text for text in texts_of(person)]
    else:
        persons = [str(number) for number in range(first + 1, first + len(records) + 1)]
    due: dict[str, pd.Series[Any]] = {}
    for name, own in moves.items():
        if name == person or name not in records.columns:
            continue
        texts = own.due(texts_of(name), persons)
        if records[name].dtype.kind == "i":
            codes = [known[name].code(text) for text in texts]
            due[name] = pd.Series(codes, records.index, dtype=records[name].dtype)
        else:
            due[name] = pd.Series(texts, records.index, dtype=object)
    return records.assign(**due)


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
    claim: ReleaseClaim,
    moves: Moves,
    records: pd.DataFrame,
    released: pd.DataFrame,
    persons: Sequence[str],
    vocabulary: Vocabulary,
    findings: Findings,
) -> pd.Series[int]:
    """Return the cells of the file for moved dates of a sensitive column without the key.

    Dates that no key could have moved so are reported: what is the same for every key is compared.
    """
    name, texts = moves.name, vocabulary.texts
    is_whole = claim.suppressed_records == "star" and not claim.blank_suppressed
    if not is_whole or len(released) != len(records):
        raise UnverifiableError(
            _(
                "The values of the sensitive column '{name}' cannot be recounted without its key, "
                "because cells of suppressed records are not in the file."
            ).format(name=name)
        )
    before, after = ([texts[code] for code in table[name].tolist()] for table in (records, released))
    for place, problem in moves.problems(before, after, persons):
        findings.add(moves.sentence(place, before[place], after[place], problem))
    return released[name]
