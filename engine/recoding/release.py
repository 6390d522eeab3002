"""Releases: the table to export, with the statements claimed for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.cached import cached_property
from engine.frequency import Measure, Problem
from engine.frequency.classes import DISTINCT
from engine.frequency.measured import MeasuredClasses
from engine.frequency.persons import Persons
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.notebook import Brief, Facts, listed
from engine.numbers import as_exact_count, as_people, as_suppressed
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.limit import Losses, losses_of
from engine.privacy.suppressed_group import SuppressedGroup
from engine.privacy.table_wide import kept_table
from engine.recoding.aggregation import AggregateFunction
from engine.recoding.base import Recoding
from engine.recoding.links import Links
from engine.recoding.persons import ReleasePersons
from engine.recoding.transformation import IGNORE, KEPT, REMOVED, RULED, Transformation
from engine.recoding.unchanged import UnchangedColumns
from engine.recoding.written import PlannedRecords
from engine.records import Column, DataType, Role, Table
from engine.records.plan import PlannedColumn, ReleasePlan
from engine.words import _, ngettext


@dataclass(frozen=True, eq=False)
class ReleasedColumn(Brief):
    """One released column: distinct texts, and a code per row of the input."""

    name: str
    role: Role
    labels: tuple[str, ...]
    codes: Codes

    def text(self, record: int) -> str:
        """The released text of one record."""
        label: str = self.labels[self.codes[record]]
        return label


@dataclass(frozen=True, eq=False)
class Release(Brief):
    """A node applied to the records, or a recoding whose levels differ by record.

    Attributes
    ----------
    node : tuple of int or None
        The node that is released; of a recoding the one it started from, None if it started from none.
    columns : tuple of ReleasedColumn
        In the order of the table; dropped columns and those without a role are left out. Every record of
        the input has a row here; records that are removed are so only when written.
    labels : ndarray of int64, shape (n_records,)
        Equivalence class per record, before suppression.
    classes : MeasuredClasses
        All classes, suppressed ones included.
    kept : ndarray of bool, shape (n_classes,)
        Classes that meet the requirement.
    recoding : Recoding or None
        The level of every cell, where levels differ by record.
    method : str
        Key of the recoding method; empty for a node.
    aggregates : mapping of str to AggregateFunction
        The quasi-identifiers whose cells are aggregates of the class instead of labels.
    group : SuppressedGroup or None
        The suppressed records, and all others that are written as `*` in all quasi-identifying columns, as
        one class; None if none is suppressed.
    stored : PlannedRecords or None
        The records that are written, if they stay in files; all else is then of their distinct tuples.
    """

    problem: Problem
    node: Node | None
    requirement: Requirement
    transformation: Transformation
    columns: tuple[ReleasedColumn, ...]
    labels: IntArray
    classes: MeasuredClasses
    kept: BoolArray
    recoding: Recoding | None = None
    method: str = ""
    aggregates: Mapping[str, AggregateFunction] = field(default_factory=dict)
    group: SuppressedGroup | None = None
    stored: PlannedRecords | None = None

    @property
    def n_records(self) -> int:
        """Records of the input."""
        return self.problem.n_records

    def _facts(self) -> Facts:
        node = listed([f"{name} {level}" for name, level in (self.levels or {}).items()])
        facts = [("node", "levels vary by record" if self.recoding else node)]
        return [*facts, ("suppressed", f"{self.n_suppressed} of {self.n_records} records")]

    @property
    def levels(self) -> dict[str, int] | None:
        """Level of the node by quasi-identifier; None for a recoding that started from no node."""
        return None if self.node is None else dict(zip(self.problem.names, self.node, strict=True))

    @cached_property
    def suppressed(self) -> BoolArray:
        """Return whether each record is suppressed, shape (n_records,)."""
        return ~self.kept[self.labels]

    @cached_property
    def n_suppressed(self) -> int:
        """Suppressed records."""
        return int(self.classes.records[~self.kept].sum())

    @cached_property
    def kept_sizes(self) -> Counts:
        """Sizes of the kept classes: different persons, where these have several records."""
        return self.classes.sizes[self.kept]

    @cached_property
    def kept_records(self) -> Counts:
        """Records of the kept classes."""
        return self.classes.records[self.kept]

    @property
    def n_classes(self) -> int:
        """Number of kept classes."""
        return len(self.kept_sizes)

    @property
    def k(self) -> int | None:
        """Size of the smallest kept class; None if nothing is kept."""
        return int(self.kept_sizes.min()) if self.n_classes else None

    @cached_property
    def persons(self) -> ReleasePersons | None:
        """Whose records are released; None where every record is taken for a person."""
        persons = self.problem.persons
        if persons is None:
            return None
        return ReleasePersons(persons, self.labels, self.kept, self.classes.records, self.classes.sizes)

    @cached_property
    def links(self) -> Links:
        """Disclosure by the order of the records and by released codes; large tables take seconds."""
        records = self._records(self.problem.persons)
        return records.links(keeps_order=not self.transformation.shuffle)

    @property
    def revealed(self) -> dict[str, str]:
        """Disclosure beyond the classes, a clause each: linked, readable, group, neighbours."""
        links, found = self.links, {}
        if (n_people := self.fewest_linked) is not None:
            assert self.persons is not None, "whose records are linked"
            n_alone = self.persons.matched_by_nobody if n_people == 1 else None
            alone = "" if n_alone is None else as_people(n_alone)
            found["linked"] = links.linked_words(as_people(n_people), alone)
        if links.readable:
            found["readable"] = links.readable_words(as_suppressed(links.readable))
        if self.group is not None and self.cells == KEPT and self.transformation.suppressed_group == IGNORE:
            n = self.group.records
            words = ngettext("{n} row of * is in no class", "{n} rows of * are in no class", n)
            found["group"] = words.format(n=as_exact_count(n))
        if links.neighbours:
            found["neighbours"] = links.neighbour_words(as_suppressed(links.starred), as_exact_count)
        return found

    @property
    def fewest_linked(self) -> int | None:
        """Fewest people who match all records of a person; None if not linked, or no fewer than k."""
        persons, k = self.persons, self.k
        if persons is None or k is None or not self.links.tell_persons_apart:
            return None
        n_people = persons.chained()
        return n_people if n_people is not None and n_people < k else None

    @property
    def verdict(self) -> str:
        """State k with its columns, what order and codes reveal, and what unchanged columns single out."""
        n_columns, counted = len(self.problem.names), self.problem.counted
        return self.unchanged.verdict(self.k, n_columns, counted, tuple(self.revealed.values()))

    @property
    def satisfies(self) -> bool:
        """Return whether suppressed records stay within the limit, and the kept records meet the rest.

        Suppressed records that have to meet it count as kept records. Beside earlier releases it has to leave
        enough candidates.
        """
        is_met = self.is_within and not self.missed and not self.misses_group
        return is_met and not len(self.large_failing) and not self.misses_earlier

    @cached_property
    def misses_earlier(self) -> bool:
        """Return whether an attacker who has earlier releases too is left too few candidates."""
        releases, earlier = self.problem.earlier, self.requirement.earlier
        if releases is None or earlier is None or not releases.joined:
            return False
        return not self.requirement.withstands(releases.attacker(earlier), releases.left_by(self))

    @cached_property
    def large_failing(self) -> IntArray:
        """Classes that are large enough, fail other models, and therefore may not be suppressed."""
        if not self.requirement.large_must_hold:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(self.requirement.size_part.fulfilled(self.classes) & ~self.kept)

    def class_words(self, number: int) -> str:
        """Return the labels of a class of a node."""
        assert self.node is not None, "classes of a recoding have no common levels"
        row = int(np.flatnonzero(self.labels == number)[0])
        levels = (a.hierarchy.levels[n] for a, n in zip(self.problem.attributes, self.node, strict=True))
        codes = (attribute.leaves[row] for attribute in self.problem.attributes)
        return ", ".join(level.labels[level.codes[code]] for level, code in zip(levels, codes, strict=True))

    @property
    def group_figures(self) -> dict[str, Any] | None:
        """The suppressed records as one class, as plain values; None if none is suppressed."""
        group = self.group
        if group is None:
            return None
        t = group.t(self.distances)
        return {"records": group.records, "k": group.k, "l": dict(group.l), "t": t, "held": group.held}

    def group_words(self, *, is_public: bool = False) -> str:
        """Describe the written form of suppressed records, for the owner with its reason; empty if none."""
        if self.group is None or "group" in self.revealed:
            return ""
        if self.cells == REMOVED:
            return _("Suppressed records are not in the file.")
        if self.cells == KEPT:
            return _(
                "Together, the suppressed records meet the requirement as one class, so their other cells "
                "stay."
            )
        if is_public or self.transformation.blank_suppressed:
            return _("Suppressed records have * in all columns.")
        return _(
            "Together, the suppressed records do not meet the requirement as one class, so they have * in "
            "all columns."
        )

    @property
    def misses_group(self) -> bool:
        """Return whether suppressed records have to meet the requirement as one class, and do not."""
        return self.requirement.holds_group and self.group is not None and not self.group.held

    @cached_property
    def cells(self) -> str:
        """Written form of suppressed records: "kept", "blank" (`*` in all columns) or "removed"."""
        return self.transformation.cells_of(self.group)

    @cached_property
    def losses(self) -> Losses:
        """Number that the suppression limit counts in the release."""
        return losses_of(self.problem, self.requirement, self.classes, self.kept)

    @property
    def is_within(self) -> bool:
        """Return whether suppressed records, or persons who lose some, stay within the limit."""
        return self.losses.are_allowed

    @cached_property
    def missed(self) -> tuple[PrivacyModel, ...]:
        """Table-wide models that the release does not meet."""
        kept, one = kept_table(self.problem, self.classes, self.kept), np.ones(1, dtype=np.bool_)
        return tuple(model for model in self.requirement.table_wide if not model.holds(kept, one)[0])

    @cached_property
    def l(self) -> Mapping[str, int | None]:  # noqa: E743  the measure's name
        """Per sensitive column the fewest distinct values in a kept class."""
        measures = {a.name: Measure(DISTINCT, a.name) for a in self.problem.sensitive}
        return {
            name: int(self.classes.measured(measure)[self.kept].min()) if self.n_classes else None
            for name, measure in measures.items()
        }

    @cached_property
    def t(self) -> Mapping[str, float | None]:
        """Per sensitive column the largest distance of a kept class from the whole input table."""
        measures = {name: Measure(kind, name) for name, kind in self.distances.items()}
        return {
            name: float(self.classes.measured(measure)[self.kept].max()) if self.n_classes else None
            for name, measure in measures.items()
        }

    @cached_property
    def distances(self) -> Mapping[str, str]:
        """The distance behind `t` per sensitive column: of the first model that names one, else by type."""
        kinds = {a.name: a.default_distance for a in self.problem.sensitive}
        for model in reversed(self.requirement.models):
            if kind := getattr(model, "distance", None):
                kinds[model.columns[0]] = kind
        return kinds

    def column(self, name: str) -> ReleasedColumn | None:
        """A column by name; None if it is dropped."""
        return next((column for column in self.columns if column.name == name), None)

    def rows(self) -> IntArray:
        """Records that are written, in the order of the table."""
        if self.transformation.suppressed_records == "remove":
            return np.flatnonzero(~self.suppressed)
        return np.arange(len(self.labels))

    @cached_property
    def unchanged(self) -> UnchangedColumns:
        """Records that unchanged columns single out; counted when first requested."""
        return self.count_unchanged()

    def count_unchanged(self, monitor: Monitor = SILENT) -> UnchangedColumns:
        """Return `unchanged`, counted if it is not known yet; large tables take seconds."""
        known: UnchangedColumns | None = self.__dict__.get("unchanged")
        if known is None:
            known = self.__dict__["unchanged"] = self.written.count_unchanged(monitor)
        return known

    def singled_out(self, monitor: Monitor = SILENT) -> IntArray:
        """Return the records of the input that all unchanged columns together single out."""
        return self.written.singled_out(monitor)

    @cached_property
    def written(self) -> PlannedRecords:
        """The records that are written, wherever they are."""
        return self._records(self.problem.repeated)

    def _records(self, persons: Persons | None) -> PlannedRecords:
        """Return the written records; in memory their persons are those given."""
        if self.stored is not None:
            return self.stored
        by_rule = [
            column.name
            for column in self.columns
            if column.role in RULED and self.transformation.rule_of(column.name, column.role) is not None
        ]
        plan = ReleasePlan(
            tuple(
                PlannedColumn(column.name, column.role, column.labels, column.codes)
                for column in self.columns
            ),
            removes=self.transformation.suppressed_records == "remove",
            person=None if persons is None else persons.column,
            by_rule=tuple(by_rule),
        )
        originals = tuple(
            Column(a.name, DataType(), a.hierarchy.values, a.leaves, False, np.zeros(0))
            for a in self.problem.attributes
        )
        cells = {column.name: column.codes for column in self.columns}
        numbers = None if persons is None else persons.numbers
        return PlannedRecords(plan, Table(originals), cells, self.suppressed, numbers)
