"""The utility ramp: which of 64 colours a node that satisfies gets for its loss."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtGui import QColor

from anonymizer_gui.theming.tokens import Theme

N_CLASSES = 64


def ramp_position(loss: ArrayLike, best: float, worst: float) -> NDArray[np.float64]:
    """Position on the ramp, 0 at the best loss and 1 at the worst.

    The square root spends most of the ramp on the good end, where the nodes worth comparing crowd.
    Where best and worst coincide every node is as good as the best.
    """
    losses = np.asarray(loss, dtype=np.float64)
    if not worst > best:
        return np.zeros_like(losses)
    return np.sqrt(np.clip((losses - best) / (worst - best), 0.0, 1.0))


def ramp_classes(loss: ArrayLike, best: float, worst: float) -> NDArray[np.uint8]:
    """Colour class 0 (best) to 63 (worst) per loss; a missing loss (NaN) counts as worst."""
    position = np.nan_to_num(ramp_position(loss, best, worst), nan=1.0)
    return np.rint(position * (N_CLASSES - 1)).astype(np.uint8)


def loss_at(position: float, best: float, worst: float) -> float:
    """The loss printed at a place on the legend: the inverse of `ramp_position`."""
    return best + position**2 * (worst - best)


@lru_cache(maxsize=4)
def ramp_rgb(theme: Theme) -> tuple[tuple[int, int, int], ...]:
    """The 64 colours as 8-bit triples, interpolated linearly between the theme's stops."""
    stops = np.array([[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in theme.ramp], dtype=np.float64)
    at = np.linspace(0.0, len(stops) - 1.0, N_CLASSES)
    channels = [np.rint(np.interp(at, np.arange(len(stops)), channel)).astype(int) for channel in stops.T]
    return tuple((int(r), int(g), int(b)) for r, g, b in zip(*channels, strict=True))


@lru_cache(maxsize=4)
def ramp_colors(theme: Theme) -> tuple[QColor, ...]:
    """The 64 colours of the ramp, best first."""
    return tuple(QColor(*rgb) for rgb in ramp_rgb(theme))


def ramp_color(theme: Theme, loss: float, best: float, worst: float) -> QColor:
    """The colour of one node, for cards, bars and list marks."""
    return QColor(*ramp_rgb(theme)[int(ramp_classes(loss, best, worst))])
