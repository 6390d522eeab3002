"""A search from the top of the lattice downwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.search import SearchAlgorithm
from engine.search.exact_optimum import choose
from engine.search.search import Search
from engine.search.tags import Tags
from engine.search.trace import Rule

NEXT = Rule("next", "it is the most general of the undecided nodes", is_check=True)


@dataclass(frozen=True, slots=True)
class TopDown(SearchAlgorithm):
    """Check the most general of the undecided nodes, until all are decided; then choose the best.

    If a node fails the models that carry over to more general nodes, all nodes below it fail too. `Tags`
    notes this, and checks those that meet them for all other models. `choose` checks what it needs to prove
    which of the satisfying nodes has the least loss.
    """

    title: ClassVar[str] = "Top down"
    summary: ClassVar[str] = "Decides general nodes first, which excludes all nodes below one that fails."
    promise: ClassVar[str] = "optimal"
    settles_all: ClassVar[bool] = True

    def explore(self, search: Search) -> None:
        """Leave the decided nodes and the optimum in `search`."""
        tags = Tags(search)
        for number in np.argsort(-search.lattice.sums, kind="stable").tolist():
            if not tags.is_tagged(number):
                tags.check(number, NEXT)
        tags.settle()
        choose(search)
