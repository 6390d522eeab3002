"""Appearance of the nodes for a requirement, as used by the views of the lattice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.perspectives.explore.lattice.raster import N_RAMP, NOT_SCORED
from anonymizer_gui.perspectives.explore.metric_text import metric_name
from anonymizer_gui.perspectives.explore.node_scores import more_than
from anonymizer_gui.widgets.level_glyph import Glyph
from engine.numbers import as_exact_count, as_loss
from engine.words import _, ngettext

Classes = NDArray[np.uint8]
FloatArray = NDArray[np.float64]

_LIMIT_AT = 0.24  # position of the limit in a meter, which leaves room for two and three times as much
_NOTHING: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class LatticeColours:
    """Colours and values of the nodes for a requirement.

    Attributes
    ----------
    classes : ndarray of uint8, shape (n_nodes,)
        0 to 63 on the ramp, or `FAILS`, `NOT_SCORED`, `DIMMED`.
    values : ndarray of float64, shape (n_nodes,)
        Metric per node, for chips.
    row_texts : sequence of str
        "satisfy / all" per row.
    minimal : ndarray of bool, shape (n_nodes,), optional
        Satisfying nodes without a satisfying predecessor.
    suppressed : ndarray of int64, shape (n_nodes,), optional
        Suppressed records, for cards; a lower bound for nodes that are not known.
    is_known : ndarray of bool, shape (n_nodes,), optional
        Whether metric and suppressed records are exact; None for all nodes.
    satisfies : ndarray of bool, shape (n_nodes,), optional
        Whether the requirement is met, regardless of filters; for cards.
    within : ndarray of bool, shape (n_nodes,), optional
        Whether the suppression is within the limit; None to compare with `allowed`.
    allowed, n_records : int
        Suppression limit in records, and number of records.
    allowed_people : int, optional
        Suppression limit in people if it counts people; `allowed` is then the most records.
    worst : float
        Value of a full meter.
    """

    classes: Classes
    values: FloatArray
    row_texts: Sequence[str] = ()
    metric: str = "loss"  # key
    value_text: Callable[[float], str] = field(default=as_loss)
    minimal: NDArray[np.bool_] | None = None
    suppressed: NDArray[np.int64] | None = None
    is_known: NDArray[np.bool_] | None = None
    satisfies: NDArray[np.bool_] | None = None
    within: NDArray[np.bool_] | None = None
    allowed: int = 0
    allowed_people: int | None = None
    n_records: int = 0
    worst: float = 1.0

    @property
    def value_name(self) -> str:
        """Short name of the metric."""
        return metric_name(self.metric)


@dataclass(frozen=True, eq=False)
class NodeLook:
    """Colours with the levels of the nodes, and the highest level of each hierarchy."""

    colours: LatticeColours
    levels: NDArray[np.int16]
    heights: tuple[int, ...] = ()

    def glyph(self, node: int, compared: int | None = None) -> Glyph:
        """Return the glyph of a node, with the levels that differ from another node."""
        levels = tuple(self.levels[node].tolist())
        differing = _NOTHING
        if compared is not None:
            differing = frozenset(np.flatnonzero(self.levels[node] != self.levels[compared]).tolist())
        return Glyph(levels, self.heights, differing, not self.satisfies(node))

    @property
    def classes(self) -> Classes:
        return self.colours.classes

    def satisfies(self, node: int) -> bool:
        """Return whether a node is drawn as satisfying."""
        return bool(self.classes[node] < N_RAMP)

    def is_scored(self, node: int) -> bool:
        return bool(self.classes[node] != NOT_SCORED)

    def is_minimal(self, node: int) -> bool:
        """Return whether a node satisfies and none of its predecessors does."""
        minimal = self.colours.minimal
        return minimal is not None and bool(minimal[node]) and self.satisfies(node)

    def value_words(self, node: int) -> str:
        """Return the metric with its name."""
        if not self.is_scored(node):
            return _("not scored yet")
        return f"{self.colours.value_name} {self.value_text(node)}"

    def value_text(self, node: int) -> str:
        return self.colours.value_text(float(self.colours.values[node]))

    def value_share(self, node: int) -> float:
        """Return the filled share of the metric's meter."""
        value, worst = float(self.colours.values[node]), self.colours.worst
        return value / worst if np.isfinite(value) and worst > 0 else 0.0

    def suppressed(self, node: int) -> int | None:
        """Return the suppressed records; None if unknown."""
        found = self.colours.suppressed
        return None if found is None or not self.is_scored(node) else int(found[node])

    def suppressed_text(self, node: int) -> str:
        """Return the suppressed records as text, "> 1 508" if only the limit is known to be exceeded."""
        known = self.colours.is_known
        if known is not None and not known[node]:
            return more_than(as_exact_count(self.colours.allowed))
        return as_exact_count(self.suppressed(node))

    def suppressed_share(self, node: int) -> float:
        """Return the filled share of the suppression meter."""
        return (self.suppressed(node) or 0) / self._full

    def is_over(self, node: int) -> bool:
        """Return whether the suppression limit is exceeded."""
        suppressed, within = self.suppressed(node), self.colours.within
        if suppressed is None:
            return False
        return suppressed > self.colours.allowed if within is None else not within[node]

    @property
    def limit_words(self) -> str:
        """Suppression limit as text, in records or people."""
        people = self.colours.allowed_people
        if people is None:
            n = self.colours.allowed
            text = ngettext("limit {allowed} record", "limit {allowed} records", n)
            return text.format(allowed=as_exact_count(n))
        text = ngettext("limit {people} person", "limit {people} people", people)
        return text.format(people=as_exact_count(people))

    @property
    def limit_share(self) -> float | None:
        """Position of the limit on that meter; None if the limit does not count records."""
        return self.colours.allowed / self._full if self.colours.allowed_people is None else None

    def share_of_records(self, node: int) -> float:
        """Return the suppressed records as a share of all."""
        return (self.suppressed(node) or 0) / max(self.colours.n_records, 1)

    @property
    def limit_of_records(self) -> float | None:
        """Return the limit as a share of all records; None if it does not count records."""
        known = self.colours.allowed_people is None and self.colours.n_records > 0
        return self.colours.allowed / self.colours.n_records if known else None

    @property
    def _full(self) -> float:
        if self.colours.allowed <= 0:
            return max(self.colours.n_records * _LIMIT_AT, 1.0)
        return max(min(self.colours.allowed / _LIMIT_AT, float(self.colours.n_records)), 1.0)
