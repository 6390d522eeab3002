"""What the map is given to show: axes and places of the nodes, colours and sizes, the limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.perspectives.explore.map.map_axis import Axis, FloatArray


@dataclass(frozen=True, eq=False)
class MapAxis:
    """An axis with its name, unit and scale, in full and if there is less room."""

    axis: Axis
    name: str
    short_name: str
    is_share: bool = False


@dataclass(frozen=True, eq=False)
class MapPoints:
    """Where the nodes stand.

    Attributes
    ----------
    x, y : MapAxis
    across, up : ndarray of float64, shape (n_nodes,)
        Places on the axes; nan where a node has none.
    """

    x: MapAxis
    y: MapAxis
    across: FloatArray
    up: FloatArray


@dataclass(frozen=True)
class MapLegend:
    """What a third score means in the picture; empty names say nothing.

    `shade_ends` are the texts of the best and the worst colour.
    """

    shade: str = ""
    shade_ends: tuple[str, str] = ("", "")
    size: str = ""


@dataclass(frozen=True, eq=False)
class MapLook:
    """How the nodes look under a requirement.

    Attributes
    ----------
    classes : ndarray of uint8, shape (n_nodes,)
        0 to 63 on the ramp, or `FAILS`, `NOT_SCORED`, `DIMMED`.
    ranks : ndarray of int64, shape (n_nodes,)
        Which of several nodes on a pixel is meant: from 1, 0 for those that come last.
    passing : ndarray of bool, shape (n_nodes,)
        Nodes that pass the filters.
    sizes : ndarray of float64, shape (n_nodes,), or None
        From 0 to 1; None if size says only whether a node satisfies.
    """

    classes: NDArray[np.uint8]
    ranks: NDArray[np.int64]
    passing: NDArray[np.bool_]
    sizes: FloatArray | None = None
    legend: MapLegend = MapLegend()


@dataclass(frozen=True)
class MapLimit:
    """The suppression limit, as a value of one axis."""

    value: float
    text: str
    is_across: bool = True
