"""Appearance of the nodes for a requirement, as used by the views of the lattice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.perspectives.explore.lattice.raster import N_RAMP, NOT_SCORED
from anonymizer_gui.perspectives.explore.metric_text import metric_name
from anonymizer_gui.perspectives.explore.node_scores import more_than
from anonymizer_gui.widgets.level_glyph import Glyph
from engine.cached import cached_property
from engine.numbers import as_exact_count, as_loss
from engine.words import _, ngettext

Classes = NDArray[np.uint8]
FloatArray = NDArray[np.float64]

_LIMIT_AT = 0.24  # position of the limit in a meter, which leaves room for two and three times as much
_LONG = 1000  # records, from which on the total is too long for the short form
_NOTHING: frozenset[int] = frozenset()


def no_words(_node: int) -> Sequence[str]:
    """Return no words for any node."""
    return ()


@dataclass(frozen=True, eq=False)
class NodeLook:
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
    n_suppressed : ndarray of int64, shape (n_nodes,), optional
        Suppressed records, for cards; a lower bound for nodes that are not known.
    is_known : ndarray of bool, shape (n_nodes,), optional
        Whether metric and suppressed records are exact; None for all nodes.
    within : ndarray of bool, shape (n_nodes,), optional
        Whether the suppression is within the limit; None to compare with `allowed`.
    allowed, n_records : int
        Suppression limit in records, and number of records.
    allowed_people : int, optional
        Suppression limit in people if it counts people; `allowed` is then the most records.
    worst : float
        Value of a full meter.
    passes : ndarray of bool, shape (n_nodes,), optional
        Which nodes satisfy, also those filtered out; None for those drawn as satisfying.
    reasons : mapping of int to str
        What nodes fail, other than the suppression limit.
    border_texts : pair of str
        What the satisfying nodes of a diagram meet, and why those below its border fail.
    levels : ndarray of int16, shape (n_nodes, n_qi)
        Set by the view, as are the highest levels of the hierarchies in `heights`, and `phrases`, which
        returns the generalized columns of a node in words.
    """

    classes: Classes
    values: FloatArray
    row_texts: Sequence[str] = ()
    metric: str = "loss"  # key
    text: Callable[[float], str] = field(default=as_loss)
    minimal: NDArray[np.bool_] | None = None
    n_suppressed: NDArray[np.int64] | None = None
    is_known: NDArray[np.bool_] | None = None
    within: NDArray[np.bool_] | None = None
    allowed: int = 0
    allowed_people: int | None = None
    n_records: int = 0
    worst: float = 1.0
    passes: NDArray[np.bool_] | None = None
    reasons: Mapping[int, str] = field(default_factory=dict)
    border_texts: tuple[str, str] = ("", "")
    levels: NDArray[np.int16] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int16))
    heights: tuple[int, ...] = ()
    phrases: Callable[[int], Sequence[str]] = no_words

    @property
    def value_name(self) -> str:
        """Short name of the metric."""
        return metric_name(self.metric)

    def glyph(self, node: int, compared: int | None = None) -> Glyph:
        """Return the glyph of a node, with the levels that differ from another node."""
        levels = tuple(self.levels[node].tolist())
        differing = _NOTHING
        if compared is not None:
            differing = frozenset(np.flatnonzero(self.levels[node] != self.levels[compared]).tolist())
        return Glyph(levels, self.heights, differing, not self.satisfies(node))

    def satisfies(self, node: int) -> bool:
        """Return whether a node is drawn as satisfying."""
        return bool(self.classes[node] < N_RAMP)

    @cached_property
    def met(self) -> NDArray[np.bool_]:
        """Nodes that satisfy, shape (n_nodes,)."""
        return self.classes < N_RAMP if self.passes is None else self.passes

    def reason(self, node: int, *, is_short: bool = False) -> str:
        """Return in a few words what a node fails; empty if it satisfies."""
        if self.met[node] or not self.is_scored(node) or self.n_suppressed is None:
            return ""
        if node in self.reasons:
            return self.reasons[node]
        n, total = self.suppressed_text(node), as_exact_count(self.n_records)
        if is_short and self.n_records >= _LONG:
            return _("{n} suppr.").format(n=n)
        return (_("{n} of {total}") if is_short else _("{n} of {total} suppressed")).format(n=n, total=total)

    def is_scored(self, node: int) -> bool:
        return bool(self.classes[node] != NOT_SCORED)

    def is_minimal(self, node: int) -> bool:
        """Return whether a node satisfies and none of its predecessors does."""
        return self.minimal is not None and bool(self.minimal[node]) and self.satisfies(node)

    def value_words(self, node: int) -> str:
        """Return the metric with its name."""
        if not self.is_scored(node):
            return _("not scored yet")
        return f"{self.value_name} {self.value_text(node)}"

    def value_text(self, node: int) -> str:
        return self.text(float(self.values[node]))

    def value_share(self, node: int) -> float:
        """Return the filled share of the metric's meter."""
        value, worst = float(self.values[node]), self.worst
        return value / worst if np.isfinite(value) and worst > 0 else 0.0

    def suppressed(self, node: int) -> int | None:
        """Return the suppressed records; None if unknown."""
        if self.n_suppressed is None or not self.is_scored(node):
            return None
        return int(self.n_suppressed[node])

    def suppressed_text(self, node: int) -> str:
        """Return the suppressed records as text, "> 1 508" if only the limit is known to be exceeded."""
        if self.is_known is not None and not self.is_known[node]:
            return more_than(as_exact_count(self.allowed))
        return as_exact_count(self.suppressed(node))

    def suppressed_share(self, node: int) -> float:
        """Return the filled share of the suppression meter."""
        return (self.suppressed(node) or 0) / self._full

    def is_over(self, node: int) -> bool:
        """Return whether the suppression limit is exceeded."""
        suppressed, within = self.suppressed(node), self.within
        if suppressed is None:
            return False
        return suppressed > self.allowed if within is None else not within[node]

    @property
    def limit_words(self) -> str:
        """Suppression limit as text, in records or people."""
        people = self.allowed_people
        if people is None:
            n = self.allowed
            text = ngettext("limit {allowed} record", "limit {allowed} records", n)
            return text.format(allowed=as_exact_count(n))
        text = ngettext("limit {people} person", "limit {people} people", people)
        return text.format(people=as_exact_count(people))

    @property
    def limit_share(self) -> float | None:
        """Position of the limit on that meter; None if the limit does not count records."""
        return self.allowed / self._full if self.allowed_people is None else None

    @property
    def _full(self) -> float:
        if self.allowed <= 0:
            return max(self.n_records * _LIMIT_AT, 1.0)
        return max(min(self.allowed / _LIMIT_AT, float(self.n_records)), 1.0)
