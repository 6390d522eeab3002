"""Number of people of the population in the classes of input and release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.assessment.risk.link_columns import Written, codes_by_value
from engine.assessment.subject import Subject
from engine.frequency import Measure
from engine.frequency.classes import POPULATION
from engine.frequency.persons import people_of_classes
from engine.kernels.arrays import Counts, IntArray, Keys
from engine.kernels.grouping import INT64_MAX, run_starts
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_people
from engine.privacy.k_map import KMap
from engine.project.project import Project
from engine.scoring.nodes.kept import KeptClasses
from engine.table import Table
from engine.words import N_, _

OWN, OTHERS = "own", "others"


@dataclass(frozen=True, eq=False)
class PopulationInClasses:
    """Population that a journalist searches.

    Attributes
    ----------
    key : {"own", "others"}
        Whether the table is used instead of the population, or people are counted.
    words : str
        The same in a sentence, with the reason.
    of_input, of_release : ndarray of int64, shape (n_classes,), or None
        People per class; None if the table is used instead.
    n_estimated : int or None
        Fewest people who match a kept record, as k-map estimates, if only the population size is known.
    """

    key: str
    words: str
    of_input: Counts | None = None
    of_release: Counts | None = None
    n_estimated: int | None = None


def everybody(project: Project) -> Table | None:
    """Return the population table, or the table if a subset is released; None if unknown."""
    if project.subset is not None:
        return project.table
    return None if project.population is None else project.population.table


def unknown_population() -> PopulationInClasses:
    """Return the table itself, as nothing is known of the population."""
    return PopulationInClasses(
        OWN,
        _(
            "The population is unknown, so this table is used instead; a larger population means "
            "a lower risk."
        ),
    )


def population_in_classes(subject: Subject, monitor: Monitor = SILENT) -> PopulationInClasses:
    """Count the people of the population, or say why the table is used instead.

    The table never understates the risk, since a larger population has a lower risk.
    """
    release, people = subject.release, subject.release.problem.people
    if people is None:
        return unknown_population()
    size = as_people(round(people.size))
    known = everybody(subject.project)
    if known is None or people.leaves is None:
        words = _(
            "Only the size of the population of {size} is known, so this table is used instead; "
            "a larger population means a lower risk."
        ).format(size=size)
        estimated = _estimated(subject)
        if estimated is not None:
            estimate = _("By estimate (k-map), at least {n} of them match each kept record.")
            words = f"{words} {estimate.format(n=as_exact_count(estimated))}"
        return PopulationInClasses(OWN, words, n_estimated=estimated)
    if release.recoding is not None or release.aggregates:
        words = (
            _(
                "The population of {size} cannot be counted by class because cells are aggregates, so this "
                "table is used instead; a larger population means a lower risk."
            )
            if release.aggregates
            else _(
                "The population of {size} cannot be counted by class because levels vary by record, so this "
                "table is used instead; a larger population means a lower risk."
            )
        )
        return PopulationInClasses(OWN, words.format(size=size))
    of_input = _of_input(subject, known, monitor)
    of_release: Counts = release.classes.measured(Measure(POPULATION, "")).astype(np.int64)
    if (of_input < subject.input_sizes).any() or (of_release < release.classes.sizes).any():
        return PopulationInClasses(
            OWN,
            _(
                "Some records have no matching person in the population of {size}, so this table is "
                "used instead."
            ).format(size=size),
        )
    is_subset = subject.project.subset is not None
    words = (
        _("All records of the table, {size}, are searched.")
        if is_subset
        else _("The people of the population table, {size}, are searched.")
    )
    return PopulationInClasses(OTHERS, words.format(size=size), of_input, of_release)


def _estimated(subject: Subject) -> int | None:
    """Return the fewest people who match a kept record, as k-map estimates; None if none is kept."""
    release = subject.release
    if not release.kept.any():
        return None
    return int(KMap(estimator="poisson").worst(KeptClasses(release.classes, release.kept)) or 0)


def _of_input(subject: Subject, known: Table, monitor: Monitor) -> Counts:
    """Return the number of people in each class of the input, by cell values; shape (n_classes,)."""
    given = subject.given_input
    columns: list[IntArray] = []
    spans: list[int] = []
    for name in given.quasi_identifying:
        own, theirs = given.table.column(name), known.column(name)
        matched = codes_by_value(Written.of(own), Written.of(theirs))[theirs.codes]
        columns.append(np.concatenate((own.codes[given.classes.first], matched)))
        spans.append(len(own.labels) + 1)
    groups, n_classes = groups_of(columns, spans, monitor), len(given.classes.first)
    people = subject.release.problem.people
    persons = None if people is None else people.persons
    found = people_of_classes(groups.of_row[n_classes:], persons, len(groups.sizes))
    return found[groups.of_row[:n_classes]]


TEXT = N_("Comparing records")


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of equal rows.

    Attributes
    ----------
    order : ndarray of int64, shape (n_rows,)
        Rows sorted by group.
    starts : ndarray of int64, shape (n_groups,)
        Start of each group in that order.
    """

    order: IntArray
    starts: IntArray

    @property
    def sizes(self) -> Counts:
        """Rows per group."""
        return np.diff(self.starts, append=len(self.order))

    @property
    def first(self) -> IntArray:
        """First row of each group."""
        return self.order[self.starts]

    @property
    def of_row(self) -> IntArray:
        """Group of each row."""
        found = np.empty(len(self.order), dtype=np.int64)
        found[self.order] = np.repeat(np.arange(len(self.starts)), self.sizes)
        return found


def keys_of(
    columns: Sequence[NDArray[np.integer[Any]]], spans: Sequence[int], monitor: Monitor = SILENT
) -> Keys:
    """Return one key per row, equal if all columns are; see `engine.kernels.grouping.class_keys`."""
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    span = 1
    for done, (column, cardinality) in enumerate(zip(columns, spans, strict=True)):
        monitor.step(done, len(columns), _(TEXT))
        if span > INT64_MAX // max(cardinality, 1):
            distinct, keys = np.unique(keys, return_inverse=True)
            span = len(distinct)
            monitor.step(done, len(columns), _(TEXT))
        keys = keys * cardinality + column
        span *= cardinality
    return keys


def groups_of(
    columns: Sequence[NDArray[np.integer[Any]]], spans: Sequence[int], monitor: Monitor = SILENT
) -> Groups:
    """Group rows that are equal in all columns; at least one row.

    Parameters
    ----------
    columns : sequence of integer ndarray, each of shape (n_rows,)
    spans : sequence of int
        One more than the largest code of each column.
    monitor : Monitor
    """
    keys = keys_of(columns, spans, monitor)
    order = np.argsort(keys, kind="stable")
    monitor.step(len(columns), len(columns), _(TEXT))
    return Groups(order, run_starts(keys[order]))
