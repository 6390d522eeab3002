"""Drawn over a lattice: which nodes were checked and which inferred, and what the newest steps reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.explore.lattice.lattice_geometry import SMALLEST_PITCH, LatticeGeometry
from anonymizer_gui.perspectives.explore.lattice.lattice_raster import LARGEST_DOT, filled, stamp
from anonymizer_gui.perspectives.explore.lattice.lattice_view import LatticeView
from anonymizer_gui.theming import Theme, current_theme, ramp_colors
from engine.search.replay import State

if TYPE_CHECKING:
    from engine.search.replay import States

_FEW_CHECKS = 600  # so few are drawn larger than their places
_FEW_SIDE = 7.0
_INFERRED_SHARE, _NOT_REACHED_SIDE = 0.4, 2.0
_CHIP_WIDTH = 72.0  # wider places hold words, which say the state
_MOST_NEW = 300
_NEWEST_SIDE = 15.0

Ints = NDArray[np.int64]


class StateOverlay(QWidget):
    """Lies over a view, lets the mouse through, and follows its zoom."""

    def __init__(self, view: LatticeView) -> None:
        super().__init__(view)
        self._view = view
        self._states: States | None = None
        self._utility: NDArray[np.uint8] = np.zeros(0, dtype=np.uint8)
        self._has_few_checks = False
        self._new: Ints = np.zeros(0, dtype=np.int64)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        view.zoom_changed.connect(self.update)
        view.installEventFilter(self)

    def show_states(
        self, states: States | None, utility: NDArray[np.uint8], n_checks: int, new: Ints
    ) -> None:
        """Show what is known; `new` are the nodes reached last, the newest at the end."""
        self._states, self._utility = states, utility
        self._has_few_checks = n_checks <= _FEW_CHECKS
        self._new = new[-_MOST_NEW:]
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.resize(self._view.size())
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        geometry, states = self._view.geometry_shown, self._states
        if geometry is None or states is None or len(states) != geometry.layout.n_nodes:
            return
        theme = current_theme()
        painter = QPainter(self)
        painter.setClipRect(self._inner(geometry))
        if geometry.pitch >= SMALLEST_PITCH and geometry.pitches[0] < _CHIP_WIDTH:
            painter.drawImage(0, 0, self._drawn(geometry, states, theme))
        self._draw_new(painter, geometry, theme)

    def _drawn(self, geometry: LatticeGeometry, states: States, theme: Theme) -> QImage:
        ratio = geometry.ratio
        width, height = round(self.width() * ratio), round(self.height() * ratio)
        pixels = np.zeros((height, width), dtype=np.uint32)
        nodes = geometry.visible(self._inner(geometry))
        x, y = geometry.corners(nodes)
        found = _Found(
            pixels,
            np.rint(x * ratio).astype(np.int64),
            np.rint(y * ratio).astype(np.int64),
            tuple(int(pitch * ratio + 1e-6) for pitch in geometry.pitches),
            states[nodes],
            _ramp(theme)[np.minimum(self._utility[nodes], 63)],
        )
        line = max(round(ratio), 1)
        if geometry.pitch * ratio > LARGEST_DOT:
            self._draw_small(found, geometry, line, theme)
        else:
            side = max(min(found.room), 2)
            if self._has_few_checks:
                side = max(side, round(_FEW_SIDE * ratio))
            found.put(State.CHECKED_FAILS, side, _pixel(theme.fail_line))
            if side > 2 * line:
                found.put(State.CHECKED_FAILS, side - 2 * line, _pixel(theme.surface))
            found.put(State.CHECKED_SATISFIES, side)
        image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied)
        image = image.copy()  # the array goes
        image.setDevicePixelRatio(ratio)
        return image

    def _draw_small(self, found: _Found, geometry: LatticeGeometry, line: int, theme: Theme) -> None:
        """Make the squares of nodes that were not checked smaller, and those not reached dots."""
        room, ratio = min(found.room), geometry.ratio
        small, dot = max(round(room * _INFERRED_SHARE), 3 * line), round(_NOT_REACHED_SIDE * ratio)
        surface = _pixel(theme.surface)
        for state in (State.NOT_REACHED, State.INFERRED_FAILS, State.INFERRED_SATISFIES):
            found.put(state, room, surface)
        found.put(State.NOT_REACHED, dot, _pixel(theme.fail_line))
        found.put(State.INFERRED_FAILS, small, _pixel(theme.fail_line))
        found.put(State.INFERRED_FAILS, small - 2 * line, surface)
        found.put(State.INFERRED_SATISFIES, small)

    def _draw_new(self, painter: QPainter, geometry: LatticeGeometry, theme: Theme) -> None:
        if not len(self._new):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent), 1))
        x, y = geometry.corners(self._new[:-1])
        pitch_x, pitch_y = geometry.pitches
        painter.drawRects([QRectF(a - 1, b - 1, pitch_x + 1, pitch_y + 1) for a, b in zip(x, y, strict=True)])
        place = geometry.place(int(self._new[-1]))
        frame = QRectF(0, 0, max(_NEWEST_SIDE, pitch_x), max(_NEWEST_SIDE, pitch_y))
        frame.moveCenter(place.center())
        for color, width in ((theme.halo, 5.0), (theme.accent, 2.5)):
            painter.setPen(QPen(QColor(color), width))
            painter.drawRect(frame)

    def _inner(self, geometry: LatticeGeometry) -> QRectF:
        return QRectF(geometry.area.left(), 0, geometry.area.width(), self.height())


class _Found:
    """Nodes in view, and pixels to draw them into."""

    def __init__(
        self,
        pixels: NDArray[np.uint32],
        left: Ints,
        top: Ints,
        room: tuple[int, ...],
        states: States,
        inks: NDArray[np.uint32],
    ) -> None:
        self.room = room
        self._pixels, self._left, self._top = pixels, left, top
        self._states, self._inks = states, inks

    def put(self, state: State, side: int, ink: np.uint32 | None = None) -> None:
        """A filled square in the middle of the places of nodes in a state; by utility without an ink."""
        chosen = self._states == state
        left = self._left[chosen] + (self.room[0] - side) // 2
        top = self._top[chosen] + (self.room[1] - side) // 2
        stamp(self._pixels, left, top, filled(side, side), self._inks[chosen] if ink is None else ink)


def _ramp(theme: Theme) -> NDArray[np.uint32]:
    return np.array([color.rgba() for color in ramp_colors(theme)], dtype=np.uint32)


def _pixel(color: str) -> np.uint32:
    return np.uint32(QColor(color).rgba())
