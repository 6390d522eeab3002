"""Paints nodes as squares into an array of pixels, or as shares per column if squares do not fit."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage

from anonymizer_gui.perspectives.explore.lattice.layout import SMALLEST_PITCH, LatticeGeometry, lay_out
from anonymizer_gui.theming import Theme, ramp_colors
from anonymizer_gui.theming.painter import Pixels, Shape, filled, pixels_of, stamp

# Colour classes after the 64 of the ramp.
FAILS, NOT_SCORED, DIMMED = 64, 65, 66
N_RAMP = 64
_MINIMAL = np.uint8(128)  # added to the classes of minimal nodes, to find those that change
LARGEST_DOT = 9  # device pixels; larger nodes show their status by filled and hollow squares
LARGEST_SQUARE, _FAILING_SQUARE = 22.0, 4.0

Classes = NDArray[np.uint8]
FloatArray = NDArray[np.float64]


def dot_sizes(pitch: float, ratio: float) -> tuple[int, int]:
    """Return the sides in device pixels of satisfying and of other nodes, at a pitch."""
    room = int(pitch * ratio + 1e-6)
    return max(room - 1, 1), max(room // 2, 1)


@lru_cache(maxsize=4)
def palette(theme: Theme) -> NDArray[np.uint32]:
    """Return the pixel values by colour class."""
    colors = [*ramp_colors(theme), *(QColor(c) for c in (theme.fail_dot, theme.grid, theme.grid))]
    return np.array([color.rgba() for color in colors], dtype=np.uint32)


class PlacedDots(Protocol):
    """Places of nodes as dots, of a whole lattice or of its facets."""

    @property
    def ratio(self) -> float: ...

    @property
    def pitch(self) -> float: ...

    @property
    def pitches(self) -> tuple[float, float]: ...

    def in_picture(self, width: int, height: int) -> tuple[NDArray[np.int64], FloatArray, FloatArray]:
        """Return the nodes in a picture and the corners of their places in device pixels."""


class DotPicture:
    """Picture of nodes, of which only changed dots are drawn again while everything else stays.

    The picture returned last changes with the next one.
    """

    def __init__(self) -> None:
        self._image = QImage()
        self._geometry: PlacedDots | None = None
        self._shown: tuple[object, ...] = ()
        self._marked: Classes = np.zeros(0, dtype=np.uint8)

    def drawn(
        self,
        geometry: PlacedDots,
        classes: Classes,
        size: tuple[int, int],
        theme: Theme,
        minimal: NDArray[np.bool_] | None = None,
    ) -> QImage:
        """Return a picture as `draw_dots` does."""
        marked = classes.copy() if minimal is None else np.where(minimal, classes + _MINIMAL, classes)
        # A geometry is compared by identity, because comparing its layout would take longer.
        is_same = self._geometry is geometry and self._shown == (size, theme)
        changed = None if not is_same or not are_apart(geometry) else marked != self._marked
        if changed is None or 2 * np.count_nonzero(changed) > len(changed):
            self._image = draw_dots(geometry, classes, size, theme, minimal)
        elif changed.any():
            _draw_dots(pixels_of(self._image), geometry, classes, theme, minimal, changed)
        self._geometry, self._shown, self._marked = geometry, (size, theme), marked
        return self._image


def are_apart(geometry: PlacedDots) -> bool:
    """Return whether nodes are drawn as dots of which none, with its line, leaves its place."""
    large, _small = dot_sizes(geometry.pitch, geometry.ratio)
    is_dots = geometry.pitch >= SMALLEST_PITCH and geometry.pitch * geometry.ratio <= LARGEST_DOT
    return is_dots and large + _line_below(large) <= int(geometry.pitches[1] * geometry.ratio + 1e-6)


def _line_below(side: int) -> int:
    """Return the height of the line that marks a minimal node."""
    return max(side // 3, 1)


def draw_dots(
    geometry: PlacedDots,
    classes: Classes,
    size: tuple[int, int],
    theme: Theme,
    minimal: NDArray[np.bool_] | None = None,
) -> QImage:
    """Return a picture of `size` logical pixels with all nodes as squares, snapped to device pixels.

    Minimal nodes are underlined.
    """
    ratio = geometry.ratio
    width, height = round(size[0] * ratio), round(size[1] * ratio)
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.surface))
    image.setDevicePixelRatio(ratio)
    pixels = pixels_of(image)
    if isinstance(geometry, LatticeGeometry) and geometry.pitch < SMALLEST_PITCH:
        _draw_shares(pixels, geometry, classes, palette(theme))
    else:
        draw = _draw_dots if geometry.pitch * ratio <= LARGEST_DOT else draw_squares
        draw(pixels, geometry, classes, theme, minimal)
    return image


def dot_picture(pitch: float, ratio: float, value: int, theme: Theme, is_minimal: bool = False) -> QImage:
    """Return the place of one node of a colour class as `draw_dots` draws it, on the surface."""
    layout = lay_out(np.zeros(1, dtype=np.int64), np.zeros(1))
    geometry = LatticeGeometry(layout, QRectF(0, 0, pitch, pitch * layout.band), ratio)
    top = -(geometry.band_height - geometry.pitches[1]) / 2
    # The line below a minimal square is wider than the square and outside of its place.
    margin = 2 if is_minimal and pitch * ratio > LARGEST_DOT else 0
    geometry = replace(geometry, left=float(margin), top=round(top * ratio) / ratio)
    size = max(round(geometry.pitches[0]), 1) + 2 * margin, max(round(geometry.pitches[1]), 1) + margin
    return draw_dots(geometry, np.array([value], dtype=np.uint8), size, theme, np.array([is_minimal]))


def square_side(pitch: float) -> float:
    """Return the side in logical pixels of a node larger than a dot and smaller than a chip."""
    return min(float(int(pitch * 0.72)), LARGEST_SQUARE)


def _draw_dots(
    pixels: Pixels,
    geometry: PlacedDots,
    classes: Classes,
    theme: Theme,
    minimal: NDArray[np.bool_] | None,
    changed: NDArray[np.bool_] | None = None,
) -> None:
    """Draw all dots, or the changed ones over what they were."""
    nodes, exact_x, exact_y = geometry.in_picture(pixels.shape[1], pixels.shape[0])
    if changed is not None:
        seen = changed[nodes]
        nodes, exact_x, exact_y = nodes[seen], exact_x[seen], exact_y[seen]
    x, y = np.rint(exact_x).astype(np.int64), np.rint(exact_y).astype(np.int64)
    ratio, colors = geometry.ratio, palette(theme)
    room = [int(pitch * ratio + 1e-6) for pitch in geometry.pitches]
    large, small = dot_sizes(geometry.pitch, ratio)
    if changed is not None:
        place = filled(large, large + _line_below(large))
        surface = np.uint32(QColor(theme.surface).rgba())
        stamp(pixels, x + (room[0] - large) // 2, y + (room[1] - large) // 2, place, surface)
    shown = classes[nodes]
    satisfies = shown < N_RAMP
    for side, chosen in ((small, ~satisfies), (large, satisfies)):
        # Centred in the place, on whole device pixels.
        left, top = x[chosen] + (room[0] - side) // 2, y[chosen] + (room[1] - side) // 2
        stamp(pixels, left, top, filled(side, side), colors[shown[chosen]])
        if side == large and minimal is not None:
            stands = minimal[nodes[chosen]]
            ink = np.uint32(QColor(theme.ink).rgba())
            stamp(pixels, left[stands], top[stands] + side, filled(side, _line_below(side)), ink)


def draw_squares(
    pixels: Pixels,
    geometry: PlacedDots,
    classes: Classes,
    theme: Theme,
    minimal: NDArray[np.bool_] | None,
) -> None:
    """Draw nodes larger than dots: as squares if satisfying, small if failing, dotted if not scored."""
    nodes, x, y = geometry.in_picture(pixels.shape[1], pixels.shape[0])
    ratio, colors = geometry.ratio, palette(theme)
    side = round(square_side(geometry.pitch) * ratio)
    left = np.rint(x + geometry.pitches[0] / 2 * ratio - side / 2).astype(np.int64)
    top = np.rint(y + geometry.pitches[1] / 2 * ratio - side / 2).astype(np.int64)
    shown, line, small = classes[nodes], max(round(ratio), 1), round(_FAILING_SQUARE * ratio)
    edge, surface = (np.uint32(QColor(color).rgba()) for color in (theme.fail_line, theme.surface))
    for chosen, shape, inks in (
        (shown >= N_RAMP, filled(side, side), surface),  # hides the edges below hollow ones
        (shown < N_RAMP, filled(side, side), colors[shown[shown < N_RAMP]]),
        (shown == FAILS, _middle(side, small), colors[FAILS]),
        (shown == DIMMED, _hollow(side, line), np.uint32(QColor(theme.grid).rgba())),
        (shown == NOT_SCORED, _dotted(side, line), edge),
    ):
        stamp(pixels, left[chosen], top[chosen], shape, inks)
    if minimal is not None:
        stands = minimal[nodes] & (shown < N_RAMP)
        foot = filled(side + 4 * line, 2 * line)
        ink = np.uint32(QColor(theme.ink).rgba())
        stamp(pixels, left[stands] - 2 * line, top[stands] + side + line, foot, ink)


def _hollow(side: int, line: int) -> Shape:
    shape = filled(side, side)
    shape[line:-line, line:-line] = False
    return shape


def _middle(side: int, inner: int) -> Shape:
    """Return a smaller square in the middle of a square."""
    shape, start = np.zeros((side, side), dtype=np.bool_), (side - inner) // 2
    shape[start : start + inner, start : start + inner] = True
    return shape


def _dotted(side: int, line: int) -> Shape:
    shape = _hollow(side, line)
    at = np.arange(side) // line
    shape &= (at[:, None] + at[None, :]) % 2 == 0
    return shape


def _draw_shares(
    pixels: Pixels, geometry: LatticeGeometry, classes: Classes, colors: NDArray[np.uint32]
) -> None:
    """Draw shares per pixel column and row, from below: satisfying, failing, not scored."""
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
    # A column with any satisfying node shows at least one pixel of it.
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
