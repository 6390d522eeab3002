"""Linkability: two parts of a person's values that lead to the same released record."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.findings.attack.cover import CoverColumn, uncovered_cells
from engine.findings.attack.statistics import AttackCounts
from engine.kernels.arrays import IntArray
from engine.monitor import Monitor
from engine.words import _

STEP = 8  # targets between two reports of progress


def closest(counts: NDArray[np.uint16], n: int, source: np.random.Generator) -> IntArray:
    """Return the `n` records with the fewest uncovered cells; ties are drawn."""
    if n >= len(counts):
        return np.arange(len(counts))
    limit = counts.min() if n == 1 else np.partition(counts, n - 1)[n - 1]
    ties, below = np.flatnonzero(counts == limit), np.flatnonzero(counts < limit)
    if n == 1:
        return ties[[int(source.integers(len(ties)))]]
    return np.concatenate((below, source.choice(ties, n - len(below), replace=False)))


def link_parts(
    first: Sequence[CoverColumn],
    second: Sequence[CoverColumn],
    training: IntArray,
    control: IntArray,
    *,
    nearest: int,
    source: np.random.Generator,
    monitor: Monitor,
) -> AttackCounts:
    """Attack people by linking two parts of their values.

    For each part, the `nearest` released records are those with the fewest cells that do not cover the
    person's values. The attack succeeds if both lists share a record.

    Parameters
    ----------
    first, second : sequence of CoverColumn
        Columns of both parts, of the kept records.
    training, control : ndarray of int64
        Records of the attacked people: of the release and of the control group.
    """
    n_rows = len(first[0].cells)
    total = len(training) + len(control)
    done, successes = 0, []
    for group in (training, control):
        n_found = 0
        for record in group.tolist():
            if done % STEP == 0:
                monitor.step(done, total, _("Linking parts of records"))
            done += 1
            one = closest(uncovered_cells(first, record), nearest, source)
            other = closest(uncovered_cells(second, record), nearest, source)
            n_found += _share_a_record(one, other)
        successes.append(n_found)
    size = min(nearest, n_rows)
    naive = sum(
        _share_a_record(
            source.choice(n_rows, size, replace=False), source.choice(n_rows, size, replace=False)
        )
        for _record in training
    )
    return AttackCounts(len(training), successes[0], len(control), successes[1], len(training), naive)


def _share_a_record(one: IntArray, other: IntArray) -> bool:
    return not set(one.tolist()).isdisjoint(other.tolist())
