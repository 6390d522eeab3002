"""Cuts between the groups of one level: visible ones and the text of their handles."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF

from anonymizer_gui.perspectives.configure.hierarchy.icicle.geometry import IcicleGeometry
from anonymizer_gui.perspectives.configure.hierarchy.icicle.histogram import handle_rect
from anonymizer_gui.perspectives.configure.hierarchy.icicle.words import IcicleWords
from engine.kernels.arrays import Counts

_HANDLES_APART, _CUTS_APART = 4.0, 6.0


@dataclass(frozen=True)
class CutShown:
    """Cut with its handle; a dragged one is at its new place."""

    level: int
    boundary: int
    place: int
    x: float
    handle: QRectF
    text: str
    is_active: bool = False
    tag: tuple[str, str] | None = None  # its position, and the records on both sides


def cuts_shown(
    geometry: IcicleGeometry,
    words: IcicleWords,
    running: Counts,
    level: int,
    active: int | None,
    moved: int | None,
) -> tuple[CutShown, ...]:
    """Return the visible cuts of a level; handles show numbers if there is room.

    Parameters
    ----------
    geometry, words, running
        Outline shown; `running` is the cumulative sum of records per place, starting with 0.
    level : int
    active : int, optional
        The chosen boundary, placed first; it also shows the records on both sides.
    moved : int, optional
        New place of the chosen boundary while it is dragged.
    """
    boundaries = geometry.boundaries(level)
    if active is not None and active not in boundaries:
        boundaries.append(active)
    boundaries.sort(key=lambda boundary: boundary != active)
    starts = geometry.outline.levels[level].starts
    has_numbers = geometry.axis.numbers is not None
    shown: list[CutShown] = []
    for boundary in boundaries:
        is_active = boundary == active
        place = moved if is_active and moved is not None else int(starts[boundary])
        x = geometry.edge_x(place)
        is_inside = geometry.frame.left - 1 <= x <= geometry.frame.right + 1
        if not is_inside or any(abs(x - other.x) < _CUTS_APART for other in shown):
            continue
        text = words.border(level, boundary, place) if has_numbers or is_active else ""
        handle = handle_rect(geometry, x, text)
        roomy = handle.adjusted(-_HANDLES_APART, 0, _HANDLES_APART, 0)
        if text and not is_active and any(roomy.intersects(other.handle) for other in shown):
            text, handle = "", handle_rect(geometry, x, "")
        tag = cut_words(geometry, words, running, level, boundary, place) if is_active else None
        shown.append(CutShown(level, boundary, place, x, handle, text, is_active, tag))
    return tuple(shown)


def cut_words(
    geometry: IcicleGeometry, words: IcicleWords, running: Counts, level: int, boundary: int, place: int
) -> tuple[str, str]:
    """Return the position of a cut at a place, and the records of the groups on both sides."""
    starts = geometry.outline.levels[level].starts
    low, high = int(starts[boundary - 1]), int(starts[boundary + 1])
    left, right = int(running[place] - running[low]), int(running[high] - running[place])
    return words.cut(level, boundary, place, left, right)
