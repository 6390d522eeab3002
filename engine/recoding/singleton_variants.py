"""Every local and global coarsening of a table, by the singletons that are left, and the best of them.

The study of Pastore, Pellegrino and Scarano [1]_: which columns have to be coarsened, and whether for all
records or only for unique ones, so that no record is unique any more.

References
----------
.. [1] Pastore, Pellegrino, Scarano: detection of quasi-identifiers by singletons, and their anonymization by
   local and global recoding; program of isislab-unisa (2020).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.errors import InputError, ParameterError, nearest
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import NO_CONTEXT, BuilderContext, HierarchyBuilder
from engine.hierarchies.builders.suppress import SuppressBuilder
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Codes
from engine.kernels.grouping import class_labels
from engine.monitor import SILENT, Monitor, with_progress
from engine.numbers import as_exact_count
from engine.privacy.required import Measured
from engine.records import Column
from engine.records.column_selection import chosen_columns, refuse_none_left, without_missing
from engine.records.opening.data_frames import AnyTable, as_table
from engine.words import _


@dataclass(frozen=True, eq=False)
class Coarsening:
    """One way to make the values of a column coarser: a level of a hierarchy over them.

    Attributes
    ----------
    name : str
        What people call it, such as "values=4".
    hierarchy : Hierarchy
        Has every value of the column.
    """

    column: str
    name: str
    hierarchy: Hierarchy
    level: int


@dataclass(frozen=True, slots=True)
class Counted:
    """A table with some values generalized.

    Attributes
    ----------
    singletons : int
        Records alone with their combination of texts.
    distinct : int
        Different combinations of texts.
    modified : int
        Records of which a text changed.
    cells : int
        Texts that changed.
    """

    singletons: int
    distinct: int
    modified: int
    cells: int


class SingletonTable:
    """The combinations of some columns as texts: values and labels that read alike are alike.

    Parameters
    ----------
    ways : sequence of sequences of Coarsening
        Per column.

    Attributes
    ----------
    counts : ndarray of int64, shape (n_combinations,)
        Records of every combination.
    original : list of ndarray of int32, each of shape (n_combinations,)
        Number of the text, per column.
    coarse : list of lists of such arrays
        The same by every way of the column.
    """

    def __init__(self, columns: Sequence[Column], ways: Sequence[Sequence[Coarsening]]) -> None:
        labels, first, self.counts = class_labels(
            [c.codes for c in columns], [len(c.labels) for c in columns]
        )
        self.n_records = len(labels)
        self.original: list[Codes] = []
        self.coarse: list[list[Codes]] = []
        self._spans: list[int] = []
        for column, own in zip(columns, ways, strict=True):
            texts: dict[str, int] = {}
            codes = column.codes[first]
            self.original.append(_numbered(column.labels, texts)[codes])
            self.coarse.append([_numbered(_labels(way, column), texts)[codes] for way in own])
            self._spans.append(len(texts))

    @property
    def singled(self) -> BoolArray:
        """Return which combinations belong to a single record."""
        return np.asarray(self.counts == 1)

    def count(self, texts: Sequence[Codes]) -> Counted:
        """Count singletons, combinations and changes where the columns have these texts."""
        labels, _, _ = class_labels(texts, self._spans)
        sizes = np.bincount(labels, weights=self.counts)
        changed = np.array([new != old for new, old in zip(texts, self.original, strict=True)])
        return Counted(
            int((sizes == 1).sum()),
            len(sizes),
            int(self.counts[changed.any(axis=0)].sum()),
            int((changed * self.counts).sum()),
        )


def _labels(way: Coarsening, column: Column) -> list[str]:
    hierarchy = way.hierarchy.covering(column)
    return [hierarchy.label(value, way.level) for value in column.labels]


def _numbered(labels: Sequence[str], texts: dict[str, int]) -> Codes:
    """Number of each text, new ones numbered on."""
    return np.array([texts.setdefault(label, len(texts)) for label in labels], dtype=np.int32)


Choice = tuple[tuple[int, int], ...]
"""Columns that are coarsened, each with the number of the way it is."""


def choices(n_ways: Sequence[int], most_columns: int) -> Iterator[Choice]:
    """List every non-empty choice of columns with a way each, by number of columns, then in their order.

    Parameters
    ----------
    n_ways : sequence of int
        How many ways each column has.
    most_columns : int
        How many columns are coarsened at a time, at most.
    """
    for size in range(1, min(most_columns, len(n_ways)) + 1):
        for columns in itertools.combinations(range(len(n_ways)), size):
            for ways in itertools.product(*(range(n_ways[column]) for column in columns)):
                yield tuple(zip(columns, ways, strict=True))


def n_choices(n_ways: Sequence[int], most_columns: int) -> int:
    """Return the number of `choices` without listing them."""
    by_size = [1] + [0] * min(most_columns, len(n_ways))
    for ways in n_ways:
        for size in range(len(by_size) - 1, 0, -1):
            by_size[size] += by_size[size - 1] * ways
    return sum(by_size) - 1


SCOPES = ("local", "global", "both")
_MOST = 100_000  # variants; a person reads a few

Ways = Mapping[str, Mapping[str, Hierarchy | HierarchyBuilder]]
LocalRule = Callable[[SingletonTable, Choice], list[Codes]]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to coarsen a table.

    Attributes
    ----------
    scope : str
        "none" for the unchanged table; "local" where only singletons are coarsened; "global" where the
        columns are coarsened in every record.
    coarsened : tuple of (str, str)
        The columns that are coarsened, each with the name of the way.
    counted : Counted
        What the table looks like then.
    """

    scope: str
    coarsened: tuple[tuple[str, str], ...]
    counted: Counted

    @property
    def merit(self) -> tuple[int, ...]:
        """Sort key of the best variant, smallest first: singletons, changed records, changed cells."""
        counted = self.counted
        return counted.singletons, counted.modified, counted.cells, len(self.coarsened)


@dataclass(frozen=True, eq=False)
class SingletonStudy(Measured):
    """The variants of a table.

    Attributes
    ----------
    n_records : int
        Records looked at.
    n_left_out : int
        Records with a missing cell, where those are left out.
    variants : tuple of Variant
        The unchanged table, then the local and the global variants, those of fewer columns first.
    """

    n_records: int
    n_left_out: int
    variants: tuple[Variant, ...]

    @property
    def original(self) -> Variant:
        """The unchanged table."""
        return self.variants[0]

    @property
    def best(self) -> Variant:
        """The variant with fewest singletons, of these the one that changes fewest records, then cells.

        What then still ties has as few columns as can be, and comes first. It is the original if
        no record is unique in it.
        """
        return min(self.variants, key=lambda variant: variant.merit)

    def as_dict(self) -> dict[str, Any]:
        """The study as `anonymizer singletons --format json` prints it."""
        return {
            "records": self.n_records,
            "left_out": self.n_left_out,
            "variants": [self._entry(variant) for variant in self.variants],
            "best": self._entry(self.best),
        }

    def _entry(self, variant: Variant) -> dict[str, Any]:
        counted = variant.counted
        return {
            "scope": variant.scope,
            "coarsened": dict(variant.coarsened),
            "singletons": counted.singletons,
            "share": counted.singletons / self.n_records,
            "distinct": counted.distinct,
            "modified": counted.modified,
            "cells": counted.cells,
        }


@with_progress
def singleton_variants(
    data: AnyTable,
    columns: Sequence[str] | str | None = None,
    ways: Ways | None = None,
    *,
    scope: str = "both",
    max_columns: int | None = None,
    drop_missing: bool = False,
    local: LocalRule | None = None,
    monitor: Monitor = SILENT,
    progress: bool = False,
) -> SingletonStudy:
    """Try every combination of columns, coarsened for singletons only or for all records.

    Parameters
    ----------
    columns : sequence of str, or str, optional
        The columns that others could know; all of the table by default.
    ways : mapping of str to mapping of str to Hierarchy or HierarchyBuilder, optional
        How each column may be coarsened, by a name for the way. Every level of a hierarchy is a way of its
        own, but for the values themselves, and for a top of `*` over other levels. A column without
        ways is hidden: all its values become `*`.
    scope : str
        "local", "global" or "both".
    max_columns : int, optional
        How many columns are coarsened at a time, at most; all by default.
    drop_missing : bool
        Leave out records with a missing cell in one of the columns, as the paper does; else missing is a
        value like any other.
    local : callable, optional
        The texts of a local variant; by default every singleton of the original table gets all columns
        coarsened at once.

    Raises
    ------
    TableError
        A column does not exist, or the data cannot be read.
    HierarchyError
        A hierarchy does not have all values of its column, or cannot be built.
    InputError
        A column is named twice, ways are given of a column that is not looked at, no record is left,
        or more variants would be tried than is reasonable.
    ParameterError
        If `scope` or `max_columns` is none of the above.
    """
    if scope not in SCOPES:
        raise ParameterError(_("Unknown scope '{scope}'.").format(scope=scope), hint=nearest(scope, SCOPES))
    if max_columns is not None and max_columns < 1:
        raise ParameterError(
            _("The number of columns at a time cannot be {max_columns}.").format(max_columns=max_columns),
            hint=_("Use 1 or more."),
        )
    table = as_table(data, monitor)
    chosen = chosen_columns(table, columns)
    if drop_missing:
        chosen = without_missing(chosen)
    refuse_none_left(table, chosen)
    own = coarsenings(chosen, ways or {}, BuilderContext(table))
    most = len(chosen) if max_columns is None else max_columns
    total = n_choices([len(entries) for entries in own], most) * (2 if scope == "both" else 1)
    if total > _MOST:
        raise InputError(
            _("{total} variants are too many to examine.").format(total=as_exact_count(total)),
            hint=_("Use fewer columns or methods, or generalize fewer columns at a time."),
        )
    return SingletonStudy(
        len(chosen[0].codes),
        table.n_records - len(chosen[0].codes),
        tuple(_variants(SingletonTable(chosen, own), own, scope, most, local or at_once, total, monitor)),
    )


def coarsenings(
    columns: Sequence[Column], ways: Ways, context: BuilderContext = NO_CONTEXT
) -> list[list[Coarsening]]:
    """Return the ways of each column, hiding it if there is none; see `singleton_variants`."""
    names = [column.name for column in columns]
    for name in ways:
        if name not in names:
            raise InputError(
                _("'{name}' is not one of the examined columns.").format(name=name), hint=nearest(name, names)
            )
    return [
        [
            way
            for name, made in (ways.get(column.name) or {SUPPRESSED: SuppressBuilder()}).items()
            for way in _levels(column, name, made, context)
        ]
        for column in columns
    ]


def everywhere(table: SingletonTable, choice: Choice) -> list[Codes]:
    """The texts of a global variant."""
    texts = list(table.original)
    for column, way in choice:
        texts[column] = table.coarse[column][way]
    return texts


def at_once(table: SingletonTable, choice: Choice) -> list[Codes]:
    """The texts of a local variant: unique records of the original table get all columns coarsened."""
    texts = list(table.original)
    for column, way in choice:
        texts[column] = np.where(table.singled, table.coarse[column][way], texts[column])
    return texts


def _levels(
    column: Column, name: str, made: Hierarchy | HierarchyBuilder, context: BuilderContext
) -> list[Coarsening]:
    hierarchy = made.build(column, context) if isinstance(made, HierarchyBuilder) else made
    hierarchy = hierarchy.covering(column)
    if hierarchy.height == 0:
        raise InputError(
            _("The hierarchy of '{name}' has no level above the values.").format(name=column.name),
            hint=_("Give one with such a level, or none: the column is then hidden."),
            column=column.name,
        )
    is_topped = hierarchy.height > 1 and hierarchy.top_label == SUPPRESSED
    levels = range(1, hierarchy.height if is_topped else hierarchy.height + 1)
    return [
        Coarsening(
            column.name,
            name if len(levels) == 1 else _("{name}, level {level}").format(name=name, level=level),
            hierarchy,
            level,
        )
        for level in levels
    ]


def _variants(
    table: SingletonTable,
    own: Sequence[Sequence[Coarsening]],
    scope: str,
    most: int,
    local: LocalRule,
    total: int,
    monitor: Monitor,
) -> list[Variant]:
    found = [Variant("none", (), table.count(table.original))]
    for kind, texts_of in (("local", local), ("global", everywhere)):
        if scope not in (kind, "both"):
            continue
        for choice in choices([len(entries) for entries in own], most):
            monitor.step(
                len(found) - 1, total, _("{n} of {total} variants").format(n=len(found) - 1, total=total)
            )
            names = tuple((own[column][way].column, own[column][way].name) for column, way in choice)
            found.append(Variant(kind, names, table.count(texts_of(table, choice))))
    return found
