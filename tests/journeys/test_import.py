"""A large file: edited while it is read, and the effects of its end."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QTableView, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.start import database_opening, opening, reading
from anonymizer_gui.widgets.fitted_dialog import Question
from engine.errors import InputError
from engine.project.recipe.files import read_recipe
from engine.project.storage.file import save_project
from engine.records import Role
from engine.records.opening import open_database
from engine.records.types import Kind
from tests.window_driver import Driver, driven_window

N_RECORDS = 400
HEADER = "name,age,city\n"
RECORDS = [f"person {i},{20 + i % 60},city {i % 7}\n" for i in range(N_RECORDS)]


class Gate:
    """Blocks the complete reading of files until it is opened."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self.n_waiting = 0

    def pass_through(self, monitor: Any) -> None:
        """Wait in the worker thread until the task is cancelled."""
        self.n_waiting += 1
        while not self._open.wait(0.01):
            monitor.step(1, 2)

    def open(self) -> None:
        self._open.set()

    def close(self) -> None:
        self._open.clear()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    made, real = Gate(), reading.open_table

    def held(path: Path, options: Any, monitor: Any, **named: Any) -> Any:
        made.pass_through(monitor)
        return real(path, options, monitor, **named)

    monkeypatch.setattr(reading, "open_table", held)
    monkeypatch.setattr(reading, "LARGE", 4_000)
    monkeypatch.setattr(reading, "HEAD", 2_000)
    yield made
    made.open()


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication, gate: Gate) -> Iterator[Driver]:
    with driven_window(qtbot, qapp) as made:
        yield made


def a_table(folder: Path, *, last: str = "", name: str = "people.csv") -> Path:
    path = folder / name
    path.write_text(HEADER + "".join(RECORDS) + last)
    return path


def dialog_of(driver: Driver, path: Path) -> Any:
    """Drop a file and wait for its first records."""
    assert driver.drop(path)
    dialog: Any = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None)
    return dialog


def opened_early(driver: Driver, path: Path) -> None:
    """Open a file before it is read."""
    dialog = dialog_of(driver, path)
    assert not dialog.reading.is_complete
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.reading.is_provisional)


def chip(driver: Driver, name: str) -> str:
    found = driver.window.bar.findChild(QWidget, name)
    assert found is not None
    return found.findChildren(QLabel)[-1].text() if found.isVisible() else ""


def test_a_large_file_is_tagged_while_it_is_read_and_keeps_its_roles(
    driver: Driver, gate: Gate, tmp_path: Path
) -> None:
    opened_early(driver, a_table(tmp_path))
    session = driver.session
    assert 10 < session.project.table.n_records < N_RECORDS
    assert chip(driver, "readingChip") == "Reading people.csv; types are provisional"
    driver.set_role(Qt.Key.Key_1, "name")
    driver.set_role(Qt.Key.Key_2, "age", "city")
    for name in ("export", "score", "find_replace", "filter_records", "first_release"):
        action = driver.wiring.actions[name]
        assert not action.isEnabled()
        assert "still being read" in action.toolTip()
    for name in ("findField", "filterButton", "suggestRolesButton", "proposeHierarchiesButton", "typeBox"):
        assert not driver.find(name).isEnabled()
        assert "still being read" in driver.find(name).toolTip()
    assert driver.window.status.job.isVisible()
    gate.open()
    driver.wait(lambda: not session.reading.is_provisional)
    assert session.project.table.n_records == N_RECORDS
    assert session.project.role("name") is Role.IDENTIFYING
    assert session.project.quasi_identifying == ("age", "city")
    assert chip(driver, "readingChip") == ""
    assert not driver.window.banner.isVisible()
    driver.wait(lambda: driver.wiring.scoring.is_settled)
    assert driver.wiring.actions["filter_records"].isEnabled()


def test_after_an_early_cancellation_the_start_page_is_shown(driver: Driver, tmp_path: Path) -> None:
    opened_early(driver, a_table(tmp_path))
    driver.key(Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    driver.wait(lambda: driver.session.project is None)
    assert driver.window.page == "start"
    driver.wait(lambda: not driver.wiring.runner.is_busy)


def test_after_an_early_cancellation_the_previous_project_has_its_unsaved_changes(
    driver: Driver, gate: Gate, tmp_path: Path
) -> None:
    small = tmp_path / "small.csv"
    small.write_text("a,b\n1,2\n3,4\n")
    gate.open()
    dialog_of(driver, small)
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: driver.session.project is not None)
    driver.set_role(Qt.Key.Key_2, "a")
    before = driver.session.project
    gate.close()
    path = a_table(tmp_path)
    driver.when_modal(Question, lambda box: driver.click(box.answers["discard"]))
    opened_early(driver, path)
    assert driver.session.project is not before
    driver.key(Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    driver.wait(lambda: not driver.session.reading.is_provisional)
    assert driver.session.project is before
    assert driver.session.saved.is_modified
    assert driver.session.project.role("a") is Role.QUASI_IDENTIFYING  # type: ignore[union-attr]


def test_a_type_contradicted_by_the_end_of_the_file_is_reported_with_record_and_value(
    driver: Driver, gate: Gate, tmp_path: Path
) -> None:
    opened_early(driver, a_table(tmp_path, last="somebody,unknown,city 1\n"))
    project = driver.session.project
    assert project.table.column("age").data_type.kind is Kind.INTEGER
    driver.set_role(Qt.Key.Key_2, "age")
    gate.open()
    driver.wait(lambda: not driver.session.reading.is_provisional)
    banner = driver.window.banner
    assert "records suggested." in banner.problem()
    assert banner.hint.text() == "“age” is now “Text” instead of “Whole number”: record 401 is “unknown”."
    driver.set_role(Qt.Key.Key_4, "name")
    driver.click(action_of(driver))
    assert driver.wiring.configure.selected_columns() == ("age",)
    project = driver.session.project
    assert project.role("age") is Role.QUASI_IDENTIFYING
    assert project.table.column("age").data_type.kind is Kind.TEXT


def action_of(driver: Driver) -> QAbstractButton:
    """Return the action button of the banner."""
    return next(b for b in driver.window.banner.findChildren(QAbstractButton) if b.isVisible() and b.text())


def test_a_file_with_a_late_error_is_read_with_other_settings_and_keeps_its_roles(
    driver: Driver, gate: Gate, tmp_path: Path
) -> None:
    opened_early(driver, a_table(tmp_path, last="somebody,40\n"))
    driver.set_role(Qt.Key.Key_1, "name")
    gate.open()
    driver.wait(driver.window.banner.isVisible)
    assert "line 402: 2 fields, but the header has 3" in driver.window.banner.problem()
    assert chip(driver, "brokenReadingChip") == "people.csv is only partly read"
    assert driver.session.reading.is_provisional
    driver.click(action_of(driver))
    dialog: Any = driver.dialog("openDialog")
    driver.wait(lambda: "line 402" in dialog._banner.problem())
    assert not driver.button(dialog, "openDialogButton").isEnabled()
    box = driver.find("param.ragged")
    driver.click(box, QPoint(8, box.height() // 2))
    driver.wait(lambda: dialog.reading is not None and dialog.reading.is_complete)
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: not driver.session.reading.is_provisional)
    project = driver.session.project
    assert project.table.n_records == N_RECORDS + 1
    assert project.table.column("city").has_missing
    assert project.role("name") is Role.IDENTIFYING
    assert "padded with missing cells: 1 records, such as 401." in driver.window.banner.hint.text()
    assert chip(driver, "brokenReadingChip") == ""


def test_columns_left_out_after_a_break_leave_the_roles_of_the_others(
    driver: Driver, gate: Gate, tmp_path: Path
) -> None:
    opened_early(driver, a_table(tmp_path, last="somebody,40\n"))
    driver.set_role(Qt.Key.Key_1, "name")
    gate.open()
    driver.wait(driver.window.banner.isVisible)
    driver.click(link_of(driver))
    dialog: Any = driver.dialog("openDialog")
    driver.wait(dialog._banner.isVisible)
    box = driver.find("param.ragged")
    driver.click(box, QPoint(8, box.height() // 2))
    driver.wait(lambda: dialog.reading is not None)
    driver.click(dialog._pages.segment("columns"))
    table = driver.find("columnsTable", QTableView)
    cell = table.visualRect(table.model().index(2, 0))
    driver.click(table.viewport(), QPoint(cell.left() + 14, cell.center().y()))
    driver.wait(lambda: dialog.reading is not None and dialog.reading.table.names == ("name", "age"))
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: not driver.session.reading.is_provisional)
    project = driver.session.project
    assert project.table.names == ("name", "age")
    assert project.table.n_records == N_RECORDS + 1
    assert project.role("name") is Role.IDENTIFYING
    assert driver.session.saved.is_modified  # closing asks about the unsaved role


def test_reading_with_another_delimiter_after_an_error_gives_a_separate_table(
    driver: Driver, gate: Gate, tmp_path: Path
) -> None:
    opened_early(driver, a_table(tmp_path, last="somebody,40\n"))
    driver.set_role(Qt.Key.Key_1, "name")
    gate.open()
    driver.wait(driver.window.banner.isVisible)
    driver.click(link_of(driver))
    dialog: Any = driver.dialog("openDialog")
    driver.wait(dialog._banner.isVisible)
    driver.choose("param.delimiter", "Semicolon  ;")
    driver.wait(lambda: dialog.reading is not None and dialog.reading.table.names == ("name,age,city",))
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: not driver.session.reading.is_provisional)
    project = driver.session.project
    assert project.table.names == ("name,age,city",)
    assert project.table.n_records == N_RECORDS + 1
    assert dict(project.roles) == {}


def link_of(driver: Driver) -> QAbstractButton:
    """Return the button in the chip of a file with an error."""
    return driver.find("brokenReadingChip").findChildren(QAbstractButton)[0]


def test_the_dialog_works_with_the_first_records_until_the_file_is_read_completely(
    driver: Driver, gate: Gate, tmp_path: Path
) -> None:
    dialog = dialog_of(driver, a_table(tmp_path, last="somebody,unknown,city 1\n"))
    assert dialog.findChild(QWidget, "provisionalChip").isVisible()
    n_held = gate.n_waiting
    driver.click("formatButton")
    driver.choose("param.delimiter", "Semicolon  ;")
    driver.wait(lambda: dialog.reading is not None and len(dialog.reading.table.columns) == 1)
    driver.choose("param.delimiter", "Comma  ,")
    driver.wait(lambda: dialog.reading is not None and len(dialog.reading.table.columns) == 3)
    assert not dialog.reading.is_complete
    assert dialog.reading.table.column("age").data_type.kind is Kind.INTEGER
    driver.wait(lambda: gate.n_waiting > n_held)
    gate.open()
    driver.wait(lambda: dialog.reading is not None and dialog.reading.is_complete)
    assert not dialog.findChild(QWidget, "provisionalChip").isVisible()
    assert "age" in dialog._note.text()
    driver.click(dialog._pages.segment("columns"))
    misfits = dialog.findChild(QTableView, "misfitsTable").model()
    assert [misfits.index(0, i).data() for i in (0, 1)] == ["401", "unknown"]
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.project is not None)
    assert not driver.session.reading.is_provisional


def test_leaving_the_dialog_ends_the_reading(driver: Driver, gate: Gate, tmp_path: Path) -> None:
    dialog = dialog_of(driver, a_table(tmp_path))
    driver.wait(lambda: gate.n_waiting)
    driver.click(driver.button(dialog, "cancelButton"))
    driver.wait(lambda: not driver.wiring.runner.is_busy)
    assert driver.session.project is None


def test_another_file_opened_meanwhile_is_not_given_the_end_of_the_first(
    driver: Driver, gate: Gate, tmp_path: Path
) -> None:
    opened_early(driver, a_table(tmp_path))
    others = a_table(tmp_path, last="a,b,c\n", name="others.csv")
    dialog_of(driver, others)
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: chip(driver, "readingChip") == "Reading others.csv; types are provisional")
    gate.open()
    driver.wait(lambda: not driver.session.reading.is_provisional)
    assert driver.session.project.name == "others"
    assert driver.session.project.table.n_records == N_RECORDS + 1


def test_a_project_file_written_by_another_window_while_read_is_not_replaced_silently(
    driver: Driver, examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "hospital.anon"
    save_project(read_recipe(examples / "hospital" / "recipe.toml"), path)
    real = opening.read_project

    def read_then_written(path: Path, *args: Any, **named: Any) -> Any:
        found = real(path, *args, **named)
        path.write_bytes(path.read_bytes() + b"\n")
        return found

    monkeypatch.setattr(opening, "read_project", read_then_written)
    assert driver.drop(path)
    driver.wait(lambda: driver.session.saved.path == path)
    driver.wait(lambda: not driver.wiring.runner.is_busy)
    asked: list[str] = []

    def leave(box: Question) -> None:
        asked.append(box.objectName())
        box.reject()

    driver.when_modal(Question, leave)
    driver.key(Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert asked == ["changedFileDialog"]


def test_a_table_that_cannot_be_compared_with_its_beginning_is_reported_and_read_again(
    driver: Driver, gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_args: Any) -> Any:
        raise InputError("No room left.", hint="Make room.")

    opened_early(driver, a_table(tmp_path))
    driver.set_role(Qt.Key.Key_1, "name")
    with monkeypatch.context() as patched:
        patched.setattr(reading, "type_changes", fails)
        gate.open()
        driver.wait(driver.window.banner.isVisible)
    assert driver.window.banner.problem() == "No room left."
    assert chip(driver, "brokenReadingChip") == "people.csv is only partly read"
    driver.click(action_of(driver))
    dialog: Any = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None and dialog.reading.is_complete)
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: not driver.session.reading.is_provisional)
    project = driver.session.project
    assert project.table.n_records == N_RECORDS
    assert project.role("name") is Role.IDENTIFYING


def answering(driver: Driver, button: str) -> list[str]:
    """Click a button of the coming question about unsaved changes, and return its text."""
    asked: list[str] = []

    def click(box: Question) -> None:
        asked.append(f"{box.objectName()}: {box.question} {box.consequence}")
        driver.click(box.answers[button])

    driver.when_modal(Question, click)
    return asked


def a_small_table(folder: Path) -> Path:
    path = folder / "small.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    return path


@pytest.fixture
def slow_project(
    examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[threading.Event]:
    """Return a function that lets the reading of the project file continue."""
    save_project(read_recipe(examples / "hospital" / "recipe.toml"), tmp_path / "hospital.anon")
    made, real = threading.Event(), opening.read_project

    def slow(*args: Any, **named: Any) -> Any:
        made.wait(10)
        return real(*args, **named)

    monkeypatch.setattr(opening, "read_project", slow)
    yield made
    made.set()


def test_changes_made_while_a_project_is_read_are_asked_about_and_can_be_kept(
    driver: Driver, gate: Gate, tmp_path: Path, slow_project: threading.Event
) -> None:
    gate.open()
    driver.open_table(a_small_table(tmp_path))
    assert driver.drop(tmp_path / "hospital.anon")
    driver.set_role(Qt.Key.Key_1, "a")
    asked = answering(driver, "cancel")
    slow_project.set()
    driver.wait(lambda: not driver.wiring.runner.is_busy)
    assert asked[0].startswith("unsavedDialog: Save the changes to “small”? “")
    assert asked[0].endswith("” replaces it. Otherwise the changes will be lost.")
    project = driver.session.project
    assert (project.name, project.role("a")) == ("small", Role.IDENTIFYING)
    assert driver.session.history.own.count() == 1


def test_a_table_opened_while_a_database_is_read_stays_open(
    driver: Driver, gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = threading.Event()

    def slow(*asked: Any, **how: Any) -> Any:
        may_end.wait(10)
        return open_database(*asked, **how)

    monkeypatch.setattr(database_opening, "open_database", slow)
    connection = sqlite3.connect(tmp_path / "clinic.sqlite")
    connection.execute("CREATE TABLE patients (name TEXT)")
    connection.execute("INSERT INTO patients VALUES ('P')")
    connection.commit()
    connection.close()
    assert driver.drop(tmp_path / "clinic.sqlite")
    dialog: Any = driver.dialog("databaseDialog")
    driver.wait(dialog.open_button.isEnabled)
    driver.click(dialog.open_button)
    opened_early(driver, a_table(tmp_path))
    driver.set_role(Qt.Key.Key_1, "name")
    may_end.set()
    gate.open()
    driver.wait(lambda: not driver.session.reading.is_provisional)
    driver.wait(lambda: not driver.wiring.runner.is_busy)
    project = driver.session.project
    assert (project.name, project.table.n_records) == ("people", N_RECORDS)
    assert project.role("name") is Role.IDENTIFYING


def test_unsaved_changes_are_asked_about_before_the_dialog_of_a_detected_file(
    driver: Driver, gate: Gate, tmp_path: Path
) -> None:
    gate.open()
    driver.open_table(a_small_table(tmp_path))
    gate.close()
    other = tmp_path / "other.csv"
    other.write_text("c,d\n1,2\n")
    assert driver.drop(other)
    driver.set_role(Qt.Key.Key_1, "a")
    asked = answering(driver, "discard")
    gate.open()
    dialog: Any = driver.dialog("openDialog")
    assert len(asked) == 1
    driver.wait(lambda: dialog.reading is not None)
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.project is not None and driver.session.project.name == "other")
    assert len(asked) == 1
