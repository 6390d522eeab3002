"""Inference: a secret value that the closest released records reveal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.findings.attack.cover import CoverColumn, uncovered_cells
from engine.findings.attack.linkability import STEP
from engine.findings.attack.statistics import AttackCounts
from engine.findings.cells import positions_of
from engine.kernels.arrays import BoolArray, Codes, FloatArray, IntArray
from engine.monitor import Monitor
from engine.recoding.release import ReleasedColumn
from engine.records import Column
from engine.words import _

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
