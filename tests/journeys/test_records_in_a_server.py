"""A table that stays in its server: opened in the window by its address, paged, filtered, released."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from engine.errors import ExportError
from engine.project.storage.file import save_project
from tests.servers import PASSWORD, Server
from tests.window_driver import LONG, Driver, driven_window

TOWNS = ("Brae", "Dell", "Holm")
ROWS = [(i, TOWNS[i % 3], 20 + i % 7, f"case {i % 4}") for i in range(1, 1301)]
COLUMNS = {"id": "integer", "town": "text", "age": "integer", "illness": "text"}


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    with driven_window(qtbot, qapp) as made:
        yield made


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


def test_a_table_in_a_server_is_shown_by_pages_filtered_and_released(
    driver: Driver, server: Server, tmp_path: Path
) -> None:
    panel = open_people(driver, server)
    captions = [label.text() for label in driver.window.findChildren(QLabel)]
    assert any(found.endswith("on the server") and found.startswith("people") for found in captions)
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
    assert not driver.window.banner.isVisible()  # nothing of it is stored for a crash
    driver.key(Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    driver.wait_settled()
    driver.apply()
    driver.wait_settled()
    path = tmp_path / "out.csv"
    assert driver.export(path).startswith("Written and verified: out.csv")
    with path.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert [row["illness"] for row in found] == [row[3] for row in ROWS]
    project = driver.session.project
    assert project is not None
    with pytest.raises(ExportError, match="stay in 'people'; a project file cannot hold them"):
        save_project(project, tmp_path / "people.anon")
