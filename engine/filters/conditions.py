"""What a filter says: conditions and how they are joined, as values that can be applied and written."""

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

OPERATORS: Mapping[str, Callable[[NDArray[Any], Any], Any]] = {
    "<=": np.less_equal,
    ">=": np.greater_equal,
    "!=": np.not_equal,
    "<": np.less,
    ">": np.greater,
    "=": np.equal,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison; a percentage compares the column named `name %`, given as a fraction.

    Attributes
    ----------
    name : str
    operator : str
        A key of `OPERATORS`.
    value : Decimal or str
        A number exactly as typed (a percentage divided by 100), or a text.
    is_percent : bool
    """

    name: str
    operator: str
    value: Value
    is_percent: bool = False

    def mask(self, columns: Columns) -> BoolArray:
        """Rows of numbers that meet the condition; a missing number (nan) meets none."""
        column = columns[f"{self.name} %" if self.is_percent else self.name]
        met = np.asarray(OPERATORS[self.operator](column, float(self.value)))
        return met & ~_is_nan(column)

    @property
    def text(self) -> str:
        """The condition as it could be typed."""
        if self.is_percent and isinstance(self.value, Decimal):
            return f"{quoted_name(self.name)} {self.operator} {_number(_shifted(self.value, 2))} %"
        return f"{quoted_name(self.name)} {self.operator} {_literal(self.value)}"


@dataclass(frozen=True, slots=True)
class Among:
    """Whether a value is one of some, or none of them where negated; a missing value is neither."""

    name: str
    values: tuple[Value, ...]
    negated: bool = False

    def mask(self, columns: Columns) -> BoolArray:
        """Rows of numbers that meet the condition; a missing number (nan) meets none."""
        column = columns[self.name]
        met = np.isin(column, [float(value) for value in self.values], invert=self.negated)
        return met & ~_is_nan(column)

    @property
    def text(self) -> str:
        """The condition as it could be typed."""
        values = ", ".join(map(_literal, self.values))
        return f"{quoted_name(self.name)} {'not in' if self.negated else 'in'} ({values})"


@dataclass(frozen=True, slots=True)
class Missing:
    """Whether a value is missing, or is there where negated."""

    name: str
    negated: bool = False

    def mask(self, columns: Columns) -> BoolArray:
        """Rows of numbers that meet the condition; nan stands for missing."""
        return _is_nan(columns[self.name]) ^ self.negated

    @property
    def text(self) -> str:
        """The condition as it could be typed."""
        return f"{quoted_name(self.name)} is {'not ' if self.negated else ''}missing"


Leaf: TypeAlias = Condition | Among | Missing


@dataclass(frozen=True, slots=True)
class Not:
    """Exactly the rows that a part does not let pass."""

    part: Expression

    @property
    def text(self) -> str:
        """The expression as it could be typed."""
        return f"not ({self.part.text})"


@dataclass(frozen=True, slots=True)
class Joined:
    """Two or more parts joined by one word: "and" lets pass what all of them do, "or" what any does."""

    word: str
    parts: tuple[Expression, ...]

    @property
    def text(self) -> str:
        """The expression as it could be typed."""
        return f" {self.word} ".join(
            f"({part.text})" if isinstance(part, Joined) else part.text for part in self.parts
        )


Expression: TypeAlias = Leaf | Not | Joined


@dataclass(frozen=True, slots=True)
class Filter:
    """Rows are let pass by an expression; without any, every row passes."""

    expression: Expression | None = None

    @property
    def conditions(self) -> tuple[Leaf, ...]:
        """The single conditions, in the order typed."""
        return tuple(_leaves(self.expression)) if self.expression is not None else ()

    @property
    def text(self) -> str:
        """A filter that could be typed and reads as this one."""
        return self.expression.text if self.expression is not None else ""

    def mask(self, columns: Columns, n_rows: int) -> BoolArray:
        """Rows of numbers that pass, shape (n_rows,); nan stands for missing."""
        return self.where(lambda leaf: leaf.mask(columns), n_rows)

    def where(self, meets: Callable[[Leaf], BoolArray], n_rows: int) -> BoolArray:
        """Rows that pass, given which rows meet a single condition; shape (n_rows,)."""
        if self.expression is None:
            return np.ones(n_rows, dtype=np.bool_)
        return _where(self.expression, meets)


def quoted_name(name: str) -> str:
    """A name as a filter quotes it."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """A text as a filter quotes it."""
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


def _shifted(value: Decimal, places: int) -> Decimal:
    """The value times a power of ten, exactly: arithmetic of decimals would round to 28 digits."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)  # numbers of filters are finite
    return Decimal((sign, digits, exponent + places))
