"""Lattice of a subset of the columns, on which an algorithm works before all columns together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import Text, Theme, current_theme, font, scaled, theme_manager
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import fixed, named, vbox
from engine.numbers import as_exact_count
from engine.search.replay import FAILING, SATISFYING, State

if TYPE_CHECKING:
    from engine.search.replay import States

_WIDTH, _MARGIN = 190, 8
_MOST_SIDE, _LEAST_SIDE = 14.0, 2.0
_MOST_EDGES = 200  # with more nodes, edges would hide them


class WalkPart(QWidget):
    """Shows the name, the progress and the nodes of a subset; hidden for runs without subsets."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("walkPart")
        self.is_needed = False
        self._columns = named(ElidedLabel("", Text.SECTION, "text_2"), "walkPartColumns")
        self._known = named(ElidedLabel("", Text.CAPTION, "text_3"), "walkPartKnown")
        self.nodes = PartNodes()
        vbox(
            self._columns,
            self._known,
            (self.nodes, 1),
            spacing=2,
            margins=(_MARGIN, 6, _MARGIN, 4),
            of=self,
        )
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
        fixed(self, width=_WIDTH)

    def show_part(self, columns: Sequence[str], shape: Sequence[int], states: States) -> None:
        """Show another subset, or another moment of it; `states` has the last column varying fastest."""
        satisfies, fails = np.isin(states, SATISFYING).sum(), np.isin(states, FAILING).sum()
        self._columns.setText(self.tr("Subset: {columns}").format(columns=", ".join(columns)))
        known = self.tr("{satisfies} of {n} satisfy, {fails} fail").format(
            satisfies=as_exact_count(satisfies), n=as_exact_count(len(states)), fails=as_exact_count(fails)
        )
        self._known.setText(known)
        self.setAccessibleName(f"{self._columns.text()}. {known}")
        self.nodes.show_nodes(tuple(shape), states)

    def show_nothing(self) -> None:
        """Show that the step concerns no proper subset."""
        self._columns.setText(self.tr("All columns"))
        self._known.setText("")
        self.setAccessibleName(self._columns.text())
        self.nodes.show_nodes((), np.zeros(0, dtype=np.uint8))

    def words(self) -> tuple[str, str]:
        """Return the name of the subset and its progress."""
        return self._columns.text(), self._known.text()


class PartNodes(QWidget):
    """Draws the nodes in rows by the sum of their levels, the lowest at the bottom."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("walkPartNodes")
        self._shape: tuple[int, ...] = ()
        self._states: States = np.zeros(0, dtype=np.uint8)
        self._rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._places: NDArray[np.int64] = np.zeros(0, dtype=np.int64)  # within the row
        self._counts: NDArray[np.int64] = np.zeros(0, dtype=np.int64)  # per row
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme_manager().theme_changed.connect(self.update)

    @property
    def states(self) -> States:
        """States of the drawn nodes."""
        return self._states

    def show_nodes(self, shape: tuple[int, ...], states: States) -> None:
        """Draw other nodes."""
        if shape != self._shape:
            self._shape = shape
            self._rows = np.indices(shape).sum(axis=0).ravel() if shape else np.zeros(0, dtype=np.int64)
            self._counts = np.bincount(self._rows)
            order = np.argsort(self._rows, kind="stable")
            starts = np.repeat(np.cumsum(self._counts) - self._counts, self._counts)
            self._places = np.empty_like(self._rows)
            self._places[order] = np.arange(len(order)) - starts
        self._states = states
        self.update()

    def centre(self, node: int) -> QPointF:
        """Return the centre of a node."""
        row, n_rows = int(self._rows[node]), len(self._counts)
        x = (self._places[node] + 0.5 - self._counts[row] / 2) * self._pitch()[0]
        y = (n_rows - row - 0.5) * self._pitch()[1]
        return QPointF(self.width() / 2 + float(x), y)

    def sizeHint(self) -> QSize:
        return QSize(scaled(_WIDTH), scaled(160))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not len(self._states):
            return
        theme, painter = current_theme(), QPainter(self)
        painter.setFont(font(Text.CAPTION))
        across, up = self._pitch()
        side = max(min(across, up, scaled(_MOST_SIDE) * 1.6) * 0.62, _LEAST_SIDE)
        if len(self._states) <= _MOST_EDGES:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(theme.border_strong), 1))
            painter.drawLines(self._edges())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for node, state in enumerate(self._states.tolist()):
            _draw(painter, self.centre(node), side, State(state), theme)

    def _pitch(self) -> tuple[float, float]:
        widest = int(self._counts.max())
        across = min(self.width() / widest, scaled(_MOST_SIDE) * 3)
        return across, self.height() / len(self._counts)

    def _edges(self) -> list[QLineF]:
        """Return a line between each node and those one step above it."""
        numbers = np.arange(len(self._states)).reshape(self._shape)
        lines = []
        for axis in range(len(self._shape)):
            lower, upper = np.moveaxis(numbers, axis, 0)[:-1], np.moveaxis(numbers, axis, 0)[1:]
            pairs = zip(lower.ravel().tolist(), upper.ravel().tolist(), strict=True)
            lines += [QLineF(self.centre(one), self.centre(other)) for one, other in pairs]
        return lines


def _draw(painter: QPainter, centre: QPointF, side: float, state: State, theme: Theme) -> None:
    """Draw a node: filled if it satisfies, hollow if it fails, smaller if inferred, a dot if unknown."""
    is_inferred = state in (State.INFERRED_SATISFIES, State.INFERRED_FAILS)
    size = max(side * (0.6 if is_inferred else 1.0), _LEAST_SIDE)
    if state is State.NOT_REACHED:
        size = _LEAST_SIDE
    place = QRectF(0, 0, round(size), round(size))
    place.moveCenter(QPointF(round(centre.x()), round(centre.y())))
    painter.setPen(Qt.PenStyle.NoPen)
    if state in SATISFYING:
        painter.setBrush(QColor(theme.series_2))
    elif state in FAILING and size > 2 * _LEAST_SIDE:
        painter.setBrush(QColor(theme.surface))
        painter.setPen(QPen(QColor(theme.fail_line), 1))
    else:
        painter.setBrush(QColor(theme.fail_line))
    painter.drawRect(place)
