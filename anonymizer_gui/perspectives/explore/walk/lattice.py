"""Lattice of a search: the states of its nodes, the newest ones framed, and its steps in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.models.node_name import node_name
from anonymizer_gui.perspectives.explore.lattice.layout import SMALLEST_PITCH, LatticeGeometry
from anonymizer_gui.perspectives.explore.lattice.neighbourhood import Arrangement
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.painting import Canvas, node_layer
from anonymizer_gui.perspectives.explore.lattice.raster import (
    DIMMED,
    FAILS,
    LARGEST_DOT,
    N_RAMP,
    NOT_SCORED,
    DotPicture,
    palette,
    square_side,
)
from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.perspectives.explore.node_scores import row_texts
from anonymizer_gui.theming import Text, Theme, font, scaled, theme_manager
from anonymizer_gui.theming.painter import ThemedPainter, filled, pixels_of, stamp
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.drawn import Drawn
from anonymizer_gui.widgets.marks import draw_fails, draw_not_scored, draw_satisfies
from engine.numbers import as_exact_count, as_nodes
from engine.search.replay import FAILING, SATISFYING, State
from engine.search.trace import ABSENT
from engine.words import _, ngettext

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.explore.walk.run import WalkResult
    from engine.lattice import Node
    from engine.search.replay import Replay, States


DOT = " · "


def state_name(state: State) -> str:
    """Return the name of a state for the legend."""
    return {
        State.CHECKED_SATISFIES: _("evaluated, satisfies"),
        State.CHECKED_FAILS: _("evaluated, fails"),
        State.INFERRED_SATISFIES: _("inferred, satisfies"),
        State.INFERRED_FAILS: _("inferred, fails"),
        State.SET_ASIDE: _("excluded"),
        State.NOT_REACHED: _("not reached"),
    }[state]


def step_text(replay: Replay, at: int, names: Sequence[str], *, with_following: bool = False) -> str:
    """Return the last of the first `at` steps as a sentence; empty before the first.

    Parameters
    ----------
    names : sequence of str
        Of the attributes.
    with_following : bool
        Describe the last check instead, and how many nodes follow from it.
    """
    if at <= 0:
        return ""
    number = at - 1
    if with_following and (n_checked := replay.n_checked(at)):
        number = int(replay.checks[n_checked - 1])
    step = replay.step(number)
    where, why = _where(step.node, names, replay.lattice.maximum), step.rule.text
    if step.satisfies is None:
        return _("{where}: excluded, {why}").format(where=where, why=why)
    found = _("satisfies") if step.satisfies else _("fails")
    if not step.rule.is_check:
        return _("{where}: {found}, {why}").format(where=where, found=found, why=why)
    text = _("{where}: evaluated ({why}), {found}").format(where=where, why=why, found=found)
    following = at - number - 1
    if with_following and following:
        text += DOT + _("{following} follow from it").format(following=as_nodes(following))
    return text


def progress_text(walked: WalkResult, at: int, names: Sequence[str]) -> str:
    """Return the progress: nodes checked and inferred, and the current subset of columns."""
    replay = walked.replay
    n_checked = replay.n_checked(at)
    words = [
        _("{n_checked} evaluated").format(n_checked=as_exact_count(n_checked)),
        _("{at} inferred").format(at=as_exact_count(at - n_checked)),
    ]
    if at and len((stage := replay.stage(at - 1)).attributes) < len(names):
        columns = ", ".join(names[q] for q in stage.attributes)
        done, n_nodes = as_exact_count(stage.n_settled(at)), as_exact_count(stage.n_nodes)
        words.append(
            _("subset {columns}: {done} of {n_nodes} nodes").format(
                columns=columns, done=done, n_nodes=n_nodes
            )
        )
    return DOT.join(words)


def effort_text(walked: WalkResult) -> str:
    """Return the effort of the complete run; for a run with lookups, that it counted nothing."""
    effort = walked.efficiency
    if walked.is_looked_up:
        return _("nodes looked up from the scored lattice; no scans or roll-ups")
    scans, rollups = as_exact_count(effort.scans), as_exact_count(effort.rollups)
    return _("whole run: {scans} scans, {rollups} roll-ups").format(scans=scans, rollups=rollups)


def ending_text(walked: WalkResult, names: Sequence[str]) -> str:
    """Return the result of the run compared with the scored lattice."""
    scored, text = walked.scored, metric_text(walked.metric)
    words = []
    if walked.settles_all:
        minimal = ngettext("{n} minimal node", "{n} minimal nodes", walked.n_minimal)
        minimal = minimal.format(n=as_exact_count(walked.n_minimal))
        if scored is not None:
            same = (
                _("the same as in the scored lattice")
                if scored.is_same_border
                else _("different from the scored lattice")
            )
            minimal = f"{minimal}, {same}"
        words.append(minimal)
    if walked.node is None:
        return DOT.join([*words, _("no satisfying node was found")])
    best = None if scored is None else scored.optimum
    name = node_name(walked.node, names, walked.replay.lattice.maximum, best)
    answer = f"{name} ({metric_name(walked.metric)} {text(walked.value)})"
    if scored is None or scored.optimum is None:
        words.append(_("result {answer}").format(answer=answer))
    elif scored.optimum == walked.node:
        words.append(_("result {answer}, the optimum of the scored lattice").format(answer=answer))
    else:
        optimum = f"{metric_name(walked.metric)} {text(scored.value)}"
        words.append(
            _("result {answer}; the optimum of the scored lattice has {optimum}").format(
                answer=answer, optimum=optimum
            )
        )
    return DOT.join(words)


def node_text(replay: Replay, number: int, at: int, names: Sequence[str]) -> str:
    """Describe the state of one node after the first `at` steps, with the reason."""
    steps = (replay.numbers[:at] == number).nonzero()[0]
    if not len(steps):
        return _("{number}\nNot reached yet").format(
            number=node_name(replay.lattice.node(number), names, replay.lattice.maximum)
        )
    last = int(steps[-1])
    return _("{replay}\nStep {last}").format(
        replay=step_text(replay, last + 1, names), last=as_exact_count(last + 1)
    )


def _where(node: Node, names: Sequence[str], heights: Sequence[int]) -> str:
    if ABSENT not in node:
        return node_name(node, names, heights)
    parts = [(name, level) for name, level in zip(names, node, strict=True) if level != ABSENT]
    columns, levels = [name for name, _level in parts], [level for _name, level in parts]
    return _("Subset {columns}: {value}").format(columns=", ".join(columns), value=node_name(levels, columns))


_FEW_CHECKS = 20  # with at most one check in that many nodes, checked ones are drawn larger than their places
_FEW_SIDE = 7.0
_INFERRED_SHARE, _NOT_REACHED_SIDE = 0.5, 2.0
_NEWEST_SIDE = 15.0

Ints = NDArray[np.int64]


class WalkLattice(LatticeView):
    """Checked nodes have large marks, inferred ones small marks, others are dots."""

    has_diagrams = False
    largest_place = (56.0, 44.0)  # without chips, which would not tell states apart

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

    def drawn_nodes(
        self, layout: LatticeGeometry | Arrangement, look: NodeLook, canvas: Canvas, theme: Theme
    ) -> QImage:
        """Return the nodes with their states as a picture."""
        states, geometry = self._states, layout
        if states is None or len(states) != layout.n_nodes or not isinstance(geometry, LatticeGeometry):
            return super().drawn_nodes(layout, look, canvas, theme)
        # Drawn upon, so not a picture that is kept.
        layer = node_layer(geometry, look, canvas, theme, DotPicture())
        painter = ThemedPainter(layer, theme)
        painter.setClipRect(canvas.inner)
        if geometry.pitch >= SMALLEST_PITCH:
            painter.drawImage(0, 0, self._drawn_states(geometry, states, canvas, theme))
        self._draw_new(painter, geometry)
        painter.end()
        return layer

    def _drawn_states(
        self, geometry: LatticeGeometry, states: States, canvas: Canvas, theme: Theme
    ) -> QImage:
        """Return squares centred in the places of the nodes as a transparent picture."""
        picture, ratio, nodes = canvas.blank(), geometry.ratio, geometry.visible(canvas.inner)
        pixels, (x, y), shown = pixels_of(picture), geometry.corners(nodes), states[nodes]
        across, down = (pitch * ratio for pitch in geometry.pitches)
        shades = palette(theme)[np.minimum(self._utility[nodes], N_RAMP - 1)]
        for state, side, token in self._squares(geometry, int(min(across, down) + 1e-6)):
            chosen = shown == state
            left = np.floor(x[chosen] * ratio + (across - side) / 2 + 1e-6).astype(np.int64)
            top = np.floor(y[chosen] * ratio + (down - side) / 2 + 1e-6).astype(np.int64)
            inks = np.uint32(theme.color(token).rgba()) if token else shades[chosen]
            stamp(pixels, left, top, filled(side, side), inks)
        return picture

    def _squares(self, geometry: LatticeGeometry, room: int) -> list[tuple[State, int, str]]:
        """Return states with the sides of squares and their colours from below; none for that by utility.

        Large squares are replaced by smaller ones for inferred nodes, and by dots for those not reached. A
        square in a smaller one of the surface is hollow.
        """
        ratio, line = geometry.ratio, max(round(geometry.ratio), 1)
        if geometry.pitch * ratio <= LARGEST_DOT:
            side = max(room, round(self._side * ratio), 2)
            return [
                (State.CHECKED_FAILS, side, "fail_line"),
                (State.CHECKED_FAILS, max(side - 2 * line, 0), "surface"),
                (State.CHECKED_SATISFIES, side, ""),
            ]
        whole = round(square_side(geometry.pitch) * ratio) + 2 * line
        small = max(round(whole * _INFERRED_SHARE), 3 * line + 1)
        replaced = (State.NOT_REACHED, State.INFERRED_FAILS, State.INFERRED_SATISFIES, State.CHECKED_FAILS)
        return [
            *((state, whole, "surface") for state in replaced),
            (State.CHECKED_FAILS, whole - 2 * line, "fail_line"),
            (State.CHECKED_FAILS, whole - 4 * line, "surface"),
            (State.NOT_REACHED, round(_NOT_REACHED_SIDE * ratio), "fail_line"),
            (State.INFERRED_FAILS, small, "fail_line"),
            (State.INFERRED_FAILS, small - 2 * line, "surface"),
            (State.INFERRED_SATISFIES, small, ""),
        ]

    def _draw_new(self, painter: ThemedPainter, geometry: LatticeGeometry) -> None:
        if not len(self._new):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.tint("")
        width = height = min(square_side(geometry.pitch) + 7, geometry.pitch + 2)
        painter.ink("accent", 1)
        for node in self._new[:-1].tolist():
            painter.drawRect(_around(geometry, node, width, height))
        newest = _around(geometry, int(self._new[-1]), max(width, _NEWEST_SIDE), max(height, _NEWEST_SIDE))
        for token, thickness in (("halo", 5.0), ("accent", 2.5)):
            painter.ink(token, thickness)
            painter.drawRect(newest)


def _around(geometry: LatticeGeometry, node: int, width: float, height: float) -> QRectF:
    frame = QRectF(0, 0, width, height)
    frame.moveCenter(geometry.place(node).center())
    return frame


def state_colours(
    states: States,
    utility: NDArray[np.uint8],
    rows: NDArray[np.int64],
    minimal: NDArray[np.bool_] | None = None,
) -> NodeLook:
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
    known = row_texts(rows, states != State.NOT_REACHED, "{n} / {total}")
    known[-1] = _("known: {text}").format(text=known[-1])
    return NodeLook(classes, states.astype(np.float64), known, minimal=minimal)


_MARK, _GAP, _BETWEEN = 14, 4, 14
_SMALL, _LINE = 7.0, 18
_ORDER = tuple(reversed(State))


class StateLegend(Drawn, QWidget):
    """Legend that wraps to as many lines as its width requires."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("walkLegend")
        self.counts: dict[State, int] = {}  # counts shown
        self._n_minimal: int | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(self.tr("Nodes by their known state"))
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

    def draw(self, painter: ThemedPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        line, column = scaled(_LINE), self._count_width()
        left, right = (
            int(side | Qt.AlignmentFlag.AlignVCenter)
            for side in (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight)
        )
        entries = zip(self._entries(), self._places(self.width()), strict=True)
        for (state, count, name), (x, row) in entries:
            _draw_state(painter, QRectF(x, row * line, scaled(_MARK), line), state)
            place = QRectF(x + scaled(_MARK) + _GAP, row * line, column, line)
            painter.style(Text.CAPTION, "text", SEMI_BOLD)
            painter.drawText(place, right, as_exact_count(count))
            painter.style(Text.CAPTION, "text_2")
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


def _draw_state(painter: ThemedPainter, rect: QRectF, state: State | None) -> None:
    """Draw the mark of a state, or of a minimal node, as in the lattice."""
    side = min(rect.width(), rect.height())
    if state in (State.INFERRED_SATISFIES, State.INFERRED_FAILS):
        side = scaled(_SMALL)
    mark = QRectF(0, 0, side, side)
    mark.moveCenter(rect.center())
    x, y = round(mark.center().x()), round(mark.center().y())
    if state in (State.CHECKED_SATISFIES, State.INFERRED_SATISFIES):
        draw_satisfies(painter, mark, painter.theme)
    elif state is State.CHECKED_FAILS:
        draw_fails(painter, mark, painter.theme)
    elif state is State.INFERRED_FAILS:
        painter.outline(QRectF(x - 2.5, y - 2.5, 5, 5), "fail_line", 1)
    elif state is State.SET_ASIDE:
        draw_not_scored(painter, mark, painter.theme)
    elif state is State.NOT_REACHED:
        painter.fill(QRectF(x - 1, y - 1, 2, 2), "fail_line")
    else:
        draw_satisfies(painter, mark.adjusted(2, 0, -2, -4), painter.theme)
        painter.fill(QRectF(x - 6, y + 4, 12, 2), "ink")
