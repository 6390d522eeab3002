"""The suppressed records of a release as one class: whether it meets the requirement too.

A person who is in the table and in none of the kept classes has one of these records, so they are a class
like any other for an attacker who knows the quasi-identifying columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.cached import cached_property
from engine.frequency import Measure, Problem
from engine.frequency.classes import DISTINCT
from engine.frequency.measured import ClassRows, MeasuredClasses, PopulationCounts, classes_of_rows
from engine.kernels.arrays import BoolArray
from engine.kernels.grouping import class_labels, records_by_code
from engine.privacy.requirement import Requirement
from engine.privacy.table_wide import TableFigures, kept_table


@dataclass(frozen=True, eq=False)
class SuppressedGroup:
    """The records of a release with `*` in all quasi-identifying columns, as one class.

    Attributes
    ----------
    classes : MeasuredClasses
        The kept classes, and the group as the last one.
    """

    problem: Problem
    requirement: Requirement
    classes: MeasuredClasses

    @classmethod
    def of(
        cls,
        problem: Problem,
        requirement: Requirement,
        rows: ClassRows,
        inside: BoolArray,
        population: PopulationCounts | None = None,
    ) -> SuppressedGroup:
        """Join rows to the group.

        Parameters
        ----------
        rows : ClassRows
            All records with their classes, numbered without gaps.
        inside : ndarray of bool, shape (n_rows,)
            Rows of the group, at least one; each class is inside or outside as a whole.
        population : PopulationCounts, optional
            Of the classes that are outside, in their order, then all others; see `outside_first`.
        """
        labels, first = outside_first(rows, inside)
        fields = rows.fields

        def own_fields(q: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
            assert fields is not None, "asked for only then"
            codes = np.asarray(fields(q), dtype=np.int64)
            return np.where(inside, codes.max() + 1, codes)

        joined = ClassRows(
            labels, rows.values, rows.counts, rows.persons, None if fields is None else own_fields
        )
        records = records_by_code(labels, len(first), rows.counts)
        return cls(problem, requirement, classes_of_rows(problem, joined, records, population))

    @property
    def records(self) -> int:
        """Number of its records."""
        return int(self.classes.records[-1])

    @property
    def k(self) -> int:
        """Its size: different persons, where these have several records."""
        return int(self.classes.sizes[-1])

    @cached_property
    def l(self) -> Mapping[str, int]:  # noqa: E743  the measure's name
        """Distinct values per sensitive column."""
        return {name: int(value) for name, value in self._measured(dict.fromkeys(self._names, DISTINCT))}

    def t(self, distances: Mapping[str, str]) -> dict[str, float]:
        """Return its distance from the whole input per sensitive column, given the kind of each."""
        return dict(self._measured(distances))

    @cached_property
    def held(self) -> bool:
        """Return whether it meets every model: as a class, or as one more class of the whole release."""
        whole = np.ones(len(self.classes.sizes), dtype=np.bool_)
        return is_held(self.requirement, self.classes, kept_table(self.problem, self.classes, whole))

    @property
    def _names(self) -> list[str]:
        return [attribute.name for attribute in self.problem.sensitive]

    def _measured(self, kinds: Mapping[str, str]) -> list[tuple[str, float]]:
        measured = self.classes.measured
        return [(name, measured(Measure(kind, name))[-1].item()) for name, kind in kinds.items()]


def outside_first(rows: ClassRows, inside: BoolArray) -> tuple[np.ndarray, np.ndarray]:
    """Number the classes outside the group in their order, and the group last.

    Returns
    -------
    labels : ndarray of int64, shape (n_rows,)
    first : ndarray of int64, shape (n_classes,)
        A row of each.
    """
    own = np.where(inside, 0, rows.labels)
    labels, first, _unused = class_labels([inside.astype(np.int64), own], [2, int(own.max()) + 1])
    return labels, first


def is_held(requirement: Requirement, classes: MeasuredClasses, whole: TableFigures) -> bool:
    """Return whether the last of some classes, and all of them together, meet a requirement.

    Parameters
    ----------
    whole : TableFigures
        All of these classes.
    """
    one, asked = np.ones(1, dtype=np.bool_), (model.of_suppressed() for model in requirement.models)
    holds = all(
        model.holds(whole, one)[0] for model in asked if model is not None and model.checks_table_wide
    )
    return holds and bool(held_by_class(requirement, classes)[-1])


def held_by_class(requirement: Requirement, groups: MeasuredClasses) -> BoolArray:
    """Return which classes, each taken for suppressed records, meet the models that look at classes."""
    held = np.ones(len(groups.sizes), dtype=np.bool_)
    for model in requirement.models:
        own = model.of_suppressed()
        if own is not None and not own.is_table_wide:
            held &= own.fulfilled(groups)
    return held
