"""What stands beside the prices: three numbers, one record, alternatives; prices in menus and steps."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.inspector.result import Figure, FigureLabel, ResultPart
from anonymizer_gui.perspectives.explore.prices.rows import NO_EXTRA
from anonymizer_gui.theming import Text, font
from engine.advice.alternatives import alternatives
from engine.numbers import as_decimal, as_exact_count, as_percent, as_risk
from engine.scoring.nodes.inspection import inspect_node
from engine.scoring.prices import best_node
from tests.anonymizer_gui.perspectives.explore.conftest import Bench, settle

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def part(bench: Bench, qtbot: QtBot) -> ResultPart:
    bench.explore.view.show_view("prices")
    settle(qtbot, bench)
    found = bench.explore.view.inspector.result
    assert found.isVisible()
    return found


def test_three_numbers_are_those_of_the_selected_node(bench: Bench, part: ResultPart, qtbot: QtBot) -> None:
    evaluation = bench.evaluation
    for number in np.flatnonzero(evaluation.scored)[::53]:
        node = evaluation.lattice.node(int(number))
        bench.session.selection.select(node)
        settle(qtbot, bench)
        report = inspect_node(evaluation.profile, node, evaluation.requirement)
        loss = float(evaluation.metric("loss")[number])
        risk, detail, suppressed = (label.figure for label in part.figures)
        assert risk.value == (as_risk(1 / report.kept_k) if report.kept_k else "–")
        assert (detail.value, as_decimal(loss) in detail.caption) == (as_percent(1 - loss, 0), True)
        assert suppressed.value == as_percent(report.suppressed / 30_162, 1)
        assert as_exact_count(report.suppressed) in suppressed.caption


def test_a_caption_of_three_lines_is_drawn_whole(qtbot: QtBot, part: ResultPart) -> None:
    label = FigureLabel("detail")
    qtbot.addWidget(label)
    label.show_figure(Figure("70 %", "der Details erhalten (Verlust 0,303)"))
    narrow, wide = label.heightForWidth(84), label.heightForWidth(300)
    assert narrow - wide >= QFontMetrics(font(Text.CAPTION)).height() - 2
    line = label.fontMetrics().height()
    label.resize(84, narrow)
    label.show()
    picture = label.grab().toImage()
    last = [picture.pixelColor(x, y) for x in range(84) for y in range(narrow - line, narrow)]
    assert len({color.name() for color in last}) > 1, "the last line is empty"


def test_each_record_is_shown_before_and_after(bench: Bench, part: ResultPart, qtbot: QtBot) -> None:
    project = bench.session.project
    assert project is not None
    for record in range(3):
        assert part.record.next_record.text().startswith(f"record {record + 1} of 30\u202f162")
        lines = {line[0]: line[1:] for line in part.record.texts()}
        assert list(lines) == [name for name in project.table.names if name in lines]
        for name, (before, after) in lines.items():
            assert before == project.table.column(name).text(record)
            assert after
        qtbot.mouseClick(part.record.next_record, LEFT)
        settle(qtbot, bench)


def test_alternatives_select_their_node_and_the_table_outlines_it(
    bench: Bench, part: ResultPart, qtbot: QtBot
) -> None:
    evaluation, optimum = bench.evaluation, bench.session.results.optimum
    rows = part.rows()
    assert [row.choice.target for row in rows if row.choice] == [
        one.node for one in alternatives(evaluation, "loss")
    ]
    assert rows
    view = bench.explore.view.prices.view
    for row in rows:
        qtbot.mouseClick(row, LEFT)
        settle(qtbot, bench)
        node = bench.session.selection.node
        assert node is not None
        assert node != optimum
        outlined = {r.column: cell.level for r in view.rows for cell in r.cells if cell.is_selected}
        assert outlined == dict(enumerate(node))


def test_insisted_levels_name_the_node_and_offer_their_release(
    bench: Bench, part: ResultPart, qtbot: QtBot
) -> None:
    view = bench.explore.view.prices.view
    dear = [(row.column, c.level) for row in view.rows for c in row.cells if NO_EXTRA < c.price < 1]
    (first, level), (second, other) = dear[0], next(cell for cell in dear if cell[0] != dear[0][0])
    for column, wanted in ((first, level), (second, other)):
        qtbot.mouseClick(view, LEFT, pos=view.rect_of(column, wanted).center().toPoint())
        settle(qtbot, bench)
    node = bench.session.selection.node
    assert node is not None
    assert bench.explore.state.named(node).name == "Best with 2 levels"
    rows = part.rows()
    assert rows
    assert all(row.choice is not None and row.choice.title.startswith("Release ") for row in rows)
    qtbot.mouseClick(rows[0], LEFT)
    assert bench.session.selection.node != node


def test_a_finer_level_that_fails_in_one_step_has_its_price_with_the_others_free(
    bench: Bench, qtbot: QtBot
) -> None:
    evaluation, optimum = bench.evaluation, bench.session.results.optimum
    assert optimum is not None
    halves = [half for half in bench.explore.view.inspector.steps.buttons() if half._kept]
    assert halves
    names = evaluation.problem.names
    for half in halves:
        column = names.index(half._line.name)
        best = best_node(evaluation, "loss", column, optimum[column] - 1, {})
        price = bench.explore.state.priced.prices.of(column)[optimum[column] - 1]  # type: ignore[union-attr]
        assert as_decimal(float(price)) in half._kept
        assert "fails" in half.toolTip()
        bench.session.selection.select(optimum)
        qtbot.mouseClick(half, LEFT)
        assert bench.session.selection.node == best
    bench.session.selection.select(optimum)
    menu = QMenu()
    qtbot.addWidget(menu)
    bench.explore._menu.fill(menu, evaluation.lattice.number(optimum))
    finer = next(action.menu() for action in menu.actions() if action.text() == "One step finer")
    assert isinstance(finer, QMenu)
    assert len(finer.actions()) == sum(level > 0 for level in optimum)
    finer.actions()[0].trigger()
    column = next(q for q, level in enumerate(optimum) if level)
    assert bench.session.selection.node == best_node(evaluation, "loss", column, optimum[column] - 1, {})


def test_a_hidden_view_follows_once_the_knob_rests(bench: Bench, part: ResultPart, qtbot: QtBot) -> None:
    shown = bench.explore.view.list.model
    before = shown.rowCount()
    key = next(iter(bench.explore.view.knobs.knobs))
    bench.explore.view.knobs.value_changing.emit(key, 60.0)
    qtbot.waitUntil(lambda: bench.session.shown.is_preview and bench.scoring.is_settled)
    assert shown.rowCount() == before
    bench.explore.view.knobs.value_changed.emit(key, 60.0)
    settle(qtbot, bench)
    evaluation = bench.evaluation
    assert shown.rowCount() == evaluation.n_satisfying != before


def test_a_measured_model_becomes_a_knob_that_the_node_still_meets(bench: Bench, qtbot: QtBot) -> None:
    node = bench.session.selection.node
    menu = bench.explore.view.inspector.add_model.menu
    texts = [action.text() for action in menu.actions()]
    n_before = len(bench.explore.view.knobs.knobs)
    place = next(i for i, text in enumerate(texts) if text.startswith("average risk: "))
    menu.actions()[place].trigger()
    settle(qtbot, bench)
    assert len(bench.explore.view.knobs.knobs) == n_before + 1
    evaluation = bench.evaluation
    assert node is not None
    assert evaluation.requirement.models[-1].symbol == "average risk"
    assert evaluation.satisfies[evaluation.lattice.number(node)]
    assert not any(action.text().startswith("average risk: ") for action in menu.actions())
