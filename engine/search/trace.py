"""The trace of a search: nodes checked or inferred, by which rule, in which order, and what it cost."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray
from engine.lattice import Node
from engine.processes import most_memory_held, status_of_linux
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


@dataclass(frozen=True)
class Efficiency:
    """Cost of a search.

    Attributes
    ----------
    seconds : float
        Wall time.
    peak_bytes : int
        Largest memory of the program beyond its memory at the start, in bytes of full pages as the system
        counts them.
    nodes_checked : int
        Nodes whose classes were counted, including nodes of subsets of the attributes.
    nodes_inferred : int
        Nodes decided without counting.
    scans : int
        Frequency sets counted from the distinct base tuples.
    rollups : int
        Frequency sets rolled up from those of other nodes.
    generalization_steps : int
        Levels raised, summed over attributes.
    """

    seconds: float = 0.0
    peak_bytes: int = 0
    nodes_checked: int = 0
    nodes_inferred: int = 0
    scans: int = 0
    rollups: int = 0
    generalization_steps: int = 0

    def followed_by(self, effort: Effort) -> Efficiency:
        """Return the sum of this cost and that of work which checked no nodes."""
        return replace(
            self,
            seconds=self.seconds + effort.seconds,
            peak_bytes=max(self.peak_bytes, effort.peak_bytes),
        )


def as_figures(efficiency: Efficiency) -> dict[str, float]:
    """Return a cost as plain JSON values; memory is in bytes."""
    return {
        "seconds": efficiency.seconds,
        "peak_memory": efficiency.peak_bytes,
        "nodes_checked": efficiency.nodes_checked,
        "nodes_inferred": efficiency.nodes_inferred,
        "scans": efficiency.scans,
        "roll_ups": efficiency.rollups,
        "generalization_steps": efficiency.generalization_steps,
    }


class Effort:
    """A context manager that measures time and memory, those of all threads included."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.peak_bytes = 0
        self._started = 0.0
        self._held = 0

    def __enter__(self) -> Self:
        self._held = start_counting()
        self._started = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Store the current values."""
        self.seconds = time.perf_counter() - self._started
        self.peak_bytes = max(most_memory_held() - self._held, 0)


_RESET = Path("/proc/self/clear_refs")
_START_ANEW = "5"  # see proc(5), /proc/pid/clear_refs


def start_counting() -> int:
    """Restart the count, and return the bytes held now, those of other threads included."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            # Freed memory that was not returned would be reused without being counted.
            ctypes.CDLL(None).malloc_trim(0)
        with suppress(OSError, ValueError):
            _RESET.write_text(_START_ANEW, encoding="ascii")
            return status_of_linux("VmRSS")
    return most_memory_held()
