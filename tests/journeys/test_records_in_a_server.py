"""A table that stays in its server: opened in the window by its address, paged, filtered, released."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from engine.numbers import as_exact_count
from engine.project import Project
from engine.project.pins_and_runs import ProjectState
from engine.project.storage import recovery
from engine.project.storage.recovery import Recovery
from engine.records.databases.address import DatabaseAddress, Login
from engine.records.opening import open_database
from engine.records.options import SERVER, ReadOptions
from tests.servers import PASSWORD, Server
from tests.window_driver import LONG, Driver, driven_window

TOWNS = ("Brae", "Dell", "Holm")
ROWS = [(i, TOWNS[i % 3], 20 + i % 7, f"case {i % 4}") for i in range(1, 1301)]
COLUMNS = {"id": "integer", "town": "text", "age": "integer", "illness": "text"}


def open_people(driver: Driver, server: Server) -> Any:
    """Open the table by the dialog, and return what shows its records."""
    server.make("people", COLUMNS, ROWS, "id")
    driver.trigger("File", "Open a database…")
    dialog: Any = driver.dialog("databaseDialog")
    driver.type_into(dialog.place, server.url("people"))
    driver.type_into(dialog.password, PASSWORD)
    driver.click(dialog.connect_button)
    driver.wait(dialog.open_button.isEnabled, LONG)
    driver.click(dialog.stay)
    driver.click(dialog.open_button)
    driver.wait(lambda: driver.session.project is not None, LONG)
    return driver.wiring.configure.view.table


def text(panel: Any, row: int, column: int) -> str:
    return str(panel.table.records.index(row, column).data())


@pytest.mark.thorough
def test_a_table_in_a_server_is_shown_by_pages_filtered_and_released(
    driver: Driver, server: Server, tmp_path: Path
) -> None:
    panel = open_people(driver, server)
    captions = [label.text() for label in driver.window.findChildren(QLabel)]
    assert any(found.endswith("on a server") and found.startswith("people") for found in captions)
    driver.wait(lambda: text(panel, 0, 1) == "Dell", LONG)
    assert [text(panel, 6, place) for place in range(4)] == ["7", "Dell", "20", "case 3"]
    panel.table.show_cell(1299, 0)
    driver.wait(lambda: text(panel, 1299, 0) == "1300", LONG)
    driver.key(Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    driver.type_into("recordFilter", "town = 'Holm' and age in (21, 22)")
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: panel.table.records.n_shown < 200, LONG)
    assert {(text(panel, row, 1), text(panel, row, 2)) for row in range(panel.table.records.n_shown)} == {
        ("Holm", "21"),
        ("Holm", "22"),
    }
    driver.set_role(Qt.Key.Key_2, "town", "age")
    driver.set_role(Qt.Key.Key_3, "illness")
    driver.set_role(Qt.Key.Key_1, "id")
    driver.wait_settled()
    driver.wait(lambda: not driver.wiring.autosave.is_waiting, LONG)
    assert not driver.window.banner.isVisible()  # what is stored for a crash refers to the server
    driver.key(Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    driver.wait_settled()
    driver.apply()
    driver.wait_settled()
    path = tmp_path / "out.csv"
    assert driver.export(path).startswith("Written and verified: out.csv")
    with path.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert [row["illness"] for row in found] == [row[3] for row in ROWS]
    applied = driver.session.applied.node
    saved = tmp_path / "people.anon"
    driver.answer_file_dialog(saved)
    driver.key(Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    driver.wait(lambda: not driver.session.saved.is_modified, LONG)
    assert "names the table in its database" in driver.window.banner.problem()
    server.run("UPDATE people SET town = 'Dell' WHERE id = 1300")
    driver.trigger("File", "Close")
    driver.wait(lambda: driver.session.project is None)
    driver.drop(saved)
    connect(driver)
    driver.wait(lambda: driver.session.project is not None, LONG)
    project = driver.session.project
    assert (project.quasi_identifying, driver.session.saved.path) == (("town", "age"), saved)
    assert project.remote is not None
    driver.wait_settled()
    assert driver.session.applied.node == applied
    driver.trigger("File", "Close")
    server.run("DELETE FROM people WHERE id = 1300")
    driver.drop(saved)
    connect(driver)
    banner = driver.window.banner
    driver.wait(lambda: banner._action.text() == "Read it as it is now", LONG)
    now, before = map(as_exact_count, (1299, 1300))
    assert f"it has {now} records instead of {before}" in banner.problem()
    driver.click(banner._action)
    changes: Any = driver.dialog("changesDialog")
    driver.click(driver.button(changes, "takeOverButton"))
    driver.wait(lambda: driver.session.project is not None, LONG)
    assert driver.session.project.table.n_records == 1299  # type: ignore[union-attr]
    assert driver.session.project.remote is not None  # type: ignore[union-attr]
    driver.wait_settled()


def connect(driver: Driver) -> None:
    """Confirm the connection that the banner offers; user and password are not known."""
    banner = driver.window.banner
    driver.wait(lambda: banner.isVisible() and banner._action.text() == "Connect…", LONG)
    assert "which was not asked" in banner.problem()
    driver.click(banner._action)
    dialog: Any = driver.dialog("databaseDialog")
    assert (dialog.user.text(), dialog.password.text()) == ("", "")
    driver.type_into(dialog.user, "steward")
    driver.type_into(dialog.password, PASSWORD)
    driver.click(dialog.connect_button)
    driver.wait(dialog.open_button.isEnabled, LONG)
    driver.click(dialog.open_button)


@pytest.mark.usefixtures("work_here")
def test_unsaved_work_is_recovered_once_the_server_was_asked(
    qtbot: QtBot, qapp: QApplication, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.make("people", COLUMNS, ROWS[:30], "id")
    address = DatabaseAddress(server.url(), "people")
    table, options = open_database(address, ReadOptions(source=SERVER), Login(password=PASSWORD))
    Recovery().write(Project("people", None, options, table, database=address.full), ProjectState(), None)
    monkeypatch.setattr(recovery, "is_running", lambda pid, start: False)
    with driven_window(qtbot, qapp) as driver:
        driver.wait(lambda: driver.window.findChild(QWidget, "recover.0") is not None)
        driver.click("recover.0")
        connect(driver)
        driver.wait(lambda: driver.session.project is not None, LONG)
        assert driver.session.project.remote is not None  # type: ignore[union-attr]
        assert driver.session.saved.is_modified
        driver.wait(lambda: driver.wiring.is_settled, LONG)
