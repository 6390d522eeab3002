"""Which nodes pass the filters: the typed conditions and the boxes of the levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.perspectives.explore.node_scores import Details, NodeScores, levels_mask
from engine.errors import InputError
from engine.filters import Filter, parse_filter

if TYPE_CHECKING:
    from engine.frequency import Problem

_DETAIL_NAMES = ("k", "classes")
BoolArray = NDArray[np.bool_]


class NodeFilter:
    """The filters as a person set them last."""

    def __init__(self) -> None:
        self._typed = Filter()
        self._levels: dict[int, frozenset[int]] = {}
        self._chosen: BoolArray | None = None
        self._passing: BoolArray = np.zeros(0, dtype=np.bool_)

    @property
    def passing(self) -> BoolArray:
        """Nodes that pass, by number."""
        return self._passing

    def show_levels(self, shown: dict[int, frozenset[int]]) -> None:
        """Let only nodes pass that use these levels of some attributes; attributes not named may use any."""
        self._levels = dict(shown)

    def show_chosen(self, chosen: BoolArray | None) -> None:
        """Let only chosen nodes pass, by number; nodes scored later are not among them. None lets all."""
        self._chosen = chosen

    def read(self, text: str, problem: Problem, metric: str) -> str:
        """Take typed conditions; where they cannot be read the last ones stay, and the answer says why."""
        from engine.utility import utility_metrics

        metrics = [key for key, member in utility_metrics.items() if not member.costly]
        names = [*problem.names, *metrics, "suppressed", "rank", *_DETAIL_NAMES, metric]
        try:
            self._typed = parse_filter(text, names, ("suppressed",))
        except InputError as error:
            return f"{error.problem} {error.hint}".strip()
        return ""

    def let_all_pass(self, n_nodes: int) -> None:
        """Forget who passed, for nodes of which nothing is known yet."""
        self._passing = np.ones(n_nodes, dtype=np.bool_)

    def update(self, scores: NodeScores, problem: Problem, metric: str, details: Details | None) -> None:
        """See anew who passes; while a column is being computed the last choice stays."""
        lattice = scores.lattice
        if not self._typed.conditions and not self._levels and self._chosen is None:
            self.let_all_pass(lattice.n_nodes)
            return
        columns: dict[str, NDArray[Any]] = {
            name: lattice.levels[:, q] for q, name in enumerate(problem.names)
        }
        columns |= dict(details or {})
        columns[metric] = scores.values
        columns["rank"] = np.where(scores.ranks, scores.ranks.astype(np.float64), np.nan)
        columns["suppressed"] = scores.suppressed
        columns["suppressed %"] = scores.suppressed / max(problem.n_records, 1)
        if any(condition.name not in columns for condition in self._typed.conditions):
            n_new = lattice.n_nodes - len(self._passing)
            if n_new < 0:
                self.let_all_pass(lattice.n_nodes)
            else:
                self._passing = np.append(self._passing, np.zeros(n_new, dtype=np.bool_))
            return
        self._passing = levels_mask(lattice.levels, self._levels)
        if self._chosen is not None:
            n_new = lattice.n_nodes - len(self._chosen)
            self._passing &= np.append(self._chosen, np.zeros(n_new, dtype=np.bool_))
        self._passing &= self._typed.mask(columns, lattice.n_nodes)
