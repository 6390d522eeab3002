"""Optimal Lattice Anonymization: the lattice is halved into sub-lattices, each from its middle level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.search.base import SearchAlgorithm, search_algorithms
from engine.search.choosing import choose
from engine.search.search import Search
from engine.search.tags import Tags
from engine.search.trace import Rule
from engine.words import N_, _, lazy

MIDDLE = Rule("middle", N_("it lies on the middle level of a part of the lattice"), is_check=True)
END = Rule(
    "end", N_("it is an end of a part of the lattice with nothing unknown between its ends"), is_check=True
)


@search_algorithms.register("ola")
@dataclass(frozen=True, slots=True)
class Ola(SearchAlgorithm):
    """Settle the lattice by halving it, then take the best node that satisfies.

    Of a part of the lattice, all nodes between a lowest and a highest one, the nodes of the middle level
    are looked at one after another. One that satisfies becomes the highest node of a new part, one that
    fails the lowest one of a new part, which are halved in turn before the next one is looked at. Each check
    tags all nodes above or below.

    Notes
    -----
    The order of the nodes on a level is not published. As in the reference implementation [2] it goes
    from the lexicographically last to the first; parts with nothing unknown in them are left out, which
    saves no checks. So Adult without `occupation`, k = 5 and nothing suppressed takes 90 checks, as
    published in [2], with the hierarchies used there, which spell England's region "Europa" and so make it
    one of its own. Where it is "Europe" as for its neighbours, a node more satisfies, and it takes 93.

    References
    ----------
    .. [1] El Emam, Dankar, Issa, Jonker, Amyot, Cogo, Corriveau, Walker, Chowdhury, Vaillancourt, Roffey,
       Bottomley (2009). A globally optimal k-anonymity method for the de-identification of health data.
       JAMIA 16(5).
    .. [2] Prasser, Kohlmayer, Kuhn (2014). A benchmark of globally-optimal anonymization methods for
       biomedical data. CBMS.
    """

    title: ClassVar[str] = "OLA"
    summary: ClassVar[str] = lazy(
        "Halves the lattice again and again from its middle level; few checks, and the optimum."
    )
    promise: ClassVar[str] = "optimal"
    settles_all: ClassVar[bool] = True
    source: ClassVar[str] = lazy("El Emam et al. 2009")

    def explore(self, search: Search) -> None:
        """See `SearchAlgorithm.explore`."""
        tags = Tags(search)
        _Parts(search, tags).halve(0, search.lattice.n_nodes - 1)
        tags.settle()
        choose(search)


class _Parts:
    """Halves parts of a lattice, each told by its lowest and its highest node; no part twice."""

    def __init__(self, search: Search, tags: Tags) -> None:
        self._search = search
        self._lattice = search.lattice
        self._tags = tags
        self._seen: set[tuple[int, int]] = set()

    def halve(self, low: int, high: int) -> None:
        """Tag the nodes from one to another, given by their numbers, unless that was done before."""
        if (low, high) in self._seen:
            return
        self._seen.add((low, high))
        self._report()
        ends = self._lattice.node(low), self._lattice.node(high)
        unknown = self._tags.untagged_between(*ends)
        if not np.any((unknown != low) & (unknown != high)):
            # The lower end first: if it satisfies, so does the other.
            for end in unknown[:1].tolist():
                self._tags.check(end, END)
            return
        numbers = self._tags.numbers_between(*ends)
        middle = (sum(ends[0]) + sum(ends[1])) // 2
        # The order of numbers is lexicographic.
        for number in numbers[self._lattice.sums[numbers] == middle][::-1].tolist():
            if not self._tags.is_tagged(number):
                self._tags.check(number, MIDDLE)
            if self._tags.carries(number):
                self.halve(low, number)
            else:
                self.halve(number, high)

    def _report(self) -> None:
        trace, n_nodes = self._search.trace, self._lattice.n_nodes
        self._search.monitor.step(min(trace.n_checked, n_nodes), n_nodes, _("Checking nodes"))
