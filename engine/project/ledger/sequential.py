"""Two published measures of several releases: m-invariance [1]_ and (X,Y)-anonymity [2]_.

References
----------
.. [1] Xiao, Tao (2007). m-Invariance: Towards Privacy Preserving Re-publication of Dynamic Datasets.
.. [2] Wang, Fung (2006). Anonymizing Sequential Releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from engine.kernels.arrays import BoolArray, IntArray
from engine.project.ledger.attackers import ABSENT, ClassTails, distinct


class MInvariance(NamedTuple):
    """How far releases are m-invariant.

    Attributes
    ----------
    by_release : tuple of int
        Size of the smallest class of each release, if no class has a value twice; else 0.
    changed : ndarray of bool, shape (n_people,)
        People whose classes have different sets of values.
    """

    by_release: tuple[int, ...]
    changed: BoolArray

    @property
    def m(self) -> int:
        """Number of values that intersection leaves of everybody; 0 if the releases are not invariant."""
        return 0 if self.changed.any() else min(self.by_release, default=0)


def m_invariance(classes: IntArray, contents: Sequence[ClassTails]) -> MInvariance:
    """Measure m-invariance.

    Parameters
    ----------
    classes : ndarray of int64, shape (n_releases, n_people)
        Class of each person in each release, or `ABSENT`.
    contents : sequence of ClassTails
        One per release, with values of the sensitive column as tails.
    """
    by_release, signatures = [], np.full(classes.shape, ABSENT, dtype=np.int64)
    known: dict[bytes, int] = {}
    for number, rows in enumerate(contents):
        sizes = np.bincount(rows.classes, rows.counts).astype(np.int64)
        smallest = sizes[np.unique(rows.classes)].min(initial=np.iinfo(np.int64).max)
        if not len(rows.counts):
            by_release.append(0)
            continue
        by_release.append(int(smallest) if (rows.counts == 1).all() else 0)
        order = np.lexsort((rows.tails, rows.classes))
        different, starts = np.unique(rows.classes[order], return_index=True)
        own = np.full(len(sizes) + 1, ABSENT, dtype=np.int64)  # the last one is that of `ABSENT`
        for one, tails in zip(different, np.split(rows.tails[order], starts[1:]), strict=True):
            own[one] = known.setdefault(tails.tobytes(), len(known))
        signatures[number] = own[classes[number]]
    least = np.where(signatures == ABSENT, np.iinfo(np.int64).max, signatures).min(axis=0)
    return MInvariance(tuple(by_release), ((signatures != ABSENT) & (signatures != least)).any(axis=0))


class XYAnonymity(NamedTuple):
    """(X,Y)-anonymity and (X,Y)-linkability of a join.

    Attributes
    ----------
    rows : int
        Of the join.
    anonymity : int
        Fewest different Y of a value of X.
    linkability : Fraction
        Largest share of one value of Y in the rows of a value of X.
    """

    rows: int
    anonymity: int
    linkability: Fraction


def xy_anonymity(first: IntArray, second: IntArray, x: IntArray, y: IntArray) -> XYAnonymity:
    """Measure two releases that are joined on their common columns; X is of the second, Y of the first.

    Parameters
    ----------
    first, second : ndarray of int64, shapes (n_first,) and (n_second,)
        Value of the common columns of each row, as one number.
    x : ndarray of int64, shape (n_second,)
        Value of X of each row of the second.
    y : ndarray of int64, shape (n_first,)
        Value of Y of each row of the first.
    """
    order = np.argsort(first, kind="stable")
    starts = np.searchsorted(first[order], second)
    lengths = np.searchsorted(first[order], second, side="right") - starts
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    joined = y[order][np.repeat(starts, lengths) + within]
    _values, groups = np.unique(np.repeat(x, lengths), return_inverse=True)
    if not len(joined):
        return XYAnonymity(0, 0, Fraction(0))
    pairs, counts = np.unique(np.stack((groups, joined)), axis=1, return_counts=True)
    sizes = np.bincount(groups)
    shares = (Fraction(int(n), int(sizes[group])) for group, n in zip(pairs[0], counts, strict=True))
    n_groups = len(sizes)
    return XYAnonymity(len(joined), int(distinct(groups, joined, n_groups).min()), max(shares))
