"""The neighbourhood of a node as cards: content, and clicks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.neighbourhood import FULL, TINY, WITH_BARS, arrange
from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from anonymizer_gui.theming import DARK, LIGHT, theme_manager
from engine.lattice import Lattice
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.anonymizer_gui.perspectives.explore.lattice_helpers import (
    ADULT,
    LEFT,
    make_view,
    select,
    surroundings,
    turn_wheel,
)

SELECTED = 6000


@pytest.fixture
def view(qtbot: QtBot, themed: QApplication) -> LatticeView:
    view = make_view(qtbot, ADULT, 1380, 660)
    select(view, ADULT, SELECTED)
    view.show_cards()
    return view


def test_every_neighbour_has_a_card_in_the_row_above_or_below(view: LatticeView) -> None:
    cards, node = view.cards, ADULT.node(SELECTED)
    assert cards.tier is FULL
    shown = {item.node: item for item in cards.items if item.step is not None and not item.is_chip}
    around = {*ADULT.successors(node), *ADULT.predecessors(node)}
    assert {ADULT.node(number) for number in shown} == around
    middle = cards.selected.rect
    for item in shown.values():
        assert (item.rect.bottom() < middle.top()) is item.step.is_up
        assert not item.rect.intersects(middle)


def test_no_two_cards_or_chips_overlap_and_all_are_in_the_view(view: LatticeView) -> None:
    cards = view.cards
    places = [item.rect for item in (cards.selected, *cards.items)] + [block.rect for block in cards.blocks]
    for i, place in enumerate(places):
        assert QRectF(view.rect()).contains(place)
        assert not any(place.intersects(other) for other in places[:i])


def test_clicking_a_card_a_chip_and_a_dot_requests_its_node(qtbot: QtBot, view: LatticeView) -> None:
    cards = view.cards
    card = next(item for item in cards.items if item.step is not None)
    chip = next(item for item in cards.items if item.is_chip)
    dots = cards.blocks[0]
    for node in (card.node, chip.node, int(dots.nodes[0]), int(dots.nodes[-1])):
        with qtbot.waitSignal(view.node_requested) as asked:
            qtbot.mouseClick(view, LEFT, pos=view.node_rect(node).center())
        assert asked.args == [node]


def test_the_rest_of_the_row_of_the_selected_node_is_shown_as_dots(view: LatticeView) -> None:
    cards, layout = view.cards, view.layout_shown
    row = int(layout.positions[SELECTED, 0])
    dots = {n for block in cards.blocks for n in block.nodes.tolist() if layout.positions[n, 0] == row}
    chips = {item.node for item in cards.items if layout.positions[item.node, 0] == row}
    assert dots | chips | {SELECTED} == set(layout.rows[row].tolist())


def test_cards_have_bars_at_the_design_size(qtbot: QtBot, themed: QApplication) -> None:
    small = make_view(qtbot, ADULT, 1062, 408)
    select(small, ADULT, SELECTED)
    small.show_cards()
    assert small.cards.tier in WITH_BARS


@pytest.mark.parametrize(("width", "height"), [(1062, 408), (846, 262), (780, 262)])
def test_in_a_small_view_every_neighbour_is_a_card_chip_or_dot(
    qtbot: QtBot, themed: QApplication, width: int, height: int
) -> None:
    small = make_view(qtbot, ADULT, width, height)
    select(small, ADULT, SELECTED)
    small.show_cards()
    cards, node = small.cards, ADULT.node(SELECTED)
    assert QRectF(small.rect()).contains(cards.selected.rect)
    for other in (*ADULT.successors(node), *ADULT.predecessors(node)):
        place = small.node_rect(ADULT.number(other))
        assert small.rect().contains(place), other
        assert small.node_at(place.center()) == ADULT.number(other)


def test_very_many_attributes_stay_within_the_view(themed: QApplication, qtbot: QtBot) -> None:
    lattice = Lattice((0,) * 13, (1,) * 13)
    small = make_view(qtbot, lattice, 846, 262)
    layout = small.layout_shown
    assert layout is not None
    cards = arrange(layout, surroundings(small, lattice, 4000), QRectF(small.rect()))
    assert all(QRectF(small.rect()).contains(item.rect) for item in (cards.selected, *cards.items))


@pytest.mark.parametrize("heights", [(0,), (1,), (3,), (2, 2)])
def test_a_small_lattice_has_cards_too(qtbot: QtBot, themed: QApplication, heights: tuple[int, ...]) -> None:
    lattice = Lattice((0,) * len(heights), heights)
    small = make_view(qtbot, lattice)
    for number in range(lattice.n_nodes):
        select(small, lattice, number)
        small.show_cards()
        assert small.zoom_stop == "cards"
        small.grab()
        assert small.node_at(small.node_rect(number).center()) == number


def test_cards_are_drawn_in_both_themes_and_at_larger_fonts(view: LatticeView, themed: QApplication) -> None:
    pictures = []
    for theme, scale in ((LIGHT, 1.0), (DARK, 1.0), (LIGHT, 1.5), (LIGHT, 1.0)):
        theme_manager().apply(themed, theme, scale)
        pictures.append(view.grab().toImage())
    assert pictures[0] == pictures[3]
    assert pictures[0] != pictures[1]
    assert view.cards.tier is not TINY


def test_zooming_in_passes_chips_to_cards_and_back(qtbot: QtBot, themed: QApplication) -> None:
    view = make_view(qtbot, ADULT)
    select(view, ADULT, SELECTED)
    view.node_requested.connect(lambda number: select(view, ADULT, number))
    place = view.node_rect(SELECTED).center()
    seen = []
    for _ in range(40):
        turn_wheel(view, place, 1)
        seen.append(view.zoom_stop)
        if view.shows_cards:
            break
    assert seen[-1] == "cards"
    assert len(seen) > 5
    turn_wheel(view, QPoint(500, 200), -1)
    assert view.zoom_stop == "chips"
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view.zoom_stop == "fit"


def test_the_button_cards_shows_the_values_of_the_engine_for_the_selected_node(
    qtbot: QtBot, bench: Bench
) -> None:
    panel, session = bench.explore.view.lattice, bench.session
    qtbot.mouseClick(panel.stops.segment("cards"), LEFT)
    view = panel.view
    assert view.zoom_stop == "cards"
    assert not panel.levels.isVisible()
    problem, evaluation, cards = session.results.problem, session.results.evaluation, view.cards
    assert session.selection.node is not None
    assert cards.selected.node == problem.lattice.number(session.selection.node)
    card = next(item for item in cards.items if item.step is not None)
    with qtbot.waitSignal(session.selection.changed) as selected:
        qtbot.mouseClick(view, LEFT, pos=view.node_rect(card.node).center())
    assert selected.args == [problem.lattice.node(card.node)]
    after = view.cards
    assert after.selected.node == card.node
    colours = view.colours
    assert colours.n_suppressed is not None
    assert (colours.n_suppressed == evaluation.suppressed).all()
    assert (colours.values == evaluation.metric(session.shown.metric)).all()
    assert colours.allowed == evaluation.allowed
    assert colours.minimal is not None
    assert (colours.minimal == evaluation.minimal).all()
