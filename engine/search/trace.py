"""The trace of a search: nodes checked or inferred, by which rule, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray
from engine.lattice import Node
from engine.words import Translated

ABSENT = -1  # level of an attribute that a step on a subset of the attributes omits


@dataclass(frozen=True)
class Rule:
    """Reason for a search to know something about a node.

    Attributes
    ----------
    text : str
        A clause about the node: "it is above a node that satisfies".
    is_check : bool
        Whether the node's classes were counted; otherwise other nodes imply the finding.
    """

    key: str
    text: str = Translated(None)  # type: ignore[assignment]
    is_check: bool = False


@dataclass(frozen=True)
class Step:
    """One entry of a trace.

    Attributes
    ----------
    node : tuple of int
        `ABSENT` for attributes that take no part.
    satisfies : bool or None
        None if a node was excluded undecided, such as one that cannot be better than the best known.
    """

    node: Node
    satisfies: bool | None
    rule: Rule


class Trace:
    """The steps of a search, in order; stored in columns, since there may be as many as nodes."""

    def __init__(self, n_qi: int) -> None:
        self._n_qi = n_qi
        self._blocks: list[tuple[NDArray[np.int16], NDArray[np.int8], Rule]] = []
        self._lines: list[tuple[Node, int]] = []
        self._rule: Rule | None = None
        self.n_checked = 0
        self.n_inferred = 0

    def __len__(self) -> int:
        return self.n_checked + self.n_inferred

    def add(self, node: Node, satisfies: bool | None, rule: Rule) -> None:
        """Append one step."""
        if rule is not self._rule:
            self._close()
            self._rule = rule
        self._lines.append((node, _code(satisfies)))
        self._count(rule, 1)

    def extend(
        self, nodes: Sequence[Node] | NDArray[np.integer[Any]], satisfies: bool | BoolArray | None, rule: Rule
    ) -> None:
        """Append a step for each of several nodes, with one finding for all or one each."""
        if not len(nodes):
            return
        self._close()
        levels = np.asarray(nodes, dtype=np.int16).reshape(len(nodes), self._n_qi)
        found = satisfies if isinstance(satisfies, np.ndarray) else np.full(len(levels), _code(satisfies))
        self._blocks.append((levels, found.astype(np.int8), rule))
        self._count(rule, len(levels))

    def __iter__(self) -> Iterator[Step]:
        self._close()
        for levels, found, rule in self._blocks:
            for node, code in zip(levels.tolist(), found.tolist(), strict=True):
                yield Step(tuple(node), None if code < 0 else bool(code), rule)

    def columns(self) -> tuple[NDArray[np.int16], NDArray[np.int8], NDArray[np.int32], tuple[Rule, ...]]:
        """Return all steps as columns.

        Returns
        -------
        levels : ndarray of int16, shape (n_steps, n_qi)
        found : ndarray of int8, shape (n_steps,)
            1 if the node satisfies, 0 if it fails, -1 if it was excluded undecided.
        places : ndarray of int32, shape (n_steps,)
            Index into `rules`.
        rules : tuple of Rule
            The rules, each once, in the order of their first use.
        """
        self._close()
        rules: dict[Rule, int] = {}
        levels = [np.zeros((0, self._n_qi), dtype=np.int16), *(block[0] for block in self._blocks)]
        found = [np.zeros(0, dtype=np.int8), *(block[1] for block in self._blocks)]
        places = [rules.setdefault(rule, len(rules)) for _, _, rule in self._blocks]
        lengths = [len(block[1]) for block in self._blocks]
        repeated = np.repeat(np.array(places, dtype=np.int32), lengths)
        return np.concatenate(levels), np.concatenate(found), repeated, tuple(rules)

    def _close(self) -> None:
        """Convert the steps added one by one to columns."""
        if self._lines and self._rule is not None:
            nodes, found = zip(*self._lines, strict=True)
            levels = np.array(nodes, dtype=np.int16).reshape(len(nodes), self._n_qi)
            self._blocks.append((levels, np.array(found, dtype=np.int8), self._rule))
        self._lines = []
        self._rule = None

    def _count(self, rule: Rule, n_steps: int) -> None:
        if rule.is_check:
            self.n_checked += n_steps
        else:
            self.n_inferred += n_steps


def _code(satisfies: bool | None) -> int:
    return -1 if satisfies is None else int(satisfies)
