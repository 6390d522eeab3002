"""The noun for what sizes and risks count: people if one may have several records, else records."""

from __future__ import annotations

from typing import NamedTuple

from engine.words import N_, _

_OF_PEOPLE = (  # texts of privacy models, which count either
    (N_("records at risk"), N_("people at risk")),
    (N_("share of records"), N_("share of people")),
    (N_("of any record"), N_("of any person")),
    (N_("of the kept records"), N_("of the kept people")),
)


class Noun(NamedTuple):
    """A counted thing; `unit` is its English name in figures and files."""

    singular: str
    unit: str

    @property
    def one(self) -> str:
        """The singular in the current language."""
        return _(self.singular)

    @property
    def many(self) -> str:
        """The plural in the current language."""
        return _(self.unit)

    def of(self, count: float) -> str:
        """Return the noun for a number."""
        return self.one if count == 1 else self.many

    def worded(self, words: str) -> str:
        """Return the title or meaning of a privacy model for the counted thing: "people at risk"."""
        if self == RECORDS:
            return words
        return next((_(people) for records, people in _OF_PEOPLE if _(records) == words), words)


RECORDS, PEOPLE = Noun(N_("record"), N_("records")), Noun(N_("person"), N_("people"))


def who(*, counts_people: bool) -> Noun:
    """Return the noun that sizes and risks count."""
    return PEOPLE if counts_people else RECORDS


def either(noun: Noun, records: str, people: str) -> str:
    """Return the text about the counted thing: records, or people who may have several."""
    return people if noun == PEOPLE else records
