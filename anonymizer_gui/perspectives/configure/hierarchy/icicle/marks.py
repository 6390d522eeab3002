"""Selection marks of an outline: groups of its level, and selected records per place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from engine.hierarchies.outline import Outline
from engine.kernels.arrays import BoolArray, Counts


@dataclass(frozen=True, eq=False)
class IcicleMarks:
    """Marks of a selection in an outline.

    Attributes
    ----------
    selection : Selection
    leaves : ndarray of bool, shape (n_leaves,)
        Whether each leaf of the hierarchy is selected or below a selected group.
    groups : ndarray of bool, shape (n_groups of the level,)
        Whether each group of the selection's level is selected.
    running : ndarray of int64, shape (n_places + 1,)
        Cumulative sum of the selected records per place, starting with 0.
    """

    selection: Selection
    leaves: BoolArray
    groups: BoolArray
    running: Counts

    def is_marked(self, level: int, first: int, last: int) -> bool:
        """Return whether all groups from `first` to before `last` of a level are selected."""
        return level == self.selection.level and bool(self.groups[first:last].all())


def running_sum(records: Counts) -> Counts:
    """Return the cumulative sum per place, starting with 0, shape (n + 1,)."""
    found: Counts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(records)])
    return found


def marks_of(shown: Outline, selection: Selection) -> IcicleMarks:
    """Return the marks of a selection; a closed group is selected if all of its leaves are."""
    level = min(selection.level, shown.hierarchy.height)
    entry = shown.hierarchy.levels[level]
    leaves = entry.among(selection.labels if level == selection.level else ())[entry.codes]
    places = np.logical_and.reduceat(leaves[shown.leaves], shown.starts[:-1])
    spans = shown.levels[level]
    groups = np.logical_and.reduceat(places, spans.starts[:-1])
    return IcicleMarks(selection, leaves, groups, running_sum(np.where(places, shown.records, 0)))


def selection_of(shown: Outline, level: int, first: int, last: int) -> Selection:
    """Return the groups of a level from `first` to before `last`, those within closed ones included."""
    starts = shown.levels[level].starts
    leaves = shown.leaves[shown.starts[starts[first]] : shown.starts[starts[last]]]
    entry = shown.hierarchy.levels[level]
    codes, at = np.unique(entry.codes[leaves], return_index=True)
    return Selection(level, tuple(entry.labels[code] for code in codes[np.argsort(at)].tolist()))


def toggled(selection: Selection, other: Selection) -> Selection:
    """Remove groups from a selection if it has them all, else add them; another level replaces it."""
    if other.level != selection.level:
        return other
    had, changed = set(selection.labels), set(other.labels)
    if changed <= had:
        kept = tuple(label for label in selection.labels if label not in changed)
        return Selection(other.level, kept) if kept else Selection()
    return Selection(other.level, _joined(selection.labels, other.labels))


def added(selection: Selection, other: Selection) -> Selection:
    """Add groups to a selection; another level replaces it."""
    if other.level != selection.level:
        return other
    return Selection(other.level, _joined(selection.labels, other.labels))


def _joined(*parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(label for part in parts for label in part))
