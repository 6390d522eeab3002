"""Places of classes and their records on a disc: a circle per class, the largest inside, a dot per record."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from engine.kernels.arrays import Counts, FloatArray, IntArray

GOLDEN = 2.39996  # angle between consecutive dots, and between the first classes of rings: they never align
_PER_DOT, _MARGIN, _GAP = 1.3, 0.6, 1.0  # radius of a dot's room, around a class, and between rings


@dataclass(frozen=True, eq=False)
class Disc:
    """Circles around the centre of a disc, in an arbitrary unit.

    Attributes
    ----------
    n_dots : ndarray of int64, shape (n_circles,)
        Dots in each circle, the most first.
    x, y, radii : ndarray of float64, shape (n_circles,)
        Centre and radius of each circle.
    radius : float
        Of the disc.
    """

    n_dots: Counts
    x: FloatArray
    y: FloatArray
    radii: FloatArray
    radius: float

    def dots(self) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return x, y and circle of every dot, each of shape (n_dots,); none is outside its circle."""
        circles = np.repeat(np.arange(len(self.n_dots)), self.n_dots)
        own = np.arange(len(circles)) - np.repeat(np.cumsum(self.n_dots) - self.n_dots, self.n_dots)
        distances = self.radii[circles] * np.sqrt((own + 0.5) / self.n_dots[circles])
        angles = GOLDEN * own
        x, y = self.x[circles] + distances * np.cos(angles), self.y[circles] + distances * np.sin(angles)
        return x, y, circles

    def at(self, x: float, y: float, reach: float = 0.0) -> int | None:
        """Return the circle at a point, or the closest one within `reach`; None if there is none."""
        if not len(self.radii):
            return None
        beyond = np.hypot(self.x - x, self.y - y) - self.radii
        nearest = int(beyond.argmin())
        return nearest if beyond[nearest] <= reach else None


def packed(n_dots: Counts) -> Disc:
    """Return circles that do not overlap: one in the centre, the others on rings around it.

    A ring is opened by its largest circle, and filled by those that follow, with equal gaps; so the smallest
    circles are at the rim.

    Parameters
    ----------
    n_dots : ndarray of int64, shape (n_circles,)
        Dots in each circle, positive and not increasing.
    """
    radii = _PER_DOT * np.sqrt(n_dots) + _MARGIN
    angles, distances = np.zeros(len(radii)), np.zeros(len(radii))
    first, edge, ring = 1, float(radii[0]) if len(radii) else 0.0, 0
    while first < len(radii):
        distance = edge + _GAP + radii[first]
        most = int(pi * distance / (radii[-1] + _GAP / 2)) + 1  # an angle is at least its sine
        taken = 2 * np.arcsin((radii[first : first + most] + _GAP / 2) / distance)
        ends = np.cumsum(taken)
        n = max(int(np.searchsorted(ends, 2 * pi, side="right")), 1)
        gap = max(2 * pi - ends[n - 1], 0.0) / n
        angles[first : first + n] = GOLDEN * ring + ends[:n] - taken[:n] / 2 + gap * np.arange(n)
        distances[first : first + n] = distance
        edge, first, ring = distance + radii[first], first + n, ring + 1
    return Disc(n_dots, distances * np.cos(angles), distances * np.sin(angles), radii, edge)


def thinned(members: Counts, sizes: Counts, per_dot: int) -> Counts:
    """Return the dots of each class if one stands for several members, exact within one per size.

    Classes of one size share their dots, so that of small ones only some have a dot.

    Parameters
    ----------
    members, sizes : ndarray of int64, shape (n_classes,)
        Members that have a dot, and the size by which classes are together, ordered by size.
    per_dot : int
        Members that a dot stands for.
    """
    until = np.cumsum(members)
    starts = np.flatnonzero(np.r_[True, sizes[1:] != sizes[:-1]])[: len(sizes)]
    until -= np.repeat((until - members)[starts], np.diff(starts, append=len(sizes)))
    rounded = (2 * until + per_dot) // (2 * per_dot)
    before = np.r_[0, rounded[:-1]][: len(sizes)]
    before[starts] = 0
    return np.asarray(rounded - before)
