"""Time of a frame of the lattice relative to a plain widget that paints as many rectangles at once.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_lattice_frames.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.layout import lay_out, lay_out_small
from anonymizer_gui.perspectives.explore.lattice.marks import Marks
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import FAILS
from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from anonymizer_gui.theming import LIGHT, theme_manager
from engine.lattice import Lattice
from tests.benchmarks.measuring import Rounds
from tests.benchmarks.report import Report, duration

SIZE = (1600, 1000)
ROUNDS = 9
ADULT = Lattice((0,) * 9, (1, 4, 1, 2, 3, 2, 2, 2, 1))  # 12,960 nodes
LARGE = Lattice((0,) * 8, (4, 4, 4, 4, 3, 3, 5, 5))  # 360,000 nodes; too many for dots
MIDDLE = Lattice((0,) * 9, (4, 4, 3, 3, 3, 2, 2, 4, 1))  # 144,000
MILLION = Lattice((0,) * 6, (9,) * 6)
SMALL = Lattice((0,) * 3, (4, 1, 2))  # 30
HUNDRED = Lattice((0,) * 3, (4, 4, 3))
LEFT = Qt.MouseButton.LeftButton
TITLE = "The lattice, 1600 x 1000, medians of 9 rounds, processor time of the window's thread"


class Bare(QWidget):
    """Widget that only paints rectangles."""

    def __init__(self, n_rectangles: int) -> None:
        super().__init__()
        at = np.random.default_rng(0).integers(0, 997, (n_rectangles, 2))
        self._rectangles = [QRect(x, y, 3, 3) for x, y in at.tolist()]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(LIGHT.accent))
        painter.drawRects(self._rectangles)


def spent(act: Callable[[], object]) -> float:
    """Return processor seconds until the changes of a step are painted."""
    start = time.thread_time()
    act()
    QApplication.processEvents()
    return time.thread_time() - start


def coloured(lattice: Lattice, seed: int) -> NodeLook:
    rng = np.random.default_rng(seed)
    satisfies = lattice.sums > lattice.sums.mean() + rng.integers(-2, 3)
    classes = np.where(satisfies, rng.integers(0, 64, lattice.n_nodes), FAILS).astype(np.uint8)
    return NodeLook(classes, rng.random(lattice.n_nodes), minimal=lattice.minimal(satisfies))


class Steps:
    """Lattice that is zoomed by the wheel, dragged and recoloured."""

    def __init__(self, lattice: Lattice) -> None:
        self.view = LatticeView()
        self.view.resize(*SIZE)
        losses = np.random.default_rng(1).random(lattice.n_nodes)
        self.view.show_lattice(lay_out(lattice.sums, losses), lattice.levels)
        self._colours = [coloured(lattice, seed) for seed in range(3)]
        self.view.show_colours(self._colours[0])
        self._turn = 0
        self._middle = QPoint(SIZE[0] // 2, SIZE[1] // 2)

    def zoom(self, notches: int = 1) -> float:
        wheel = QWheelEvent(
            QPointF(self._middle),
            QPointF(self.view.mapToGlobal(self._middle)),
            QPoint(),
            QPoint(0, 120 * notches),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        return spent(lambda: QApplication.sendEvent(self.view, wheel))

    def pan(self) -> float:
        """Return the time of a frame during a drag."""
        QTest.mousePress(self.view, LEFT, pos=self._middle)
        moves = [self._middle + QPoint(12 * step, 7 * step) for step in (1, 2, 3, 2, 1, 0)]
        frames = [spent(lambda place=place: QTest.mouseMove(self.view, place)) for place in moves]  # type: ignore[misc]
        QTest.mouseRelease(self.view, LEFT, pos=self._middle)
        return statistics.median(frames)

    def recolour(self) -> float:
        self._turn += 1
        return spent(lambda: self.view.show_colours(self._colours[self._turn % 3]))


@pytest.mark.parametrize(
    ("lattice", "moving", "recolouring"),
    [(ADULT, 4, 6), (MIDDLE, 10, 10), (LARGE, 10, 10), (MILLION, 10, 10)],
)
def test_frames_take_no_longer_than_some_calls_of_draw_rects(
    qtbot: QtBot, qapp: QApplication, report: Report, lattice: Lattice, moving: int, recolouring: int
) -> None:
    theme_manager().apply(qapp, LIGHT, 1.0)
    report.section()
    bare, steps = Bare(lattice.n_nodes), Steps(lattice)
    bare.resize(*SIZE)
    for widget in (bare, steps.view):
        qtbot.addWidget(widget)
        with qtbot.waitExposed(widget):
            widget.show()
    found: dict[str, list[float]] = {}
    repaints = []
    for _ in range(ROUNDS):
        repaints += [spent(bare.update) for _ in range(3)]
        found.setdefault("recolouring all of it", []).append(steps.recolour())
        found.setdefault("zooming, a notch of the wheel", []).append(steps.zoom())
        found.setdefault("panning, zoomed a little", []).append(steps.pan())
        found.setdefault("zooming out to all of it", []).append(steps.zoom(-1))
        steps.zoom(4)
        found.setdefault("panning, squares", []).append(steps.pan())
        found.setdefault("recolouring squares", []).append(steps.recolour())
        steps.zoom(-4)
    ground = statistics.median(repaints)
    report.tell(f"{lattice.n_nodes:,} nodes: a bare widget, as many rectangles", ground, "seconds")
    missed = []
    for what, seconds in found.items():
        wanted = recolouring if "recolouring" in what else moving
        took = statistics.median(seconds)
        report.at_most(what, took / ground, wanted, f"  ({duration(took)})")
        missed += [what] if took > wanted * ground else []
    steps.view.show_chips()
    chips = statistics.median(steps.pan() for _ in range(ROUNDS))
    report.tell(
        "panning, chips with all edges between them", chips / ground, "times", f"  ({duration(chips)})"
    )
    assert not missed


@pytest.mark.parametrize("lattice", [SMALL, HUNDRED])
def test_a_frame_of_a_diagram_takes_at_most_twice_as_long_as_bare_rectangles_for_adult(
    qtbot: QtBot, qapp: QApplication, report: Report, lattice: Lattice
) -> None:
    theme_manager().apply(qapp, LIGHT, 1.0)
    report.section()
    bare, view = Bare(ADULT.n_nodes), LatticeView()

    def phrases(_node: int) -> tuple[str, str]:
        return "10-year age", "no city"

    view.show_lattice(lay_out_small(lattice.levels), lattice.levels, lattice.maximum, phrases)
    colours = [coloured(lattice, seed) for seed in range(3)]
    view.show_colours(colours[0])
    for widget in (bare, view):
        qtbot.addWidget(widget)
        widget.resize(*SIZE)
        with qtbot.waitExposed(widget):
            widget.show()
    assert view.diagram is not None
    rounds = Rounds(
        [
            {
                "bare": spent(bare.update),
                "recolouring": spent(lambda turn=turn: view.show_colours(colours[turn % 3])),  # type: ignore[misc]
                "selecting": spent(lambda turn=turn: view.show_marks(Marks(turn % lattice.n_nodes, 0))),  # type: ignore[misc]
            }
            for turn in range(3 * ROUNDS)
        ]
    )
    for what in ("recolouring", "selecting"):
        ratio = rounds.ratio(what, "bare")
        words = f"diagram of {lattice.n_nodes} nodes, {what}"
        report.at_most(words, ratio, 2, f"  ({duration(rounds.median(what))})")
        assert ratio <= 2
