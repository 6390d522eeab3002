"""Scores of one lattice taken from another: levels allowed or forbidden, labels renamed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.frequency import Attribute, PopulationMembers, Problem
from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.scoring.cells.label_sums import PackedSums
from engine.scoring.cells.snapshot import Array, CellSnapshot, LabelSums
from engine.scoring.profile import LatticeProfile
from engine.scoring.scored import weighs_information

_NODES_AT_ONCE = 256


class ReusedScores:
    """Scores of some nodes of a complete profile, under the numbers of another lattice.

    Parameters
    ----------
    numbers : ndarray of int64, shape (n_nodes,)
        Number in the old lattice, per node of the new one.
    """

    def __init__(self, old: LatticeProfile, numbers: IntArray) -> None:
        self.scored: BoolArray = np.ones(len(numbers), dtype=np.bool_)
        self.n_classes: Counts = old.n_classes[numbers]
        self.k: Counts = old.k[numbers]
        self.largest: Counts = old.largest[numbers]
        self.squares: Counts = old.squares[numbers]
        self._snapshot = _part(old.cells(), numbers)

    @property
    def n_scored(self) -> int:
        """Number of scored nodes: all."""
        return len(self.scored)

    def cells(self) -> CellSnapshot:
        """The cells of all nodes."""
        return self._snapshot


def reuse(profile: LatticeProfile, old: LatticeProfile) -> bool:
    """Fill an empty profile from a complete one, if the complete one has all its nodes.

    This is possible if levels were only forbidden or allowed again, or groups renamed: classes, their
    sensitive values and the leaves of their labels are the same. Kernels must have scored the old profile,
    since they store what any model measures.

    Returns
    -------
    bool
        Whether the profile is now complete.
    """
    is_whole = old.is_compiled and old.is_complete and old.has_label_sums == profile.has_label_sums
    if weighs_information(profile.measures) or not is_whole or not _is_alike(profile.problem, old.problem):
        return False
    numbers = np.zeros(profile.lattice.n_nodes, dtype=np.int64)
    levels = profile.lattice.levels
    attributes = zip(profile.problem.attributes, old.problem.attributes, strict=True)
    for q, (new_attribute, old_attribute) in enumerate(attributes):
        same = _same_levels(new_attribute, old_attribute)
        if same is None:
            return False
        steps = same - old.lattice.minimum[q]
        numbers += steps[levels[:, q] - new_attribute.minimum] * old.lattice.strides[q]
    profile.take_over(ReusedScores(old, numbers))
    return True


def _is_alike(new: Problem, old: Problem) -> bool:
    """Return whether both problems have the same records, columns, sensitive values and weights."""
    sensitive = [a.name for a in new.carried] == [a.name for a in old.carried] and all(
        a.column is b.column and a.hierarchy is b.hierarchy
        for a, b in zip(new.carried, old.carried, strict=True)
    )
    is_alike = sensitive and new.others_as_qi == old.others_as_qi and _are_same_people(new.people, old.people)
    return is_alike and [a.column for a in new.attributes] == [a.column for a in old.attributes]


def _are_same_people(new: PopulationMembers | None, old: PopulationMembers | None) -> bool:
    """Return whether both know the same population, by its size or person by person."""
    if new is None or old is None:
        return new is old
    if new.leaves is None or old.leaves is None:
        return new.size == old.size and new.leaves is old.leaves
    return new.size == old.size and all(map(np.array_equal, new.leaves, old.leaves))


def _same_levels(new: Attribute, old: Attribute) -> IntArray | None:
    """Return for each allowed level the old one with the same groups; None if a level has none."""
    if new.hierarchy.values != old.hierarchy.values:
        return None
    found = []
    for level in range(new.minimum, new.maximum + 1):
        codes = new.hierarchy.levels[level].codes
        # the same number first, since several levels may have the same groups
        candidates = sorted(range(old.minimum, old.maximum + 1), key=lambda g: abs(g - level))
        alike = (g for g in candidates if np.array_equal(codes, old.hierarchy.levels[g].codes))
        place = next(alike, None)
        if place is None:
            return None
        found.append(place)
    return np.array(found, dtype=np.int64)


def _runs(first: IntArray, starts: IntArray, lengths: IntArray) -> IntArray:
    """Return consecutive numbers from each `first` on, as many as its length, one run after the other."""
    runs = np.arange(int(lengths.sum()), dtype=np.int64)
    shift = first - starts
    # in parts, since repeating blocks every other thread, the window's too
    for begin in range(0, len(first), _NODES_AT_ONCE):
        part = slice(begin, begin + _NODES_AT_ONCE)
        spread = np.repeat(shift[part], lengths[part])
        runs[starts[begin] : starts[begin] + len(spread)] += spread
    return runs


@dataclass(frozen=True)
class _ChosenSums:
    """Label sums of chosen cells."""

    whole: LabelSums
    chosen: IntArray

    def of(self, name: str, cells: IntArray) -> Array:
        return self.whole.of(name, self.chosen[cells])


def _part(cells: CellSnapshot, numbers: IntArray) -> CellSnapshot:
    """Return the cells of chosen nodes, numbered in the given order."""
    if len(numbers) == len(cells.nodes) and np.array_equal(numbers, np.arange(len(numbers))):
        return cells
    bounds = np.append(cells.starts, cells.n_cells)
    places = np.empty(int(cells.nodes.max()) + 1, dtype=np.int64)
    places[cells.nodes] = np.arange(len(cells.nodes))
    first, lengths = bounds[places[numbers]], np.diff(bounds)[places[numbers]]
    starts = np.cumsum(lengths) - lengths
    chosen = _runs(first, starts, lengths)
    kinds = chosen.astype(np.int32) if cells.kinds is None else cells.kinds[chosen]
    sums = cells.label_sums
    if isinstance(sums, PackedSums):
        columns = {name: values[chosen] for name, values in sums.columns.items()}
        label_sums: LabelSums = PackedSums(sums.words.chosen(chosen), sums.fields, sums.sizes, kinds, columns)
    else:
        label_sums = _ChosenSums(sums, chosen)
    nodes = np.arange(len(numbers))
    records = cells.records[chosen]
    return CellSnapshot(nodes, starts, records, kinds, cells.classes, label_sums, cells.are_sorted)
