"""Importing the table again in the window: settings are kept, and changes are shown first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from engine.records import Role
from tests.window_driver import Driver

FIRST = "age;sex\n" + "".join(f"{30 + i};f\n{30 + i};m\n" for i in range(5))


def read_again(driver: Driver, path: Path) -> Any:
    driver.answer_file_dialog(path)
    driver.key(Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    dialog: Any = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None)
    driver.click(driver.button(dialog, "openDialogButton"))
    return driver.dialog("changesDialog")


def test_another_table_is_used_after_its_changes_are_shown_and_undone(driver: Driver, tmp_path: Path) -> None:
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    first.write_text(FIRST)
    second.write_text(FIRST.replace("sex", "sex;town", 1).replace("f\n", "f;x\n").replace("m\n", "d;y\n"))
    driver.open_table(first)
    driver.select_columns("age", "sex")
    driver.key(Qt.Key.Key_2)
    driver.wait(lambda: driver.session.project.role("sex") is Role.QUASI_IDENTIFYING)  # type: ignore[union-attr]
    before = driver.session.project
    dialog = read_again(driver, second)
    added = next(row for row in dialog.table.texts.texts() if row[0] == "New column")
    assert added[1] == "town"
    assert "No role: nothing can be released until you assign one." in added[2]
    assert ["New values", "sex", "1 new values"] in dialog.table.texts.texts()
    assert driver.session.project is before
    driver.click(driver.button(dialog, "takeOverButton"))
    driver.wait(lambda: driver.session.project is not before)
    project = driver.session.project
    assert project.table.names == ("age", "sex", "town")
    assert project.quasi_identifying == ("age", "sex")
    assert project.undecided == ("town",)
    driver.wait_settled()
    driver.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    driver.wait(lambda: driver.session.project.table.names == ("age", "sex"))  # type: ignore[union-attr]
    driver.wait_settled()
    dialog = read_again(driver, second)
    driver.click(driver.button(dialog, "cancelButton"))
    assert driver.session.project.table.names == ("age", "sex")  # type: ignore[union-attr]
