"""The hover card shows the values of the engine, and is hidden when it is outdated."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.hover_card import SHADOW, HoverCard, show_hover_card
from anonymizer_gui.perspectives.explore.node_text import mark_of
from anonymizer_gui.theming import DARK, LIGHT, theme_manager
from anonymizer_gui.widgets.marks import Mark
from engine.numbers import as_decimal, as_exact_count, as_percent, as_vector
from engine.scoring.nodes.inspection import inspect_node
from tests.anonymizer_gui.perspectives.explore.conftest import Bench

DESCRIPTION = "[0, 1]\nFails · loss 0.271\n9 records suppressed (9 %)\n\nage: 20-year bands\nUnchanged: sex"


@pytest.fixture
def place(qtbot: QtBot, themed: QApplication) -> QWidget:
    place = QWidget()
    qtbot.addWidget(place)
    place.setMouseTracking(True)
    place.resize(400, 300)
    place.show()
    return place


def card_over(place: QWidget) -> HoverCard:
    return place.window().findChild(HoverCard)


def hover(view: QWidget, pos: QPoint) -> None:
    """Send the event of a resting pointer."""
    QApplication.sendEvent(view, QHelpEvent(QEvent.Type.ToolTip, pos, view.mapToGlobal(pos)))


def test_every_node_is_described_as_the_engine_measures_it(bench: Bench) -> None:
    state, evaluation = bench.explore.state, bench.session.results.evaluation
    requirement, problem = evaluation.requirement, evaluation.problem
    order = sorted((evaluation.metric(state.metric)[n], n) for n in range(160) if evaluation.satisfies[n])
    for number in range(160):
        node = problem.lattice.node(number)
        report = inspect_node(evaluation.profile, node, requirement)
        lines = state.describe_number(number).split("\n")
        status = "Satisfies" if report.satisfies else "Fails"
        loss = as_decimal(float(evaluation.metric(state.metric)[number]))
        assert lines[-1] == as_vector(node)
        assert lines[1].startswith(f"{status} · {state.metric} {loss}")
        assert (" · rank " in lines[1]) == report.satisfies
        limit = "limit" if report.suppressed <= report.losses.allowed else "above the limit of"
        share = as_percent(report.suppressed / problem.n_records)
        noun = "record" if report.suppressed == 1 else "records"
        assert lines[2] == (
            f"{as_exact_count(report.suppressed)} {noun} suppressed ({share}, {limit} 5\u202f%)"
        )
        measured = [
            f"{found.model.symbol}{' of ' + ', '.join(found.model.columns) if found.model.columns else ''} "
            + (f"{found.worst_kept:.3f}" if found.model.symbol == "t" else as_exact_count(found.worst_kept))
            for found in report.models
            if found.worst_kept is not None
        ]
        told = lines[3 : lines.index("")]
        assert [line.split(" (")[0] for line in told] == (measured or ["No record is kept"])
        changed = [f"{name}: {text}" for name, text in state.words.node(node) if text != "unchanged"]
        kept = [name for name, text in state.words.node(node) if text == "unchanged"]
        last = [f"Unchanged: {', '.join(kept)}"] if kept else []
        assert lines[lines.index("") + 1 : -1] == changed + last
    best = problem.lattice.node(order[0][1])
    assert f"rank 1 of {len(order)}" in state.describe(best)


def test_the_status_is_read_back_from_the_words() -> None:
    assert mark_of(DESCRIPTION) is Mark.FAILS
    assert mark_of(DESCRIPTION.replace("Fails", "Satisfies")) is Mark.SATISFIES
    assert mark_of("[0, 1]\nNot scored yet\n\nUnchanged: sex") is Mark.NOT_SCORED
    assert mark_of("k 5, limit 5 %\nno node satisfies") is None
    assert mark_of("") is None


def test_resting_over_a_node_shows_the_card_with_its_words(bench: Bench) -> None:
    view = bench.explore.view.lattice.view
    hover(view, view.node_rect(7).center())
    card = card_over(view)
    assert card.isVisible()
    assert card.text == bench.explore.state.describe_number(7)
    assert card.accessibleName() == card.text
    hover(view, QPoint(view.width() - 3, 3))
    assert not card.isVisible()


@pytest.mark.parametrize("ending", ["move", "press", "key", "leave"])
def test_the_card_is_hidden_when_the_user_moves_on(qtbot: QtBot, place: QWidget, ending: str) -> None:
    show_hover_card(place, place.mapToGlobal(QPoint(50, 50)), DESCRIPTION)
    card = card_over(place)
    assert card.isVisible()
    QTest.mouseMove(place, QPoint(51, 51))
    assert card.isVisible()
    if ending == "move":
        QTest.mouseMove(place, QPoint(90, 90))
    elif ending == "press":
        qtbot.mousePress(place, Qt.MouseButton.LeftButton, pos=QPoint(50, 50))
    elif ending == "key":
        qtbot.keyClick(place, Qt.Key.Key_A)
    else:
        QApplication.sendEvent(place, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: not card.isVisible())


def test_the_card_is_hidden_when_the_scores_change(qtbot: QtBot, bench: Bench) -> None:
    view = bench.explore.view.lattice.view
    hover(view, view.node_rect(7).center())
    card = card_over(view)
    assert card.isVisible()
    bench.session.shown.preview(bench.session.shown.requirement.with_limit(0, 9))
    qtbot.waitUntil(lambda: not card.isVisible())


@pytest.mark.parametrize("corner", ["top_left", "bottom_right"])
def test_the_card_stays_on_the_screen_next_to_the_pointer(place: QWidget, corner: str) -> None:
    room = QApplication.primaryScreen().availableGeometry()
    pointer = room.topLeft() if corner == "top_left" else room.bottomRight()
    show_hover_card(place, pointer, DESCRIPTION)
    inked = card_over(place).geometry().adjusted(SHADOW, SHADOW, -SHADOW, -SHADOW)
    assert room.contains(inked)
    assert not inked.contains(pointer)


def test_the_card_has_the_colours_of_the_theme_and_grows_with_the_text(
    place: QWidget, themed: QApplication
) -> None:
    sizes = []
    for theme, scale in ((LIGHT, 1.0), (DARK, 1.5)):
        theme_manager().apply(themed, theme, scale)
        show_hover_card(place, place.mapToGlobal(QPoint(5, 5)), DESCRIPTION)
        card = card_over(place)
        sizes.append(card.width())
        ground = card.grab().toImage().pixelColor(card.width() - SHADOW - 4, SHADOW + 12)
        assert ground == theme.color("surface")
    assert sizes[1] > 1.2 * sizes[0]


@pytest.mark.parametrize("view_name", ["lattice", "map"])
def test_the_card_of_lattice_and_map_has_the_glyph_of_the_node(
    qtbot: QtBot, bench: Bench, view_name: str
) -> None:
    view = getattr(bench.explore.view, view_name).view
    nodes, optimum = bench.explore.state.nodes, bench.session.results.optimum
    number = nodes.number(optimum)
    at = view.node_rect(number).center() if view_name == "lattice" else view.node_point(number)
    hover(view, at)
    card = card_over(bench.explore.view)
    found = view.node_at(at)
    assert found is not None
    assert card.glyph.levels == nodes.node(found)
    assert card.glyph.differing == {q for q, level in enumerate(nodes.node(found)) if level != optimum[q]}
    assert card.width() >= card.sizeHint().width()
