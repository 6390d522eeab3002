"""The price table by mouse and keys: prices, insisted levels, knobs, and the five views."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations, pairwise, product
from math import inf, isfinite
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QAccessible, QFontMetricsF, QGuiApplication, QPainter
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.knobs import presenter as knobs
from anonymizer_gui.perspectives.explore.prices.layout import PITCHES, PriceLayout
from anonymizer_gui.perspectives.explore.prices.rows import NO_EXTRA, Kind, PriceCell
from anonymizer_gui.perspectives.explore.prices.view import PriceView
from anonymizer_gui.theming import theme_manager
from anonymizer_gui.widgets.accessible import Role
from engine.numbers import as_exact_count
from engine.project import edits
from engine.scoring.evaluate import evaluate
from engine.scoring.prices import best_node
from engine.words import speaking
from tests.anonymizer_gui.perspectives.explore.conftest import Bench, settle

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(bench: Bench, qtbot: QtBot) -> PriceView:
    bench.explore.view.show_view("prices")
    settle(qtbot, bench)
    found = bench.explore.view.prices.view
    assert found.isVisible()
    return found


def cell(view: PriceView, column: int, level: int) -> PriceCell:
    row = next(row for row in view.rows if row.column == column)
    return next(entry for entry in row.cells if entry.level == level)


def click(qtbot: QtBot, view: PriceView, column: int, level: int) -> None:
    qtbot.mouseClick(view, LEFT, pos=view.rect_of(column, level).center().toPoint())


def least(bench: Bench, column: int, level: int, insisted: dict[int, int]) -> float:
    """Return the least loss of a level over all nodes, with the levels insisted on of other columns."""
    evaluation = bench.evaluation
    levels, losses = evaluation.lattice.levels, evaluation.metric("loss")
    values = [
        float(losses[number])
        for number in np.flatnonzero(evaluation.satisfies)
        if levels[number][column] == level
        and all(levels[number][q] == wanted for q, wanted in insisted.items() if q != column)
    ]
    return min(values, default=inf)


def check_prices(bench: Bench, view: PriceView, insisted: dict[int, int]) -> None:
    evaluation = bench.evaluation
    reference = float(np.nanmin(np.where(evaluation.satisfies, evaluation.metric("loss"), np.nan)))
    assert len(view.rows) == len(evaluation.problem.names)
    for row in view.rows:
        for entry in row.cells:
            value = least(bench, row.column, entry.level, insisted)
            assert (entry.kind is Kind.IMPOSSIBLE) == (value == inf)
            if isfinite(value):
                assert entry.price == pytest.approx(value - reference, abs=1e-12)


def test_every_cell_is_the_minimum_over_all_nodes_and_the_optimum_costs_nothing(
    bench: Bench, view: PriceView
) -> None:
    check_prices(bench, view, {})
    optimum = bench.session.results.optimum
    assert optimum is not None
    for row in view.rows:
        chosen = next(entry for entry in row.cells if entry.is_chosen)
        assert (chosen.level, chosen.is_optimum, chosen.words) == (optimum[row.column], True, "no extra loss")
        assert all(entry.price >= 0 for entry in row.cells)
    generalized = [row.is_upper for row in view.rows]
    assert generalized == sorted(generalized, reverse=True), "two blocks"


def test_a_click_insists_and_all_follows_a_second_click_and_escape_release(
    bench: Bench, view: PriceView, qtbot: QtBot
) -> None:
    project, steps = bench.session.project, bench.session.history.own.count()
    finer = next(
        (row.column, entry.level) for row in view.rows for entry in row.cells if entry.price > NO_EXTRA
    )
    click(qtbot, view, *finer)
    settle(qtbot, bench)
    assert cell(view, *finer).is_insisted
    assert cell(view, *finer).is_chosen
    check_prices(bench, view, dict([finer]))
    selected = bench.session.selection.node
    assert selected is not None
    assert selected[finer[0]] == finer[1]
    assert bench.explore.state.filter.levels == {finer[0]: frozenset((finer[1],))}, "lattice and list follow"
    other = next(row.column for row in view.rows if row.column != finer[0])
    click(qtbot, view, other, view.rows[0].cells[-1].level if other == view.rows[0].column else 0)
    settle(qtbot, bench)
    assert len(bench.explore.state.filter.levels) == 2
    check_prices(
        bench, view, {q: next(iter(shown)) for q, shown in bench.explore.state.filter.levels.items()}
    )
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    settle(qtbot, bench)
    assert not bench.explore.state.filter.levels
    assert bench.session.selection.node == bench.session.results.optimum
    click(qtbot, view, *finer)
    click(qtbot, view, *finer)
    assert not bench.explore.state.filter.levels
    assert bench.session.project is project
    assert bench.session.history.own.count() == steps, "insisting is no edit"


def coarser(bench: Bench, column: int, level: int) -> list[int]:
    """Return the columns that are coarser at the best node of a level than at the optimum."""
    evaluation, optimum = bench.evaluation, bench.session.results.optimum
    assert optimum is not None
    node = best_node(evaluation, "loss", column, level, {})
    return [] if node is None else [q for q, own in enumerate(optimum) if q != column and node[q] > own]


def test_every_cell_is_reached_by_keys_and_spoken(bench: Bench, view: PriceView, qtbot: QtBot) -> None:
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Home)
    for _ in view.rows:
        qtbot.keyClick(view, Qt.Key.Key_Up)
    seen = set()
    for row, shown in enumerate(view.rows):
        qtbot.keyClick(view, Qt.Key.Key_Home)
        for place, entry in enumerate(shown.cells):
            assert view.current == (row, place)
            seen.add(view.current)
            said = view.as_accessible()
            assert said.role is Role.Table
            assert said.value.startswith(f"{shown.name}, {entry.title}: {entry.words}")
            assert said.states["selected"] == entry.is_chosen
            gives = view.accessibleDescription()
            assert gives.startswith("Gives way: ") == bool(coarser(bench, shown.column, entry.level))
            qtbot.keyClick(view, Qt.Key.Key_Right)
        qtbot.keyClick(view, Qt.Key.Key_End)
        assert view.current == (row, len(shown.cells) - 1)
        qtbot.keyClick(view, Qt.Key.Key_Down)
    assert len(seen) == sum(len(row.cells) for row in view.rows)
    qtbot.keyClick(view, Qt.Key.Key_Space)
    column, level = view.rows[-1].column, view.rows[-1].cells[-1].level
    assert bench.explore.state.filter.levels == {column: frozenset((level,))}
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().count("\n") == len(view.rows) - 1


def test_a_screen_reader_walks_rows_and_cells_with_their_states(bench: Bench, view: PriceView) -> None:
    column = view.rows[0].column
    view.insist_requested.emit(column, view.rows[0].cells[-1].level)
    table = QAccessible.queryAccessibleInterface(view)
    assert (table.role(), table.childCount()) == (Role.Table, len(view.rows))
    for row, shown in enumerate(view.rows):
        line = table.child(row)
        assert (line.role(), line.parent().role(), table.indexOfChild(line)) == (Role.Row, Role.Table, row)
        header, *cells = (line.child(place) for place in range(line.childCount()))
        assert header.role() is Role.RowHeader
        assert header.text(QAccessible.Text.Name) == f"{shown.name}. {shown.now}"
        for place, (cell, entry) in enumerate(zip(cells, shown.cells, strict=True)):
            state = cell.state()
            assert cell.role() is Role.Cell
            assert cell.text(QAccessible.Text.Name) == view.spoken((row, place))
            assert (state.selectable, state.selected) == (1, int(entry.is_chosen))
            assert (state.checked, state.disabled) == (entry.is_insisted, entry.kind is Kind.IMPOSSIBLE)
            middle = cell.rect().center()
            assert line.childAt(middle.x(), middle.y()).text(QAccessible.Text.Name) == view.spoken(
                (row, place)
            )
    last = table.child(len(view.rows) - 1)
    view.show_rows([], 1.0, {})
    assert (table.childCount(), last.isValid()) == (0, False)


def test_a_turn_of_a_knob_keeps_order_and_cells_and_equals_a_fresh_scoring(
    bench: Bench, view: PriceView, qtbot: QtBot
) -> None:
    before = [(row.column, [entry.level for entry in row.cells]) for row in view.rows]
    places = [view.geometry_shown.cells(row) for row in range(len(view.rows))]
    for k in (20, 3, 60):
        key = next(iter(bench.explore.view.knobs.knobs))
        bench.explore.view.knobs.value_changing.emit(key, float(k))
        qtbot.waitUntil(lambda: bench.session.shown.is_preview)
        qtbot.waitUntil(lambda: bench.scoring.is_settled and not bench.session.runner.is_busy)
        bench.explore.state.queue.catch_up()
        check_prices(bench, view, {})
        bench.explore.view.knobs.value_changed.emit(key, float(k))
        settle(qtbot, bench)
        check_prices(bench, view, {})
        assert [(row.column, [entry.level for entry in row.cells]) for row in view.rows] == before
        assert [view.geometry_shown.cells(row) for row in range(len(view.rows))] == places


def test_the_selected_optimum_gives_way_to_the_new_one_and_another_node_stays(
    bench: Bench, view: PriceView, qtbot: QtBot
) -> None:
    first, selection = bench.session.results.optimum, bench.session.selection
    assert selection.node == first
    key = next(iter(bench.explore.view.knobs.knobs))
    bench.explore.view.knobs.value_changed.emit(key, 60.0)
    settle(qtbot, bench)
    assert selection.node == bench.session.results.optimum != first
    other = bench.explore.state.problem.lattice.maximum  # type: ignore[union-attr]
    selection.select(other)
    bench.explore.view.knobs.value_changed.emit(key, 5.0)
    settle(qtbot, bench)
    assert selection.node == other


def test_a_turned_knob_is_announced_once_with_the_prices_that_changed(
    bench: Bench, view: PriceView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(knobs, "announce", lambda _widget, text: said.append(text))
    before = {(row.column, entry.level): entry.price for row in view.rows for entry in row.cells}
    key = next(iter(bench.explore.view.knobs.knobs))
    bench.explore.view.knobs.value_changing.emit(key, 40.0)
    bench.explore.view.knobs.value_changed.emit(key, 40.0)
    settle(qtbot, bench)
    after = {(row.column, entry.level): entry.price for row in view.rows for entry in row.cells}
    n = sum(after[cell] != before[cell] for cell in before)
    assert n > 1
    (text,) = said
    assert text.endswith(f", {n} prices changed")


def test_a_double_click_shows_the_best_node_of_a_cell_in_the_lattice(
    bench: Bench, view: PriceView, qtbot: QtBot
) -> None:
    row = view.rows[0]
    level = next(entry.level for entry in row.cells if entry.price > NO_EXTRA)
    point = view.rect_of(row.column, level).center().toPoint()
    qtbot.mouseDClick(view, LEFT, pos=point)
    assert bench.explore.view.shown_view == "lattice"
    assert not view.isVisible()
    node = bench.session.selection.node
    evaluation = bench.evaluation
    assert node is not None
    assert node[row.column] == level
    value = evaluation.metric("loss")[evaluation.lattice.number(node)]
    assert value == pytest.approx(least(bench, row.column, level, {}), abs=1e-12)


def test_the_menu_insists_and_restricts_the_project(bench: Bench, view: PriceView, qtbot: QtBot) -> None:
    row = view.rows[0]
    level = row.cells[0].level

    def entry(text: str) -> None:
        view.menu_requested.emit(row.column, level, QPoint(10, 10))
        menu = view.findChild(QMenu, "priceMenu")
        assert menu is not None
        action = next(action for action in menu.actions() if action.text() == text)
        assert action.isEnabled()
        action.trigger()
        menu.close()
        menu.deleteLater()
        qtbot.wait(1)

    entry("Insist on this level")
    settle(qtbot, bench)
    entry("Allow only these levels")
    settle(qtbot, bench)
    project = bench.session.project
    assert project is not None
    bounds = project.hierarchies[row.name]
    assert (bounds.min_level, bounds.max_level) == (level, level)
    bench.session.history.own.undo()


def test_nothing_satisfies_and_everything_satisfies_are_said(
    bench: Bench, view: PriceView, qtbot: QtBot
) -> None:
    said = bench.explore.view.head.sentence
    project = bench.session.project
    assert project is not None
    bench.session.edit("k", edits.replace_model(project, 0, type(project.requirement.models[0])(100_000)))
    settle(qtbot, bench)
    assert said.text().startswith("No node satisfies. The smallest change: ")
    assert {entry.words for row in view.rows for entry in row.cells} == {"no node satisfies"}
    bench.session.history.own.undo()
    settle(qtbot, bench)
    assert not said.text().startswith("No node satisfies.")


def test_five_views_by_mouse_and_keys(bench: Bench, qtbot: QtBot) -> None:
    explore = bench.explore.view
    shown = {
        "prices": (explore.prices,),
        "lattice": (explore.lattice,),
        "map": (explore.map,),
        "list": (explore.pages,),
        "all": (explore.lattice, explore.map, explore.pages),
    }
    parts = (explore.prices, explore.lattice, explore.map, explore.pages)
    with qtbot.waitSignal(explore.view_chosen):
        qtbot.mouseClick(explore.head.switch.segments.segment("map"), LEFT)
    for key, visible in shown.items():
        explore.show_view(key)
        is_below = key == "prices" and explore.lattice.isVisible()  # where few rows leave it room
        assert [part for part in parts if part.isVisible()] == [*visible, *[explore.lattice] * is_below], key
        assert explore.inspector.isVisible()


@pytest.mark.parametrize("n_rows", [2, 9, 14, 30])
@pytest.mark.parametrize("n_levels", [2, 5, 12])
@pytest.mark.parametrize("size", [(930, 440), (1050, 640), (640, 400)])
def test_cells_never_overlap_and_stay_in_their_row(n_rows: int, n_levels: int, size: tuple[int, int]) -> None:
    layout = PriceLayout(*size, (n_levels,) * n_rows, n_rows // 2)
    assert layout.pitch in PITCHES
    bottom = 0.0
    for row in range(n_rows):
        cells = layout.cells(row)
        assert all(one.right() < other.left() for one, other in pairwise(cells))
        assert cells[0].left() >= layout.name(row).right()
        assert cells[0].top() >= bottom
        bottom = cells[0].bottom()
        assert all(layout.cell_at(place.center()) == (row, at) for at, place in enumerate(cells))
    if not layout.is_long(0):
        assert layout.cells(0)[-1].right() <= size[0]


def test_where_only_everything_hidden_satisfies_the_largest_useful_k_is_said(
    bench: Bench, view: PriceView, qtbot: QtBot
) -> None:
    project = bench.session.project
    assert project is not None
    kind = type(project.requirement.models[0])
    requirement = replace(project.requirement, models=(kind(30_162),), suppression_limit=0.0)
    bench.session.edit("k", replace(project, requirement=requirement))
    settle(qtbot, bench)
    said = bench.explore.view.head.sentence.text()
    profile = bench.session.results.evaluation.profile  # type: ignore[union-attr]
    start, _, digits = said.removesuffix(".").rpartition(" is ")
    assert start == 'Only "everything hidden" satisfies. The largest k with another node'
    k = int("".join(filter(str.isdigit, digits)))
    assert digits == as_exact_count(k)
    assert evaluate(profile, requirement.with_limit(0, k)).n_satisfying > 1
    assert evaluate(profile, requirement.with_limit(0, k + 1)).n_satisfying == 1


@contextmanager
def painted_texts() -> Iterator[list[tuple[QRectF, str]]]:
    """Collect texts that are painted meanwhile, and where."""
    found: list[tuple[QRectF, str]] = []
    draw = QPainter.drawText

    def recorded(painter: QPainter, place: QRectF | QPointF, *given: Any) -> None:
        text, metrics = str(given[-1]), QFontMetricsF(painter.font())
        if isinstance(place, QPointF):
            up, wide = metrics.ascent(), metrics.horizontalAdvance(text)
            box = QRectF(place.x(), place.y() - up, wide, metrics.height())
        else:
            box = metrics.boundingRect(QRectF(place), int(given[0]), text)
        found.append((painter.worldTransform().mapRect(box), text))
        draw(painter, place, *given)

    with patch.object(QPainter, "drawText", recorded):
        yield found


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_price_is_cut_and_no_texts_overlap_at_any_size_of_text(
    bench: Bench, view: PriceView, qapp: QApplication, language: str
) -> None:
    themes, presenter = theme_manager(), bench.explore._prices
    for scale, size in product((1.0, 1.5, 2.0), ((930, 440), (1050, 640))):
        with speaking(language):
            themes.apply(qapp, themes.theme, scale)
            presenter._show()
            view.resize(*size)
            with painted_texts() as found:
                view.grab()
        for column, one in ((row.column, one) for row in view.rows for one in row.cells):
            cell = view.rect_of(column, one.level)
            inside = [(box, text) for box, text in found if text and cell.contains(box.center())]
            assert all(cell.contains(box) for box, _text in inside)
            assert not any(this.intersects(other) for (this, _), (other, _) in combinations(inside, 2))
            cut = [text[:-1] for _box, text in inside if text.endswith("\u2026")]
            assert not any(one.words.startswith(text) for text in cut), (scale, size, one)
            if cell.bottom() <= view.height() and not one.is_optimum:
                assert {one.words, one.brief} & {text for _box, text in inside}, (scale, size, one)
    themes.apply(qapp, themes.theme, 1.0)
