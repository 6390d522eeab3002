"""Marks on an outline: the selection, cuts between groups, and the target of a drop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from anonymizer_gui.perspectives.configure.hierarchy.icicle.geometry import IcicleGeometry
from anonymizer_gui.perspectives.configure.hierarchy.icicle.histogram import handle_rect
from anonymizer_gui.perspectives.configure.hierarchy.icicle.words import IcicleWords
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget
from anonymizer_gui.perspectives.configure.hierarchy.values.rows import (
    covered_rows,
    groups_under,
    target_at_group,
)
from engine.hierarchies.outline import Outline
from engine.kernels.arrays import BoolArray, Counts


@dataclass(frozen=True, eq=False)
class IcicleMarks:
    """Marks of a selection in an outline.

    Attributes
    ----------
    groups : ndarray of bool, shape (n_groups of the level,)
        Whether each group of the selection's level is selected.
    running : ndarray of int64, shape (n_places + 1,)
        Cumulative sum of the selected records per place, starting with 0.
    """

    selection: Selection
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
    places = covered_rows(shown, selection)
    spans = shown.levels[min(selection.level, shown.hierarchy.height)]
    groups = np.logical_and.reduceat(places, spans.starts[:-1])
    return IcicleMarks(selection, groups, running_sum(np.where(places, shown.records, 0)))


def selection_of(shown: Outline, level: int, first: int, last: int) -> Selection:
    """Return the groups of a level from `first` to before `last`, those within closed ones included."""
    starts = shown.levels[level].starts
    return groups_under(shown, np.arange(starts[first], starts[last]), level)


_HANDLES_APART, _CUTS_APART = 4.0, 6.0


@dataclass(frozen=True)
class CutShown:
    """Cut with its handle; a dragged one is at its new place."""

    level: int
    boundary: int
    place: int
    x: float
    handle: QRectF
    text: str
    is_active: bool = False
    tag: tuple[str, str] | None = None  # its position, and the records on both sides


def cuts_shown(
    geometry: IcicleGeometry,
    words: IcicleWords,
    running: Counts,
    level: int,
    active: int | None,
    moved: int | None,
) -> tuple[CutShown, ...]:
    """Return the visible cuts of a level; handles show numbers if there is room.

    Parameters
    ----------
    geometry, words, running
        Outline shown; `running` is the cumulative sum of records per place, starting with 0.
    active : int, optional
        The chosen boundary, placed first; it also shows the records on both sides.
    moved : int, optional
        New place of the chosen boundary while it is dragged.
    """
    boundaries = geometry.boundaries(level)
    if active is not None and active not in boundaries:
        boundaries.append(active)
    boundaries.sort(key=lambda boundary: boundary != active)
    starts = geometry.outline.levels[level].starts
    has_numbers = geometry.axis.numbers is not None
    shown: list[CutShown] = []
    for boundary in boundaries:
        is_active = boundary == active
        place = moved if is_active and moved is not None else int(starts[boundary])
        x = geometry.edge_x(place)
        is_inside = geometry.frame.left - 1 <= x <= geometry.frame.right + 1
        if not is_inside or any(abs(x - other.x) < _CUTS_APART for other in shown):
            continue
        text = words.border(level, boundary, place) if has_numbers or is_active else ""
        handle = handle_rect(geometry, x, text)
        roomy = handle.adjusted(-_HANDLES_APART, 0, _HANDLES_APART, 0)
        if text and not is_active and any(roomy.intersects(other.handle) for other in shown):
            text, handle = "", handle_rect(geometry, x, "")
        tag = cut_words(geometry, words, running, level, boundary, place) if is_active else None
        shown.append(CutShown(level, boundary, place, x, handle, text, is_active, tag))
    return tuple(shown)


def cut_words(
    geometry: IcicleGeometry, words: IcicleWords, running: Counts, level: int, boundary: int, place: int
) -> tuple[str, str]:
    """Return the position of a cut at a place, and the records of the groups on both sides."""
    starts = geometry.outline.levels[level].starts
    low, high = int(starts[boundary - 1]), int(starts[boundary + 1])
    left, right = int(running[place] - running[low]), int(running[high] - running[place])
    return words.cut(level, boundary, place, left, right)


_BETWEEN_REACH, _BETWEEN_FROM = 5.0, 30.0


def drop_target(geometry: IcicleGeometry, position: QPointF, dragged: Selection) -> DropTarget | None:
    """Return the target of a drop, or None if groups cannot be dropped there.

    The target is the group under the pointer. Between two groups, next to the row and below the rows the
    drop creates a new group. The group that has the values already and those below it are excluded.
    """
    if geometry.height < 1:
        return None
    frame = geometry.frame
    bottom = geometry.row_rect(1).bottom()
    if bottom < position.y() < frame.bars_top:
        return _new_group(geometry, dragged.level + 1, dragged)
    level = geometry.level_at(position.y())
    if not level:
        return None
    if not frame.left <= position.x() <= frame.right:
        return _new_group(geometry, level, dragged)
    level = max(level, int(geometry.outline.closed[geometry.place_at(position.x())]))
    first, last = geometry.groups_at(level, position.x())
    if last - first > 1:
        return None
    rect = geometry.group_rect(level, first)
    is_edge = min(position.x() - rect.left(), rect.right() - position.x()) <= _BETWEEN_REACH
    if is_edge and rect.width() >= _BETWEEN_FROM and level > dragged.level:
        return _new_group(geometry, level, dragged)
    outline = geometry.outline
    label = outline.hierarchy.levels[level].labels[int(outline.levels[level].codes[first])]
    return target_at_group(outline, level, label, dragged)


def _new_group(geometry: IcicleGeometry, level: int, dragged: Selection) -> DropTarget | None:
    return DropTarget(level) if dragged.level < level <= geometry.height else None
