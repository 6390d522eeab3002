"""Preferences dialog, and the restored position of the window."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QTableView, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.layout_keeper import place_of, show_as_left
from anonymizer_gui.session.preferences import Preferences, load_preferences, save_preferences
from anonymizer_gui.theming import theme_manager
from engine.kernels.threads import n_threads, set_most_threads
from engine.privacy.k_anonymity import KAnonymity
from engine.records.options import ExportOptions
from tests.window_driver import Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    with driven_window(qtbot, themed) as made:
        yield made
    set_most_threads(0)


@pytest.fixture
def dialog(driver: Driver) -> QDialog:
    driver.key(Qt.Key.Key_Comma, CONTROL)
    return driver.dialog("preferencesDialog")


def see(dialog: QDialog, name: str) -> QWidget:
    """Return a field after scrolling it into view."""
    field = dialog.findChild(QWidget, f"param.{name}")
    field.setFocus(Qt.FocusReason.TabFocusReason)  # scrolls to it, as Tab does
    return field


def test_chosen_values_apply_at_once_and_are_stored(driver: Driver, dialog: QDialog) -> None:
    driver.choose(see(dialog, "theme"), "Dark")  # type: ignore[arg-type]
    driver.choose(see(dialog, "score_memory"), "4 GB")  # type: ignore[arg-type]
    driver.type_into(see(dialog, "threads"), "1")
    driver.type_into(see(dialog, "autosave_seconds"), "3")
    assert not theme_manager().theme.is_dark, "nothing changes before Apply"
    driver.click(driver.button(dialog, "applyPreferencesButton"))
    assert theme_manager().theme.is_dark
    kept = load_preferences()
    assert (kept.theme, kept.score_memory, kept.threads) == ("dark", 4096, 1)
    assert driver.wiring.autosave._interval == 3000
    assert n_threads() == 1
    assert driver.wiring.actions["theme_dark"].isChecked()
    assert driver.wiring.actions["memory_4096"].isChecked()


def test_cancel_changes_nothing(driver: Driver, dialog: QDialog) -> None:
    driver.choose(see(dialog, "theme"), "Dark")  # type: ignore[arg-type]
    driver.click(driver.button(dialog, "cancelButton"))
    assert load_preferences() == Preferences()
    assert not theme_manager().theme.is_dark


def test_the_defaults_can_be_restored(driver: Driver, dialog: QDialog) -> None:
    driver.type_into(see(dialog, "default_k"), "11")
    driver.click(driver.button(dialog, "defaultsButton"))
    driver.click(driver.button(dialog, "applyPreferencesButton"))
    assert driver.wiring.preferences.value == Preferences()


def test_a_new_table_starts_with_the_preferred_settings(
    driver: Driver, dialog: QDialog, examples: Path
) -> None:
    driver.type_into(see(dialog, "default_k"), "11")
    driver.type_into(see(dialog, "default_suppression"), "0.02")
    driver.choose(see(dialog, "default_metric"), "Discernibility")  # type: ignore[arg-type]
    driver.click(driver.button(dialog, "applyPreferencesButton"))
    driver.open_table(examples / "hospital" / "hospital.csv")
    project = driver.session.project
    assert project.requirement.models == (KAnonymity(11),)
    assert project.requirement.suppression_limit == 0.02
    assert project.search.metric == "discernibility"


def test_the_preferred_missing_texts_are_read_as_missing(
    driver: Driver, dialog: QDialog, tmp_path: Path
) -> None:
    driver.type_into(dialog.findChild(QLineEdit, "missingEdit"), "-9 unknown")
    driver.click(driver.button(dialog, "applyPreferencesButton"))
    table = tmp_path / "people.csv"
    table.write_text("age,town\n31,Bonn\n-9,unknown\n40,Caen\n")
    driver.open_table(table)
    project = driver.session.project
    assert [column.has_missing for column in project.table.columns] == [True, True]
    assert project.table.column("town").labels[:-1] == ("Bonn", "Caen")


def test_missing_texts_apply_to_databases_and_do_not_change_on_reimport(
    driver: Driver, dialog: QDialog, tmp_path: Path
) -> None:
    driver.type_into(dialog.findChild(QLineEdit, "missingEdit"), "unknown")
    driver.click(driver.button(dialog, "applyPreferencesButton"))
    path = tmp_path / "people.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE people (town TEXT)")
    connection.executemany("INSERT INTO people VALUES (?)", [("Bonn",), ("unknown",), ("Caen",)])
    connection.commit()
    connection.close()
    driver.drop(path)
    opened: Any = driver.dialog("databaseDialog")
    driver.wait(opened.open_button.isEnabled)
    shown = opened.findChild(QTableView, "databasePreview").model()
    assert "unknown" not in [shown.index(row, 0).data() for row in range(3)]
    driver.click(opened.open_button)
    driver.wait(lambda: driver.session.project is not None)
    driver.wiring.preferences.set_values({"missing": ("",)})
    driver.trigger("File", "Re-import table…")
    again: Any = driver.dialog("databaseDialog")
    driver.wait(again.open_button.isEnabled)
    shown = again.findChild(QTableView, "databasePreview").model()
    assert "unknown" not in [shown.index(row, 0).data() for row in range(3)]
    project = driver.session.project
    assert project.table.column("town").labels[:-1] == ("Bonn", "Caen")


def test_files_of_a_new_table_are_written_as_preferred(
    driver: Driver, dialog: QDialog, examples: Path
) -> None:
    driver.choose(see(dialog, "delimiter"), "Semicolon  ;")  # type: ignore[arg-type]
    driver.choose(see(dialog, "line_end"), "Carriage return and line feed")  # type: ignore[arg-type]
    driver.click(driver.button(dialog, "applyPreferencesButton"))
    driver.open_table(examples / "hospital" / "hospital.csv")
    project = driver.session.project
    assert project.export == ExportOptions(delimiter=";", line_end="crlf")


# Position of the window --------------------------------------------------------------------------


@pytest.fixture
def window(qtbot: QtBot, themed: QApplication) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def test_the_window_opens_at_its_last_position(window: QWidget) -> None:
    show_as_left(window, Preferences(window_size=(400, 300), window_place=(60, 40)))
    place = place_of(window)
    assert (place.x(), place.y(), place.width(), place.height()) == (60, 40, 400, 300)


@pytest.mark.parametrize("place", [(-5000, 10), (10, 9000), (-350, 10), (30, -200)])
def test_a_window_is_never_placed_outside_all_screens(window: QWidget, place: tuple[int, int]) -> None:
    show_as_left(window, Preferences(window_size=(400, 300), window_place=place))
    assert window.pos() != QPoint(*place)
    assert window.size().toTuple() == (400, 300)


def test_a_maximised_window_opens_maximised_and_keeps_its_normal_size(window: QWidget) -> None:
    show_as_left(window, Preferences(window_size=(400, 300), window_place=(60, 40), is_maximised=True))
    assert window.isMaximized()
    assert place_of(window).size().toTuple() == (400, 300)


def test_a_requested_size_overrides_the_last_one(window: QWidget) -> None:
    show_as_left(window, Preferences(is_maximised=True), (500, 350))
    assert not window.isMaximized()
    assert window.size().toTuple() == (500, 350)


def test_the_perspective_and_the_size_of_the_last_run_are_restored(
    qtbot: QtBot, themed: QApplication
) -> None:
    with driven_window(qtbot, themed, (1300, 760)) as first:
        first.click("example.hospital")
        first.wait(lambda: first.session.project is not None)
        first.click("tab.configure")
        first.wiring.shutdown()
    kept = load_preferences()
    assert (kept.perspective, kept.window_size, kept.is_maximised) == ("configure", (1300, 760), False)
    with driven_window(qtbot, themed) as second:
        second.click("example.hospital")
        second.wait(lambda: second.session.project is not None)
        assert second.window.page == "configure"


def test_positions_outside_all_screens_are_ignored(config_dir: Path) -> None:
    save_preferences(Preferences(window_place=(10**9, 0), window_size=(1400, 800)))
    assert load_preferences() == Preferences(window_size=(1400, 800))
