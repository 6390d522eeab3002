"""A release beside the records it was made of: what every analysis looks at, worked out once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.frequency.measured import MeasuredClasses
from engine.kernels.arrays import BoolArray, Counts, IntArray, Reals
from engine.measuring.given import GivenTable
from engine.project.applied import records_of
from engine.project.project import Project
from engine.recoding import Release
from engine.recoding.full_domain import measured_classes
from engine.table import Column, DataType, Role, Table
from engine.table.by_value import by_value
from engine.utility.recoded import RecodedRecords


@dataclass(frozen=True, eq=False)
class Subject:
    """A release with the project it was made with; everything is by record of the input.

    Attributes
    ----------
    project : Project
        The one that the release was made with, which may be older than the one that is open.
    release : Release
    """

    project: Project
    release: Release

    @property
    def input(self) -> Table:
        """The records that were released, as they were: the table, or its research subset."""
        return self.project.records

    @property
    def n_records(self) -> int:
        """Records of the input."""
        return self.release.n_records

    @property
    def quasi_identifying(self) -> tuple[str, ...]:
        """Names in the order of the lattice's attributes."""
        return self.release.problem.names

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the sensitive columns."""
        return tuple(attribute.name for attribute in self.release.problem.sensitive)

    @cached_property
    def kept(self) -> BoolArray:
        """Which records are not suppressed, shape (n_records,)."""
        return ~self.release.suppressed

    @cached_property
    def given_input(self) -> GivenTable:
        """The input as an outsider would judge it, all records."""
        names = (*self.quasi_identifying, *self.sensitive)
        return GivenTable(by_value(self.input, names), self.quasi_identifying, self.sensitive)

    @cached_property
    def input_sizes(self) -> Counts:
        """Sizes of the classes of the input, shape (n_input_classes,)."""
        return self.given_input.classes.measured.sizes

    @cached_property
    def input_labels(self) -> IntArray:
        """Class of every record in the input, shape (n_records,)."""
        return self.given_input.classes.labels

    @cached_property
    def risks_before(self) -> Reals:
        """One over the size of every record's class in the input, shape (n_records,)."""
        return np.asarray(1.0 / self.input_sizes[self.input_labels])

    @cached_property
    def risks_after(self) -> Reals:
        """One over the size of every record's class in the release; 0 for suppressed ones."""
        risks = 1.0 / self.release.classes.sizes[self.release.labels]
        return np.where(self.kept, risks, 0.0)

    @cached_property
    def input_classes(self) -> MeasuredClasses:
        """The classes of the input as privacy models see them, with the sensitive columns of the release."""
        return measured_classes(self.release.problem, self.input_labels, self.input_sizes)

    @cached_property
    def recoded(self) -> RecodedRecords:
        """The release as utility metrics see it."""
        return records_of(self.project, self.release.problem, self.release)

    def released(self, name: str) -> Column | None:
        """A column as it is released, one text per record of the input; None if it is dropped.

        A column whose texts are all its own keeps its type; texts of coarser levels are text.
        """
        column = self.release.column(name)
        if column is None:
            return None
        original = self.input.column(name)
        if column.role is not Role.QUASI_IDENTIFYING and column.labels == original.labels:
            return original
        is_missing = original.has_missing and column.labels[-1:] == original.labels[-1:]
        nothing = np.full(len(column.labels), np.nan)
        return Column(name, DataType(), column.labels, column.codes, is_missing, nothing)
