"""Risks of a weighted sample by sets, loops and a numeric integral, sharing nothing with the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import exp, log, prod

Row = tuple[str, ...]


def slow_risk(records: int, people: float, *, exact: bool = False) -> float:
    """Individual risk of one class; the exact one by an integral over the logarithm of the fraction."""
    if people <= records:
        return 1 / records
    p = records / people
    if not exact and records >= 3:
        return p / (records - (1 - p))
    # p * integral of s**(f-1) / (p + q s) over s in [0, 1]
    q = (people - records) / people
    if q < 0.5:
        return p * simpson(lambda s: s ** (records - 1) / (p + q * s), 1.0)
    # for small p over y with p + q s = exp(-y); beyond the end, s**(f-1) is below exp(-40)
    end = -log(1 - min(q, 40 * q / max(records - 1, 1)))
    return p / q * simpson(lambda y: max((exp(-y) - p) / q, 0.0) ** (records - 1), end)


def simpson(function: Callable[[float], float], end: float, steps: int = 6000) -> float:
    """Integral from 0 to an end."""
    values = (
        function(end * i / steps) * (1 if i in (0, steps) else 4 if i % 2 else 2) for i in range(steps + 1)
    )
    return sum(values) * end / steps / 3


def slow_risks(rows: Sequence[Row], weights: Sequence[float], *, exact: bool = False) -> list[float]:
    found = []
    for row in rows:
        alike = [w for other, w in zip(rows, weights, strict=True) if other == row]
        found.append(slow_risk(len(alike), sum(alike), exact=exact))
    return found


def slow_households(risks: Sequence[float], households: Sequence[object]) -> list[float]:
    """Risk of the household of every record; None is no household."""
    return [
        risk
        if own is None
        else 1 - prod(1 - r for r, other in zip(risks, households, strict=True) if other == own)
        for risk, own in zip(risks, households, strict=True)
    ]


def slow_minimal_uniques(
    rows: Sequence[Row], largest: int, persons: Sequence[object] | None = None
) -> list[list[tuple[int, ...]]]:
    """Minimal sample uniques of every record: unique in a set, and not with one column less."""
    owners = list(range(len(rows))) if persons is None else list(persons)

    def is_unique(record: int, subset: tuple[int, ...]) -> bool:
        return not any(
            owners[other] != owners[record] and all(rows[other][c] == rows[record][c] for c in subset)
            for other in range(len(rows))
        )

    columns = range(len(rows[0]))
    return [
        [
            subset
            for size in range(1, largest + 1)
            for subset in combinations(columns, size)
            if is_unique(record, subset)
            and not any(is_unique(record, part) for part in combinations(subset, size - 1) if part)
        ]
        for record in range(len(rows))
    ]


def slow_score(sets: Sequence[tuple[int, ...]], n_columns: int, largest: int) -> int:
    last = min(largest, n_columns - 1)
    return sum(prod(n_columns - i for i in range(len(subset), last + 1)) for subset in sets)
