"""Conversion between rows of the table of values and selections of groups."""

from __future__ import annotations

import numpy as np

from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget
from engine.hierarchies.editing import children
from engine.hierarchies.outline import Outline
from engine.kernels.arrays import BoolArray, IntArray

VALUE, RECORDS, FIRST_LEVEL = 0, 1, 2  # columns of the table


def level_of(column: int) -> int:
    """Return the level shown in a column of the table; value and records belong to level 0."""
    return max(column - FIRST_LEVEL + 1, 0)


def column_of(level: int) -> int:
    """Return the column of the table that shows a level."""
    return FIRST_LEVEL + level - 1 if level > 0 else 0


def covered_rows(outline: Outline, selection: Selection) -> BoolArray:
    """Return whether each row is completely selected, shape (n_places,)."""
    if selection.level > outline.hierarchy.height:
        return np.zeros(outline.n_places, dtype=np.bool_)
    level = outline.hierarchy.levels[selection.level]
    is_chosen = level.among(selection.labels)[level.codes[outline.leaves]]
    found: BoolArray = np.logical_and.reduceat(is_chosen, outline.starts[:-1])
    return found


def groups_under(outline: Outline, rows: IntArray, level: int) -> Selection:
    """Return the groups of a level in rows, from top to bottom."""
    sizes = np.diff(outline.starts)[rows]
    offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    leaves = outline.leaves[np.repeat(outline.starts[rows], sizes) + offsets]
    entry = outline.hierarchy.levels[level]
    codes = entry.codes[leaves]
    _, first = np.unique(codes, return_index=True)
    return Selection(level, tuple(entry.labels[code] for code in codes[np.sort(first)].tolist()))


def groups_of_rows(outline: Outline, rows: IntArray, level: int) -> Selection:
    """Return the groups in the cells of a column; closed groups if all rows are closed groups.

    Parameters
    ----------
    level : int
        Level of the column.
    """
    closed = outline.closed[rows]
    if len(rows) and level < closed.min() == closed.max():
        level = int(closed[0])
    return groups_under(outline, rows, level)


def row_of_value(outline: Outline, value: str) -> int | None:
    """Return the row of a value, alone or in a closed group."""
    leaf = outline.hierarchy.index.get(value)
    if leaf is None:
        return None
    places = np.flatnonzero(outline.leaves == leaf)
    return int(np.searchsorted(outline.starts, places[0], side="right")) - 1 if len(places) else None


def rows_of_group(outline: Outline, level: int, label: str) -> IntArray:
    """Return the rows whose cell on a level shows a group."""
    entry = outline.hierarchy.levels[level]
    is_shown = entry.codes[outline.first_leaves] == entry.index.get(label, -1)
    return np.flatnonzero(is_shown & (outline.closed <= level))


def groups_in_cells(outline: Outline, rows: IntArray, level: int, base: Selection) -> Selection:
    """Return the groups in the cells of a column, of the level of `base` if that is the column's level."""
    found = groups_of_rows(outline, rows, level)
    is_of_base = bool(base.labels) and found.level != base.level == level
    return groups_under(outline, rows, level) if is_of_base else found


def moved_by_writing(outline: Outline, selection: Selection, row: int, level: int) -> Selection:
    """Return the groups of the level below that get a label written into a cell.

    The selected ones if they include the row; all below the selected groups of the level of the cell if
    there are several; else those of the row.
    """
    own = groups_under(outline, np.array([row]), level - 1)
    if selection.level == level - 1 and set(own.labels) <= set(selection.labels):
        return selection
    label = groups_under(outline, np.array([row]), level).labels[0]
    if selection.level == level and len(selection.labels) > 1 and label in selection.labels:
        return Selection(level - 1, tuple(children(outline.hierarchy, level, selection.labels)))
    return own


def holds(outline: Outline, level: int, label: str, dragged: Selection) -> bool:
    """Return whether a group contains all dragged groups already, or is dragged itself."""
    if level == dragged.level and label in dragged.labels:
        return True
    source = outline.hierarchy.levels[dragged.level]
    if not dragged.labels or not all(name in source.index for name in dragged.labels):
        return False
    entry = outline.hierarchy.levels[level]
    goals = entry.codes[source.among(dragged.labels)[source.codes]]
    return bool((goals == entry.index[label]).all())


def target_at_group(outline: Outline, level: int, label: str, dragged: Selection) -> DropTarget | None:
    """Return the target of a drop on a group; None if it has all of them, or they cannot be in it."""
    is_possible = level >= max(dragged.level, 1) and not holds(outline, level, label, dragged)
    return DropTarget(level, label) if is_possible else None


def target_at_value(outline: Outline, value: str, dragged: Selection) -> DropTarget | None:
    """Return the target of values dropped on another value: its group, or a new one below that of all."""
    if value in dragged.labels or outline.hierarchy.height == 0:
        return None
    group = outline.hierarchy.label(value, 1)
    if not holds(outline, 1, group, dragged):
        return DropTarget(1, group)
    is_of_all = len(outline.hierarchy.levels[1].labels) == 1
    return DropTarget(1, beside=value) if is_of_all else None
