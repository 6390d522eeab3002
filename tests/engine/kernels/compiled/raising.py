"""One raise of one attribute by the compiled walk, and the same by dictionaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiled.cells import CellFields, Cells, make_cells, make_tally
from engine.kernels.compiled.contents import Contents, add_base, make_contents, make_union
from engine.kernels.compiled.merging import make_scratch
from engine.kernels.compiled.pairs import MOST_BYTES
from engine.kernels.compiled.rollup import ALL_BITS, ClassBuffer, Weights, make_arena
from engine.kernels.compiled.subtree import Scores, walk_subtree
from engine.kernels.compiled.traversal import Plan, Stack, make_stack, start

RAISED_BITS, OTHER_BITS = 8, 8  # of a word: the weight of the raised attribute, that of the bits above it
KINDS = ((False, 0), (False, 2), (True, 0), (True, 2))  # is_sensitive, n_reals; the first is the plain walk
LABELS = np.arange(1, 1 << 12, dtype=np.uint64) * np.uint64(37) % np.uint64(251)  # weights by label


@dataclass
class Raise:
    """Distinct sorted keys, and the attribute that is raised by one level.

    A key is the bits above the attribute, its path (`kept` bits and `cleared` ones), and a suffix.

    Attributes
    ----------
    keys : ndarray of int64, shape (n,)
    values : list of Counter
        Records per sensitive value of each class; without sensitive attributes all have the value 0.
    shift, cleared, kept : int
        Bits of the suffix, bits the level clears, bits of the path it keeps.
    is_sensitive : bool
    n_attributes : int
        Sensitive attributes; each record counts once for each.
    """

    keys: NDArray[np.int64]
    values: list[Counter[int]]
    shift: int
    cleared: int
    kept: int
    is_sensitive: bool
    n_attributes: int = 1
    n_reals: int = 2  # weights that are not integers
    room: int = 0  # rows of the arena beyond those of the root; enough by default
    n_cells: int = 1 << 12
    n_contents: int = 1 << 12
    n_values: int = 64

    @property
    def drop(self) -> int:
        """Low bits below those that the level keeps."""
        return self.shift + self.cleared

    @cached_property
    def counts(self) -> NDArray[np.int32]:
        """Records per class."""
        return np.array([v.total() // self.n_attributes for v in self.values], dtype=np.int32)

    @cached_property
    def words(self) -> NDArray[np.uint64]:
        """Weights of the raised attribute's label, of the bits above, and of the suffix."""
        above = (self.keys >> (self.drop + self.kept)).astype(np.uint64) % np.uint64(251)
        suffix = (self.keys & ((1 << self.shift) - 1)).astype(np.uint64) % np.uint64(65521)
        own = LABELS[(self.keys >> self.shift) & 7]
        return own | (above << np.uint64(RAISED_BITS)) | (suffix << np.uint64(RAISED_BITS + OTHER_BITS))

    @cached_property
    def reals(self) -> NDArray[np.float64]:
        """A weight of the raised attribute that is not an integer, and one of the suffix."""
        suffix = (self.keys & ((1 << self.shift) - 1)).astype(np.float64)
        return np.array([self.words % np.uint64(11) / 7, np.sqrt(suffix)])[: self.n_reals]

    @cached_property
    def prints(self) -> NDArray[np.uint64]:
        """Sums of random numbers of the values."""
        numbers = np.random.default_rng(1).integers(1, 1 << 63, (2, self.n_values), dtype=np.uint64)
        rows = [
            [sum(int(numbers[i, v]) * c for v, c in row.items()) for row in self.values] for i in range(2)
        ]
        return np.array([[number % (1 << 64) for number in row] for row in rows], dtype=np.uint64)

    def __post_init__(self) -> None:
        n = len(self.keys)
        self.arena: ClassBuffer = make_arena(
            n + (self.room or 2 * n), 1, self.n_reals, sensitive=self.is_sensitive
        )
        self.cells: Cells = make_cells(self.n_cells, 1, self.n_reals)
        self.contents: Contents = make_contents(1, 1)
        numbers = np.empty(n, dtype=np.int32)
        self.arena.keys[:n], self.arena.counts[:n] = self.keys, self.counts
        self.arena.words[0, :n] = self.words
        if self.arena.reals is not None:
            self.arena.reals[:, :n] = self.reals
        self.union = make_union(self.n_values, self.n_attributes, self.n_values)
        if self.is_sensitive:
            pairs = [[(value << 32) | row[value] for value in sorted(row)] for row in self.values]
            starts = np.cumsum([0, *map(len, pairs)])
            room = MOST_BYTES * (len(np.concatenate(pairs)) + self.n_contents)
            self.contents = make_contents(self.n_contents, room)
            add_base(self.contents, starts, np.concatenate(pairs), self.prints, self.counts, numbers)
            self.arena.prints[:, :n], self.arena.contents[:n] = self.prints, numbers
            self.arena.heads[:n], self.arena.links[:n] = np.arange(n), -1
        self.stack: Stack = make_stack(1)
        start(self.stack, 0, 0, n, 0)
        self.scores = Scores(*(np.zeros(8, dtype=np.int64) for _ in range(6)))

    @cached_property
    def plan(self) -> Plan:
        """The attribute first of two, or the last one if there are no bits below it."""
        is_last = self.shift == 0
        heights = np.array([0, 1] if is_last else [1, 0], dtype=np.int64)
        own = [self.shift, self.drop]
        drops = np.array([[62, 62], own] if is_last else [own, [0, 0]], dtype=np.int64)
        labels = [-1, 0 if self.kept else -1]
        tables = np.array([[-1, -1], labels] if is_last else [labels, [-1, -1]], dtype=np.int64)
        masks = np.full((2, 2), (1 << self.kept) - 1, dtype=np.int64)
        shifts = np.array([62, 0] if is_last else [self.shift, 0], dtype=np.int64)
        n_records = int(self.counts.sum())
        return Plan(heights, np.array([1, 1], dtype=np.int64), shifts, drops, tables, masks, n_records)

    @cached_property
    def weights(self) -> Weights:
        """Weights of the labels of the raised level; the attribute's bits are the lowest of the word."""
        n_labels = max(1 << self.kept, 1)
        keep_words = np.full((1, 3), ALL_BITS, dtype=np.uint64)
        keep_words[0, int(self.shift == 0)] = ~np.uint64((1 << RAISED_BITS) - 1)
        keep_reals = np.ones((2, 3), dtype=np.bool_)
        keep_reals[0, int(self.shift == 0)] = False
        reals = np.array([LABELS[:n_labels] / 3, np.zeros(n_labels)])
        n = self.n_reals
        return Weights(LABELS[None, :n_labels].copy(), reals[:n].copy(), keep_words, keep_reals[:n].copy())

    @property
    def is_plain(self) -> bool:
        """Whether the walk is the plain kind."""
        return not self.is_sensitive and not self.n_reals

    def step(self, budget: int = 1 << 30) -> int:
        """Continue the walk; return the status of the kernel."""
        everything = np.array([(1 << 63) - 1], dtype=np.uint64)
        carried = CellFields(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.uint64), everything)
        tally = make_tally(len(self.keys), carried, self.n_reals, sensitive=self.is_sensitive)
        found = walk_subtree(
            self.plan,
            self.stack,
            self.arena,
            make_scratch(len(self.keys)),
            self.weights,
            tally,
            None if self.is_plain else self.contents,
            None if self.is_plain else self.union,
            self.cells,
            self.scores,
            budget,
        )
        return int(found)

    def classes(self, node: int) -> list[tuple[int, int, int, tuple[float, ...]]]:
        """Key, count, word and reals of every class of the root (0) or the node above it (1)."""
        n = len(self.keys)
        begin, end = (0, n) if node == 0 else (n, n + int(self.scores.n_classes[1]))
        no_reals = np.empty((len(self.arena.keys), 0))
        reals_of = no_reals if self.arena.reals is None else self.arena.reals.T
        arrays = (self.arena.keys, self.arena.counts, self.arena.words[0], reals_of)
        rows = zip(*(array[begin:end].tolist() for array in arrays), strict=True)
        return [(key, count, word, tuple(reals)) for key, count, word, reals in rows]

    def expected(self) -> list[tuple[int, int, int, tuple[float, ...]]]:
        """The classes of the raised node, joined in a dictionary."""
        joined: dict[int, tuple[int, int, int, tuple[float, ...]]] = {}
        for key, count, word, reals in self.classes(0):
            raised = self.raised_key(key)
            label = (raised >> self.drop) & ((1 << self.kept) - 1)
            weight = int(LABELS[label]) if self.kept else 0
            before = joined.get(raised, (raised, 0, 0, ()))[1]
            own = (word >> RAISED_BITS << RAISED_BITS) | weight
            joined[raised] = (raised, before + count, own, (weight / 3, *reals[1:])[: self.n_reals])
        return [joined[key] for key in sorted(joined)]

    def raised_key(self, key: int) -> int:
        """The key with the bits of the level cleared."""
        return key & ~(((1 << self.cleared) - 1) << self.shift)

    def parts(self) -> list[list[int]]:
        """Rows of the root in each class of the raised node, along heads and links."""
        found = []
        n = len(self.keys)
        for row in range(n, n + int(self.scores.n_classes[1])):
            part, chain = int(self.arena.heads[row]), []
            while part >= 0:
                chain.append(part)
                part = int(self.arena.links[part])
            found.append(chain)
        return found


def random_raise(
    seed: int,
    n: int,
    shift: int,
    cleared: int,
    kept: int,
    n_suffixes: int,
    *,
    is_sensitive: bool,
    paths: Sequence[int] = (),
    **options: int,
) -> Raise:
    """About `n` classes with few suffixes, including the least and the greatest, so that many join."""
    rng = np.random.default_rng(seed)
    suffixes = np.unique(np.append(rng.integers(0, 1 << shift, n_suffixes), [0, (1 << shift) - 1]))
    path = rng.choice(paths, n) if len(paths) else rng.integers(0, 1 << (cleared + kept), n)
    above = rng.integers(0, 3, n)
    keys = (((above << (cleared + kept)) | path) << shift) | rng.choice(suffixes, n)
    keys = np.unique(keys).astype(np.int64)
    n_values = 5 if is_sensitive else 1
    values = [Counter(rng.integers(0, n_values, rng.integers(1, 5)).tolist()) for _ in keys]
    return Raise(keys, values, shift, cleared, kept, is_sensitive, **options)
