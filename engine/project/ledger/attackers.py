"""What several releases of one source reveal together, to three attackers [1]_ [2]_.

`aligned` knows which rows of the releases are of one person. `intersection` knows the quasi-identifiers of a
person and the releases that the person is in, `insider` those of everybody; both see rows of a class, and
take it that the tail of a person, everything that a release leaves unchanged, is the same in all releases.

References
----------
.. [1] Ganta, Kasiviswanathan, Smith (2008). Composition Attacks and Auxiliary Information in Data Privacy.
.. [2] Fung, Wang, Fu, Pei (2008). Anonymity for Continuous Data Publishing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.kernels.grouping import class_labels

ABSENT, GROUP = -1, 0  # no row in a release; one of its rows with `*` in all quasi-identifying columns

_AT_ONCE = 4_000_000  # pairs of a pattern and a tail that are looked at together
MOST_PAIRS = 20_000_000  # that the insider's bounds are propagated over


@dataclass(frozen=True, eq=False)
class ClassTails:
    """The rows of a release: how often each class has each tail.

    Attributes
    ----------
    classes, tails, counts : ndarray of int64, shape (n_pairs,)
        A class, a tail that it has, and the number of its rows with it; each pair once.
    """

    classes: IntArray
    tails: IntArray
    counts: Counts

    @classmethod
    def of_rows(cls, classes: IntArray, tails: IntArray) -> ClassTails:
        """Count rows, given class and tail of each; rows of no class are left out."""
        span = int(tails.max(initial=0)) + 1
        keys, counts = np.unique((classes * span + tails)[classes != ABSENT], return_counts=True)
        return cls(keys // span, keys % span, counts)

    def of_values(self, values: IntArray) -> ClassTails:
        """Return it with a value of each tail instead, shape (n_tails,), equal ones together."""
        return ClassTails.of_rows(
            np.repeat(self.classes, self.counts), np.repeat(values[self.tails], self.counts)
        )

    def without_group(self) -> ClassTails:
        """Return it without the rows that have `*` in all quasi-identifying columns."""
        own = self.classes != GROUP
        return ClassTails(self.classes[own], self.tails[own], self.counts[own])


class Aligned(NamedTuple):
    """What is left of each person to whom rows are known to belong together.

    Attributes
    ----------
    people, tails : ndarray of int64, shape (n_people,)
        Number of candidates, and of different sequences of tails among them.
    """

    people: Counts
    tails: Counts


class Left(NamedTuple):
    """Candidates that are left of each person; none (0) where nothing is known, or tails changed.

    Attributes
    ----------
    tails : ndarray of int64, shape (n_people,)
        Different tails.
    values : mapping of str to ndarray of int64, shape (n_people,)
        Different values by column.
    """

    tails: Counts
    values: Mapping[str, Counts]


def numbered(columns: IntArray) -> tuple[IntArray, IntArray]:
    """Return the different columns of a matrix of numbers from `ABSENT` on, and which of them each one is."""
    if not columns.size:
        return columns[:, :1], np.zeros(columns.shape[1], dtype=np.int64)
    labels, first, _sizes = class_labels(list(columns - ABSENT), (columns.max(axis=1) - ABSENT + 1).tolist())
    return columns[:, first], labels


def aligned(
    classes: IntArray,
    tails: IntArray | None = None,
    owners: IntArray | None = None,
    *,
    presence: bool = False,
) -> Aligned:
    """Count the people with the same classes in all releases that a person is in.

    Parameters
    ----------
    classes : ndarray of int64, shape (n_releases, n_people)
        Class of each person in each release, or `ABSENT`.
    tails : ndarray of int64, shape (n_releases, n_people), optional
        Tail of each person in each release; all alike by default.
    owners : ndarray of int64, shape (n_people,), optional
        Number of the person, if what is joined are records, of which a person may have several.
    presence : bool
        Whether it is unknown who is absent: candidates may then be in more releases than the person.
    """
    own = np.zeros_like(classes) if tails is None else tails
    owners = np.arange(classes.shape[1]) if owners is None else owners
    if not presence:
        return _alike(classes, np.where(classes == ABSENT, 0, own), owners)
    there = classes != ABSENT
    people, sequences = np.zeros((2, classes.shape[1]), dtype=np.int64)
    masks, mask_of = numbered(there.astype(np.int64))
    for number, mask in enumerate(masks.T.astype(np.bool_)):
        others = np.flatnonzero(there[mask].all(axis=0))
        found = _alike(classes[np.ix_(mask, others)], own[np.ix_(mask, others)], owners[others])
        asked = mask_of[others] == number
        people[others[asked]], sequences[others[asked]] = found.people[asked], found.tails[asked]
    return Aligned(people, sequences)


def _alike(classes: IntArray, tails: IntArray, owners: IntArray) -> Aligned:
    """Count the people of each pattern of classes, and their different tails."""
    patterns, pattern_of = numbered(classes)
    people = distinct(pattern_of, owners, patterns.shape[1])
    return Aligned(people[pattern_of], distinct(pattern_of, numbered(tails)[1], len(people))[pattern_of])


def distinct(groups: IntArray, values: IntArray, n_groups: int) -> Counts:
    """Return the number of different values in each group, given group and value of every entry."""
    span = int(values.max(initial=0)) + 1
    pairs = np.sort(groups * span + values)
    is_first = np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]
    return np.bincount(pairs[is_first] // span, minlength=n_groups)


def intersection(
    classes: IntArray, contents: Sequence[ClassTails], values: Mapping[str, IntArray] | None = None
) -> Left:
    """Count the tails, and values, that occur in every class that a person is in.

    Parameters
    ----------
    classes : ndarray of int64, shape (n_releases, n_people)
        Class of each person in each release, or `ABSENT`; without entry in `contents`, it restricts nothing.
    contents : sequence of ClassTails
        One per release.
    values : mapping of str to ndarray of int64, shape (n_tails,), optional
        Value of each tail by column.
    """
    values = values or {}
    patterns, pattern_of = numbered(_restricting(classes, contents))
    n = patterns.shape[1]
    tails, found = np.zeros(n, dtype=np.int64), {name: np.zeros(n, dtype=np.int64) for name in values}
    for owners, kept in _common(patterns, contents):
        tails += np.bincount(owners, minlength=n)
        for name, own in values.items():
            found[name] += distinct(owners, own[kept], n)
    return Left(tails[pattern_of], {name: own[pattern_of] for name, own in found.items()})


def insider(
    classes: IntArray, contents: Sequence[ClassTails], values: Mapping[str, IntArray] | None = None
) -> Left | None:
    """Count the tails, and values, that bounds on the numbers of people leave.

    The people of a pattern and the rows of a class are known, so the number of people of a pattern with a
    tail has bounds, which narrow one another until none changes. Who has one candidate left has it for
    certain; more candidates may be left than are possible.

    Parameters
    ----------
    classes, contents, values
        As for `intersection`; of everybody in any of the releases.

    Returns
    -------
    Left or None
        None if no assignment of constant tails is possible, because tails changed between releases, or if
        there are more than `MOST_PAIRS` numbers to bound.
    """
    values = values or {}
    patterns, pattern_of = numbered(_restricting(classes, contents))
    people = np.bincount(pattern_of, minlength=patterns.shape[1])
    pairs = list(_common(patterns, contents, MOST_PAIRS))
    owners = np.concatenate([np.zeros(0, dtype=np.int64), *(own for own, _tails in pairs)])
    tails = np.concatenate([np.zeros(0, dtype=np.int64), *(own for _owners, own in pairs)])
    if len(owners) > MOST_PAIRS:
        return None
    possible = _propagated(_margins(patterns, contents, people, owners, tails), len(owners))
    restricted = (patterns != ABSENT).any(axis=0)
    if possible is None or (np.bincount(owners[possible], minlength=len(people)) == 0)[restricted].any():
        return None
    owners, tails = owners[possible], tails[possible]
    found = {name: distinct(owners, own[tails], len(people))[pattern_of] for name, own in values.items()}
    return Left(np.bincount(owners, minlength=len(people))[pattern_of], found)


def _restricting(classes: IntArray, contents: Sequence[ClassTails]) -> IntArray:
    """Return the classes, `ABSENT` where nothing is known of the rows of one."""
    known = [np.isin(own, rows.classes) for own, rows in zip(classes, contents, strict=True)]
    return np.where(np.array(known).reshape(classes.shape), classes, ABSENT)


class _Sorted(NamedTuple):
    """Pairs of class and tail as sorted numbers, and their rows."""

    keys: IntArray
    counts: Counts

    def find(self, keys: IntArray) -> tuple[IntArray, BoolArray]:
        """Return the place of each key, and whether it is there."""
        places = np.minimum(np.searchsorted(self.keys, keys), max(len(self.keys) - 1, 0))
        if not len(self.keys):
            return places, np.zeros(len(keys), dtype=np.bool_)
        return places, self.keys[places] == keys


def _sorted(contents: Sequence[ClassTails]) -> tuple[int, list[_Sorted]]:
    """Return the factor of classes in keys, and the sorted pairs of every release."""
    span = max((int(rows.tails.max(initial=0)) for rows in contents), default=0) + 1
    found = []
    for rows in contents:
        keys = rows.classes * span + rows.tails
        order = np.argsort(keys)
        found.append(_Sorted(keys[order], rows.counts[order]))
    return span, found


def _common(
    patterns: IntArray, contents: Sequence[ClassTails], most: int | None = None
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield parts of the pairs of a pattern and a tail in all its classes, all pairs of a pattern together.

    With `most`, the parts end once there are more pairs.
    """
    span, rows = _sorted(contents)
    n_releases, n_patterns = patterns.shape
    starts, lengths = np.zeros((2, n_releases, n_patterns), dtype=np.int64)
    for i, own in enumerate(rows):
        starts[i] = np.searchsorted(own.keys, patterns[i] * span)
        lengths[i] = np.searchsorted(own.keys, (patterns[i] + 1) * span) - starts[i]
    lengths[patterns == ABSENT] = np.iinfo(np.int64).max
    shortest = lengths.argmin(axis=0) if n_releases else np.zeros(0, dtype=np.int64)
    total = 0
    for i, own in enumerate(rows):
        asked = np.flatnonzero((shortest == i) & (patterns[i] != ABSENT))
        ends = np.cumsum(lengths[i][asked])
        for part in np.split(asked, np.searchsorted(ends, range(_AT_ONCE, int(ends[-1:].sum()), _AT_ONCE))):
            n = lengths[i][part]
            owners = np.repeat(part, n)
            within = np.arange(len(owners)) - np.repeat(np.cumsum(n) - n, n)
            tails = own.keys[np.repeat(starts[i][part], n) + within] % span
            for j, others in enumerate(rows):
                if j != i:
                    theirs = patterns[j][owners]
                    kept = (theirs == ABSENT) | others.find(theirs * span + tails)[1]
                    owners, tails = owners[kept], tails[kept]
            yield owners, tails
            total += len(owners)
            if most is not None and total > most:
                return


class _Margin(NamedTuple):
    """Sums that the numbers of pairs must have: those of `pairs` that share a group add up to its total."""

    pairs: IntArray
    groups: IntArray
    totals: Counts


def _margins(
    patterns: IntArray,
    contents: Sequence[ClassTails],
    people: Counts,
    owners: IntArray,
    tails: IntArray,
) -> list[_Margin]:
    """Return the sums over a pattern, and over a class and tail of each release."""
    span, rows = _sorted(contents)
    found = [_Margin(np.arange(len(owners)), owners, people)]
    for classes, own in zip(patterns, rows, strict=True):
        pairs = np.flatnonzero(classes[owners] != ABSENT)
        places = own.find(classes[owners[pairs]] * span + tails[pairs])[0]
        found.append(_Margin(pairs, places, own.counts))
    return found


def _propagated(margins: Sequence[_Margin], n_pairs: int) -> BoolArray | None:
    """Return which pairs can be above 0 within their bounds; None if some bounds exclude each other."""
    low, high = np.zeros(n_pairs, dtype=np.int64), np.full(n_pairs, np.iinfo(np.int32).max, dtype=np.int64)
    for pairs, groups, totals in margins:
        high[pairs] = np.minimum(high[pairs], totals[groups])
    is_changing = True
    while is_changing:
        is_changing = False
        for pairs, groups, totals in margins:
            lo, hi, n = low[pairs], high[pairs], len(totals)
            lows = np.bincount(groups, lo, n).astype(np.int64)[groups] - lo
            highs = np.bincount(groups, hi, n).astype(np.int64)[groups] - hi
            new_hi, new_lo = np.minimum(hi, totals[groups] - lows), np.maximum(lo, totals[groups] - highs)
            if (new_lo > new_hi).any():
                return None
            is_changing |= bool((new_hi < hi).any() or (new_lo > lo).any())
            low[pairs], high[pairs] = new_lo, new_hi
    return high > 0
