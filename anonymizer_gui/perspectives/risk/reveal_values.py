"""Values of the card on classes for a sensitive column: measures, worst classes, and one described."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anonymizer_gui.perspectives.risk.class_chart import ClassBars
from anonymizer_gui.perspectives.risk.reveals_view import Choice, ClassWords
from anonymizer_gui.widgets.value_text import value_text
from engine.frequency.counted import who
from engine.numbers import UNBOUNDED, as_decimal, as_exact_count, as_risk, as_significant
from engine.words import _

if TYPE_CHECKING:
    from engine.assessment.risk.attribute_disclosure import (
        AttributeDisclosureFound,
        ClassCompared,
        ClassMeasure,
    )
    from engine.assessment.risk.bins import ValueBin

MOST_CLASSES = 20
_INTEGERS = ("distinct_l",)
_LONG = 1_000_000  # larger integers at an edge are abbreviated


def measure_choices(found: AttributeDisclosureFound) -> tuple[Choice, ...]:
    """Return every measure by which classes are ranked."""
    return tuple(
        Choice(measure.key, f"{measure.title} ({measure.symbol})", f"{measure.meaning}\n{measure.usual}")
        for measure in found.measures
    )


def class_choices(found: AttributeDisclosureFound, key: str) -> tuple[Choice, ...]:
    """Return the worst classes by a measure, the worst first; keys are their numbers."""
    measure = measure_of(found, key)
    choices = []
    for rank, place in enumerate(found.worst(key, MOST_CLASSES).tolist()):
        n = as_exact_count(int(found.sizes[place]))
        value = measured_text(measure, float(found.measured[key][place]))
        name = _("Worst class") if not rank else _("Class {number}").format(number=rank + 1)
        many = who(counts_people=found.counts_people).many
        choices.append(Choice(str(int(found.numbers[place])), f"{name}: {n} {many}, {value}"))
    return tuple(choices)


def class_words(found: AttributeDisclosureFound, compared: ClassCompared, key: str) -> ClassWords:
    """Return one class compared with the table."""
    measure = measure_of(found, key)
    value, limit = compared.values[key], found.limits.get(key)
    text = measured_text(measure, value)
    tone = "text"
    if limit is not None:
        bound = _number(limit, 2, is_integer=key in _INTEGERS)
        text = _("{measured}, limit {limit}").format(measured=text, limit=bound)
        is_over = value < limit if measure.lowest_is_worst else value > limit
        tone = "danger" if is_over else "text"
    n = as_exact_count(compared.n_people)
    cells = ", ".join(f"{name} {value_text(shown)}" for name, shown in compared.cells)
    return ClassWords(
        ClassBars(
            found.column,
            tuple(_bin_label(value_bin) for value_bin in compared.bins),
            compared.class_shares,
            compared.table_shares,
            _edges(compared.bins),
        ),
        _("class of {n} {n_people}").format(
            n=n, n_people=who(counts_people=found.counts_people).of(compared.n_people)
        ),
        text,
        tone,
        _meaning(found, measure),
        _fullest(compared, found.column),
        _("The class: {cells}").format(cells=cells),
    )


def measure_of(found: AttributeDisclosureFound, key: str) -> ClassMeasure:
    """Return a measure by its key."""
    return next(measure for measure in found.measures if measure.key == key)


def measured_text(measure: ClassMeasure, value: float) -> str:
    """Return a value with its symbol: "t = 0.183"."""
    return f"{measure.symbol} = {_number(value, 3, is_integer=measure.key in _INTEGERS)}"


def _bin_label(value_bin: ValueBin) -> str:
    """Return a value, or a range in short form: 11–14."""
    return "–".join(value_bin.ends) if value_bin.ends else value_text(value_bin.label)


def _edges(bins: Sequence[ValueBin]) -> tuple[str, ...]:
    """Return the edges of ranges of numbers or dates; empty without ranges."""
    known = [value_bin for value_bin in bins if value_bin.low is not None and value_bin.high is not None]
    n_others = len(bins) - len(known)
    is_last_missing = not bins[-1].label
    if not any(value_bin.is_range for value_bin in known) or n_others > is_last_missing:
        return ()
    ends = [_ends(value_bin) for value_bin in known]
    return (*(first for first, _last in ends), ends[-1][1])


def _ends(value_bin: ValueBin) -> tuple[str, str]:
    first, last = value_bin.ends or (value_bin.label, value_bin.label)
    return _short(first), _short(last)


def _short(text: str) -> str:
    """Return a number with significant digits; a date unchanged."""
    try:
        number = float(text)
    except ValueError:
        return text
    return as_exact_count(number) if number.is_integer() and abs(number) < _LONG else as_significant(number)


def _meaning(found: AttributeDisclosureFound, measure: ClassMeasure) -> str:
    before = _number(found.worst_before[measure.key], 3, is_integer=measure.key in _INTEGERS)
    text = _("{meaning}\n{usual}\nWorst class of the input: {before}.").format(
        meaning=measure.meaning, usual=measure.usual, before=before
    )
    if measure.key == "t":
        text += _("\nDistance: {distance}.").format(distance=found.distance)
    if measure.key in found.limits:
        return _("{text}\nThe threshold is that of the requirement of the release.").format(text=text)
    return _("{text}\nThe requirement of the release has no threshold for it.").format(text=text)


def _fullest(compared: ClassCompared, column: str) -> str:
    """Return the most frequent value in the class, compared with the table."""
    shares = compared.class_shares
    place = max(range(len(shares)), key=shares.__getitem__)
    own, table = shares[place], compared.table_shares[place]
    label = _bin_label(compared.bins[place])
    return _("{own} of the class have {column} {label}, compared with {table} of the table.").format(
        own=as_risk(own), column=column, label=label, table=as_risk(table)
    )


def _number(value: float, decimals: int, *, is_integer: bool) -> str:
    if math.isinf(value):
        return UNBOUNDED
    return as_exact_count(value) if is_integer else as_decimal(value, decimals)
