"""Subjects of analyses: a release with its input, and a given table, with shared values computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from engine.cached import cached_property
from engine.errors import InputError, nearest
from engine.findings.cells import ReleasedCells, passed_cells, recoded_cells, written_cells
from engine.findings.given_table import GivenTable, Side
from engine.frequency.counted import Noun
from engine.frequency.measured import MeasuredClasses
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.monitor import SILENT, Monitor
from engine.notebook import Brief
from engine.project.ledger.joint import Beside
from engine.project.project import Project
from engine.project.run_settings import records_of
from engine.recoding import Release
from engine.recoding.full_domain import measured_classes
from engine.recoding.release import ReleasedColumn
from engine.recoding.ruled import released_column, rule_of
from engine.recoding.transformation import RULED
from engine.records import Column, DataType, Role, Table
from engine.records.column_selection import by_value
from engine.records.counting import TupleRows, tuple_rows
from engine.records.options import CLUSTER
from engine.utility.recoded import RecodedRecords
from engine.words import N_, _, within_sentence

_COUNTING = N_("Counting values of kept records")


@dataclass(frozen=True, eq=False)
class ColumnAlone:
    """A column for analyses that combine it with no other; arrays are by its own rows.

    Attributes
    ----------
    column : Column
        Column of the input.
    released : ReleasedColumn or None
        The same rows in the release; None if it is dropped.
    kept : ndarray of bool, shape (n_rows,)
        Whether each row is kept.
    """

    column: Column
    released: ReleasedColumn | None
    kept: BoolArray


@dataclass(frozen=True, eq=False)
class Subject(Brief):
    """Release with its project; all arrays are by row of the input.

    Attributes
    ----------
    project : Project
        Project that the release was made with; the open project may be newer.
    """

    project: Project
    release: Release
    _cells: dict[str, ReleasedCells] = field(default_factory=dict, init=False, repr=False)
    _alone: dict[str, ColumnAlone] = field(default_factory=dict, init=False, repr=False)

    @property
    def n_earlier(self) -> int | None:
        """Number of earlier releases in the ledger of the project; None without one."""
        beside = self.release.problem.earlier
        return len(beside.ledger.entries) if isinstance(beside, Beside) else None

    @property
    def input(self) -> Table:
        """Input of the release: the table, or its subset."""
        return self.project.rows

    @property
    def n_records(self) -> int:
        """Number of records of the input."""
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
        """Return whether each row is kept, shape (n_rows,)."""
        return ~self.release.suppressed

    @cached_property
    def given_input(self) -> GivenTable:
        """Input as a given table with all its records and the persons of the release."""
        names = (*self.quasi_identifying, *self.sensitive)
        return GivenTable(
            by_value(self.input, names),
            self.quasi_identifying,
            self.sensitive,
            person=self.person,
        )

    @property
    def counted(self) -> Noun:
        """Unit of sizes and risks: records or people."""
        return self.release.problem.counted

    @property
    def counts_people(self) -> bool:
        """Return whether risks count people with several records; otherwise every record is a person."""
        return self.release.problem.repeated is not None

    @property
    def n_people(self) -> int:
        """Number of distinct people of the input, or of its records if each is another person."""
        return self.release.problem.n_people

    @property
    def person(self) -> str:
        """Column whose values are persons; empty if every record is another person."""
        persons = self.release.problem.persons
        return "" if persons is None else persons.column

    @property
    def weight(self) -> str:
        """Column of survey weights; empty without weights."""
        return self.project.weight or ""

    @property
    def household(self) -> str:
        """Column of households; empty without."""
        return self.project.household or ""

    @cached_property
    def before(self) -> Side:
        """Classes of the input, whose records all count."""
        return Side.of_all(self.given_input.classes.measured)

    @cached_property
    def after(self) -> Side:
        """Classes of the release, of which the kept ones count."""
        return Side(self.release.classes, self.release.kept)

    @cached_property
    def input_sizes(self) -> Counts:
        """People (or records) in the classes of the input, shape (n_input_classes,)."""
        return self.given_input.classes.measured.sizes

    @cached_property
    def input_records(self) -> Counts:
        """Records in the classes of the input, shape (n_input_classes,)."""
        return self.given_input.classes.measured.records

    @cached_property
    def input_labels(self) -> IntArray:
        """Class of every row in the input, shape (n_rows,)."""
        return self.given_input.classes.labels

    @cached_property
    def input_classes(self) -> MeasuredClasses:
        """Classes of the input for privacy models, with the sensitive columns of the release."""
        return measured_classes(self.release.problem, self.input_labels, self.input_records)

    @cached_property
    def class_records(self) -> IntArray:
        """First row of every class of the release, shape (n_classes,)."""
        first, labels = np.zeros(len(self.release.classes.sizes), dtype=np.int64), self.release.labels
        first[labels[::-1]] = np.arange(len(labels))[::-1]
        return first

    @cached_property
    def recoded(self) -> RecodedRecords:
        """Release in the form that utility metrics read."""
        return records_of(self.project, self.release.problem, self.release)

    @cached_property
    def tuples(self) -> TupleRows | None:
        """Rows of the records if these stay in files, so that rows are distinct tuples; else None."""
        return tuple_rows(self.project.records, self.input) if self.project.releases_files else None

    @property
    def is_here(self) -> bool:
        """Return whether rows are records, or only counted: none stay in files, a server or cluster."""
        return self.tuples is None and self.project.remote is None

    @property
    def listed(self) -> tuple[str, ...]:
        """Columns of the table whose values are listed, which records read into memory have."""
        return tuple(column.name for column in self.project.records.listed)

    def rows_of(self, records: IntArray) -> IntArray:
        """Return the row of each of some records of the input.

        Raises
        ------
        InputError
            The records stay in a server or cluster.
        """
        if (remote := self.project.remote) is not None:
            raise InputError(
                _("Single records are not shown, because those of this table stay in '{name}'.").format(
                    name=remote.name
                ),
                hint=_("Open a file that has some of them.")
                if remote.kind == CLUSTER
                else _("Read the table into memory, or a part of it by a query."),
            )
        return records if self.tuples is None else self.tuples.of(records)

    @property
    def names(self) -> tuple[str, ...]:
        """Columns of the input; of a table in files also those that are not counted together with others."""
        return self.input.names if self.tuples is None else self.project.records.names

    @property
    def uncounted(self) -> tuple[str, ...]:
        """Columns with values to compare that are not counted together with others."""
        return tuple(
            name
            for name in self.names
            if name not in self.input.names and self.project.role(name) is not Role.IDENTIFYING
        )

    @cached_property
    def described(self) -> tuple[str, ...]:
        """Columns whose values are known, in the order of the table; of some in files there are too many."""
        table = self.input if self.tuples is None else self.project.records
        return tuple(column.name for column in table.listed)

    def alone(self, name: str, monitor: Monitor = SILENT) -> ColumnAlone:
        """Return a column for analyses that combine it with no other.

        Records in files are read once for all columns that are not counted together with the others.
        """
        if name in self.input.names:
            return ColumnAlone(self.input.column(name), self.release.column(name), self.kept)
        if not self._alone:
            self._count_alone([one for one in self.names if one not in self.input.names], monitor)
        return self._alone[name]

    def _count_alone(self, names: Sequence[str], monitor: Monitor) -> None:
        assert self.tuples is not None, "all columns in memory are in the input"
        columns = [self.project.records.column(name) for name in names]
        counts = [np.zeros(2 * len(column.labels), dtype=np.int64) for column in columns]
        for start, rows in self.tuples.blocks(_(_COUNTING), monitor):
            kept = self.kept[rows]
            for column, found in zip(columns, counts, strict=True):
                both = 2 * column.codes[start : start + len(rows)].astype(np.int64) + kept
                found += np.bincount(both, minlength=len(found))
        for column, found in zip(columns, counts, strict=True):
            keys = np.flatnonzero(found)
            kept = keys % 2 == 1
            codes: Codes = (keys // 2).astype(np.int32)
            own = column.with_codes(codes, found[keys])
            written = self.release.written.written_cells(column.name, codes, ~kept)
            role = self.project.role(column.name)
            released = None
            if written is not None and role is not None:
                released = ReleasedColumn(column.name, role, *written)
            self._alone[column.name] = ColumnAlone(own, released, kept)

    def released(self, name: str) -> Column | None:
        """Return a released column, one text per record of the input; None if it is dropped.

        A column with only original values keeps its type; generalized columns are text.
        """
        column = self.release.column(name)
        if column is None:
            return None
        original = self.input.column(name)
        if column.role in RULED and rule_of(self.project, name) is not None:
            written = released_column(self.project, name)
            if written is not None and written.labels == column.labels:  # no cell was emptied
                return written
        elif column.role is not Role.QUASI_IDENTIFYING and column.labels == original.labels:
            return original
        is_missing = original.has_missing and column.labels[-1:] == original.labels[-1:]
        nothing = np.full(len(column.labels), np.nan)
        return Column(name, DataType(), column.labels, column.codes, is_missing, nothing, self.input.counts)

    def given_release(self, rows: IntArray, *, others_as_qi: bool = False) -> GivenTable:
        """Return rows of the release as a given table, with the persons if any has several records.

        `others_as_qi` is that of the given table.
        """
        columns = []
        for name in (*self.quasi_identifying, *self.sensitive):
            column = self.released(name)
            assert column is not None, "quasi-identifying and sensitive columns are released"
            columns.append(column.take(rows))
        person = self.person if self.counts_people else ""
        if person:
            columns.append(self.input.column(person).take(rows))
        return GivenTable(
            Table(tuple(columns)),
            self.quasi_identifying,
            self.sensitive,
            {own.name: own.hierarchy for own in self.release.problem.sensitive if own.hierarchy is not None},
            person,
            others_as_qi,
        )

    @property
    def why_empty(self) -> str:
        """Reason why no kept records can be analyzed, in a sentence; empty if there are some."""
        if self.release.n_classes:
            return ""
        return _(
            "Every record of this release is suppressed, so there is nothing to show. Choose a "
            "more general node, or weaken the requirement."
        )

    def named(self, name: str, other_than: str = "") -> str:
        """Return a column by its name; by default the first comparable one, quasi-identifiers first."""
        if name:
            return name
        others = (*self.quasi_identifying, *self.comparable)
        return next((other for other in others if other != other_than), others[0])

    @property
    def comparable(self) -> tuple[str, ...]:
        """Columns whose released cells can be compared with the input in combination with others."""
        return tuple(name for name in self.input.names if not self.why_not_comparable(name))

    def why_not_comparable(self, name: str) -> str:
        """Return why a column cannot be compared with its input; empty if it can."""
        if reason := self.why_not_described(name):
            return reason
        if name not in self.input.names:
            return _(
                "The values of '{name}' are not counted together with those of other columns, as the table "
                "stays in files. Make the column sensitive, or release a [subset]."
            ).format(name=name)
        return ""

    def why_not_described(self, name: str) -> str:
        """Return why a column alone cannot be compared with its input; empty if it can."""
        if name not in self.names:
            return (
                _("The table has no column '{name}'. {name_2}")
                .format(name=name, name_2=nearest(name, self.names))
                .rstrip()
            )
        if self.project.role(name) is Role.IDENTIFYING:
            return _(
                "'{name}' is identifying: the release replaces its values, so they cannot be compared."
            ).format(name=name)
        if name not in self.described:
            column = self.project.records.column(name)
            return _("'{name}' has {values}, too many to compare.").format(name=name, values=column.labels[0])
        if self.release.written.column(name) is None:
            return _("The release has no column '{name}'.").format(name=name)
        rule = rule_of(self.project, name)
        if rule is not None and not rule.is_true:
            return _(
                "'{name}' is released by a rule ({rule}), so its cells cannot be compared with the original "
                "ones."
            ).format(name=name, rule=within_sentence(rule.title))
        return ""

    def cells(self, name: str) -> ReleasedCells:
        """Return the released cells of a column with their values, computed once.

        Those of a column that is not comparable, but described, are by its own rows; see `alone`.

        Raises
        ------
        InputError
            If the column is not described, or does not exist.
        """
        if reason := self.why_not_described(name):
            raise InputError(reason, hint=_("Choose another column."), column=name)
        if name not in self._cells:
            alone = self.alone(name)
            released = alone.released
            assert released is not None, "what is described is released"
            if name in self.quasi_identifying:
                number = self.quasi_identifying.index(name)
                blank = next(iter(self.project.options.missing or ()), None)
                self._cells[name] = recoded_cells(self.release, number, released, self.kept, blank)
            elif rule_of(self.project, name) is None:
                self._cells[name] = passed_cells(alone.column, alone.kept)
            else:
                written = released_column(self.project, name, Table((alone.column,)))
                assert written is not None, "rules that are true drop no column"
                self._cells[name] = written_cells(alone.column, written, alone.kept)
        return self._cells[name]


AnySubject: TypeAlias = Subject | GivenTable
