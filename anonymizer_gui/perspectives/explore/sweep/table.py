"""Values of a sweep by threshold and limit, with the texts of both axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Cell(NamedTuple):
    """A threshold and a limit, by their indices."""

    threshold: int
    limit: int


class Line(NamedTuple):
    """Limits with the same optimum metric at every threshold, drawn as one curve."""

    first: int
    last: int


@dataclass(frozen=True, eq=False)
class SweepTable:
    """Axes and values of one sweep.

    Attributes
    ----------
    threshold_name, limit_name, value_name : str
        Names of the axes and the values, with units.
    thresholds : tuple of float
        Ascending.
    threshold_texts, limit_texts : tuple of str
        Labels of the axes.
    values : ndarray of float64, shape (n_thresholds, n_limits)
        Metric of the optimum; nan if no node satisfies.
    value_text : callable
        Formats a value.
    is_logarithmic : bool
        Whether the threshold axis is logarithmic.
    """

    threshold_name: str
    limit_name: str
    value_name: str
    thresholds: tuple[float, ...]
    threshold_texts: tuple[str, ...]
    limit_texts: tuple[str, ...]
    values: NDArray[np.float64]
    value_text: Callable[[float], str]
    is_logarithmic: bool

    @property
    def ends(self) -> tuple[float, float] | None:
        """Least and largest value; None if no cell has one."""
        known = self.values[np.isfinite(self.values)]
        return (float(known.min()), float(known.max())) if len(known) else None

    def has_node(self, cell: Cell) -> bool:
        """Return whether a node satisfies in a cell."""
        return bool(np.isfinite(self.values[cell]))

    def lines(self) -> list[Line]:
        """Return the curves, from the strictest limit on."""
        found = []
        columns = range(self.values.shape[1])
        for _, alike in groupby(columns, key=lambda column: self.values[:, column].tobytes()):
            places = list(alike)
            found.append(Line(places[0], places[-1]))
        return found

    def moved(self, cell: Cell, thresholds: int, limits: int) -> Cell:
        """Return the cell moved by steps, limited to the table."""
        n_thresholds, n_limits = self.values.shape
        return Cell(
            min(max(cell.threshold + thresholds, 0), n_thresholds - 1),
            min(max(cell.limit + limits, 0), n_limits - 1),
        )
