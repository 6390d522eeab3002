"""Zoom, edges and steps of the lattice, and their labels."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import FAILS
from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from anonymizer_gui.theming import LIGHT, motion
from engine.lattice import Lattice
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.anonymizer_gui.perspectives.explore.lattice_helpers import (
    ADULT,
    coloured,
    make_view,
    select,
    turn_wheel,
)

SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def view(qtbot: QtBot, themed: QApplication) -> LatticeView:
    return make_view(qtbot, ADULT)


def ink_below(view: LatticeView, node: int) -> int:
    """Return pixels of ink in the place of a node."""
    picture, place = view.grab().toImage(), view.node_rect(node)
    ink = QColor(LIGHT.ink)
    across, down = range(place.left(), place.right() + 1), range(place.top(), place.bottom() + 1)
    return sum(picture.pixelColor(x, y) == ink for x in across for y in down)


@pytest.mark.parametrize("notches", [0, 4, 9, 30])
def test_a_minimal_node_is_distinguishable_at_every_zoom_without_hue(view: LatticeView, notches: int) -> None:
    node = 6000
    turn_wheel(view, view.node_rect(node).center(), notches)
    view.bring_into_view(node)
    classes = np.full(ADULT.n_nodes, FAILS, dtype=np.uint8)
    classes[node] = 40
    plain = NodeLook(classes, np.zeros(ADULT.n_nodes))
    view.show_colours(plain)
    without = ink_below(view, node)
    minimal = np.zeros(ADULT.n_nodes, dtype=np.bool_)
    minimal[node] = True
    view.show_colours(NodeLook(classes, plain.values, minimal=minimal))
    assert ink_below(view, node) >= without + 2


def test_zooming_is_animated_around_the_pointer_if_motion_is_enabled(
    qtbot: QtBot, view: LatticeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(motion, "duration", lambda _motion: 40)
    point = view.node_rect(6000).center()
    seen: list[float] = []
    view.zoom_changed.connect(lambda: seen.append(view.geometry_shown.zoom))  # type: ignore[union-attr]
    turn_wheel(view, point, 3)
    assert view.zoom_stop == "fit", "it has only begun"
    qtbot.waitUntil(lambda: bool(seen) and seen[-1] == pytest.approx(1.25**3))
    assert seen == sorted(seen)
    assert view.node_at(point) == 6000
    qtbot.keyClick(view, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: view.zoom_stop == "fit")


def test_a_lattice_of_a_hundred_thousand_nodes_opens_into_nodes_on_zoom(
    qtbot: QtBot, themed: QApplication
) -> None:
    large = Lattice((0,) * 5, (9, 9, 9, 9, 9))
    view = make_view(qtbot, large, 700, 300)
    assert view.geometry_shown.pitch < 2
    turn_wheel(view, QPoint(350, 150), 25)
    assert view.geometry_shown.pitch > 2
    node = view.node_at(QPoint(350, 150))
    assert node is not None
    view.grab()


def test_recolouring_moves_nothing_at_any_zoom(view: LatticeView) -> None:
    select(view, ADULT, 6000)
    for notches in (0, 6, 20):
        turn_wheel(view, QPoint(500, 200), notches)
        before = view.geometry_shown
        view.show_colours(coloured(ADULT, seed=3))
        assert view.geometry_shown is before


# -- with the model of Explore -------------------------------------------------------------------


def test_a_step_up_shows_the_changed_attribute_with_both_levels(qtbot: QtBot, bench: Bench) -> None:
    session, view = bench.session, bench.explore.view.lattice.view
    words, problem = bench.explore.state.words, session.results.problem
    start = session.selection.node
    qtbot.keyClick(view, Qt.Key.Key_Up)
    end, step = session.selection.node, view.above.step
    q = next(q for q, level in enumerate(end) if level != start[q])
    assert step.text.startswith(f"{problem.attributes[q].name}: ")
    assert words.level(q, start[q])[:20] in step.text
    assert words.level(q, end[q])[:20] in step.text
    assert view.accessibleDescription().startswith(step.text)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.above.step is None, "along a row no attribute moves alone"


def test_shift_and_an_arrow_take_the_other_edges_one_after_the_other(qtbot: QtBot, bench: Bench) -> None:
    session, view, scores = bench.session, bench.explore.view.lattice.view, bench.explore.state.scores
    start = session.selection.node
    assert start is not None
    above = session.results.problem.lattice.successors(start)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    seen = [session.selection.node]
    for _ in range(len(above) - 1):
        qtbot.keyClick(view, Qt.Key.Key_Up, SHIFT)
        seen.append(session.selection.node)
    assert set(seen) == set(above)
    assert seen == sorted(above, key=lambda node: scores.value(node))


def test_the_cheapest_path_reaches_the_bottom_and_the_top(bench: Bench) -> None:
    session, scores = bench.session, bench.explore.state.scores
    paths, lattice = bench.explore.view.lattice.view.above.paths, session.results.problem.lattice
    assert session.selection.node is not None
    assert lattice.node(paths.down[-1]) == lattice.minimum
    assert lattice.node(paths.up[-1]) == lattice.maximum
    here = session.selection.node
    for number in paths.up:
        assert lattice.node(number) == min(
            lattice.successors(here), key=lambda node: (scores.value(node), node)
        )
        here = lattice.node(number)


def test_the_pointer_draws_the_lines_of_the_node_below_it(qtbot: QtBot, bench: Bench) -> None:
    view, session = bench.explore.view.lattice.view, bench.session
    lattice = session.results.problem.lattice
    number = lattice.number((1, 2, 0, 1, 0))
    qtbot.mouseMove(view, view.node_rect(number).center())
    qtbot.waitUntil(lambda: view.above.hovered is not None and view.above.hovered.node == number)
    around = [*lattice.predecessors((1, 2, 0, 1, 0)), *lattice.successors((1, 2, 0, 1, 0))]
    assert set(view.above.hovered.neighbours) == {lattice.number(node) for node in around}


def test_changing_k_moves_no_node_and_no_card(qtbot: QtBot, bench: Bench) -> None:
    from engine.privacy import Requirement
    from engine.privacy.k_anonymity import KAnonymity

    view = bench.explore.view.lattice.view
    view.show_cards()
    before = view.cards
    for k in (2, 10, 50, 100):
        bench.session.shown.preview(Requirement((KAnonymity(k),), 0.05))
        qtbot.waitUntil(lambda k=k: bench.explore.state.evaluation.requirement.k == k)  # type: ignore[union-attr,misc]
        assert view.cards is before
    bench.session.shown.cancel()
    qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)
