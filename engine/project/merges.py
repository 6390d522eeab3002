"""Which groups of a hierarchy may be worth joining for one node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from engine.kernels.arrays import BoolArray, IntArray
from engine.scoring.star_causes import RareValue, StarClasses

MOST_RARE = 5  # groups looked at per attribute
MOST_MERGES = 6  # tried in all


@dataclass(frozen=True)
class Merge:
    """Two groups of one level, under one group above.

    Attributes
    ----------
    attribute : int
    labels : tuple of str
        The rare group, and the one it would join.
    at_most : int
        Suppressed records of both whose classes would be joined; no merge keeps more of these.
    """

    attribute: int
    labels: tuple[str, str]
    at_most: int


def promising_merges(here: StarClasses) -> tuple[Merge, ...]:
    """Choose, for the rarest groups of each attribute, the neighbour that shares most classes with it.

    Groups share a class where records of both are alike in all other attributes and some of them are
    suppressed. Original values are left out, since they stay what they are on level 0, and so are the only
    two groups below a single one: joining them is going one level up.

    Returns
    -------
    tuple of Merge
        At most `MOST_MERGES`, those first that might keep most records.
    """
    found = [merge for q, level in enumerate(here.node) if level for merge in _of_attribute(here, q)]
    found.sort(key=lambda merge: (-merge.at_most, merge.attribute, merge.labels))
    distinct = {(merge.attribute, frozenset(merge.labels)): merge for merge in reversed(found)}
    return tuple(islice((m for m in found if distinct[m.attribute, frozenset(m.labels)] is m), MOST_MERGES))


def _of_attribute(here: StarClasses, attribute: int) -> Iterator[Merge]:
    rare = here.rare_values(attribute)[:MOST_RARE]
    hierarchy, level = here.problem.attributes[attribute].hierarchy, here.node[attribute]
    if not rare or (len(hierarchy.levels[level].labels) == 2 and level < hierarchy.height):
        return
    labels, places = here.labels(attribute), here.alike_but(attribute)
    for value in rare:
        best = _best_neighbour(here, value, labels, places)
        if best is not None:
            yield best


def _best_neighbour(here: StarClasses, value: RareValue, labels: IntArray, places: IntArray) -> Merge | None:
    own, failing = labels == value.code, np.where(here.kept, 0, here.sizes)
    by_place = np.bincount(places[own], weights=failing[own], minlength=int(places.max()) + 1)
    is_shared: BoolArray = np.isin(places, places[own]) & ~own
    texts = here.problem.attributes[value.attribute].hierarchy.levels[here.node[value.attribute]].labels
    gains = np.bincount(
        labels[is_shared],
        weights=by_place[places[is_shared]] + failing[is_shared],
        minlength=len(texts),
    )
    gains[~_siblings(here, value)] = 0
    best = int(gains.argmax())
    if not gains[best]:
        return None
    return Merge(value.attribute, (value.label, texts[best]), int(gains[best]))


def _siblings(here: StarClasses, value: RareValue) -> BoolArray:
    """Labels of the level that are under the same group above; all where there is no level above."""
    hierarchy, level = here.problem.attributes[value.attribute].hierarchy, here.node[value.attribute]
    if level == hierarchy.height:
        return np.ones(len(hierarchy.levels[level].labels), dtype=np.bool_)
    parents = hierarchy.parent_codes[level]
    same: BoolArray = parents == parents[value.code]
    return same
