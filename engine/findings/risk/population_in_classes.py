"""Number of people of the population in the classes of input and release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.findings.risk.link_columns import Written, codes_by_value
from engine.findings.subject import Subject
from engine.frequency import Measure
from engine.frequency.classes import POPULATION
from engine.frequency.persons import people_of_classes
from engine.kernels.arrays import Counts, IntArray
from engine.kernels.grouping import class_labels
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_people
from engine.privacy.k_map import KMap
from engine.project.project import Project
from engine.records import Table
from engine.scoring.nodes.kept import KeptClasses
from engine.words import _

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
    """

    key: str
    words: str
    of_input: Counts | None = None
    of_release: Counts | None = None


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
        return PopulationInClasses(OWN, words)
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
    monitor.step(0, 1, _("Comparing records"))
    (groups, first, _unused), n_classes = class_labels(columns, spans), len(given.classes.first)
    people = subject.release.problem.people
    persons = None if people is None else people.persons
    found = people_of_classes(groups[n_classes:], persons, len(first))
    return found[groups[:n_classes]]
