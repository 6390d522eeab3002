"""Tags of all nodes of a lattice, and what a check implies for nodes above and below."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray, IntArray
from engine.lattice import Lattice, Node
from engine.privacy.limit import allowed_losses
from engine.search.exhaustive import check_size
from engine.search.search import Search
from engine.search.trace import Rule
from engine.words import N_, _

ABOVE = Rule("above", N_("it is above a node that satisfies"))
BELOW = Rule("below", N_("it is below a node that fails"))
BELOW_PART = Rule(
    "below_part", N_("it is below a node that fails a model which carries over to all nodes above")
)
REMAINING = Rule("remaining", N_("no other node decides it"), is_check=True)
UNPRUNED = Rule(
    "unpruned", N_("some models do not carry over and must be counted at each node"), is_check=True
)

UNKNOWN, FAILS, CARRIES = -1, 0, 1


class Grid:
    """Node numbers of a lattice arranged so that all nodes above or below one are a box."""

    def __init__(self, lattice: Lattice) -> None:
        # attributes of one level add no axis, since numpy arrays have a limited number of axes
        self._axes = [q for q, size in enumerate(lattice.shape) if size > 1]
        self._low = lattice.minimum
        self.shape = tuple(lattice.shape[q] for q in self._axes)

    def above(self, node: Node) -> tuple[slice, ...]:
        """Return the box of a node and all nodes above it."""
        return tuple(slice(node[q] - self._low[q], None) for q in self._axes)

    def below(self, node: Node) -> tuple[slice, ...]:
        """Return the box of a node and all nodes below it."""
        return tuple(slice(0, node[q] - self._low[q] + 1) for q in self._axes)

    def between(self, low: Node, high: Node) -> tuple[slice, ...]:
        """Return the box of all nodes between two nodes, both included."""
        return tuple(slice(low[q] - self._low[q], high[q] - self._low[q] + 1) for q in self._axes)


class Tags:
    """Tag every node as failing or not, by as few checks as the monotonic models allow.

    A tag says whether the part of the requirement that carries over from nodes to their successors
    (`Search.inherited`) is met: below a node that fails it, all fail it; above one that meets it, all meet
    it. If that part is the complete requirement, a tag says whether a node satisfies. If not, `settle` checks
    the nodes that meet it one by one.

    Raises
    ------
    If the lattice has too many nodes to decide each.
        If the lattice has too many nodes to settle each.
    """

    def __init__(self, search: Search) -> None:
        self.lattice = search.lattice
        check_size(self.lattice.n_nodes)
        self.grid = Grid(self.lattice)
        self._search = search
        self._tags: NDArray[np.int8] = np.full(self.lattice.n_nodes, UNKNOWN, dtype=np.int8)
        self._boxed = self._tags.reshape(self.grid.shape)
        self._numbers: IntArray = np.arange(self.lattice.n_nodes).reshape(self.grid.shape)
        self._below = BELOW if search.carries_over else BELOW_PART
        if not search.carries_over:
            search.notes.append(_what_does_not_carry_over(search))
            if not search.inherited.models:  # nothing carries over, so nothing can fail
                self._tags[:] = CARRIES

    def is_tagged(self, number: int) -> bool:
        """Return whether a node's tag is known."""
        return bool(self._tags[number] != UNKNOWN)

    def carries(self, number: int) -> bool:
        """Return whether a tagged node meets the models that carry over."""
        return bool(self._tags[number] == CARRIES)

    def untagged(self, numbers: IntArray) -> IntArray:
        """Return the untagged nodes among some, in their order."""
        untagged: IntArray = numbers[self._tags[numbers] == UNKNOWN]
        return untagged

    def untagged_between(self, low: Node, high: Node) -> IntArray:
        """Return the numbers of untagged nodes between two nodes, both included."""
        box = self.grid.between(low, high)
        untagged: IntArray = self._numbers[box][self._boxed[box] == UNKNOWN]
        return untagged

    def numbers_between(self, low: Node, high: Node) -> IntArray:
        """Return the numbers of all nodes between two nodes, both included."""
        numbers: IntArray = self._numbers[self.grid.between(low, high)].reshape(-1)
        return numbers

    def check(self, number: int, rule: Rule) -> bool:
        """Check an untagged node and tag all that follows; return whether it meets what carries over.

        Raises
        ------
        LimitReachedError, CancelledError
            As `Search.check`.
        """
        node = self.lattice.node(number)
        found = self._search.check(node, rule)
        self._tags[number] = CARRIES if found.carries else FAILS
        if found.carries:
            self._tag(self.grid.above(node), CARRIES, ABOVE if self._search.carries_over else None)
        else:
            self._tag(self.grid.below(node), FAILS, self._below)
        return found.carries

    def exclude(self, numbers: IntArray, rule: Rule) -> None:
        """Tag nodes as failing for a reason found elsewhere."""
        self._search.n_spared += len(numbers)
        self._tags[numbers] = FAILS
        self._search.trace.extend(self.lattice.levels[numbers], False, rule)

    def settle(self) -> None:
        """Check the remaining nodes, and store in the search which nodes satisfy.

        Raises
        ------
        LimitReachedError, CancelledError
            As `Search.check`.
        """
        for number in np.flatnonzero(self._tags == UNKNOWN).tolist():
            if not self.is_tagged(number):
                self.check(number, REMAINING)
        satisfying: BoolArray = self._tags == CARRIES
        if not self._search.carries_over:
            for number in np.flatnonzero(satisfying).tolist():
                satisfying[number] = self._search.check(self.lattice.node(number), UNPRUNED).satisfies
        self._search.satisfying = satisfying

    def _tag(self, box: tuple[slice, ...], tag: int, rule: Rule | None) -> None:
        boxed = self._boxed[box]
        new = self._numbers[box][boxed == UNKNOWN]
        self._tags[new] = tag
        if tag == FAILS:
            self._search.n_spared += len(new)
        if rule is not None and len(new):
            self._search.trace.extend(self.lattice.levels[new], tag == CARRIES, rule)


def _what_does_not_carry_over(search: Search) -> str:
    """Explain why fewer nodes were excluded than by the published algorithm."""
    requirement = search.task.requirement
    kept = search.inherited.models
    others = _listed([model.title for model in requirement.models if model not in kept])
    held = _listed([model.title for model in kept])
    if allowed_losses(search.problem, requirement):
        if not kept:
            text = _(
                "If records may be suppressed, a node more general than one that meets {others} may fail it. "
                "Every node was counted."
            )
        else:
            text = _(
                "If records may be suppressed, a node more general than one that meets {others} may fail it. "
                "Nodes were excluded only for failing {held}; all others were counted."
            )
    elif not kept:
        text = _("A node more general than one that meets {others} may fail it. Every node was counted.")
    else:
        text = _(
            "A node more general than one that meets {others} may fail it. Nodes were excluded only for "
            "failing {held}; all others were counted."
        )
    return text.format(others=others, held=held)


def _listed(titles: list[str]) -> str:
    return ", ".join(dict.fromkeys(titles))
