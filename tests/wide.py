"""Tables of twenty columns with lattices too large to list, drawn by seed in groups of similar people."""

from __future__ import annotations

import numpy as np

from tests.strategies import Attributes, Case

# Levels of the columns: 4^5 * 3^3 * 2^12 nodes are more than a hundred million.
HUNDRED_MILLION = (4,) * 5 + (3,) * 3 + (2,) * 12
TRILLION = (4,) * 20


def wide_case(levels: tuple[int, ...] = HUNDRED_MILLION, n_records: int = 2000, seed: int = 0) -> Case:
    """Return records of a dozen kinds of people, each with its usual values, and some that differ."""
    random = np.random.default_rng(seed)
    kinds = random.integers(12, size=n_records)
    columns = []
    for q, n_levels in enumerate(levels):
        n_leaves = 3 ** (n_levels - 1)
        usual = random.integers(n_leaves, size=12)[kinds]
        differs = random.random(n_records) < 0.08
        values = np.where(differs, random.integers(n_leaves, size=n_records), usual)
        rows = tuple((*(f"{i // 3**g}/{g}" for g in range(n_levels - 1)), "*") for i in range(n_leaves))
        columns.append(Attributes(f"q{q}", tuple(f"{i}/0" for i in values.tolist()), rows=rows))
    return Case(tuple(columns))
