"""Written records of a release: made, shuffled and counted block by block, wherever the table is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray, Codes, IntArray
from engine.kernels.distinct_rows import RowPlaces, distinct_rows
from engine.kernels.grouping import class_labels, rows_alone
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.recoding.drawing import drawn_numbers, drawn_order, mixed
from engine.recoding.links import LinkCounter, Links
from engine.recoding.transformation import RULED
from engine.recoding.unchanged import (
    COUNTING,
    Determined,
    GeneralizedColumn,
    SingledOut,
    UnchangedColumns,
    WrittenColumn,
    find_determined,
    varies,
)
from engine.records import Role, Table
from engine.records.disk.dealing import Deal, Sorted, as_arrow, hashed, new_key
from engine.records.disk.fetched import records_here, some_records
from engine.records.frames.parquet import coded_texts
from engine.records.plan import Blocks, PlannedColumn, Read, ReleasePlan, blocks_of
from engine.records.remote import Cells, WritesItself, source_of, vocabularies
from engine.records.stored import Spill, StoredColumn, let_go
from engine.words import _

_BLOCK = 1 << 20  # records per step
_BYTES_OF_TEXT = 32  # about
MOST_SAMPLED = 1_000_000  # records of a cluster in which columns are compared with others
MOST_COMPARED = 5_000_000  # records in which columns are compared with others; of more, some evenly spaced


@dataclass(frozen=True, eq=False)
class PlannedRecords:
    """Written records, shuffled and counted block by block, wherever those of the table are.

    Attributes
    ----------
    table : Table
        Its records are fetched when they are first asked for, if they are in a server. Of a release in
        memory, it has the original quasi-identifiers.
    held : mapping of str to ndarray of int32, each of shape (n_records,), or None
        Of a release in memory, the code of each record in the labels of its planned column, suppressed ones
        included; None if codes are made block by block from those of the table.
    is_suppressed : ndarray of bool, shape (n_records,), or None
    numbers : ndarray of int32, shape (n_records,), or None
        Of a release in memory, suppressed records and the person of each record.
    """

    plan: ReleasePlan
    table: Table
    held: Mapping[str, Codes] | None = None
    is_suppressed: BoolArray | None = None
    numbers: Codes | None = None

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
        if self.plan.person is None or self.held is not None:
            return self.numbers
        return self._cells(self.plan.person)

    @cached_property
    def suppressed(self) -> Callable[[slice | IntArray], BoolArray] | None:
        """Return which records are suppressed; None if none is."""
        if self.is_suppressed is not None:
            return self.is_suppressed.__getitem__ if self.is_suppressed.any() else None
        planned = self.plan.suppressed
        if planned is None:
            return None
        listed = RowPlaces(planned.listed, planned.spans)
        parts = [(own, self._cells(name)) for name, own in zip(planned.columns, planned.code_of, strict=True)]

        def suppressed(records: slice | IntArray) -> BoolArray:
            places = listed.of([code_of[cells[records]] for code_of, cells in parts])
            return np.asarray((places >= 0) != planned.are_kept)

        return suppressed

    @property
    def removes(self) -> bool:
        """Return whether suppressed records are removed."""
        return self.plan.removes

    @cached_property
    def rows(self) -> IntArray | None:
        """Records that are written, in the order of the table; None for all."""
        if self.suppressed is None or not self.removes:
            return None
        parts = [
            start + np.flatnonzero(~self.suppressed(slice(start, start + _BLOCK)))
            for start in range(0, self.n_records, _BLOCK)
        ]
        return np.concatenate(parts)

    @property
    def n_written(self) -> int:
        """Number of written records."""
        return self.n_records if self.rows is None else len(self.rows)

    def codes_of(self, columns: Sequence[PlannedColumn], records: slice | IntArray) -> list[Codes]:
        """Return the written codes of some records of the table, of columns that are coded."""
        if self.held is not None:
            return [self.held[column.name][records] for column in columns]
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
        return None if self.suppressed is None or self.removes else self.suppressed(records)

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

    def written(
        self, start: int | None = None, monitor: Monitor = SILENT
    ) -> list[tuple[Sequence[str], Blocks]]:
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
        records_here(self.table, monitor)
        whole = WrittenRecords(self, self.columns)
        read = whole.read if start is None else self._shuffled(whole, start, monitor)
        return blocks_of([column.labels for column in self.columns], self.n_written, read)

    def _shuffled(self, whole: WrittenRecords, start: int, monitor: Monitor) -> Read:
        """Return what reads all records sorted by the numbers drawn for them, as they would be in memory."""
        if self.held is not None:
            order = drawn_order(self.n_written, start)
            rows = order if self.rows is None else self.rows[order]
            return lambda first, stop: list(self.codes_of(self.columns, rows[first:stop]))
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
        return Sorted(deal).read

    @property
    def _spill(self) -> Spill:
        column = self.table.columns[0]
        return column.files.spill if isinstance(column, StoredColumn) else Spill()

    def count_unchanged(self, monitor: Monitor = SILENT) -> UnchangedColumns:
        """Count the records that unchanged columns single out, and find the levels that they undo.

        Blank cells of suppressed records are among the unchanged ones. Large tables take seconds.
        """
        if self._there is not None:
            return self._counted_there(self._there, monitor)
        records_here(self.table, monitor)
        ruled, generalized = self._ruled, self._generalized
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
    def at_once(self) -> int:
        """Number of records whose codes are read in one step; all that are in memory."""
        return _BLOCK if self.held is None else max(self.n_records, 1)

    @property
    def _ruled(self) -> list[PlannedColumn]:
        return [column for column in self.columns if column.role in RULED]

    @property
    def _generalized(self) -> list[PlannedColumn]:
        """Quasi-identifying columns, in the order of the table."""
        by_name = {column.name: column for column in self.columns if column.role is Role.QUASI_IDENTIFYING}
        return [by_name[name] for name in self.table.names if name in by_name]

    @property
    def _there(self) -> WritesItself | None:
        """The cluster whose records are counted there; None if they come to this machine."""
        source = source_of(self.table)
        return source if isinstance(source, WritesItself) and not source.is_fetched else None

    def _counted_there(self, source: WritesItself, monitor: Monitor) -> UnchangedColumns:
        """Have a cluster count; only whether columns reveal others is looked for in some records here."""
        ruled, generalized = self._ruled, self._generalized
        names = [column.name for column in ruled]
        everything = [*names, *(column.name for column in generalized)]
        sets = [found for found in (*([name] for name in names), names, everything) if found]
        n_written, counts = source.count_alone(
            self.plan, vocabularies(self.table), sets, PartMonitor(monitor, 0, 2)
        )

        def counted(which: int) -> SingledOut:
            found = [count[which] for count in counts]
            alone = dict(zip(names, found, strict=False))
            together = found[len(names)] if names else 0
            return SingledOut(MappingProxyType(alone), together, found[-1] if everything else 0)

        some = PlannedRecords(
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
        ruled = self._ruled
        source, names = source_of(self.table), [column.name for column in ruled]
        if isinstance(source, WritesItself):
            ((n_alone, n_of_one),) = source.count_alone(
                self.plan, vocabularies(self.table), [names], monitor
            )[1]
            return n_alone if self.plan.person is None else n_of_one
        return self._n_alone(ruled, self.persons is not None, monitor)

    def singled_out(self, monitor: Monitor = SILENT) -> IntArray:
        """Return what `Release.singled_out` does: records that all unchanged columns together single out."""
        ruled = self._ruled
        if not ruled:
            return np.zeros(0, dtype=np.int64)
        if not all(column.is_coded for column in ruled):
            parts = list(self._alone_dealt(ruled, self.persons, monitor))
            return np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *parts]))
        spans = [len(column.labels) for column in ruled]
        alone = self._alone(ruled, self.persons is not None, PartMonitor(monitor, 0, 2))[0]
        wanted, parts = RowPlaces(alone, spans), [np.zeros(0, dtype=np.int64)]
        for records, codes in self._blocks(ruled, PartMonitor(monitor, 1, 2)):
            hits = np.flatnonzero(wanted.of(codes) >= 0)
            parts.append(hits + records.start if isinstance(records, slice) else records[hits])
        return np.concatenate(parts)

    def _n_alone(self, columns: Sequence[PlannedColumn], by_person: bool, monitor: Monitor) -> int:
        """Return the records without an equal one, or whose equal ones are all of one person."""
        if not all(column.is_coded for column in columns):
            persons = self.persons if by_person else None
            return sum(len(records) for records in self._alone_dealt(columns, persons, monitor))
        if not columns or not self.n_written:
            return 0
        if self.n_written > self.at_once:
            return self._alone(columns, by_person, monitor)[1]
        ((records, codes),) = self._blocks(columns, monitor)
        spans = [len(column.labels) for column in columns]
        if not by_person or self.persons is None:
            return int(np.count_nonzero(rows_alone(codes, spans)))
        labels, first, _unused = class_labels(codes, spans)
        is_shared = varies(labels, len(first), self.persons[records].astype(np.int32, copy=False))
        return int(np.count_nonzero(~is_shared[labels]))

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
        for start in range(0, n_written, self.at_once):
            monitor.step(start, n_written, _(COUNTING))
            stop = min(start + self.at_once, n_written)
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
        kept = None if self.suppressed is None or self.removes else ~self.suppressed(records)
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


class WrittenRecords:
    """Written records in the order of the table, read in pieces from the first on.

    Parameters
    ----------
    columns : sequence of PlannedColumn
        Of its columns.
    """

    def __init__(self, records: PlannedRecords, columns: Sequence[PlannedColumn]) -> None:
        self._records, self._columns = records, columns
        self._passed = [column for column in columns if column.passed is not None]
        self._again: Iterator[list[list[str]]] | None = None
        self._first = self._stop = 0  # records of the table in `_texts`
        self._texts: list[list[str]] = [[] for _unused in self._passed]

    def read(self, start: int, stop: int) -> list[Any]:
        """Return codes, or texts of columns that are not coded, of some written records."""
        rows = self._records.rows
        records = slice(start, stop) if rows is None else rows[start:stop]
        coded = [column for column in self._columns if column.is_coded]
        codes = iter(self._records.codes_of(coded, records))
        texts = iter(self._read_passed(records) if self._passed and stop > start else self._texts)
        return [
            self._made(column, records)
            if column.by_record is not None
            else next(codes if column.is_coded else texts)
            for column in self._columns
        ]

    def _made(self, column: PlannedColumn, records: slice | IntArray) -> list[str]:
        assert column.by_record is not None, "asked for only then"
        found = column.by_record(records_here(self._records.table), records)
        return _with_hidden(column, found, self._records.hidden_of(records))

    def _read_passed(self, records: slice | IntArray) -> list[list[str]]:
        if isinstance(records, slice):
            first, last = records.start, records.stop
        else:
            first, last = int(records[0]), int(records[-1]) + 1
        if self._again is None or first < self._first:
            self._again, self._first, self._stop = self._blocks(), 0, 0
            self._texts = [[] for _unused in self._passed]
        while self._stop < last:
            for own, more in zip(self._texts, next(self._again), strict=True):
                own += more
            self._stop = self._first + len(self._texts[0])
            n_gone = min(first, self._stop) - self._first
            for own in self._texts:
                del own[:n_gone]
            self._first += n_gone
        n_gone = first - self._first
        for own in self._texts:
            del own[:n_gone]
        self._first = first
        if isinstance(records, slice):
            found = [own[: last - first] for own in self._texts]
        else:
            places = (records - first).tolist()
            found = [[own[place] for place in places] for own in self._texts]
        hidden = self._records.hidden_of(records)
        return [_with_hidden(column, own, hidden) for column, own in zip(self._passed, found, strict=True)]

    def _blocks(self) -> Iterator[list[list[str]]]:
        return _passed_blocks(self._records.table, self._passed)


def _with_hidden(column: PlannedColumn, texts: list[str], hidden: BoolArray | None) -> list[str]:
    """Return texts of records, in place, with what suppressed ones get."""
    if hidden is not None and column.hidden >= 0:
        for place in np.flatnonzero(hidden).tolist():
            texts[place] = column.labels[column.hidden]
    return texts


def _passed_blocks(table: Table, columns: Sequence[PlannedColumn]) -> Iterator[list[list[str]]]:
    """Yield the written texts of passed columns, block by block, for all records of the table."""
    stored = [table.column(column.name) for column in columns]
    of_files = [column for column in stored if isinstance(column, StoredColumn)]
    for block in of_files[0].files.read_again(of_files, SILENT):
        yield [
            column.passed(own)
            for column, own in zip(columns, block, strict=True)
            if column.passed is not None
        ]


def passed_cells(planned: PlannedRecords, column: PlannedColumn, records: IntArray) -> list[str]:
    """Return the written cells of some records of the table in a column that is not coded."""
    if column.by_record is not None:
        texts = column.by_record(records_here(planned.table), records)
        return _with_hidden(column, texts, planned.hidden_of(records))
    found: dict[int, str] = {}
    wanted = np.unique(records)
    start = 0
    for (texts,) in _passed_blocks(planned.table, [column]):
        own = wanted[(wanted >= start) & (wanted < start + len(texts))]
        found |= {record: texts[record - start] for record in own.tolist()}
        start += len(texts)
        if len(found) == len(wanted):
            break
    hidden = planned.hidden_of(records)
    if hidden is not None and column.hidden >= 0:
        found |= dict.fromkeys(records[hidden].tolist(), column.labels[column.hidden])
    return [found[record] for record in records.tolist()]


def _of_one(keys: NDArray[np.uint64], persons: IntArray) -> BoolArray:
    """Return which records have no equal one of another person."""
    order = np.lexsort((persons, keys))
    keys, persons = keys[order], persons[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    stops = np.append(starts[1:], len(keys))
    found = np.zeros(len(keys), dtype=np.bool_)
    found[order] = np.repeat(persons[starts] == persons[stops - 1], stops - starts)
    return found
