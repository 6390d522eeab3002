"""Risk with wildcards, counted by comparing every record with every other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Row = Sequence[str]


def agree(one: Row, other: Row, wild: set[str]) -> bool:
    return all(a == b or a in wild or b in wild for a, b in zip(one, other, strict=True))


@dataclass
class SlowWildcards:
    """Values of a table; sizes and matches are None for records that are left out."""

    sizes: list[Fraction | None]
    matches: list[list[int] | None]
    risks: list[Fraction]

    def at_risk(self, threshold: float) -> float:
        return sum(float(risk) > threshold for risk in self.risks) / len(self.risks)


def slow_wildcards(
    rows: Sequence[Row],
    wild: set[str],
    weight: Fraction = Fraction(1),
    persons: Sequence[str] | None = None,
    *,
    count_all_star: bool = False,
) -> SlowWildcards:
    who = list(persons or map(str, range(len(rows))))
    counted = [i for i, row in enumerate(rows) if count_all_star or not all(cell in wild for cell in row)]
    sizes: list[Fraction | None] = [None] * len(rows)
    matches: list[list[int] | None] = [None] * len(rows)
    for i in counted:
        found = [j for j in counted if agree(rows[i], rows[j], wild)]
        sure = {
            who[j]
            for j in found
            if i == j or (list(rows[i]) == list(rows[j]) and not any(cell in wild for cell in rows[i]))
        }
        by_wildcard = {who[j] for j in found} - sure
        sizes[i], matches[i] = len(sure) + weight * len(by_wildcard), found
    of_person: dict[str, Fraction] = {}
    for i in counted:
        size = sizes[i]
        assert size is not None
        of_person[who[i]] = max(of_person.get(who[i], Fraction(0)), 1 / size)
    return SlowWildcards(sizes, matches, list(of_person.values()))


def slow_l_and_t(
    found: SlowWildcards, values: Sequence[str], persons: Sequence[str] | None = None
) -> tuple[int, float]:
    """Return the fewest distinct values, and the largest distance of equal distance, among matches.

    With persons a record weighs its share of its person, and l is that without the values of any one person.
    """
    who = list(persons or map(str, range(len(values))))
    counted = [i for i, own in enumerate(found.matches) if own is not None]
    n_records = Counter(who[i] for i in counted)
    weight = {i: Fraction(1, n_records[who[i]]) for i in counted}

    def shares(records: Sequence[int]) -> dict[str, Fraction]:
        total = sum(weight[i] for i in records)
        result: dict[str, Fraction] = {}
        for i in records:
            result[values[i]] = result.get(values[i], Fraction(0)) + weight[i] / total
        return result

    everybody = shares(counted)
    fewest, furthest = len(values), Fraction(0)
    for own in found.matches:
        if own is None:
            continue
        holders: dict[str, set[str]] = {}
        for i in own:
            holders.setdefault(values[i], set()).add(who[i])
        alone = Counter(next(iter(people)) for people in holders.values() if len(people) == 1)
        most = max(alone.values(), default=0) if any(n > 1 for n in n_records.values()) else 0
        fewest = min(fewest, len(holders) if not most else min(len(holders), 1 + len(holders) - most))
        there = shares(own)
        furthest = max(
            furthest, sum(abs(there.get(v, Fraction(0)) - p) for v, p in everybody.items()) / Fraction(2)
        )
    return fewest, float(furthest)
