"""What became of each value of a column, counted over the records of a release."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.project.project import Project
from engine.recoding import Release
from engine.table import Role

HEADER = ("original", "released", "records")


def mapped_columns(project: Project, release: Release) -> tuple[str, ...]:
    """The quasi-identifiers that are released, in the order of the table."""
    return tuple(
        column.name for column in release.columns if project.role(column.name) is Role.QUASI_IDENTIFYING
    )


def reversible_columns(project: Project, release: Release) -> tuple[str, ...]:
    """The identifying columns whose cells lead back to a value by a table of both."""
    return tuple(
        column.name
        for column in release.columns
        if column.role is Role.IDENTIFYING and project.transformation.rule_of(column.name).is_reversible
    )


def value_mapping(project: Project, release: Release, name: str) -> Iterator[tuple[str, str, str]]:
    """Pairs of original and released text with their number of records.

    Records that are suppressed are pairs of their own, also where they are not written. In the order of
    the original values; of one value most records first.

    Parameters
    ----------
    project : Project
        What the release was made with.
    release : Release
    name : str
        A column that is released.
    """
    released = release.column(name)
    assert released is not None, "a column that is left out has no mapping"
    original = project.records.column(name)
    n_released = len(released.labels)
    pairs, counts = np.unique(
        original.codes.astype(np.int64) * n_released + released.codes, return_counts=True
    )
    order = np.lexsort((pairs, -counts, pairs // n_released))
    for pair, count in zip(pairs[order].tolist(), counts[order].tolist(), strict=True):
        yield original.labels[pair // n_released], released.labels[pair % n_released], str(count)
