"""A slow program for releases of one source together: dictionaries, loops and enumeration."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import product

Release = Mapping[str, tuple[str, str]]  # class and tail of each person; the class "*" is the group of stars


def slow_candidates(releases: Sequence[Release], person: str, *, presence: bool) -> set[str]:
    def pattern(p: str, numbers: Sequence[int]) -> list[str | None]:
        return [releases[i].get(p, (None, None))[0] for i in numbers]

    numbers = [i for i, own in enumerate(releases) if person in own or not presence]
    people = {p for own in releases for p in own}
    return {p for p in people if pattern(p, numbers) == pattern(person, numbers)}


def slow_sequences(releases: Sequence[Release], person: str, candidates: set[str], *, presence: bool) -> int:
    numbers = [i for i, own in enumerate(releases) if person in own or not presence]
    return len({tuple(releases[i].get(p, (None, None))[1] for i in numbers) for p in candidates})


def slow_intersection(releases: Sequence[Release], hidden: Sequence[bool]) -> dict[str, set[str]]:
    left: dict[str, set[str]] = {}
    for release, is_hidden in zip(releases, hidden, strict=True):
        tails = defaultdict(set)
        for own, tail in release.values():
            tails[own].add(tail)
        for person, (own, _tail) in release.items():
            if own != "*" or not is_hidden:
                left[person] = left.get(person, tails[own]) & tails[own]
    return left


def slow_propagation(releases: Sequence[Release], hidden: Sequence[bool]) -> dict[str, set[str]] | None:
    """Return the tails that bounds leave of each person; None if some exclude each other."""
    known = [
        {p: own for p, own in release.items() if own[0] != "*" or not is_hidden}
        for release, is_hidden in zip(releases, hidden, strict=True)
    ]
    people = sorted({p for release in known for p in release})
    tails = sorted({tail for release in known for _own, tail in release.values()})
    pattern = {p: tuple(release.get(p, (None,))[0] for release in known) for p in people}
    bounds = {(q, t): [0, 10**6] for q in set(pattern.values()) for t in tails}
    sums = [([(q, t) for t in tails], n) for q, n in Counter(pattern.values()).items()]
    for i, release in enumerate(known):
        rows = Counter(release.values())
        for own in {own for own, _tail in release.values()}:
            patterns = sorted({q for q in pattern.values() if q[i] == own}, key=str)
            sums += [([(q, t) for q in patterns], rows[own, t]) for t in tails]
    while True:
        before = {key: list(own) for key, own in bounds.items()}
        for keys, total in sums:
            for key in keys:
                others = [bounds[k] for k in keys if k != key]
                bounds[key][1] = min(bounds[key][1], total - sum(lo for lo, _hi in others))
                bounds[key][0] = max(bounds[key][0], total - sum(hi for _lo, hi in others))
        if any(lo > hi for lo, hi in bounds.values()):
            return None
        if bounds == before:
            return {p: {t for t in tails if bounds[pattern[p], t][1] > 0} for p in people}


def possible_tails(releases: Sequence[Release]) -> dict[str, set[str]]:
    """Return the tails that people have in some assignment of constant tails."""
    people = sorted({p for release in releases for p in release})
    tails = sorted({tail for release in releases for _own, tail in release.values()})
    rows = [Counter(release.values()) for release in releases]
    found: dict[str, set[str]] = {p: set() for p in people}
    for deal in product(tails, repeat=len(people)):
        dealt = dict(zip(people, deal, strict=True))
        if all(
            Counter((own, dealt[p]) for p, (own, _tail) in release.items()) == counts
            for release, counts in zip(releases, rows, strict=True)
        ):
            for person, tail in dealt.items():
                found[person].add(tail)
    return found
