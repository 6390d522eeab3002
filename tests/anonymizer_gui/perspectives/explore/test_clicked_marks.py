"""A click on a star, flag, pin or name selects the node that it marks, in every view."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.layout import lay_out_small
from anonymizer_gui.perspectives.explore.lattice.marks import Marks, PlacedMark
from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from anonymizer_gui.perspectives.explore.map.view import MapView
from anonymizer_gui.widgets.marks import draw_selected
from engine.lattice import Lattice
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.anonymizer_gui.perspectives.explore.lattice_helpers import ADULT, make_view, select
from tests.anonymizer_gui.perspectives.explore.test_map_view import make_view as make_map

LEFT = Qt.MouseButton.LeftButton
MARKS = Marks(selected=6000, optimum=6500, applied=7000, pinned=(5000,))
CORNERS = (QPointF(0, 0), QPointF(6, 0), QPointF(-6, 0), QPointF(0, 6), QPointF(0, -6))


def requested(qtbot: QtBot, view: QWidget, point: QPointF) -> int | None:
    """Click at a point, and return the node that is requested."""
    asked: list[int] = []
    view.node_requested.connect(asked.append)  # type: ignore[attr-defined]
    qtbot.mouseClick(view, LEFT, pos=point.toPoint())
    view.node_requested.disconnect(asked.append)  # type: ignore[attr-defined]
    return asked[0] if asked else None


def wrong(qtbot: QtBot, view: QWidget, placed: Iterable[PlacedMark]) -> list[tuple[int, int | None]]:
    """Click each mark at its middle and near its edges; return the nodes that are not the marked ones."""
    found = []
    for mark in placed:
        if mark.draw is draw_selected:
            continue
        for away in CORNERS:
            node = requested(qtbot, view, mark.box.center() + away)
            if node != mark.node:
                found.append((mark.node, node))
    return found


def marked(view: LatticeView | MapView) -> Sequence[PlacedMark]:
    return view.placed(view.shown, view.marks)


@pytest.mark.parametrize("zoom", ["shares", "dots", "chips"])
def test_marks_in_the_lattice(qtbot: QtBot, themed: QApplication, zoom: str) -> None:
    view = make_view(qtbot, ADULT, *((300, 160) if zoom == "shares" else (1062, 408)))
    view.show_marks(MARKS)
    if zoom == "chips":
        view.show_chips()
    qtbot.waitUntil(lambda: view.drawing.value == zoom)
    if zoom != "chips":
        assert len(marked(view)) == 4 + len({"Selected", "Optimum", "Applied"})
        assert wrong(qtbot, view, marked(view)) == []
        return
    for node in (6500, 7000, 5000):
        view.center_on(node)
        qtbot.waitUntil(lambda: view.rect().contains(view.node_rect(node)))  # noqa: B023
        mark = next(mark for mark in marked(view) if mark.node == node)
        assert wrong(qtbot, view, [mark]) == []


def test_nodes_inside_the_ring_stay_reachable(qtbot: QtBot, themed: QApplication) -> None:
    view = make_view(qtbot, ADULT)
    view.show_marks(Marks(selected=6000))
    beside = view.node_rect(6000).center() + QPoint(0, 7)
    assert requested(qtbot, view, QPointF(beside)) not in (None, 6000)


def test_marks_on_cards(qtbot: QtBot, themed: QApplication) -> None:
    view = make_view(qtbot, ADULT)
    select(view, ADULT, 6000)
    view.show_cards()
    cards = view.cards
    small = [item.node for item in cards.items][:3]
    view.show_marks(Marks(selected=6000, optimum=small[0], applied=small[1], pinned=(small[2],)))
    placed = marked(view)
    assert {mark.node for mark in placed} == set(small)
    assert wrong(qtbot, view, placed) == []


def test_marks_in_the_diagram(qtbot: QtBot, themed: QApplication) -> None:
    lattice = Lattice((0, 0, 0), (4, 1, 2))
    view = make_view(qtbot, lattice, layout=lay_out_small(lattice.levels))
    view.show_marks(Marks(selected=3, optimum=10, applied=11, pinned=(12,)))
    assert view.diagram is not None
    placed = marked(view)
    assert len(placed) == 3
    assert wrong(qtbot, view, placed) == []


def test_marks_on_the_map(qtbot: QtBot, themed: QApplication) -> None:
    middle = np.array(
        [[0.5, 0.5], [0.51, 0.5], [0.49, 0.5], [0.5, 0.52], [0.5, 0.48], [0.8, 0.8], [0.2, 0.2]]
    )
    view = make_map(qtbot, middle)
    view.show_marks(Marks(selected=1, optimum=0, applied=5, pinned=(6,)))
    placed = marked(view)
    assert len(placed) == 4
    assert wrong(qtbot, view, placed) == []


def test_the_optimum_named_above_is_selected_by_a_click(bench: Bench, qtbot: QtBot) -> None:
    bench.session.selection.select(bench.session.results.problem.lattice.maximum)  # type: ignore[union-attr]
    row = bench.explore.view.knobs.findChild(QWidget, "selectOptimum")
    qtbot.mouseClick(row, LEFT, pos=row.rect().center())
    assert bench.session.selection.node == bench.session.results.optimum
