"""Attackers who know some columns, record by record with loops and exact fractions: no code of the engine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations


@dataclass(frozen=True)
class Person:
    """One record at a node: its labels, its person and its sensitive value."""

    labels: tuple[str, ...]
    person: str
    value: str


@dataclass(frozen=True)
class Demand:
    """What groups by some columns must meet, or by every `any_m` columns."""

    k: int
    columns: tuple[int, ...] = ()
    any_m: int = 0
    l: int = 1  # noqa: E741  the name of the parameter
    confidence: Fraction = Fraction(1)
    values: tuple[str, ...] = ()

    def sets(self, n_columns: int) -> list[tuple[int, ...]]:
        """Return the sets of columns, as numbers."""
        if self.any_m:
            return list(combinations(range(n_columns), min(self.any_m, n_columns)))
        return [self.columns]


def groups_of(rows: Sequence[Person], left: Sequence[int], columns: tuple[int, ...]) -> list[list[int]]:
    """Return the records that are equal in some columns."""
    found = defaultdict(list)
    for i in left:
        found[tuple(rows[i].labels[q] for q in columns)].append(i)
    return list(found.values())


def is_met(rows: Sequence[Person], group: list[int], demand: Demand) -> bool:
    """Return whether a group is large and diverse enough."""
    persons = {rows[i].person for i in group}
    if len(persons) < demand.k:
        return False
    holders = defaultdict(set)
    for i in group:
        holders[rows[i].value].add(rows[i].person)
    alone = Counter(next(iter(who)) for who in holders.values() if len(who) == 1)
    most = max(alone.values(), default=0)
    if min(len(holders), 1 + len(holders) - most) < demand.l:
        return False
    limited = demand.values or tuple(holders)
    return all(Fraction(len(holders.get(v, ())), len(persons)) <= demand.confidence for v in limited)


def failing(rows: Sequence[Person], left: Sequence[int], demands: Sequence[Demand]) -> set[int]:
    """Return the records in a group that fails any demand."""
    found: set[int] = set()
    for demand in demands:
        for columns in demand.sets(len(rows[0].labels)):
            for group in groups_of(rows, left, columns):
                if not is_met(rows, group, demand):
                    found |= set(group)
    return found


@dataclass(frozen=True)
class Kept:
    """What is left when nothing fails any more."""

    left: list[int]
    first_pass: int
    rounds: int
    k: list[int | None]


def kept(rows: Sequence[Person], demands: Sequence[Demand], *, whole_persons: bool = False) -> Kept:
    """Remove all failing records at once, again and again."""
    left, rounds, first = list(range(len(rows))), 0, 0
    while gone := failing(rows, left, demands):
        if not rounds:
            first = len(gone)
        if whole_persons:
            lost = {rows[i].person for i in gone}
            gone |= {i for i in left if rows[i].person in lost}
        left, rounds = [i for i in left if i not in gone], rounds + 1
    smallest: list[int | None] = []
    for demand in demands:
        sizes = [
            len({rows[i].person for i in group})
            for columns in demand.sets(len(rows[0].labels))
            for group in groups_of(rows, left, columns)
        ]
        smallest.append(min(sizes, default=None))
    return Kept(left, first, rounds, smallest)
