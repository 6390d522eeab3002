"""Singletons, distinct combinations and equal pairs of column subsets up to a size.

Counting follows [1]_ (singletons, identifiers) and [2]_ (distinction, separation).

References
----------
.. [1] Pastore, Pellegrino, Scarano: detection of quasi-identifiers by singletons.
.. [2] Motwani, Xu (2007). Efficient Algorithms for Masking and Finding Quasi-Identifiers. VLDB Workshop on
   Secure Data Management.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import combinations, groupby
from math import comb
from threading import Event
from typing import NamedTuple

import numpy as np

from engine.errors import InputError
from engine.findings.identifiers.coded import CodedColumns, Partitioning, Subset, at_once
from engine.kernels.arrays import Counts
from engine.kernels.threads import n_threads
from engine.monitor import SILENT, Monitor
from engine.notebook import Brief
from engine.numbers import as_exact_count
from engine.scoring.acceleration import kernels
from engine.words import N_, _

MOST_SUBSETS = 500_000  # longest list; more are useless for people and programs
_WORTH_THREADS = 5_000_000  # least number of cells for which threads are faster
_PATIENCE = 0.05  # seconds between two checks of the monitor
TEXT = N_("Checked {done} of at most {total} column sets")

Known = dict[Subset, tuple[int, int, int]]  # counts by the kept columns


@dataclass(frozen=True, eq=False)
class MeasuredSubsets(Brief):
    """Subsets of columns and their counts, by size, each size in order of the table.

    Attributes
    ----------
    columns : tuple of ndarray of int32, shape (n_subsets, size)
        Numbers of the columns for size 1, 2, ...
    figures : tuple of ndarray of int64, shape (n_subsets, 3)
        Singletons, distinct combinations, ordered pairs of equal records.
    """

    columns: tuple[np.ndarray[tuple[int, int], np.dtype[np.int32]], ...]
    figures: tuple[Counts, ...]

    def __len__(self) -> int:
        return sum(map(len, self.figures))

    def __iter__(self) -> Iterator[tuple[Subset, tuple[int, int, int]]]:
        for columns, figures in zip(self.columns, self.figures, strict=True):
            for subset, (singletons, distinct, pairs) in zip(columns.tolist(), figures.tolist(), strict=True):
                yield tuple(subset), (singletons, distinct, pairs)


def measure_subsets(
    coded: CodedColumns, max_size: int, *, all_subsets: bool = False, monitor: Monitor = SILENT
) -> MeasuredSubsets:
    """Count every subset of columns up to a size.

    Parameters
    ----------
    max_size : int
        Largest number of columns in a subset, at least 1.
    all_subsets : bool
        List every subset; otherwise a subset whose records all differ (an identifier) is not extended.
    monitor : Monitor
        Reports the number of counted subsets; may stop the search within a fraction of a second.

    Raises
    ------
    InputError
        If there are more than `MOST_SUBSETS` subsets to list.

    Notes
    -----
    Figures depend only on which records the columns separate: copies of a column and constant ones are
    counted once. With `n` records a subset costs at most `n` steps, fewer the more records are alone
    with the columns it shares with the subset counted before.
    """
    max_size = min(max_size, coded.n_columns)
    known: Known = {(): _as_tuple(coded.figures_of_none)}
    counting = _Counting(coded, max_size, monitor)
    if all_subsets or coded.whole[1] < coded.n_records:  # no identifier at all: every subset is listed
        _check_number(sum(comb(coded.n_columns, size) for size in range(1, max_size + 1)))
        sizes = range(1, min(max_size, coded.n_kept) + 1)
        counting.count([s for size in sizes for s in combinations(range(coded.n_kept), size)], known)
    columns, figures = [], []
    candidates: list[Subset] = [(column,) for column in range(coded.n_columns)]
    n_listed = 0
    for size in range(1, max_size + 1):
        n_listed += len(candidates)
        _check_number(n_listed)
        reduced = [coded.reduced(subset) for subset in candidates]
        counting.count(set(reduced).difference(known), known)
        found = np.array([known[subset] for subset in reduced], dtype=np.int64)
        columns.append(np.array(candidates, dtype=np.int32).reshape(-1, size))
        figures.append(found.reshape(-1, 3))
        if size == max_size or not candidates:
            break
        if all_subsets:
            candidates = list(combinations(range(coded.n_columns), size + 1))
        else:
            is_open = figures[-1][:, 1] < coded.n_records
            opened = [subset for subset, extends in zip(candidates, is_open.tolist(), strict=True) if extends]
            candidates = _joined(opened, MOST_SUBSETS - n_listed)
    return MeasuredSubsets(tuple(columns), tuple(figures))


class _Job(NamedTuple):
    """Subsets of a prefix and one more column each, to be counted on the rows of a block."""

    block: int
    prefix: Subset
    lasts: Subset

    def do(self, partitioning: Partitioning, first: int, found: Known) -> None:
        """Add the figures of the subsets to what is found; columns of the block are numbered from `first`."""
        partition = partitioning.partition(tuple(column - first for column in self.prefix))
        figures = partitioning.extended(partition, np.array(self.lasts, dtype=np.int64) - first)
        for last, row in zip(self.lasts, figures, strict=True):
            found[(*self.prefix, last)] = _as_tuple(row)


class _Counting:
    """Counts reduced subsets, by several threads if that is faster."""

    def __init__(self, coded: CodedColumns, max_size: int, monitor: Monitor) -> None:
        self._coded = coded
        self._monitor = monitor
        self._n_done = 0
        self._most = sum(comb(coded.n_kept, size) for size in range(1, max_size + 1))

    def count(self, subsets: Collection[Subset], known: Known) -> None:
        """Count subsets and add their counts to the known ones."""
        if not subsets:
            return
        # Depth first: what a prefix is split from is what was split before.
        jobs = deque(self._jobs(sorted(subsets, key=lambda subset: (subset[:-1], subset))))
        before, stopped = self._n_done, Event()
        n_workers = self._n_workers(jobs)

        def work() -> Known:
            partitionings = [rows.partitioning() for rows in self._coded.blocks]
            found: Known = {}
            while not stopped.is_set():
                try:
                    job = jobs.popleft()
                except IndexError:
                    break
                job.do(partitionings[job.block], self._coded.blocks[job.block].first, found)
                self._n_done += len(job.lasts)  # for show; threads may lose one another's
                if n_workers == 1:
                    self._tell()
            return found

        if n_workers == 1:
            known.update(work())
        else:
            self._together(work, n_workers, stopped, known)
        self._n_done = before + len(subsets)
        self._tell()

    def _together(self, work: Callable[[], Known], n_workers: int, stopped: Event, known: Known) -> None:
        with ThreadPoolExecutor(n_workers) as pool:
            try:
                running = {pool.submit(work) for _unused in range(n_workers)}
                while running:
                    done, running = wait(running, _PATIENCE, FIRST_EXCEPTION)
                    for future in done:
                        known.update(future.result())
                    self._tell()
            finally:
                stopped.set()  # what is under way is short

    def _jobs(self, subsets: list[Subset]) -> Iterator[_Job]:
        """Subsets that share all columns but the last, few enough to stop between two jobs."""
        blocks = self._coded.blocks
        block = [blocks.index(self._coded.block(column)) for column in range(self._coded.n_kept)]
        for (prefix, number), group in groupby(subsets, key=lambda subset: (subset[:-1], block[subset[0]])):
            lasts = tuple(subset[-1] for subset in group)
            most = at_once(len(blocks[number]))
            for begin in range(0, len(lasts), most):
                yield _Job(number, prefix, lasts[begin : begin + most])

    def _n_workers(self, jobs: Iterable[_Job]) -> int:
        # interpreted kernels hold the interpreter, so that threads gain nothing there
        n_cells = sum(len(job.lasts) * len(self._coded.blocks[job.block]) for job in jobs)
        return n_threads() if n_cells > _WORTH_THREADS and kernels("partitions") is not None else 1

    def _tell(self) -> None:
        self._monitor.step(self._n_done, self._most, _(TEXT).format(done=self._n_done, total=self._most))


def _joined(opened: list[Subset], most: int) -> list[Subset]:
    """Subsets of one column more, all of whose parts may be extended, in order (Agrawal, Srikant 1994)."""
    known = set(opened)
    made: list[Subset] = []
    for _unused, group in groupby(opened, key=lambda subset: subset[:-1]):
        for first, second in combinations(group, 2):
            subset = (*first, second[-1])
            if all(subset[:i] + subset[i + 1 :] in known for i in range(len(subset) - 2)):
                made.append(subset)
                if len(made) > most:
                    _check_number(MOST_SUBSETS + 1)
    return made


def _check_number(n_subsets: int) -> None:
    if n_subsets > MOST_SUBSETS:
        raise InputError(
            _("More than {MOST_SUBSETS} column sets would be listed.").format(
                MOST_SUBSETS=as_exact_count(MOST_SUBSETS)
            ),
            hint=_("Use fewer columns, a smaller size, or only the best sets."),
        )


def _as_tuple(figures: Counts) -> tuple[int, int, int]:
    singletons, distinct, pairs = figures.tolist()
    return singletons, distinct, pairs
