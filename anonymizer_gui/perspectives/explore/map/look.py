"""Values displayed by the map: axes and positions, colours and sizes, and the limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.perspectives.explore.map.axis import Axis, FloatArray


@dataclass(frozen=True)
class MapAxis:
    """Axis with its name, unit and scale, in full and in short."""

    axis: Axis
    name: str
    short_name: str
    is_share: bool = False


@dataclass(frozen=True, eq=False)
class MapPoints:
    """Positions of the nodes.

    Attributes
    ----------
    x, y : MapAxis
    across, up : ndarray of float64, shape (n_nodes,)
        Positions on the axes; nan for nodes without one.
    """

    x: MapAxis
    y: MapAxis
    across: FloatArray
    up: FloatArray


@dataclass(frozen=True)
class MapLegend:
    """Meaning of the third scores; empty names show nothing.

    `shade_ends` are the labels of the best and the worst colour.
    """

    shade: str = ""
    shade_ends: tuple[str, str] = ("", "")
    size: str = ""


@dataclass(frozen=True, eq=False)
class MapLook:
    """Appearance of the nodes for a requirement.

    Attributes
    ----------
    classes : ndarray of uint8, shape (n_nodes,)
        0 to 63 on the ramp, or `FAILS`, `NOT_SCORED`, `DIMMED`.
    rank : callable
        Returns the priority of each node among nodes on one pixel: from 1, 0 for those that come last.
    passing : ndarray of bool, shape (n_nodes,)
        Nodes that pass the filters.
    sizes : ndarray of float64, shape (n_nodes,), or None
        From 0 to 1; None if size shows only whether a node satisfies.
    """

    classes: NDArray[np.uint8]
    rank: Callable[[], NDArray[np.int64]]
    passing: NDArray[np.bool_]
    sizes: FloatArray | None = None
    legend: MapLegend = MapLegend()


@dataclass(frozen=True)
class MapLimit:
    """Suppression limit, as a value of one axis."""

    value: float
    text: str
    is_across: bool = True
