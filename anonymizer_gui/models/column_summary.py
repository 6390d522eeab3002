"""Summary of a column for its header: type, number of values and a small distribution; names of types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from weakref import WeakKeyDictionary

import numpy as np

from engine.kernels.arrays import FloatArray
from engine.numbers import as_count, as_values
from engine.records import Column, Kind, Role
from engine.records.types import DataType
from engine.records.values import DATE_FORMATS, thousands_mark, zeros_of
from engine.words import N_, _, within_sentence

KIND_NAMES = {
    Kind.TEXT: N_("Text"),
    Kind.INTEGER: N_("Whole number"),
    Kind.DECIMAL: N_("Decimal number"),
    Kind.BOOLEAN: N_("True or false"),
    Kind.DATE: N_("Date"),
    Kind.ORDERED: N_("Ordered category"),
}
_SHORT = {
    Kind.TEXT: N_("text"),
    Kind.INTEGER: N_("whole"),
    Kind.DECIMAL: N_("decimal"),
    Kind.BOOLEAN: N_("true/false"),
    Kind.DATE: N_("date"),
    Kind.ORDERED: N_("ordered"),
}


def short_kind(kind: Kind) -> str:
    """Return a type in one word, for a narrow header."""
    return _(_SHORT[kind])


def type_words(data_type: DataType) -> str:
    """Return a type in two or three words, with an example of its values if there are several formats."""
    if data_type.kind is Kind.DATE:
        return _("Date {example}").format(example=form_words((data_type.format or DATE_FORMATS[0],)))
    words, mark = _(KIND_NAMES[data_type.kind]), thousands_mark(data_type)
    return _("{words} as 1{mark}000").format(words=words, mark=mark) if mark else words


def form_words(forms: Sequence[str]) -> str:
    """Return the zeros of numbers, or an example of a date, in which day and month cannot be exchanged."""
    return forms[0] if zeros_of(forms) else _EXAMPLE.strftime(forms[0])


_EXAMPLE = datetime(2024, 12, 31, 13, 45, 30)
MOST_BARS = 20

_bars: WeakKeyDictionary[Column, tuple[float, ...]] = WeakKeyDictionary()


@dataclass(frozen=True)
class ColumnSummary:
    """Summary of one column; bars are relative to the tallest one."""

    name: str
    role: Role | None
    kind: Kind
    n_values: int
    bars: tuple[float, ...]
    is_target: bool = False  # target column of a release

    @property
    def short(self) -> str:
        """Type and number of values, abbreviated."""
        return f"{short_kind(self.kind)} · {as_count(self.n_values)}"


def summarize_column(
    column: Column, role: Role | None, *, is_target: bool = False, with_bars: bool = True
) -> ColumnSummary:
    """Return the summary of a column; without the distribution no record is read."""
    kind, bars = column.data_type.kind, distribution(column) if with_bars else ()
    return ColumnSummary(column.name, role, kind, len(column.labels), bars, is_target)


def distribution(column: Column) -> tuple[float, ...]:
    """Return bar heights: numbers and dates along their scale, other values by frequency."""
    if column not in _bars:  # a change of role redraws the header
        _bars[column] = _distribution(column)
    return _bars[column]


def _distribution(column: Column) -> tuple[float, ...]:
    counts = column.counts.astype(np.float64)
    if not len(counts):
        return ()
    numbers = column.numbers
    known = np.isfinite(numbers)
    measured = column.data_type.is_numeric or column.data_type.kind is Kind.DATE
    if measured and known.any() and len(counts) > 2:
        low, high = float(numbers[known].min()), float(numbers[known].max())
        n_bars = min(MOST_BARS, int(known.sum()))
        place = (numbers[known] - low) / (high - low if high > low else 1.0) * n_bars
        slots = np.minimum(place.astype(np.int64), n_bars - 1)
        bars: FloatArray = np.bincount(slots, weights=counts[known], minlength=n_bars).astype(np.float64)
    elif column.data_type.is_ordered:
        bars = counts[:MOST_BARS]
    else:
        bars = np.sort(counts)[::-1][:MOST_BARS]
    return tuple((bars / bars.max()).tolist()) if bars.max() > 0 else ()


def describe_values(column: Column) -> str:
    """Return type, range and number of values: "whole number · 17 to 90 · 72 values"."""
    values = column.known_labels
    parts = [within_sentence(_(KIND_NAMES[column.data_type.kind]))]
    if len(values) > 2 and (column.data_type.is_numeric or column.data_type.kind is Kind.DATE):
        parts.append(_("{first} to {last}").format(first=values[0], last=values[-1]))
    n_values = len(column.labels)
    parts.append(as_values(n_values))
    if column.has_missing:
        parts.append(_("{n} missing").format(n=as_count(int(column.counts[-1]))))
    return " · ".join(parts)
