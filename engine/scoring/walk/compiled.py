"""Scoring of all nodes by compiled kernels, one worker per core, readable while it runs."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from engine.cached import cached_property
from engine.errors import InvariantError
from engine.frequency import Problem
from engine.kernels.arrays import BoolArray, Counts
from engine.kernels.compiled.traversal import Plan
from engine.kernels.threads import n_threads
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.scoring.cells.content_classes import ContentClasses, MeasuredContents
from engine.scoring.cells.label_sums import PackedSums
from engine.scoring.cells.label_words import LabelWords
from engine.scoring.cells.shared import CellBlock, SharedCells
from engine.scoring.cells.snapshot import CellSnapshot, SizeClasses
from engine.scoring.cells.weights import LabelWeights
from engine.scoring.walk.base_classes import BaseClasses
from engine.scoring.walk.packing import FrequencySet
from engine.scoring.walk.subtrees import Subtrees, per_level
from engine.scoring.walk.worker import Fingerprints, Worker
from engine.words import N_, _

TEXT = N_("Scoring nodes")
MOST_KINDS = np.iinfo(np.int32).max
PATIENCE = 0.02  # seconds between two reports while only other workers are busy


class CompiledScoring:
    """The scores of all nodes, filled subtree by subtree.

    Parameters
    ----------
    problem : Problem
        The problem, with fewer than 2**31 records.
    base : FrequencySet
        Its base tuples.
    weights : tuple of LabelWeights
        Weights to sum by cell.
    n_workers : int
        Number of threads; one per core by default.

    Attributes
    ----------
    scored : ndarray of bool, shape (n_nodes,)
    n_classes, k, largest, squares : ndarray of int64, shape (n_nodes,)
        As in `engine.scoring.LatticeProfile`.
    """

    def __init__(
        self,
        problem: Problem,
        base: FrequencySet,
        weights: tuple[LabelWeights, ...] = (),
        n_workers: int = 0,
    ) -> None:
        n_nodes = problem.lattice.n_nodes
        self._problem = problem
        self.scored: BoolArray = np.zeros(n_nodes, dtype=np.bool_)
        self.n_classes: Counts = np.zeros(n_nodes, dtype=np.int64)
        self.k: Counts = np.zeros(n_nodes, dtype=np.int64)
        self.largest: Counts = np.zeros(n_nodes, dtype=np.int64)
        self.squares: Counts = np.zeros(n_nodes, dtype=np.int64)
        layout = base.layout
        subtrees = Subtrees(
            problem, BaseClasses.of(problem, base), layout.widths, layout.dropped, layout.order
        )
        self._subtrees = subtrees
        self._words = LabelWords.of(subtrees, weights)
        self._waiting = list(reversed(list(subtrees.levels())))
        self._taking, self._delivering = threading.Lock(), threading.Lock()
        self._starting = threading.Lock()
        self._news = threading.Event()  # a worker delivered nodes, or ended
        self._running: list[Future[None]] = []
        self._cells = SharedCells(
            n_nodes,
            self._words.n_words,
            len(self._words.reals),
            by_content=problem.has_contents,
        )
        scores = (self.n_classes, self.k, self.largest, self.squares)
        plan = plan_of(subtrees, self._words)
        fingerprints = Fingerprints(subtrees.base) if problem.has_contents else None
        n_workers = min(n_workers or n_threads(), subtrees.n_subtrees)
        self._workers = [
            Worker(subtrees, self._words, plan, scores, fingerprints) for _unused in range(n_workers)
        ]
        self._measured = [MeasuredContents(problem, subtrees.base) for _unused in self._workers]
        self._final: CellSnapshot | None = None

    @property
    def n_scored(self) -> int:
        """Nodes scored so far."""
        return self._cells.n_nodes

    @property
    def is_complete(self) -> bool:
        """Return whether every node is scored."""
        return self.n_scored == len(self.scored)

    @property
    def n_bytes(self) -> int:
        """Memory of cells and contents."""
        return self._cells.n_bytes + sum(worker.n_bytes for worker in self._workers)

    def run(self, monitor: Monitor = SILENT, at_least: int = 0) -> None:
        """Score the remaining nodes, if there are any.

        Parameters
        ----------
        at_least : int
            Number of nodes scored by other means: progress never falls below it.

        Raises
        ------
        CancelledError
            If the monitor cancels. Workers finish their step; running again continues there, also after any
            other error.
        InvariantError
            If a node's classes do not have every record, or a node is missing or scored twice.
        """
        if self.is_complete:
            return
        stopping = threading.Event()
        with self._starting:  # workers are of one run, and another one may be about to start them
            while not all(future.done() for future in self._running):  # from a run that ended early
                self._pause(monitor, at_least)
            monitor.step(max(self.n_scored, at_least), len(self.scored), _(TEXT))
            # this thread only watches: calls to it must not wait for the end of a worker's step
            pool = ThreadPoolExecutor(len(self._workers), "scoring")
            self._running = running = [pool.submit(self._work, own, stopping) for own in self._workers]
        # a callback that refers to this object would keep all scores until garbage is collected
        news = self._news
        for future in running:
            future.add_done_callback(lambda _unused: news.set())
        try:
            self._watch(running, monitor, at_least)
        finally:
            with self._delivering:
                stopping.set()
            pool.shutdown(wait=False)
        if self.n_scored != len(self.scored) or not self.scored.all():
            raise InvariantError(f"{int((~self.scored).sum())} nodes were left out or scored twice")
        for worker in self._workers:
            worker.release()
        self._cells.close()
        monitor.step(max(self.n_scored, at_least), len(self.scored), _(TEXT))

    def prefer(self, node: Node) -> None:
        """Score the subtree of a node next, unless it is done or in progress."""
        levels = tuple(node[q] for q in self._subtrees.fixed)
        with self._taking:
            if levels in self._waiting:
                self._waiting.remove(levels)
                self._waiting.append(levels)

    def cells(self) -> CellSnapshot:
        """The cells of the scored nodes, those of each node sorted by class size."""
        if self._final is not None:
            return self._final
        is_final = self.is_complete  # asked first: nodes may be added meanwhile
        # cells first: the contents they refer to are numbered before they are added
        arrays, words = self._cells.snapshot()
        classes = self._classes()
        reals = {
            summed.name: values * classes.sizes[arrays.kinds]
            for summed, values in zip(self._words.reals, arrays.reals, strict=True)
        }
        sums = PackedSums(words, self._words.fields, classes.sizes, arrays.kinds, reals)
        found = CellSnapshot(
            arrays.nodes,
            arrays.starts,
            arrays.records,
            arrays.kinds,
            classes,
            sums,
            are_sorted=True,
        )
        if is_final:
            self._final = found
        return found

    def _classes(self) -> SizeClasses | ContentClasses:
        if not self._problem.has_contents:
            return self._size_classes
        return ContentClasses(self._problem, [worker.contents for worker in self._workers], self._measured)

    @cached_property
    def _size_classes(self) -> SizeClasses:
        sizes: Any = np.arange(self._problem.n_records + 1, dtype=np.int32)
        return SizeClasses(sizes, self._problem.sampling_fraction)

    def _watch(self, running: list[Future[None]], monitor: Monitor, at_least: int) -> None:
        """Report the workers' progress until they end; raise their errors."""
        pending = set(running)
        while pending:
            self._pause(monitor, at_least)
            done = {future for future in pending if future.done()}
            pending -= done
            for future in done:
                future.result()

    def _pause(self, monitor: Monitor, at_least: int) -> None:
        monitor.step(max(self.n_scored, at_least), len(self.scored), _(TEXT))
        self._news.wait(PATIENCE)
        self._news.clear()

    def _work(self, worker: Worker, stopping: threading.Event) -> None:
        while not stopping.is_set():
            block = self._next_block(worker)
            if block is None:
                break
            self._cells.reserve(len(block.cells.kinds) * len(self._workers))
            with self._delivering:
                if stopping.is_set():
                    return  # after a run nothing changes until the next one, which gets the block again
                self._add(block)
                worker.empty()
            self._news.set()

    def _next_block(self, worker: Worker) -> CellBlock | None:
        """Let a worker score some nodes; return None if nothing remains."""
        if not worker.is_walking:
            with self._taking:
                if not self._waiting:
                    return None
                levels = self._waiting.pop()
            try:
                worker.begin(levels)
            except BaseException:
                with self._taking:
                    self._waiting.append(levels)
                raise
        block = worker.go_on()
        if self._problem.has_contents and len(self._workers) > 1:
            if worker.contents[1] * len(self._workers) > MOST_KINDS:
                raise InvariantError("there are more contents than numbers for them")
            kinds = block.cells.kinds * np.int32(len(self._workers)) + np.int32(self._workers.index(worker))
            block = block._replace(cells=block.cells._replace(kinds=kinds))
        return block

    def _add(self, block: CellBlock) -> None:
        if self.scored[block.cells.nodes].any():
            raise InvariantError("a node was scored twice")
        self._cells.add(block)
        self.scored[block.cells.nodes] = True


def plan_of(subtrees: Subtrees, words: LabelWords) -> Plan:
    """Return the parameters of walks over subtrees."""
    lattice, raised = subtrees.problem.lattice, subtrees.raised
    drops = [
        [shift + subtrees.dropped[q][level] for level in range(lattice.minimum[q], lattice.maximum[q] + 1)]
        for q, shift in zip(raised, subtrees.shifts, strict=True)
    ]
    return Plan(
        np.array([lattice.maximum[q] - lattice.minimum[q] for q in raised], dtype=np.int64),
        np.array([lattice.strides[q] for q in raised], dtype=np.int64),
        np.array(subtrees.shifts, dtype=np.int64),
        per_level(drops),
        per_level(words.tables),
        words.masks,
        subtrees.problem.n_records,
    )
