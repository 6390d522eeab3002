"""Utility ramp: the colour, out of 64, of a satisfying node by its loss."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtGui import QColor

from anonymizer_gui.theming.tokens import Theme

N_CLASSES = 64


def ramp_position(loss: ArrayLike, best: float, worst: float) -> NDArray[np.float64]:
    """Return the position on the ramp, 0 at the best loss and 1 at the worst.

    The square root gives most colours to low losses, where most nodes worth comparing are. If best and worst
    are equal, every node has position 0.
    """
    losses = np.asarray(loss, dtype=np.float64)
    if not worst > best:
        return np.zeros_like(losses)
    return np.sqrt(np.clip((losses - best) / (worst - best), 0.0, 1.0))


def ramp_classes(loss: ArrayLike, best: float, worst: float) -> NDArray[np.uint8]:
    """Return the colour class per loss, 0 (best) to 63 (worst); a missing loss (NaN) counts as worst."""
    position = np.nan_to_num(ramp_position(loss, best, worst), nan=1.0)
    return np.rint(position * (N_CLASSES - 1)).astype(np.uint8)


def loss_at(position: float, best: float, worst: float) -> float:
    """Return the loss at a position on the legend, the inverse of `ramp_position`."""
    return best + position**2 * (worst - best)


@lru_cache(maxsize=4)
def ramp_rgb(theme: Theme) -> tuple[tuple[int, int, int], ...]:
    """Return the 64 colours as 8-bit triples, interpolated linearly between the stops of the theme."""
    stops = np.array([[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in theme.ramp], dtype=np.float64)
    at = np.linspace(0.0, len(stops) - 1.0, N_CLASSES)
    channels = [np.rint(np.interp(at, np.arange(len(stops)), channel)).astype(int) for channel in stops.T]
    return tuple((int(r), int(g), int(b)) for r, g, b in zip(*channels, strict=True))


@lru_cache(maxsize=4)
def ramp_colors(theme: Theme) -> tuple[QColor, ...]:
    """Return the 64 colours of the ramp, best first."""
    return tuple(QColor(*rgb) for rgb in ramp_rgb(theme))


def ramp_color(theme: Theme, loss: float, best: float, worst: float) -> QColor:
    """Return the colour of one node, for cards, bars and list marks."""
    return QColor(*ramp_rgb(theme)[int(ramp_classes(loss, best, worst))])
