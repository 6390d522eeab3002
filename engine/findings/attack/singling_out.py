"""Singling out: combinations of released cells that belong to one record only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from engine.findings.attack.cover import CoverColumn
from engine.findings.attack.statistics import AttackCounts
from engine.kernels.arrays import BoolArray, Codes, IntArray
from engine.kernels.grouping import rows_alone
from engine.monitor import Monitor
from engine.words import _

_MOST_ROWS = 15_000_000  # rows that are counted, over all sets of columns


@dataclass(frozen=True)
class Guess:
    """Cells of one released record in some columns, by their positions."""

    row: int
    columns: tuple[int, ...]


def column_sets(
    n_columns: int, width: int, n_rows: int, source: np.random.Generator
) -> list[tuple[int, ...]]:
    """Return all sets of `width` columns, or as many random ones as can be counted in seconds."""
    width = min(width, n_columns)
    most = max(_MOST_ROWS // max(n_rows, 1), 1)
    if comb(n_columns, width) <= most:
        return list(combinations(range(n_columns), width))
    found: dict[tuple[int, ...], None] = {}
    while len(found) < most:
        found[tuple(sorted(source.choice(n_columns, width, replace=False).tolist()))] = None
    return list(found)


def single_out(
    columns: Sequence[CoverColumn],
    part: IntArray,
    control: IntArray,
    *,
    width: int,
    targets: int,
    source: np.random.Generator,
    monitor: Monitor,
) -> AttackCounts:
    """Attack by random guesses that exactly one released record has.

    A guess succeeds in a group of original records if it covers exactly one of them.

    Parameters
    ----------
    columns : sequence of CoverColumn
        Known columns of the kept records, at least one.
    part, control : ndarray of int64
        Records of the release and of the control group, equally many.
    width : int
        Columns of a guess, at most those known.
    targets : int
        Largest number of guesses, all different.
    """
    n_rows = len(columns[0].cells)
    sets = column_sets(len(columns), width, n_rows, source)
    guesses = _drawn(columns, sets, targets, source, monitor)
    of_part = [column.values[part] for column in columns]
    of_control = [column.values[control] for column in columns]
    successes = control_successes = naive_successes = 0
    for number, guess in enumerate(guesses):
        monitor.step(len(sets) + number, len(sets) + len(guesses), _("Singling out records"))
        successes += _singles_out(columns, guess, of_part)
        control_successes += _singles_out(columns, guess, of_control)
        naive_successes += _is_single(_naive(columns, sets, n_rows, of_part, source))
    n = len(guesses)
    return AttackCounts(n, successes, n, control_successes, n, naive_successes)


def _drawn(
    columns: Sequence[CoverColumn],
    sets: Sequence[tuple[int, ...]],
    targets: int,
    source: np.random.Generator,
    monitor: Monitor,
) -> list[Guess]:
    """Draw guesses that exactly one released record has, all equally likely."""
    alone: list[IntArray] = []
    for number, chosen in enumerate(sets):
        monitor.step(number, len(sets) + targets, _("Singling out records"))
        texts = [columns[c].texts for c in chosen]
        alone.append(np.flatnonzero(rows_alone(texts, [columns[c].n_texts for c in chosen])))
    ends = np.cumsum([len(rows) for rows in alone])
    total = int(ends[-1])
    if not total:
        return []
    guesses = []
    for rank in source.choice(total, min(targets, total), replace=False).tolist():
        which = int(np.searchsorted(ends, rank, side="right"))
        guesses.append(Guess(int(alone[which][rank - int(ends[which])]), sets[which]))
    return guesses


def _singles_out(columns: Sequence[CoverColumn], guess: Guess, values: Sequence[Codes]) -> bool:
    covered = np.ones(len(values[0]), dtype=np.bool_)
    for c in guess.columns:
        covered &= columns[c].covers(guess.row, values[c])
    return _is_single(covered)


def _naive(
    columns: Sequence[CoverColumn],
    sets: Sequence[tuple[int, ...]],
    n_rows: int,
    values: Sequence[Codes],
    source: np.random.Generator,
) -> BoolArray:
    """Return which records a guess covers that is made of random values, as they would be released."""
    chosen, row = sets[int(source.integers(len(sets)))], int(source.integers(n_rows))
    covered = np.ones(len(values[0]), dtype=np.bool_)
    for c in chosen:
        value = int(source.integers(columns[c].n_values))
        covered &= columns[c].guess_covers(value, row, values[c])
    return covered


def _is_single(covered: BoolArray) -> bool:
    return int(np.count_nonzero(covered)) == 1
