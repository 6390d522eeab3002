"""A generalization hierarchy: the steps of one column from original values to `*`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from engine.cached import cached_property
from engine.errors import HierarchyGapError
from engine.hierarchies.group_names import unused
from engine.hierarchies.problems import coded, find_problems, refusal
from engine.kernels.arrays import BoolArray, Codes, Counts, FloatArray, IntArray
from engine.notebook import Brief, Facts
from engine.records import Column
from engine.records.values import measure
from engine.words import N_, _, ngettext

SUPPRESSED = "*"

# Changes by hand keep level 0 as it is, and looking up very many values takes longer than all else.
_LEAVES: WeakKeyDictionary[Level, WeakKeyDictionary[Column, IntArray]] = WeakKeyDictionary()
_NUMBERS: WeakKeyDictionary[Level, WeakKeyDictionary[Column, FloatArray]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Level(Brief):
    """One level: its labels in order of first appearance, and the label of each leaf.

    Attributes
    ----------
    codes : ndarray of int32, shape (n_leaves,)
        Index into `labels` per leaf.
    name : str
        What the user calls the level, such as "5-year bands"; a recipe keeps it.
    proposed : str
        Name by its builder, used if it has no name; if both are empty it is described by its labels.
    """

    labels: tuple[str, ...]
    codes: Codes
    name: str = ""
    proposed: str = ""

    @cached_property
    def index(self) -> dict[str, int]:
        """The code of each label."""
        return {label: code for code, label in enumerate(self.labels)}

    @cached_property
    def n_leaves(self) -> Counts:
        """Leaves under each label, shape (n_labels,)."""
        return np.bincount(self.codes, minlength=len(self.labels)).astype(np.int64)

    def among(self, labels: Iterable[str]) -> BoolArray:
        """Return whether each label is one of some, shape (n_labels,); unknown ones are passed over."""
        found = np.zeros(len(self.labels), dtype=np.bool_)
        found[[self.index[label] for label in labels if label in self.index]] = True
        return found


@dataclass(frozen=True, eq=False)
class Hierarchy(Brief):
    """A tree of coarsening levels over the values of one column.

    Attributes
    ----------
    levels : tuple of Level
        Level 0 holds the original values (the leaves), the last step is normally `*`.
    beside : tuple of int
        For each level after the last step, the step of the label that its first label is a part of; see
        `engine.hierarchies.remainders`.
    """

    levels: tuple[Level, ...]
    beside: tuple[int, ...] = ()

    def _facts(self) -> Facts:
        return [("labels by level", ", ".join(str(len(level.labels)) for level in self.levels))]

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[Sequence[str]],
        *,
        source: str = N_("The hierarchy"),
        line_numbers: Sequence[int] | None = None,
    ) -> Hierarchy:
        """Build and check a hierarchy from lines `value, label 1, ..., label h`.

        Parameters
        ----------
        rows : sequence of sequences of str
            One line per value; a line may repeat if it says the same.
        source : str
            What messages call the origin, such as a file name.
        line_numbers : sequence of int, optional
            The line of each row in its file; by default rows are counted from 1.

        Raises
        ------
        HierarchyError
            Lines of unequal length, a value defined twice differently, a group without label, or a
            level that does not coarsen the one below; names line, column and both values of the first.
            The context has all of them as `problems`.
        """
        problems = find_problems(rows, line_numbers)
        if problems:
            raise refusal(problems, source)
        return cls.from_labels(list({row[0]: row for row in rows}.values()))

    @classmethod
    def from_labels(cls, rows: Sequence[Sequence[str]]) -> Hierarchy:
        """Build from lines known to be a tree, one per distinct value; not checked."""
        return cls(tuple(Level(*coded(texts)) for texts in zip(*rows, strict=True)))

    @classmethod
    def identity(cls, values: Sequence[str]) -> Hierarchy:
        """A hierarchy of height 0: every value is kept."""
        return cls.from_labels([[value] for value in values])

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.levels) - 1 - len(self.beside)

    @property
    def steps(self) -> Hierarchy:
        """The hierarchy without levels beside its steps."""
        return Hierarchy(self.levels[: self.height + 1]) if self.beside else self

    @cached_property
    def step_of(self) -> IntArray:
        """Step of every level: itself, or that of the label that its first label is a part of."""
        return np.array([*range(self.height + 1), *self.beside])

    @property
    def values(self) -> tuple[str, ...]:
        """The leaves, in the order of the file."""
        return self.levels[0].labels

    @property
    def level_names(self) -> tuple[str, ...]:
        """The names of levels 1 to the height; empty for levels without one."""
        return tuple(level.name for level in self.levels[1:])

    def with_level_names(self, names: Sequence[str], *, are_proposed: bool = False) -> Hierarchy:
        """Name levels 1, 2, ...; levels beyond the last name, and one that is all `*`, get none."""
        levels = [self.levels[0]]
        for level, given in zip(self.levels[1:], (*names, *[""] * self.height), strict=False):
            name = "" if level.labels == (SUPPRESSED,) else given.strip()
            levels.append(replace(level, proposed=name) if are_proposed else replace(level, name=name))
        return Hierarchy(tuple(levels))

    @property
    def n_leaves(self) -> int:
        """Number of leaves, present in the data or not."""
        return len(self.levels[0].labels)

    @property
    def index(self) -> dict[str, int]:
        """Leaf number by value."""
        return self.levels[0].index

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The distinct labels of all levels: who reads a released cell sees the text, not the level."""
        return tuple(dict.fromkeys(label for level in self.levels for label in level.labels))

    @cached_property
    def text_codes(self) -> Codes:
        """Index in `texts` of the label of every leaf on every level, shape (height + 1, n_leaves)."""
        place = {text: code for code, text in enumerate(self.texts)}
        rows = [
            np.array([place[label] for label in level.labels], dtype=np.int32)[level.codes]
            for level in self.levels
        ]
        return np.array(rows, dtype=np.int32)

    @property
    def root_level(self) -> int:
        """The lowest level whose labels are one and the same; the height plus one if there is none."""
        single = (number for number, level in enumerate(self.levels) if len(level.labels) == 1)
        return next(single, self.height + 1)

    def rooted(self) -> Hierarchy:
        """Return the steps, ending in a single label: with a level of `*` on top if they do not."""
        return self.steps.with_star() if self.top_label is None else self.steps

    def with_star(self) -> Hierarchy:
        """Return the hierarchy with a level of `*` on top."""
        star = Level((SUPPRESSED,), np.zeros(self.n_leaves, dtype=np.int32))
        return Hierarchy((*self.levels, star))

    @property
    def nameless_level(self) -> int | None:
        """The lowest level on which more than the missing value has an empty label, if there is one."""
        own = self.index.get("", -1)
        for number, level in enumerate(self.levels[1:], start=1):
            if (np.flatnonzero(level.codes == level.index.get("", -1)) != own).any():
                return number
        return None

    @property
    def top_label(self) -> str | None:
        """The single label of the top level, if it is single."""
        labels = self.levels[self.height].labels
        return labels[0] if len(labels) == 1 else None

    def label(self, value: str, level: int) -> str:
        """The label of a value on a level."""
        entry = self.levels[level]
        return entry.labels[int(entry.codes[self.index[value]])]

    def rows(self) -> list[tuple[str, ...]]:
        """The lines `value, label 1, ...`, in leaf order."""
        columns = [[level.labels[code] for code in level.codes] for level in self.levels]
        return list(zip(*columns, strict=True))

    @cached_property
    def parent_codes(self) -> tuple[IntArray, ...]:
        """Per level below the top, the code on the level above of each label."""
        found = []
        for below, above in pairwise(self.levels):
            upper = np.zeros(len(below.labels), dtype=np.int64)
            upper[below.codes] = above.codes
            found.append(upper)
        return tuple(found)

    @cached_property
    def parents(self) -> tuple[dict[str, str], ...]:
        """Per level below the top, the label above each label."""
        return tuple(
            {label: above.labels[code] for label, code in zip(below.labels, codes.tolist(), strict=True)}
            for (below, above), codes in zip(pairwise(self.levels), self.parent_codes, strict=True)
        )

    def leaves_of(self, column: Column) -> IntArray:
        """Return the leaf of each label of a column, -1 without one, shape (n_labels,); never written to."""
        known = _LEAVES.setdefault(self.levels[0], WeakKeyDictionary())
        if column not in known:
            leaves = (self.index.get(label, -1) for label in column.labels)
            known[column] = np.fromiter(leaves, np.int64, len(column.labels))
        return known[column]

    def numbers_of(self, column: Column) -> FloatArray:
        """Return the number of each leaf as a column reads it, nan for none; never written to."""
        known = _NUMBERS.setdefault(self.levels[0], WeakKeyDictionary())
        if column not in known:
            leaves = self.leaves_of(column)
            numbers, is_absent = np.full(self.n_leaves, np.nan), np.ones(self.n_leaves, dtype=np.bool_)
            numbers[leaves[leaves >= 0]] = column.numbers[leaves >= 0]
            is_absent[leaves[leaves >= 0]] = False
            absent = [self.values[leaf] for leaf in np.flatnonzero(is_absent).tolist()]
            numbers[is_absent] = measure(absent, column.data_type)[0]
            known[column] = numbers
        return known[column]

    def gaps(self, column: Column) -> list[str]:
        """Values of the column that the hierarchy lacks; missing is placed by rule and is not a gap."""
        n_values = len(column.labels) - column.has_missing
        lacks = np.flatnonzero(self.leaves_of(column)[:n_values] < 0)
        return [column.labels[i] for i in lacks.tolist()]

    def extended(self, values: Iterable[str]) -> Hierarchy:
        """Add values: each stays itself below the top and takes the top label if that is single."""
        new = [value for value in dict.fromkeys(values) if value not in self.index]
        return self.with_paths([self._path_of_new(value) for value in new])

    def with_paths(self, paths: Sequence[Sequence[str]]) -> Hierarchy:
        """Add leaves by their labels from level 0 up; known to be new and to keep a tree."""
        if not paths:
            return self
        levels = []
        for entry, texts in zip(self.levels, zip(*paths, strict=True), strict=True):
            fresh = dict.fromkeys(text for text in texts if text not in entry.index)
            new = {text: code for code, text in enumerate(fresh, start=len(entry.labels))}
            added = [new[text] if text in new else entry.index[text] for text in texts]
            codes = np.concatenate((entry.codes, np.array(added, dtype=np.int32)))
            levels.append(
                Level((*entry.labels, *new) if new else entry.labels, codes, entry.name, entry.proposed)
            )
        return Hierarchy(tuple(levels))

    def covering(
        self,
        column: Column,
        *,
        owner: str = "table",
        hint: str = N_("Add them to the hierarchy, or build it again from the data."),
    ) -> Hierarchy:
        """Return a hierarchy with every value of the column, the missing one placed by rule.

        Parameters
        ----------
        owner : str
            "table" or "population": whose column it is, for the error.
        hint : str
            The next step, for the error.

        Raises
        ------
        HierarchyGapError
            If values other than the missing one are absent; names up to three of them.
        """
        gaps = self.gaps(column)
        if gaps:
            names = ", ".join(f"'{value}'" for value in gaps[:3]) + (", ..." if len(gaps) > 3 else "")
            if owner == "population":
                problem = ngettext(
                    "The hierarchy of '{name}' lacks {n} value of the population: {names}.",
                    "The hierarchy of '{name}' lacks {n} values of the population: {names}.",
                    len(gaps),
                )
            else:
                problem = ngettext(
                    "The hierarchy of '{name}' lacks {n} value of the table: {names}.",
                    "The hierarchy of '{name}' lacks {n} values of the table: {names}.",
                    len(gaps),
                )
            raise HierarchyGapError(
                problem.format(name=column.name, n=len(gaps), names=names),
                hint=_(hint),
                column=column.name,
                values=tuple(gaps),
            )
        return self.extended([column.labels[-1]]) if column.has_missing else self

    @cached_property
    def _below_nothing(self) -> frozenset[str]:
        """Groups of the missing value that have no name on a level above, so that nothing can join them."""
        if "" not in self.index:
            return frozenset()
        path = [self.label("", level) for level in range(1, self.height + 1)]
        n_below = max((number for number, label in enumerate(path) if not label), default=0)
        return frozenset(label for label in path[:n_below] if label)

    def _path_of_new(self, value: str) -> tuple[str, ...]:
        labels, name = [value], unused(value, self._below_nothing)
        group: int | None = None  # the code of what the value is called on the level below
        for upper in range(1, self.height + 1):
            entry = self.levels[upper]
            if group is not None:  # written like an existing group, so it is that group
                labels.append(entry.labels[self.parent_codes[upper - 1][group]])
            elif upper == self.height and self.top_label:  # that of missing values alone may have no name
                labels.append(self.top_label)
            else:
                labels.append(name)
            group = entry.index.get(labels[-1])
        return tuple(labels)
