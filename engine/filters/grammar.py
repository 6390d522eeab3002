"""Conditions such as `age <= 2 and loss < 0.3`: read into values, applied to arrays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError, nearest

BoolArray = NDArray[np.bool_]
Columns = Mapping[str, NDArray[Any]]

OPERATORS: Mapping[str, Callable[[NDArray[Any], float], BoolArray]] = {
    "<=": np.less_equal,
    ">=": np.greater_equal,
    "!=": np.not_equal,
    "<": np.less,
    ">": np.greater,
    "=": np.equal,
}
_SYNONYMS = {"≤": "<=", "≥": ">=", "≠": "!=", "==": "="}

# A name runs up to the operator, so that columns with spaces or hyphens need no quotes.
_CONDITION = re.compile(
    r"""\s*(?:"(?P<quoted>[^"]+)"|(?P<name>[^<>=!≤≥≠"]+?))
        \s*(?P<operator><=|>=|==|!=|<|>|=|≤|≥|≠)
        \s*(?P<number>[-+−]?(?:\d[\d\u202f ]*)?(?:\.\d+)?)\s*(?P<percent>%)?\s*""",
    re.VERBOSE,
)
_JOIN = re.compile(r"\s+and\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison; a percentage compares the column named `name %`, given as a fraction."""

    name: str
    operator: str
    value: float
    is_percent: bool = False

    def mask(self, columns: Columns) -> BoolArray:
        """Rows that meet the condition; a missing number (nan) meets none."""
        column = columns[f"{self.name} %" if self.is_percent else self.name]
        met = np.asarray(OPERATORS[self.operator](column, self.value))
        return met & ~np.isnan(column) if column.dtype.kind == "f" else met


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that must all hold; without any, every row passes."""

    conditions: tuple[Condition, ...] = ()

    def mask(self, columns: Columns, n_rows: int) -> BoolArray:
        """Rows that pass, shape (n_rows,)."""
        passing = np.ones(n_rows, dtype=np.bool_)
        for condition in self.conditions:
            passing &= condition.mask(columns)
        return passing


def parse_filter(text: str, names: Iterable[str], percent_names: Iterable[str] = ()) -> Filter:
    """Read a filter.

    Parameters
    ----------
    text : str
        Conditions joined by "and", each `name operator number`; empty text passes everything.
    names : iterable of str
        Columns that may be named; case is ignored where that leaves one meaning.
    percent_names : iterable of str
        Columns that may be compared with a percentage.

    Raises
    ------
    InputError
        If a part is no condition or names an unknown column, with the nearest known name.
    """
    known = tuple(names)
    if not text.strip():
        return Filter()
    parts = _JOIN.split(text.strip())
    return Filter(tuple(_condition(part, known, tuple(percent_names)) for part in parts))


def _condition(part: str, known: tuple[str, ...], percents: tuple[str, ...]) -> Condition:
    match = _CONDITION.fullmatch(part)
    digits = re.sub(r"[\s\u202f]", "", match["number"]).replace("−", "-") if match else ""
    if match is None or not any(character.isdigit() for character in digits):
        raise InputError(
            f"'{part.strip()}' is not a condition.",
            hint="Write a name, a comparison and a number, joined by 'and': age <= 2 and loss < 0.3.",
        )
    name = _known_name(match["quoted"] or match["name"].strip(), known)
    is_percent = match["percent"] is not None
    if is_percent and name not in percents:
        raise InputError(f"'{name}' is not a share.", hint="Leave the percent sign out.")
    operator = _SYNONYMS.get(match["operator"], match["operator"])
    # Divided as text, so that 0.29 % is what a person means by it.
    value = float(f"{digits}e-2") if is_percent else float(digits)
    return Condition(name, operator, value, is_percent)


def _known_name(name: str, known: tuple[str, ...]) -> str:
    if name in known:
        return name
    alike = [candidate for candidate in known if candidate.casefold() == name.casefold()]
    if len(alike) == 1:
        return alike[0]
    raise InputError(f"There is nothing called '{name}' to filter by.", hint=nearest(name, known))
