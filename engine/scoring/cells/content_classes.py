"""Contents as equivalence classes: each measure is computed once per content, when first needed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Measure, Problem
from engine.frequency.compiled import compiled_measure
from engine.frequency.measures.base import MEASURES
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.kernels.compiled.contents import Contents
from engine.kernels.compiled.pairs import unpacked
from engine.kernels.distances import Pairs
from engine.kernels.grouping import run_starts

CHUNK = 1 << 17  # contents measured at a time, to bound memory


class MeasuredContents:
    """Measures of one worker's contents, extended as contents are added.

    Parameters
    ----------
    problem : Problem
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        n_values = [attribute.n_values for attribute in problem.sensitive]
        self._firsts = [sum(n_values[:j]) for j in range(len(n_values))]
        self._known: dict[Measure, NDArray[Any]] = {}
        self._measuring = threading.Lock()

    def measured(self, contents: Contents, n_contents: int, measure: Measure) -> NDArray[Any]:
        """Return a measure of the first `n_contents` contents; compute only the missing ones."""
        with self._measuring:
            known = self._known.get(measure)
            done = 0 if known is None else len(known)
            if done < n_contents:
                parts = [] if known is None else [known]
                parts += [
                    self._measure(contents, first, min(first + CHUNK, n_contents), measure)
                    for first in range(done, n_contents, CHUNK)
                ]
                known = self._known[measure] = np.concatenate(parts)
            assert known is not None, "there is at least one content"
            return known[:n_contents]

    def _measure(self, contents: Contents, first: int, last: int, measure: Measure) -> IntArray | FloatArray:
        sensitive = self._problem.sensitive
        number = next(j for j, attribute in enumerate(sensitive) if attribute.name == measure.column)
        attribute = sensitive[number]
        values, counts, starts = unpacked(contents.starts, contents.pairs, first, last)
        if len(sensitive) > 1:
            values -= self._firsts[number]
            own = np.flatnonzero((values >= 0) & (values < attribute.n_values))
            owners = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(values)))
            values, counts, starts = values[own], counts[own], run_starts(owners[own])
        function = compiled_measure(measure.name) or MEASURES[measure.name].function
        sizes = contents.sizes[first:last].astype(np.int64)
        return function(Pairs(values, counts, starts), sizes, attribute, measure.parameter)


class ContentClasses:
    """The contents of all workers at one moment; implements `engine.frequency.EquivalenceClasses`.

    Content `c` of worker `w` of `n` is entry ``c * n + w``, so that entries keep their place as contents are
    added. An unused entry has size 0. Sizes are narrow in memory.

    Parameters
    ----------
    problem : Problem
    contents : sequence of (Contents, int)
        The contents of each worker, and how many of them belong to this moment.
    measured : sequence of MeasuredContents
    """

    def __init__(
        self,
        problem: Problem,
        contents: Sequence[tuple[Contents, int]],
        measured: Sequence[MeasuredContents],
    ) -> None:
        self._problem = problem
        self._contents = contents
        self._measured = measured
        self.sizes: Counts = self._joined([found.sizes[:n] for found, n in contents])

    def by_worker(self) -> list[ContentClasses]:
        """Return the contents of each worker alone, whose entry `c` is content `c`."""
        workers = zip(self._contents, self._measured, strict=True)
        return [ContentClasses(self._problem, [found], [measured]) for found, measured in workers]

    @property
    def records(self) -> Counts:
        """Records per class: kernels score only if every record is a person."""
        return self.sizes

    def measured(self, measure: Measure) -> IntArray | FloatArray:
        workers = zip(self._contents, self._measured, strict=True)
        return self._joined([known.measured(found, n, measure) for (found, n), known in workers])

    def default_distance(self, column: str) -> str:
        return self._problem.sensitive_attribute(column).default_distance

    @property
    def sampling_fraction(self) -> float | None:
        return self._problem.sampling_fraction

    def with_contents(self, values: NDArray[Any]) -> tuple[tuple[Contents, NDArray[Any]], ...]:
        """Return values of all entries by worker, next to its contents."""
        n = len(self._contents)
        return tuple((found, values[w::n][:used]) for w, (found, used) in enumerate(self._contents))

    def _joined(self, parts: list[NDArray[Any]]) -> NDArray[Any]:
        if len(parts) == 1:
            return parts[0]
        result = np.zeros(len(parts) * max(map(len, parts)), dtype=parts[0].dtype)
        for worker, values in enumerate(parts):
            result[worker :: len(parts)][: len(values)] = values
        return result
