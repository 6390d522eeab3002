"""Lattice of a search: checked and inferred nodes distinguished, the newest ones framed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.perspectives.explore.lattice.chips import shows_chips
from anonymizer_gui.perspectives.explore.lattice.geometry import SMALLEST_PITCH, LatticeGeometry
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.painting import Canvas, node_layer
from anonymizer_gui.perspectives.explore.lattice.raster import (
    DIMMED,
    FAILS,
    LARGEST_DOT,
    N_RAMP,
    NOT_SCORED,
    DotPicture,
    filled,
    square_side,
    stamp,
)
from anonymizer_gui.perspectives.explore.lattice.view import LatticeColours, LatticeView
from anonymizer_gui.perspectives.explore.walk.words import state_name
from anonymizer_gui.theming import Text, Theme, current_theme, font, ramp_colors, scaled, theme_manager
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.marks import draw_fails, draw_not_scored, draw_satisfies
from engine.numbers import as_exact_count
from engine.search.replay import FAILING, SATISFYING, State
from engine.words import _

if TYPE_CHECKING:
    from engine.search.replay import States


_FEW_CHECKS = 20  # with at most one check in that many nodes, checked ones are drawn larger than their places
_FEW_SIDE = 7.0
_INFERRED_SHARE, _NOT_REACHED_SIDE = 0.5, 2.0
_NEWEST_SIDE = 15.0

Ints = NDArray[np.int64]


class WalkLattice(LatticeView):
    """Checked nodes have large marks, inferred ones small marks, others are dots."""

    has_diagrams = False

    def __init__(self) -> None:
        super().__init__()
        self._states: States | None = None
        self._utility: NDArray[np.uint8] = np.zeros(0, dtype=np.uint8)
        self._side = 0.0
        self._new: Ints = np.zeros(0, dtype=np.int64)

    def show_run(self, utility: NDArray[np.uint8], n_checked: int) -> None:
        """Prepare a run that checks `n_checked` nodes; satisfying ones are coloured by `utility`."""
        self._utility = utility
        self._side = _FEW_SIDE if n_checked * _FEW_CHECKS <= len(utility) else 0.0

    def show_states(
        self, states: States, new: Ints, rows: Ints, minimal: NDArray[np.bool_] | None = None
    ) -> None:
        """Show the states; `new` are the nodes of the last steps, the newest at the end."""
        self._states, self._new = states, new
        self.show_colours(state_colours(states, self._utility, rows, minimal))

    def drawn_nodes(self, geometry: LatticeGeometry, look: NodeLook, canvas: Canvas, theme: Theme) -> QImage:
        """Return the nodes with their states as a picture."""
        # Drawn upon, so not a picture that is kept.
        layer, states = node_layer(geometry, look, canvas, theme, DotPicture()), self._states
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
        drawn = QImage(pixels.data, *size).copy()  # the array is released
        drawn.setDevicePixelRatio(ratio)
        return drawn

    def _shrink(self, squares: _Squares, geometry: LatticeGeometry, line: int) -> None:
        """Draw smaller squares for inferred nodes, and dots for those not reached."""
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
    """Draws squares centred in the places of nodes in a state."""

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
        """Draw filled squares by utility, or grey ones."""
        chosen = self._states == state
        self._stamp(chosen, side, self._grey if is_grey else self._inks[chosen])

    def put_hollow(self, state: State, side: int, line: int) -> None:
        """Draw hollow squares, or filled ones if there is no room for a hole."""
        chosen = self._states == state
        self._stamp(chosen, side, self._grey)
        if side > 2 * line:
            self._stamp(chosen, side - 2 * line, self._surface)

    def erase(self, state: State, side: int) -> None:
        """Erase the squares."""
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


def state_colours(
    states: States,
    utility: NDArray[np.uint8],
    rows: NDArray[np.int64],
    minimal: NDArray[np.bool_] | None = None,
) -> LatticeColours:
    """Return the colours of nodes by state.

    Parameters
    ----------
    states : ndarray of uint8, shape (n_nodes,)
    utility : ndarray of uint8, shape (n_nodes,)
        Colour class of each node if it is known to satisfy.
    rows : ndarray of int64, shape (n_nodes,)
        Row of each node in the lattice.
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
    """Return the number of known nodes per row; the first row includes a caption."""
    counts = np.bincount(rows)
    known = np.bincount(rows[states != State.NOT_REACHED], minlength=len(counts))
    texts = [f"{as_exact_count(some)} / {as_exact_count(n)}" for some, n in zip(known, counts, strict=True)]
    texts[-1] = _("known: {text}").format(text=texts[-1])
    return texts


_MARK, _GAP, _BETWEEN = 14, 4, 14
_SMALL, _LINE = 7.0, 18
_ORDER = tuple(reversed(State))


class StateLegend(QWidget):
    """Legend that wraps to as many lines as its width requires."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("walkLegend")
        self.counts: dict[State, int] = {}  # counts shown
        self._n_minimal: int | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(self.tr("Nodes by what is known about them"))
        theme_manager().theme_changed.connect(self.updateGeometry)

    def show_counts(self, counts: Mapping[State, int], n_minimal: int | None = None) -> None:
        """Show other counts, from checked to not reached, and minimal nodes if they are marked."""
        before = (set(self.counts), self._n_minimal is None)
        self.counts = {state: counts[state] for state in _ORDER if state in counts}
        self._n_minimal = n_minimal
        if before != (set(self.counts), n_minimal is None):
            self.updateGeometry()
        self.update()

    def text(self) -> str:
        """Return the legend as text."""
        return ", ".join(f"{as_exact_count(count)} {name}" for _unused, count, name in self._entries())

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return (places[-1][1] + 1 if places else 1) * scaled(_LINE)

    def sizeHint(self) -> QSize:
        return QSize(scaled(420), self.heightForWidth(max(self.width(), scaled(320))))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(200), self.heightForWidth(max(self.width(), scaled(200))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, line, column = current_theme(), scaled(_LINE), self._count_width()
        painter = QPainter(self)
        left, right = (
            int(side | Qt.AlignmentFlag.AlignVCenter)
            for side in (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight)
        )
        entries = zip(self._entries(), self._places(self.width()), strict=True)
        for (state, count, name), (x, row) in entries:
            _draw_state(painter, QRectF(x, row * line, scaled(_MARK), line), state, theme)
            place = QRectF(x + scaled(_MARK) + _GAP, row * line, column, line)
            painter.setFont(font(Text.CAPTION, SEMI_BOLD))
            painter.setPen(theme.color("text"))
            painter.drawText(place, right, as_exact_count(count))
            painter.setFont(font(Text.CAPTION))
            painter.setPen(theme.color("text_2"))
            painter.drawText(QRectF(place.right() + _GAP, place.y(), self.width(), line), left, name)

    def _entries(self) -> list[tuple[State | None, int, str]]:
        """Return marks, counts and names; None instead of a state for minimal nodes."""
        entries: list[tuple[State | None, int, str]] = [
            (state, count, state_name(state)) for state, count in self.counts.items()
        ]
        if self._n_minimal is not None:
            entries.append((None, self._n_minimal, self.tr("minimal")))
        return entries

    def _places(self, width: int) -> list[tuple[float, int]]:
        """Return left edge and line of each entry, which do not move while counts grow."""
        metrics, places = QFontMetricsF(font(Text.CAPTION)), []
        x, row, least = 0.0, 0, scaled(_MARK) + 2 * _GAP + self._count_width()
        for _state, _count, name in self._entries():
            length = least + metrics.horizontalAdvance(name)
            if x and x + length > width:
                x, row = 0.0, row + 1
            places.append((x, row))
            x += length + _BETWEEN
        return places

    def _count_width(self) -> float:
        """Return the width of the largest possible count: all nodes may have one state."""
        metrics = QFontMetricsF(font(Text.CAPTION, SEMI_BOLD))
        return metrics.horizontalAdvance(as_exact_count(sum(self.counts.values()))) + 1


def _draw_state(painter: QPainter, rect: QRectF, state: State | None, theme: Theme) -> None:
    """Draw the mark of a state, or of a minimal node, as in the lattice."""
    side = min(rect.width(), rect.height())
    if state in (State.INFERRED_SATISFIES, State.INFERRED_FAILS):
        side = scaled(_SMALL)
    mark = QRectF(0, 0, side, side)
    mark.moveCenter(rect.center())
    x, y = round(mark.center().x()), round(mark.center().y())
    if state in (State.CHECKED_SATISFIES, State.INFERRED_SATISFIES):
        draw_satisfies(painter, mark, theme)
    elif state is State.CHECKED_FAILS:
        draw_fails(painter, mark, theme)
    elif state is State.INFERRED_FAILS:
        painter.setPen(QPen(QColor(theme.fail_line), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(x - 2.5, y - 2.5, 5, 5))
    elif state is State.SET_ASIDE:
        draw_not_scored(painter, mark, theme)
    elif state is State.NOT_REACHED:
        painter.fillRect(QRectF(x - 1, y - 1, 2, 2), QColor(theme.fail_line))
    else:
        draw_satisfies(painter, mark.adjusted(2, 0, -2, -4), theme)
        painter.fillRect(QRectF(x - 6, y + 4, 12, 2), QColor(theme.ink))
