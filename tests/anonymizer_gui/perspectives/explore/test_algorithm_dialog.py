"""Runs of algorithms in the window: comparing, cancelling, selecting and applying the result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.algorithms.algorithm_dialog import AlgorithmDialog
from engine.project.recipe.files import read_recipe, write_recipe
from engine.search import search_algorithms
from tests.anonymizer_gui.perspectives.explore.trial_members import (
    PatientSearch,
    register_all,
    register_search,
)
from tests.window_driver import LONG, Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier
OPTIMUM = (2, 0, 2)  # of the hospital example, by exhaustive scoring


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    register_all(monkeypatch)
    with driven_window(qtbot, themed) as made:
        made.open_example("hospital")
        made.click("tab.explore")
        yield made


def opened(driver: Driver) -> AlgorithmDialog:
    driver.click("algorithmButton")
    return driver.dialog("algorithmDialog")


def wait_closed(driver: Driver) -> None:
    driver.wait(lambda: driver.wiring.algorithms._dialog is None)


def run(driver: Driver, dialog: AlgorithmDialog, key: str) -> list[str]:
    """Choose an algorithm, click Run, and read its line."""
    dialog.choice.choose(key)
    driver.click("runAlgorithmButton")
    driver.wait(lambda: not dialog.is_running, LONG)
    assert not dialog.banner.isVisible(), dialog.banner.problem()
    return dialog.model.texts()[-1]


def test_while_a_table_is_being_prepared_no_missing_roles_are_reported(
    qtbot: QtBot, themed: QApplication
) -> None:
    with driven_window(qtbot, themed) as driver:
        action, said = driver.wiring.actions["search_with"], []
        assert "open a table first" in action.toolTip()
        action.changed.connect(lambda: said.append(action.toolTip()))
        driver.click("example.hospital")
        driver.wait(action.isEnabled)
        driver.wait_settled()
    assert any("being prepared" in text for text in said)
    assert not any("roles" in text for text in said)


def test_every_algorithm_is_listed_with_its_summary_and_its_result(driver: Driver) -> None:
    dialog = opened(driver)
    listed = {row[0]: row[1:] for row in dialog.choice._model.texts()}
    assert len(listed) == len({kind.title for kind in search_algorithms.values()})
    for kind in search_algorithms.values():
        assert kind.summary in listed[kind.title] or kind.title == "Endless"
    assert listed["Exhaustive"][1] == "The optimum, proven"
    assert listed["Data-fly"][1] == "A satisfying node"


def test_what_the_scores_have_proven_is_shown_before_any_run(driver: Driver) -> None:
    dialog = opened(driver)
    assert dialog.model.texts() == []
    before = dialog.details.text()
    assert before.startswith("Exhaustive: proven. All 30 nodes are scored")
    best = run(driver, dialog, "exhaustive")[2].removeprefix("★ ")
    assert f"the optimum has loss {best}." in before


def test_runs_stay_side_by_side_and_the_best_value_is_marked(driver: Driver) -> None:
    dialog = opened(driver)
    whole = run(driver, dialog, "exhaustive")
    first = run(driver, dialog, "datafly")
    # 0.468 is the loss of the optimum, as the corner of the window says.
    assert whole[:5] == ["Exhaustive", "age: 10-year bands; city: hidden", "★ 0.468", "0", "optimum, proven"]
    assert whole[5] == str(driver.session.results.profile.n_scored)  # type: ignore[union-attr]
    assert first[0] == "Data-fly"
    assert float(first[2]) > 0.468
    assert first[4] == "satisfies"
    assert [row[0] for row in dialog.model.texts()] == ["Exhaustive", "Data-fly"]
    assert "Published Data-fly" in dialog.details.text()


def test_a_limit_of_steps_is_respected_and_reported(driver: Driver) -> None:
    dialog = opened(driver)
    driver.type_into("param.steps", "2")
    line = run(driver, dialog, "flash")
    assert int(line[5]) <= 2
    assert line[4] in ("none found", "best found")
    assert "Largest number of nodes 2" in dialog.details.text()


def test_the_keyboard_chooses_runs_and_closes(driver: Driver) -> None:
    driver.key(Qt.Key.Key_G, CONTROL)
    dialog = driver.dialog("algorithmDialog")
    driver.wake()
    assert dialog.choice.list.hasFocus()
    *_, before, last = search_algorithms  # their order is that in which they were imported
    dialog.choice.choose(last)
    driver.key(Qt.Key.Key_Up)
    assert dialog.choice.key == before
    title = search_algorithms[dialog.choice.key].title
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: len(dialog.model.texts()) == 1, LONG)
    assert dialog.model.texts()[0][0] == title
    driver.key(Qt.Key.Key_Escape)
    wait_closed(driver)


def test_cancelling_a_run_leaves_no_line_and_another_run_can_follow(driver: Driver) -> None:
    dialog = opened(driver)
    dialog.choice.choose("endless")
    driver.click("runAlgorithmButton")
    driver.wait(lambda: dialog.job.text.text() == "Waiting")
    assert not dialog.run_button.isEnabled()
    driver.click(dialog.job._cancel)
    driver.wait(lambda: not dialog.is_running)
    assert dialog.model.texts() == []
    assert run(driver, dialog, "exhaustive")[4] == "optimum, proven"


@pytest.mark.parametrize("by_key", [False, True])
def test_stopping_a_run_uses_the_best_node_so_far(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, by_key: bool
) -> None:
    register_search(monkeypatch, "patient", PatientSearch)
    dialog = opened(driver)
    assert not dialog.stop_button.isVisible()
    dialog.choice.choose("patient")
    driver.click("runAlgorithmButton")
    driver.wait(lambda: dialog.job.text.text() == "Checking nodes")
    if by_key:
        dialog.stop_button.setFocus()
        driver.key(Qt.Key.Key_Space)
    else:
        driver.click("stopAlgorithmButton")
    driver.wait(lambda: not dialog.is_running, LONG)
    (line,) = dialog.model.texts()
    assert line[0] == "Patient"
    assert line[4] == "best found"
    assert "stopped early" in dialog.details.text()
    assert "may be better" in dialog.details.text()
    assert not dialog.stop_button.isVisible()
    driver.click(dialog.apply_button)
    driver.wait(lambda: driver.session.applied.release is not None)
    problem = driver.session.results.problem
    assert driver.session.applied.release.node == problem.lattice.maximum  # type: ignore[union-attr]


def test_a_run_goes_on_while_the_sheet_is_closed(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    register_search(monkeypatch, "patient", PatientSearch)
    dialog = opened(driver)
    dialog.choice.choose("patient")
    driver.click("runAlgorithmButton")
    driver.wait(lambda: dialog.job.text.text() == "Checking nodes")
    driver.key(Qt.Key.Key_Escape)
    wait_closed(driver)
    assert driver.wiring.runner.running("algorithm") is not None
    dialog = opened(driver)
    assert dialog.is_running
    assert dialog.model.texts() == []
    driver.click("stopAlgorithmButton")
    driver.wait(lambda: not dialog.is_running, LONG)
    assert [row[0] for row in dialog.model.texts()] == ["Patient"]


def test_a_run_that_goes_on_can_be_cancelled_when_the_sheet_is_open_again(driver: Driver) -> None:
    dialog = opened(driver)
    dialog.choice.choose("endless")
    driver.click("runAlgorithmButton")
    driver.wait(lambda: dialog.job.text.text() == "Waiting")
    driver.key(Qt.Key.Key_Escape)
    wait_closed(driver)
    dialog = opened(driver)
    driver.click(dialog.job._cancel)
    driver.wait(lambda: not driver.wiring.runner.is_busy)
    assert not dialog.is_running
    assert dialog.model.texts() == []


def test_the_window_is_used_beside_the_sheet_and_the_runs_say_so(driver: Driver) -> None:
    dialog = opened(driver)
    run(driver, dialog, "datafly")
    assert not dialog.isWindow()
    assert not dialog.isModal()
    driver.type_into("knob.k", "2")
    driver.key(Qt.Key.Key_Return)
    driver.wait_settled()
    assert dialog.isVisible()
    assert dialog.banner.problem() == "Made with k = 3, current setting 2"
    assert not dialog.apply_button.isEnabled()
    driver.type_into("knob.k", "3")
    driver.key(Qt.Key.Key_Return)
    driver.wait_settled()
    assert not dialog.banner.isVisible()
    assert dialog.apply_button.isEnabled()


def test_another_sheet_takes_the_place_of_this_one(driver: Driver) -> None:
    driver.apply()
    opened(driver)
    driver.trigger("Run", "Improve this release")
    assert driver.dialog("improveDialog").isVisible()
    wait_closed(driver)


def test_a_wrong_parameter_is_reported_below_its_field_and_nothing_runs(driver: Driver) -> None:
    dialog = opened(driver)
    dialog.choice.choose("endless")
    driver.type_into("param.sizes", "1")
    driver.click("runAlgorithmButton")
    assert not dialog.is_running
    assert "from 2" in dialog.choice.form.error_text()


def test_an_unsatisfiable_requirement_is_reported_in_a_banner(driver: Driver) -> None:
    driver.type_into("knob.k", "50")
    driver.key(Qt.Key.Key_Return)
    driver.wait_settled()
    dialog = opened(driver)
    dialog.choice.choose("exhaustive")
    driver.click("runAlgorithmButton")
    driver.wait(dialog.banner.isVisible)
    assert dialog.banner.problem() == "A table of 13 records cannot meet k = 50."
    assert "at most 13" in dialog.banner.hint.text()


def test_select_shows_the_node_in_explore_and_the_runs_are_kept(driver: Driver) -> None:
    driver.session.selection.select((4, 1, 2))
    driver.click("tab.configure")
    driver.trigger("Help", "Search with")
    dialog = driver.dialog("algorithmDialog")
    run(driver, dialog, "exhaustive")
    driver.click("selectRunButton")
    wait_closed(driver)
    assert driver.session.selection.node == OPTIMUM
    assert driver.window.page == "explore"
    assert [row[0] for row in opened(driver).model.texts()] == ["Exhaustive"]


def test_runs_with_other_settings_are_marked_and_repeated_by_one_button(driver: Driver) -> None:
    dialog = opened(driver)
    run(driver, dialog, "datafly")
    run(driver, dialog, "exhaustive")
    before = [row[:3] for row in dialog.model.texts()]
    driver.key(Qt.Key.Key_Escape)
    wait_closed(driver)
    driver.type_into("knob.k", "2")
    driver.key(Qt.Key.Key_Return)
    driver.wait_settled()
    dialog = opened(driver)
    assert [row[:3] for row in dialog.model.texts()] == before
    assert dialog.banner.problem() == "Made with k = 3, current setting 2"
    for button in (dialog.select_button, dialog.apply_button, dialog.use_button):
        assert not button.isEnabled()
        assert "Made with other settings: run it again first" in button.toolTip()
    (again,) = (b for b in dialog.banner.findChildren(QPushButton) if b.text() == "Run again")
    driver.click(again)
    driver.wait(lambda: not dialog.is_running and len(dialog.model.texts()) == 2, LONG)
    assert [row[0] for row in dialog.model.texts()] == ["Data-fly", "Exhaustive"]
    assert [row[:3] for row in dialog.model.texts()] != before
    assert not dialog.banner.isVisible()
    assert dialog.apply_button.isEnabled()


def test_a_new_run_takes_the_place_of_those_of_other_settings(driver: Driver) -> None:
    dialog = opened(driver)
    run(driver, dialog, "datafly")
    driver.key(Qt.Key.Key_Escape)
    wait_closed(driver)
    driver.type_into("knob.k", "2")
    driver.key(Qt.Key.Key_Return)
    driver.wait_settled()
    dialog = opened(driver)
    run(driver, dialog, "exhaustive")
    assert [row[0] for row in dialog.model.texts()] == ["Exhaustive"]


def test_apply_makes_the_release_of_the_node(driver: Driver) -> None:
    dialog = opened(driver)
    run(driver, dialog, "datafly")
    node = driver.wiring.algorithms._runs[-1].node
    driver.click("applyRunButton")
    driver.wait(lambda: driver.session.applied.release is not None)
    assert driver.session.applied.release.node == node == driver.session.selection.node  # type: ignore[union-attr]


def test_using_an_algorithm_is_an_edit_saved_in_recipes(driver: Driver, tmp_path: Path) -> None:
    before = driver.session.project
    dialog = opened(driver)
    driver.type_into("param.seconds", "30")
    run(driver, dialog, "datafly")
    driver.click("useAlgorithmButton")
    project = driver.session.project
    assert (project.search.algorithm, project.search.seconds) == ("datafly", 30.0)
    assert not dialog.use_button.isEnabled()
    write_recipe(project, tmp_path / "r.toml")
    assert read_recipe(tmp_path / "r.toml").search.algorithm == "datafly"
    driver.key(Qt.Key.Key_Escape)
    wait_closed(driver)
    assert driver.session.history.own.undoText() == "Search with Data-fly"
    driver.key(Qt.Key.Key_Z, CONTROL)
    assert driver.session.project is before
