"""What builders would call the group of one value, for captions of their options."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.errors import AnonymizerError
from engine.hierarchies.builders.base import HierarchyBuilder, known_values
from engine.hierarchies.hierarchy import SUPPRESSED, Hierarchy
from engine.params import Choice, Choices, describe
from engine.table import Column

_NEIGHBOURS = 30  # values at each side that an example is made with
_MOST = 1000  # records of each of them


def common_value(column: Column) -> str:
    """The value that most records have; empty where every one is missing."""
    values = known_values(column)
    return values[int(column.counts[: len(values)].argmax())] if values else ""


def option_examples(
    builder: HierarchyBuilder, hierarchy: Hierarchy, column: Column, value: str
) -> dict[str, dict[str, str]]:
    """Return what each option of a builder gives, by parameter and key.

    Parameters
    ----------
    builder : HierarchyBuilder
    hierarchy : Hierarchy
        What the builder made of the column.
    column : Column
    value : str
        A value of the column; its neighbours are looked at as well, the whole column is not.
    """
    found: dict[str, dict[str, str]] = {}
    part = _around(column, value)
    for descriptor in describe(type(builder)):
        if isinstance(descriptor, Choices):
            found[descriptor.name] = {
                key: _label(builder, descriptor.name, (key,), part, value) for key, _ in descriptor.options
            }
        elif isinstance(descriptor, Choice) and descriptor.by_example:
            chosen = getattr(builder, descriptor.name)
            found[descriptor.name] = {
                key: _first_label(hierarchy, value)
                if key == chosen
                else _label(builder, descriptor.name, key, part, value)
                for key, _ in descriptor.options
            }
    return found


def labels_of(hierarchy: Hierarchy, value: str) -> tuple[str, ...]:
    """The labels of a value on every level; empty where it is not in the hierarchy."""
    if value not in hierarchy.index:
        return ()
    return tuple(hierarchy.label(value, level) for level in range(hierarchy.height + 1))


def _around(column: Column, value: str) -> Column:
    place = column.labels.index(value)
    first = max(place - _NEIGHBOURS, 0)
    codes = np.arange(first, min(place + _NEIGHBOURS + 1, len(known_values(column))), dtype=np.int32)
    return replace(
        column,
        labels=tuple(column.labels[code] for code in codes.tolist()),
        codes=np.repeat(np.arange(len(codes), dtype=np.int32), np.minimum(column.counts[codes], _MOST)),
        has_missing=False,
        numbers=column.numbers[codes],
    )


def _label(builder: HierarchyBuilder, name: str, option: object, column: Column, value: str) -> str:
    """The label that a builder with another option would give; empty where it cannot."""
    try:
        made = replace(builder, **{name: option}).build(column)  # type: ignore[type-var]  # a dataclass
    except AnonymizerError:
        return ""
    return _first_label(made, value)


def _first_label(hierarchy: Hierarchy, value: str) -> str:
    """The lowest label that is not the value itself; empty where there is none."""
    return next((label for label in labels_of(hierarchy, value) if label not in (value, SUPPRESSED)), "")
