"""What a selection marks in an outline: groups of its level, and the share of every place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from engine.hierarchies.outline import Outline
from engine.kernels.arrays import BoolArray, Counts


@dataclass(frozen=True, eq=False)
class IcicleMarks:
    """A selection over an outline.

    Attributes
    ----------
    selection : Selection
    leaves : ndarray of bool, shape (n_leaves,)
        Whether each leaf of the hierarchy is selected or below what is.
    groups : ndarray of bool, shape (n_groups of the level,)
        Whether each group of the selection's level is selected.
    running : ndarray of int64, shape (n_places + 1,)
        0 and then the sum of selected records up to each place.
    """

    selection: Selection
    leaves: BoolArray
    groups: BoolArray
    running: Counts

    def is_marked(self, level: int, first: int, last: int) -> bool:
        """Whether all groups from `first` to before `last` of a level are selected."""
        return level == self.selection.level and bool(self.groups[first:last].all())


def running_sum(records: Counts) -> Counts:
    """0 and then the sum up to each place, shape (n + 1,)."""
    found: Counts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(records)])
    return found


def marks_of(shown: Outline, selection: Selection) -> IcicleMarks:
    """Mark what is selected; a closed group counts where all of its leaves do."""
    level = min(selection.level, shown.hierarchy.height)
    entry = shown.hierarchy.levels[level]
    leaves = entry.among(selection.labels if level == selection.level else ())[entry.codes]
    places = np.logical_and.reduceat(leaves[shown.leaves], shown.starts[:-1])
    spans = shown.levels[level]
    groups = np.logical_and.reduceat(places, spans.starts[:-1])
    return IcicleMarks(selection, leaves, groups, running_sum(np.where(places, shown.records, 0)))


def selection_of(shown: Outline, level: int, first: int, last: int) -> Selection:
    """The groups of a level from `first` to before `last`, those within closed ones included."""
    starts = shown.levels[level].starts
    leaves = shown.leaves[shown.starts[starts[first]] : shown.starts[starts[last]]]
    entry = shown.hierarchy.levels[level]
    codes, at = np.unique(entry.codes[leaves], return_index=True)
    return Selection(level, tuple(entry.labels[code] for code in codes[np.argsort(at)].tolist()))


def toggled(selection: Selection, other: Selection) -> Selection:
    """Take groups out of a selection if all are in it, add them otherwise; another level begins anew."""
    if other.level != selection.level:
        return other
    had, changed = set(selection.labels), set(other.labels)
    if changed <= had:
        kept = tuple(label for label in selection.labels if label not in changed)
        return Selection(other.level, kept) if kept else Selection()
    return Selection(other.level, _joined(selection.labels, other.labels))


def added(selection: Selection, other: Selection) -> Selection:
    """Add groups to a selection; another level begins anew."""
    if other.level != selection.level:
        return other
    return Selection(other.level, _joined(selection.labels, other.labels))


def _joined(*parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(label for part in parts for label in part))
