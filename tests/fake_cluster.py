"""A cluster for tests of the window and of releases, as far as one can be made without Spark."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from engine.monitor import SILENT, Monitor
from engine.records import Table
from engine.records.databases.address import DatabaseAddress, Login
from engine.records.opening.files import read
from engine.records.options import CLUSTER, ReadOptions
from engine.records.plan import ReleasePlan
from engine.records.raw import FileColumns, RawTable
from engine.records.remote import (
    BothThere,
    Cells,
    CountedTuples,
    Order,
    SourceColumn,
    Target,
    ValueCounts,
    Vocabulary,
    value_counts,
)

Rows = list[tuple[str, ...]]


class FakeCluster:
    """A table of a file, counted and released like one on a cluster; it writes to nowhere but `folders`."""

    order, kind, spilled_bytes, place, state = Order.NONE, CLUSTER, 0, "on a cluster", "as it was"
    is_fetched = True

    def __init__(self, path: Path, *, most_shown: int = 10_000) -> None:
        self.path, self.name, self.most_shown = path, "spark.example", most_shown
        with path.open(encoding="utf-8", newline="") as file:
            names, *rows = csv.reader(file)
        self.columns = tuple(SourceColumn(name) for name in names)
        self.empty = RawTable(self.name, (), taken=FileColumns(names, enumerate(names)))
        self.take([tuple(row) for row in rows])
        self.folders: dict[str, tuple[list[str], Rows]] = {}
        self.damage: Callable[[Rows], Rows] = lambda written: written
        self.before_writing: Callable[[Monitor], object] = lambda _monitor: None
        self.logins: list[Login] = []
        self.session = self
        self._dice = np.random.default_rng(1)

    def take(self, rows: Rows) -> None:
        """Have other records from now on."""
        self.rows, self.n_records = rows, len(rows)

    def close(self) -> None:
        """End the session."""

    def labels(self, columns: Sequence[str], monitor: Monitor) -> Mapping[str, ValueCounts]:
        found = {}
        for name in columns:
            counts = Counter(row[self._place(name)] for row in self.rows)
            found[name] = value_counts(counts)
        return found

    def tuples(self, vocabulary: Mapping[str, Vocabulary], monitor: Monitor) -> CountedTuples:
        places = [self._place(name) for name in vocabulary]
        counts = Counter(tuple(row[place] for place in places) for row in self.rows)
        codes = tuple(own.of([found[i] for found in counts]) for i, own in enumerate(vocabulary.values()))
        return CountedTuples(tuple(vocabulary), codes, np.array(list(counts.values()), dtype=np.int64))

    def page(
        self,
        first: int,
        count: int,
        columns: Sequence[str],
        where: Mapping[str, Sequence[str | None]] | None = None,
        monitor: Monitor = SILENT,
    ) -> list[tuple[str | None, ...]]:
        met = [row for row in self.rows if self._meets(row, where or {})]
        places = [self._place(name) for name in columns]
        return [
            tuple(row[place] for place in places) for row in met[: self.most_shown][first : first + count]
        ]

    def singled_out(self, columns: Sequence[str], monitor: Monitor) -> int:
        places = [self._place(name) for name in columns]
        counts = Counter(tuple(row[place] for place in places) for row in self.rows)
        return sum(n == 1 for n in counts.values())

    def fingerprint(self, monitor: Monitor) -> str:
        return self.state

    def coded(self, vocabulary: Mapping[str, Vocabulary], monitor: Monitor) -> Mapping[str, Cells]:
        assert self.is_fetched, "the records stay where they are"
        return self._all_coded(vocabulary)

    def _all_coded(self, vocabulary: Mapping[str, Vocabulary]) -> Mapping[str, Cells]:
        return {
            name: own.of([row[self._place(name)] for row in self.rows]) for name, own in vocabulary.items()
        }

    def write(
        self, plan: ReleasePlan, vocabulary: Mapping[str, Vocabulary], target: Target, monitor: Monitor
    ) -> None:
        self.before_writing(monitor)
        written = self.damage(self.released(plan, vocabulary))
        self.folders[str(target.path)] = [column.name for column in plan.columns], written

    def released(self, plan: ReleasePlan, vocabulary: Mapping[str, Vocabulary]) -> Rows:
        """Return the records as the plan says."""
        listed = set()
        if plan.suppressed is not None:
            listed = set(zip(*(codes.tolist() for codes in plan.suppressed.listed), strict=True))
        found: Rows = []
        for row in self.rows:
            label = {name: int(own.of([row[self._place(name)]])[0]) for name, own in vocabulary.items()}
            is_hidden = False
            if plan.suppressed is not None:
                parts = zip(plan.suppressed.columns, plan.suppressed.code_of, strict=True)
                key = tuple(int(code_of[label[name]]) for name, code_of in parts)
                is_hidden = (key in listed) != plan.suppressed.are_kept
            if is_hidden and plan.removes:
                continue
            found.append(
                tuple(
                    column.labels[
                        column.hidden
                        if is_hidden and column.hidden >= 0
                        else int(column.code_of[label[column.name]])
                    ]
                    for column in plan.columns
                )
            )
        return found

    def read_back(
        self, target: Target, names: Sequence[str], original: Path, written: Path, monitor: Monitor
    ) -> None:
        own = [column.name for column in self.columns]
        for path, (titles, rows) in ((original, (own, self.rows)), (written, self.folders[str(target.path)])):
            columns = list(zip(*rows, strict=True))
            table = pa.table(
                {
                    title: pa.array([cell or None for cell in cells], pa.string())
                    for title, cells in zip(titles, columns, strict=True)
                }
            )
            parquet.write_table(table, path)

    @contextmanager
    def both_there(self, target: Target, names: Sequence[str], monitor: Monitor) -> Iterator[BothThere]:
        with TemporaryDirectory() as folder:
            original, written = Path(folder) / "original.parquet", Path(folder) / "released.parquet"
            self.read_back(target, names, original, written, monitor)
            own = tuple(column.name for column in self.columns)
            yield BothThere(original, own, written, tuple(names), lambda _t: None, lambda work, _step: work())

    def count_alone(
        self,
        plan: ReleasePlan,
        vocabulary: Mapping[str, Vocabulary],
        sets: Sequence[Sequence[str]],
        monitor: Monitor,
    ) -> tuple[int, list[tuple[int, int]]]:
        rows, names = self.released(plan, vocabulary), [column.name for column in plan.columns]
        found = []
        for chosen in sets:
            counts = Counter(tuple(row[names.index(name)] for name in chosen) for row in rows)
            found.append((sum(n == 1 for n in counts.values()), 0))
        return len(rows), found

    def some_coded(
        self,
        vocabulary: Mapping[str, Vocabulary],
        monitor: Monitor,
        *,
        share: float = 1.0,
        seed: int = 0,
        where: Mapping[str, Sequence[str | None]] | None = None,
    ) -> Mapping[str, Cells]:
        chosen = np.array([self._meets(row, where or {}) for row in self.rows])
        if share < 1:
            chosen &= np.random.default_rng(seed).random(self.n_records) < share
        order = self._dice.permutation(np.flatnonzero(chosen))  # another one each time
        return {name: cells[order] for name, cells in self._all_coded(vocabulary).items()}

    def _meets(self, row: tuple[str, ...], where: Mapping[str, Sequence[str | None]]) -> bool:
        return all(row[self._place(name)] in texts for name, texts in where.items())

    def _place(self, name: str) -> int:
        return [column.name for column in self.columns].index(name)


def installed(source: FakeCluster, patch: pytest.MonkeyPatch) -> FakeCluster:
    """Have every address of a cluster lead to a source; in its catalogue its table is shop.people."""

    def opened(_address: Any, options: Any, login: Login, _memory: int, monitor: Monitor) -> FakeCluster:
        source.logins.append(login)
        monitor.step(0, 1)
        return source

    def tables(address: DatabaseAddress, login: Login, monitor: Monitor = SILENT) -> tuple[str, ...]:
        source.logins.append(login)
        return ("shop.people", "visits")

    def first(
        address: DatabaseAddress, how: ReadOptions, login: Login, monitor: Monitor = SILENT, *, limit: int
    ) -> tuple[Table, ReadOptions]:
        source.logins.append(login)
        reading = read(source.path, ReadOptions(missing=how.missing), monitor)
        return reading.table, reading.options

    dialog = "anonymizer_gui.perspectives.start.database_opening"
    patch.setattr("engine.records.clusters.opening.open_cluster", opened)
    patch.setattr(f"{dialog}.cluster_tables", tables)
    patch.setattr(f"{dialog}.first_records", first)
    patch.setattr("engine.project.recipe.reuse.first_records", first)
    return source
