"""Common part of top and bottom coding: numbers at or beyond a limit are written alike."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from engine.errors import InputError
from engine.hierarchies import Hierarchy
from engine.params import Choice, Real, param
from engine.recoding.rules.base import ColumnRule, RuleContext, Texts, each_value
from engine.recoding.rules.reading import as_exact, numbers_of, why_no_numbers
from engine.recoding.rules.round import PLACES, number_text
from engine.records import Column, DataType, Kind
from engine.records.values import decimal_mark, number_type, thousands_mark
from engine.words import N_, _

LABEL, LIMIT = "label", "limit"
LARGEST_LIMIT = 1e15
_BEYOND = 0.05  # share of the records that a suggested limit codes


@dataclass(frozen=True, slots=True)
class Coding(ColumnRule):
    """Numbers beyond a limit become a label, or the limit; missing stays missing.

    The label, such as ">= 90", replaces numbers at the limit too, so that it distinguishes no record.
    """

    sign: ClassVar[str] = ""
    hides_values: ClassVar[bool] = False
    is_true: ClassVar[bool] = True
    keeps_texts: ClassVar[bool] = True

    limit: float = param(
        0.0,
        Real(
            label=N_("Limit"),
            help=N_("Numbers beyond it are written alike."),
            minimum=-LARGEST_LIMIT,
            maximum=LARGEST_LIMIT,
            decimals=PLACES,
        ),
    )
    written: str = param(
        LABEL,
        Choice(
            label=N_("Written as"),
            help=N_("A label such as >= 90, or the limit itself."),
            options=((LABEL, N_("A label with the limit")), (LIMIT, N_("The limit"))),
        ),
    )

    @classmethod
    @abstractmethod
    def lies_beyond(cls, number: Fraction, limit: Fraction) -> bool:
        """Return whether a number is beyond a limit."""

    @classmethod
    def fits(cls, column: Column, hierarchy: Hierarchy | None = None) -> bool:
        return column.data_type.is_numeric

    @classmethod
    def suggested(cls, column: Column) -> ColumnRule:
        known = np.flatnonzero(~np.isnan(column.numbers))
        if not column.data_type.is_numeric or not len(known):
            return cls()
        shares = np.cumsum(column.counts[known]) / column.counts[known].sum()
        at = min(int(np.searchsorted(shares, cls._suggested_share())), len(known) - 1)
        limit = float(column.numbers[known[at]])
        return cls(limit=min(max(limit, -LARGEST_LIMIT), LARGEST_LIMIT))

    @classmethod
    def _suggested_share(cls) -> float:
        """Return the share of the records below a suggested limit."""
        return 1 - _BEYOND if cls.lies_beyond(Fraction(1), Fraction(0)) else _BEYOND

    def why_not(self, column: Column, hierarchy: Hierarchy | None = None) -> str:
        return why_no_numbers(column)

    def is_coded(self, number: Fraction) -> bool:
        """Return whether a number is replaced."""
        limit = as_exact(self.limit)
        return self.lies_beyond(number, limit) or (self.written == LABEL and number == limit)

    def label(self, column: Column) -> str:
        """Return what replaces numbers beyond the limit."""
        limit = number_text(self.limit, decimal_mark(column.data_type))
        return limit if self.written == LIMIT else f"{self.sign} {limit}"

    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """The text or the label for each value."""
        if reason := self.why_not(column):
            raise InputError(reason, hint=_("Use a rule for texts."), column=column.name)
        label, pairs = self.label(column), zip(column.known_labels, numbers_of(column), strict=True)
        return each_value(column, [label if self.is_coded(number) else text for text, number in pairs])

    def n_coded(self, column: Column) -> int | None:
        coded = [self.is_coded(number) for number in numbers_of(column)]
        return int(column.counts[: len(coded)][coded].sum())

    def beyond(self, column: Column) -> np.ndarray:
        """Return the records that it replaces."""
        coded = [self.is_coded(number) for number in numbers_of(column)]
        found: np.ndarray = np.array([*coded, *([False] * column.has_missing)] or [False])[column.codes]
        return found

    def written_type(self, column: Column) -> DataType:
        own = column.data_type
        if self.written == LIMIT:
            kind = own.kind if as_exact(self.limit).denominator == 1 else Kind.DECIMAL
            return number_type(kind, decimal_mark(own), thousands_mark(own))
        texts, numbers = column.known_labels, numbers_of(column)
        kept = [text for text, number in zip(texts, numbers, strict=True) if not self.is_coded(number)]
        if len(kept) == len(texts):
            return own
        above = self.lies_beyond(Fraction(1), Fraction(0))
        return DataType(
            Kind.ORDERED, "", (*kept, self.label(column)) if above else (self.label(column), *kept)
        )
