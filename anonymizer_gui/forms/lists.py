"""Lossless text form of lists and groups of values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from engine.errors import ParameterError
from engine.numbers import decimal_mark
from engine.words import _

# A field in quotation marks, or text up to the next semicolon without surrounding blanks.
_FIELD = re.compile(r'[^\S\n]*("(?:[^"]|"")*"|[^;]*?)[^\S\n]*(;|$)')
_SEPARATOR = re.compile(r"[;\s]\s*|,\s+")
NamedLevels = Sequence[Sequence[tuple[str, Sequence[str]]]]


def numbers_to_text(values: Iterable[float]) -> str:
    """Return numbers in a row; separated by semicolons where the comma is the decimal mark."""
    return (", " if decimal_mark() == "." else "; ").join(map(number_to_text, values))


def number_to_text(value: float) -> str:
    """Return a number with all its digits; a whole one without a decimal mark."""
    text = f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(value)
    return text.replace(".", decimal_mark())


def text_to_numbers(text: str, label: str) -> list[float]:
    """Parse numbers separated by commas, semicolons or spaces.

    Where the comma is the decimal mark, 0,5 is one number and 1,2,3 are three.

    Raises
    ------
    ParameterError
        An entry is not a number.
    """
    words = _SEPARATOR.split(text.strip())
    parts = [word for each in words for word in ([each] if _is_decimal(each) else each.split(","))]
    return [text_to_number(word, label) for word in parts if word]


def _is_decimal(word: str) -> bool:
    return decimal_mark() == "," and word.count(",") == 1


def text_to_number(word: str, label: str) -> float:
    """Parse one number; integers become int, so that they are written as typed.

    Raises
    ------
    ParameterError
        The word is not a number.
    """
    try:
        return int(word)
    except ValueError:
        pass
    try:
        return float(word.replace(",", "."))
    except ValueError:
        raise ParameterError(
            _("{label}: '{word}' is not a number.").format(label=label, word=word),
            hint=_("Separate numbers by commas, as in 5, 10, 20."),
        ) from None


def texts_to_lines(values: Iterable[str]) -> str:
    """Return one value per line."""
    return "\n".join(values)


def groups_to_text(levels: NamedLevels) -> str:
    """Return one group per line, label first, separated by semicolons; an empty line ends a level."""
    return "\n\n".join(
        "\n".join("; ".join(map(quoted, (label, *members))) for label, members in groups) for groups in levels
    )


def text_to_groups(text: str) -> list[list[tuple[str, list[str]]]]:
    """Parse the format of `groups_to_text`; blanks next to semicolons count only inside quotation marks."""
    levels: list[list[tuple[str, list[str]]]] = [[]]
    for line in text.split("\n"):
        if not line.strip():
            levels.append([])
            continue
        fields = [unquoted(match[1]) for match in _FIELD.finditer(line) if match[1] or match[2]]
        levels[-1].append((fields[0], [field for field in fields[1:] if field]))
    return [level for level in levels if level]


def quoted(field: str) -> str:
    """Return a text, in quotation marks if it would otherwise be parsed differently."""
    if field != field.strip() or ";" in field or field.startswith('"') or not field:
        doubled = field.replace('"', '""')
        return f'"{doubled}"'
    return field


def unquoted(field: str) -> str:
    """Return the text that `quoted` was given."""
    if len(field) >= 2 and field.startswith('"') and field.endswith('"'):
        return field[1:-1].replace('""', '"')
    return field
