"""Draws the dots of a lattice into an array of pixels, or shares per column where dots do not fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPixmap

from anonymizer_gui.perspectives.explore.lattice.lattice_geometry import SMALLEST_PITCH, LatticeGeometry
from anonymizer_gui.theming import Theme, ramp_colors

# Colour classes beyond the ramp's 64.
FAILS, NOT_SCORED, DIMMED = 64, 65, 66
N_RAMP = 64
LARGEST_DOT = 9  # device pixels; what is larger is drawn by the painter

Classes = NDArray[np.uint8]
Pixels = NDArray[np.uint32]


def dot_sizes(pitch: float, ratio: float) -> tuple[int, int]:
    """Side in device pixels of a node that satisfies and of any other, at a pitch."""
    room = int(pitch * ratio + 1e-6)
    return max(room - 1, 1), max(room // 2, 1)


def palette(theme: Theme) -> NDArray[np.uint32]:
    """Pixel values by colour class."""
    colors = [*ramp_colors(theme), *(QColor(c) for c in (theme.fail_dot, theme.grid, theme.grid))]
    return np.array([color.rgba() for color in colors], dtype=np.uint32)


def draw_dots(geometry: LatticeGeometry, classes: Classes, size: tuple[int, int], theme: Theme) -> QPixmap:
    """A picture of `size` logical pixels with all nodes as dots, snapped to device pixels."""
    ratio = geometry.ratio
    width, height = round(size[0] * ratio), round(size[1] * ratio)
    pixels = np.full((height, width), QColor(theme.surface).rgba(), dtype=np.uint32)
    if geometry.pitch < SMALLEST_PITCH:
        _draw_shares(pixels, geometry, classes, palette(theme))
    else:
        _draw_squares(pixels, geometry, classes, palette(theme))
    image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)
    picture = QPixmap.fromImage(image)  # copies, so the array may go
    picture.setDevicePixelRatio(ratio)
    return picture


def _draw_squares(
    pixels: Pixels, geometry: LatticeGeometry, classes: Classes, colors: NDArray[np.uint32]
) -> None:
    ratio = geometry.ratio
    height, width = pixels.shape
    nodes = geometry.visible(QRectF(0, 0, width / ratio, height / ratio))
    x, y = geometry.corners(nodes)
    pitch_x, pitch_y = geometry.pitches
    large, small = dot_sizes(geometry.pitch, ratio)
    shown = classes[nodes]
    for side, chosen in ((small, shown >= N_RAMP), (large, shown < N_RAMP)):
        # In the middle of the place, on whole device pixels.
        left = np.rint(x[chosen] * ratio).astype(np.int64) + (int(pitch_x * ratio + 1e-6) - side) // 2
        top = np.rint(y[chosen] * ratio).astype(np.int64) + (int(pitch_y * ratio + 1e-6) - side) // 2
        inks = colors[shown[chosen]]
        for dy in range(side):
            for dx in range(side):
                columns, rows = left + dx, top + dy
                inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
                pixels[rows[inside], columns[inside]] = inks[inside]


def _draw_shares(
    pixels: Pixels, geometry: LatticeGeometry, classes: Classes, colors: NDArray[np.uint32]
) -> None:
    """Per pixel column and row: from below the share that satisfies, that fails, that is not scored."""
    ratio = geometry.ratio
    height, width = pixels.shape
    column = geometry.pixel_columns
    row = geometry.layout.positions[:, 0]
    inside = (column >= 0) & (column < width)
    key = (row * width + column)[inside]
    shown = classes[inside]
    n_keys = geometry.layout.n_rows * width
    total = np.bincount(key, minlength=n_keys)
    satisfying = np.bincount(key[shown < N_RAMP], minlength=n_keys)
    failing = np.bincount(key[shown == FAILS], minlength=n_keys)
    best = np.full(n_keys, N_RAMP - 1, dtype=np.uint8)
    np.minimum.at(best, key[shown < N_RAMP], shown[shown < N_RAMP])
    bar = max(int(geometry.band_height * ratio * 6 / 7), 1)
    used = np.flatnonzero(total)
    # A column with any node that satisfies shows at least one pixel of it.
    high = np.ceil(satisfying[used] / total[used] * bar).astype(np.int64)
    middle = np.maximum(high, np.rint((satisfying + failing)[used] / total[used] * bar).astype(np.int64))
    tops = np.array([geometry.row_top(r) for r in range(geometry.layout.n_rows)])
    base = np.rint((tops + geometry.band_height) * ratio).astype(np.int64)[used // width] - 1
    for step in range(bar):
        y = base - step
        ink = np.where(
            step < high, colors[best[used]], np.where(step < middle, colors[FAILS], colors[NOT_SCORED])
        )
        visible = (y >= 0) & (y < height)
        pixels[y[visible], (used % width)[visible]] = ink[visible]
