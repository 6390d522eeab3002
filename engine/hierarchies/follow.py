"""Labels follow an edit: what the program had written of a group is rewritten for its present content.

A label is taken for one of the program's if it was true of its group before and has a form that the
program writes: ranges and periods, lists of the members, masks. All others were chosen by the user and
stay. The rule that names keep is that of `group_names`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.cached import cached_property
from engine.hierarchies.editing import member, merge, split
from engine.hierarchies.group_names import MISSING, is_numbered, listed, numbered, unused
from engine.hierarchies.hierarchy import SUPPRESSED, Hierarchy, Level
from engine.hierarchies.lines import MOST_NAMED, CalendarLine, Former, Line, line_of
from engine.kernels.arrays import IntArray
from engine.records import Column

_LIST = ", "
_COUNTED = re.compile(
    r" \((?:\d+(?: values)?|values \d+ to \d+)\)$"
)  # how many they are, or which of several called alike
_RANKS = re.compile(r"ranks \d+-\d+")


def followed(before: Hierarchy, after: Hierarchy, column: Column, typed: str | None = None) -> Hierarchy:
    """Rewrite labels after an edit, if their groups have changed.

    Parameters
    ----------
    before, after : Hierarchy
        Of equal height, with the leaves of `before` first.
    column : Column
        Whose values they are.
    typed : str, optional
        A label that the user entered in this edit, which does not change.
    """
    return _followed(before, after, column, typed)


def _followed(
    before: Hierarchy, after: Hierarchy, column: Column, typed: str | None = None, unit: str | None = None
) -> Hierarchy:
    """Rewrite labels; periods of changed groups of dates are of a unit, if it is given."""
    if before.height != after.height or before is after:
        return after
    names = _Names(before, after, column, typed, unit)
    levels = list(after.levels)
    for number in range(1, after.height + 1):
        if after.levels[number] is not before.levels[number]:
            levels[number] = names.renamed(number, levels[number - 1])
    return Hierarchy(tuple(levels))


def merged(hierarchy: Hierarchy, level: int, labels: Iterable[str], column: Column) -> Hierarchy:
    """Join groups of one level, named after what they hold; see `editing.merge`."""
    return followed(hierarchy, merge(hierarchy, level, labels), column)


def broken_up(hierarchy: Hierarchy, level: int, label: str, column: Column) -> Hierarchy:
    """Break a group into what it holds; see `editing.split`.

    Dates right below it become periods: those that its label has several of, else the next finer ones.
    """
    line = line_of(hierarchy, column) if level == 1 else None
    code = hierarchy.levels[level].index.get(label)
    if not isinstance(line, CalendarLine) or code is None:
        return split(hierarchy, level, label)
    entry = hierarchy.levels[level]
    leaves = np.flatnonzero(entry.codes == code)
    dated = leaves[line.known[leaves]]
    unit, periods = line.parts(dated, entry) if len(dated) > 1 else ("", np.zeros(0, dtype=np.int64))
    found = np.unique(periods)
    if unit == line.resolution or len(found) < 2:
        return split(hierarchy, level, label)
    values = hierarchy.values
    parts = [[values[leaf] for leaf in dated[periods == period].tolist()] for period in found.tolist()]
    parts += [[values[leaf]] for leaf in leaves[~line.known[leaves]].tolist()]
    return _followed(hierarchy, split(hierarchy, level, label, parts), column, unit=unit)


def is_own_word(hierarchy: Hierarchy, level: int, label: str, column: Column) -> bool:
    """Return whether the user chose a label, so that edits do not change it."""
    names = _Names(hierarchy, hierarchy, column)
    leaves = np.flatnonzero(hierarchy.levels[level].codes == hierarchy.levels[level].index[label])
    return not is_numbered(label) and not names.is_written(level, label, leaves)


@dataclass
class _Change:
    """A group of which an edit gave or took something.

    Attributes
    ----------
    code : int
        In the level after the edit.
    formers : list of (int, Former)
        What it has of each group before, by the code of that.
    new : ndarray of int64
        Leaves that there were not before.
    """

    code: int
    leaves: IntArray
    formers: list[tuple[int, Former]]
    new: IntArray


class _Names:
    """Names the groups that an edit changed."""

    def __init__(
        self,
        before: Hierarchy,
        after: Hierarchy,
        column: Column,
        typed: str | None = None,
        unit: str | None = None,
    ) -> None:
        self._before, self._after, self._column = before, after, column
        self._typed, self._unit = typed, unit

    def renamed(self, number: int, lower: Level) -> Level:
        """A level with the labels of its changed groups rewritten."""
        entry, old = self._after.levels[number], self._before.levels[number]
        wanted = [change for change in _changes(old, entry) if self._is_wanted(number, change)]
        if not wanted:
            return entry
        chosen = {change.code for change in wanted}
        taken = {label for code, label in enumerate(entry.labels) if code not in chosen}
        labels = list(entry.labels)
        for change in wanted:
            name = self._name(number, change, lower, taken)
            if name is None:
                name = numbered(self._labels_before | taken)
            name = unused(name, taken)
            labels[change.code] = name
            taken.add(name)
        return replace(entry, labels=tuple(labels))

    def is_written(self, number: int, label: str, leaves: IntArray) -> bool:
        """Return whether a label has a form that the program writes and fits all leaves of its group."""
        line = self._line
        label = _COUNTED.sub("", label)
        if line is not None and (
            line.is_true(label, leaves) or line.stands_for(label, leaves, self._before.levels[number])
        ):
            return True
        if _is_mask(label):
            return self.is_written_of_all(label, leaves)
        inside = np.zeros(self._before.n_leaves, dtype=np.bool_)
        inside[leaves] = True
        if _RANKS.fullmatch(label) or any(
            all(self._part(1, end, inside) is not None for end in ends) for ends in _ends(label)
        ):
            return True
        covered = np.zeros(self._before.n_leaves, dtype=np.bool_)
        for part in [label] if self._part(number, label, inside) is not None else listed(label):
            found = self._part(number, part, inside)
            if found is None:
                return False
            covered[found] = True
        return bool(covered[leaves].all())

    @cached_property
    def _labels_before(self) -> frozenset[str]:
        """Labels of all levels before the edit."""
        return frozenset().union(*(level.labels for level in self._before.levels))

    @cached_property
    def _line(self) -> Line | None:
        return line_of(self._after, self._column)

    def _part(self, number: int, label: str, inside: np.ndarray) -> IntArray | None:
        """The leaves of a lower group, or the value, of a name, if all of them are in a group."""
        found = member(self._before.levels[:number], label, inside)
        return None if found is None else np.flatnonzero(self._before.levels[found[0]].codes == found[1])

    def _is_wanted(self, number: int, change: _Change) -> bool:
        """Return whether the label of a changed group is the program's and no longer as it would write it."""
        label = self._after.levels[number].labels[change.code]
        if label in (self._typed, SUPPRESSED):
            return False
        old = self._before.levels[number]
        code = old.index.get(label)
        if code is None:
            return True
        if is_numbered(label):
            return False
        leaves = np.flatnonzero(old.codes == code)
        kept = sum(len(former.leaves) for other, former in change.formers if other == code)
        gains = len(change.leaves) > kept
        if self.is_written(number, label, leaves):
            return not _is_mask(label) or not self.is_written_of_all(label, change.leaves)
        return gains and _LIST in label

    def is_written_of_all(self, label: str, leaves: IntArray) -> bool:
        """Return whether a mask fits all leaves."""
        values = self._after.values
        return all(map(_fits(label), (values[leaf] for leaf in leaves.tolist())))

    def _name(self, number: int, change: _Change, lower: Level, taken: set[str]) -> str | None:
        line, leaves = self._line, change.leaves
        if line is not None and line.known[leaves].any() and self._are_all_written(number, change):
            formers = [former for _, former in change.formers]
            return line.name(leaves, formers, self._before.levels[number], taken, self._unit)
        if len(leaves) == 1:
            return self._after.values[leaves[0]] or None
        return self._listed(number, change, lower)

    def _are_all_written(self, number: int, change: _Change) -> bool:
        """Return whether no group that is in a changed one as a whole has a person's label."""
        old = self._before.levels[number]
        return all(
            int(old.n_leaves[code]) > len(former.leaves)
            or self.is_written(number, former.label, former.leaves)
            for code, former in change.formers
        )

    def _listed(self, number: int, change: _Change, lower: Level) -> str | None:
        """Return the names of all members of a group; None if they are too many, or it has only a number."""
        old, names = self._before.levels[number], list[str]()
        for code, former in change.formers:
            if int(old.n_leaves[code]) == len(former.leaves):
                names += listed(former.label)
            else:
                names += _labels_of(lower, former.leaves)
        names += _labels_of(lower, change.new)
        # A group below may be a list of what has a name of its own here.
        names = [part for name in names for part in listed(name)]
        names = [name or MISSING for name in dict.fromkeys(names)]
        if len(names) > MOST_NAMED or any(map(is_numbered, names)):
            return None
        return _LIST.join(names)


def _changes(old: Level, entry: Level) -> Iterator[_Change]:
    """The groups that hold something else than the group of the same label before."""
    n_old = len(old.codes)
    before = np.full(len(entry.codes), -1, dtype=np.int64)
    before[:n_old] = old.codes
    n_labels = len(old.labels) + 1
    pairs, counts = np.unique(entry.codes * n_labels + before + 1, return_counts=True)
    codes, formers = np.divmod(pairs, n_labels)
    formers -= 1
    same = np.array([old.index.get(label, -2) for label in entry.labels], dtype=np.int64)
    is_whole = (formers >= 0) & (counts == old.n_leaves[formers]) & (counts == entry.n_leaves[codes])
    is_same = is_whole & (formers == same[codes])
    for code in np.unique(codes[~is_same]).tolist():
        leaves = np.flatnonzero(entry.codes == code)
        own = before[leaves]
        _, first = np.unique(own, return_index=True)
        order = [int(own[place]) for place in np.sort(first).tolist()]
        parts = [(c, Former(old.labels[c], leaves[own == c])) for c in order if c >= 0]
        yield _Change(int(code), leaves, parts, leaves[own < 0])


def _labels_of(level: Level, leaves: IntArray) -> list[str]:
    """Return the groups of leaves, in order; at most as many as show that they are too many."""
    found: dict[str, None] = {}
    for code in level.codes[leaves].tolist():
        found[level.labels[code]] = None
        if len(found) > MOST_NAMED:
            break
    return list(found)


def _ends(label: str) -> Iterator[tuple[str, str]]:
    """The texts that may be the ends of a range of texts: `a to c`, `[a, c]`."""
    if label.startswith("[") and label.endswith("]"):
        label, sign = label[1:-1], _LIST
    else:
        sign = " to "
    for found in re.finditer(re.escape(sign), label):
        yield label[: found.start()], label[found.end() :]


def _is_mask(label: str) -> bool:
    return SUPPRESSED in label and bool(label.strip(SUPPRESSED)) and _LIST not in label


def _fits(mask: str) -> Callable[[str], re.Match[str] | None]:
    """Return whether a value can be behind a mask: stars at the end may also stand for nothing."""
    pattern = "".join(".?" if letter == SUPPRESSED else re.escape(letter) for letter in mask)
    return re.compile(pattern, re.DOTALL).fullmatch
