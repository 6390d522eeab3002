"""The three attacks: singling out a record, linking two parts of a person, inferring a secret value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from engine.findings.attack.cover import CoverColumn, uncovered_cells
from engine.findings.attack.statistics import AttackCounts
from engine.findings.cells import positions_of
from engine.kernels.arrays import BoolArray, Codes, FloatArray, IntArray
from engine.kernels.grouping import rows_alone
from engine.monitor import Monitor
from engine.recoding.release import ReleasedColumn
from engine.records import Column
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


_TOLERANCE = 20  # a number is right within one twentieth, 5 %, of the true value


@dataclass(frozen=True, eq=False)
class Secret:
    """Secret column: its original values, and its released cells.

    Attributes
    ----------
    truth : ndarray of int64, shape (n_records,)
        Released text that equals the original value of every record; -1 if none does.
    numbers : ndarray of float64, shape (n_records,), or None
        Original number of every record, nan if it is missing; None if the column is not numeric.
    has_value : ndarray of bool, shape (n_records,)
        Whether the original value is not missing.
    cells : ndarray of int32, shape (n_released,)
        Text of every released cell.
    cell_numbers : ndarray of float64, shape (n_texts,)
        Number of each text.
    is_given : ndarray of bool, shape (n_texts,)
        Whether each text is a value.
    """

    name: str
    truth: IntArray
    numbers: FloatArray | None
    has_value: BoolArray
    cells: Codes
    cell_numbers: FloatArray
    is_given: BoolArray

    @classmethod
    def of(cls, column: Column, released: ReleasedColumn, rows: IntArray, blank: str) -> Secret:
        """Return the secret column of some released records; `blank` is the text of a missing cell."""
        place = {text: code for code, text in enumerate(released.labels)}
        of_label = np.array([place.get(text, -1) for text in column.labels], dtype=np.int64)
        is_numeric = column.data_type.is_numeric
        numbers = column.numbers[column.codes] if is_numeric else None
        has_value = np.ones(len(column.codes), dtype=np.bool_)
        if column.has_missing:
            has_value = column.codes != len(column.labels) - 1
        if numbers is not None:
            has_value = ~np.isnan(numbers)
        hidden = {column.missing_label, blank}
        is_given = np.array([text not in hidden for text in released.labels], dtype=np.bool_)
        cell_numbers = np.full(len(released.labels), np.nan)
        if is_numeric:
            cell_numbers = positions_of(released.labels, column.data_type)
            is_given &= ~np.isnan(cell_numbers)
        return cls(
            column.name,
            of_label[column.codes],
            numbers,
            has_value,
            released.codes[rows],
            cell_numbers,
            is_given,
        )

    def guess(self, rows: IntArray) -> float | int | None:
        """Return the most frequent text, or the median of numbers, of some records; None without any.

        Of several most frequent texts, the first in the order of the column.
        """
        cells = self.cells[rows]
        cells = cells[self.is_given[cells]]
        if not len(cells):
            return None
        if self.numbers is None:
            return int(np.bincount(cells).argmax())
        return float(np.median(self.cell_numbers[cells]))

    def is_right(self, guess: float | int | None, record: int) -> bool:
        """Return whether a guess is the original value of a record, or a number within 5 % of it."""
        if guess is None:
            return False
        if self.numbers is None:
            return guess == int(self.truth[record])
        true = float(self.numbers[record])
        return _TOLERANCE * abs(guess - true) <= abs(true)


def infer(
    known: Sequence[CoverColumn],
    secret: Secret,
    training: IntArray,
    control: IntArray,
    *,
    source: np.random.Generator,
    monitor: Monitor,
) -> AttackCounts:
    """Attack people by inferring a secret from the released records that cover most of their other values.

    Parameters
    ----------
    known : sequence of CoverColumn
        Known columns, without the secret, of the released records.
    secret : Secret
        Of the same records.
    training, control : ndarray of int64
        Records of the attacked people, whose secret is not missing.
    """
    total = len(training) + len(control)
    done, successes = 0, []
    for group in (training, control):
        n_found = 0
        for record in group.tolist():
            if done % STEP == 0:
                monitor.step(done, total, _("Inferring '{column}'").format(column=secret.name))
            done += 1
            counts = uncovered_cells(known, record)
            rows = np.flatnonzero(counts == counts.min())
            n_found += secret.is_right(secret.guess(rows), record)
        successes.append(n_found)
    given = np.flatnonzero(secret.is_given[secret.cells])
    naive = 0
    if len(given):
        drawn = given[source.integers(len(given), size=len(training))]
        pairs = zip(drawn.tolist(), training.tolist(), strict=True)
        naive = sum(secret.is_right(secret.guess(np.array([row])), record) for row, record in pairs)
    return AttackCounts(len(training), successes[0], len(control), successes[1], len(training), naive)
