"""Trials of recoding methods on the applied release: comparing, cancelling, using, undoing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.algorithms import improve_presenter
from anonymizer_gui.perspectives.explore.algorithms.improve_dialog import ImproveDialog
from anonymizer_gui.perspectives.explore.algorithms.release_measures import (
    measure_release,
    measure_rows,
    try_rows,
)
from anonymizer_gui.widgets.fitted_dialog import Question
from engine.findings.risk.narrowing import Narrowed, NarrowingFound
from engine.pipeline import evaluate_node
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.recipe.files import write_recipe
from engine.recoding import Release, make_release, recoding_methods
from tests.anonymizer_gui.look_checks import clipped_texts, cut_rows
from tests.anonymizer_gui.perspectives.explore.trial_members import Hiding, Patient, Sparing, register_all
from tests.window_driver import LONG, Driver, driven_window

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
CURRENT = "Current: city: hidden, age: 10-year bands"
NODE = (2, 0, 2)  # the optimum of the hospital example, by exhaustive scoring


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    """Return the hospital example with its optimum applied; methods are tried only when asked to."""
    register_all(monkeypatch)
    monkeypatch.setattr(improve_presenter, "MOST_BY_ITSELF", 0)
    with driven_window(qtbot, themed) as made:
        made.open_example("hospital")
        made.click("tab.explore")
        assert not made.find("improveButton").isEnabled()
        assert "apply a node first" in made.find("improveButton").toolTip()
        made.apply()
        yield made


def opened(driver: Driver) -> ImproveDialog:
    driver.click("improveButton")
    dialog = driver.dialog("improveDialog")
    driver.wait(lambda: driver.wiring.improve._base is not None)
    return dialog


def wait_closed(driver: Driver) -> None:
    driver.wait(lambda: driver.wiring.improve._dialog is None)


def attempt(driver: Driver, dialog: ImproveDialog, key: str) -> list[str]:
    """Choose a method, click Try, and read its line."""
    dialog.choice.choose(key)
    driver.click("tryButton")
    driver.wait(lambda: not dialog.is_running, LONG)
    assert not dialog.banner.isVisible(), dialog.banner.problem()
    return dialog.tries.texts.texts()[-1]


def use(driver: Driver, key: str) -> Release:
    """Try a method and use its release."""
    dialog = opened(driver)
    attempt(driver, dialog, key)
    driver.click("useReleaseButton")
    wait_closed(driver)
    release = driver.session.applied.release
    assert release.method == key
    return release


def measure(dialog: ImproveDialog, name: str) -> list[str]:
    return next(row[1:] for row in dialog.measures.texts.texts() if row[0] == name)


def cells(release: Release) -> list[tuple[str, list[str]]]:
    return [(c.name, [c.labels[code] for code in c.codes]) for c in release.columns]


def shown_texts(driver: Driver) -> list[str]:
    return [label.text() for label in driver.window.findChildren(QLabel) if label.isVisible()]


def test_a_method_is_explained_with_its_disclosure_risk(driver: Driver) -> None:
    dialog = opened(driver)
    assert cut_rows(dialog.choice.list) == []
    for key, kind in recoding_methods.items():
        dialog.choice.choose(key)
        texts = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]
        assert kind.summary in texts
        assert f"What an attacker may learn: {kind.weakness}" in texts


def test_before_and_after_are_those_of_the_two_releases(driver: Driver) -> None:
    before = driver.session.applied.release
    assert before is not None
    dialog = opened(driver)
    assert dialog.tries.texts.texts() == [[CURRENT, "53.18\u202f%", "0", "0", "–"]]
    attempt(driver, dialog, "hiding")
    assert driver.session.applied.release is before
    # Everything is hidden: no detail is left, and all 13 records are one class.
    assert measure(dialog, "Detail kept") == ["53.18\u202f%", "0.00\u202f%", "−53.18\u202fpoints, worse"]
    assert measure(dialog, "Smallest class (k)") == ["3", "13", "+10"]
    assert measure(dialog, "Classes") == ["3", "1", "−2"]
    assert measure(dialog, "Records narrowed") == ["0", "0", "0"]
    assert [row[3] for row in dialog.tries.texts.texts()] == ["0", "0"]
    assert measure(dialog, "Loss") == ["0.468", "1.000", "+0.532, worse"]
    assert measure(dialog, "Detail of gender")[1] == "0.00\u202f%"
    assert [text for *_names, text in dialog.bars.texts()] == [
        "53.18\u202f% → 0.00\u202f%",
        "100.00\u202f% → 100.00\u202f%",
    ]


def test_less_protection_than_before_is_marked_as_worse(small_adult: Project) -> None:
    measured = measure_release(
        small_adult, make_release(small_adult, compile_problem(small_adult), (0, 3, 0, 1, 0))
    )
    now = replace(measured, k=7, l={"s": 4}, t={"s": 0.1}, n_suppressed=0)
    after = replace(measured, k=5, l={"s": 2}, t={"s": 0.25}, n_suppressed=3)
    rows = {row[0].text: row[3] for row in measure_rows(now, after)}
    for name, change in (
        ("Smallest class (k)", "−2, worse"),
        ("Distinct values (l), s", "−2, worse"),
        ("Distance (t), s", "+0.150, worse"),
        ("Suppressed records", "+3, worse"),
    ):
        assert (rows[name].text, rows[name].tone) == (change, "warn")
    back = {row[0].text: row[3] for row in measure_rows(after, now)}
    assert (back["Distance (t), s"].text, back["Distance (t), s"].tone) == ("−0.150", "ok")


def test_the_disclosure_risk_of_the_chosen_trial_is_next_to_use(driver: Driver) -> None:
    dialog = opened(driver)
    attempt(driver, dialog, "hiding")
    dialog.choice.choose("sparing")  # the list explains another method now
    beside = driver.find("weaknessOfTry", QLabel).text()
    assert recoding_methods["hiding"].weakness in beside
    assert recoding_methods["hiding"].title in beside


def test_the_applied_release_cannot_be_used_again(driver: Driver) -> None:
    use(driver, "hiding")
    dialog = opened(driver)
    assert dialog.tries.texts.texts()[-1][0] == "Hiding"
    assert not dialog.use_button.isEnabled()
    assert dialog.use_button.toolTip() == "This is the current release"


def test_values_of_a_node_are_those_of_its_scoring(small_adult: Project) -> None:
    problem = compile_problem(small_adult)
    node = (0, 3, 0, 1, 0)
    scored = evaluate_node(small_adult, problem, node)
    release = make_release(small_adult, problem, node)
    measures = measure_release(small_adult, release)
    assert measures.n_suppressed == int(scored.suppressed[0])
    for key, value in measures.metrics.items():
        assert value == pytest.approx(float(scored.metric(key)[0])), key


@pytest.mark.parametrize(("n_wrong", "text"), [(1, "12"), (2, "12, misleads 6.7 %")])
def test_a_method_whose_inferences_are_often_wrong_misleads(
    small_adult: Project, n_wrong: int, text: str
) -> None:
    measures = measure_release(
        small_adult, make_release(small_adult, compile_problem(small_adult), (0, 3, 0, 1, 0))
    )
    rule = Narrowed("R2", "", 12, 0, 0, 30 - n_wrong, n_wrong, 0)
    found = replace(measures, narrowing=NarrowingFound((rule,), 40, 3))
    cell = try_rows("Current", found, [])[0][3]
    assert (cell.text.replace("\u202f", " "), cell.tone) == (text, "warn")
    rows = {row[0].text: row[3].text for row in measure_rows(measures, found)}
    assert rows["Records narrowed"] == "+12, worse"


def test_a_second_trial_is_listed_with_the_first(driver: Driver) -> None:
    dialog = opened(driver)
    attempt(driver, dialog, "hiding")
    attempt(driver, dialog, "sparing")
    rows = dialog.tries.texts.texts()
    assert [row[0] for row in rows] == [CURRENT, "Hiding", "Sparing"]
    driver.key(Qt.Key.Key_Escape)
    wait_closed(driver)
    dialog = opened(driver)
    assert [row[0] for row in dialog.tries.texts.texts()] == [CURRENT, "Hiding", "Sparing"]


def test_all_methods_are_tried_without_being_asked_and_ranked_while_the_dialog_is_closed(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(recoding_methods._registered, "endless")
    monkeypatch.setattr(improve_presenter, "MOST_BY_ITSELF", 13)  # records of the example
    dialog = opened(driver)
    assert dialog.is_running
    assert dialog.job.text.text().startswith("Trying all methods: 1 of ")
    driver.key(Qt.Key.Key_Escape)
    wait_closed(driver)
    driver.wait(lambda: not driver.wiring.improve._all.is_running, LONG)
    dialog = opened(driver)
    tried = driver.wiring.improve._tries
    assert len(tried) > 2
    assert not dialog.is_running  # they are not tried again
    usable = [made.measures.detail for made in tried if not made.why_not]
    assert usable == sorted(usable, reverse=True)
    assert [bool(made.why_not) for made in tried] == sorted(bool(made.why_not) for made in tried)
    assert [row[0] for row in dialog.tries.texts.texts()[1:]] == [made.method.full_title for made in tried]
    assert {"Disjoint cells", "Disjoint cells with remainders"} <= {made.method.full_title for made in tried}
    assert {
        made.measures.narrowing.by_order.records_narrowed for made in tried if made.method.key == "disjoint"
    } == {0}
    # the best one is used by keys
    dialog.tries.setCurrentIndex(dialog.tries.texts.index(1, 0))
    dialog.use_button.setFocus()
    driver.key(Qt.Key.Key_Space)
    wait_closed(driver)
    assert driver.session.applied.release is tried[0].release


def test_cancelling_all_methods_keeps_those_tried_and_names_refusals(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = {key: recoding_methods[key] for key in ("refusing", "sparing", "endless")}
    for key in list(recoding_methods):
        monkeypatch.delitem(recoding_methods._registered, key)
    for key, kind in kinds.items():
        monkeypatch.setitem(recoding_methods._registered, key, kind)
    dialog = opened(driver)
    driver.click("tryAllButton")
    driver.wait(lambda: dialog.job.text.text() == "Trying all methods: 3 of 3")
    assert dialog.job.bar.share() >= 2 / 3
    driver.click(dialog.job._cancel)
    driver.wait(lambda: not dialog.is_running)
    assert [row[0] for row in dialog.tries.texts.texts()] == [CURRENT, "Sparing"]
    assert "Refusing" in dialog.banner.problem()
    assert attempt_again(driver, dialog)


def test_stopping_a_try_gives_a_release_that_its_recipe_makes_again(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Patient, "key", "patient")
    monkeypatch.setitem(recoding_methods._registered, "patient", Patient)
    dialog = opened(driver)
    dialog.choice.choose("endless")
    driver.click("tryButton")
    assert not dialog.stop_button.isVisible()  # it has no release before its end
    driver.click(dialog.job._cancel)
    driver.wait(lambda: not dialog.is_running)
    dialog.choice.choose("patient")
    driver.click("tryButton")
    driver.wait(lambda: dialog.job.text.text().startswith("Waiting"))
    driver.key(Qt.Key.Key_Escape)  # the job goes on, and can be stopped when the sheet is open again
    wait_closed(driver)
    dialog = opened(driver)
    driver.click("stopTryButton")
    driver.wait(lambda: not dialog.is_running, LONG)
    assert not dialog.stop_button.isVisible()
    assert dialog.tries.texts.texts()[-1][0] == "Patient method"
    made = driver.wiring.improve._tries[-1]
    assert made.method.steps >= 1
    assert made.project.recoding == made.method
    driver.click("useReleaseButton")
    wait_closed(driver)
    assert driver.session.applied.release is made.release


def attempt_again(driver: Driver, dialog: ImproveDialog) -> bool:
    return dialog.all_button.isEnabled() and dialog.try_button.isEnabled()


def test_using_a_release_is_one_step_that_can_be_undone_and_redone(driver: Driver) -> None:
    session = driver.session
    project, before = session.project, session.applied.release
    assert project is not None
    release = use(driver, "hiding")
    assert session.project.recoding == Hiding()
    assert session.history.own.undoText() == "Use Hiding"
    assert (session.applied.stale_text, session.applied.made_with) == ("", session.project)
    assert driver.window.status.applied.text() == "Hiding"
    driver.key(Qt.Key.Key_Z, CONTROL)
    assert (session.project, session.applied.release, session.applied.stale_text) == (project, before, "")
    assert driver.window.status.applied.text() == "The optimum"
    driver.key(Qt.Key.Key_Z, CONTROL | SHIFT)
    assert session.applied.release is release
    assert session.project.recoding == Hiding()
    assert session.applied.stale_text == ""


def test_the_inspector_names_the_method_that_improved_the_applied_node(driver: Driver) -> None:
    use(driver, "sparing")
    driver.wait(lambda: "Applied, improved by Sparing" in shown_texts(driver))
    assert driver.window.status.applied.text() == "The optimum · Sparing"
    assert driver.find("applyButton").isEnabled()
    driver.session.selection.select((4, 1, 2))
    assert "Applied, improved by Sparing" not in shown_texts(driver)


def test_applying_a_node_restores_one_level_per_column(driver: Driver) -> None:
    session = driver.session
    release = use(driver, "sparing")
    driver.apply()
    assert (session.project.recoding, session.applied.release.recoding) == (None, None)
    assert session.applied.stale_text == ""
    driver.key(Qt.Key.Key_Z, CONTROL)
    assert session.applied.release is release
    assert session.project.recoding == Sparing()


def test_a_release_that_does_not_satisfy_cannot_be_used_and_says_why(driver: Driver) -> None:
    before = driver.session.applied.release
    dialog = opened(driver)
    line = attempt(driver, dialog, "spoiling")
    assert line[2] == "13"  # every record of the table is unique
    assert not dialog.use_button.isEnabled()
    why = "Cannot be used: it suppresses 13 records, and the limit allows 1."
    assert why in [label.text() for label in dialog.findChildren(QLabel)]
    assert driver.session.applied.release is before


def test_a_method_that_refuses_is_explained_in_a_banner(driver: Driver) -> None:
    before = driver.session.applied.release
    dialog = opened(driver)
    dialog.choice.choose("refusing")
    driver.click("tryButton")
    driver.wait(dialog.banner.isVisible)
    assert (dialog.banner.problem(), dialog.banner.hint.text()) == (
        "It deals with no table.",
        "Take another method.",
    )
    assert not dialog.is_running
    assert len(dialog.tries.texts.texts()) == 1
    assert driver.session.applied.release is before


def test_a_wrong_parameter_is_reported_below_its_field(driver: Driver) -> None:
    dialog = opened(driver)
    dialog.choice.choose("sparing")
    driver.type_into("param.sizes", "1")
    driver.click("tryButton")
    assert not dialog.is_running
    assert "from 2" in dialog.choice.form.error_text()


def test_a_cancelled_trial_changes_nothing(driver: Driver) -> None:
    before = driver.session.applied.release
    dialog = opened(driver)
    dialog.choice.choose("endless")
    driver.click("tryButton")
    driver.wait(lambda: dialog.job.text.text() == "Waiting")
    driver.click(dialog.job._cancel)
    driver.wait(lambda: not dialog.is_running)
    assert len(dialog.tries.texts.texts()) == 1
    driver.click("tryButton")
    driver.wait(lambda: dialog.job.text.text() == "Waiting")
    driver.key(Qt.Key.Key_Escape)
    wait_closed(driver)
    dialog = opened(driver)
    driver.wait(lambda: dialog.job.text.text() == "Waiting")  # it goes on while the sheet is closed
    driver.click(dialog.job._cancel)
    driver.wait(lambda: not driver.wiring.runner.is_busy)
    assert len(dialog.tries.texts.texts()) == 1
    assert driver.session.applied.release is before
    assert driver.session.history.texts == ("Apply a node",)


def test_the_keyboard_tries_and_uses(driver: Driver) -> None:
    driver.key(Qt.Key.Key_I, CONTROL)
    dialog = driver.dialog("improveDialog")
    driver.wake()
    assert dialog.choice.list.hasFocus()
    dialog.choice.choose("sparing")
    driver.key(Qt.Key.Key_Down)  # the order of the list: sparing, then hiding
    assert dialog.choice.key == "hiding"
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: len(dialog.tries.texts.texts()) == 2)
    dialog.use_button.setFocus()
    driver.key(Qt.Key.Key_Space)
    wait_closed(driver)
    assert driver.session.applied.release.method == "hiding"


def test_a_method_that_needs_a_node_waits_for_one(driver: Driver) -> None:
    use(driver, "hiding")  # of no node
    dialog = opened(driver)
    dialog.choice.choose("sparing")
    assert not dialog.try_button.isEnabled()
    assert "apply a node first" in dialog.try_button.toolTip()
    dialog.choice.choose("hiding")
    assert dialog.try_button.isEnabled()


def test_a_method_that_needs_a_node_for_some_parameters_reports_it_when_tried(driver: Driver) -> None:
    use(driver, "hiding")
    dialog = opened(driver)
    dialog.choice.choose("iterated", {"from_scratch": False})
    driver.click("tryButton")
    assert dialog.banner.isVisible()
    assert "from scratch" in dialog.banner.hint.text()
    assert not dialog.is_running


def test_a_release_of_other_settings_is_not_improved(driver: Driver) -> None:
    driver.type_into("knob.k", "2")
    driver.key(Qt.Key.Key_Return)
    driver.wait_settled()
    button = driver.find("improveButton")
    assert not button.isEnabled()
    assert "re-apply a node" in button.toolTip()


@pytest.mark.parametrize("key", ["sparing", "hiding"])
def test_a_saved_project_opens_with_the_release_that_was_used(
    driver: Driver, qtbot: QtBot, themed: QApplication, tmp_path: Path, key: str
) -> None:
    used = use(driver, key)
    saved = tmp_path / "h.anon"
    driver.answer_file_dialog(saved)
    driver.key(Qt.Key.Key_S, CONTROL)
    driver.wait(lambda: driver.session.saved.path == saved)
    with driven_window(qtbot, themed) as second:
        assert second.drop(saved)
        second.wait(lambda: second.session.applied.release is not None)
        second.wait_settled()
        again = second.session.applied.release
        assert (again.method, again.node, cells(again)) == (key, used.node, cells(used))
        assert second.session.applied.stale_text == ""
        assert not second.session.saved.is_modified


@pytest.mark.parametrize("kind", [Sparing, Hiding])
def test_a_recipe_that_names_a_method_opens_with_its_release(
    driver: Driver, tmp_path: Path, kind: type[Sparing | Hiding]
) -> None:
    project = driver.session.project
    recipe = tmp_path / "r.toml"
    write_recipe(replace(project, recoding=kind()), recipe)

    def discard(box: Question) -> None:
        button = box.answers["discard"]
        driver.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    driver.when_modal(Question, discard)  # the applied release is not saved
    driver.drop(recipe)
    driver.wait(
        lambda: (
            driver.session.applied.release is not None and driver.session.applied.release.method == kind.key
        ),
        LONG,
    )
    release = driver.session.applied.release
    assert release.node == (NODE if kind.needs_start else None)
    assert driver.session.applied.stale_text == ""
    driver.wait_settled()


def test_an_export_reports_that_levels_differ_and_what_that_discloses(driver: Driver) -> None:
    use(driver, "sparing")
    driver.click("exportButton")
    dialog = driver.dialog("exportDialog")
    texts = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]
    assert "vary by record (Sparing)" in texts
    assert f"Known weakness: {Sparing.weakness}" in texts
    assert clipped_texts(dialog) == []
