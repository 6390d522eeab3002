"""Words of a filter: names, numbers, texts and marks, read one after the other from the typed text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from typing import NoReturn

from engine.cached import cached_property
from engine.errors import InputError, nearest
from engine.filters.conditions import quoted_text
from engine.words import _

MAX_DIGITS = 100
MAX_POWER = 300  # powers of ten; well within the range of a float

_SPACE = re.compile(r"\s*")
_OPERATOR = re.compile(r"<=|>=|==|!=|<|>|=|≤|≥|≠")
_SYNONYMS = {"≤": "<=", "≥": ">=", "≠": "!=", "==": "="}
QUOTED_NAME = re.compile(r'"((?:[^"]|"")*)"(?!")')
_QUOTED_TEXT = re.compile(r"'((?:[^']|'')*)'(?!')")
# Thousands may be separated by a space of some kind, in groups of three only: 1 5 is not a number.
_NUMBER = re.compile(
    r"[-+−]?(?:(?:[0-9]{1,3}(?:[ \u00a0\u2009\u202f][0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)"
    r"(?:[eE][-+]?[0-9]{1,3})?(?![\w.])"
)
# What must follow a name without quotes, so that it may contain spaces, hyphens and brackets.
_AFTER_NAME = re.compile(r"\s*[<>=!≤≥≠]|\s+(?:not\s+)?in\b|\s+is\b", re.IGNORECASE)
_BARE = re.compile(
    r"""[^<>=!≤≥≠"'()]{1,300}?(?=\s*[<>=!≤≥≠"'()]|\s+(?:(?:not\s+)?in|is|and|or)\b|\s*\Z)""", re.IGNORECASE
)
# Names that could be read in two ways need quotes.
_NEEDS_QUOTES = re.compile(
    r"""[<>=!≤≥≠"']|^\s|\s$|^\(|^not\b|\b(?:and|or)\b|\bis\s+(?:not\s+)?missing\b|\bin\s*\(""", re.IGNORECASE
)


def needs_quotes(name: str) -> bool:
    """Return whether a name can only be written in double quotes."""
    return not name or _NEEDS_QUOTES.search(name) is not None


class ValueKind(Enum):
    """Kind of the values of a name, which decides the possible comparisons."""

    NUMBERS = "numbers"
    SHARES = "numbers, or percentages of a whole"
    TEXTS = "texts"  # compared with = and != only
    ORDERED = "texts with an order"  # dates and ordered categories: also compared with <, <= and so on


class Due(Enum):
    """Part of a filter that comes next."""

    BEGINNING = "a name, a bracket or not"
    COMPARISON = "a comparison of the name before"
    VALUE = "a value of the name before"
    LISTED = "a comma, or the end of a list"
    JOINT = "and, or, a closing bracket"


class Words:
    """The typed text, and the position up to which it has been read.

    Parameters
    ----------
    known : mapping of str to ValueKind
        Names that may be used.
    """

    def __init__(self, text: str, known: Mapping[str, ValueKind]) -> None:
        self.text = text
        self.known = known
        self.place = 0
        self.skip()
        self.expect(Due.BEGINNING)

    @cached_property
    def bare_names(self) -> tuple[str, ...]:
        """Names that may be written without quotes, the longest first."""
        return tuple(sorted((n for n in self.known if not needs_quotes(n)), key=len, reverse=True))

    def skip(self, length: int = 0) -> None:
        """Advance by some characters and the space after them."""
        match = _SPACE.match(self.text, self.place + length)
        assert match is not None  # the pattern also matches nothing
        self.place = match.end()

    def expect(self, due: Due, name: str = "") -> None:
        """Note what comes next, which is what can be offered if the text ends or cannot be read from here."""
        self.due, self.due_from, self.due_for = due, self.place, name

    @property
    def at_end(self) -> bool:
        """Return whether everything has been read."""
        return self.place == len(self.text)

    def take(self, mark: str) -> bool:
        """Read a mark such as "(" if it is next."""
        if not self.text.startswith(mark, self.place):
            return False
        self.skip(len(mark))
        return True

    def take_word(self, *words: str) -> bool:
        """Read words such as "is", "missing" if they are next, in any case."""
        pattern = r"\s+".join(words) + r"(?!\w)"
        match = re.compile(pattern, re.IGNORECASE).match(self.text, self.place)
        if match is None:
            return False
        self.skip(len(match[0]))
        return True

    def operator(self) -> str | None:
        """Read a comparison if one is next."""
        match = _OPERATOR.match(self.text, self.place)
        if match is None:
            return None
        self.skip(len(match[0]))
        return _SYNONYMS.get(match[0], match[0])

    def name(self) -> str:
        """Read a name, in double quotes or without."""
        if self.text.startswith("'", self.place):
            self.refuse(
                _("A name is expected here."),
                _('Write names in double quotes or without quotes: "age" < 30.'),
            )
        if self.text.startswith('"', self.place):
            match = QUOTED_NAME.match(self.text, self.place)
            if match is None:
                self.refuse(
                    _("The double quote is not closed."), _('Close the name with a double quote: "age" < 30.')
                )
            name = self._known(match[1].replace('""', '"'))
            self.skip(len(match[0]))
            return name
        typed = self._bare_known() or self._bare_unknown()
        name = self._known(typed)
        self.skip(len(typed))
        return name

    def number(self, *, in_list: bool = False) -> Decimal | None:
        """Read a number if one is next; thousands may be separated by spaces, but not in a list."""
        match = _NUMBER.match(self.text, self.place)
        if match is None:
            return None
        if in_list and re.search(r"\s", match[0]):
            self.refuse(_("There is a space between two numbers."), _("Write in (1, 500) or in (1500)."))
        value = Decimal(re.sub(r"\s", "", match[0]).replace("−", "-"))
        if len(value.as_tuple().digits) > MAX_DIGITS or abs(value.adjusted()) > MAX_POWER:
            self.refuse(
                _("The number is too long."),
                _("Write numbers with at most {limit} digits.").format(limit=MAX_DIGITS),
            )
        self.skip(len(match[0]))
        return value

    def quoted(self) -> str | None:
        """Read a text in single quotes if one is next."""
        if not self.text.startswith("'", self.place):
            return None
        match = _QUOTED_TEXT.match(self.text, self.place)
        if match is None:
            self.refuse(
                _("The single quote is not closed."),
                _("Close the text with a single quote, and double a quote inside it."),
            )
        self.skip(len(match[0]))
        return match[1].replace("''", "'")

    def refuse_value(self, name: str, holds: ValueKind) -> NoReturn:
        """Refuse what is here instead of a value of the right kind."""
        double, bare = QUOTED_NAME.match(self.text, self.place), _BARE.match(self.text, self.place)
        if holds in (ValueKind.NUMBERS, ValueKind.SHARES):
            self.refuse(
                _("'{name}' can only be compared with numbers.").format(name=name),
                _("Write a number without quotes, such as 30 or 0.5."),
            )
        text = "'...'"
        if double is not None:
            text = quoted_text(double[1].replace('""', '"'))
        elif bare is not None:
            text = quoted_text(bare[0].rstrip(" ,"))
        self.refuse(
            _("'{name}' can only be compared with texts.").format(name=name),
            _("Write texts in single quotes: {text}.").format(text=text),
        )

    def refuse(self, problem: str, hint: str) -> NoReturn:
        """Raise an error with the position where reading stopped."""
        rest = self.text[self.place :]
        shown = f"{rest[:20]}..." if len(rest) > 20 else rest
        template = (
            _("The filter cannot be read at '{text}' (character {position}). {problem}")
            if rest
            else _("The filter cannot be read at its end (character {position}). {problem}")
        )
        raise InputError(
            template.format(text=shown, position=self.place + 1, problem=problem),
            hint=hint,
            position=self.place,
        )

    def _bare_known(self) -> str | None:
        """Return the typed text if it is a known name without quotes, followed by a comparison."""
        for name in self.bare_names:
            end = self.place + len(name)
            typed = self.text[self.place : end]
            if (typed == name or typed.casefold() == name.casefold()) and _AFTER_NAME.match(self.text, end):
                return typed
        return None

    def _bare_unknown(self) -> str:
        match = _BARE.match(self.text, self.place)
        if match is None:
            self.refuse(
                _("A condition is expected here."),
                _("Write a name, a comparison and a value: age <= 30 and not sex = 'female'."),
            )
        return match[0]

    def _known(self, name: str) -> str:
        if name in self.known:
            return name
        alike = [candidate for candidate in self.known if candidate.casefold() == name.casefold()]
        if len(alike) == 1:
            return alike[0]
        raise InputError(
            _("Unknown name '{name}'.").format(name=name),
            hint=nearest(name, self.known),
            position=self.place,
        )
