"""Terms of the glossary in the texts of the window."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.cached import cached_property

_ENDINGS = r"(?:e?s|e?d|e[mnr]?|n)?"  # of plurals, participles and German cases
_QUOTED = re.compile(r"“[^”]*”|„[^“]*“|'[^']*'|\"[^\"]*\"")  # names and values of the user


@dataclass(frozen=True)
class FoundTerm:
    """Place and meaning of a term in a text."""

    start: int
    length: int
    term: str
    meaning: str


class Terms:
    """Finds the first occurrence of each term in a text."""

    def __init__(self, source: Callable[[], Mapping[str, str]] = dict) -> None:
        """Take terms in lower case with their meanings from `source`, read when a text is first searched."""
        self._source = source

    @cached_property
    def _meanings(self) -> Mapping[str, str]:
        return self._source()

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        # Longer terms first, so that "class size" is not found as "class".
        terms = sorted(self._meanings, key=len, reverse=True)
        if not terms:
            return None
        return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, terms))}){_ENDINGS}(?!\w)", re.IGNORECASE)

    def find(self, text: str) -> tuple[FoundTerm, ...]:
        """List the terms of a text in their order; words in quotation marks are names, not terms."""
        if not text or self._pattern is None:
            return ()
        found: dict[str, FoundTerm] = {}
        searched = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text)
        for match in self._pattern.finditer(searched):
            term = match[1].casefold()
            found.setdefault(
                term, FoundTerm(match.start(), len(match[0]), match[1], self._meanings.get(term, ""))
            )
        return tuple(found.values())


_terms = Terms()


def use_terms(source: Callable[[], Mapping[str, str]]) -> None:
    """Explain the terms of `source` in all labels."""
    global _terms  # one window, one glossary
    _terms = Terms(source)


def find_terms(text: str) -> tuple[FoundTerm, ...]:
    """List the terms of the glossary in a text."""
    return _terms.find(text)
