"""Completion of filters: names, comparisons, values and joining words that may come next."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from engine.errors import InputError
from engine.filters.conditions import quoted_name, quoted_text
from engine.filters.grammar import read
from engine.filters.words import QUOTED_NAME, Due, ValueKind, Words, needs_quotes

MOST_WORDS = 50
_ENDS_NAME = re.compile(r"[\s<>=!≤≥≠]")
_ORDER = ("<", "<=", "=", "!=", ">=", ">")
_OPERATORS: Mapping[ValueKind, tuple[str, ...]] = {
    ValueKind.NUMBERS: _ORDER,
    ValueKind.SHARES: _ORDER,
    ValueKind.ORDERED: _ORDER,
    ValueKind.TEXTS: ("=", "!="),
}
_QUESTIONS = ("in (", "not in (", "is missing", "is not missing")

Values = Callable[[str, str], Sequence[str]]
"""Returns the values of a name that contain a text, at most as many as are offered."""


@dataclass(frozen=True)
class Completions:
    """Words that may replace the text from `start` to `end`."""

    start: int
    end: int
    words: tuple[str, ...]


def complete(text: str, position: int, known: Mapping[str, ValueKind], values: Values) -> Completions:
    """Return what may be written at a position of a filter.

    Parameters
    ----------
    text : str
        The typed text.
    position : int
        Position of the cursor; only the text before it is read, and the text after it stays.
    known : mapping of str to ValueKind
        Names that may be used.
    values : callable
        Returns the values of a name that contain a text, for comparisons of texts.

    Returns
    -------
    Completions
        Without words if the text before the position cannot be read, or if a number is expected.
    """
    words = _TypedWords(text[:position], known)
    with suppress(InputError, _StillTypedError):
        read(words)
    offered = tuple(dict.fromkeys(_candidates(words, values)))[:MOST_WORDS]
    return Completions(words.due_from, position, offered)


class _StillTypedError(Exception):
    """A word at the end of the text may become another one."""


class _TypedWords(Words):
    """Words up to the one that is being typed, and the number of brackets that are open."""

    n_open = 0

    def take(self, mark: str) -> bool:
        is_taken = super().take(mark)
        if is_taken:
            self.n_open += (mark == "(") - (mark == ")")
        return is_taken

    def take_word(self, *words: str) -> bool:
        if " ".join(words).startswith(self._rest):
            raise _StillTypedError
        return super().take_word(*words)

    def name(self) -> str:
        if self.text.startswith('"', self.place):
            if QUOTED_NAME.match(self.text, self.place):
                return super().name()
            raise _StillTypedError
        for name in self.bare_names:
            end = self.place + len(name)
            typed = self.text[self.place : end]
            if typed.casefold() == name.casefold() and _ENDS_NAME.match(self.text, end):
                if self._may_become_longer(name):
                    continue
                found = self._known(typed)
                self.skip(len(typed))
                return found
        raise _StillTypedError

    @property
    def _rest(self) -> str:
        return self.text[self.place :].casefold()

    def _may_become_longer(self, name: str) -> bool:
        """Return whether the typed text may become a longer name than the one it matches."""
        longer = (other for other in self.bare_names if len(other) > len(name))
        return len(self._rest) > len(name) + 1 and any(o.casefold().startswith(self._rest) for o in longer)


def _candidates(words: _TypedWords, values: Values) -> list[str]:
    """Return the expected words that contain, or for marks begin with, what is being typed."""
    typed, name = words.text[words.due_from :], words.due_for
    match words.due:
        case Due.BEGINNING:
            return [*_names(words.known, typed), *_beginning(typed, ("not ", "("))]
        case Due.COMPARISON:
            return _beginning(typed, (*_OPERATORS[words.known[name]], *_QUESTIONS))
        case Due.VALUE if words.known[name] in (ValueKind.NUMBERS, ValueKind.SHARES):
            return []
        case Due.VALUE:
            return [quoted_text(value) for value in values(name, typed.lstrip("'").replace("''", "'"))]
        case Due.LISTED:
            return _beginning(typed, (",", ")"))
    return _beginning(typed, ("and ", "or ", *((")",) if words.n_open else ())))


def _names(known: Iterable[str], typed: str) -> list[str]:
    """Return names that contain what is typed, those that begin with it first, quoted if necessary."""
    wanted = typed.lstrip('"').replace('""', '"').casefold()
    found = [name for name in known if wanted in name.casefold()]
    found.sort(key=lambda name: not name.casefold().startswith(wanted))
    is_quoted = typed.startswith('"')
    return [quoted_name(name) if is_quoted or needs_quotes(name) else name for name in found]


def _beginning(typed: str, words: Sequence[str]) -> list[str]:
    return [word for word in words if word.startswith(typed.casefold()) and word.strip() != typed]
