"""The noun for what sizes and risks count: people if one may have several records, else records."""

from __future__ import annotations

from typing import NamedTuple

from engine.words import N_, _, english

_OF_PEOPLE = {  # texts of privacy models, which count either
    "records at risk": N_("people at risk"),
    "share of records": N_("share of people"),
    "of any record": N_("of any person"),
    "of the kept records": N_("of the kept people"),
}


class Noun(NamedTuple):
    """A counted thing; `unit` is its English name in figures and files, `dative` a case of translations."""

    singular: str
    unit: str
    dative: str

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

    def said(self, text: str) -> str:
        """Return a text with the counted thing in the places {record}, {records} and {Records}.

        A translation may have {records:dative}, the plural in that case.
        """
        many = self.many
        words = {"record": self.one, "records": many, "Records": many.capitalize()}
        for place, word in (*words.items(), ("records:dative", _(self.dative))):
            text = text.replace(f"{{{place}}}", word)
        return text

    def worded(self, model: object, name: str) -> str:
        """Return the title or meaning of a privacy model for the counted thing: "people at risk"."""
        people = "" if self == RECORDS else _OF_PEOPLE.get(english(model, name), "")
        return _(people) or str(getattr(model, name))


RECORDS = Noun(N_("record"), N_("records"), N_("records", "dative"))
PEOPLE = Noun(N_("person"), N_("people"), N_("people", "dative"))


def who(*, counts_people: bool) -> Noun:
    """Return the noun that sizes and risks count."""
    return PEOPLE if counts_people else RECORDS


def either(noun: Noun, records: str, people: str) -> str:
    """Return the text about the counted thing: records, or people who may have several."""
    return people if noun == PEOPLE else records
