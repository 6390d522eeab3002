"""Newton's method for two equations in two unknowns that have a region to stay in."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

MOST_STEPS = 40
MOST_HALVINGS = 8  # where it takes more, the way leads to the edge of the region
PRECISION = 1e-12  # relative change of both unknowns in the last step


class Equations(NamedTuple):
    """Both values and their slopes at one point; solved where both values are 0."""

    first: float
    second: float
    first_by_x: float
    first_by_y: float
    second_by_x: float
    second_by_y: float

    @property
    def distance(self) -> float:
        """How far the values are from 0."""
        return math.hypot(self.first, self.second)


def solve(
    equations: Callable[[float, float], Equations],
    start: tuple[float, float],
    is_inside: Callable[[float, float], bool],
    tolerance: float,
) -> tuple[float, float] | None:
    """Find where both equations are 0.

    A step that leaves the region, or does not come nearer, is halved.

    Parameters
    ----------
    equations : callable
        Values and slopes at a point; asked inside the region only.
    start : tuple of float
    is_inside : callable
    tolerance : float
        Distance from 0 that counts as solved.

    Returns
    -------
    tuple of float, or None
        None where no step leads nearer, or too many were taken: there is no solution to tell.
    """
    x, y = start
    if not is_inside(x, y):
        return None
    found = equations(x, y)
    for _ in range(MOST_STEPS):
        step = _step(found)
        if step is None:
            return None
        after = _nearer(equations, (x, y), step, is_inside, found.distance)
        if after is None:
            return (x, y) if found.distance <= tolerance else None
        (x_after, y_after), found = after
        moved = abs(x_after - x) <= PRECISION * abs(x_after) and abs(y_after - y) <= PRECISION * abs(y_after)
        x, y = x_after, y_after
        if found.distance == 0 or (moved and found.distance <= tolerance):
            return x, y
    return None


def _step(at: Equations) -> tuple[float, float] | None:
    determinant = at.first_by_x * at.second_by_y - at.first_by_y * at.second_by_x
    if not math.isfinite(determinant) or determinant == 0:
        return None
    return (
        (at.first_by_y * at.second - at.second_by_y * at.first) / determinant,
        (at.second_by_x * at.first - at.first_by_x * at.second) / determinant,
    )


def _nearer(
    equations: Callable[[float, float], Equations],
    point: tuple[float, float],
    step: tuple[float, float],
    is_inside: Callable[[float, float], bool],
    distance: float,
) -> tuple[tuple[float, float], Equations] | None:
    for halving in range(MOST_HALVINGS):
        share = 0.5**halving
        x, y = point[0] + share * step[0], point[1] + share * step[1]
        if (x, y) == point:
            return None
        if is_inside(x, y):
            found = equations(x, y)
            if found.distance < distance:
                return (x, y), found
    return None
