"""The sections of the inspector: folding, choices and links, by mouse and keys."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractSlider, QLabel, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.inspector.panel import InspectorPanel
from anonymizer_gui.perspectives.explore.inspector.section import Section, TitleMenu
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.meter import Meter
from engine.scoring.nodes.class_table import ClassChoice, ClassTable
from tests.anonymizer_gui.look_checks import clipped_texts, horizontal_scrollbars_outside_tables, laid_out
from tests.anonymizer_gui.perspectives.explore.conftest import Bench, settle

LEFT = Qt.MouseButton.LeftButton


def inspector(bench: Bench) -> InspectorPanel:
    return bench.explore.view.inspector


def choose(qtbot: QtBot, menu: TitleMenu, key: str) -> None:
    """Open the menu of a title and click one of its entries."""
    qtbot.mouseClick(menu, LEFT)
    action = next(action for action in menu.menu.actions() if action.data() == key)
    qtbot.mouseClick(menu.menu, LEFT, pos=menu.menu.actionGeometry(action).center())


def chosen(menu: TitleMenu) -> list[QAction]:
    return [action for action in menu.menu.actions() if action.isChecked()]


def table_of(bench: Bench) -> ClassTable:
    session = bench.session
    assert session.results.profile is not None
    assert session.shown.requirement is not None
    assert session.selection.node is not None
    return ClassTable.of(session.results.profile, session.selection.node, session.shown.requirement)


def select_failing(qtbot: QtBot, bench: Bench) -> int:
    scores = bench.explore.state.scores
    number = int(np.flatnonzero(~scores.satisfies)[-1])
    bench.explore.state.select(number)
    settle(qtbot, bench)
    return number


def test_every_section_folds_by_mouse_and_keys_and_stays_folded_at_another_node(
    qtbot: QtBot, bench: Bench
) -> None:
    beside_prices = inspector(bench).result.sections
    every = [part for part in inspector(bench).findChildren(Section) if part not in beside_prices]
    sections = [section for section in every if section.isVisible()]
    assert {section.objectName() for section in every} - {s.objectName() for s in sections} == {
        "section.payout"
    }
    assert len(sections) >= 7
    for section in sections:
        assert section.content.isVisible() is section.is_shown
        before = section.is_shown
        qtbot.mouseClick(section.toggle, LEFT)
        assert section.content.isVisible() is not before
        section.toggle.setFocus()
        qtbot.keyClick(section.toggle, Qt.Key.Key_Space)
        assert section.content.isVisible() is before
        assert section.toggle.text() in section.toggle.accessibleName()
    section = inspector(bench).findChild(Section, "section.words")
    qtbot.mouseClick(section.toggle, LEFT)
    select_failing(qtbot, bench)
    assert not section.content.isVisible()
    assert inspector(bench).words.texts(), "folded, it is still kept up"


def test_further_sections_can_be_added(qtbot: QtBot) -> None:
    panel = InspectorPanel()
    qtbot.addWidget(panel)
    content: QWidget = make_label("what else there is")
    section = panel.add_section("More", content, name="section.more")
    assert panel.findChild(Section, "section.more") is section
    assert section.content is content
    button = panel.findChild(QPushButton, "applyButton")
    scroll = panel.findChild(QWidget, "inspectorScroll")
    assert button is not None
    assert scroll.isAncestorOf(section)
    assert not scroll.isAncestorOf(button), "the head does not scroll"


def test_another_class_is_compared_with_the_table(qtbot: QtBot, bench: Bench) -> None:
    shares, table = inspector(bench).shares, table_of(bench)
    for pick in (ClassChoice.SMALLEST, ClassChoice.LEAST_DIVERSE, ClassChoice.MOST_ALIKE):
        choose(qtbot, shares.title, pick.name)
        assert [action.data() for action in chosen(shares.title)] == [pick.name]
        number = table.pick(pick, "hours-per-week")
        assert number is not None
        n = int(table.sizes[number])
        assert f"{n} records" in shares.chart.toolTip().replace("\u202f", "")
        assert f"{table.distances('hours-per-week')[number]:.3f}" in shares.chart.toolTip()


def test_the_record_is_of_the_requested_kind_in_all_places(qtbot: QtBot, bench: Bench) -> None:
    part, beside = inspector(bench).record, inspector(bench).result.record
    scores, session = bench.explore.state.scores, bench.session
    node = session.results.problem.lattice.node(int(np.flatnonzero(~scores.satisfies)[0]))
    session.selection.select(node)
    settle(qtbot, bench)

    def number() -> int:
        settle(qtbot, bench)
        assert part.texts() == beside.texts()
        text = part.next_record.text()
        assert text == beside.next_record.text()
        return int(text.removeprefix("record ").split(" of ")[0].replace("\u202f", "")) - 1

    def shown(kind: str) -> list[int]:
        choose(qtbot, part.choice, kind)
        found = [number()]
        qtbot.mouseClick(part.next_record, LEFT)
        return [*found, number()]

    assert shown("order") == [0, 1]
    one, other = shown("random")
    assert one != other
    table = table_of(bench)
    gone = np.concatenate([table.records(i) for i in np.flatnonzero(~table.fulfilled)])
    assert shown("suppressed") == sorted(gone.tolist())[:2]
    assert ", suppressed" in part.next_record.text()
    pick = table.pick(ClassChoice.FURTHEST, "hours-per-week")
    assert pick is not None
    of_class = sorted(table.records(pick).tolist())
    assert shown("class") == (of_class * 2)[:2]


def test_a_failing_node_is_explained_and_links_to_the_best_change(qtbot: QtBot, bench: Bench) -> None:
    select_failing(qtbot, bench)
    why, table = inspector(bench).why, table_of(bench)
    gone = int(table.sizes[~table.fulfilled].sum())
    sentence = why.sentence.text().replace("\u202f", "")
    assert sentence.startswith(f"{gone} of 30162 records, in {int((~table.fulfilled).sum())} classes")
    buttons = why.classes.widgets(hidden=False)
    assert buttons
    for row in (button.row for button in buttons):
        assert not table.fulfilled[row.number]
        assert f"{int(table.sizes[row.number])} record" in row.fault.replace("\u202f", "")
    target = why.step.row.node
    qtbot.mouseClick(why.step, LEFT)
    assert bench.session.selection.node == target


def test_the_step_that_helps_is_the_cheapest_that_satisfies(qtbot: QtBot, bench: Bench) -> None:
    scores, problem = bench.explore.state.scores, bench.session.results.problem
    lattice = problem.lattice

    def cheapest(number: int) -> float | None:
        node = lattice.node(number)
        around = [lattice.number(n) for n in (*lattice.successors(node), *lattice.predecessors(node))]
        return min((scores.values[n] for n in around if scores.satisfies[n]), default=None)

    failing = [int(n) for n in np.flatnonzero(~scores.satisfies) if cheapest(int(n)) is not None][:5]
    assert failing
    for number in failing:
        bench.explore.state.select(number)
        settle(qtbot, bench)
        row = inspector(bench).why.step.row
        assert scores.values[lattice.number(row.node)] == cheapest(number)


def test_the_bar_of_the_optimized_metric_covers_its_whole_scale(qtbot: QtBot, bench: Bench) -> None:
    scores, node = bench.explore.state.scores, bench.session.selection.node
    assert node is not None
    meter = inspector(bench).utility.findChild(Meter)
    assert meter.share() == pytest.approx(scores.value(node))
    hidden = tuple(int(level) for level in scores.lattice.levels.max(axis=0))
    bench.session.selection.select(hidden)
    qtbot.waitUntil(lambda: meter.share() == pytest.approx(1.0))


def test_all_metrics_are_shown_and_those_measured_at_every_node_have_a_bar(
    qtbot: QtBot, bench: Bench
) -> None:
    from engine.utility import utility_metrics

    shown = dict(line[::2] for line in inspector(bench).metrics.texts())
    assert len(shown) == len(utility_metrics)
    assert bench.explore.state.marks.selected is not None
    value = bench.session.results.evaluation.metric_at(
        "kl_divergence", np.array([bench.explore.state.marks.selected])
    )
    assert shown["KL diverg."] == f"{value[0]:.3f}"
    lines = {line.name: line for line in inspector(bench).models.lines}
    for name in ("k-anonymity", "distinct l-diversity", "t-closeness, ordered"):
        share, tick = lines[name].share, lines[name].tick
        assert share is not None
        assert 0 <= share <= 1
        assert tick is not None
    assert lines["basic β-likeness"].share is None


def test_no_text_is_clipped_in_a_narrow_inspector(qtbot: QtBot, bench: Bench) -> None:
    select_failing(qtbot, bench)
    for width in (1280, 1440, 1920):
        bench.explore.view.resize(width, 802)
        settle(qtbot, bench)
        panel = inspector(bench)
        laid_out(panel.window())
        assert [fault for fault in clipped_texts(panel.window()) if _is_inside(panel, fault)] == []
        assert horizontal_scrollbars_outside_tables(panel) == []


def _is_inside(panel: InspectorPanel, fault: str) -> bool:
    texts = [label.text() for label in panel.findChildren(QLabel) if label.text()]
    return any(f"'{text}'" in fault for text in texts)


def test_parts_side_by_side_are_stacked_if_there_is_no_room(qtbot: QtBot) -> None:
    left, title, right = QWidget(), QLabel("Utility"), QWidget()
    left.setMinimumSize(150, 40)
    right.setMinimumSize(130, 40)
    section = Section("Requirement", left, (title, right))
    place = QScrollArea()
    place.setWidgetResizable(True)
    place.setWidget(section)
    qtbot.addWidget(place)
    place.resize(400, 300)
    with qtbot.waitExposed(place):
        place.show()

    def left_edges() -> tuple[int, int]:
        origin = section.rect().topLeft()
        return left.mapTo(section, origin).x(), right.mapTo(section, origin).x()

    assert left_edges()[0] < left_edges()[1]
    place.resize(250, 300)
    qtbot.waitUntil(lambda: left_edges()[0] == left_edges()[1])
    assert right.mapTo(section, right.rect().topLeft()).y() > left.geometry().bottom()
    assert place.horizontalScrollBar().maximum() == 0
    qtbot.mouseClick(section.toggle, LEFT)
    assert not right.isVisible()
    assert section.toggle.x() == 0
    qtbot.mouseClick(section.toggle, LEFT)
    place.resize(400, 300)
    qtbot.waitUntil(lambda: left_edges()[0] < left_edges()[1])


def test_a_section_unfolded_below_the_edge_is_scrolled_into_view_also_when_it_grows(
    qtbot: QtBot, bench: Bench
) -> None:
    settle(qtbot, bench)
    panel = inspector(bench)
    part = QLabel("")
    section = panel.add_section("Later", part)
    qtbot.mouseClick(section.toggle, LEFT)
    area = panel.findChild(QScrollArea, "inspectorScroll")
    bar = area.verticalScrollBar()
    bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: section.visibleRegion().boundingRect().height() > 0)
    qtbot.mouseClick(section.toggle, LEFT)
    part.setMinimumHeight(120)
    qtbot.waitUntil(lambda: part.visibleRegion().boundingRect().height() == 120)
    bar.triggerAction(QAbstractSlider.SliderAction.SliderToMinimum)
    part.setMinimumHeight(160)
    laid_out(panel)
    assert bar.value() == 0
