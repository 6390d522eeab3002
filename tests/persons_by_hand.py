"""Measures for several records per person, by sets, loops and fractions only, without the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import exp, inf, log, sqrt
from typing import Any

Row = tuple[Hashable, str, Any]  # class, person, sensitive value


def by_class(rows: Sequence[Row]) -> dict[Hashable, list[Row]]:
    classes: dict[Hashable, list[Row]] = {}
    for row in rows:
        classes.setdefault(row[0], []).append(row)
    return classes


def people(rows: Sequence[Row]) -> set[str]:
    return {person for _, person, _ in rows}


def alpha(rows: Sequence[Row]) -> Fraction:
    values = {value for *_, value in rows}
    return max(Fraction(len({p for _, p, v in rows if v == value}), len(people(rows))) for value in values)


def distinct_l(rows: Sequence[Row]) -> int:
    values = {value for *_, value in rows}
    holders = {value: {p for _, p, v in rows if v == value} for value in values}
    alone = [sum(1 for held in holders.values() if held == {person}) for person in people(rows)]
    return min(len(values), 1 + len(values) - max(alone))


def weights(rows: Sequence[Row], whole: Sequence[Row]) -> dict[Any, Fraction]:
    """Return the share of every value, each record weighted by its part of its person in the table."""
    n_records = Counter(person for _, person, _ in whole)
    found: dict[Any, Fraction] = {}
    for _, person, value in rows:
        found[value] = found.get(value, Fraction(0)) + Fraction(1, n_records[person])
    total = sum(found.values())
    return {value: weight / total for value, weight in found.items()}


def entropy_l(rows: Sequence[Row], whole: Sequence[Row]) -> float:
    return exp(-sum(float(q) * log(q) for q in weights(rows, whole).values()))


def tail_ratio(rows: Sequence[Row], whole: Sequence[Row]) -> float:
    ranked = sorted(weights(rows, whole).values(), reverse=True)
    return float(ranked[0] / sum(ranked[1:])) if len(ranked) > 1 else inf


def t_equal(rows: Sequence[Row], whole: Sequence[Row]) -> float:
    q, p = weights(rows, whole), weights(whole, whole)
    return float(sum(abs(q.get(v, Fraction(0)) - p[v]) for v in p) / 2)


def basic_beta(rows: Sequence[Row], whole: Sequence[Row]) -> float:
    q, p = weights(rows, whole), weights(whole, whole)
    return float(max(max((q[v] - p[v]) / p[v], Fraction(0)) for v in q))


def delta(rows: Sequence[Row], whole: Sequence[Row]) -> float:
    q, p = weights(rows, whole), weights(whole, whole)
    return max(abs(log(q[v] / p[v])) for v in p) if set(q) == set(p) else inf


def average_risk(rows: Sequence[Row]) -> Fraction:
    sizes = {key: len(people(own)) for key, own in by_class(rows).items()}
    smallest = {person: min(sizes[c] for c, p, _ in rows if p == person) for person in people(rows)}
    return sum((Fraction(1, size) for size in smallest.values()), Fraction(0)) / len(smallest)


def kept(rows: Sequence[Row], is_met: Callable[[list[Row]], bool], *, whole_persons: bool) -> list[int]:
    """Return the positions of the kept rows."""
    left = list(range(len(rows)))
    while True:
        classes = by_class([rows[place] for place in left])
        failing = {key for key, own in classes.items() if not is_met(own)}
        gone = {place for place in left if rows[place][0] in failing}
        if whole_persons:
            lost = {rows[place][1] for place in gone}
            gone = {place for place in left if rows[place][1] in lost}
        left = [place for place in left if place not in gone]
        if not gone or not whole_persons:
            return left


def chained(rows: Sequence[Row], m: int | None) -> int | None:
    visits = {person: frozenset(c for c, p, _ in rows if p == person) for person in people(rows)}
    found = [
        sum(1 for other in visits.values() if set(chosen) <= other)
        for own in visits.values()
        for chosen in combinations(sorted(own, key=repr), len(own) if m is None else min(m, len(own)))
    ]
    return min(found, default=None)


def alone(rows: Sequence[Row]) -> int:
    """Count the people whose classes, all of them together, no other person has."""
    visits = {person: {c for c, p, _ in rows if p == person} for person in people(rows)}
    return sum(1 for own in visits.values() if sum(own <= other for other in visits.values()) == 1)


def are_side_by_side(values: Sequence[Hashable]) -> bool:
    """Return whether equal values are neighbours: all of them, or half of those beyond chance and clearly."""
    counts, n = Counter(values), len(values)
    equal = sum(1 for first, second in pairwise(values) if first == second)
    most = sum(count - 1 for count in counts.values())
    chance = sum((Fraction(count * (count - 1), n) for count in counts.values()), Fraction(0))
    if equal == 0 or most <= chance:
        return False
    is_clear = equal - chance > 3 * sqrt(chance + 1)
    return equal == most or (is_clear and 2 * (equal - chance) >= most - chance)


def between(labels: Sequence[Hashable | None]) -> int:
    """Count the places of None whose nearest labels before and after are there and equal."""
    found = 0
    for place, label in enumerate(labels):
        before = [own for own in labels[:place] if own is not None]
        after = [own for own in labels[place:] if own is not None]
        found += label is None and bool(before) and bool(after) and before[-1] == after[0]
    return found


def values_of_own(persons: Sequence[str], values: Sequence[Hashable]) -> set[str] | None:
    """Return who has a value that nobody else has; None if a column does not link their records."""
    of_person = {p: {v for q, v in zip(persons, values, strict=True) if q == p} for p in persons}
    of_value = {v: {p for p, w in zip(persons, values, strict=True) if w == v} for v in values}
    own = {p for p, held in of_person.items() if len(held) == 1 and of_value[next(iter(held))] == {p}}
    several = {p for p, n in Counter(persons).items() if n > 1}
    is_constant = all(len(of_person[p]) == 1 for p in several) and len(of_value) > 1
    return own if several and (is_constant or 2 * len(own & several) >= len(several)) else None
