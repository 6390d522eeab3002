"""The lattice as a search knows it: nodes checked and inferred told apart, the newest ones framed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from anonymizer_gui.perspectives.explore.lattice.chips import shows_chips
from anonymizer_gui.perspectives.explore.lattice.geometry import SMALLEST_PITCH, LatticeGeometry
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.painting import Canvas
from anonymizer_gui.perspectives.explore.lattice.raster import (
    DIMMED,
    FAILS,
    LARGEST_DOT,
    N_RAMP,
    NOT_SCORED,
    filled,
    square_side,
    stamp,
)
from anonymizer_gui.perspectives.explore.lattice.view import LatticeColours, LatticeView
from anonymizer_gui.perspectives.explore.walk.words import state_name
from anonymizer_gui.theming import Theme, ramp_colors
from anonymizer_gui.widgets.numbers import as_exact_count
from engine.search.replay import FAILING, SATISFYING, State

if TYPE_CHECKING:
    from engine.search.replay import States


_FEW_CHECKS = 20  # where one of so many nodes is checked at most, those are drawn larger than their places
_FEW_SIDE = 7.0
_INFERRED_SHARE, _NOT_REACHED_SIDE = 0.5, 2.0
_NEWEST_SIDE = 15.0

Ints = NDArray[np.int64]


class WalkLattice(LatticeView):
    """Of a node checked the mark is large, of one inferred it is small, one not reached is a dot."""

    def __init__(self) -> None:
        super().__init__()
        self._states: States | None = None
        self._utility: NDArray[np.uint8] = np.zeros(0, dtype=np.uint8)
        self._side = 0.0
        self._new: Ints = np.zeros(0, dtype=np.int64)

    def show_run(self, utility: NDArray[np.uint8], n_checked: int) -> None:
        """Get ready for a run that checks so many nodes; those that satisfy are coloured by `utility`."""
        self._utility = utility
        self._side = _FEW_SIDE if n_checked * _FEW_CHECKS <= len(utility) else 0.0

    def show_states(
        self, states: States, new: Ints, rows: Ints, minimal: NDArray[np.bool_] | None = None
    ) -> None:
        """Show what is known; `new` are the nodes reached last, the newest at the end."""
        self._states, self._new = states, new
        self.show_colours(state_colours(states, self._utility, rows, minimal))

    def drawn_nodes(self, geometry: LatticeGeometry, look: NodeLook, canvas: Canvas, theme: Theme) -> QImage:
        """The nodes with what tells their states apart."""
        layer, states = super().drawn_nodes(geometry, look, canvas, theme), self._states
        if states is None or len(states) != geometry.layout.n_nodes:
            return layer
        painter = QPainter(layer)
        painter.setClipRect(canvas.inner)
        if geometry.pitch >= SMALLEST_PITCH and not shows_chips(geometry):
            painter.drawImage(0, 0, self._drawn_states(geometry, states, canvas, theme))
        self._draw_new(painter, geometry, theme)
        painter.end()
        return layer

    def _drawn_states(
        self, geometry: LatticeGeometry, states: States, canvas: Canvas, theme: Theme
    ) -> QImage:
        picture, ratio = canvas.blank(), geometry.ratio
        pixels = np.zeros((picture.height(), picture.width()), dtype=np.uint32)
        squares = _Squares(pixels, geometry, canvas.inner, states, self._utility, theme)
        line = max(round(ratio), 1)
        if geometry.pitch * ratio > LARGEST_DOT:
            self._shrink(squares, geometry, line)
        else:
            side = max(squares.least_room, round(self._side * ratio), 2)
            squares.put_hollow(State.CHECKED_FAILS, side, line)
            squares.put(State.CHECKED_SATISFIES, side)
        size = (picture.width(), picture.height(), picture.bytesPerLine(), picture.format())
        drawn = QImage(pixels.data, *size).copy()  # the array goes
        drawn.setDevicePixelRatio(ratio)
        return drawn

    def _shrink(self, squares: _Squares, geometry: LatticeGeometry, line: int) -> None:
        """Draw smaller squares for nodes that were inferred, and dots for those not reached."""
        whole = round(square_side(geometry.pitch) * geometry.ratio) + 2 * line
        small = max(round(whole * _INFERRED_SHARE), 3 * line + 1)
        for state in (State.NOT_REACHED, State.INFERRED_FAILS, State.INFERRED_SATISFIES):
            squares.erase(state, whole)
        squares.put(State.NOT_REACHED, round(_NOT_REACHED_SIDE * geometry.ratio), is_grey=True)
        squares.put_hollow(State.INFERRED_FAILS, small, line)
        squares.put(State.INFERRED_SATISFIES, small)

    def _draw_new(self, painter: QPainter, geometry: LatticeGeometry, theme: Theme) -> None:
        if not len(self._new):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        pitch_x, pitch_y = geometry.pitches
        if shows_chips(geometry):
            width, height = pitch_x - 2, pitch_y - 2
        else:
            width = height = min(square_side(geometry.pitch) + 7, geometry.pitch + 2)
        painter.setPen(QPen(QColor(theme.accent), 1))
        for node in self._new[:-1].tolist():
            painter.drawRect(_around(geometry, node, width, height))
        newest = _around(geometry, int(self._new[-1]), max(width, _NEWEST_SIDE), max(height, _NEWEST_SIDE))
        for color, thickness in ((theme.halo, 5.0), (theme.accent, 2.5)):
            painter.setPen(QPen(QColor(color), thickness))
            painter.drawRect(newest)


class _Squares:
    """Draws squares into pixels in the middle of the places of nodes in a state."""

    def __init__(
        self,
        pixels: NDArray[np.uint32],
        geometry: LatticeGeometry,
        area: QRectF,
        states: States,
        utility: NDArray[np.uint8],
        theme: Theme,
    ) -> None:
        nodes, ratio = geometry.visible(area), geometry.ratio
        x, y = geometry.corners(nodes)
        self._room = [pitch * ratio for pitch in geometry.pitches]
        self.least_room = int(min(self._room) + 1e-6)
        self._pixels = pixels
        self._left, self._top = x * ratio, y * ratio
        self._states = states[nodes]
        ramp = np.array([color.rgba() for color in ramp_colors(theme)], dtype=np.uint32)
        self._inks = ramp[np.minimum(utility[nodes], len(ramp) - 1)]
        self._grey, self._surface = _pixel(theme.fail_line), _pixel(theme.surface)

    def put(self, state: State, side: int, *, is_grey: bool = False) -> None:
        """Filled squares by utility, or grey ones."""
        chosen = self._states == state
        self._stamp(chosen, side, self._grey if is_grey else self._inks[chosen])

    def put_hollow(self, state: State, side: int, line: int) -> None:
        """Hollow squares, filled ones where there is no room for a hole."""
        chosen = self._states == state
        self._stamp(chosen, side, self._grey)
        if side > 2 * line:
            self._stamp(chosen, side - 2 * line, self._surface)

    def erase(self, state: State, side: int) -> None:
        """Take away what is drawn there."""
        self._stamp(self._states == state, side, self._surface)

    def _stamp(self, chosen: NDArray[np.bool_], side: int, ink: NDArray[np.uint32] | np.uint32) -> None:
        left = np.floor(self._left[chosen] + (self._room[0] - side) / 2 + 1e-6).astype(np.int64)
        top = np.floor(self._top[chosen] + (self._room[1] - side) / 2 + 1e-6).astype(np.int64)
        stamp(self._pixels, left, top, filled(side, side), ink)


def _around(geometry: LatticeGeometry, node: int, width: float, height: float) -> QRectF:
    frame = QRectF(0, 0, width, height)
    frame.moveCenter(geometry.place(node).center())
    return frame


def _pixel(color: str) -> np.uint32:
    return np.uint32(QColor(color).rgba())


_tr = partial(QCoreApplication.translate, "StateColours")


def state_colours(
    states: States,
    utility: NDArray[np.uint8],
    rows: NDArray[np.int64],
    minimal: NDArray[np.bool_] | None = None,
) -> LatticeColours:
    """Colour nodes by what is known of them.

    Parameters
    ----------
    states : ndarray of uint8, shape (n_nodes,)
    utility : ndarray of uint8, shape (n_nodes,)
        The colour class each node has where it is known to satisfy.
    rows : ndarray of int64, shape (n_nodes,)
        The row of each node in the lattice.
    minimal : ndarray of bool, shape (n_nodes,), optional
        Nodes to mark as minimal.
    """
    satisfies = np.isin(states, SATISFYING)
    classes = np.where(satisfies, np.minimum(utility, N_RAMP - 1), DIMMED).astype(np.uint8)
    classes[np.isin(states, FAILING)] = FAILS
    classes[states == State.SET_ASIDE] = NOT_SCORED
    return LatticeColours(
        classes,
        states.astype(np.float64),
        _known_by_row(states, rows),
        "",
        lambda value: state_name(State(int(value))),
        minimal,
    )


def _known_by_row(states: States, rows: NDArray[np.int64]) -> list[str]:
    """How many nodes of each row are known; the highest row says what the numbers are."""
    counts = np.bincount(rows)
    known = np.bincount(rows[states != State.NOT_REACHED], minlength=len(counts))
    texts = [f"{as_exact_count(some)} / {as_exact_count(n)}" for some, n in zip(known, counts, strict=True)]
    texts[-1] = _tr("known: {0}").format(texts[-1])
    return texts
