"""A lattice view with artificial scores, and helpers, for tests of zoom, cards and minimap."""

from __future__ import annotations

from itertools import count

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.layout import LatticeLayout, lay_out
from anonymizer_gui.perspectives.explore.lattice.marks import Marks
from anonymizer_gui.perspectives.explore.lattice.neighbourhood import (
    MeasuredValue,
    Neighbourhood,
    NodeValues,
    Step,
)
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import FAILS
from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from engine.lattice import Lattice

LEFT = Qt.MouseButton.LeftButton
ADULT = Lattice((0,) * 9, (1, 4, 1, 2, 3, 2, 2, 2, 1))


def coloured(lattice: Lattice, seed: int = 0) -> NodeLook:
    """Return colours with the higher half of the nodes satisfying."""
    rng = np.random.default_rng(seed)
    satisfies = lattice.sums > lattice.sums.mean()
    classes = np.where(satisfies, rng.integers(0, 64, lattice.n_nodes), FAILS).astype(np.uint8)
    return NodeLook(
        classes,
        rng.random(lattice.n_nodes),
        minimal=lattice.minimal(satisfies),
        n_suppressed=rng.integers(0, 3000, lattice.n_nodes),
        allowed=1500,
        n_records=30_000,
    )


def make_view(
    qtbot: QtBot, lattice: Lattice, width: int = 1062, height: int = 408, layout: LatticeLayout | None = None
) -> LatticeView:
    view = LatticeView()
    qtbot.addWidget(view)
    view.resize(width, height)
    losses = np.random.default_rng(1).random(lattice.n_nodes)
    view.show_lattice(layout or lay_out(lattice.sums, losses), lattice.levels)
    view.show_colours(coloured(lattice))
    view.show()
    return view


def surroundings(view: LatticeView, lattice: Lattice, number: int) -> Neighbourhood:
    """Return the surroundings of a node as a presenter would."""
    node, layout, order = lattice.node(number), view.layout_shown, count()

    def step(other: tuple[int, ...], *, is_up: bool) -> Step:
        q = next(q for q, level in enumerate(other) if level != node[q])
        return Step(lattice.number(other), q, is_up, f"attribute {q}", f"meaning {next(order)}")

    up = tuple(step(other, is_up=True) for other in lattice.successors(node))
    down = tuple(step(other, is_up=False) for other in lattice.predecessors(node))
    apart = [number, *(found.node for found in (*up, *down))]
    row = int(layout.positions[number, 0])
    rows = range(max(row - 2, 0), min(row + 3, layout.n_rows))
    best = {at: tuple(n for n in layout.rows[at].tolist() if n not in apart)[:6] for at in rows}
    return Neighbourhood(number, tuple(f"attribute {q}" for q in range(len(node))), up, down, best)


def select(view: LatticeView, lattice: Lattice, number: int) -> None:
    """Show a node as selected, with its marks and edges."""
    node = lattice.node(number)
    around = [*lattice.predecessors(node), *lattice.successors(node)]
    view.show_marks(Marks(number, neighbours=tuple(lattice.number(other) for other in around)), "node")
    values = NodeValues(
        "rank 4 of 99", (MeasuredValue("k", "5", "≥ 5", True), MeasuredValue("t", "0.18", "≤ 0.20", True))
    )
    view.show_neighbourhood(surroundings(view, lattice, number), values)


def turn_wheel(view: LatticeView, point: QPoint, notches: int) -> None:
    for _ in range(abs(notches)):
        wheel = QWheelEvent(
            QPointF(point),
            QPointF(view.mapToGlobal(point)),
            QPoint(),
            QPoint(0, 120 if notches > 0 else -120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(view, wheel)
