"""Every way to coarsen some columns together, for the methods that try them all and elect the best."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

Choice = tuple[tuple[int, int], ...]
"""Columns that are coarsened, each with the number of the way it is."""


def choices(n_ways: Sequence[int], most_columns: int) -> Iterator[Choice]:
    """List every non-empty choice of columns with a way each, by number of columns, then in their order.

    Parameters
    ----------
    n_ways : sequence of int
        How many ways each column has.
    most_columns : int
        How many columns are coarsened at a time, at most.
    """
    for size in range(1, min(most_columns, len(n_ways)) + 1):
        for columns in itertools.combinations(range(len(n_ways)), size):
            for ways in itertools.product(*(range(n_ways[column]) for column in columns)):
                yield tuple(zip(columns, ways, strict=True))


def n_choices(n_ways: Sequence[int], most_columns: int) -> int:
    """How many `choices` there are, without listing them."""
    by_size = [1] + [0] * min(most_columns, len(n_ways))
    for ways in n_ways:
        for size in range(len(by_size) - 1, 0, -1):
            by_size[size] += by_size[size - 1] * ways
    return sum(by_size) - 1
