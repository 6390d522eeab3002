"""Contents as equivalence classes: each measure is computed once per content, when first needed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.frequency import Measure, Problem
from engine.frequency.classes import MEMBERS, POPULATION
from engine.frequency.measured import MeasuredClasses, Parts
from engine.frequency.measures.base import MEASURES
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.kernels.compiled.contents import Contents
from engine.kernels.compiled.pairs import unpacked
from engine.kernels.distances import Pairs
from engine.kernels.grouping import class_labels, run_starts
from engine.scoring.walk.base_classes import BaseClasses

CHUNK = 1 << 15  # contents measured at a time, whose pairs the processor's caches hold


class MeasuredContents:
    """Measures of one worker's contents, extended as contents are added.

    Parameters
    ----------
    base : BaseClasses
        The base tuples, which say what contents count.
    """

    def __init__(self, problem: Problem, base: BaseClasses) -> None:
        self._problem = problem
        self._firsts = [sum(base.n_values[:j]) for j in range(len(base.n_values) + 1)]
        self._has_one_group = len(base.groups) == 1 and base.people is None and not base.combinations
        columns = range(len(base.combinations))
        self._combinations = [Combinations.of(problem, base.combinations, j) for j in columns]
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
        values, counts, starts = unpacked(contents.starts, contents.pairs, first, last)
        sizes = contents.sizes[first:last].astype(np.int64)
        if self._has_one_group:
            return self._of_pairs(Pairs(values, counts, starts), sizes, measure)
        owners = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(values)))
        found: Any
        if measure.name in (POPULATION, MEMBERS):  # the same, since every row of the population is a person
            own = values == self._firsts[-1]
            found = np.zeros(len(sizes), dtype=np.int64)
            found[owners[own]] = counts[own]
            return np.asarray(found)
        number, kind = self._number(measure), MEASURES[measure.name]
        group = 0 if self._combinations else number
        low, high = self._firsts[group], self._firsts[group + 1]
        own = np.flatnonzero((values >= low) & (values < high))
        if not len(own):  # all contents are of people without a record
            return np.zeros(len(sizes), dtype=np.int64) if kind.is_whole else np.zeros(len(sizes))
        values, counts, owners = values[own] - low, counts[own], owners[own]
        if self._combinations:
            pairs, begins = self._combinations[number].parts(values, counts, owners)
            of_parts = self._of_pairs(pairs, np.add.reduceat(pairs.counts, pairs.starts), measure)
            worst = np.minimum if kind.lowest_is_worst else np.maximum
            measured = np.asarray(worst.reduceat(of_parts, begins))
        else:
            pairs = Pairs(values, counts, run_starts(owners))
            measured = self._of_pairs(pairs, sizes[sizes > 0], measure)
        found = np.zeros(len(sizes), dtype=measured.dtype)
        found[sizes > 0] = measured
        return np.asarray(found)

    @property
    def n_values(self) -> int:
        """Values that contents count, over all groups of them."""
        return self._firsts[-1] if not self._combinations else len(self._combinations[0].ranks)

    def classes(self, sizes: Counts, owners: IntArray, values: IntArray, counts: Counts) -> MeasuredClasses:
        """Return contents as classes.

        Parameters
        ----------
        sizes : ndarray of int64, shape (n_contents,)
        owners, values, counts : ndarray of int64, shape (n_pairs,)
            Content, value as contents number them, and its records, in ascending order.
        """

        def pairs(number: int) -> Pairs:
            low, high = self._firsts[number], self._firsts[number + 1]
            own = (values >= low) & (values < high)
            return Pairs(values[own] - low, counts[own], run_starts(owners[own]))

        def parts(number: int) -> Parts:
            found, begins = self._combinations[number].parts(values, counts, owners)
            return Parts(np.add.reduceat(found.counts, found.starts), found, begins)

        problem = self._problem
        return MeasuredClasses(
            sizes,
            problem.carried,
            pairs,
            parts if self._combinations else None,
            sampling_fraction=problem.sampling_fraction,
        )

    def _of_pairs(self, pairs: Pairs, sizes: Counts, measure: Measure) -> IntArray | FloatArray:
        attribute = self._problem.carried[self._number(measure)]
        return MEASURES[measure.name].function(pairs, sizes, attribute, measure.parameter)

    def _number(self, measure: Measure) -> int:
        names = (attribute.name for attribute in self._problem.carried)
        return next(j for j, name in enumerate(names) if name == measure.column)


class Combinations(NamedTuple):
    """Combinations of sensitive values, in the order of the other columns and then of the measured one.

    Attributes
    ----------
    ranks : ndarray of int64, shape (n_combinations,)
        Place of a combination in that order.
    others : ndarray of int64, shape (n_combinations,)
        Number of the values of the other columns, by place.
    values : ndarray of int64, shape (n_combinations,)
        Value of the measured column, by place.
    """

    ranks: IntArray
    others: IntArray
    values: IntArray

    @classmethod
    def of(cls, problem: Problem, combinations: Sequence[IntArray], number: int) -> Combinations:
        """Order the combinations for a measured column."""
        rest = [j for j in range(len(combinations)) if j != number]
        spans = [problem.sensitive[j].n_values for j in rest]
        others = class_labels([combinations[j] for j in rest], spans)[0]
        order = np.lexsort((combinations[number], others))
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        return cls(ranks, others[order], combinations[number][order])

    def parts(self, numbers: IntArray, counts: Counts, owners: IntArray) -> tuple[Pairs, IntArray]:
        """Return the values of the measured column in parts of contents equal in the other columns.

        Parameters
        ----------
        numbers, counts, owners : ndarray of int64, shape (n_pairs,)
            Combination, its records, and the content, which are ascending.

        Returns
        -------
        Pairs
            Values per part.
        ndarray of int64, shape (n_contents,)
            The first part of every content.
        """
        width = len(self.ranks).bit_length()
        ranks = self.ranks[numbers]
        order = np.argsort((owners << width) | ranks, kind="stable")  # quick, since contents are in order
        places, owners = ranks[order], owners[order]
        starts = run_starts((owners << width) | self.others[places])
        return Pairs(self.values[places], counts[order], starts), run_starts(owners[starts])


class ContentClasses:
    """The contents of all workers at one moment; implements `engine.frequency.EquivalenceClasses`.

    Content `c` of worker `w` of `n` is entry ``c * n + w``, so that entries keep their place as contents are
    added. An unused entry has size 0. Sizes are narrow in memory.

    Parameters
    ----------
    contents : sequence of (Contents, int)
        The contents of each worker, and how many of them belong to this moment.
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

    @cached_property
    def sizes(self) -> Counts:
        return self._joined([found.sizes[:n] for found, n in self._contents])

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

    @property
    def n_values(self) -> int:
        """Values that contents count."""
        return self._measured[0].n_values

    def joined(self, owners: IntArray, kinds: IntArray, times: Counts, sizes: Counts) -> MeasuredClasses:
        """Join contents to classes.

        Parameters
        ----------
        owners, kinds, times : ndarray of int64, shape (n_entries,)
            Class that a content belongs to, entry of the content, and how often it does.
        sizes : ndarray of int64, shape (n_classes,)
            Records of each class.
        """
        found, n_workers = np.zeros((len(sizes), self.n_values), dtype=np.int64), len(self._contents)
        for worker, (contents, n_contents) in enumerate(self._contents):
            mine = np.flatnonzero(kinds % n_workers == worker)
            mine = mine[np.argsort(kinds[mine], kind="stable")]
            numbers = kinds[mine] // n_workers
            for first in range(0, n_contents, CHUNK):
                low, high = np.searchsorted(numbers, (first, first + CHUNK))
                if low == high:
                    continue
                last = min(first + CHUNK, n_contents)
                values, counts, starts = unpacked(contents.starts, contents.pairs, first, last)
                lengths = np.diff(starts, append=len(values))
                own, chosen = numbers[low:high] - first, mine[low:high]
                n_pairs = lengths[own]
                begins = np.cumsum(n_pairs) - n_pairs
                places = np.repeat(starts[own] - begins, n_pairs) + np.arange(n_pairs.sum())
                keys = np.repeat(owners[chosen], n_pairs) * self.n_values + values[places]
                weights = counts[places] * np.repeat(times[chosen], n_pairs)
                sums = np.bincount(keys, weights=weights, minlength=found.size)
                found += sums.astype(np.int64).reshape(found.shape)
        in_class, of_value = np.nonzero(found)
        return self._measured[0].classes(sizes, in_class, of_value, found[in_class, of_value])

    def _joined(self, parts: list[NDArray[Any]]) -> NDArray[Any]:
        if len(parts) == 1:
            return parts[0]
        result = np.zeros(len(parts) * max(map(len, parts)), dtype=parts[0].dtype)
        for worker, values in enumerate(parts):
            result[worker :: len(parts)][: len(values)] = values
        return result
