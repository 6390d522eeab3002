"""Window frame: menus, tabs, out-of-date chip, undo, unsaved changes, preferences, and errors."""

from __future__ import annotations

import sys
import threading
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QLabel, QSplitter, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.app import catch_errors
from anonymizer_gui.perspectives.start import opening
from anonymizer_gui.session.preferences import load_preferences
from anonymizer_gui.theming import theme_manager
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.fitted_dialog import Question
from engine.project import edits
from tests.window_driver import LONG, Driver

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def opened(driver: Driver) -> Driver:
    """Return the hospital example, scored, with its optimum applied."""
    driver.open_example("hospital")
    driver.apply_by_keys()
    driver.wait_settled()
    return driver


def edit_limit(driver: Driver, limit: float) -> None:
    project = driver.session.project
    driver.session.edit("Set the limit", edits.set_suppression_limit(project, limit))


def test_the_start_page_has_no_perspective_bar(driver: Driver) -> None:
    assert not driver.window.bar.isVisible()
    assert not driver.wiring.actions["save"].isEnabled()


def test_perspectives_appear_with_the_first_project_and_show_it(qtbot: QtBot, themed: QApplication) -> None:
    driver = Driver(qtbot, themed, opens_at_once=False)
    assert "configure" not in driver.window.pages
    driver.open_example("hospital")
    assert driver.window.page == "explore"
    assert driver.wiring.explore.view.shows_results
    driver.apply_by_keys()
    driver.click("tab.configure")
    assert driver.wiring.configure.selected_columns() == (driver.session.project.table.names[0],)  # type: ignore[union-attr]
    driver.close()


def test_perspectives_not_created_ahead_are_created_in_steps_while_the_first_table_is_read(
    qtbot: QtBot, themed: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, may_end = opening.read_project, threading.Event()

    def held(*given: Any, **named: Any) -> Any:
        assert may_end.wait(60)
        return read(*given, **named)

    monkeypatch.setattr(opening, "read_project", held)
    driver = Driver(qtbot, themed, opens_at_once=False)
    driver.click("example.hospital")
    driver.wait(lambda: {*("configure", "explore")} <= {*driver.window.pages})
    assert driver.session.project is None
    may_end.set()
    driver.wait(lambda: driver.session.project is not None)
    driver.wait_settled()
    driver.close()


def styled_by(widget: QWidget) -> str:
    """Return the style sheet that a widget has from itself or from a widget around it."""
    around: QWidget | None = widget
    while around is not None and not around.styleSheet():
        around = around.parentWidget()
    return "" if around is None else around.styleSheet()


def test_every_perspective_is_created_ahead_and_styled_card_by_card(
    qtbot: QtBot, themed: QApplication
) -> None:
    driver = Driver(qtbot, themed, opens_at_once=False)
    driver.wiring.prepare()
    driver.wait(lambda: {*("configure", "explore", "utility", "risk")} <= {*driver.window.pages})
    cards = driver.window.findChildren(Card)
    driver.wait(lambda: all(map(styled_by, cards)))
    assert not themed.styleSheet()
    assert not driver.window.styleSheet()
    before = {styled_by(card) for card in cards}
    assert len(before) == 1
    driver.wiring.actions["theme_dark"].trigger()
    driver.wait(lambda: driver.wiring.preferences.is_settled)
    after = {styled_by(card) for card in cards}
    assert len(after) == 1
    assert not before & after
    driver.close()


def test_an_example_has_a_name_and_its_applied_release_is_unsaved(
    opened: Driver,
) -> None:
    assert opened.window._facts.text() == "Hospital example · 13 records · 6 columns · unsaved changes"


def test_keys_and_tabs_change_the_perspective(opened: Driver) -> None:
    opened.key(Qt.Key.Key_1, CONTROL)
    assert opened.window.page == "configure"
    opened.key(Qt.Key.Key_2, CONTROL)
    assert opened.window.page == "explore"
    opened.click("tab.configure")
    assert opened.window.page == "configure"
    assert opened.wiring.actions["configure"].isChecked()


def test_the_status_strip_names_the_nodes_and_the_scored_share(opened: Driver) -> None:
    status = opened.window.status
    assert [item.text() for item in (status.selected, status.applied)] == ["The optimum"] * 2
    assert status.optimum.isHidden(), "it is named only where no other node is"
    assert status.facts.text() == "30 of 30 nodes scored · exact"


def test_the_status_strip_names_the_selection_while_columns_are_visible(opened: Driver) -> None:
    hint = opened.window.findChild(QLabel, "statusHint")
    assert not hint.isVisible()
    opened.key(Qt.Key.Key_1, CONTROL)
    opened.wait(lambda: hint.isVisible())
    assert hint.text() == "1 column selected: name · keys 1 to 4 set the role"
    opened.key(Qt.Key.Key_2, CONTROL)
    opened.wait(lambda: not hint.isVisible())
    assert opened.window.status.applied.isVisible()


def test_an_out_of_date_release_is_marked_until_the_edit_is_undone(opened: Driver) -> None:
    edit_limit(opened, 0.3)
    chip = opened.find("staleChip")
    assert chip.text() == "Release is out of date"  # type: ignore[attr-defined]  # all there is room for
    assert chip.toolTip().startswith("Release was made with a suppression limit")
    opened.wait_settled()
    opened.click("undoButton")
    assert not opened.window.bar.findChild(object, "staleChip").isVisible()  # type: ignore[attr-defined]


def test_review_selects_the_applied_node(opened: Driver) -> None:
    applied = opened.session.applied.release.node  # type: ignore[union-attr]
    opened.session.selection.select((0, 0, 0))
    edit_limit(opened, 0.3)
    opened.click("tab.configure")
    chip = opened.find("staleChip")
    opened.click(chip.findChildren(QAbstractButton)[-1])
    assert opened.window.page == "explore"
    assert opened.session.selection.node == applied


def test_undo_is_named_after_its_step(opened: Driver) -> None:
    edit_limit(opened, 0.3)
    assert opened.find("undoButton").toolTip() == "Undo: Set the limit (Ctrl+Z)"
    opened.key(Qt.Key.Key_Z, CONTROL)
    assert opened.wiring.actions["redo"].text() == "Redo: Set the limit"
    assert opened.find("undoButton").toolTip() == "Undo: Apply a node (Ctrl+Z)"
    opened.key(Qt.Key.Key_Z, CONTROL)
    assert opened.find("undoButton").toolTip().startswith("Nothing to undo")


def test_closing_with_unsaved_changes_asks_and_cancel_keeps_the_window(opened: Driver) -> None:
    edit_limit(opened, 0.3)
    asked: list[str] = []

    def cancel(box: Question) -> None:
        asked.append(box.question)
        opened.qtbot.mouseClick(box.answers["cancel"], Qt.MouseButton.LeftButton)

    opened.when_modal(Question, cancel)
    opened.window.close()
    assert asked == ["Save the changes to “Hospital example”?"]
    assert opened.window.isVisible()


def test_escape_keeps_the_window_and_return_takes_the_primary_answer(opened: Driver, tmp_path: Path) -> None:
    edit_limit(opened, 0.3)
    opened.when_modal(Question, lambda box: opened.qtbot.keyClick(box, Qt.Key.Key_Escape))
    opened.window.close()
    assert opened.window.isVisible()
    target = tmp_path / "kept.anon"

    def save(box: Question) -> None:
        assert [b.text() for b in box.findChildren(QAbstractButton)] == ["Discard", "Save", "Cancel"]
        opened.answer_file_dialog(target)
        opened.qtbot.keyClick(box, Qt.Key.Key_Return)

    opened.when_modal(Question, save)
    opened.window.close()
    opened.wait(lambda: not opened.window.isVisible())
    assert target.exists()


def test_closing_the_project_returns_to_the_start_page(opened: Driver) -> None:
    def discard(box: Question) -> None:
        button = box.answers["discard"]
        opened.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    opened.when_modal(Question, discard)  # the applied release is not saved
    opened.trigger("File", "Close project")
    assert opened.window.page == "start"
    assert opened.session.project is None
    assert opened.window._facts.text() == ""


def test_theme_and_text_size_change_at_once_and_are_stored(driver: Driver) -> None:
    driver.trigger("View", "Appearance", "Dark")
    assert theme_manager().theme.is_dark
    driver.key(Qt.Key.Key_Plus, CONTROL)
    assert theme_manager().font_scale == pytest.approx(1.1)
    kept = load_preferences()
    assert (kept.theme, kept.font_scale) == ("dark", pytest.approx(1.1))


def test_splitter_sizes_are_stored(opened: Driver, qtbot: QtBot, qapp: QApplication) -> None:
    opened.click("tab.configure")
    splitter = next(s for s in opened.window.findChildren(QSplitter) if s.isVisible() and s.objectName())
    handle = splitter.handle(1)
    name, before = splitter.objectName(), splitter.sizes()
    along = -40
    middle = handle.rect().center()
    is_row = splitter.orientation() == Qt.Orientation.Horizontal
    end = middle + (handle.rect().topLeft() * 0).__class__(along if is_row else 0, 0 if is_row else along)
    qtbot.mousePress(handle, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseMove(handle, end)
    qtbot.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=end)
    moved = tuple(splitter.sizes())
    assert list(moved) != before
    opened.wiring.shutdown()
    assert load_preferences().splitters[name] == moved


def test_a_recent_file_can_be_opened_again_and_forgotten(
    driver: Driver, tmp_path: Path, examples: Path
) -> None:
    table = tmp_path / "again.csv"
    table.write_bytes((examples / "hospital" / "hospital.csv").read_bytes())
    driver.open_table(table)
    driver.wait(lambda: driver.wiring.frame.is_settled)
    driver.trigger("File", "Close project")
    driver.click("recent.0")
    driver.click(driver.button(driver.dialog("openDialog"), "cancelButton"))
    assert driver.session.project is None
    driver.wiring.preferences.forget_recent(table)
    assert load_preferences().recent_files == ()


def test_help_lists_keys_and_licences(driver: Driver) -> None:
    for entry, name in (("Keyboard shortcuts", "shortcutsDialog"), ("About", "aboutDialog")):
        driver.trigger("Help", entry)
        dialog = driver.dialog(name)
        driver.click(driver.button(dialog, "closeButton"))
        driver.wait(lambda d=name: not any(x.isVisible() for x in driver.window.findChildren(QDialog, d)))


def test_an_unexpected_error_shows_no_data_value_and_keeps_the_project(
    opened: Driver, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module, name in ((sys, "excepthook"), (sys, "unraisablehook"), (threading, "excepthook")):
        monkeypatch.setattr(module, name, getattr(module, name))
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    catch_errors(opened.window.banner.show_error)
    try:
        raise ValueError("Ada Lovelace, born 1815")
    except ValueError as error:
        sys.excepthook(ValueError, error, error.__traceback__)
    assert opened.window.banner.isVisible()
    assert "ValueError" in opened.window.banner.problem()
    shown = opened.window.banner.problem() + opened.window.banner.hint.text() + capsys.readouterr().err
    assert "Lovelace" not in shown
    assert opened.session.project is not None


def test_export_is_enabled_only_with_a_release_and_shows_why_not(driver: Driver) -> None:
    driver.open_example("hospital")
    button = driver.find("exportButton")
    assert not button.isEnabled()
    assert "apply a node first" in button.toolTip()


def test_a_node_that_fails_cannot_be_exported(opened: Driver) -> None:
    with opened.qtbot.waitSignal(opened.session.applied.changed):
        opened.wiring.releases.apply((0, 0, 0))
    opened.wait_settled()
    opened.key(Qt.Key.Key_E, CONTROL)
    dialog = opened.dialog("exportDialog")
    assert not opened.button(dialog, "exportNowButton").isEnabled()
    assert "does not satisfy" in dialog.banner.problem()  # type: ignore[attr-defined]


def test_suppressed_records_and_dropped_columns_are_not_in_the_file(opened: Driver, tmp_path: Path) -> None:
    project = opened.session.project
    opened.key(Qt.Key.Key_E, CONTROL)
    dialog = opened.dialog("exportDialog")
    opened.choose("param.way", "Remove the records")
    opened.choose("param.identifying", "Remove the columns")
    expected = replace(project.transformation, suppressed_records="remove", identifying="drop")
    assert opened.session.project.transformation == expected  # type: ignore[union-attr]
    out = tmp_path / "out.csv"
    opened.type_into("exportPath", str(out))
    opened.key(Qt.Key.Key_Return)
    opened.wait(lambda: dialog.written)  # type: ignore[attr-defined]
    lines = out.read_text().splitlines()
    assert lines[0] == "age,gender,city,religion,disease"
    assert len(lines) == 1 + 13 - opened.session.applied.release.n_suppressed  # type: ignore[union-attr]
    assert opened.session.applied.stale_text == ""


def test_stopping_the_demo_applies_no_release(driver: Driver) -> None:
    driver.wiring.open_demo()
    driver.wait(
        lambda: (found := driver.session.results.profile) is not None and found.n_scored > 500,
        LONG,
    )
    driver.key(Qt.Key.Key_Period, CONTROL)
    driver.wait_settled()
    driver.qtbot.wait(200)  # nothing may happen during this time
    assert driver.wiring.scoring.can_continue
    assert driver.session.applied.release is None


def answer_with(driver: Driver, button: str) -> None:
    driver.when_modal(Question, lambda box: driver.click(box.answers[button]))


def test_a_saved_project_is_the_first_of_the_recent_files_above_its_table(
    driver: Driver, tmp_path: Path, examples: Path
) -> None:
    table, saved = tmp_path / "patients.csv", tmp_path / "patients.anon"
    table.write_bytes((examples / "hospital" / "hospital.csv").read_bytes())
    driver.open_table(table)
    driver.wait(lambda: driver.wiring.frame.is_settled)
    driver.answer_file_dialog(saved)
    driver.key(Qt.Key.Key_S, CONTROL)
    driver.wait(lambda: saved.exists() and not driver.wiring.runner.is_busy)
    assert load_preferences().recent_files == (str(saved), str(table))
    driver.key(Qt.Key.Key_W, CONTROL)
    driver.wait(lambda: driver.window.page == "start")
    first = driver.find("recent.0", QAbstractButton)
    assert first.text() == "patients.anon"
    driver.click(first)
    driver.wait(lambda: driver.session.saved.path == saved)


def test_a_table_without_roles_opens_in_configure(opened: Driver, tmp_path: Path, examples: Path) -> None:
    table = tmp_path / "patients.csv"
    table.write_bytes((examples / "hospital" / "hospital.csv").read_bytes())
    opened.click("tab.risk")
    answer_with(opened, "discard")
    assert opened.drop(table)
    opened.click(opened.button(opened.dialog("openDialog"), "openDialogButton"))
    opened.wait(lambda: opened.session.project is not None and opened.session.project.name == "patients")
    assert opened.window.page == "configure"


def test_a_project_with_results_opens_in_the_current_perspective(opened: Driver, examples: Path) -> None:
    opened.click("tab.risk")
    answer_with(opened, "discard")
    assert opened.drop(examples / "clinic" / "recipe.toml")
    opened.wait(lambda: opened.session.project is not None and opened.session.project.table.n_records == 2000)
    assert opened.window.page == "risk"


def test_the_first_tab_stop_of_the_start_page_opens_a_file(driver: Driver) -> None:
    driver.wake()
    focused = QApplication.focusWidget()
    if focused is None or not driver.wiring.start_page.isAncestorOf(focused):
        driver.key(Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
    assert focused.objectName() == "openButton"


def test_recent_files_are_above_the_examples_and_reached_before_them(driver: Driver, tmp_path: Path) -> None:
    for name in ("first.csv", "second.csv"):
        driver.wiring.preferences.add_recent(tmp_path / name)
    driver.wait(lambda: driver.find("recent.1").isVisible())
    example, recent = driver.find("example.hospital"), driver.find("recent.1")
    page = driver.wiring.start_page
    assert recent.mapTo(page, recent.rect().center()).y() < example.mapTo(page, QPoint()).y()
    driver.find("judgeButton").setFocus()
    reached = []
    while not example.hasFocus() and len(reached) < 16:
        driver.key(Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        reached.append(focused.objectName())
    links = ["folderButton", "databaseButton", "tourButton", "tutorialButton"]
    kept = [name for name in reached if name and not name.startswith("locate")]  # the files do not exist
    assert kept == [*links, "recent.0", "recent.1", "example.hospital"]
