"""What sizes and risks count, in words: people where one of them may have several records, else records."""

from __future__ import annotations

import re
from typing import NamedTuple

_RECORD = re.compile(r"\b(r)ecord(s?)\b", re.IGNORECASE)


class Noun(NamedTuple):
    """What is counted: one of them, and more."""

    one: str
    many: str

    def of(self, count: float) -> str:
        """The noun for some number of them."""
        return self.one if count == 1 else self.many

    def worded(self, words: str) -> str:
        """Words that were written of records, said of what is counted: "people at risk"."""
        return _RECORD.sub(self._instead, words)

    def _instead(self, found: re.Match[str]) -> str:
        word = self.many if found[2] else self.one
        return word.capitalize() if found[1].isupper() else word


RECORDS, PEOPLE = Noun("record", "records"), Noun("person", "people")


def who(*, counts_people: bool) -> Noun:
    """What sizes and risks count: records, or people who may have several."""
    return PEOPLE if counts_people else RECORDS
