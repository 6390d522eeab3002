"""Records of a table outside memory, read into it: all of them, or a stated random sample."""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from engine.findings.subject import Subject
from engine.kernels.arrays import BoolArray, IntArray
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count, as_percent
from engine.project.compile import compile_problem
from engine.recoding.full_domain import make_release, make_suppressed_release
from engine.recoding.transformation import BLANK
from engine.records import Table
from engine.records import table as tables
from engine.records.counting import TupleRows
from engine.records.disk.fetched import some_records
from engine.words import _


@dataclass(frozen=True, slots=True)
class Sample:
    """Size of a random sample of the records, and how to draw it again.

    Attributes
    ----------
    n_records, n_total : int
        Records of the sample, and of the table.
    """

    n_records: int
    n_total: int
    seed: int

    @property
    def is_whole(self) -> bool:
        """Return whether it has every record."""
        return self.n_records == self.n_total

    def words(self) -> str:
        """Return what the sample is, as a noun phrase; the number of records if it has them all."""
        if self.is_whole:
            return _("{records} records").format(records=as_exact_count(self.n_records))
        return _("{share} sample of {records} records, seed {seed}").format(
            share=as_percent(self.n_records / self.n_total),
            records=as_exact_count(self.n_total),
            seed=self.seed,
        )


_read: WeakKeyDictionary[Subject, tuple[int, Subject]] = WeakKeyDictionary()


def sampled(subject: Subject, seed: int = 0, monitor: Monitor = SILENT) -> tuple[Subject, Sample]:
    """Return a subject whose records are in memory: all up to `MOST_READ`, of more a random sample.

    A subject in memory is returned itself. Persons with several records are drawn as a whole. The last one
    read is kept as long as the subject. In a sample, those records are suppressed that are in the release
    of all.
    """
    n_records = subject.n_records
    if subject.is_here:
        return subject, Sample(n_records, n_records, seed)
    known = _read.get(subject)
    if known is None or (known[0] != seed and not subject.project.table.holds(n_records)):
        known = _read[subject] = (seed, _in_memory(subject, seed, monitor))
    return known[1], Sample(known[1].n_records, n_records, seed)


def _in_memory(subject: Subject, seed: int, monitor: Monitor) -> Subject:
    project, release = subject.project, subject.release
    assert release.node is not None, "levels are by column"
    monitor.step(0, 2, _("Reading records"))
    is_whole = project.table.holds(subject.n_records)
    rows_of_persons = None if is_whole else _drawn_persons(subject, seed)
    table, rows = _drawn(subject, seed, rows_of_persons, monitor)
    project = replace(project, table=table)
    problem = compile_problem(project)
    monitor.step(1, 2, _("Reading records"))
    if is_whole:
        return Subject(project, make_release(project, problem, release.node, release.requirement))
    suppressed = release.suppressed[rows]
    is_blank = release.cells == BLANK
    made = make_suppressed_release(
        project, problem, release.node, release.requirement, suppressed, is_blank=is_blank
    )
    return Subject(project, made)


def _drawn_persons(subject: Subject, seed: int) -> BoolArray | None:
    """Return which rows are of persons that are drawn; None if every record is another person."""
    persons = subject.release.problem.repeated
    if persons is None:
        return None
    _unused, numbers = np.unique(persons.numbers, return_inverse=True)
    counts = np.bincount(numbers, weights=subject.input.counts)
    order = np.random.default_rng(seed).permutation(len(counts))
    n_drawn = max(int(np.searchsorted(np.cumsum(counts[order]), tables.MOST_READ, side="right")), 1)
    is_drawn = np.zeros(len(counts), dtype=np.bool_)
    is_drawn[order[:n_drawn]] = True
    return np.asarray(is_drawn[numbers])


def _drawn(
    subject: Subject, seed: int, of_persons: BoolArray | None, monitor: Monitor
) -> tuple[Table, IntArray]:
    """Return records in memory, and the row of each."""
    of = None
    if of_persons is not None:
        name = str(subject.project.person)
        column = subject.input.column(name)
        labels = np.zeros(len(column.labels), dtype=np.bool_)
        labels[column.codes[of_persons]] = True
        of = name, labels
    table = some_records(subject.project.table, tables.MOST_READ, seed, of, PartMonitor(monitor, 0, 2))
    rows = TupleRows(table, subject.input).of(slice(None))
    return table.take(np.ones(table.n_records, dtype=np.bool_)), rows
