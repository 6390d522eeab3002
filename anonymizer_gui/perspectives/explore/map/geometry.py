"""Conversion of axis positions to pixels: zoom, pan, and the node under a pixel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF

from engine.cached import cached_property

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
Numbers = NDArray[np.int64]
LARGEST_ZOOM = 400.0
MARGIN = 15.0  # px between the ends of the axes and the frame, so that star and ring at an end cover no label


@dataclass(frozen=True, eq=False)
class MapGeometry:
    """Immutable view of points on two axes; each change returns a new one.

    Attributes
    ----------
    across, up : ndarray of float64, shape (n_nodes,)
        Positions on the axes, 0 to 1; nan for nodes without one.
    area : QRectF
        Area of the positions from 0 to 1 without zoom.
    zoom : float
        1 shows everything.
    left, bottom : float
        Positions at the left and lower edge of the area.
    """

    across: FloatArray
    up: FloatArray
    area: QRectF
    zoom: float = 1.0
    left: float = 0.0
    bottom: float = 0.0

    @cached_property
    def x(self) -> FloatArray:
        """Pixel column of every node; nan without a position."""
        return np.asarray((self.across - self.left) * (self.zoom * self.area.width()) + self.area.left())

    @cached_property
    def y(self) -> FloatArray:
        """Pixel row of every node; nan without a position."""
        return np.asarray(self.area.bottom() - (self.up - self.bottom) * (self.zoom * self.area.height()))

    @property
    def seen(self) -> QRectF:
        """Area in which nodes are drawn: the plot with its margin."""
        return self.area.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)

    @cached_property
    def has_place(self) -> BoolArray:
        return np.asarray(np.isfinite(self.across) & np.isfinite(self.up))

    def point(self, node: int) -> QPointF | None:
        """Return the pixel of a node; None without a position."""
        return QPointF(float(self.x[node]), float(self.y[node])) if self.has_place[node] else None

    def pixel(self, across: float, up: float) -> QPointF:
        """Return the pixel of a pair of positions."""
        x = (across - self.left) * self.zoom * self.area.width() + self.area.left()
        return QPointF(x, self.area.bottom() - (up - self.bottom) * self.zoom * self.area.height())

    def places(self, pixel: QPointF) -> tuple[float, float]:
        """Return the pair of positions at a pixel, the inverse of `pixel`."""
        width, height = self.zoom * self.area.width(), self.zoom * self.area.height()
        across = self.left + (pixel.x() - self.area.left()) / width
        return across, self.bottom + (self.area.bottom() - pixel.y()) / height

    # -- another view --------------------------------------------------------------------------

    def of(self, across: FloatArray, up: FloatArray) -> MapGeometry:
        """Return the same view of other points."""
        return replace(self, across=across, up=up)

    def in_area(self, area: QRectF) -> MapGeometry:
        """Return the same positions in another area."""
        return replace(self, area=area)

    def fitted(self) -> MapGeometry:
        """Return the complete view."""
        return replace(self, zoom=1.0, left=0.0, bottom=0.0)

    def zoomed(self, zoom: float, pixel: QPointF) -> MapGeometry:
        """Return a zoomed view that keeps the position under a pixel."""
        zoom = min(max(zoom, 1.0), LARGEST_ZOOM)
        across, up = self.places(pixel)
        left = across - (pixel.x() - self.area.left()) / (zoom * self.area.width())
        bottom = up - (self.area.bottom() - pixel.y()) / (zoom * self.area.height())
        return replace(self, zoom=zoom, left=left, bottom=bottom)._clamped()

    def panned(self, moved: QPointF) -> MapGeometry:
        """Return the view panned by pixels, within the limits of the points."""
        left = self.left - moved.x() / (self.zoom * self.area.width())
        bottom = self.bottom + moved.y() / (self.zoom * self.area.height())
        return replace(self, left=left, bottom=bottom)._clamped()

    def _clamped(self) -> MapGeometry:
        most = 1.0 - 1.0 / self.zoom
        return replace(self, left=min(max(self.left, 0.0), most), bottom=min(max(self.bottom, 0.0), most))

    # -- nodes ---------------------------------------------------------------------------------

    def nearest(self, pixel: QPointF, reach: float, among: BoolArray, ranks: Numbers) -> int | None:
        """Return the node drawn closest to a pixel; of several on the same pixel the one of best rank.

        Parameters
        ----------
        pixel : QPointF
        reach : float
            Largest distance in pixels.
        among : ndarray of bool, shape (n_nodes,)
            Nodes to consider.
        ranks : ndarray of int64, shape (n_nodes,)
            From 1; 0 for none, which comes last.
        """
        with np.errstate(invalid="ignore"):
            near = among & (abs(self.x - pixel.x()) <= reach) & (abs(self.y - pixel.y()) <= reach)
        nodes = np.flatnonzero(near)
        if not len(nodes):
            return None
        # In whole pixels: nodes drawn on one pixel are equally close.
        away = np.rint(np.hypot(self.x[nodes] - pixel.x(), self.y[nodes] - pixel.y()))
        best = np.lexsort((nodes, np.where(ranks[nodes] > 0, ranks[nodes], len(ranks) + 1), away))[0]
        return int(nodes[best]) if away[best] <= reach else None

    def beside(self, node: int, direction: tuple[int, int], among: BoolArray) -> int | None:
        """Return the nearest node to the right (1, 0), left (-1, 0), above (0, -1) or below (0, 1) of a node.

        Distance to the side counts twice; nodes more to the side than ahead come last.
        """
        if not self.has_place[node]:
            return None
        dx, dy = self.x - self.x[node], self.y - self.y[node]
        ahead = dx * direction[0] + dy * direction[1]
        aside = abs(dx * direction[1]) + abs(dy * direction[0])
        with np.errstate(invalid="ignore"):
            nodes = np.flatnonzero(among & (ahead > 1e-6))
        if not len(nodes):
            return None
        ahead, aside = ahead[nodes], aside[nodes]
        return int(nodes[np.lexsort((nodes, ahead + 2 * aside, aside > ahead))[0]])

    def within(self, shape: Sequence[QPointF]) -> BoolArray:
        """Return which nodes are within a closed shape whose corners are positions, not pixels."""
        corners = [(corner.x(), corner.y()) for corner in shape]
        inside = np.zeros(len(self.across), dtype=np.bool_)
        (left, low), (right, high) = np.min(corners, axis=0), np.max(corners, axis=0)
        with np.errstate(invalid="ignore"):
            near = (self.across >= left) & (self.across <= right)
            near &= (self.up >= low) & (self.up <= high)
        nodes = np.flatnonzero(near)
        x, y = self.across[nodes], self.up[nodes]
        crossings = np.zeros(len(nodes), dtype=np.bool_)
        for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], *corners[:1]], strict=True):
            if y0 != y1:
                spans = (y0 > y) != (y1 > y)
                crossings ^= spans & (x < x0 + (y - y0) * ((x1 - x0) / (y1 - y0)))
        inside[nodes] = crossings
        return inside
