"""Completion of filters: names, comparisons, values and joining words that may come next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.errors import InputError
from engine.filters.conditions import quoted_name, quoted_text
from engine.filters.words import ValueKind, Words, needs_quotes
from engine.words import _

MOST_WORDS = 50
_BEGIN, _COMPARE, _VALUE, _LISTED, _AFTER_LISTED, _AFTER = range(6)
_ORDER = ("<", "<=", "=", "!=", ">=", ">")
_OPERATORS: Mapping[ValueKind, tuple[str, ...]] = {
    ValueKind.NUMBERS: _ORDER,
    ValueKind.SHARES: _ORDER,
    ValueKind.ORDERED: _ORDER,
    ValueKind.TEXTS: ("=", "!="),
}
_QUESTIONS = ("in (", ("not in ("), ("is missing"), ("is not missing"))

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
    reader = _Reader(Words(text[:position], known), known)
    try:
        reader.read()
    except InputError:
        return Completions(position, position, ())
    words = tuple(dict.fromkeys(reader.candidates(values)))[:MOST_WORDS]
    return Completions(reader.words.place, position, words)


class _Reader:
    """Reader of complete words of the grammar, up to the one being typed."""

    def __init__(self, words: Words, known: Mapping[str, ValueKind]) -> None:
        self.words, self._known = words, known
        self._due = _BEGIN
        self._depth = 0
        self._name = ""

    def read(self) -> None:
        while not self.words.at_end and self._take():
            pass

    def candidates(self, values: Values) -> list[str]:
        """Return the expected words that contain, or for marks begin with, what is being typed."""
        typed = self.words.text[self.words.place :]
        match self._due:
            case due if due == _BEGIN:
                return [*self._names(typed), *_beginning(typed, ("not ", "("))]
            case due if due == _COMPARE:
                holds = self._known[self._name]
                return _beginning(typed, (*_OPERATORS[holds], *_QUESTIONS))
            case due if due in (_VALUE, _LISTED):
                if self._known[self._name] in (ValueKind.NUMBERS, ValueKind.SHARES):
                    return []
                wanted = typed.lstrip("'").replace("''", "'")
                return [quoted_text(value) for value in values(self._name, wanted)]
            case due if due == _AFTER_LISTED:
                return _beginning(typed, (",", ")"))
            case _:
                return _beginning(typed, ("and ", "or ", *((")",) if self._depth else ())))

    def _take(self) -> bool:
        """Read one complete word; False if the rest is still being typed."""
        words = self.words
        match self._due:
            case due if due == _BEGIN:
                return self._take_beginning()
            case due if due == _COMPARE:
                return self._take_comparison()
            case due if due in (_VALUE, _LISTED):
                return self._take_value(is_listed=due == _LISTED)
            case due if due == _AFTER_LISTED:
                if words.take(","):
                    self._due = _LISTED
                elif words.take(")"):
                    self._due = _AFTER
                else:
                    return False
            case _:
                if self._depth and words.take(")"):
                    self._depth -= 1
                elif self._ends("and", "or"):
                    return False
                elif words.take_word("and") or words.take_word("or"):
                    self._due = _BEGIN
                else:
                    return bool(words.take("%"))
        return True

    def _take_beginning(self) -> bool:
        words = self.words
        if self._ends("not"):
            return False
        if words.take_word("not"):
            return True
        if words.take("("):
            self._depth += 1
            return True
        name = words.whole_name()
        if name is None:
            return False
        self._name, self._due = name, _COMPARE
        return True

    def _take_comparison(self) -> bool:
        words = self.words
        if self._ends("is missing", "is not missing", "in", "not in"):
            return False
        if words.take_word("is", "not", "missing") or words.take_word("is", "missing"):
            self._due = _AFTER
        elif words.text[words.place :].casefold().split() in (["in"], ["not", "in"]):
            return False  # its bracket is still missing
        elif words.take_word("not", "in") or words.take_word("in"):
            if not words.take("("):
                words.refuse(_("A list in brackets is expected here."), "")
            self._due = _LISTED
        elif words.operator() is not None:
            self._due = _VALUE
        else:
            return False
        return True

    def _take_value(self, *, is_listed: bool) -> bool:
        words = self.words
        if self._known[self._name] in (ValueKind.NUMBERS, ValueKind.SHARES):
            if words.number(in_list=is_listed) is None:
                return False
        elif not words.has_whole_text() or words.quoted() is None:
            return False
        self._due = _AFTER_LISTED if is_listed else _AFTER
        return True

    def _ends(self, *phrases: str) -> bool:
        """Return whether the rest of the text is one of some words, or the beginning of one."""
        rest = " ".join(self.words.text[self.words.place :].casefold().split(" "))
        return any(phrase.startswith(rest) for phrase in phrases)

    def _names(self, typed: str) -> list[str]:
        """Return names that contain what is typed, those that begin with it first, quoted if necessary."""
        wanted = typed.lstrip('"').replace('""', '"').casefold()
        found = [name for name in self._known if wanted in name.casefold()]
        found.sort(key=lambda name: not name.casefold().startswith(wanted))
        is_quoted = typed.startswith('"')
        return [quoted_name(name) if is_quoted or needs_quotes(name) else name for name in found]


def _beginning(typed: str, words: Sequence[str]) -> list[str]:
    return [word for word in words if word.startswith(typed.casefold()) and word.strip() != typed]
