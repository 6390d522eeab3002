"""Levels over groups instead of over values: what many values share is said once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.hierarchies.builders.base import Group, assemble, lacks_labels
from engine.hierarchies.hierarchy import Hierarchy, Level


def assemble_groups(
    values: Sequence[str], places: Sequence[int], levels: Sequence[Sequence[Group]]
) -> Hierarchy:
    """Put levels over the groups of level 1, the groups over their values, and `*` on top.

    Parameters
    ----------
    values : sequence of str
        The leaves, all different.
    places : sequence of int
        The group of level 1 of each value, numbered from 0 in the order of their first values.
    levels : sequence of sequences of Group
        Per level above the leaves and below the top, the group of each group of level 1.

    Raises
    ------
    HierarchyError
        As `assemble` does.
    """
    codes = np.array(places, dtype=np.int32)
    first = np.unique(codes, return_index=True)[1]
    over_groups = assemble([values[leaf] for leaf in first.tolist()], levels)
    leaves = Level(tuple(values), np.arange(len(values), dtype=np.int32))
    made = Hierarchy(
        (leaves, *(replace(level, codes=level.codes[codes]) for level in over_groups.levels[1:]))
    )
    if lacks_labels(made):  # the empty value is not alone in a group that is called after it
        return Hierarchy.from_rows(made.rows())
    return made
