"""Manual changes of a hierarchy: pure functions, each of which returns a new hierarchy that is a tree.

Groups are named by their label on a level, since labels are what the user sees and what a file keeps.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.errors import HierarchyError
from engine.hierarchies.group_names import MISSING, group_name, listed, unused
from engine.hierarchies.hierarchy import SUPPRESSED, Hierarchy, Level
from engine.kernels.arrays import BoolArray, Codes, IntArray
from engine.kernels.grouping import first_rows
from engine.words import _

LONGEST_LEVEL_NAME = 60  # characters


def move(hierarchy: Hierarchy, source: int, labels: Iterable[str], level: int, target: str) -> Hierarchy:
    """Put groups of one level into a group of a higher one.

    Parameters
    ----------
    source : int
        The level of the moved labels; 0 for values.
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
        Nothing to move, a level or a label that does not exist, or a group of missing values without name.
    """
    _check_above(hierarchy, source, level)
    moving = _leaves_under(hierarchy, source, _some(labels))
    goal = _first_leaf(hierarchy, level, target)
    return _named(_moved(hierarchy, source, moving, level, goal))


def move_leaves(hierarchy: Hierarchy, leaves: IntArray, level: int, target: str) -> Hierarchy:
    """Put values, named by their leaf numbers, into a group of level 1 or higher; see `move`."""
    _check_above(hierarchy, 0, level)
    moving = np.zeros(hierarchy.n_leaves, dtype=np.bool_)
    moving[leaves] = True
    return _named(_moved(hierarchy, 0, moving, level, _first_leaf(hierarchy, level, target)))


def new_group(
    hierarchy: Hierarchy, source: int, labels: Iterable[str], level: int, label: str | None = None
) -> Hierarchy:
    """Make groups of one level a new group of a higher one.

    It stays under the group above that most of its leaves had. Without a label it is called after what
    is in it.

    Raises
    ------
    HierarchyError
        Nothing to group, a level or label that does not exist, or another group of the level that is
        called so.
    """
    labels = _some(labels)
    _check_above(hierarchy, source, level)
    moving = _leaves_under(hierarchy, source, labels)
    entry = hierarchy.levels[level]
    stays = np.zeros(len(entry.labels), dtype=np.bool_)
    stays[entry.codes[~moving]] = True
    staying = {entry.labels[code] for code in np.flatnonzero(stays).tolist()}
    if label is None:
        label = group_name(labels, staying, entry.labels)
    else:
        _check_label(label, level, staying)
    levels = list(hierarchy.levels)
    _part(hierarchy, source, level, moving, levels)
    codes = entry.codes.copy()
    codes[moving] = len(entry.labels)
    levels[level] = _compact_level((*entry.labels, label), codes, entry.name)
    if level < hierarchy.height:
        goal = _leaf_of_most(hierarchy.levels[level + 1], moving)
        _follow(hierarchy, moving, level + 1, goal, levels)
    return _named(Hierarchy(tuple(levels)))


def merge(hierarchy: Hierarchy, level: int, labels: Iterable[str], label: str | None = None) -> Hierarchy:
    """Join groups of one level into one, at the place of the first of them.

    Raises
    ------
    HierarchyError
        Level 0, fewer than two groups, a label that does not exist, or another group called as the new one.
    """
    labels = list(dict.fromkeys(labels))
    _check_level(hierarchy, level)
    if level == 0:
        raise HierarchyError(
            _("Values cannot be merged on level 0."), hint=_("Group them on level 1."), level=level
        )
    if len(labels) < 2:
        raise HierarchyError(
            _("A single group cannot be merged."),
            hint=_("Select two or more groups of one level."),
            level=level,
        )
    moving = _leaves_under(hierarchy, level, labels)
    first = next(name for name in labels if name)  # a group of missing values may have no name above either
    merged = _moved(hierarchy, level - 1, moving, level, _first_leaf(hierarchy, level, first))
    if label is None:
        others = set(merged.levels[level].labels) - {first}
        label = group_name(labels, others, hierarchy.levels[level].labels)
    return _named(rename(merged, level, first, label))


def split(
    hierarchy: Hierarchy, level: int, label: str, parts: Sequence[Sequence[str]] | None = None
) -> Hierarchy:
    """Break a group into parts, all of which stay under the same group above.

    Parameters
    ----------
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
    _check_level(hierarchy, level)
    if level == 0:
        raise HierarchyError(
            _("A value cannot be split."), hint=_("Select a group of level 1 or higher."), level=level
        )
    below = children(hierarchy, level, [label])
    if len(below) < 2:
        raise HierarchyError(
            _("'{label}' contains only '{below}', so it cannot be split.").format(
                label=label, below=below[0]
            ),
            hint=_("Select a group with two or more parts."),
            level=level,
            label=label,
        )
    groups = [[child] for child in below] if parts is None else [list(part) for part in parts if part]
    if sorted(child for part in groups for child in part) != sorted(below) or len(groups) < 2:
        raise HierarchyError(
            _("The given parts of '{label}' are not its groups.").format(label=label),
            hint=_("Each group must be in exactly one of two or more parts."),
            level=level,
            label=label,
        )
    inside = _leaves_under(hierarchy, level, [label])
    entry, lower = hierarchy.levels[level], hierarchy.levels[level - 1]
    names, codes = list(entry.labels), entry.codes.copy()
    taken = set(names) - {label}
    part_of = np.zeros(len(lower.labels), dtype=np.int32)
    for part in groups:
        name = group_name(part, taken, entry.labels)
        taken.add(name)
        part_of[[lower.index[child] for child in part]] = len(names)
        names.append(name)
    codes[inside] = part_of[lower.codes[inside]]
    levels = list(hierarchy.levels)
    levels[level] = _compact_level(names, codes, entry.name)
    return Hierarchy(tuple(levels))


def rename(hierarchy: Hierarchy, level: int, label: str, new: str) -> Hierarchy:
    """Call a group of level 1 or higher something else.

    Raises
    ------
    HierarchyError
        Level 0, an unknown or empty label, or another group of the level that is called so.
    """
    if level == 0:
        raise HierarchyError(
            _("Level 0 contains the values of the table, which cannot be renamed."),
            hint=_("Rename groups of level 1 or higher."),
            level=level,
        )
    code = _code(hierarchy, level, label)
    entry = hierarchy.levels[level]
    if new == label:
        return hierarchy
    _check_label(new, level, entry.index)
    labels = (*entry.labels[:code], new, *entry.labels[code + 1 :])
    levels = list(hierarchy.levels)
    levels[level] = replace(entry, labels=labels)
    return Hierarchy(tuple(levels))


def add_level(hierarchy: Hierarchy, above: int) -> Hierarchy:
    """Insert a level above another one, with the same groups; above the top comes a level of `*`.

    Above the only value of a hierarchy without levels comes one too.

    Raises
    ------
    HierarchyError
        The level does not exist, or everything is one group on it already.
    """
    _check_level(hierarchy, above)
    if above == hierarchy.height:
        if above > 0 and hierarchy.top_label is not None:
            raise HierarchyError(
                _("On level {above}, everything is already '{top_label}'.").format(
                    above=above, top_label=hierarchy.top_label
                ),
                hint=_("Add a level below it."),
                level=above,
            )
        return hierarchy.with_star()
    levels = hierarchy.levels
    return Hierarchy((*levels[: above + 1], replace(levels[above], name=""), *levels[above + 1 :]))


def name_level(hierarchy: Hierarchy, level: int, name: str) -> Hierarchy:
    """Name a level, such as "5-year bands"; an empty name removes it.

    Raises
    ------
    HierarchyError
        Level 0, or a level that does not exist, or one that hides all values; the name is longer than 60
        characters, or that of another level.
    """
    _check_level(hierarchy, level)
    name = " ".join(name.split())
    if level == 0 or hierarchy.levels[level].labels == (SUPPRESSED,):
        raise HierarchyError(
            _("Level {level} cannot be named.").format(level=level),
            hint=_("Name a level that has groups."),
            level=level,
        )
    if len(name) > LONGEST_LEVEL_NAME:
        raise HierarchyError(
            _("The name of a level may have {n} characters.").format(n=LONGEST_LEVEL_NAME),
            hint=_("Shorten the name."),
            level=level,
        )
    names = list(hierarchy.level_names)
    if name and name in (*names[: level - 1], *names[level:]):
        raise HierarchyError(
            _("Another level is called '{name}' already.").format(name=name),
            hint=_("Choose another name."),
            level=level,
        )
    names[level - 1] = name
    return hierarchy.with_level_names(names)


def remove_level(hierarchy: Hierarchy, level: int) -> Hierarchy:
    """Remove a level.

    Raises
    ------
    HierarchyError
        Level 0, or a level that does not exist.
    """
    _check_level(hierarchy, level)
    if level == 0:
        raise HierarchyError(
            _("Level 0 contains the values and cannot be removed."), hint=_("Remove a higher level."), level=0
        )
    return Hierarchy((*hierarchy.levels[:level], *hierarchy.levels[level + 1 :]))


def swap_levels(hierarchy: Hierarchy, level: int) -> Hierarchy:
    """Exchange a level and the one above it, which nests only if both have the same groups.

    Raises
    ------
    HierarchyError
        Level 0 or the top, or the upper level joins what the lower one keeps apart; names such a group.
    """
    _check_level(hierarchy, level)
    if level == 0 or level == hierarchy.height:
        raise HierarchyError(
            _("Level {level} has no level above it to swap with.").format(level=level)
            if level
            else _("Level 0 contains the values and cannot be removed."),
            hint=_("Choose a level between the lowest and the highest."),
            level=level,
        )
    lower, upper = hierarchy.levels[level], hierarchy.levels[level + 1]
    parents = np.full(len(lower.labels), -1, dtype=np.int64)
    parents[lower.codes] = upper.codes
    counts = np.bincount(parents, minlength=len(upper.labels))
    if counts.max() > 1:
        name = upper.labels[int(counts.argmax())]
        raise HierarchyError(
            _(
                "Level {level} cannot come before level {level_2}: its '{name}' merges {max} groups "
                "that level {level_2} separates."
            ).format(level=level + 1, level_2=level, name=name, max=int(counts.max())),
            hint=_("Only levels with the same groups can be swapped."),
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
        Level 0, an unknown group, one of missing values without name, or a value that is called as a
        group of a level below.
    """
    if level < 1:
        raise HierarchyError(
            _("A value cannot contain other values."), hint=_("Move values into a group."), level=level
        )
    path = _path(hierarchy, level, target)
    new = [value for value in dict.fromkeys(values) if value not in hierarchy.index]
    for value in new:
        if (clash := _level_of(hierarchy, value, level)) is not None:
            raise HierarchyError(
                _("'{value}' is also a group of level {clash}.").format(value=value, clash=clash),
                hint=_("Move it into that group, or rename the group."),
                level=clash,
                label=value,
            )
    return _named(hierarchy.with_paths([(*[value] * level, *path) for value in new]))


def place_as(hierarchy: Hierarchy, values: Iterable[str], example: Hierarchy) -> Hierarchy:
    """Add values where another hierarchy has them: in the lowest group that both call the same.

    A value for which there is none stays itself below the top, and so does one that is called as a group
    further down, or whose group has no name above as that of missing values may have.
    """
    paths, rest = [], []
    for value in dict.fromkeys(values):
        if value in hierarchy.index:
            continue
        found = _place_like(hierarchy, value, example) if value in example.index else None
        path = () if found is None else _path(hierarchy, *found)
        if found is None or "" in path or _level_of(hierarchy, value, found[0]) is not None:
            rest.append(value)
        else:
            paths.append((*[value] * found[0], *path))
    return hierarchy.with_paths(paths).extended(rest)


def without(hierarchy: Hierarchy, values: Iterable[str]) -> Hierarchy:
    """Remove values, such as those that do not occur.

    Raises
    ------
    HierarchyError
        No value would be left.
    """
    gone = _leaves_under(hierarchy, 0, [value for value in values if value in hierarchy.index])
    if gone.all():
        raise HierarchyError(_("No value would remain."), hint=_("Keep at least one value."))
    return _compacted(
        hierarchy,
        [list(entry.labels) for entry in hierarchy.levels],
        [entry.codes[~gone] for entry in hierarchy.levels],
    )


def replace_leaves(hierarchy: Hierarchy, changes: Mapping[str, str | None]) -> Hierarchy:
    """Rename values in place, as when they are replaced in the table.

    A value that gets the name of another one is removed, and that one stays in place; None removes a value.
    Groups that a value forms alone under its own name follow it, and so do labels that list all that is in
    their group. Values that are not there are passed over.

    Raises
    ------
    HierarchyError
        No value would be left.
    """
    values = hierarchy.values
    new = [changes.get(value, value) for value in values]
    keeper = {text: leaf for leaf, text in reversed(list(enumerate(new))) if text is not None}
    keeper |= {text: leaf for leaf, text in enumerate(new) if text is not None and text == values[leaf]}
    kept = np.array([leaf for leaf, text in enumerate(new) if keeper.get(text or "") == leaf], dtype=np.int64)
    if not len(kept):
        raise HierarchyError(_("No value would remain."), hint=_("Keep at least one value."))
    home = np.array([-1 if text is None else keeper[text] for text in new], dtype=np.int64)
    names = [[text or "" for text in new]]
    paths = [kept.astype(np.int32)]
    for entry in hierarchy.levels[1:]:
        codes, labels = entry.codes[kept], list(entry.labels)
        alone = np.bincount(codes, minlength=len(labels)) == 1
        own = [
            (code, new[leaf])
            for leaf, code in zip(kept.tolist(), codes.tolist(), strict=True)
            if alone[code] and labels[code] == values[leaf]
        ]
        taken = {labels[code] for code in codes.tolist()} - {labels[code] for code, _unused in own}
        for code, text in own:
            labels[code] = unused(text or "", taken)
            taken.add(labels[code])
        _relist(hierarchy, labels, names, kept, home)
        names.append(labels)
        paths.append(codes)
    return _compacted(hierarchy, names, paths)


def _relist(
    hierarchy: Hierarchy, labels: list[str], names: Sequence[Sequence[str]], kept: IntArray, home: IntArray
) -> None:
    """Let labels of a level that list all of their group name what is in it now.

    Parameters
    ----------
    hierarchy : Hierarchy
        The hierarchy before the change.
    labels : list of str
        Of the level above those of `names`; written to.
    names : sequence of sequence of str
        The present labels of the levels below, by their former codes.
    kept : ndarray of int64
        Leaves that stay.
    home : ndarray of int64, shape (n_leaves,)
        The leaf that has the text of each one now, -1 if it no longer exists.
    """
    entry, below = hierarchy.levels[len(names)], hierarchy.levels[: len(names)]
    is_kept = np.zeros(hierarchy.n_leaves, dtype=np.bool_)
    is_kept[kept] = True
    lists = ((code, listed(entry.labels[code])) for code in np.unique(entry.codes[kept]).tolist())
    for code, parts in ((code, parts) for code, parts in lists if len(parts) > 1):
        inside = entry.codes == code
        found = [place for part in parts if (place := member(below, part, inside)) is not None]
        if sum(int(below[level].n_leaves[own]) for level, own in found) != entry.n_leaves[code]:
            continue
        stays = (home >= 0) & inside[home], is_kept  # values that are renamed, and groups
        is_left = [(stays[level > 0] & (below[level].codes == own)).any() for level, own in found]
        left = (names[level][own] for (level, own), stays_so in zip(found, is_left, strict=True) if stays_so)
        name = ", ".join(dict.fromkeys(own or MISSING for own in left))
        if name not in ("", entry.labels[code]):
            labels[code] = unused(name, {*labels[:code], *labels[code + 1 :]})


def member(levels: Sequence[Level], name: str, inside: BoolArray) -> tuple[int, int] | None:
    """Return level and code of the lowest group, or value, that a list names and that is inside as a whole.

    Parameters
    ----------
    levels : sequence of Level
        From level 0 to the one below that of the list.
    inside : ndarray of bool, shape (n_leaves,)
    """
    for level, entry in enumerate(levels):
        code = entry.index.get("" if name == MISSING else name)
        if code is not None and inside[entry.codes == code].all():
            return level, code
    return None


def children(hierarchy: Hierarchy, level: int, labels: Iterable[str]) -> list[str]:
    """Return the groups of the level below that are in groups, in order of first appearance."""
    inside = _leaves_under(hierarchy, level, labels)
    if level == 0:
        return []
    lower = hierarchy.levels[level - 1]
    return [lower.labels[code] for code in _first_seen(lower.codes[inside], len(lower.labels)).tolist()]


def values_under(hierarchy: Hierarchy, level: int, labels: Iterable[str]) -> list[str]:
    """Return the values in groups, in the order of the hierarchy."""
    leaves = np.flatnonzero(_leaves_under(hierarchy, level, labels))
    return [hierarchy.values[leaf] for leaf in leaves.tolist()]


def groups_of(hierarchy: Hierarchy, source: int, labels: Iterable[str], level: int) -> list[str]:
    """Return the groups of a level that hold any of the groups of another one."""
    _check_level(hierarchy, level)
    entry = hierarchy.levels[level]
    codes = entry.codes[_leaves_under(hierarchy, source, labels)]
    return [entry.labels[code] for code in _first_seen(codes, len(entry.labels)).tolist()]


def _moved(hierarchy: Hierarchy, source: int, moving: BoolArray, level: int, goal: int) -> Hierarchy:
    """Leaves put where another one is, on a level and all above; those that are there already stay."""
    codes = hierarchy.levels[level].codes
    moving = moving & (codes != codes[goal])
    if not moving.any():
        return hierarchy
    levels = list(hierarchy.levels)
    _part(hierarchy, source, level, moving, levels)
    _follow(hierarchy, moving, level, goal, levels)
    return Hierarchy(tuple(levels))


def _follow(hierarchy: Hierarchy, moving: BoolArray, level: int, goal: int, levels: list[Level]) -> None:
    """From a level up, give leaves the groups of another one."""
    for upper in range(level, hierarchy.height + 1):
        entry = hierarchy.levels[upper]
        if (entry.codes[moving] != entry.codes[goal]).any():
            codes = entry.codes.copy()
            codes[moving] = entry.codes[goal]
            levels[upper] = _compact_level(entry.labels, codes, entry.name)


def _part(hierarchy: Hierarchy, source: int, level: int, moving: BoolArray, levels: list[Level]) -> None:
    """Between both levels, give what leaves others of its group behind a group of its own."""
    lowest = hierarchy.levels[source]
    for between in range(source + 1, level):
        entry = hierarchy.levels[between]
        left_behind = np.zeros(len(entry.labels), dtype=np.bool_)
        left_behind[entry.codes[~moving]] = True
        parted = np.flatnonzero(moving & left_behind[entry.codes])
        if not len(parted):
            continue
        inside: dict[int, list[str]] = {}
        below = lowest.codes[parted]
        for place in _first_places(below).tolist():
            code = int(entry.codes[parted[place]])
            inside.setdefault(code, []).append(lowest.labels[below[place]])
        names, taken = list(entry.labels), set(entry.labels)
        part_of = np.zeros(len(names), dtype=np.int32)
        for code in sorted(inside):
            name = group_name(inside[code], taken)
            taken.add(name)
            part_of[code] = len(names)
            names.append(name)
        codes = entry.codes.copy()
        codes[parted] = part_of[entry.codes[parted]]
        levels[between] = _compact_level(names, codes, entry.name)


def _compacted(before: Hierarchy, labels: Sequence[Sequence[str]], codes: Sequence[Codes]) -> Hierarchy:
    """Levels named as before, whose labels are those in use, in the order of the leaves."""
    levels = zip(labels, codes, before.levels, strict=True)
    return Hierarchy(tuple(_compact_level(texts, paths, old.name) for texts, paths, old in levels))


def _compact_level(labels: Sequence[str], codes: Codes, name: str) -> Level:
    used = _first_seen(codes, len(labels))
    place = np.zeros(len(labels), dtype=np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return Level(tuple([labels[code] for code in used.tolist()]), place[codes], name)


def _first_seen(codes: Codes, n_labels: int) -> IntArray:
    """The codes that occur, in order of first appearance."""
    first = first_rows(codes, n_labels)
    used = np.flatnonzero(first >= 0)
    found: IntArray = used[np.argsort(first[used])]
    return found


def _first_places(codes: Codes) -> IntArray:
    """Return the first place of each code, in order."""
    _unused, first = np.unique(codes, return_index=True)
    return np.sort(first)


def _first_leaf(hierarchy: Hierarchy, level: int, label: str) -> int:
    code = _code(hierarchy, level, label)
    return int(np.argmax(hierarchy.levels[level].codes == code))


def _leaf_of_most(above: Level, moving: BoolArray) -> int:
    """A leaf of the group that most leaves have, one with a name if there is any."""
    counts = np.bincount(above.codes[moving], minlength=len(above.labels))
    nameless = above.index.get("")
    if nameless is not None and counts[nameless] < counts.sum():
        counts[nameless] = 0
    return int(np.argmax(above.codes == counts.argmax()))


def _path(hierarchy: Hierarchy, level: int, label: str) -> tuple[str, ...]:
    """The labels from a group to the top."""
    leaf = _first_leaf(hierarchy, level, label)
    return tuple(entry.labels[entry.codes[leaf]] for entry in hierarchy.levels[level:])


def _place_like(hierarchy: Hierarchy, value: str, example: Hierarchy) -> tuple[int, str] | None:
    """The lowest group of another hierarchy that has a value and is one here, with its level here."""
    labels = (example.label(value, level) for level in range(1, example.height + 1))
    known = ((_level_of(hierarchy, label, hierarchy.height), label) for label in labels if label)
    return next(((level, label) for level, label in known if level is not None), None)


def _level_of(hierarchy: Hierarchy, label: str, below: int) -> int | None:
    """The lowest level from 1 to before another one that has a group of this name."""
    return next((level for level in range(1, below) if label in hierarchy.levels[level].index), None)


def _leaves_under(hierarchy: Hierarchy, level: int, labels: Iterable[str]) -> BoolArray:
    """Return which leaves are under groups, shape (n_leaves,)."""
    _check_level(hierarchy, level)
    entry = hierarchy.levels[level]
    chosen = np.zeros(len(entry.labels), dtype=np.bool_)
    chosen[[_code(hierarchy, level, label) for label in labels]] = True
    found: BoolArray = chosen[entry.codes]
    return found


def _some(labels: Iterable[str]) -> list[str]:
    found = list(dict.fromkeys(labels))
    if not found:
        raise HierarchyError(_("Nothing is selected."), hint=_("Select values, or groups of one level."))
    return found


def _code(hierarchy: Hierarchy, level: int, label: str) -> int:
    _check_level(hierarchy, level)
    code = hierarchy.levels[level].index.get(label)
    if code is None:
        raise HierarchyError(
            _("Level {level} has no group '{label}'.").format(level=level, label=label),
            hint=_("It may have been renamed."),
            level=level,
            label=label,
        )
    return code


def _check_level(hierarchy: Hierarchy, level: int) -> None:
    if not 0 <= level <= hierarchy.height:
        raise HierarchyError(
            _("Level {level} does not exist.").format(level=level),
            hint=_("Levels are 0 to {height}.").format(height=hierarchy.height),
            level=level,
        )


def _check_above(hierarchy: Hierarchy, source: int, level: int) -> None:
    _check_level(hierarchy, source)
    _check_level(hierarchy, level)
    if level <= source:
        raise HierarchyError(
            _("Groups of level {source} cannot be moved into a group of level {level}.").format(
                source=source, level=level
            ),
            hint=_("Drop them on a group of a higher level."),
            level=level,
        )


def _check_label(label: str, level: int, taken: Container[str]) -> None:
    if not label.strip():
        raise HierarchyError(
            _("A group needs a label."),
            hint=_("For example: {SUPPRESSED}.").format(SUPPRESSED=SUPPRESSED),
            level=level,
        )
    if label in taken:
        raise HierarchyError(
            _("Another group of level {level} already has the label '{label}'.").format(
                level=level, label=label
            ),
            hint=_("Choose another label, or merge the two groups."),
            level=level,
            label=label,
        )


def _named(hierarchy: Hierarchy) -> Hierarchy:
    """The hierarchy, if nothing but the missing value is without a name on any level."""
    level = hierarchy.nameless_level
    if level is not None:
        raise HierarchyError(
            _("The group of missing values has no label on level {level}.").format(level=level),
            hint=_("Rename it; then other values can be moved into it."),
            level=level,
            label="",
        )
    return hierarchy
