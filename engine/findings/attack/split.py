"""Control group of an attack test, and the test release of the other records."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.errors import InputError
from engine.frequency.persons import Persons
from engine.frequency.problem import of_rows
from engine.kernels.arrays import IntArray
from engine.monitor import Monitor
from engine.pipeline import recode, search
from engine.privacy import Requirement
from engine.project import Project
from engine.project.project import frozen
from engine.recoding import (
    Release,
    make_local_release,
    make_release,
    recoding_methods,
    rooted,
)
from engine.records import Role, Table
from engine.words import _

LEAST = 100  # records of the control group, and of the others
_SPLIT = 0  # stream of random numbers; the attacks have the others


@dataclass(frozen=True, eq=False)
class Split:
    """Records of the control group and of the test release, ascending; no person is in both."""

    training: IntArray
    control: IntArray


def random_source(seed: int, stream: int) -> np.random.Generator:
    """Return the random numbers of one part of an attack test."""
    return np.random.default_rng((seed, stream))


def split_records(n_records: int, persons: Persons | None, share: float, seed: int) -> Split:
    """Hold back a random share of the records, whole persons, at least `LEAST` records.

    Persons are drawn one by one until their records reach the share. The groups may be smaller than
    `LEAST` if the table is small.
    """
    source = random_source(seed, _SPLIT)
    size = min(max(int(share * n_records), LEAST), n_records)
    if persons is None:
        is_control = np.zeros(n_records, dtype=np.bool_)
        is_control[source.permutation(n_records)[:size]] = True
    else:
        _unused, numbers, records = np.unique(persons.numbers, return_inverse=True, return_counts=True)
        order = source.permutation(len(records))
        n_drawn = int(np.searchsorted(np.cumsum(records[order]), size)) + 1
        is_drawn = np.zeros(len(records), dtype=np.bool_)
        is_drawn[order[:n_drawn]] = True
        is_control = is_drawn[numbers]
    return Split(np.flatnonzero(~is_control), np.flatnonzero(is_control))


def release_of_records(
    project: Project,
    records: Table,
    release: Release,
    chosen: IntArray,
    monitor: Monitor,
    *,
    choose_again: bool = False,
) -> Release:
    """Release some records as another release was made: at its node, or by its recoding method.

    The node is that of the other release, so that it was chosen with all of its records, or it is searched
    again. The result may fail the limits of the requirement; its classes are suppressed by the same models.

    Parameters
    ----------
    project : Project
        Project that the release was made with.
    records : Table
        Its records.
    chosen : ndarray of int64
        The released records, ascending, whole persons.
    choose_again : bool
        Whether the node is searched by the search of the project, with these records only.

    Raises
    ------
    InputError
        The recoding method does not support that few records, or no node satisfies the requirement.
    """
    # Identifying columns are omitted; without models, nothing is drawn from the records again.
    source = replace(
        project,
        table=records.take(chosen),
        roles=frozen({name: role for name, role in project.roles.items() if role is not Role.IDENTIFYING}),
        requirement=Requirement(),
        subset=None,
    )
    persons = release.problem.persons
    problem = of_rows(release.problem, chosen, None if persons is None else persons.some(chosen))
    node = release.node
    if choose_again and node is not None:
        node = search(project, problem, monitor).node
        if node is None:
            raise InputError(
                _("No node satisfies the requirement without the control group."),
                hint=_("Use the levels of the release, or weaken the requirement."),
            )
    if release.recoding is None:
        assert node is not None, "what is no recoding is a node"
        return make_release(source, problem, node, release.requirement)
    if release.method not in recoding_methods:  # levels from elsewhere cannot be chosen anew
        own = release.recoding
        kept = replace(own, levels=own.levels[chosen], suppressed=own.suppressed[chosen])
        return make_local_release(source, rooted(problem), kept, requirement=release.requirement)
    method = project.recoding
    if method is None or method.key != release.method:
        method = recoding_methods[release.method]()
    return recode(source, problem, method, node, monitor, release.requirement)


def is_large_enough(split: Split) -> bool:
    """Return whether both groups have at least `LEAST` records."""
    return min(len(split.training), len(split.control)) >= LEAST
