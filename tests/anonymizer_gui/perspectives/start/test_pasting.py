"""A table from the clipboard: opened by keys on the start page, without leaving a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.window_driver import Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def driver(
    qtbot: QtBot, themed: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Driver]:
    monkeypatch.setenv("ANONYMIZER_SCRATCH_DIR", str(tmp_path / "scratch"))
    with driven_window(qtbot, themed) as made:
        yield made


def left(folder: Path) -> list[str]:
    return [name for _, _, names in os.walk(folder / "scratch") for name in names]


def test_cells_of_a_spreadsheet_are_pasted_as_a_table(driver: Driver, tmp_path: Path) -> None:
    QApplication.clipboard().setText("age\tcity\n30\tBonn, west\n41\tKöln\n")
    driver.key(Qt.Key.Key_V, CONTROL)
    dialog = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None)  # type: ignore[attr-defined]
    assert left(tmp_path) == ["Pasted table.tsv"]
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.project is not None)
    project = driver.session.project
    assert project.table.column("city").labels == ("Bonn, west", "Köln")
    assert (project.source, driver.session.saved.path) == (None, None)
    assert driver.session.saved.is_modified
    assert left(tmp_path) == []
    assert not driver.wiring.actions["paste"].isEnabled()


def test_an_empty_clipboard_is_reported_and_a_cancelled_dialog_leaves_no_file(
    driver: Driver, tmp_path: Path
) -> None:
    QApplication.clipboard().setText(" ")
    driver.key(Qt.Key.Key_V, CONTROL)
    driver.wait(driver.window.banner.problem)
    assert "clipboard contains no table" in driver.window.banner.problem()
    QApplication.clipboard().setText("a\tb\n1\t2\n")
    driver.key(Qt.Key.Key_V, CONTROL)
    driver.click(driver.button(driver.dialog("openDialog"), "cancelButton"))
    driver.wait(lambda: left(tmp_path) == [])
    assert driver.session.project is None


def test_a_table_available_only_as_html_is_pasted(driver: Driver) -> None:
    held = QMimeData()
    held.setHtml("<table><tr><th>age</th><th>city</th></tr><tr><td>30</td><td>Bonn</td></tr></table>")
    QApplication.clipboard().setMimeData(held)
    driver.key(Qt.Key.Key_V, CONTROL)
    dialog = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None)  # type: ignore[attr-defined]
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.project is not None)
    project = driver.session.project
    assert project.table.record(0) == ("30", "Bonn")


def test_the_users_words_for_missing_values_apply_to_a_pasted_table(driver: Driver) -> None:
    driver.wiring.preferences.set_values({"missing": ("", "unknown")})
    QApplication.clipboard().setText("age\tcity\n30\tunknown\n41\tKöln\n")
    driver.key(Qt.Key.Key_V, CONTROL)
    dialog = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None)  # type: ignore[attr-defined]
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.project is not None)
    project = driver.session.project
    assert project.options.missing == ("", "unknown")
