"""Conditions of a filter and how they are joined, as values that can be applied and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray

Columns: TypeAlias = Mapping[str, NDArray[Any]]
Value: TypeAlias = Decimal | str

OPERATORS: Mapping[str, np.ufunc] = {
    "<=": np.less_equal,
    ">=": np.greater_equal,
    "!=": np.not_equal,
    "<": np.less,
    ">": np.greater,
    "=": np.equal,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison; a percentage compares the column `name %`, which holds fractions.

    Attributes
    ----------
    operator : str
        A key of `OPERATORS`.
    value : Decimal or str
        A number exactly as typed (a percentage divided by 100), or a text.
    """

    name: str
    operator: str
    value: Value
    is_percent: bool = False

    def mask(self, columns: Columns) -> BoolArray:
        """Return the rows that meet the condition; a missing number (nan) meets none."""
        column = columns[f"{self.name} %" if self.is_percent else self.name]
        met = np.asarray(OPERATORS[self.operator](column, float(self.value)))
        return met & ~_is_nan(column)

    @property
    def text(self) -> str:
        """The condition as it can be typed."""
        if self.is_percent and isinstance(self.value, Decimal):
            return f"{quoted_name(self.name)} {self.operator} {_number(shifted(self.value, 2))} %"
        return f"{quoted_name(self.name)} {self.operator} {_literal(self.value)}"


@dataclass(frozen=True, slots=True)
class OneOf:
    """Membership in a list of values, or the opposite if negated; a missing value meets neither."""

    name: str
    values: tuple[Value, ...]
    negated: bool = False

    def mask(self, columns: Columns) -> BoolArray:
        """Return the rows that meet the condition; a missing number (nan) meets none."""
        column = columns[self.name]
        met = np.isin(column, [float(value) for value in self.values], invert=self.negated)
        return met & ~_is_nan(column)

    @property
    def text(self) -> str:
        """The condition as it can be typed."""
        values = ", ".join(map(_literal, self.values))
        return f"{quoted_name(self.name)} {'not in' if self.negated else 'in'} ({values})"


@dataclass(frozen=True, slots=True)
class Missing:
    """Test for a missing value, or for a present one if negated."""

    name: str
    negated: bool = False

    def mask(self, columns: Columns) -> BoolArray:
        """Return the rows that meet the condition; nan means missing."""
        return _is_nan(columns[self.name]) ^ self.negated

    @property
    def text(self) -> str:
        """The condition as it can be typed."""
        return f"{quoted_name(self.name)} is {'not ' if self.negated else ''}missing"


Leaf: TypeAlias = Condition | OneOf | Missing


@dataclass(frozen=True, slots=True)
class Not:
    """Exactly the rows that a part does not match."""

    part: Expression

    @property
    def text(self) -> str:
        """The expression as it can be typed."""
        return f"not ({self.part.text})"


@dataclass(frozen=True, slots=True)
class Joined:
    """Two or more parts joined by a word: "and" matches what all of them match, "or" what any does."""

    word: str
    parts: tuple[Expression, ...]

    @property
    def text(self) -> str:
        """The expression as it can be typed."""
        return f" {self.word} ".join(
            f"({part.text})" if isinstance(part, Joined) else part.text for part in self.parts
        )


Expression: TypeAlias = Leaf | Not | Joined


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of rows by an expression; without one, every row passes."""

    expression: Expression | None = None

    @property
    def conditions(self) -> tuple[Leaf, ...]:
        """Single conditions, in the order typed."""
        return tuple(_leaves(self.expression)) if self.expression is not None else ()

    @property
    def text(self) -> str:
        """Text of a filter that can be typed and reads as this one."""
        return self.expression.text if self.expression is not None else ""

    def mask(self, columns: Columns, n_rows: int) -> BoolArray:
        """Return the rows that pass, shape (n_rows,); nan means missing."""
        return self.where(lambda leaf: leaf.mask(columns), n_rows)

    def where(self, meets: Callable[[Leaf], BoolArray], n_rows: int) -> BoolArray:
        """Return the rows that pass, given the rows that meet each condition; shape (n_rows,)."""
        if self.expression is None:
            return np.ones(n_rows, dtype=np.bool_)
        return _where(self.expression, meets)


def quoted_name(name: str) -> str:
    """Return a name as a filter quotes it."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """Return a text as a filter quotes it."""
    return "'" + text.replace("'", "''") + "'"


def _where(expression: Expression, meets: Callable[[Leaf], BoolArray]) -> BoolArray:
    if isinstance(expression, Not):
        return ~_where(expression.part, meets)
    if not isinstance(expression, Joined):
        return meets(expression)
    parts: Sequence[BoolArray] = [_where(part, meets) for part in expression.parts]
    return np.asarray((np.logical_and if expression.word == "and" else np.logical_or).reduce(parts))


def _leaves(expression: Expression) -> Iterator[Leaf]:
    if isinstance(expression, Not):
        yield from _leaves(expression.part)
    elif isinstance(expression, Joined):
        for part in expression.parts:
            yield from _leaves(part)
    else:
        yield expression


def _is_nan(column: NDArray[Any]) -> BoolArray:
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), dtype=np.bool_)


def _literal(value: Value) -> str:
    return quoted_text(value) if isinstance(value, str) else _number(value)


def _number(value: Decimal) -> str:
    return str(value)


def shifted(value: Decimal, places: int) -> Decimal:
    """Return the value times a power of ten, exactly: decimal arithmetic would round to 28 digits."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)  # numbers of filters are finite
    return Decimal((sign, digits, exponent + places))
