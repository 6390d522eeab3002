"""The noun for what sizes and risks count: people if one may have several records, else records."""

from __future__ import annotations

import re
from typing import NamedTuple

_RECORD = re.compile(r"\b(r)ecord(s?)\b", re.IGNORECASE)


class Noun(NamedTuple):
    """A counted thing, singular and plural."""

    one: str
    many: str

    def of(self, count: float) -> str:
        """Return the noun for a number."""
        return self.one if count == 1 else self.many

    def worded(self, words: str) -> str:
        """Return a text about records as one about the counted thing: "people at risk"."""
        return _RECORD.sub(self._instead, words)

    def _instead(self, found: re.Match[str]) -> str:
        word = self.many if found[2] else self.one
        return word.capitalize() if found[1].isupper() else word


RECORDS, PEOPLE = Noun("record", "records"), Noun("person", "people")


def who(*, counts_people: bool) -> Noun:
    """Return the noun that sizes and risks count."""
    return PEOPLE if counts_people else RECORDS
