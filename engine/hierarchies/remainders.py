"""Labels of what is left of a group without some of its parts, such as "20-39 without 25-29"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from engine.hierarchies.hierarchy import SUPPRESSED, Hierarchy, Level
from engine.kernels.arrays import BoolArray

_WITHOUT, _AND = " without ", ", "  # also written in engine/verification/cells.py


def remainder_text(group: str, parts: Sequence[str]) -> str:
    """Return the label of a group without some of its parts."""
    return f"{group}{_WITHOUT}{_AND.join(parts)}"


def covered_leaves(hierarchy: Hierarchy, text: str) -> tuple[int, BoolArray] | None:
    """Return the step of the group that a label of a remainder names, and the leaves that are left of it.

    Returns
    -------
    tuple of int and ndarray of bool, shape (n_leaves,), or None
        None if the text is a label itself, or does not name a group and parts of it.
    """
    places = {label: code for code, label in enumerate(hierarchy.texts)}
    if text in places:
        return None
    start = text.find(_WITHOUT)
    while start >= 0:
        parts = _parts(places, text[start + len(_WITHOUT) :].split(_AND))
        if text[:start] in places and parts:
            held = hierarchy.text_codes == places[text[:start]]
            group, gone = held.any(axis=0), np.isin(hierarchy.text_codes, parts).any(axis=0)
            if (gone <= group).all() and (gone != group).any():
                return int(np.flatnonzero(held.any(axis=1))[0]), group & ~gone
        start = text.find(_WITHOUT, start + 1)
    return None


def _parts(places: dict[str, int], words: Sequence[str]) -> list[int]:
    """Return the labels that are listed, which may contain the separator; none if a word is left."""
    found, start = [], 0
    while start < len(words):
        stops = range(start + 1, len(words) + 1)
        stop = next((stop for stop in stops if _AND.join(words[start:stop]) in places), None)
        if stop is None:
            return []
        found.append(places[_AND.join(words[start:stop])])
        start = stop
    return found


def with_remainders(hierarchy: Hierarchy, texts: Iterable[str]) -> Hierarchy:
    """Return the steps of a hierarchy with a level beside them for each label of a remainder.

    Other texts are passed over. On such a level, leaves outside the remainder have the label `*`.
    """
    steps, levels, beside = hierarchy.steps, list[Level](), list[int]()
    for text in texts:
        if (found := covered_leaves(steps, text)) is not None:
            levels.append(Level((text, SUPPRESSED), np.where(found[1], 0, 1).astype(np.int32)))
            beside.append(found[0])
    return Hierarchy((*steps.levels, *levels), tuple(beside)) if levels else steps
