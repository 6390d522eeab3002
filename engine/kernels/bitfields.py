"""Values as paths from the root, stored as bit fields: generalizing is one AND with a mask."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.kernels.arrays import Codes, Keys
from engine.words import _


def path_codes(levels: Sequence[Codes]) -> tuple[Keys, tuple[int, ...]]:
    """Number the leaves of a tree so that the high bits identify the ancestors.

    Parameters
    ----------
    levels : sequence of ndarray of int32, each of shape (n_leaves,)
        Group of every leaf per level, from the leaves up; each level is coarser than the one before.

    Returns
    -------
    codes : ndarray of int64, shape (n_leaves,)
        Equal codes for leaves in one group of the lowest level.
    dropped : tuple of int, length n_levels
        Low bits to clear for each level; after clearing, leaves of one group have equal codes.

    Raises
    ------
    OverflowError
        If a path needs more than 62 bits.
    """
    codes = np.zeros(len(levels[0]), dtype=np.int64)
    widths: list[int] = []
    for level in reversed(levels):
        _unused, paths = np.unique(codes, return_inverse=True)
        distinct, children = np.unique(paths * (int(level.max()) + 1) + level, return_inverse=True)
        parents = distinct // (int(level.max()) + 1)
        ranks = np.arange(len(distinct)) - np.searchsorted(parents, parents)
        width = int(ranks.max()).bit_length()
        widths.append(width)
        if sum(widths) > 62:
            raise OverflowError(_("a path in the hierarchy needs more than 62 bits"))
        codes = (codes << width) | ranks[children]
    widths.reverse()
    return codes, tuple(sum(widths[:level]) for level in range(len(levels)))
