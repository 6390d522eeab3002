"""Paints the nodes of the map into an array of pixels: squares by colour class, the best on top."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage

from anonymizer_gui.perspectives.explore.lattice.raster import (
    DIMMED,
    FAILS,
    N_RAMP,
    NOT_SCORED,
    Shape,
    filled,
    palette,
    pixels_of,
    stamp,
)
from anonymizer_gui.perspectives.explore.map.geometry import MapGeometry
from anonymizer_gui.theming import Theme
from anonymizer_gui.widgets.marks import Mark, dot_pixels

Classes = NDArray[np.uint8]
Numbers = NDArray[np.int64]
_FEW, _SOME = 400, 4000  # nodes with room for marks, and for larger dots
_HOLLOW_FROM = 5  # device pixels; smaller squares have no room for an outline
_MANY = 20_000  # nodes beyond which covered ones are removed before painting


def node_sides(n_drawn: int, ratio: float) -> tuple[int, int]:
    """Return the sides in device pixels of satisfying and of other nodes, by the number of nodes drawn."""
    if n_drawn <= _FEW:
        return round(7 * ratio), round(6 * ratio)
    if n_drawn <= _SOME:
        return round(4 * ratio), round(2 * ratio)
    return dot_pixels(Mark.SATISFIES, ratio), dot_pixels(Mark.FAILS, ratio)


def sized_sides(shares: NDArray[np.float64], n_drawn: int, ratio: float) -> NDArray[np.int64]:
    """Return sides in device pixels for shares from 0 (smallest) to 1; nan gives the smallest."""
    least, most = (3, 11) if n_drawn <= _FEW else (2, 8) if n_drawn <= _SOME else (1, 5)
    known = np.nan_to_num(shares, nan=0.0)
    return np.asarray(np.rint((least + (most - least) * known) * ratio), dtype=np.int64)


def draw_nodes(
    geometry: MapGeometry,
    classes: Classes,
    sides: NDArray[np.int64] | None,
    size: tuple[int, int],
    ratio: float,
    theme: Theme,
) -> QImage:
    """Return a transparent picture of `size` logical pixels with the scored nodes.

    Parameters
    ----------
    geometry : MapGeometry
    classes : ndarray of uint8, shape (n_nodes,)
        0 to 63 on the ramp, or `FAILS`, `NOT_SCORED`, `DIMMED`.
    sides : ndarray of int64, shape (n_nodes,), or None
        Size of each node in device pixels; None for the size by status.
    """
    width, height = max(round(size[0] * ratio), 1), max(round(size[1] * ratio), 1)
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    image.setDevicePixelRatio(ratio)
    pixels = pixels_of(image)
    nodes = np.flatnonzero(geometry.has_place & (classes != NOT_SCORED))
    x = np.rint(geometry.x[nodes] * ratio).astype(np.int64)
    y = np.rint(geometry.y[nodes] * ratio).astype(np.int64)
    seen = geometry.seen
    inside = (x >= max(seen.left() * ratio, 0)) & (x < min(seen.right() * ratio, width))
    inside &= (y >= max(seen.top() * ratio, 0)) & (y < min(seen.bottom() * ratio, height))
    nodes = nodes[inside]
    # Filtered nodes are at the bottom, then failing ones, then satisfying ones, of which the best are on top.
    order = np.argsort(classes[nodes], kind="stable")[::-1]
    nodes, x, y = nodes[order], x[inside][order], y[inside][order]
    shown = classes[nodes]
    large, small = node_sides(len(nodes), ratio)
    layers: list[tuple[int, Numbers]] = []  # side of the squares, and those to draw
    if sides is None:
        n_others = int(np.count_nonzero(shown >= N_RAMP))
        layers = [(small, np.arange(n_others)), (large, np.arange(n_others, len(nodes)))]
    else:
        chosen = sides[nodes]
        for layer in (shown == DIMMED, (shown >= N_RAMP) & (shown != DIMMED), shown < N_RAMP):
            lengths = np.unique(chosen[layer])[::-1].tolist()
            layers += [(length, np.flatnonzero(layer & (chosen == length))) for length in lengths]
    colors = palette(theme)
    outlines = colors.copy()
    outlines[FAILS] = QColor(theme.fail_line).rgba()
    for length, squares in layers:
        squares = _topmost(squares, x, y, width, height)
        is_hollow = length >= _HOLLOW_FROM and bool((shown[squares] >= N_RAMP).any())
        inks = (outlines if is_hollow else colors)[shown[squares]]
        left, top = x[squares] - length // 2, y[squares] - length // 2
        stamp(pixels, left, top, _square(length, is_hollow=is_hollow), inks)
    return image


def _topmost(chosen: Numbers, x: Numbers, y: Numbers, width: int, height: int) -> Numbers:
    """Return the topmost of many nodes for each pixel."""
    if len(chosen) < _MANY:
        return chosen
    owner = np.full(width * height, -1, dtype=np.int64)
    owner[y[chosen] * width + x[chosen]] = np.arange(len(chosen))  # the last one remains
    return chosen[np.sort(owner[owner >= 0])]


def _square(side: int, *, is_hollow: bool) -> Shape:
    shape, edge = filled(side, side), max(side // 6, 1)
    if is_hollow:
        shape[edge : side - edge, edge : side - edge] = False
    return shape
