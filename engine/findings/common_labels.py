"""Common labels for the values of the input and the cells of the release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.cached import cached_property
from engine.findings.cells import ReleasedCells
from engine.findings.subject import Subject
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import BoolArray, FloatArray, IntArray
from engine.numbers import as_exact_count
from engine.words import _

MOST_LABELS = 500
N_BINS = 50
OTHER = "other"


@dataclass(frozen=True, eq=False)
class CommonLabels:
    """Common labels of a column.

    Every input value has one label. So has a released cell whose values share it; other cells are
    distributed over the labels of their values, all equally likely.

    Attributes
    ----------
    labels : tuple of str
        Labels in the order of the axis.
    of_value : ndarray of int64, shape (n_values,)
        Label of every value of the axis.
    note : str
        How the number of labels was limited, in a sentence; empty if it was not.
    """

    labels: tuple[str, ...]
    of_value: IntArray
    cells: ReleasedCells
    note: str = ""

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.labels)

    @property
    def of_row(self) -> IntArray:
        """Label of every row in the input, shape (n_rows,)."""
        return self.of_value[self.cells.axis.codes]

    @cached_property
    def of_cell(self) -> IntArray:
        """Label of every released text, -1 for distributed ones, shape (n_texts,)."""
        runs = self.cells.stands_for
        if not len(self.cells.labels):
            return np.zeros(0, dtype=np.int64)
        n_changes = np.concatenate(([0], np.cumsum(self.of_value[1:] != self.of_value[:-1])))
        first = self.of_value[runs.first]
        is_mixed = n_changes[runs.last] != n_changes[runs.first]
        starts = runs.starts[:-1]
        is_one = ~np.logical_or.reduceat(is_mixed, starts)
        is_one &= np.minimum.reduceat(first, starts) == np.maximum.reduceat(first, starts)
        return np.where(is_one, first[starts], -1)

    @property
    def is_spread(self) -> BoolArray:
        """Return whether each released text is distributed over several labels, shape (n_texts,)."""
        return self.of_cell < 0

    @cached_property
    def _parts(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Start of the parts of each text, their labels, and their shares of the text's values."""
        runs = self.cells.stands_for
        changes = np.flatnonzero(self.of_value[1:] != self.of_value[:-1]) + 1
        begins = np.concatenate(([0], changes))
        ends = np.concatenate((changes, [len(self.of_value)])) - 1
        segment = np.zeros(len(self.of_value), dtype=np.int64)
        segment[changes] = 1
        segment = np.cumsum(segment)
        n_parts = segment[runs.last] - segment[runs.first] + 1
        run, number = _expanded(n_parts)
        place = segment[runs.first][run] + number
        widths = np.minimum(ends[place], runs.last[run]) - np.maximum(begins[place], runs.first[run]) + 1
        text = np.repeat(np.arange(len(self.cells.labels)), np.diff(runs.starts))[run]
        starts = np.searchsorted(text, np.arange(len(self.cells.labels) + 1)).astype(np.int64)
        return starts, self.of_value[begins[place]], widths / runs.n_values[text]

    def parts(self, texts: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        """Return every label that some texts may stand for.

        Returns
        -------
        which : ndarray of int64, shape (n_parts,)
            Index into `texts`.
        labels : ndarray of int64, shape (n_parts,)
        shares : ndarray of float64, shape (n_parts,)
            Share of the text's values.
        """
        starts, labels, shares = self._parts
        which, number = _expanded(starts[texts + 1] - starts[texts])
        place = starts[texts][which] + number
        return which, labels[place], shares[place]

    def shares(self, texts: IntArray) -> FloatArray:
        """Return the share of each label among the values of some texts, shape (len(texts), n_labels)."""
        which, labels, shares = self.parts(texts)
        places = which * self.n_labels + labels
        found = np.bincount(places, weights=shares, minlength=len(texts) * self.n_labels)
        return np.asarray(found, dtype=np.float64).reshape(len(texts), self.n_labels)


def common_labels(subject: Subject, name: str, *, of_input: bool = False) -> CommonLabels:
    """Return the common labels of a column.

    These are the labels of the level that most kept records have, hidden cells excluded: finer cells get
    the label above them, coarser cells are distributed. For columns that are aggregated or not recoded,
    they are the values of the input.

    Parameters
    ----------
    name : str
        A comparable column.
    of_input : bool
        Use the values of the input as labels of every column.

    Raises
    ------
    InputError
        See `Subject.cells`.
    """
    cells = subject.cells(name)
    axis = cells.axis
    labels, of_value = axis.values, np.arange(axis.n_values)
    level = None if of_input else _level(subject, name)
    if level is not None:
        assert axis.leaves is not None, "what has levels has a hierarchy"
        hierarchy = subject.release.problem.attributes[subject.quasi_identifying.index(name)].hierarchy
        labels, of_value = _at_level(hierarchy, level, axis.leaves)
    if len(labels) <= MOST_LABELS:
        return CommonLabels(labels, of_value, cells)
    if level is None and axis.is_numeric:
        return _in_bins(cells)
    return _most_frequent(labels, of_value, cells)


def _level(subject: Subject, name: str) -> int | None:
    """Return the level that most kept records have, the lower one if tied; None without levels.

    A level that hides all values is returned only if there is no other.
    """
    release = subject.release
    if name not in subject.quasi_identifying or name in release.aggregates:
        return None
    number = subject.quasi_identifying.index(name)
    if release.recoding is None:
        return None if release.node is None else release.node[number]
    hierarchy = release.problem.attributes[number].hierarchy
    levels = hierarchy.step_of[release.recoding.levels[subject.kept, number]]
    counts = np.bincount(levels, minlength=hierarchy.height + 1)
    tells = np.array([len(level.labels) > 1 for level in hierarchy.steps.levels])
    return int(np.argmax(np.where(tells, counts, 0) if counts[tells].any() else counts))


def _at_level(hierarchy: Hierarchy, level: int, leaves: IntArray) -> tuple[tuple[str, ...], IntArray]:
    entry = hierarchy.levels[level]
    codes = entry.codes[leaves].astype(np.int64)
    _unused, first = np.unique(codes, return_index=True)
    order = codes[np.sort(first)]
    place = np.zeros(len(entry.labels), dtype=np.int64)
    place[order] = np.arange(len(order))
    return tuple(entry.labels[code] for code in order.tolist()), place[codes]


def _in_bins(cells: ReleasedCells) -> CommonLabels:
    """Return bins of equal width for numbers or days; values without a position keep their labels."""
    axis = cells.axis
    placed = axis.positions[: axis.n_placed]
    edges = np.linspace(placed[0], placed[-1], N_BINS + 1)
    bins = np.clip(np.searchsorted(edges, placed, side="right") - 1, 0, N_BINS - 1)
    used, of_placed = np.unique(bins, return_inverse=True)
    first = np.searchsorted(of_placed, np.arange(len(used)))
    last = np.append(first[1:], len(placed)) - 1
    labels = [
        axis.values[low]
        if low == high
        else _("{first} to {last}").format(first=axis.values[low], last=axis.values[high])
        for low, high in zip(first.tolist(), last.tolist(), strict=True)
    ]
    others = np.full(axis.n_values - axis.n_placed, len(labels), dtype=np.int64)
    if axis.missing is not None:
        others[-1] += len(others) > 1
    labels += [OTHER] * (len(others) - (axis.missing is not None) > 0)
    labels += [] if axis.missing is None else [axis.values[axis.missing]]
    note = _("{n_values} values of {name} are shown in {n} bins of equal width.").format(
        n_values=as_exact_count(axis.n_values), name=axis.name, n=len(used)
    )
    return CommonLabels(tuple(labels), np.concatenate((of_placed, others)), cells, note)


def _most_frequent(labels: tuple[str, ...], of_value: IntArray, cells: ReleasedCells) -> CommonLabels:
    """Return the most frequent labels of the input, and one label for all others."""
    counts = np.bincount(of_value, weights=cells.axis.counts, minlength=len(labels))
    kept = np.sort(np.argsort(-counts, kind="stable")[: MOST_LABELS - 1])
    place = np.full(len(labels), len(kept), dtype=np.int64)
    place[kept] = np.arange(len(kept))
    n_others = len(labels) - len(kept)
    note = _("The {n_others} rarest of {n} labels of {name} are combined as '{OTHER}'.").format(
        n_others=as_exact_count(n_others), n=as_exact_count(len(labels)), name=cells.axis.name, OTHER=OTHER
    )
    return CommonLabels((*(labels[code] for code in kept.tolist()), OTHER), place[of_value], cells, note)


def _expanded(lengths: IntArray) -> tuple[IntArray, IntArray]:
    """Return group and number within the group of each entry, for groups of given lengths."""
    which = np.repeat(np.arange(len(lengths)), lengths)
    starts = np.cumsum(lengths) - lengths
    return which, np.arange(len(which)) - starts[which]
