"""The walk: algorithms replayed on the lattice, by mouse and keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.node_name import node_name
from anonymizer_gui.perspectives.explore.lattice.raster import N_RAMP
from anonymizer_gui.perspectives.explore.walk import run as player
from anonymizer_gui.perspectives.explore.walk.lane import WalkLane
from anonymizer_gui.perspectives.explore.walk.panel import WalkPanel
from anonymizer_gui.session import results
from anonymizer_gui.theming import LIGHT, theme_manager
from anonymizer_gui.widgets.error_banner import ErrorBanner
from engine.project import edits
from engine.project.recipe.files import read_recipe
from engine.search import search_algorithms
from engine.search.replay import State
from tests.anonymizer_gui.perspectives.explore.conftest import Bench, settle
from tests.huge import write_huge_recipe

N_NODES = 30
LEFT = Qt.MouseButton.LeftButton
_Key = Qt.Key


def find(bench: Bench, name: str) -> QWidget:
    found = [w for w in bench.explore.view.findChildren(QWidget, name) if w.isVisible()]
    assert len(found) == 1, f"{len(found)} visible widgets are called {name}"
    return found[0]


def click(qtbot: QtBot, bench: Bench, name: str) -> None:
    widget = find(bench, name)
    assert widget.isEnabled(), widget.toolTip()
    qtbot.mouseClick(widget, LEFT)


def open_walk(qtbot: QtBot, bench: Bench) -> WalkPanel:
    click(qtbot, bench, "walkButton")
    settle(qtbot, bench)
    return find(bench, "walkCard")


def choose(qtbot: QtBot, bench: Bench, box: QComboBox, title: str) -> None:
    """Choose an algorithm by keys, in the list that opens."""
    wanted = box.findText(title)
    box.setFocus()
    while box.currentIndex() != wanted:
        qtbot.keyClick(box, _Key.Key_Down if box.currentIndex() < wanted else _Key.Key_Up)
    settle(qtbot, bench)


def press(qtbot: QtBot, panel: WalkPanel, *keys: Qt.Key) -> None:
    for key in keys:
        qtbot.keyClick(panel.lanes[0].view, key)


def position(bench: Bench) -> str:
    return find(bench, "walkPosition").text().replace("\u202f", "")  # type: ignore[attr-defined]


def counts(lane: WalkLane) -> dict[State, int]:
    return dict(lane.legend.counts)


def satisfying(lane: WalkLane) -> np.ndarray:
    return lane.view.colours.classes < N_RAMP


@pytest.fixture
def bench(empty_bench: Bench, qtbot: QtBot, examples: Path) -> Bench:
    """Return the perspective with 30 nodes, some of which are inferred by every exact algorithm."""
    empty_bench.explore.view.show_view("lattice")
    empty_bench.session.open_project(read_recipe(examples / "hospital" / "recipe.toml"))
    qtbot.waitUntil(lambda: empty_bench.session.results.optimum is not None, timeout=20_000)
    settle(qtbot, empty_bench)
    return empty_bench


@pytest.fixture
def panel(bench: Bench, qtbot: QtBot) -> WalkPanel:
    """Return the walk through Incognito, at its start."""
    return open_walk(qtbot, bench)


def test_a_walk_starts_with_nothing_known_and_explains_each_step_by_its_rule(
    panel: WalkPanel, qtbot: QtBot, bench: Bench
) -> None:
    lane = panel.lanes[0]
    assert not bench.explore.view.lattice.isVisible()
    assert (lane.choice.currentText(), position(bench).split(" / ")[0]) == ("Incognito", "0")
    assert counts(lane)[State.NOT_REACHED] == N_NODES
    assert not satisfying(lane).any()
    assert "no node is known yet" in lane.sentence.text()
    layout = bench.explore.state.layout
    assert lane.view.layout_shown is layout
    press(qtbot, panel, _Key.Key_Right)
    assert position(bench).startswith("1 / ")
    assert lane.sentence.text().startswith("Subset ")
    assert "no node below it satisfies, and none of its subsets fails" in lane.sentence.text()
    assert lane.progress.text().startswith("1 evaluated · 0 inferred · subset ")
    assert not find(bench, "walkSelect0").isEnabled()
    press(qtbot, panel, _Key.Key_Right, _Key.Key_Left, _Key.Key_Left)
    assert position(bench).startswith("0 / ")
    press(qtbot, panel, _Key.Key_End)
    assert lane.sentence.text().startswith("Result: ")
    press(qtbot, panel, _Key.Key_Home)
    assert counts(lane)[State.NOT_REACHED] == N_NODES


def test_every_algorithm_ends_as_the_scored_lattice_has_it(
    panel: WalkPanel, qtbot: QtBot, bench: Bench
) -> None:
    lane, scores = panel.lanes[0], bench.explore.state.scores
    for kind in search_algorithms.values():
        choose(qtbot, bench, lane.choice, kind.title)
        press(qtbot, panel, _Key.Key_End)
        if kind.settles_all:
            np.testing.assert_array_equal(satisfying(lane), scores.satisfies, kind.key)
            assert (
                f"{scores.minimal.sum()} minimal nodes, the same as in the scored lattice"
                in lane.sentence.text()
            )
            np.testing.assert_array_equal(lane.view.colours.minimal, scores.minimal)
        else:
            assert not np.any(satisfying(lane) & ~scores.satisfies), kind.key
        if kind.promise == "optimal":
            assert ", the optimum of the scored lattice" in lane.sentence.text(), kind.key
        assert sum(counts(lane).values()) == N_NODES


def test_space_plays_and_pauses_and_a_completed_walk_restarts(
    panel: WalkPanel, qtbot: QtBot, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    slider, play = panel.transport.slider, find(bench, "walkPlay")
    press(qtbot, panel, _Key.Key_Space)
    assert play.text() == "Pause"
    qtbot.waitUntil(lambda: slider.value() > 0)
    press(qtbot, panel, _Key.Key_Space)
    assert play.text() == "Play"
    here = slider.value()
    press(qtbot, panel, _Key.Key_Left)
    assert slider.value() == here - 1
    assert panel.lanes[0].progress.text() in panel.lanes[0].accessibleDescription()
    assert panel.transport.speed.currentText() == "All in 30 s"
    for _ in range(len(player.SPEEDS)):
        press(qtbot, panel, _Key.Key_Period)
    assert panel.transport.speed.currentText().replace("\u202f", "") == "1000 / s"
    click(qtbot, bench, "walkPlay")
    settle(qtbot, bench)
    assert slider.value() == slider.maximum()
    assert play.text() == "Play"
    monkeypatch.setattr(player, "_LONGEST_FRAME", 0.0)  # plays without advancing
    click(qtbot, bench, "walkPlay")
    assert slider.value() == 0
    click(qtbot, bench, "walkPlay")
    assert play.text() == "Play"


def test_a_click_on_the_slider_jumps_there_and_buttons_step(
    panel: WalkPanel, qtbot: QtBot, bench: Bench
) -> None:
    slider = panel.transport.slider
    wanted = slider.maximum() // 2
    qtbot.mouseClick(slider, LEFT, pos=QPoint(round(slider.x_of(wanted)), slider.height() // 2))
    at = slider.value()
    assert abs(at - wanted) <= slider.maximum() // 100 + 1
    for name, change in (("walkForward", 1), ("walkBack", 0), ("walkBack", -1)):
        click(qtbot, bench, name)
        assert slider.value() == at + change
    click(qtbot, bench, "walkEnd")
    assert slider.value() == slider.maximum()
    assert not find(bench, "walkForward").isEnabled()
    click(qtbot, bench, "walkStart")
    assert slider.value() == 0


def test_a_tick_can_be_a_check_and_two_algorithms_go_by_one_clock(
    panel: WalkPanel, qtbot: QtBot, bench: Bench
) -> None:
    lane = panel.lanes[0]
    choose(qtbot, bench, lane.choice, "OLA")
    qtbot.mouseClick(panel.transport.clock.segment("checks"), LEFT)
    n_checks = panel.transport.slider.maximum()
    assert 0 < n_checks < N_NODES
    press(qtbot, panel, _Key.Key_Right)
    assert lane.progress.text().startswith("1 evaluated · ")
    n_inferred = counts(lane)[State.INFERRED_SATISFIES] + counts(lane)[State.INFERRED_FAILS]
    assert n_inferred > 0
    assert lane.sentence.text().endswith(f"{n_inferred} nodes follow from it")
    qtbot.mouseClick(panel.transport.clock.segment("steps"), LEFT)
    assert panel.transport.slider.value() == 1 + n_inferred
    choose(qtbot, bench, lane.choice, "Incognito")
    click(qtbot, bench, "walkSecond")
    settle(qtbot, bench)
    first, second = panel.lanes
    assert (first.choice.currentText(), second.choice.currentText()) == ("Incognito", "OLA")
    qtbot.mouseClick(panel.transport.clock.segment("checks"), LEFT)
    press(qtbot, panel, _Key.Key_Home, *[_Key.Key_Right] * 3)
    assert first.progress.text().startswith("3 evaluated")
    assert second.progress.text().startswith("3 evaluated")
    press(qtbot, panel, _Key.Key_End)
    np.testing.assert_array_equal(satisfying(first), satisfying(second))
    assert second.sentence.text().startswith("Result: ")
    click(qtbot, bench, "walkSecond")
    assert not second.isVisible()


def test_a_clicked_node_is_selected_everywhere_and_escape_shows_the_lattice(
    panel: WalkPanel, qtbot: QtBot, bench: Bench
) -> None:
    lane, state = panel.lanes[0], bench.explore.state
    number = 7
    qtbot.mouseClick(lane.view, LEFT, pos=lane.view.node_rect(number).center())
    assert bench.session.selection.node == state.nodes.node(number)
    assert lane.view.marks.selected == number
    press(qtbot, panel, _Key.Key_End, _Key.Key_Left, _Key.Key_Return)
    settle(qtbot, bench)
    problem, node = bench.session.results.problem, bench.session.selection.node
    assert node is not None
    assert lane.sentence.text().startswith(node_name(node, problem.names, problem.lattice.maximum))
    press(qtbot, panel, _Key.Key_Right, _Key.Key_Escape)
    assert bench.explore.view.lattice.isVisible()
    assert bench.explore.view.lattice.view.hasFocus()
    open_walk(qtbot, bench)
    click(qtbot, bench, "walkClose")
    assert bench.explore.view.lattice.isVisible()


def test_another_requirement_repeats_the_walk_and_another_problem_ends_it(
    panel: WalkPanel, qtbot: QtBot, bench: Bench
) -> None:
    press(qtbot, panel, _Key.Key_End)
    before = panel.lanes[0].sentence.text()
    qtbot.keyClick(bench.explore.view.knobs.knobs["k"], _Key.Key_PageUp)
    settle(qtbot, bench)
    qtbot.waitUntil(lambda: "no node is known yet" in panel.lanes[0].sentence.text())
    settle(qtbot, bench)
    press(qtbot, panel, _Key.Key_End)
    assert panel.lanes[0].sentence.text() != before
    scores = bench.explore.state.scores
    np.testing.assert_array_equal(satisfying(panel.lanes[0]), scores.satisfies)
    project = bench.session.project
    bench.session.edit("levels", edits.set_levels(project, "age", 0, 2))
    settle(qtbot, bench)
    assert bench.explore.view.lattice.isVisible()
    assert panel.lanes[0].view.layout_shown is not bench.explore.state.layout


def test_an_algorithm_is_set_in_a_dialog_may_recount_and_be_cancelled(
    panel: WalkPanel, qtbot: QtBot, bench: Bench
) -> None:
    assert panel.lanes[0].effort.text() == "nodes looked up from the scored lattice; no scans or roll-ups"
    click(qtbot, bench, "walkSettings0")
    dialog = bench.explore.view.window().findChild(QWidget, "walkDialog")
    variant = next(box for box in dialog.findChildren(QComboBox) if box.isVisible())
    variant.setFocus()
    qtbot.keyClick(variant, _Key.Key_Down)
    anew = dialog.findChild(QAbstractButton, "walkAnew")
    qtbot.mouseClick(anew, LEFT, pos=QPoint(8, anew.height() // 2))
    start = dialog.findChild(QAbstractButton, "walkStartButton")
    assert start is not None
    qtbot.mouseClick(start, LEFT)
    settle(qtbot, bench)
    words = panel.lanes[0].effort.text()
    assert words.startswith("whole run: ")
    assert "0 scans" not in words
    press(qtbot, panel, _Key.Key_End)
    assert "minimal nodes, the same as in the scored lattice" in panel.lanes[0].sentence.text()
    lane = panel.lanes[0]
    lane.choice.setFocus()
    qtbot.keyClick(lane.choice, _Key.Key_Down)  # the next algorithm
    assert lane.job.isVisible()
    qtbot.mouseClick(lane.job._cancel, LEFT)
    settle(qtbot, bench)
    assert not lane.job.isVisible()
    assert not panel.transport.slider.isEnabled()
    run = next(b for b in lane.findChildren(QAbstractButton) if b.isVisible() and b.text() == "Run")
    qtbot.mouseClick(run, LEFT)
    settle(qtbot, bench)
    assert panel.transport.slider.maximum() > 0


def test_checked_and_inferred_nodes_are_distinguishable_without_hue(
    panel: WalkPanel, qtbot: QtBot, bench: Bench
) -> None:
    lane = panel.lanes[0]
    choose(qtbot, bench, lane.choice, "OLA")
    press(qtbot, panel, _Key.Key_End)
    press(qtbot, panel, _Key.Key_Left)
    bench.session.selection.select(None)
    image = lane.view.grab().toImage()
    replay_states = lane.view._states
    ground = theme_manager().theme.color("surface").lightness()
    marks = set(filter(None, (lane.view.marks.optimum, int(lane.view._new[-1]))))
    inked: dict[int, list[int]] = {}
    for number, state in enumerate(replay_states.tolist()):
        if number in marks:
            continue
        center = lane.view.node_rect(number).center()
        n_inked = sum(
            abs(image.pixelColor(center + QPoint(x, y)).lightness() - ground) > 60
            for x in range(-12, 13)
            for y in range(-12, 13)
        )
        inked.setdefault(state, []).append(n_inked)
    medians = {state: float(np.median(found)) for state, found in inked.items()}
    assert theme_manager().theme is LIGHT
    assert medians[State.CHECKED_SATISFIES] > medians[State.INFERRED_SATISFIES] + 40
    assert medians[State.CHECKED_FAILS] > medians[State.INFERRED_FAILS] + 3
    assert medians[State.CHECKED_SATISFIES] > medians[State.CHECKED_FAILS] + 40


def test_a_too_large_lattice_shows_the_reason_and_offers_a_search(
    empty_bench: Bench, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "NODES_AT_ONCE", 20)
    empty_bench.session.open_project(read_recipe(write_huge_recipe(tmp_path)))
    qtbot.waitUntil(lambda: empty_bench.session.results.evaluation is not None, timeout=20_000)
    settle(qtbot, empty_bench)
    click(qtbot, empty_bench, "walkButton")
    panel = find(empty_bench, "walkCard")
    assert "1.00\u202fT" in panel.unavailable.sentence()
    assert not panel.transport.isVisible()
    with qtbot.waitSignal(empty_bench.explore.search_requested):
        qtbot.mouseClick(panel.unavailable.button, LEFT)
    qtbot.keyClick(panel, _Key.Key_Escape)
    assert empty_bench.explore.view.lattice.isVisible()


def test_runs_with_other_settings_are_marked_and_repeated_by_one_button(qtbot: QtBot, bench: Bench) -> None:
    panel, session = open_walk(qtbot, bench), bench.session
    project = session.project
    banner = panel.findChild(ErrorBanner, "walkOutdated")
    assert not banner.isVisible()
    session.edit("k", replace(project, requirement=project.requirement.with_limit(0, 9)))
    qtbot.waitUntil(lambda: bench.session.runner.running("evaluate") is not None)
    bench.session.runner.cancel("evaluate")  # so that no new run follows
    qtbot.waitUntil(banner.isVisible, timeout=20_000)
    assert banner.problem() == "Made with k = 3, current setting 9"
    (again,) = (b for b in banner.findChildren(QPushButton) if b.text() == "Run again")
    qtbot.mouseClick(again, LEFT)
    assert not banner.isVisible()
    qtbot.waitUntil(lambda: bench.session.runner.running(("explore.walk", 0)) is None, timeout=20_000)
    assert not banner.isVisible()


def test_a_whole_walk_takes_thirty_seconds_whatever_its_length() -> None:
    for length in (60, 12_960, 1_000_000):
        clock = player.WalkPlayer()
        clock.reset(length)
        assert clock.length / clock.rate == pytest.approx(30)
    assert player.whole_rate(3) == 1.0


def test_a_faster_and_a_slower_speed_begin_at_that_of_the_whole_walk(panel: WalkPanel, qtbot: QtBot) -> None:
    rate = player.whole_rate(panel.transport.slider.maximum())
    press(qtbot, panel, _Key.Key_Period)
    assert panel.transport.speed.currentData() == min(speed for speed in player.SPEEDS if speed > rate)
    panel.transport.speed.setCurrentIndex(0)
    press(qtbot, panel, _Key.Key_Comma)
    slower = [speed for speed in player.SPEEDS if speed < rate]
    assert panel.transport.speed.currentData() == max(slower, default=player.SPEEDS[0])


def test_phases_over_subsets_of_columns_are_drawn_and_marked(
    panel: WalkPanel, qtbot: QtBot, bench: Bench
) -> None:
    lane, slider = panel.lanes[0], panel.transport.slider
    assert lane.part.isVisible()
    assert lane.part.columns.text() == "All columns"
    press(qtbot, panel, _Key.Key_Right)
    assert lane.part.columns.text().startswith("Subset: ")
    assert int((lane.part.nodes.states != State.NOT_REACHED).sum()) == 1
    for node in range(len(lane.part.nodes.states)):
        assert lane.part.nodes.rect().contains(lane.part.nodes.centre(node).toPoint())
    n_columns = len(bench.explore.state.problem.names)  # type: ignore[union-attr]
    assert len(slider.phases) == n_columns - 1
    ruled_out = []
    for tick in (*slider.phases, slider.maximum()):
        slider.setValue(tick)
        ruled_out.append(counts(lane)[State.INFERRED_FAILS])
    assert ruled_out == sorted(ruled_out)
    assert ruled_out[-2] > 0, "subsets rule out nodes before these are reached"
    assert sum(counts(lane).values()) == N_NODES
    choose(qtbot, bench, lane.choice, "OLA")
    assert not lane.part.isVisible()
    assert slider.phases == ()
