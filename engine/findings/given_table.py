"""Finished table with named columns, and its equivalence classes; nothing is generalized."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Self, TypeAlias

import numpy as np

from engine.cached import cached_property
from engine.errors import InputError, nearest
from engine.findings.blank_rows import compared_with, without_blank_rows
from engine.frequency import Persons, SensitiveAttribute
from engine.frequency.counted import Noun, who
from engine.frequency.measured import (
    ClassRows,
    MeasuredClasses,
    classes_of_persons,
    pairs_from,
    pairs_of,
)
from engine.frequency.persons import PeopleBySize, sums
from engine.frequency.population import check_weights
from engine.frequency.problem import WeightAttribute
from engine.hierarchies import Hierarchy
from engine.hierarchies.files import read_hierarchy
from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.kernels.distances import Pairs
from engine.kernels.grouping import class_labels, records_by_code
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.notebook import Brief
from engine.numbers import as_exact_count
from engine.records import Column, Table
from engine.records.column_selection import by_value, names_of
from engine.records.counting import counted_table, tuple_rows
from engine.records.opening.data_frames import AnyTable, as_table
from engine.records.stored import refuse_cut
from engine.words import _

STAR = "*"  # cell of a suppressed record
Filter: TypeAlias = Callable[["GivenTable"], "GivenTable"]


@dataclass(frozen=True, eq=False)
class SummedWeights(WeightAttribute):
    """Survey weights of distinct tuples: exact sums over the records of each, instead of values.

    Attributes
    ----------
    totals : ndarray of int64, shape (n_rows,)
        Whole multiples of a unit.
    scale : int
        Units per 1.
    """

    totals: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    scale: int = 1

    @classmethod
    def of(cls, table: Table, weight: str, rows: Table, monitor: Monitor) -> SummedWeights:
        """Sum a column of a table in files for the rows of its counted form."""
        column = table.column(weight)
        units = WeightAttribute(column).units
        assert units is not None, "asked for only where sums are exact"
        totals = np.zeros(rows.n_rows)  # whole numbers below 2**53
        for start, places in tuple_rows(table, rows).blocks(_("Adding up weights"), monitor):
            own = units[0][column.codes[start : start + len(places)]]
            totals += np.bincount(places, weights=own, minlength=len(totals))
        return cls(column, totals=totals.astype(np.int64), scale=units[1])

    @property
    def units(self) -> tuple[Counts, int]:  # rows are its values
        """Weights per row as whole multiples of a unit, and units per 1."""
        return self.totals, self.scale

    def by_class(self, labels: IntArray) -> Pairs:
        """Return the rows of every class as pairs of one record each, given the class of every row."""
        order = np.argsort(labels, kind="stable")
        return pairs_from(labels[order], order, np.ones(len(order), dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Classes(Brief):
    """Equivalence classes of a given table by some columns.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_records,)
        Class per record.
    first : ndarray of int64, shape (n_classes,)
        First record of each class.
    measured : MeasuredClasses
        Sizes, and measures of the sensitive columns.
    """

    labels: IntArray
    first: IntArray
    measured: MeasuredClasses


@dataclass(frozen=True, eq=False)
class Side(Brief):
    """One table of a subject: its classes, and which of them have records that count.

    Attributes
    ----------
    chosen : ndarray of bool, shape (n_classes,)
    """

    classes: MeasuredClasses
    chosen: BoolArray

    @classmethod
    def of_all(cls, classes: MeasuredClasses) -> Self:
        """Return a table whose records all count."""
        return cls(classes, np.ones(len(classes.sizes), dtype=np.bool_))

    @cached_property
    def people(self) -> PeopleBySize:
        """People, or records, by the smallest of their classes, which has the highest risk."""
        return self.classes.by_size(self.chosen)

    @property
    def k(self) -> int | None:
        """Size of the smallest class; None without records."""
        return int(self.classes.sizes[self.chosen].min()) if self.chosen.any() else None

    @property
    def k_records(self) -> int | None:
        """Fewest records of a class, of any person; None without records."""
        return int(self.classes.records[self.chosen].min()) if self.chosen.any() else None


@dataclass(frozen=True, eq=False)
class GivenTable(Brief):
    """Finished table with its columns by meaning: a subject of analyses without a table before.

    Attributes
    ----------
    quasi_identifying, sensitive : tuple of str
        Names of its columns, each named once and with one role.
    hierarchies : mapping of str to Hierarchy
        Hierarchies of sensitive columns with the hierarchical distance.
    person : str
        Column whose values are persons, the missing value included; models then count persons. Empty if
        every record is another person.
    others_as_qi : bool
        Whether the other sensitive columns count as quasi-identifying when one is measured.
    weight : str
        Numeric column with the people of the population whom each record stands for; empty without weights.
    household : str
        Column whose values are households, whose risk the weights give; empty for no household risk.
    origin : GivenTable or None
        Of distinct tuples, the given table in files that they were counted of.
    filters : tuple of callable
        How rows were left out since; each takes a given table and returns another.
    rows : ndarray of int64, shape (n_rows,), or None
        Numbers of the records, or of the tuples, that are left; None for all.
    summed : SummedWeights or None
        Weights of the records of each distinct tuple, if the tuples do not contain them.
    n_blank : int
        Rows of `*` in all columns, which were left out; of a table in files they are left out by `count`.
    reference : Table or None
        Table with whose distribution of sensitive values classes are compared; None for this one.
    with_blank : Table or None
        The table with its blank rows, for a reading in which `*` could be anything; None if there are none.

    Raises
    ------
    TableError
        If a column does not exist, with the nearest known name.
    InputError
        If no column is quasi-identifying, one is given twice or with both roles, a hierarchy belongs to
        no sensitive column, a weight is missing or not above 0, households are given without weights, or
        there are no records.

    Notes
    -----
    A missing value is an ordinary value, in quasi-identifying and in sensitive columns.
    """

    table: Table
    quasi_identifying: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    person: str = ""
    others_as_qi: bool = False
    weight: str = ""
    household: str = ""
    origin: GivenTable | None = field(default=None, repr=False)
    filters: tuple[Filter, ...] = field(default=(), repr=False)
    rows: IntArray | None = field(default=None, repr=False)
    summed: SummedWeights | None = field(default=None, repr=False)
    n_blank: int = 0
    reference: Table | None = field(default=None, repr=False)
    with_blank: Table | None = field(default=None, repr=False)
    before: ClassVar[None] = None
    _by: dict[tuple[str, ...], Classes] = field(default_factory=dict, init=False, repr=False)
    _counted: list[GivenTable] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        names = (*self.quasi_identifying, *self.sensitive)
        for name in self.named:
            if self.origin is None or name in self.table.names:  # tuples may not tell weights and households
                refuse_cut(self.table.column(name))
        if not self.quasi_identifying:
            raise InputError(
                _("No column is marked as quasi-identifying."),
                hint=_("Mark the columns that outsiders may know, such as age, sex or postal code."),
            )
        twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if twice is not None:
            raise InputError(
                _("The column '{twice}' is listed twice.").format(twice=twice),
                hint=_("List each column once, as quasi-identifying or sensitive."),
                column=twice,
            )
        if self.person:
            self.table.column(self.person)
        if self.person in names:
            raise InputError(
                _("The person column '{person}' is also quasi-identifying or sensitive.").format(
                    person=self.person
                ),
                hint=_("Remove it from those columns, or do not use it to count persons."),
                column=self.person,
            )
        if self.weight and self.origin is None:
            check_weights(self.table.column(self.weight))
        if self.weight in (*names, *([self.person] if self.person else [])):
            raise InputError(
                _("The weight column '{weight}' also has another use.").format(weight=self.weight),
                hint=_("Remove it from the other columns, or choose another weight column."),
                column=self.weight,
            )
        if self.household and not self.weight:
            raise InputError(
                _("The risk of households needs survey weights."),
                hint=_("Choose the column of weights too, or no column of households."),
                column=self.household,
            )
        stray = next((name for name in self.hierarchies if name not in self.sensitive), None)
        if stray is not None:
            raise InputError(
                _("A hierarchy is given for '{stray}', which is not a sensitive column.").format(stray=stray),
                hint=nearest(stray, self.sensitive),
                column=stray,
            )
        if not self.table.n_records:
            raise InputError(_("The table has no records."), hint=_("There is nothing to measure."))

    @cached_property
    def after(self) -> Side:
        """Classes of the table, whose records all count."""
        return Side.of_all(self.classes.measured)

    @property
    def n_records(self) -> int:
        """Number of records."""
        return self.table.n_records - (self.n_blank if self.rows is None else 0)

    @property
    def named(self) -> tuple[str, ...]:
        """Names of all columns that have a meaning, each once."""
        others = filter(None, (self.person, self.weight, self.household))
        return tuple(dict.fromkeys((*self.quasi_identifying, *self.sensitive, *others)))

    def count(self, monitor: Monitor = SILENT) -> GivenTable:
        """Return a table in files as its distinct tuples of the named columns, counted once; else itself.

        Weights are summed for every tuple, and households left out, so that there are no more tuples for
        them; unless the records are elsewhere, or the weights have too many decimals for exact sums.
        """
        if self.table.home is None:
            return self
        if not self._counted and self.n_blank:
            self._counted.append(replace(self, n_blank=0).count(monitor).without_stars(self.n_blank))
        if not self._counted:
            left_out: tuple[str, ...] = ()
            if self.weight and self.table.column(self.weight).cells is not None:
                units = WeightAttribute(self.table.column(self.weight)).units
                left_out = (self.household,) if units is None else (self.weight, self.household)
            chosen = set(self.named) - (
                set(left_out) - {*self.quasi_identifying, *self.sensitive, self.person}
            )
            names = tuple(name for name in self.table.names if name in chosen)
            n_parts = 1 if self.weight in chosen or not self.weight else 2
            rows = counted_table(self.table, names, PartMonitor(monitor, 0, n_parts))
            summed = None
            if n_parts > 1:
                summed = SummedWeights.of(self.table, self.weight, rows, PartMonitor(monitor, 1, n_parts))
            self._counted.append(replace(self, table=rows, origin=self, summed=summed))
        return self._counted[0]

    def read_or_counted(self, what: str, monitor: Monitor = SILENT) -> GivenTable:
        """Return the table with a row per record in memory, or its distinct tuples if records are many.

        Parameters
        ----------
        what : str
            Title of the analysis that reads them.
        monitor : Monitor
            Asked while they are counted.
        """
        return self.count(monitor) if (self.origin or self).is_large else self.in_memory(what)

    @property
    def is_large(self) -> bool:
        """Return whether the records are in files, and more than are read into memory."""
        return not self.table.holds(self.n_records)

    def in_memory(self, what: str, further: Sequence[str] = ()) -> GivenTable:
        """Return the table with a row per record in memory, for what needs single records.

        Parameters
        ----------
        what : str
            Title of the analysis that needs them.
        further : sequence of str
            Columns needed besides the named ones.

        Raises
        ------
        InputError
            The table is in files and has more records than are read.
        """
        whole = self.origin or self
        if whole.table.home is None:
            return self
        if whole.is_large:
            raise InputError(
                _("{what} needs the records in memory; {n} do not fit.").format(
                    what=what, n=as_exact_count(whole.n_records)
                ),
                hint=_('If you have enough memory, choose source = "memory".'),
            )
        names = [name for name in whole.table.names if name in whole.named or name in further]
        rows = np.arange(whole.n_records)
        made = replace(whole, table=Table(tuple(whole.table.column(name).take(rows) for name in names)))
        for leave_out in self.filters:
            made = leave_out(made)
        return made

    @cached_property
    def attributes(self) -> tuple[SensitiveAttribute, ...]:
        """Sensitive columns."""
        persons, reference = self.repeated, self.reference
        if reference is not None:
            named = [(self.table.column(name), self.hierarchies.get(name)) for name in self.sensitive]
            return tuple(compared_with(*own, reference, self.person) for own in named)
        return tuple(
            SensitiveAttribute(
                column,
                self.hierarchies.get(column.name),
                None if persons is None else _weights(persons, column),
            )
            for column in map(self.table.column, self.sensitive)
        )

    @cached_property
    def carried(self) -> tuple[SensitiveAttribute, ...]:
        """Columns whose values are counted in classes: sensitive ones, then the weights.

        Weights are of persons, so there are none if persons have several records.
        """
        if not self.weight or self.repeated is not None:
            return self.attributes
        return (*self.attributes, self.summed or WeightAttribute(self.table.column(self.weight)))

    @cached_property
    def persons(self) -> Persons | None:
        """Persons of the records; None if every record is another person."""
        return Persons.of(self.table.column(self.person)) if self.person else None

    @property
    def repeated(self) -> Persons | None:
        """Persons, if any has several records."""
        return self.persons if self.persons is not None and self.persons.are_repeated else None

    @property
    def counted(self) -> Noun:
        """Unit of sizes and risks: records or people."""
        return who(counts_people=self.repeated is not None)

    @property
    def n_people(self) -> int:
        """Number of distinct persons, or of records if each is another person."""
        return self.n_records if self.persons is None else self.persons.n_persons

    def persons_as_dict(self) -> dict[str, int | str]:
        """Return the values about persons that commands print, for a table with a person column."""
        classes, column = self.classes.measured, self.table.column(self.person)
        return {
            "column": self.person,
            "count": self.n_people,
            "k": int(classes.sizes.min()),
            "k_records": int(classes.records.min()),
            "records_without_person": int(column.counts[-1]) if column.has_missing else 0,
        }

    @property
    def classes(self) -> Classes:
        """Classes by the quasi-identifying columns."""
        return self.classes_by(self.quasi_identifying)

    def chained(self) -> dict[str, int | None]:
        """Return how many people match "2", or "all", records of a person, at fewest, by a person column."""
        from engine.recoding.persons import ReleasePersons  # other measures need nothing of releases

        assert self.persons is not None, "asked with a person column"
        found = self.classes.measured
        is_kept = np.ones(len(found.sizes), dtype=np.bool_)
        own = ReleasePersons(self.persons, self.classes.labels, is_kept, found.records, found.sizes)
        return own.chained_figures

    def first_records(self, monitor: Monitor = SILENT) -> IntArray:
        """Return the first record of every class by the quasi-identifying columns, shape (n_classes,)."""
        classes = self.classes
        if self.origin is None:
            return classes.first if self.rows is None else self.rows[classes.first]
        counted = self.origin.count().table
        everything = np.ones(counted.n_rows, dtype=np.bool_)
        rows = tuple_rows(self.origin.table, counted)
        found = rows.first_records(everything, _("Measuring risks"), monitor)
        first = np.full(len(classes.first), self.origin.n_records, dtype=np.int64)
        np.minimum.at(first, classes.labels, found if self.rows is None else found[self.rows])
        return first

    def known_beside(self, sensitive: str) -> tuple[str, ...]:
        """Return the columns that count as quasi-identifying when a sensitive one is measured."""
        others = self.sensitive if self.others_as_qi else ()
        return (*self.quasi_identifying, *(name for name in others if name != sensitive))

    def classes_for(self, sensitive: str) -> Classes:
        """Return the classes in which a sensitive column is measured."""
        return self.classes_by(self.known_beside(sensitive))

    def classes_by(self, names: Sequence[str]) -> Classes:
        """Return the classes by any columns, computed once per set of columns."""
        key = tuple(names)
        if key not in self._by:
            columns = [self.table.column(name) for name in key]
            labels, first, _rows = class_labels([c.codes for c in columns], [len(c.labels) for c in columns])
            counts = self.table.counts
            sizes = records_by_code(labels, len(first), counts)

            def pairs(attribute: int) -> Pairs:
                if isinstance(own := self.carried[attribute], SummedWeights):
                    return own.by_class(labels)
                column = own.column
                return pairs_of(labels, column.codes, counts, len(column.labels))

            persons = self.repeated
            if persons is None:
                measured = MeasuredClasses(sizes, self.carried, pairs)
            else:
                codes = [attribute.column.codes for attribute in self.attributes]
                rows = ClassRows(labels, codes.__getitem__, counts, persons.codes)
                measured = classes_of_persons(persons, self.attributes, rows, sizes)
            self._by[key] = Classes(labels, first, measured)
        return self._by[key]

    def with_blank_rows(self) -> GivenTable:
        """Return the table with its blank rows, record by record as in the file."""
        if self.with_blank is None:
            return self
        whole = replace(self, weight="", household="", origin=None, rows=None, n_blank=0, with_blank=None)
        return replace(whole, table=self.with_blank)

    def without_suppressed(self) -> GivenTable:
        """Return the table without the records whose quasi-identifying cells are all `*`.

        Raises
        ------
        InputError
            If no record remains.
        """
        own = self.count()
        return (
            self
            if not own.is_suppressed.any()
            else own._kept(~own.is_suppressed, GivenTable.without_suppressed)
        )

    def without_missing(self) -> GivenTable:
        """Return the table without the records that have a missing quasi-identifying cell."""
        own = self.count()
        missing = np.zeros(own.table.n_rows, dtype=np.bool_)
        for name in own.quasi_identifying:
            missing |= _holds(own.table.column(name), own.table.column(name).missing_label)
        return self if not missing.any() else own._kept(~missing, GivenTable.without_missing)

    @cached_property
    def is_suppressed(self) -> BoolArray:
        """Return whether all quasi-identifying cells of a row are `*`, shape (n_rows,)."""
        suppressed = np.ones(self.table.n_rows, dtype=np.bool_)
        for name in self.quasi_identifying:
            suppressed &= _holds(self.table.column(name), STAR)
        return suppressed

    @property
    def n_suppressed(self) -> int:
        """Number of records whose quasi-identifying cells are all `*`."""
        own = self.count()
        counts = own.table.counts
        return int(own.is_suppressed.sum() if counts is None else counts[own.is_suppressed].sum())

    def without_stars(self, n_blank: int) -> GivenTable:
        """Return a counted table with fewer records of the tuple that blank rows have."""
        is_star = np.ones(self.table.n_rows, dtype=np.bool_)
        for column in self.table.columns:
            is_star &= _holds(column, STAR if STAR in column.labels else column.missing_label)
        records = self.table.counts
        assert records is not None, "rows are counted"
        left = np.where(is_star, records - n_blank, records)
        counted = Table(tuple(replace(column, records=left) for column in self.table.columns))
        return replace(self, table=counted, n_blank=n_blank)._kept(left > 0)

    def _kept(self, rows: BoolArray, *leave_out: Filter) -> GivenTable:
        chosen = np.flatnonzero(rows) if self.rows is None else self.rows[rows]
        filters = (*self.filters, *leave_out)
        summed = None if self.summed is None else replace(self.summed, totals=self.summed.totals[rows])
        table = self.table.take(rows)
        return replace(self, table=table, filters=filters, rows=chosen, summed=summed, with_blank=None)


def given_table(
    data: AnyTable,
    quasi_identifying: str | Sequence[str],
    sensitive: str | Sequence[str] = (),
    *,
    leave_out_suppressed: bool = False,
    drop_missing: bool = False,
    hierarchies: Mapping[str, Hierarchy | Path | str] | None = None,
    person: str = "",
    others_as_qi: bool = False,
    weight: str = "",
    household: str = "",
    reference: AnyTable | None = None,
    monitor: Monitor = SILENT,
) -> GivenTable:
    """Return a given table from a table, a DataFrame or a file, without its blank rows.

    Equal numbers, dates and booleans are one value, even if the file writes them differently.

    Parameters
    ----------
    data : Table, DataFrame, Path or str
        Table or its file; columns of a DataFrame that are not named need not be readable.
    quasi_identifying, sensitive : str or sequence of str
        Names of columns; a single text is one name.
    leave_out_suppressed : bool
        Whether records whose quasi-identifying cells are all `*` are excluded.
    drop_missing : bool
        Whether records with a missing quasi-identifying cell are excluded.
    hierarchies : mapping of str to Hierarchy, Path or str, optional
        Hierarchies of sensitive columns, or their files, for the hierarchical distance.
    person : str
        Column whose values are persons, compared as texts; empty if every record is another person.
    others_as_qi : bool
        Whether the other sensitive columns count as quasi-identifying when one is measured.
    weight : str
        Numeric column with the people of the population whom each record stands for; empty without weights.
    household : str
        Column whose values are households, for their risk; it needs weights.
    reference : Table, DataFrame, Path or str, optional
        See `GivenTable`.

    Raises
    ------
    TableError, HierarchyError, InputError
        See `as_table`, `read_hierarchy` and `GivenTable`.
    """
    qi, sa = names_of(quasi_identifying), names_of(sensitive)
    wanted = {*qi, *sa, *(name for name in (person, weight, household) if name)}
    known = {
        name: entry if isinstance(entry, Hierarchy) else read_hierarchy(Path(entry))
        for name, entry in (hierarchies or {}).items()
    }
    table = as_table(data, monitor, columns=wanted)
    left, rows, n_blank = without_blank_rows(table)
    has_stars = all(STAR in table.column(name).labels for name in qi)  # blank rows have a missing value else
    other = None if reference is None else as_table(reference, monitor)
    given = GivenTable(
        by_value(left, (*qi, *sa)),
        qi,
        sa,
        known,
        person,
        others_as_qi,
        weight,
        household,
        rows=rows,
        n_blank=n_blank,
        reference=other,
        with_blank=by_value(table, (*qi, *sa)) if n_blank and has_stars else None,
    )
    if leave_out_suppressed:
        given = given.without_suppressed()
    return given.without_missing() if drop_missing else given


def _weights(persons: Persons, column: Column) -> Counts:
    """Return the sum of weights of the records of every value of a column."""
    return sums(column.codes.astype(np.int64), persons.weight_of_rows, len(column.labels))


def _holds(column: Column, label: str | None) -> BoolArray:
    """Return which records have a label in a column."""
    if label is None or label not in column.labels:
        return np.zeros(len(column.codes), dtype=np.bool_)
    return np.asarray(column.codes == column.labels.index(label))
