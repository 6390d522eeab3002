"""The release of a table that is not in memory: its records are made in blocks while they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.errors import InputError
from engine.frequency import Problem
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Codes, IntArray
from engine.kernels.distinct_rows import RowKeys, distinct_rows
from engine.kernels.grouping import class_labels
from engine.lattice import Node
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.recoding.drawing import drawn_numbers, mixed
from engine.recoding.links import LinkCounter, Links
from engine.recoding.ruled import rule_context, rule_of, written_column
from engine.recoding.rules.base import ColumnRule, RuleContext
from engine.recoding.transformation import RULED, ReleaseSource
from engine.recoding.unchanged import (
    COUNTING,
    Determined,
    GeneralizedColumn,
    SingledOut,
    UnchangedColumns,
    WrittenColumn,
    find_determined,
)
from engine.recoding.written_records import LastRead, WrittenRecords, passed_cells
from engine.sources.base import Cells, PlannedColumn, PlannedSuppression, ReleasePlan, WritesItself
from engine.sources.dealing import Deal, Sorted, as_arrow
from engine.sources.fetched import records_here, some_records
from engine.sources.passing import hashed, new_key
from engine.table import Column, Role, Table
from engine.table.blocks import Blocks
from engine.table.parquet import coded_texts
from engine.table.remote import RemoteColumn, Vocabulary
from engine.table.spill import Spill
from engine.table.stored import ListedColumn, StoredColumn, is_cut, let_go, refuse_cut
from engine.words import _

_BLOCK = 1 << 20  # records per step
_DENSE = 1 << 26  # keys below this are looked up in a table
_BYTES_OF_TEXT = 32  # about
MOST_SAMPLED = 1_000_000  # records of a cluster in which columns are compared with others
MOST_COMPARED = 5_000_000  # records in which columns are compared with others; of more, some evenly spaced


@dataclass(frozen=True, eq=False)
class SuppressedTuples:
    """Which records are suppressed, by their combination of codes.

    Attributes
    ----------
    planned : PlannedSuppression
    cells : tuple of mapped ndarray, each of shape (n_records,)
        Of its columns.
    """

    planned: PlannedSuppression
    cells: tuple[Cells, ...]

    @cached_property
    def _keys(self) -> RowKeys:
        keys = RowKeys(self.planned.spans)
        keys.prepare(lambda: [list(self.planned.listed)])
        return keys

    @cached_property
    def _listed(self) -> IntArray:
        return np.sort(self._keys.of(list(self.planned.listed)))

    @cached_property
    def _is_listed(self) -> BoolArray | None:
        if self._keys.span > _DENSE:
            return None
        found = np.zeros(self._keys.span + 1, dtype=np.bool_)  # the last one for keys of -1
        found[self._listed] = True
        return found

    def of(self, records: slice | IntArray) -> BoolArray:
        """Return whether each of some records is suppressed."""
        parts = zip(self.planned.code_of, self.cells, strict=True)
        keys = self._keys.of([code_of[cells[records]] for code_of, cells in parts])
        if self._is_listed is not None:
            found = self._is_listed[keys]
        else:
            places = np.minimum(np.searchsorted(self._listed, keys), len(self._listed) - 1)
            found = self._listed[places] == keys
        return np.asarray(found != self.planned.are_kept)


@dataclass(frozen=True, eq=False)
class StoredRecords:
    """Records of a table that is not in memory, as they are written.

    Attributes
    ----------
    plan : ReleasePlan
    table : Table
        Its records are fetched when they are first asked for, if they are in a server.
    """

    plan: ReleasePlan
    table: Table

    @property
    def columns(self) -> tuple[PlannedColumn, ...]:
        """The columns that are written."""
        return self.plan.columns

    @property
    def n_records(self) -> int:
        """Number of records of the table."""
        return self.table.n_records

    def _cells(self, column: str) -> Cells:
        return records_here(self.table).column(column).codes

    @cached_property
    def persons(self) -> Cells | None:
        """Person of every record, if one has several."""
        return None if self.plan.person is None else self._cells(self.plan.person)

    @cached_property
    def suppressed(self) -> SuppressedTuples | None:
        """Which records are suppressed; None if none is."""
        planned = self.plan.suppressed
        if planned is None:
            return None
        return SuppressedTuples(planned, tuple(self._cells(name) for name in planned.columns))

    @property
    def removes(self) -> bool:
        """Whether suppressed records are left out."""
        return self.plan.removes

    @cached_property
    def rows(self) -> IntArray | None:
        """Records that are written, in the order of the table; None for all."""
        if self.suppressed is None or not self.removes:
            return None
        parts = [
            start + np.flatnonzero(~self.suppressed.of(slice(start, start + _BLOCK)))
            for start in range(0, self.n_records, _BLOCK)
        ]
        return np.concatenate(parts)

    @property
    def n_written(self) -> int:
        """Number of written records."""
        return self.n_records if self.rows is None else len(self.rows)

    def written(self, start: int | None = None, monitor: Monitor = SILENT) -> list[tuple[Any, Blocks]]:
        """Return the columns for a writer, which reads them in pieces from the first record on.

        Parameters
        ----------
        start : int, optional
            Number that drawing a random order begins with; None for the order of the table.
        monitor : Monitor
            Asked while records are put into another order.

        Raises
        ------
        TableError
            There is no room for temporary files.
        """
        whole = WrittenRecords(self, self.columns)
        read = LastRead(whole.read if start is None else self._shuffled(whole, start, monitor).read)
        return [
            (column.labels, Blocks(self.n_written, partial(read.column, place), not column.is_coded))
            for place, column in enumerate(self.columns)
        ]

    def _shuffled(self, whole: WrittenRecords, start: int, monitor: Monitor) -> Sorted:
        """Return all records sorted by the numbers drawn for them, as they would be in memory."""
        spill = self._spill
        n_bytes = sum(4 if column.is_coded else _BYTES_OF_TEXT for column in self.columns)
        deal = Deal(spill, self.n_written, 8 + n_bytes)
        try:
            for first in range(0, self.n_written, _BLOCK):
                monitor.step(first, self.n_written, _("Shuffling records"))
                stop = min(first + _BLOCK, self.n_written)
                deal.add(drawn_numbers(first, stop, start), whole.read(first, stop))
        except BaseException:
            deal.close()
            raise
        return Sorted(deal)

    @property
    def _spill(self) -> Spill:
        column = self.table.columns[0]
        return column.files.spill if isinstance(column, StoredColumn) else Spill()

    def codes_of(self, columns: Sequence[PlannedColumn], records: slice | IntArray) -> list[Codes]:
        """Return the written codes of some records of the table, of columns that are coded."""
        hidden = self.hidden_of(records)
        codes: list[Codes] = []
        for column in columns:
            own: Codes = column.code_of[self._cells(column.name)[records]]
            if hidden is not None and column.hidden >= 0:
                own[hidden] = column.hidden
            codes.append(own)
        let_go(self.table.columns[:1])
        return codes

    def hidden_of(self, records: slice | IntArray) -> BoolArray | None:
        """Return which records are written as suppressed; None if none is."""
        return None if self.suppressed is None or self.removes else self.suppressed.of(records)

    def column(self, name: str) -> PlannedColumn | None:
        """Return a column by name; None if it is not written."""
        return next((column for column in self.columns if column.name == name), None)

    def written_cells(
        self, name: str, codes: Codes, suppressed: BoolArray
    ) -> tuple[tuple[str, ...], Codes] | None:
        """Return texts and codes of some cells of a column as written; None if not written, or passed."""
        column = self.column(name)
        if column is None or not column.is_coded:
            return None
        own: Codes = column.code_of[codes]
        if column.hidden >= 0 and not self.removes:
            own[suppressed] = column.hidden
        return column.labels, own

    def texts(self, name: str, records: IntArray) -> list[str] | None:
        """Return the written cells of some records of the table in a column; None if it is not written."""
        column = self.column(name)
        if column is None:
            return None
        if not column.is_coded:
            return passed_cells(self, column, records)
        return [column.labels[code] for code in self.codes_of([column], records)[0].tolist()]

    def count_unchanged(self, monitor: Monitor = SILENT) -> UnchangedColumns:
        """Count what `engine.recoding.unchanged.count_unchanged` does, by distinct combinations."""
        if self._there is not None:
            return self._counted_there(self._there, monitor)
        records_here(self.table, monitor)
        ruled = [column for column in self.columns if column.role in RULED]
        generalized = [column for column in self.columns if column.role is Role.QUASI_IDENTIFYING]
        n_parts = 2 if self.persons is None else 3
        counted = self._singled_out(ruled, generalized, False, PartMonitor(monitor, 0, n_parts))
        of_one_person = None
        if self.persons is not None:
            of_one_person = self._singled_out(ruled, generalized, True, PartMonitor(monitor, 1, n_parts))
        return UnchangedColumns(
            columns=tuple(column.name for column in ruled),
            n_records=self.n_written,
            by_rule=self.plan.by_rule,
            alone=counted.alone,
            together=counted.together,
            with_quasi_identifiers=counted.with_quasi_identifiers,
            of_one_person=of_one_person,
            determines=self._determines(ruled, generalized, PartMonitor(monitor, n_parts - 1, n_parts)),
        )

    @property
    def _there(self) -> WritesItself | None:
        """The cluster whose records are counted there; None if they come to this machine."""
        source = self._source
        return source if isinstance(source, WritesItself) and not source.is_fetched else None

    @property
    def _source(self) -> object:
        """The server or cluster that the records are in, if any."""
        column = self.table.columns[0]
        return column.source if isinstance(column, RemoteColumn) else None

    @property
    def _vocabulary(self) -> dict[str, Vocabulary]:
        return {c.name: c.vocabulary for c in self.table.columns if isinstance(c, RemoteColumn)}

    def _counted_there(self, source: WritesItself, monitor: Monitor) -> UnchangedColumns:
        """Have a cluster count; only whether columns reveal others is looked for in some records here."""
        ruled = [column for column in self.columns if column.role in RULED]
        generalized = [column for column in self.columns if column.role is Role.QUASI_IDENTIFYING]
        names = [column.name for column in ruled]
        everything = [*names, *(column.name for column in generalized)]
        sets = [found for found in (*([name] for name in names), names, everything) if found]
        n_written, counts = source.count_alone(self.plan, self._vocabulary, sets, PartMonitor(monitor, 0, 2))

        def counted(which: int) -> SingledOut:
            found = [count[which] for count in counts]
            alone = dict(zip(names, found, strict=False))
            together = found[len(names)] if names else 0
            return SingledOut(MappingProxyType(alone), together, found[-1] if everything else 0)

        some = StoredRecords(
            self.plan, some_records(self.table, MOST_SAMPLED, monitor=PartMonitor(monitor, 1, 2))
        )
        return UnchangedColumns(
            columns=tuple(names),
            n_records=n_written if sets else self.n_records,
            by_rule=self.plan.by_rule,
            alone=counted(0).alone,
            together=counted(0).together,
            with_quasi_identifiers=counted(0).with_quasi_identifiers,
            of_one_person=None if self.plan.person is None else counted(1),
            determines=some._determines(ruled, generalized, monitor),
        )

    def links(self, monitor: Monitor = SILENT, *, keeps_order: bool) -> Links:
        """Count what the order and the codes of the written records reveal; see `LinkCounter`.

        Codes of identifying columns with more values than are listed are not looked at. A cluster has its
        records in no order, and shows no more than a code of persons.
        """
        person = self.plan.person or ""
        if self._there is not None:
            column = self.column(person)
            if column is None or len(column.labels) < 2:
                return Links()
            return Links({person: int(np.count_nonzero(self.table.column(person).counts))})
        records_here(self.table, monitor)
        if self.persons is None and (not keeps_order or self.removes or self.suppressed is None):
            return Links()
        labelled = [column for column in self.columns if column.role is Role.QUASI_IDENTIFYING]
        others = [column for column in self.columns if column.role in RULED or column.is_coded]
        others = [column for column in others if column not in labelled and person]
        hashes = {} if all(column.is_coded for column in others) else self._hashes
        counter = LinkCounter(
            {column.name: len(column.labels) for column in labelled},
            {column.name: len(column.labels) if column.is_coded else None for column in others},
            0 if self.persons is None else int(self.persons.max(initial=0)) + 1,
            person,
            keeps_order=keeps_order,
        )
        start, coded = 0, [column for column in (*labelled, *others) if column.is_coded]
        for records, codes in self._blocks(coded, monitor):
            stop = start + len(codes[0])
            by_name = {column.name: own for column, own in zip(coded, codes, strict=True)}
            by_name |= {name: own[start:stop].view(np.int64) for name, own in hashes.items()}
            hidden, start = self.hidden_of(records), stop
            counter.add(
                np.ones(len(codes[0]), dtype=np.bool_) if hidden is None else ~hidden,
                [by_name[column.name] for column in labelled],
                [by_name[column.name] for column in others],
                None if self.persons is None else self.persons[records].astype(np.int64),
            )
        return counter.found()

    @property
    def compares_some(self) -> bool:
        """Return whether columns are compared with others in some of the records only."""
        return self._there is not None or self.n_written > MOST_COMPARED

    def _singled_out(
        self,
        ruled: Sequence[PlannedColumn],
        generalized: Sequence[PlannedColumn],
        by_person: bool,
        monitor: Monitor,
    ) -> SingledOut:
        total = len(ruled) + 2
        alone = {
            column.name: self._n_alone([column], by_person, PartMonitor(monitor, done, total))
            for done, column in enumerate(ruled)
        }
        together = self._n_alone(ruled, by_person, PartMonitor(monitor, total - 2, total)) if ruled else 0
        everything = [*ruled, *generalized]
        n_all = self._n_alone(everything, by_person, PartMonitor(monitor, total - 1, total))
        return SingledOut(MappingProxyType(alone), together, n_all)

    def n_singled_out(self, monitor: Monitor = SILENT) -> int:
        """Count the records that all unchanged columns together single out; a cluster counts its own."""
        ruled = [column for column in self.columns if column.role in RULED]
        source, names = self._source, [column.name for column in ruled]
        if isinstance(source, WritesItself):
            ((n_alone, n_of_one),) = source.count_alone(self.plan, self._vocabulary, [names], monitor)[1]
            return n_alone if self.plan.person is None else n_of_one
        return self._n_alone(ruled, self.persons is not None, monitor)

    def singled_out(self, monitor: Monitor = SILENT) -> IntArray:
        """Return what `Release.singled_out` does: records that all unchanged columns together single out."""
        ruled = [column for column in self.columns if column.role in RULED]
        if not ruled:
            return np.zeros(0, dtype=np.int64)
        if not all(column.is_coded for column in ruled):
            parts = list(self._alone_dealt(ruled, self.persons, monitor))
            return np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *parts]))
        spans = [len(column.labels) for column in ruled]
        alone = self._alone(ruled, self.persons is not None, PartMonitor(monitor, 0, 2))[0]
        keys = RowKeys(spans)
        keys.prepare(lambda: [alone])
        wanted = np.sort(keys.of(alone))
        parts = [np.zeros(0, dtype=np.int64)]
        for records, codes in self._blocks(ruled, PartMonitor(monitor, 1, 2)):
            found = keys.of(codes)
            places = np.minimum(np.searchsorted(wanted, found), max(len(wanted) - 1, 0))
            hits = np.flatnonzero(wanted[places] == found) if len(wanted) else places[:0]
            parts.append(hits + records.start if isinstance(records, slice) else records[hits])
        return np.concatenate(parts)

    def _n_alone(self, columns: Sequence[PlannedColumn], by_person: bool, monitor: Monitor) -> int:
        """Return the records without an equal one, or whose equal ones are all of one person."""
        if not all(column.is_coded for column in columns):
            persons = self.persons if by_person else None
            return sum(len(records) for records in self._alone_dealt(columns, persons, monitor))
        return self._alone(columns, by_person, monitor)[1] if columns else 0

    def _alone(
        self, columns: Sequence[PlannedColumn], by_person: bool, monitor: Monitor
    ) -> tuple[list[Codes], int]:
        """Return the combinations of the records without an equal one of others, and how many records."""
        persons = self.persons if by_person else None
        spans = [len(column.labels) for column in columns]
        if persons is not None:
            spans.append(int(persons.max()) + 1)

        def blocks() -> Iterator[list[Any]]:
            for records, codes in self._blocks(columns, monitor):
                yield codes if persons is None else [*codes, persons[records]]

        found, counts = distinct_rows(blocks, spans)
        if persons is None:
            is_alone = counts == 1
            return [column[is_alone] for column in found], int(np.count_nonzero(is_alone))
        labels, first, n_persons = class_labels(found[:-1], spans[:-1])
        is_alone = n_persons == 1
        chosen = first[is_alone]
        return [column[chosen] for column in found[:-1]], int(counts[is_alone[labels]].sum())

    def _blocks(
        self, columns: Sequence[PlannedColumn], monitor: Monitor
    ) -> Iterator[tuple[slice | IntArray, list[Any]]]:
        """Yield the written records block by block, with their written codes in some columns."""
        n_written = self.n_written
        for start in range(0, n_written, _BLOCK):
            monitor.step(start, n_written, _(COUNTING))
            stop = min(start + _BLOCK, n_written)
            records = slice(start, stop) if self.rows is None else self.rows[start:stop]
            yield records, list(self.codes_of(columns, records))

    def _alone_dealt(
        self, columns: Sequence[PlannedColumn], persons: Cells | None, monitor: Monitor
    ) -> Iterator[IntArray]:
        """Yield the records without an equal one of another person, their combinations dealt into files."""
        coded = [column for column in columns if column.is_coded]
        others = [self._hashes[column.name] for column in columns if not column.is_coded]
        deal = Deal(self._spill, self.n_written, 24)
        start = 0
        try:
            for records, codes in self._blocks(coded, monitor):
                numbers = np.arange(records.start, records.stop) if isinstance(records, slice) else records
                keys = np.zeros(len(numbers), dtype=np.uint64)
                for own in codes:
                    keys = mixed(keys ^ own.astype(np.uint64))
                for hashes in others:
                    keys = mixed(keys ^ hashes[start : start + len(numbers)])
                start += len(numbers)
                of_whom = numbers if persons is None else persons[records].astype(np.int64)
                deal.add(keys, [numbers, of_whom])
            for keys, (dealt, whom) in deal.files():
                yield dealt.to_numpy()[_of_one(keys, whom.to_numpy())]
        finally:
            deal.close()

    @cached_property
    def _hashes(self) -> Mapping[str, NDArray[np.uint64]]:
        """A number per written record for its text, by column that is not coded, mapped from a file."""
        others = [c for c in self.columns if not c.is_coded and c.role in RULED]
        spill, key = self._spill, new_key()
        paths = [spill.path() for _unused in others]
        whole = WrittenRecords(self, others)
        with ExitStack() as stack, spill.writing():
            files = [stack.enter_context(path.open("xb")) for path in paths]
            for start in range(0, self.n_written, _BLOCK):
                texts = whole.read(start, min(start + _BLOCK, self.n_written))
                for file, own in zip(files, texts, strict=True):
                    spill.write(file, hashed(own, key).tobytes())
        return {
            column.name: spill.mapped(path, np.uint64, self.n_written)
            for column, path in zip(others, paths, strict=True)
        }

    def _determines(
        self, ruled: Sequence[PlannedColumn], generalized: Sequence[PlannedColumn], monitor: Monitor
    ) -> tuple[Determined, ...]:
        step = max(-(-self.n_written // MOST_COMPARED), 1)
        chosen = np.arange(0, self.n_written, step)
        records = chosen if self.rows is None else self.rows[chosen]
        coded = [column for column in ruled if column.is_coded]
        by_name = {
            column.name: WrittenColumn(column.name, column.labels, codes)
            for column, codes in zip(coded, self.codes_of(coded, records), strict=True)
        } | self._some_texts([column for column in ruled if not column.is_coded], step)
        unchanged = [by_name[column.name] for column in ruled]
        kept = None if self.suppressed is None or self.removes else ~self.suppressed.of(records)
        of_levels = [
            GeneralizedColumn(
                WrittenColumn(column.name, column.labels, codes),
                self.table.column(column.name).labels,
                self._cells(column.name)[records].astype(np.int32),
            )
            for column, codes in zip(generalized, self.codes_of(generalized, records), strict=True)
        ]
        persons = None if self.persons is None else self.persons[records].astype(np.int32)
        return find_determined(unchanged, of_levels, kept=kept, persons=persons, monitor=monitor)

    def _some_texts(self, columns: Sequence[PlannedColumn], step: int) -> dict[str, WrittenColumn]:
        """Return the texts of every `step`-th written record of columns without codes."""
        if not columns:
            return {}
        import pyarrow as pa

        whole = WrittenRecords(self, columns)
        parts: list[list[Any]] = [[] for _unused in columns]
        for start in range(0, self.n_written, _BLOCK):
            texts = whole.read(start, min(start + _BLOCK, self.n_written))
            for own, found in zip(parts, texts, strict=True):
                own.append(as_arrow(found[-start % step :: step]))
        return {
            column.name: WrittenColumn(column.name, *coded_texts(pa.chunked_array(own).dictionary_encode()))
            for column, own in zip(columns, parts, strict=True)
        }


def _of_one(keys: NDArray[np.uint64], persons: IntArray) -> BoolArray:
    """Return which records have no equal one of another person."""
    order = np.lexsort((persons, keys))
    keys, persons = keys[order], persons[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    stops = np.append(starts[1:], len(keys))
    found = np.zeros(len(keys), dtype=np.bool_)
    found[order] = np.repeat(persons[starts] == persons[stops - 1], stops - starts)
    return found


def records_to_count(
    table: Table,
    unchanged: Sequence[Column],
    hidden: Sequence[Column],
    person: str | None,
    ruled: Sequence[str],
) -> StoredRecords:
    """Return records whose release is not known yet, to count what unchanged columns single out.

    Parameters
    ----------
    table : Table
        Its records stay in files.
    unchanged : sequence of Column
        As they are written; those with more values than are listed are left out.
    hidden : sequence of Column
        Quasi-identifying columns that are hidden completely.
    person : str or None
        Column whose values are persons.
    ruled : sequence of str
        Unchanged columns that a rule writes.
    """
    listed = [column for column in unchanged if not is_cut(column)]
    planned = [
        PlannedColumn(
            column.name, Role.INSENSITIVE, column.labels, np.arange(len(column.labels), dtype=np.int32)
        )
        for column in listed
    ] + [
        PlannedColumn(
            column.name, Role.QUASI_IDENTIFYING, (SUPPRESSED,), np.zeros(len(column.labels), dtype=np.int32)
        )
        for column in hidden
    ]
    needed = [*listed, *hidden]
    if person is not None and person not in [column.name for column in needed]:
        needed.append(table.column(person))
    plan = ReleasePlan(tuple(planned), person=person, by_rule=tuple(ruled))
    return StoredRecords(plan, Table(tuple(needed or table.columns[:1])))


def planned_records(
    source: ReleaseSource,
    problem: Problem,
    node: Node,
    labels: IntArray,
    kept: BoolArray,
    *,
    is_blank: bool,
) -> StoredRecords:
    """Return the records of a release, given what was decided for the distinct tuples.

    Parameters
    ----------
    source : ReleaseSource
        Its records are not in memory.
    problem : Problem
        Of the distinct tuples.
    node : tuple of int
    labels : ndarray of int64, shape (n_tuples,)
        Class of every tuple.
    kept : ndarray of bool, shape (n_classes,)
    is_blank : bool
        Whether suppressed records have `*` in all columns.

    Raises
    ------
    InputError
        A column with more values than are listed is neither left out nor hidden.
    """
    is_suppressed = ~kept[labels]
    by_name = {attribute.name: place for place, attribute in enumerate(problem.attributes)}
    planned: list[PlannedColumn] = []
    by_rule = []
    context = rule_context(source)
    blank = SUPPRESSED if is_blank else None
    for column in source.records.columns:
        assert isinstance(column, ListedColumn), "all columns of such a table are"
        role = source.role(column.name)
        if role is Role.QUASI_IDENTIFYING:
            attribute = problem.attributes[by_name[column.name]]
            level = attribute.hierarchy.levels[node[by_name[column.name]]]
            code_of = _by_label(column, attribute.column.codes, level.codes[attribute.leaves])
            texts = level.labels if SUPPRESSED in level.labels else (*level.labels, SUPPRESSED)
            hidden = texts.index(SUPPRESSED)
            planned.append(PlannedColumn(column.name, role, texts, code_of, hidden))
        elif role is Role.IDENTIFYING:
            rule = source.transformation.identifier_rule(column.name)
            if column.is_cut and not rule.is_constant:
                planned.append(_passed(column, role, rule, context, blank))
                continue
            if rule.is_by_record:
                planned.append(_by_record(column, role, rule, context, blank))
                continue
            written = rule.apply(column.of_labels(), context)
            if written is not None:
                planned.append(_coded(column.name, role, *written, blank))
        elif role is not None:
            own, has_rule = column.of_labels(), rule_of(source, column.name)
            if column.is_cut and not (has_rule is not None and has_rule.is_constant):
                planned.append(_passed(column, role, has_rule, context, blank))
                by_rule += [] if has_rule is None else [column.name]
                continue
            if has_rule is not None and has_rule.is_by_record:
                planned.append(_by_record(column, role, has_rule, context, blank))
                by_rule.append(column.name)
                continue
            if has_rule is not None:
                changed = written_column(has_rule, own, context)
                if changed is None:
                    continue
                own = changed
                by_rule.append(column.name)
            planned.append(_coded(column.name, role, own.labels, own.codes, blank))
    plan = ReleasePlan(
        tuple(planned),
        _suppression(source, problem, node, is_suppressed) if is_suppressed.any() else None,
        source.transformation.suppressed_records == "remove",
        None if problem.repeated is None else source.person,
        tuple(by_rule),
    )
    return StoredRecords(plan, source.records)


def _coded(name: str, role: Role, texts: tuple[str, ...], codes: Codes, blank: str | None) -> PlannedColumn:
    """Return how a column is written, given the text of each label and what suppressed records get."""
    if blank is None:
        return PlannedColumn(name, role, texts, codes)
    texts = texts if blank in texts else (*texts, blank)
    return PlannedColumn(name, role, texts, codes, texts.index(blank))


def _passed(
    column: ListedColumn,
    role: Role,
    rule: ColumnRule | None,
    context: RuleContext,
    blank: str | None = None,
) -> PlannedColumn:
    """Return how a column with more values than are listed is written, from its place in the files.

    Raises
    ------
    InputError
        Its rule needs all its values.
    """
    if rule is not None:
        rule.refuse_many_values(column.name, column.n_rows)
    if not isinstance(column, StoredColumn) or column.place is None:
        refuse_cut(column)

    def written(own: Column) -> list[str]:
        found = (own.labels, own.codes) if rule is None else rule.apply(own, context)
        assert found is not None, "dropped columns are not planned"
        texts: list[str] = np.array(found[0] or ("",), dtype=object)[found[1]].tolist()
        return texts

    labels = () if blank is None else (blank,)
    return PlannedColumn(column.name, role, labels, np.zeros(0, dtype=np.int32), len(labels) - 1, written)


def _by_record(
    column: ListedColumn, role: Role, rule: ColumnRule, context: RuleContext, blank: str | None = None
) -> PlannedColumn:
    """Return how a column is written whose rule reads the record or its person too.

    Raises
    ------
    InputError
        The rule is not defined for the column.
    TableError
        The persons are more than are listed.
    """
    name, person = column.name, context.person
    if reason := rule.why_not(column):
        raise InputError(reason, hint=_("Use another rule, or set the type of the column."), column=name)
    if person is not None:
        refuse_cut(context.records.column(person))

    def written(table: Table, records: slice | IntArray) -> list[str]:
        numbers = np.arange(records.start, records.stop) if isinstance(records, slice) else records
        own = table.column(name).take(numbers)
        # what the rule reads of these records alone, at least one column
        some = Table((own,) if person is None else (own, table.column(person).take(numbers)))
        found = rule.apply(own, replace(context, records=some, numbers=numbers))
        assert found is not None, "dropped columns are not planned"
        texts: list[str] = np.array(found[0], dtype=object)[found[1]].tolist()
        return texts

    labels = () if blank is None else (blank,)
    return PlannedColumn(name, role, labels, np.zeros(0, dtype=np.int32), len(labels) - 1, by_record=written)


def _by_label(column: Column, codes: Codes, values: Codes) -> Codes:
    """Return the value of each label of a column, given the codes and values of its tuples."""
    found = np.zeros(len(column.labels), dtype=np.int32)
    found[codes] = values
    return found


def _suppression(
    source: ReleaseSource, problem: Problem, node: Node, is_suppressed: BoolArray
) -> PlannedSuppression:
    """Tell suppressed tuples apart by their released labels, or by all their values where these differ."""
    levels = [
        attribute.hierarchy.levels[level] for attribute, level in zip(problem.attributes, node, strict=True)
    ]
    columns = [
        level.codes[attribute.leaves] for attribute, level in zip(problem.attributes, levels, strict=True)
    ]
    spans = [len(level.labels) for level in levels]
    names = problem.names
    codes = [attribute.column.codes for attribute in problem.attributes]
    classes, first, _sizes = class_labels(columns, spans)
    if (is_suppressed[first][classes] != is_suppressed).any():  # persons, or attackers who know a value
        own = source.rows.columns
        columns = [column.codes for column in own]
        spans = [len(column.labels) for column in own]
        names = tuple(column.name for column in own)
        codes = columns
        first = np.arange(len(is_suppressed))
    suppressed = is_suppressed[first]
    are_kept = 2 * int(suppressed.sum()) > len(suppressed)
    chosen = first[suppressed != are_kept]
    return PlannedSuppression(
        names,
        tuple(
            _by_label(source.records.column(name), own, values)
            for name, own, values in zip(names, codes, columns, strict=True)
        ),
        tuple(spans),
        tuple(column[chosen] for column in columns),
        are_kept,
    )
