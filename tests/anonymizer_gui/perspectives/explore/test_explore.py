"""Explore: knobs, lattice, list and inspector follow one another."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.nodes_model import NODE_ROLE
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED
from anonymizer_gui.widgets.knob import Knob
from engine.privacy import Requirement
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.basic_beta_likeness import BasicBetaLikeness
from engine.privacy.delta_disclosure import DeltaDisclosure
from engine.privacy.enhanced_beta_likeness import EnhancedBetaLikeness
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.recursive_c_l_diversity import RecursiveCLDiversity
from engine.project import Project
from engine.scoring.evaluate import evaluate
from tests.anonymizer_gui.perspectives.explore.conftest import Bench, settle

LEFT = Qt.MouseButton.LeftButton


def turn(qtbot: QtBot, knob: Knob, value: float, *, release: bool = True) -> None:
    """Drag the handle of a knob to a value."""
    start = knob.handle_center().toPoint()
    end = QPoint(round(knob.x_of(value)), start.y())
    qtbot.mousePress(knob, LEFT, pos=start)
    qtbot.mouseMove(knob, QPoint((start.x() + end.x()) // 2, start.y()))
    qtbot.mouseMove(knob, end)
    if release:
        qtbot.mouseRelease(knob, LEFT, pos=end)


def test_every_model_of_the_requirement_has_a_knob(bench: Bench) -> None:
    names = [knob.objectName() for knob in bench.explore.view.knobs.findChildren(Knob)]
    assert names == ["knob.k", "knob.l", "knob.t", "knob.suppression"]
    knobs = bench.explore.view.knobs.knobs
    assert (knobs["k"].value(), knobs["l"].value(), knobs["t"].value()) == (5, 3, 0.2)
    assert knobs["suppression"].value() == 0.05


def test_turning_k_from_2_to_100_moves_no_node_and_ends_as_a_fresh_scoring(
    qtbot: QtBot, bench: Bench, small_adult: Project
) -> None:
    view = bench.explore.view
    layout = view.lattice.view.layout_shown
    before = layout.positions.copy()
    turn(qtbot, view.knobs.knobs["k"], 2)
    settle(qtbot, bench)
    turn(qtbot, view.knobs.knobs["k"], 100)
    settle(qtbot, bench)
    assert view.lattice.view.layout_shown is layout
    assert np.array_equal(layout.positions, before)
    assert bench.session.results.problem is not None
    assert bench.session.project.requirement.k == 100
    from engine.scoring import score_lattice

    fresh = evaluate(score_lattice(bench.session.results.problem), bench.session.project.requirement)
    scores, colours = bench.explore.state.scores, view.lattice.view.colours
    assert np.array_equal(scores.satisfies, fresh.satisfies)
    assert np.array_equal(scores.suppressed, fresh.suppressed)
    assert np.array_equal(colours.classes < 64, fresh.satisfies)
    assert scores.optimum == fresh.optimum("loss")


def test_a_knob_recolours_while_dragged_and_makes_one_undo_step(qtbot: QtBot, bench: Bench) -> None:
    view, session = bench.explore.view, bench.session
    before = bench.explore.state.scores.n_satisfying
    knob = view.knobs.knobs["k"]
    with qtbot.waitSignal(session.results.evaluation_changed, timeout=10_000):
        turn(qtbot, knob, 100, release=False)
    qtbot.waitUntil(lambda: bench.explore.state.scores.n_satisfying < before, timeout=10_000)  # type: ignore[union-attr]
    assert session.shown.is_preview
    assert session.history.own.count() == 0
    assert session.project.requirement.k == 5
    qtbot.mouseRelease(knob, LEFT, pos=knob.handle_center().toPoint())
    settle(qtbot, bench)
    assert session.history.own.count() == 1
    assert session.project.requirement.k == 100
    session.history.undo()
    settle(qtbot, bench)
    assert knob.value() == 5
    assert bench.explore.state.scores.n_satisfying == before


def test_a_knob_dragged_back_changes_nothing(qtbot: QtBot, bench: Bench) -> None:
    knob = bench.explore.view.knobs.knobs["k"]
    turn(qtbot, knob, 50, release=False)
    place = QPoint(round(knob.x_of(5)), round(knob.handle_center().y()))
    qtbot.mouseMove(knob, place)
    qtbot.mouseRelease(knob, LEFT, pos=place)
    settle(qtbot, bench)
    assert not bench.session.shown.is_preview
    assert bench.session.history.own.count() == 0


@pytest.mark.parametrize(("key", "value"), [("l", 6), ("t", 0.1), ("suppression", 0.1)])
def test_every_knob_reaches_the_requirement(qtbot: QtBot, bench: Bench, key: str, value: float) -> None:
    turn(qtbot, bench.explore.view.knobs.knobs[key], value)
    settle(qtbot, bench)
    requirement = bench.session.project.requirement
    found = {model.symbol: model.limit for model in requirement.models}
    found["suppression"] = requirement.suppression_limit
    assert found[key] == bench.explore.view.knobs.knobs[key].value()
    assert found[key] == pytest.approx(value, rel=0.25)


def test_curves_end_at_the_counts_of_their_knobs(qtbot: QtBot, bench: Bench) -> None:
    curve = dict(bench.explore.view.knobs.knobs["k"]._curve)
    assert curve[5.0] == bench.explore.state.scores.n_satisfying


def test_clicking_a_dot_selects_its_node_and_the_list_follows(qtbot: QtBot, bench: Bench) -> None:
    view = bench.explore.view
    number = int(np.flatnonzero(bench.explore.state.scores.ranks == 3)[0])
    qtbot.mouseClick(view.lattice.view, LEFT, pos=view.lattice.view.node_rect(number).center())
    assert bench.session.selection.node == bench.session.results.problem.lattice.node(number)
    assert view.list.view.currentIndex().data(NODE_ROLE) == number
    assert view.list.view.currentIndex().row() == 2
    assert "Rank 3" in view.inspector.head.chips[1].text()


def test_choosing_a_row_selects_its_node_everywhere(qtbot: QtBot, bench: Bench) -> None:
    rows = bench.explore.view.list.view
    index = rows.model().index(4, 0)
    qtbot.mouseClick(rows.viewport(), LEFT, pos=rows.visualRect(index).center())
    assert bench.session.selection.node is not None
    assert bench.session.results.problem.lattice.number(bench.session.selection.node) == index.data(NODE_ROLE)
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    assert bench.session.results.problem.lattice.number(bench.session.selection.node) == rows.model().index(
        5, 0
    ).data(NODE_ROLE)


def test_arrow_keys_walk_along_edges(qtbot: QtBot, bench: Bench) -> None:
    session, lattice_view = bench.session, bench.explore.view.lattice.view
    lattice, values = session.results.problem.lattice, bench.explore.state.scores.values
    start = session.selection.node
    assert start is not None
    qtbot.keyClick(lattice_view, Qt.Key.Key_Up)
    assert session.selection.node == min(
        lattice.successors(start), key=lambda node: values[lattice.number(node)]
    )
    here = session.selection.node
    assert here is not None
    qtbot.keyClick(lattice_view, Qt.Key.Key_Down)
    assert session.selection.node == min(
        lattice.predecessors(here), key=lambda node: values[lattice.number(node)]
    )
    row = sum(session.selection.node)
    qtbot.keyClick(lattice_view, Qt.Key.Key_Right)
    assert session.selection.node is not None
    assert sum(session.selection.node) == row
    qtbot.keyClick(bench.explore.view, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    session.selection.back()
    assert session.selection.node is not None


def test_the_accessible_description_describes_the_selected_node(bench: Bench) -> None:
    words = bench.explore.view.lattice.view.accessibleDescription()
    assert "Satisfies · loss" in words
    assert "age: " in words


def test_the_filter_lists_only_nodes_that_pass_and_dims_the_others(qtbot: QtBot, bench: Bench) -> None:
    view = bench.explore.view
    levels = bench.session.results.problem.lattice.levels
    qtbot.keyClicks(view.list.filter_field, "age <= 2 and suppressed > 0")
    shown = view.list.model.nodes()
    assert len(shown)
    assert levels[shown, 1].max() <= 2
    dimmed = view.lattice.view.colours.classes == DIMMED
    assert dimmed[levels[:, 1] > 2].all()
    view.list.filter_field.clear()
    assert not (view.lattice.view.colours.classes == DIMMED).any()


def test_an_invalid_filter_shows_its_error_and_keeps_the_last_one(qtbot: QtBot, bench: Bench) -> None:
    panel = bench.explore.view.list
    before = panel.model.rowCount()
    qtbot.keyClicks(panel.filter_field, "los < 0.3")
    assert "'loss'" in panel.filter_field.toolTip()
    assert panel.filter_field.property("invalid") == "true"
    assert panel.model.rowCount() == before


def test_a_level_box_hides_its_level_from_list_and_lattice(qtbot: QtBot, bench: Bench) -> None:
    view = bench.explore.view
    boxes = view.lattice.levels.boxes[1]
    qtbot.mouseClick(boxes, LEFT, pos=boxes.box_rect(4).center())
    levels = bench.session.results.problem.lattice.levels
    assert 4 not in levels[view.list.model.nodes(), 1]
    assert (view.lattice.view.colours.classes[levels[:, 1] == 4] == DIMMED).all()
    again = view.lattice.findChild(QPushButton, "showAllLevels")
    assert again is not None
    qtbot.mouseClick(again, LEFT)
    assert 4 in levels[view.list.model.nodes(), 1]


def test_failing_nodes_are_listed_on_request(qtbot: QtBot, bench: Bench) -> None:
    panel = bench.explore.view.list
    assert panel.model.rowCount() == bench.explore.state.scores.n_satisfying
    box = panel.findChild(QComboBox, "nodeStatus")
    box.setFocus()
    while box.currentData() != "all":
        qtbot.keyClick(box, Qt.Key.Key_Down)
    assert panel.model.rowCount() == len(bench.explore.state.scores.values)


def test_a_click_on_a_header_sorts_and_a_second_one_turns_the_order(qtbot: QtBot, bench: Bench) -> None:
    panel = bench.explore.view.list
    header = panel.view.horizontalHeader()
    column = [panel.model.column_key(i) for i in range(panel.model.columnCount())].index("suppressed")
    place = QPoint(header.sectionViewportPosition(column) + 20, header.height() // 2)
    suppressed = bench.explore.state.scores.suppressed
    qtbot.mouseClick(header.viewport(), LEFT, pos=place)
    assert np.all(np.diff(suppressed[panel.model.nodes()]) >= 0)
    qtbot.mouseClick(header.viewport(), LEFT, pos=place)
    assert np.all(np.diff(suppressed[panel.model.nodes()]) <= 0)


def test_apply_makes_the_release_of_the_selected_node_and_flags_it(qtbot: QtBot, bench: Bench) -> None:
    view, session = bench.explore.view, bench.session
    button = view.inspector.findChild(QPushButton, "applyButton")
    assert button.isEnabled()
    with qtbot.waitSignal(session.applied.changed, timeout=10_000):
        qtbot.mouseClick(button, LEFT)
    assert session.applied.release.node == session.selection.node
    assert view.lattice.view.marks.applied == session.results.problem.lattice.number(
        session.applied.release.node
    )
    assert not button.isEnabled(), "what is applied need not be applied again"


def test_choosing_a_metric_is_one_undo_step_and_moves_the_optimum_name(qtbot: QtBot, bench: Bench) -> None:
    box = bench.explore.view.findChild(QComboBox, "metricBox")
    index = box.findData("aecs")
    box.setFocus()
    while box.currentIndex() != index:
        qtbot.keyClick(box, Qt.Key.Key_Down if box.currentIndex() < index else Qt.Key.Key_Up)
    settle(qtbot, bench)
    assert bench.session.shown.metric == "aecs"
    bench.session.history.own.setIndex(0)
    settle(qtbot, bench)
    assert bench.session.shown.metric == "loss"
    assert box.currentData() == "loss"


def test_a_step_in_the_inspector_selects_that_node(qtbot: QtBot, bench: Bench) -> None:
    step = bench.explore.view.inspector.steps.buttons()[0]
    target = step.row.node
    qtbot.mouseClick(step, LEFT)
    assert bench.session.selection.node == target


def test_the_inspector_explains_every_suppressed_record(qtbot: QtBot, bench: Bench) -> None:
    inspector = bench.explore.view.inspector
    scores, session = bench.explore.state.scores, bench.session
    failing = int(np.flatnonzero(~scores.satisfies)[0])
    session.selection.select(session.results.problem.lattice.node(failing))
    settle(qtbot, bench)
    counts = [
        part.split("\u00a0")[0] for part in inspector.sizes.histogram.toolTip().splitlines()[0].split(", ")
    ]
    total = sum(int(count.replace("\u202f", "")) for count in counts)
    assert total == scores.suppressed[failing]


def test_without_a_project_explore_has_an_empty_state(qtbot: QtBot, empty_bench: Bench) -> None:
    view = empty_bench.explore.view
    assert not view.shows_results
    with qtbot.waitSignal(empty_bench.explore.perspective_requested) as asked:
        qtbot.mouseClick(view.empty.button, LEFT)
    assert asked.args == ["configure"]


def test_the_columns_of_the_list_fill_its_width_and_others_can_be_scrolled_to(bench: Bench) -> None:
    view = bench.explore.view.list.view
    assert sum(view.columnWidth(i) for i in range(view.model().columnCount())) > view.width()
    assert view.horizontalScrollBar().maximum() > 0
    bench.explore.view.resize(2400, 802)
    widths = sum(view.columnWidth(i) for i in range(view.model().columnCount()))
    assert 0 <= view.width() - widths <= 16


def test_the_level_filter_is_unfolded_if_there_is_room(bench: Bench) -> None:
    levels = bench.explore.view.lattice.levels
    assert levels.reserved().isEmpty()
    bench.explore.view.resize(2400, 846)
    assert not levels.reserved().isEmpty()
    assert levels.boxes[0].isVisible()
    tops = [boxes.mapTo(levels, QPoint()).y() for boxes in levels.boxes]
    assert min(low - high for high, low in pairwise(tops)) >= 18


def test_an_empty_list_is_explained_and_offers_an_action(qtbot: QtBot, bench: Bench) -> None:
    listed = bench.explore.view.list
    assert listed.empty.isHidden()
    qtbot.keyClicks(listed.filter_field, "age >= 99")
    assert listed.empty.isVisible()
    assert listed.empty.sentence() == "No node matches the filters."
    qtbot.mouseClick(listed.empty.button, LEFT)
    assert listed.filter_field.text() == ""
    assert listed.empty.isHidden()


def test_if_no_node_satisfies_the_list_offers_failing_ones(qtbot: QtBot, bench: Bench) -> None:
    project = bench.session.project
    nobody = Requirement((KAnonymity(k=project.table.n_records + 1),), 0.0)
    bench.session.edit("Ask for more than there is", replace(project, requirement=nobody))
    settle(qtbot, bench)
    listed = bench.explore.view.list
    assert listed.empty.sentence().startswith("No node satisfies the requirement.")
    qtbot.mouseClick(listed.empty.button, LEFT)
    assert listed.empty.isHidden()
    assert listed.model.rowCount() == 160


def test_models_of_every_kind_are_scored_turned_and_shown_together(
    qtbot: QtBot, bench: Bench, small_adult: Project
) -> None:
    column = "hours-per-week"
    models = (
        KAnonymity(5),
        AlphaKAnonymity(column, 0.8, 3),
        EntropyLDiversity(column, 2.0),
        EntropyLDiversity(column, 2.0, "grassberger"),
        RecursiveCLDiversity(column, 4.0, 2),
        BasicBetaLikeness(column, 4.0),
        EnhancedBetaLikeness(column, 4.0),
        DeltaDisclosure(column, 3.0),
    )
    asked = Requirement(models, 0.5)
    bench.session.edit("models", replace(bench.session.project, requirement=asked))
    settle(qtbot, bench)
    view = bench.explore.view
    assert bench.session.results.problem_error is None
    top = tuple(attribute.maximum for attribute in bench.session.results.problem.attributes)  # type: ignore[union-attr]
    bench.session.selection.select(top)
    settle(qtbot, bench)
    names = {knob.objectName() for knob in view.knobs.findChildren(Knob)}
    assert names == {f"knob.{key}" for key in ("k", "α", "l", "l.2", "c", "β", "β.2", "δ", "suppression")}
    more = view.knobs.findChild(QPushButton, "moreKnobs")
    assert more is not None
    qtbot.mouseClick(more, LEFT)
    qtbot.waitUntil(view.knobs.knobs["β.2"].isVisible)
    turn(qtbot, view.knobs.knobs["β.2"], 2.0)
    qtbot.keyClick(view.knobs.knobs["β.2"], Qt.Key.Key_Escape)  # closes what the button opened
    settle(qtbot, bench)
    assert bench.session.project.requirement.models[6].limit == pytest.approx(2.0, abs=0.1)
    # All records are one class at the top, with the distribution of the table: it discloses nothing.
    shown = [label.text() for label in view.inspector.findChildren(QLabel)]
    assert shown.count("0.000") >= 3


def test_the_inspector_shows_every_model_and_marks_those_that_are_required(bench: Bench) -> None:
    from engine.privacy import privacy_models

    lines = bench.explore.view.inspector.models.lines
    titles = {kind.title for kind in privacy_models.values()}
    assert {
        max((title for title in titles if line.name.startswith(title)), key=len) for line in lines
    } == titles
    assert [line.name for line in lines if line.is_required] == [
        "k-anonymity",
        "distinct l-diversity",
        "t-closeness, ordered",
    ]
    assert {line.column for line in lines} == {"", "hours-per-week"}
    assert {line.name: line.value for line in lines}["highest risk"] == "20.00\u202f%"  # classes of 5
    without = {line.name: line.reason for line in lines if line.value == "–" and not line.column}
    of_people = ("k-map", "population uniqueness", "δ-presence")
    of_money = ("profitability", "profitability without attacks")
    assert without == (
        dict.fromkeys(of_people, "needs a population")
        | dict.fromkeys(of_money, "needs sums of money, in the requirement")
        | dict.fromkeys(("k for an attacker", "k for any m columns"), "not required")
        | {"differential privacy": "only for a random sample", "individual risk": "needs survey weights"}
    )


def test_the_models_of_the_inspector_follow_the_node_and_agree_with_the_requirement(
    qtbot: QtBot, bench: Bench
) -> None:
    inspector = bench.explore.view.inspector
    before = inspector.models.lines
    bench.session.selection.select((1, 4, 1, 3, 1))
    settle(qtbot, bench)
    assert inspector.models.lines != before
    values = {line.name: line.value for line in inspector.models.lines}
    shown = {name: measured for _, name, measured, _ in inspector.requirement.texts()}
    assert values["k-anonymity"] == shown["k smallest class"]
    assert values["distinct l-diversity"] == shown["l hours-per-week, distinct"]
    assert (
        values["t-closeness, ordered"] == shown["t hours-per-week, ordered"] == "0.000"
    )  # one class, the whole table


def test_without_a_kept_class_no_model_is_measured(qtbot: QtBot, bench: Bench) -> None:
    huge = Requirement((KAnonymity(40_000),), 0.05)
    bench.session.edit("k", replace(bench.session.project, requirement=huge))
    settle(qtbot, bench)
    bench.session.selection.select((0, 0, 0, 0, 0))
    settle(qtbot, bench)
    lines = bench.explore.view.inspector.models.lines
    assert {line.value for line in lines} == {"–"}
    assert "no record is kept" in {line.reason for line in lines}
