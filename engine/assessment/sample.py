"""Records of a table in files that are read into memory: all of them, or a random sample that says so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from engine.assessment.subject import Subject
from engine.kernels.arrays import IntArray
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_percent
from engine.project.compile import compile_problem
from engine.recoding.full_domain import make_release, make_suppressed_release
from engine.table import stored
from engine.words import _


@dataclass(frozen=True, slots=True)
class Sample:
    """Size of a random sample of the records, and how to draw it again.

    Attributes
    ----------
    n_records, n_total : int
        Records of the sample, and of the table.
    seed : int
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


def drawn(n_records: int, most: int, source: np.random.Generator) -> IntArray:
    """Return the numbers of at most so many records, drawn at random, in ascending order."""
    if n_records <= most:
        return np.arange(n_records)
    return np.sort(source.choice(n_records, size=most, replace=False))


_read: WeakKeyDictionary[Subject, tuple[int, Subject]] = WeakKeyDictionary()


def sampled(subject: Subject, seed: int = 0, monitor: Monitor = SILENT) -> tuple[Subject, Sample]:
    """Return a subject whose records are in memory: all up to `MOST_READ`, of more a random sample.

    A subject in memory is returned itself. Persons with several records are drawn as a whole. The last one
    read is kept as long as the subject.
    """
    n_records = subject.n_records
    if subject.tuples is None:
        return subject, Sample(n_records, n_records, seed)
    known = _read.get(subject)
    if known is None or (known[0] != seed and n_records > stored.MOST_READ):
        records = None if n_records <= stored.MOST_READ else _drawn_persons(subject, seed, monitor)
        known = _read[subject] = (seed, in_memory(subject, records, monitor))
    return known[1], Sample(known[1].n_records, n_records, seed)


def _drawn_persons(subject: Subject, seed: int, monitor: Monitor) -> IntArray:
    assert subject.tuples is not None, "its records stay in files"
    n_records, source = subject.n_records, np.random.default_rng(seed)
    persons = subject.release.problem.repeated
    if persons is None:
        return drawn(n_records, stored.MOST_READ, source)
    _unused, numbers = np.unique(persons.numbers, return_inverse=True)
    counts = np.bincount(numbers, weights=subject.input.counts)
    order = source.permutation(len(counts))
    n_drawn = max(int(np.searchsorted(np.cumsum(counts[order]), stored.MOST_READ, side="right")), 1)
    is_drawn = np.zeros(len(counts), dtype=np.bool_)
    is_drawn[order[:n_drawn]] = True
    of_row = is_drawn[numbers]
    parts = subject.tuples.blocks(_("Drawing records"), monitor)
    return np.concatenate([start + np.flatnonzero(of_row[rows]) for start, rows in parts])


def in_memory(subject: Subject, records: IntArray | None = None, monitor: Monitor = SILENT) -> Subject:
    """Return the subject of some records of a table in files, read into memory.

    Parameters
    ----------
    subject : Subject
        Its records stay in files.
    records : ndarray of int64, optional
        Ascending; all by default. Of some, those are suppressed that are in the release of all.
    monitor : Monitor
    """
    project, release = subject.project, subject.release
    assert subject.tuples is not None, "its records stay in files"
    assert release.node is not None, "levels are by column"
    chosen = np.arange(subject.n_records) if records is None else records
    monitor.step(0, 2, _("Reading records"))
    project = replace(project, table=project.table.take(chosen))
    problem = compile_problem(project)
    monitor.step(1, 2, _("Reading records"))
    if records is None:
        return Subject(project, make_release(project, problem, release.node, release.requirement))
    suppressed = release.suppressed[subject.tuples.of(records)]
    made = make_suppressed_release(project, problem, release.node, release.requirement, suppressed)
    return Subject(project, made)
