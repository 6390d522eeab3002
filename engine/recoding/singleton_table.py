"""Distinct combinations of values, and how many are alone once some of them are coarsened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.hierarchies import Hierarchy
from engine.kernels.arrays import BoolArray, Codes
from engine.kernels.grouping import class_labels
from engine.table import Column


@dataclass(frozen=True, eq=False)
class Coarsening:
    """One way to make the values of a column coarser: a level of a hierarchy over them.

    Attributes
    ----------
    column : str
    name : str
        What people call it, such as "values=4".
    hierarchy : Hierarchy
        Has every value of the column.
    level : int
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
    columns : sequence of Column
    ways : sequence of sequences of Coarsening
        Per column.

    Attributes
    ----------
    n_records : int
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
