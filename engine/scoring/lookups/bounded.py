"""Suppressed records that are exact where they are within a limit, and a lower bound elsewhere."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from engine.kernels.arrays import BoolArray, Counts


class BoundedRecords(NamedTuple):
    """Suppressed records of all nodes by number, looked up only as far as a limit needs them.

    A node that is not exact suppresses more records than the limit, and at least the number given here; the
    exact number costs a pass over all its cells.

    Attributes
    ----------
    at_least : ndarray of int64, shape (n_nodes,)
        Suppressed records, or a lower bound above the limit; 0 if not scored.
    is_exact : ndarray of bool, shape (n_nodes,)
        Whether `at_least` is the exact number: true for every node within the limit.
    """

    at_least: Counts
    is_exact: BoolArray

    @classmethod
    def exact(cls, suppressed: Counts) -> Self:
        """Return exact numbers of all nodes."""
        return cls(suppressed, np.ones(len(suppressed), dtype=np.bool_))
