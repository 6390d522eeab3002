"""Enumeration of all worlds of a release: exact probabilities of what is the same in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import factorial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.findings.worlds import Worlds
from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.kernels.grouping import class_labels
from engine.monitor import SILENT, Monitor
from engine.words import N_, _

MOST_WORLDS = 20_000_000  # deals of the live blocks that are enumerated
_AT_ONCE = 1 << 20  # cells of deals in memory
Few: TypeAlias = NDArray[np.int16]  # records of every tail, per deal
_DEALING = N_("Dealing sensitive values")


@dataclass(frozen=True, eq=False)
class DealtAtom:
    """An atom of a live block: records that every deal treats alike.

    Attributes
    ----------
    records : ndarray of int64
        Its records.
    tails : ndarray of int64, shape (n_tails,)
        Tails of its block.
    in_block : ndarray of int64, shape (n_tails,)
        Records of each in the block.
    """

    block: int
    records: IntArray
    tails: IntArray
    in_block: Counts


@dataclass(frozen=True, eq=False)
class ExactWorlds:
    """Exact counts of deals, of the live blocks.

    Attributes
    ----------
    n_worlds : int
        All deals.
    n_suppressing : int
        Those in which the same records are suppressed.
    n_same : int
        Those in which the same node is chosen, too.
    sums : tuple of ndarray of int64, shape (n_tails,)
        Records of each tail in an atom, summed over these.
    """

    atoms: tuple[DealtAtom, ...]
    n_worlds: int
    n_suppressing: int
    n_same: int
    sums: tuple[IntArray, ...]

    def posterior(self, atom: int) -> tuple[Fraction, ...]:
        """Return the probability of every tail of the block for a record of an atom."""
        whole = self.n_same * len(self.atoms[atom].records)
        return tuple(Fraction(int(own), whole) for own in self.sums[atom])


def atoms_of(worlds: Worlds) -> tuple[DealtAtom, ...]:
    """Return the atoms of the live blocks, block by block, the largest of each last."""
    found = []
    for block in np.flatnonzero(worlds.live).tolist():
        records = np.flatnonzero(worlds.blocks == block)
        tails, counts = np.unique(worlds.tails.codes[records], return_counts=True)
        numbers = worlds.atoms[records]
        own = [records[numbers == number] for number in np.unique(numbers)]
        found += [DealtAtom(block, members, tails, counts) for members in sorted(own, key=len)]
    return tuple(found)


def enumerate_worlds(worlds: Worlds, monitor: Monitor = SILENT) -> ExactWorlds:
    """Count the deals of the live blocks; they should be at most `MOST_WORLDS`."""
    atoms = atoms_of(worlds)
    judge = _Judge(worlds, atoms)
    n_worlds = n_suppressing = n_same = 0
    sums = [np.zeros(len(atom.tails), dtype=np.int64) for atom in atoms]
    total = worlds.n_live_worlds or MOST_WORLDS
    for deals, weights in _deals(atoms):
        monitor.step(n_worlds, total, _(_DEALING))
        n_worlds += int(weights.sum())
        left = np.flatnonzero(judge.suppresses(deals))
        n_suppressing += int(weights[left].sum())
        left = left[judge.chooses([own[left] for own in deals])]
        n_same += int(weights[left].sum())
        for total_of_atom, own in zip(sums, deals, strict=True):
            total_of_atom += weights[left] @ own[left].astype(np.int64)
    return ExactWorlds(atoms, n_worlds, n_suppressing, n_same, tuple(sums))


def _deals(atoms: tuple[DealtAtom, ...]) -> Iterator[tuple[list[Few], Counts]]:
    """Yield deals in groups: records of every tail per atom, and how many worlds each deal stands for."""
    stack: list[tuple[int, list[Few], Counts, Few]] = [
        (0, [], np.ones(1, dtype=np.int64), atoms[0].in_block[None, :].astype(np.int16))
    ]
    ways = [_ways(atom) for atom in atoms]
    while stack:
        number, dealt, weights, left = stack.pop()
        atom = atoms[number]
        is_last = number + 1 == len(atoms)
        if is_last or atoms[number + 1].block != atom.block:
            own, rows = left, np.arange(len(left))
        else:
            n_at_once = max(1, _AT_ONCE // ways[number].size)
            if len(left) > n_at_once:
                cut = slice(n_at_once), slice(n_at_once, None)
                stack += [(number, [one[part] for one in dealt], weights[part], left[part]) for part in cut]
                continue
            rows, chosen = np.nonzero((left[:, None, :] >= ways[number]).all(axis=2))
            own = ways[number][chosen]
        weights = weights[rows] * _weights(own, len(atom.records))
        dealt = [*(one[rows] for one in dealt), own]
        if is_last:
            yield dealt, weights
            continue
        following = atoms[number + 1]
        if following.block == atom.block:
            rest = left[rows] - own
        else:
            rest = np.tile(following.in_block.astype(np.int16), (len(own), 1))
        n_cells = sum(one.size for one in dealt)
        n_parts = -(-n_cells // (8 * _AT_ONCE))
        for part in np.array_split(np.arange(len(own)), n_parts):
            stack.append((number + 1, [one[part] for one in dealt], weights[part], rest[part]))


def _ways(atom: DealtAtom) -> Few:
    """Return every choice of tails for an atom from its whole block, shape (n_ways, n_tails)."""
    found: Few = np.zeros((1, 0), dtype=np.int16)
    size = len(atom.records)
    after = np.append(np.cumsum(atom.in_block[::-1])[::-1][1:], 0)
    for most, rest in zip(atom.in_block.tolist(), after.tolist(), strict=True):
        added = np.arange(min(most, size) + 1, dtype=np.int16)
        rows, chosen = (own.ravel() for own in np.indices((len(found), len(added))))
        grown = np.column_stack((found[rows], added[chosen]))
        dealt = grown.sum(axis=1)
        found = grown[(dealt <= size) & (dealt + rest >= size)]
    return found


def _weights(own: Few, size: int) -> Counts:
    """Return in how many ways the records of an atom can have these tails."""
    table = np.array([factorial(n) for n in range(min(size, 20) + 1)], dtype=np.int64)
    if size <= 20:
        return np.asarray(table[size] // table[own].prod(axis=1))
    ways = []  # factorials beyond 64 bits
    for counts in own.tolist():
        found, left = 1, size
        for count in counts:
            for place in range(count):
                found = found * (left - place) // (place + 1)
            left -= count
        ways.append(found)
    return np.array(ways, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _Judge:
    """Verdicts on deals, from the histograms of open classes; equal ones are judged once."""

    worlds: Worlds
    atoms: tuple[DealtAtom, ...]

    @cached_property
    def _members(self) -> list[list[int]]:
        """Atoms of every open class."""
        found: list[list[int]] = [[] for _class in range(self.worlds.n_open)]
        for (number, atom), of_node in product(enumerate(self.atoms), self.worlds.open_of):
            if (own := int(of_node[atom.records[0]])) >= 0:
                found[own].append(number)
        return found

    @cached_property
    def _rest(self) -> IntArray:
        """Records of every tail in an open class that no deal moves, shape (n_open, n_tails)."""
        worlds, tails = self.worlds, self.worlds.tails
        found = np.zeros((worlds.n_open, len(tails.values)), dtype=np.int64)
        is_still = ~worlds.live[worlds.blocks]
        for of_node in worlds.open_of:
            records = np.flatnonzero(is_still & (of_node >= 0))
            np.add.at(found, (of_node[records], tails.codes[records]), 1)
        return found

    def _fails(self, opened: int, deals: list[Few]) -> BoolArray:
        """Return in which deals an open class fails."""
        worlds = self.worlds
        tails = worlds.tails
        there = np.unique(np.concatenate([self.atoms[number].tails for number in self._members[opened]]))
        counts = np.zeros((len(deals[0]), len(there)), dtype=np.int64)
        for number in self._members[opened]:
            counts[:, np.searchsorted(there, self.atoms[number].tails)] += deals[number]
        columns = list(counts.T)
        kinds, first, _unused = class_labels(columns, [int(own.max(initial=0)) + 1 for own in columns])
        histograms = np.tile(self._rest[opened], (len(first), 1))
        histograms[:, there] += counts[first]
        return np.asarray(~tails.judge(worlds.requirement, histograms)[kinds])

    def suppresses(self, deals: list[Few]) -> BoolArray:
        """Return in which deals the same records are suppressed."""
        found = np.ones(len(deals[0]), dtype=np.bool_)
        for opened in range(*self.worlds.ranges[0]):
            left = np.flatnonzero(found)
            if len(left):
                found[left] = self._fails(opened, [own[left] for own in deals])
        return found

    def chooses(self, deals: list[Few]) -> BoolArray:
        """Return in which deals the search returns the same node."""
        found = np.ones(len(deals[0]), dtype=np.bool_)
        for competitor, (start, end) in zip(self.worlds.competitors, self.worlds.ranges[1:], strict=True):
            left = np.flatnonzero(found)
            if not len(left):
                break
            chosen = [own[left] for own in deals]
            failing = np.stack([self._fails(opened, chosen) for opened in range(start, end)], axis=1)
            found[left] = ~competitor.wins(failing)
        return found
