"""A small lattice is drawn as a Hasse diagram: cards, edges, zoom, and the strip below it."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import combinations, pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QLineF, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice import card_faces
from anonymizer_gui.perspectives.explore.lattice.card_faces import band_of, card_picture, face_of, words_in
from anonymizer_gui.perspectives.explore.lattice.diagram import (
    FULL,
    HALF,
    LEAST,
    LINE,
    Diagram,
    fitted_diagram,
)
from anonymizer_gui.perspectives.explore.lattice.headline import Border
from anonymizer_gui.perspectives.explore.lattice.layout import lay_out_small
from anonymizer_gui.perspectives.explore.lattice.marks import Marks
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import FAILS
from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from anonymizer_gui.perspectives.explore.prices.headline import MOST_LETTERS
from anonymizer_gui.theming import DARK, LIGHT, Text, Theme, font, theme_manager
from anonymizer_gui.widgets.knob import Knob
from engine.lattice import Lattice
from engine.project.recipe.files import read_recipe
from engine.scoring.nodes.kept import SATISFIES, SUPPRESSED
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.anonymizer_gui.perspectives.explore.lattice_helpers import turn_wheel
from tests.anonymizer_gui.perspectives.explore.test_without_hue import lightness

LEFT = Qt.MouseButton.LeftButton
LONG = 20_000


@pytest.fixture
def hospital(empty_bench: Bench, qtbot: QtBot, examples) -> Bench:  # type: ignore[no-untyped-def]
    """Return the perspective with the hospital example: 5 * 2 * 3 = 30 nodes."""
    empty_bench.explore.view.show_view("lattice")
    empty_bench.explore.view.resize(1440, 804)  # with room for the largest cards
    empty_bench.session.open_project(read_recipe(examples / "hospital" / "recipe.toml"))
    qtbot.waitUntil(lambda: empty_bench.session.results.optimum is not None, timeout=LONG)
    qtbot.waitUntil(lambda: empty_bench.is_settled, timeout=LONG)
    return empty_bench


def shown(bench: Bench) -> tuple[LatticeView, Diagram]:
    view = bench.explore.view.lattice.view
    assert view.diagram is not None
    return view, view.diagram


def points_on(line: QLineF, n: int = 40) -> list[QPointF]:
    return [line.pointAt(at / (n - 1)) for at in range(n)]


def oklab(picture: QImage) -> np.ndarray:
    return 100 * lightness(picture, "deuteranopia")


# -- the diagram -------------------------------------------------------------------------------


def test_hospital_has_30_cards_and_59_edges_in_centred_rows(hospital: Bench) -> None:
    view, diagram = shown(hospital)
    assert diagram.size is FULL
    assert len(diagram.rects) == 30
    assert len(diagram.lines) == 59
    canvas = QRectF(view.rect())
    assert all(canvas.contains(rect) for rect in diagram.rects)
    assert not any(a.intersects(b) for a, b in combinations(diagram.rects, 2))
    for nodes in diagram.layout.rows:
        rects = [diagram.rects[node] for node in nodes.tolist()]
        middle = (rects[0].center().x() + rects[-1].center().x()) / 2
        assert middle == pytest.approx(diagram.area.center().x(), abs=1)
        middles = [rect.center().y() for rect in rects]
        assert max(middles) - min(middles) <= 1
    sizes = {diagram.size_of(node) for node in range(30)}
    assert sizes == {FULL, LINE}
    ends = [
        (rects.top(), rects.bottom()) for rects in (diagram.rects[int(row[0])] for row in diagram.layout.rows)
    ]
    assert all(low[0] - high[1] >= 15 for low, high in pairwise(ends))


@pytest.mark.parametrize("size", [(1440, 760), (1280, 580), (1100, 598)])
def test_no_edge_meets_another_card_or_shares_an_end(
    hospital: Bench, qtbot: QtBot, size: tuple[int, int]
) -> None:
    hospital.explore.view.resize(*size)
    _view, diagram = shown(hospital)
    for (low, high), line in zip(diagram.layout.edges.tolist(), diagram.lines, strict=True):
        assert line.p1().y() == diagram.rects[low].top()
        assert line.p2().y() == diagram.rects[high].bottom()
        others = [rect for node, rect in enumerate(diagram.rects) if node not in (low, high)]
        assert not any(rect.contains(point) for rect in others for point in points_on(line))
    ends = [(point.x(), point.y()) for line in diagram.lines for point in (line.p1(), line.p2())]
    assert all(abs(a[0] - b[0]) >= 5 or a[1] != b[1] for a, b in combinations(ends, 2))


def test_at_most_16_pairs_of_edges_cross(hospital: Bench) -> None:
    _view, diagram = shown(hospital)
    bounded = QLineF.IntersectionType.BoundedIntersection
    crossing = [1 for a, b in combinations(diagram.lines, 2) if a.intersects(b)[0] == bounded]
    assert len(crossing) <= 16


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_edge_differs_from_the_surface_by_20_in_lightness(
    hospital: Bench, themed: QApplication, theme: Theme
) -> None:
    theme_manager().apply(themed, theme, 1.0)
    view, diagram = shown(hospital)
    panel = hospital.explore.view.lattice
    for part in (panel.legend, panel.card_legend, panel.levels):
        part.hide()
    view.show_colours(replace(view.colours, border_texts=("", "")))
    view.show_marks(Marks())  # halos lie over edges
    seen = oklab(view.grab().toImage())
    surface = QImage(1, 1, QImage.Format.Format_RGB32)
    surface.fill(QColor(theme.surface))
    ground = float(oklab(surface)[0, 0])
    for line in diagram.lines:
        for point in points_on(line, 12)[1:-1]:
            x, y = int(point.x()), int(point.y())
            around = seen[y - 1 : y + 2, x - 1 : x + 2]
            assert np.abs(around - ground).max() >= 20


def test_turning_every_knob_from_end_to_end_leaves_every_card_where_it_is(
    hospital: Bench, qtbot: QtBot
) -> None:
    _view, diagram = shown(hospital)
    before = [rect.center() for rect in diagram.rects]
    knobs = [knob for knob in hospital.explore.view.knobs.findChildren(Knob) if knob.isVisible()]
    assert len(knobs) == 4
    for knob in knobs:
        for key in (Qt.Key.Key_End, Qt.Key.Key_Home):
            qtbot.keyClick(knob, key)
            qtbot.waitUntil(lambda: hospital.is_settled, timeout=LONG)
            after = [rect.center() for rect in shown(hospital)[1].rects]
            assert all((a - b).manhattanLength() <= 1 for a, b in zip(after, before, strict=True))


def test_placing_a_hundred_nodes_takes_less_than_half_a_second(qtbot: QtBot) -> None:
    lattice = Lattice((0, 0, 0), (4, 4, 3))
    started = time.thread_time()
    diagram = fitted_diagram(lay_out_small(lattice.levels), QRectF(0, 0, 1000, 620))
    assert len(diagram.rects) == 100
    assert len(diagram.lines) == 235
    assert time.thread_time() - started < 0.5


@pytest.mark.parametrize(
    ("width", "height", "size"),
    [
        (996, 608, FULL),
        (995, 608, LINE),
        (996, 607, LINE),
        (827, 608, HALF),
        (996, 352, LINE),
        (587, 600, LEAST),
    ],
)
def test_the_largest_cards_that_fit_are_drawn(qtbot: QtBot, width: int, height: int, size: object) -> None:
    layout = lay_out_small(Lattice((0, 0, 0), (4, 1, 2)).levels)
    diagram = fitted_diagram(layout, QRectF(0, 0, width, height))
    assert diagram.size is size
    area = QRectF(-1, -1, width + 2, height + 2)
    assert all(area.contains(rect) for rect in diagram.rects)
    assert fitted_diagram(layout, QRectF(0, 0, 299, 608)) is None


def test_cards_grow_by_a_quarter_at_most(qtbot: QtBot) -> None:
    layout = lay_out_small(Lattice((0, 0), (1, 1)).levels)
    diagram = fitted_diagram(layout, QRectF(0, 0, 1800, 1000))
    assert diagram.card == (round(194 / 166 * 158), round(194 / 166 * 60))  # as wide as a slot allows


@pytest.mark.parametrize("scale", [1.25, 1.5, 2.0])
def test_with_large_texts_the_least_cards_keep_the_diagram(
    hospital: Bench, themed: QApplication, scale: float
) -> None:
    theme_manager().apply(themed, LIGHT, scale)
    view, diagram = shown(hospital)
    assert all(QRectF(view.rect()).contains(rect) for rect in diagram.rects)
    assert diagram.card[1] >= 32
    panel = hospital.explore.view.lattice
    for part in (panel.levels, panel.legend, panel.card_legend):
        place = part.geometry().adjusted(4, 4, -4, -4)
        assert part.isHidden() or not any(place.intersects(view.node_rect(node)) for node in range(30))


def test_slots_keep_their_places_and_formats_wait_for_the_release_of_a_knob(
    hospital: Bench, qtbot: QtBot
) -> None:
    view, diagram = shown(hospital)
    before, held = [rect.center() for rect in diagram.rects], view.colours.met
    knob = next(knob for knob in hospital.explore.view.knobs.findChildren(Knob) if knob.isVisible())
    start = knob.handle_center().toPoint()
    qtbot.mousePress(knob, LEFT, pos=start)
    qtbot.mouseMove(knob, start + QPoint(40, 0))
    qtbot.mouseMove(knob, QPoint(knob.width() - 4, start.y()))
    qtbot.waitUntil(lambda: view.colours.met.sum() < 5)
    assert hospital.session.shown.is_preview
    assert [view.diagram.size_of(node) is LINE for node in range(30)] == (~held).tolist()
    qtbot.mouseRelease(knob, LEFT, pos=QPoint(knob.width() - 4, start.y()))
    qtbot.waitUntil(lambda: hospital.is_settled, timeout=LONG)
    after = shown(hospital)[1]
    assert [after.size_of(node) is LINE for node in range(30)] == (~view.colours.met).tolist()
    assert all((a.center() - b).manhattanLength() <= 1 for a, b in zip(after.rects, before, strict=True))


def test_every_failing_node_says_why(hospital: Bench, qtbot: QtBot) -> None:
    view, _diagram = shown(hospital)
    look = view.colours
    assert look.reason(0) == "13 of 13 suppressed"
    assert look.reason(29) == ""
    head = hospital.explore.view.head.sentence
    assert head.text() == "Below the line too many records are suppressed (limit 1 of 13)."
    assert look.border_texts == ("meets k = 3, l = 2, l = 2: 11 of 30", head.text())
    project = hospital.session.project
    strict = replace(project, requirement=replace(project.requirement, suppression_limit=0.0))
    hospital.session.edit("no suppression", strict)
    qtbot.waitUntil(lambda: bool(view.colours.reasons), timeout=LONG)
    assert view.colours.reason(0) == "k 1 of 3"
    assert {text.split()[0] for text in view.colours.reasons.values()} <= {"k", "l"}


def test_the_sentence_names_nodes_that_fail_above_satisfying_ones(hospital: Bench) -> None:
    evaluation, layout = hospital.explore.state.evaluation, hospital.explore.state.layout
    is_low = evaluation.lattice.sums == 2
    kinds = np.where(is_low, SATISFIES, SUPPRESSED)
    island = SimpleNamespace(
        satisfies=is_low,
        n_satisfying=int(is_low.sum()),
        lattice=evaluation.lattice,
        problem=evaluation.problem,
        requirement=evaluation.requirement,
    )
    values = np.full(30, np.nan)
    border = Border(island, layout.edges, kinds, values)
    assert border.headline() == "21 nodes fail although a finer one satisfies: suppression limit."
    assert border.below() == ""
    mixed = np.where(evaluation.satisfies, SATISFIES, np.arange(30) % 2)
    both = Border(evaluation, layout.edges, mixed, values)
    assert both.headline() == "11 of 30 nodes satisfy; the line separates them."
    one = Border(evaluation, layout.edges, np.where(evaluation.satisfies, SATISFIES, 1), values)
    assert one.headline() == "Below the line l of disease is too small (limit 2)."
    assert max(len(text.headline()) for text in (border, both, one)) <= MOST_LETTERS


@pytest.mark.parametrize("scale", [0.9, 1.0, 1.25, 1.5, 2.0])
@pytest.mark.parametrize("is_over", [True, False])
def test_words_bar_and_number_of_a_card_never_overlap(
    themed: QApplication, monkeypatch: pytest.MonkeyPatch, scale: float, is_over: bool
) -> None:
    theme_manager().apply(themed, LIGHT, scale)
    places: list[QRectF] = []
    monkeypatch.setattr(
        card_faces,
        "draw_words",
        lambda _p, rect, text, *_a, **_k: (
            places.append(
                rect if not _k else QRectF(rect.right() - 30 * scale, rect.top(), 30 * scale, rect.height())
            )
            if text
            else None
        ),
    )
    monkeypatch.setattr(
        card_faces,
        "draw_small_bar",
        lambda _p, left, width, *_a: places.append(QRectF(left.x(), left.y() - 2, width, 4)),
    )
    layout = lay_out_small(Lattice((0, 0, 0), (4, 1, 2)).levels)
    for size, width, height in ((FULL, 1000, 616), (LINE, 928, 436), (HALF, 590, 608)):
        diagram = Diagram(layout, QRectF(0, 0, width * scale, height * scale), size, scale)
        classes = np.full(30, FAILS if is_over else 3, dtype=np.uint8)
        look = NodeLook(
            classes,
            np.full(30, 0.468),
            levels=Lattice((0, 0, 0), (4, 1, 2)).levels,
            heights=(4, 1, 2),
            n_records=13,
            n_suppressed=np.full(30, 13),
        )
        places.clear()
        words = ("20-year age", "no gender", "2 regions")
        face = face_of(7, diagram.size_of(7), diagram.rects[7], look, words)
        card_faces._line_body.cache_clear()
        card_picture.__wrapped__(face, LIGHT, 1.0, scale)
        assert places
        card = QRectF(0, band_of(int(classes[0])) - 1, face.width, face.height)
        assert all(card.contains(place) for place in places)
        lower = [place.adjusted(0, 1.5, 0, -1.5) for place in places]  # without the leading of a line
        assert not any(a.intersects(b) for a, b in combinations(lower, 2))


# -- acting on it ------------------------------------------------------------------------------


def test_clicks_and_arrow_keys_select_nodes_of_the_diagram(hospital: Bench, qtbot: QtBot) -> None:
    view, diagram = shown(hospital)
    row = diagram.layout.rows[4].tolist()
    qtbot.mouseClick(view, LEFT, pos=diagram.rects[row[1]].center().toPoint())
    assert view.marks.selected == row[1]
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.marks.selected == row[2]
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert view.marks.selected in {other for _edge, other in diagram.edges_of(row[2])}
    assert view.marks.selected in diagram.layout.rows[5]
    assert view.node_at(diagram.area.topLeft().toPoint()) is None


def test_a_selected_node_is_outlined_and_its_edges_are_ink(hospital: Bench, qtbot: QtBot) -> None:
    view, diagram = shown(hospital)
    theme = LIGHT
    node = next(number for _edge, number in diagram.edges_of(view.marks.optimum or 0))
    before = view.grab().toImage()
    qtbot.mouseClick(view, LEFT, pos=diagram.rects[node].center().toPoint())
    after = view.grab().toImage()
    side = diagram.rects[node].center().toPoint() + QPoint(round(diagram.rects[node].width() / 2), 0)
    assert QColor(before.pixel(side)) != QColor(theme.ink)
    assert QColor(after.pixel(side - QPoint(1, 0))) == QColor(theme.ink)
    for edge, _other in diagram.edges_of(node):
        inked = [
            QColor(after.pixel(round(point.x()) + dx, round(point.y()))).lightness()
            for point in points_on(diagram.lines[edge], 30)[4:-4]
            for dx in (-1, 0, 1)
        ]
        assert min(inked) <= QColor(theme.ink).lightness() + 60


def test_the_wheel_enlarges_the_cards_and_then_shows_the_neighbourhood(hospital: Bench, qtbot: QtBot) -> None:
    bench = hospital
    bench.explore.view.resize(1280, 622)
    view, diagram = shown(bench)
    assert diagram.size is LINE
    stops = bench.explore.view.lattice.stops
    assert stops.segment("chips").isVisible()
    node = diagram.layout.rows[4][0]
    place = diagram.rects[int(node)].center().toPoint()
    turn_wheel(view, place, 1)
    assert shown(bench)[1].size is FULL
    assert view.rect().contains(view.node_rect(int(node)))
    assert stops.current() == "chips"
    turn_wheel(view, place, 1)
    assert view.shows_cards
    assert stops.current() == "cards"
    turn_wheel(view, place, -1)
    assert shown(bench)[1].size is FULL
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert shown(bench)[1].size is LINE
    assert stops.current() == "fit"


def test_a_diagram_larger_than_the_view_is_panned_and_brought_into_view(
    hospital: Bench, qtbot: QtBot
) -> None:
    bench = hospital
    bench.explore.view.resize(1280, 622)
    view, _diagram = shown(bench)
    qtbot.mouseClick(bench.explore.view.lattice.stops.segment("chips"), LEFT)
    _view, diagram = shown(bench)
    assert not view.is_fitted
    rect, middle = diagram.rects[0], view.rect().center()
    qtbot.mousePress(view, LEFT, pos=middle)
    qtbot.mouseMove(view, middle + QPoint(30, 20))
    qtbot.mouseMove(view, middle + QPoint(60, 40))
    qtbot.mouseRelease(view, LEFT, pos=middle + QPoint(60, 40))
    assert shown(bench)[1].rects[0] != rect
    bench.session.selection.select((0, 0, 0))
    assert shown(bench)[1].area.adjusted(-1, -1, 1, 1).contains(shown(bench)[1].rects[0])


def test_fit_and_chips_are_one_if_the_largest_cards_fit(hospital: Bench) -> None:
    stops = hospital.explore.view.lattice.stops
    assert stops.segment("fit").isVisible()
    assert stops.segment("cards").isVisible()
    assert not stops.segment("chips").isVisible()


def test_a_pinned_node_has_a_pin_on_its_corner(hospital: Bench, qtbot: QtBot) -> None:
    view, _diagram = shown(hospital)
    hospital.session.selection.select((3, 0, 1))
    number = view.marks.selected
    before = view.grab().toImage()
    qtbot.mouseClick(hospital.explore.view.pin, LEFT)
    assert view.marks.pinned == (number,)
    assert number is not None
    corner = view.node_rect(number).topRight()
    spots = [(corner.x() + x, corner.y() + y) for x in range(-10, 4) for y in range(-7, -2)]
    after = view.grab().toImage()
    assert any(before.pixel(*spot) != after.pixel(*spot) for spot in spots)


# -- words in a card ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phrases", "widest", "lines"),
    [
        (("no city",), "no city,", ["no city"]),
        (("10-year age", "no city"), "10-year age, no", ["10-year age,", "no city"]),
        (("10-year age", "no city"), "10-year age, no city,", ["10-year age, no city"]),
        (("5-year age", "no sex", "2 regions"), "no sex, 2 regions,", ["5-year age,", "no sex, 2 regions"]),
        (
            ("20-year age", "no title", "no city", "no sex"),
            "no title, + 2,",
            ["20-year age,", "no title, + 2"],
        ),
        ((), "anything", []),
    ],
)
def test_words_break_between_columns_onto_two_lines(
    themed: QApplication, phrases: tuple[str, ...], widest: str, lines: list[str]
) -> None:
    width = QFontMetricsF(font(Text.CAPTION)).horizontalAdvance(widest) + 1
    assert list(words_in(phrases, width)) == lines


def test_three_columns_of_hospital_fit_a_full_card(themed: QApplication) -> None:
    phrases = ("20-year age", "no gender", "2 regions")
    assert words_in(phrases, 109) == ("20-year age,", "no gender, 2 regions")


@pytest.mark.parametrize(
    ("allowed", "people", "words"),
    [(1, None, "limit 1 record"), (2, None, "limit 2 records"), (9, 1, "limit 1 person")],
)
def test_a_limit_of_one_is_singular(allowed: int, people: int | None, words: str) -> None:
    colours = NodeLook(np.zeros(1, dtype=np.uint8), np.zeros(1), allowed=allowed, allowed_people=people)
    assert colours.limit_words == words
