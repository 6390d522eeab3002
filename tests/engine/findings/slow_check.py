"""The nine models of a table a second time: lists, dictionaries and fractions, nothing of the engine."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Columns = dict[str, list[Any]]  # None is a missing value


def classes_of(columns: Columns, names: Sequence[str]) -> list[list[int]]:
    """Records that are equal in all named columns."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for record, key in enumerate(zip(*(columns[name] for name in names), strict=True)):
        found.setdefault(key, []).append(record)
    return list(found.values())


def is_ordered(values: Sequence[Any]) -> bool:
    """Whether the ordered distance is the usual one: numbers, truth values or dates, none missing."""
    return all(isinstance(value, bool | int | float | datetime.date) for value in values)


def distance(inside: Counter[Any], table: Counter[Any], *, ordered: bool) -> Fraction:
    shares = {v: Fraction(inside[v], inside.total()) - Fraction(table[v], table.total()) for v in table}
    if not ordered:
        return sum((abs(share) for share in shares.values()), Fraction(0)) / 2
    total = running = Fraction(0)
    for value in sorted(shares):
        running += shares[value]
        total += abs(running)
    return total / max(len(shares) - 1, 1)


def measure(columns: Columns, qi: Sequence[str], sa: Sequence[str], *, others_as_qi: bool) -> dict[str, Any]:
    """Every model over some sensitive columns, as `CheckReport.as_dict` names the values."""
    k = min(map(len, classes_of(columns, qi)))
    found: dict[str, Any] = {}
    worst: dict[str, list[Any]] = {}
    for name in sa:
        others = [other for other in sa if other != name] if others_as_qi else []
        values, table = columns[name], Counter(columns[name])
        for members in classes_of(columns, [*qi, *others]):
            inside = Counter(values[i] for i in members)
            for key, value in _of_class(inside, table, ordered=is_ordered(values)).items():
                worst.setdefault(key, []).append(value)
    counts = worst.pop("counts")
    low = min(worst["l"])
    ratios = [Fraction(c[0], sum(c[low - 1 :])) for c in counts]
    found["k_anonymity"] = {"k": k}
    found["alpha_k_anonymity"] = {"alpha": max(worst["alpha"]), "k": k}
    found["distinct_l_diversity"] = {"l": low}
    found["entropy_l_diversity"] = {"l": min(worst["entropy"])}
    found["recursive_c_l_diversity"] = {"c": None if low == 1 else max(ratios), "l": low}
    found["basic_beta_likeness"] = {"beta": max(worst["basic"])}
    found["enhanced_beta_likeness"] = {"beta": max(worst["enhanced"])}
    found["t_closeness"] = {"t": max(worst["t"])}
    found["delta_disclosure"] = {"delta": max(worst["delta"])}
    return found


def _of_class(inside: Counter[Any], table: Counter[Any], *, ordered: bool) -> dict[str, Any]:
    size, n = inside.total(), table.total()
    q = {value: Fraction(count, size) for value, count in inside.items()}
    p = {value: Fraction(count, n) for value, count in table.items()}
    gains = {value: (q[value] - p[value]) / p[value] for value in q}
    breaks_cap = any(gain > 0 and gain > -math.log(p[v]) * (1 + 1e-12) for v, gain in gains.items())
    basic = max(0, *gains.values())
    return {
        "counts": sorted(inside.values(), reverse=True),
        "alpha": max(q.values()),
        "l": len(q),
        "entropy": math.exp(-math.fsum(share * math.log(share) for share in q.values())),
        "basic": basic,
        "enhanced": math.inf if breaks_cap else basic,
        "t": distance(inside, table, ordered=ordered),
        "delta": max(abs(math.log(q[v] / p[v])) for v in q) if len(q) == len(p) else math.inf,
    }
