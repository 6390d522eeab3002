"""Changes of a hierarchy by hand: pure verbs, each of which gives a new hierarchy that is a tree again.

Groups are named by their label on a level, since labels are what a person sees and what a file keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from engine.errors import HierarchyError
from engine.hierarchies.group_names import joined_name, unused
from engine.hierarchies.hierarchy import SUPPRESSED, Hierarchy, Level
from engine.kernels.arrays import BoolArray, Codes


def move(hierarchy: Hierarchy, source: int, labels: Iterable[str], level: int, target: str) -> Hierarchy:
    """Put groups of one level into a group of a higher one.

    Parameters
    ----------
    hierarchy : Hierarchy
    source : int
        The level of what moves; 0 for values.
    labels : iterable of str
        What moves; it keeps what is below it.
    level : int
        Above `source`; levels from here on follow the target.
    target : str
        A group of `level`. Between both levels, groups that move whole stay; what leaves others of its
        group behind stays together as a group of its own, called after what is in it.

    Raises
    ------
    HierarchyError
        A level or a label that does not exist.
    """
    _check_above(hierarchy, source, level)
    goal = int(np.argmax(hierarchy.levels[level].codes == _code(hierarchy, level, target)))
    moving = _leaves_under(hierarchy, source, labels)
    paths = [entry.codes.copy() for entry in hierarchy.levels]
    names = [list(entry.labels) for entry in hierarchy.levels]
    _part(hierarchy, source, level, moving, paths, names)
    for upper in range(level, hierarchy.height + 1):
        paths[upper][moving] = hierarchy.levels[upper].codes[goal]
    return _compacted(names, paths)


def new_group(
    hierarchy: Hierarchy, source: int, labels: Iterable[str], level: int, label: str | None = None
) -> Hierarchy:
    """Make groups of one level a new group of a higher one.

    It stays under the group above that most of its leaves had. Without a label it is called after what
    is in it.

    Raises
    ------
    HierarchyError
        A level or label that does not exist, or another group of the level that is called so.
    """
    labels = list(dict.fromkeys(labels))
    _check_above(hierarchy, source, level)
    moving = _leaves_under(hierarchy, source, labels)
    paths = [entry.codes.copy() for entry in hierarchy.levels]
    names = [list(entry.labels) for entry in hierarchy.levels]
    _part(hierarchy, source, level, moving, paths, names)
    entry = hierarchy.levels[level]
    stay = {entry.labels[code] for code in np.unique(entry.codes[~moving])}
    if label is None:
        label = unused(joined_name(labels), stay)
    else:
        _check_label(label, level, stay)
    paths[level][moving] = len(names[level])
    names[level].append(label)
    for upper in range(level + 1, hierarchy.height + 1):
        above = hierarchy.levels[upper].codes
        if upper == level + 1:
            most = int(np.bincount(above[moving]).argmax())
            leaf = int(np.argmax(above == most))
        paths[upper][moving] = above[leaf]
    return _compacted(names, paths)


def merge(hierarchy: Hierarchy, level: int, labels: Iterable[str], label: str | None = None) -> Hierarchy:
    """Join groups of one level into one, which stands where the first of them stood.

    Raises
    ------
    HierarchyError
        Level 0, fewer than two groups, a label that does not exist, or another group called as the new one.
    """
    labels = list(dict.fromkeys(labels))
    if level < 1:
        raise HierarchyError(
            "Values cannot be joined on level 0.", hint="Make a group of them on level 1.", level=level
        )
    if len(labels) < 2:
        raise HierarchyError(
            "One group alone cannot be joined.", hint="Select two or more groups of one level.", level=level
        )
    merged = move(hierarchy, level - 1, _below(hierarchy, level, labels[1:]), level, labels[0])
    stay = set(merged.levels[level].labels) - {labels[0]}
    if label is None:
        return rename(merged, level, labels[0], unused(joined_name(labels), stay))
    return rename(merged, level, labels[0], label)


def split(
    hierarchy: Hierarchy, level: int, label: str, parts: Sequence[Sequence[str]] | None = None
) -> Hierarchy:
    """Break a group into parts, all of which stay under the same group above.

    Parameters
    ----------
    hierarchy : Hierarchy
    level : int
        At least 1.
    label : str
        The group.
    parts : sequence of sequences of str, optional
        Labels of the level below that stay together; each for itself if absent.

    Raises
    ------
    HierarchyError
        Level 0, a label that does not exist, or a group that has nothing to part.
    """
    if level < 1:
        raise HierarchyError("A value cannot be split.", hint="Select a group of level 1 or higher.")
    below = _below(hierarchy, level, [label])
    if len(below) < 2:
        raise HierarchyError(
            f"'{label}' holds only '{below[0]}', so there is nothing to split.",
            hint="Select a group that holds two or more.",
            level=level,
            label=label,
        )
    groups = [[child] for child in below] if parts is None else [list(part) for part in parts if part]
    if sorted(child for part in groups for child in part) != sorted(below) or len(groups) < 2:
        raise HierarchyError(
            f"The parts of '{label}' are not its groups.",
            hint="Each group belongs to one of two or more parts.",
        )
    inside = _leaves_under(hierarchy, level, [label])
    entry, lower = hierarchy.levels[level], hierarchy.levels[level - 1]
    names, codes = list(entry.labels), entry.codes.copy()
    taken = set(names) - {label}
    part_of = np.zeros(len(lower.labels), dtype=np.int32)
    for part in groups:
        name = unused(joined_name(part), taken)
        taken.add(name)
        part_of[[lower.index[child] for child in part]] = len(names)
        names.append(name)
    codes[inside] = part_of[lower.codes[inside]]
    levels = list(hierarchy.levels)
    levels[level] = _compact_level(names, codes)
    return Hierarchy(tuple(levels))


def rename(hierarchy: Hierarchy, level: int, label: str, new: str) -> Hierarchy:
    """Call a group of level 1 or higher something else.

    Raises
    ------
    HierarchyError
        Level 0, an unknown or empty label, or another group of the level that is called so.
    """
    if level < 1:
        raise HierarchyError(
            "Level 0 holds the values of the table, which keep their names.",
            hint="Rename groups of level 1 or higher.",
            level=level,
        )
    code = _code(hierarchy, level, label)
    entry = hierarchy.levels[level]
    _check_label(new, level, set(entry.labels) - {label})
    if new == label:
        return hierarchy
    labels = (*entry.labels[:code], new, *entry.labels[code + 1 :])
    levels = list(hierarchy.levels)
    levels[level] = Level(labels, entry.codes)
    return Hierarchy(tuple(levels))


def add_level(hierarchy: Hierarchy, above: int) -> Hierarchy:
    """Insert a level above another one, with the same groups; above the top comes a level of stars.

    Raises
    ------
    HierarchyError
        The level does not exist, or everything is one group on it already.
    """
    _check_level(hierarchy, above)
    if above == hierarchy.height:
        if hierarchy.top_label is not None:
            raise HierarchyError(
                f"On level {above} everything is '{hierarchy.top_label}' already.",
                hint="Add a level below it.",
                level=above,
            )
        return hierarchy.rooted()
    levels = hierarchy.levels
    return Hierarchy((*levels[: above + 1], levels[above], *levels[above + 1 :]))


def remove_level(hierarchy: Hierarchy, level: int) -> Hierarchy:
    """Take a level away.

    Raises
    ------
    HierarchyError
        Level 0, or a level that does not exist.
    """
    _check_level(hierarchy, level)
    if level == 0:
        raise HierarchyError(
            "Level 0 holds the values themselves and stays.", hint="Remove a higher level.", level=0
        )
    return Hierarchy((*hierarchy.levels[:level], *hierarchy.levels[level + 1 :]))


def swap_levels(hierarchy: Hierarchy, level: int) -> Hierarchy:
    """Exchange a level and the one above it, which nests only where both have the same groups.

    Raises
    ------
    HierarchyError
        Level 0 or the top, or the upper level joins what the lower one keeps apart; names such a group.
    """
    _check_level(hierarchy, level)
    if level == 0 or level == hierarchy.height:
        raise HierarchyError(
            f"Level {level} has no level above it to change places with."
            if level
            else "Level 0 holds the values themselves and stays.",
            hint="Choose a level between the lowest and the highest.",
            level=level,
        )
    lower, upper = hierarchy.levels[level], hierarchy.levels[level + 1]
    parents = np.full(len(lower.labels), -1, dtype=np.int64)
    parents[lower.codes] = upper.codes
    counts = np.bincount(parents, minlength=len(upper.labels))
    if counts.max() > 1:
        name = upper.labels[int(counts.argmax())]
        raise HierarchyError(
            f"Level {level + 1} cannot come before level {level}: its '{name}' joins "
            f"{int(counts.max())} groups that level {level} keeps apart.",
            hint="Only levels with the same groups can change places.",
            level=level,
            label=name,
        )
    levels = list(hierarchy.levels)
    levels[level], levels[level + 1] = upper, lower
    return Hierarchy(tuple(levels))


def place(hierarchy: Hierarchy, values: Iterable[str], level: int, target: str) -> Hierarchy:
    """Add values under a group; below its level each stays itself.

    Raises
    ------
    HierarchyError
        Level 0, an unknown group, or a value that is called as a group of a level below.
    """
    if level < 1:
        raise HierarchyError("A value has nothing below it.", hint="Place values in a group.", level=level)
    goal = int(np.argmax(hierarchy.levels[level].codes == _code(hierarchy, level, target)))
    new = [value for value in dict.fromkeys(values) if value not in hierarchy.index]
    if not new:
        return hierarchy
    levels = []
    for number, entry in enumerate(hierarchy.levels):
        if number >= level:
            added = np.full(len(new), entry.codes[goal], dtype=np.int32)
            levels.append(Level(entry.labels, np.concatenate((entry.codes, added))))
            continue
        if clash := next((value for value in new if value in entry.index), None):
            raise HierarchyError(
                f"'{clash}' is also a group of level {number}.",
                hint="Place it in that group, or rename the group.",
                level=number,
                label=clash,
            )
        added = np.arange(len(entry.labels), len(entry.labels) + len(new), dtype=np.int32)
        levels.append(Level((*entry.labels, *new), np.concatenate((entry.codes, added))))
    return Hierarchy(tuple(levels))


def place_as(hierarchy: Hierarchy, values: Iterable[str], example: Hierarchy) -> Hierarchy:
    """Add values where another hierarchy has them: in the lowest group that both call the same.

    A value for which there is none stays itself below the top.
    """
    by_place: dict[tuple[int, str], list[str]] = {}
    rest = []
    for value in dict.fromkeys(values):
        if value in hierarchy.index or value not in example.index:
            rest.append(value)
            continue
        path = ((level, example.label(value, level)) for level in range(1, example.height + 1))
        known = (
            (number, label)
            for _, label in path
            for number in range(1, hierarchy.height)
            if label in hierarchy.levels[number].index
        )
        found = next(known, None)
        if found is None:
            rest.append(value)
        else:
            by_place.setdefault(found, []).append(value)
    for (level, label), inside in by_place.items():
        hierarchy = place(hierarchy, inside, level, label)
    return hierarchy.extended(rest)


def without(hierarchy: Hierarchy, values: Iterable[str]) -> Hierarchy:
    """Take values away, such as those that do not occur.

    Raises
    ------
    HierarchyError
        No value would be left.
    """
    gone = _leaves_under(hierarchy, 0, [value for value in values if value in hierarchy.index])
    if gone.all():
        raise HierarchyError("No value would be left.", hint="Keep at least one.")
    return _compacted(
        [list(entry.labels) for entry in hierarchy.levels], [entry.codes[~gone] for entry in hierarchy.levels]
    )


def children(hierarchy: Hierarchy, level: int, labels: Iterable[str]) -> list[str]:
    """Return the groups of the level below that are in groups, in order of first appearance."""
    return _below(hierarchy, level, labels)


def values_under(hierarchy: Hierarchy, level: int, labels: Iterable[str]) -> list[str]:
    """Return the values in groups, in the order of the hierarchy."""
    leaves = np.flatnonzero(_leaves_under(hierarchy, level, labels))
    return [hierarchy.values[leaf] for leaf in leaves.tolist()]


def groups_of(hierarchy: Hierarchy, source: int, labels: Iterable[str], level: int) -> list[str]:
    """Return the groups of a level that hold any of the groups of another one."""
    entry = hierarchy.levels[level]
    codes = entry.codes[_leaves_under(hierarchy, source, labels)]
    return [entry.labels[code] for code in dict.fromkeys(codes.tolist())]


def _part(
    hierarchy: Hierarchy,
    source: int,
    level: int,
    moving: BoolArray,
    paths: list[Codes],
    names: list[list[str]],
) -> None:
    """Between both levels, give what leaves others of its group behind a group of its own."""
    lowest = hierarchy.levels[source]
    for between in range(source + 1, level):
        entry = hierarchy.levels[between]
        left_behind = np.zeros(len(entry.labels), dtype=np.bool_)
        left_behind[entry.codes[~moving]] = True
        parted = moving & left_behind[entry.codes]
        taken = set(entry.labels)
        for code in np.unique(entry.codes[parted]).tolist():
            part = parted & (entry.codes == code)
            inside = [lowest.labels[c] for c in dict.fromkeys(lowest.codes[part].tolist())]
            name = unused(joined_name(inside), taken)
            taken.add(name)
            paths[between][part] = len(names[between])
            names[between].append(name)


def _compacted(names: Sequence[Sequence[str]], paths: Sequence[Codes]) -> Hierarchy:
    """Levels whose labels are those in use, in the order of the leaves."""
    return Hierarchy(tuple(_compact_level(labels, codes) for labels, codes in zip(names, paths, strict=True)))


def _compact_level(labels: Sequence[str], codes: Codes) -> Level:
    used, first = np.unique(codes, return_index=True)
    order = np.argsort(first, kind="stable")
    place = np.zeros(len(labels), dtype=np.int32)
    place[used[order]] = np.arange(len(used), dtype=np.int32)
    return Level(tuple(labels[code] for code in used[order].tolist()), place[codes])


def _leaves_under(hierarchy: Hierarchy, level: int, labels: Iterable[str]) -> BoolArray:
    """Which leaves are under groups, shape (n_leaves,)."""
    entry = hierarchy.levels[level]
    chosen = np.zeros(len(entry.labels), dtype=np.bool_)
    for label in labels:
        chosen[_code(hierarchy, level, label)] = True
    found: BoolArray = chosen[entry.codes]
    return found


def _below(hierarchy: Hierarchy, level: int, labels: Iterable[str]) -> list[str]:
    """The groups of the level below that are in groups, in order of first appearance."""
    inside = _leaves_under(hierarchy, level, labels)
    lower = hierarchy.levels[level - 1]
    codes, first = np.unique(lower.codes[inside], return_index=True)
    return [lower.labels[code] for code in codes[np.argsort(first)].tolist()]


def _code(hierarchy: Hierarchy, level: int, label: str) -> int:
    _check_level(hierarchy, level)
    code = hierarchy.levels[level].index.get(label)
    if code is None:
        raise HierarchyError(
            f"Level {level} has no group '{label}'.",
            hint="It may have been renamed.",
            level=level,
            label=label,
        )
    return code


def _check_level(hierarchy: Hierarchy, level: int) -> None:
    if not 0 <= level <= hierarchy.height:
        raise HierarchyError(
            f"There is no level {level}.", hint=f"Levels are 0 to {hierarchy.height}.", level=level
        )


def _check_above(hierarchy: Hierarchy, source: int, level: int) -> None:
    _check_level(hierarchy, source)
    _check_level(hierarchy, level)
    if level <= source:
        raise HierarchyError(
            f"Groups of level {source} cannot go into a group of level {level}.",
            hint="Drop them on a group of a higher level.",
            level=level,
        )


def _check_label(label: str, level: int, others: set[str]) -> None:
    if not label:
        raise HierarchyError("A group needs a name.", hint=f"Such as {SUPPRESSED}.", level=level)
    if label in others:
        raise HierarchyError(
            f"Another group of level {level} is called '{label}'.",
            hint="Choose another name, or merge the two groups.",
            level=level,
            label=label,
        )
