"""Records chosen from a table: drawn at random, or by rows they agree with."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError, nearest
from engine.kernels.arrays import IntArray
from engine.table import Column, Table

_GAMMA, _FIRST, _SECOND = (np.uint64(c) for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def drawn(n_records: int, size: int, seed: int) -> IntArray:
    """Draw records at random without replacement, the same ones on every platform.

    Every record gets a 64-bit number by the generator SplitMix64 [1]_, started with the first number
    that the seed (modulo 2**64) gives; the records with the lowest numbers are drawn. No two records
    have the same number.

    Parameters
    ----------
    n_records, size : int
        `size` of `n_records` are drawn.
    seed : int
        At least 0.

    Returns
    -------
    ndarray of int64, shape (size,)
        Numbers of the records drawn, in increasing order.

    References
    ----------
    .. [1] Steele, Lea, Flood (2014). Fast Splittable Pseudorandom Number Generators. OOPSLA.
    """
    start = _mixed(np.array([seed % (1 << 64)], dtype=np.uint64) + _GAMMA)
    numbers = _mixed(start + np.arange(1, n_records + 1, dtype=np.uint64) * _GAMMA)
    return np.sort(np.argsort(numbers, kind="stable")[:size])


def matching_records(rows: Table, table: Table) -> IntArray:
    """Find the records that rows stand for, each row for one, the first fitting records first.

    Raises
    ------
    InputError
        If the rows have a column the table lacks, or a row fits no record that is left; names the first.
    """
    for name in rows.names:
        if name not in table.names:
            raise InputError(
                f"The rows of the subset have a column '{name}', which the table lacks.",
                hint=nearest(name, table.names),
                column=name,
            )
    wanted = Counter(zip(*(_texts(rows.column(name)) for name in rows.names), strict=True))
    chosen = []
    for number, cells in enumerate(zip(*(_texts(table.column(name)) for name in rows.names), strict=True)):
        if wanted.get(cells, 0):
            wanted[cells] -= 1
            chosen.append(number)
    if len(chosen) < rows.n_records:
        left = next(cells for cells, n in wanted.items() if n)
        shown = ", ".join(f"{name} '{cell}'" for name, cell in zip(rows.names, left, strict=True))
        raise InputError(
            f"{rows.n_records - len(chosen):,} of {rows.n_records:,} rows of the subset match no record "
            f"of their own, such as {shown}.",
            hint="Every row must occur in the table, as often as it is listed.",
        )
    return np.array(chosen, dtype=np.int64)


def _texts(column: Column) -> list[str | None]:
    """The text of every record; None where it is missing, which is written differently in other files."""
    labels: list[str | None] = list(column.labels)
    if column.has_missing:
        labels[-1] = None
    return [labels[code] for code in column.codes.tolist()]


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    numbers = (numbers ^ (numbers >> np.uint64(30))) * _FIRST
    numbers = (numbers ^ (numbers >> np.uint64(27))) * _SECOND
    return numbers ^ (numbers >> np.uint64(31))
