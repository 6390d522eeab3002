"""Finds a text among the values of an outline and among the labels of its groups."""

from __future__ import annotations

import numpy as np

from anonymizer_gui.perspectives.configure.hierarchy.drafts import NOTHING, Selection
from engine.hierarchies.outline import Outline
from engine.kernels.arrays import BoolArray, IntArray


class ValueFinder:
    """What a text occurs in, whatever its case: values from top to bottom, then groups level by level."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._folded: dict[int, list[str]] = {}
        self._needle = ""
        self._hits: tuple[BoolArray, ...] = ()
        self._levels: IntArray = np.zeros(0, dtype=np.int64)
        self._rows: IntArray = np.zeros(0, dtype=np.int64)

    def look_for(self, text: str) -> int:
        """Find all places of a text; returns how many there are."""
        needle = text.casefold()
        if needle != self._needle:
            self._needle = needle
            levels = range(len(self._outline.levels))
            self._hits = tuple(self._labels_with(needle, level) for level in levels) if needle else ()
            found = [self._rows_with(level) for level in levels] if needle else []
            self._rows = np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
            self._levels = np.repeat(np.arange(len(found)), [len(rows) for rows in found])
        return len(self._rows)

    def next_to(
        self, level: int, row: int, *, backwards: bool = False, itself: bool = False
    ) -> tuple[int, int] | None:
        """The next place as level and row, from the other end where there is none after.

        Parameters
        ----------
        level, row : int
            Where to begin.
        backwards : bool
        itself : bool
            Whether the place to begin with counts.
        """
        if not len(self._rows):
            return None
        places = self._levels * self._outline.n_places + self._rows  # ascending
        here = level * self._outline.n_places + row
        n_before = int(np.count_nonzero(places < here if itself or backwards else places <= here))
        at = (n_before - backwards) % len(places)
        return int(self._levels[at]), int(self._rows[at])

    def everything(self) -> Selection:
        """All values with the text; where there are none, all groups of the lowest level that has some."""
        for level, is_hit in enumerate(self._hits):
            if is_hit.any():
                labels = self._outline.hierarchy.levels[level].labels
                codes = self._outline.leaves if level == 0 else self._outline.levels[level].codes
                return Selection(level, tuple(labels[code] for code in codes[is_hit[codes]].tolist()))
        return NOTHING

    def _labels_with(self, needle: str, level: int) -> BoolArray:
        if level not in self._folded:
            self._folded[level] = [label.casefold() for label in self._outline.hierarchy.levels[level].labels]
        folded = self._folded[level]
        return np.fromiter((needle in label for label in folded), np.bool_, len(folded))

    def _rows_with(self, level: int) -> IntArray:
        shown, is_hit = self._outline, self._hits[level]
        if level == 0:
            # Codes of level 0 are leaf numbers.
            return np.flatnonzero(np.logical_or.reduceat(is_hit[shown.leaves], shown.starts[:-1]))
        spans = shown.levels[level]
        first = spans.starts[:-1]
        rows: IntArray = first[is_hit[spans.codes] & (shown.closed[first] <= level)]
        return rows
