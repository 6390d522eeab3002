"""A table that stays in its files: opened in the window, released, saved as a project that names them."""

from __future__ import annotations

import csv
import threading
from collections.abc import Iterable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit

from anonymizer_gui.models.sides import NOT_RELEASED
from anonymizer_gui.perspectives.explore.inspector.classes_presenter import ClassesDialog
from anonymizer_gui.perspectives.utility.tables.side_table import SideTable
from engine.cli import main as run_command
from engine.monitor import Monitor
from engine.project.recipe.files import read_recipe
from engine.records import Role
from engine.records.counting import TupleRows
from tests.window_driver import LONG, Driver

CLINIC = Path(__file__).parents[2] / "resources" / "examples" / "clinic"


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    text = (CLINIC / "recipe.toml").read_text(encoding="utf-8")
    text = text.replace('"hierarchies/', f'"{(CLINIC / "hierarchies").as_posix()}/')
    text = text.replace(
        'path = "clinic.csv"', f'path = "{(CLINIC / "clinic.csv").as_posix()}"\nsource = "disk"'
    )
    path = tmp_path / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_window_releases_what_the_command_does(driver: Driver, recipe: Path, tmp_path: Path) -> None:
    by_window, by_command = tmp_path / "window.csv", tmp_path / "command.csv"
    assert run_command(["anonymize", str(recipe), "--out", str(by_command), "--quiet"]) == 0
    driver.drop(recipe)
    driver.wait(
        lambda: driver.session.project is not None and driver.session.project.stored is not None, LONG
    )
    driver.wait_settled()
    captions = [label.text() for label in driver.window.findChildren(QLabel)]
    assert any(text.endswith("in files") for text in captions)
    driver.key(Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    driver.wait_settled()
    driver.click("classesButton")
    dialog = driver.dialog("classesDialog")
    driver.wait(lambda: dialog.view.texts.rowCount() > 0)
    driver.click(dialog.view.viewport(), dialog.view.visualRect(dialog.view.texts.index(0, 0)).center())
    driver.wait(lambda: dialog.records_view.texts.rowCount() > 0)
    cancel_finding(driver, dialog)
    dialog.close()
    driver.wait_settled()
    driver.apply()
    driver.wait_settled()
    driver.key(Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    driver.wait_settled()
    compare_records(driver, by_command)
    driver.key(Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    driver.wait_settled()
    assert driver.export(by_window).startswith("Written and verified: window.csv")
    assert by_window.read_bytes() == by_command.read_bytes()
    in_parts = tmp_path / "parts"
    in_parts.mkdir()
    assert driver.export(in_parts).startswith("Written and verified: parts")
    assert sorted(path.name for path in in_parts.iterdir()) == ["_manifest.json", "part-00001.csv"]
    assert (in_parts / "part-00001.csv").read_bytes() == by_command.read_bytes()
    assert "already exists and is not empty" in driver.export(in_parts)


def compare_records(driver: Driver, released: Path) -> None:
    """Compare both tables of records with both files, as read, sorted, found and as one class."""
    given, made = driver.find("inputTable", SideTable), driver.find("releaseTable", SideTable)
    both = [
        list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        for path in (CLINIC / "clinic.csv", released)
    ]
    names = list(given.side.table.names)

    def texts(row: int) -> list[dict[str, str]]:
        cells = [[table.side.index(row, i).data() for i in range(len(names))] for table in (given, made)]
        return [dict(zip(names, own, strict=True)) for own in cells]

    def are_those_of_the_files(rows: Iterable[int]) -> bool:
        hidden = dict.fromkeys(both[0][0].keys() - both[1][0].keys(), NOT_RELEASED)
        records = [(row, given.side.record_of(row)) for row in rows]
        assert all(made.side.record_of(row) == record for row, record in records)
        return all(texts(row) == [both[0][i], both[1][i] | hidden] for row, i in records)

    assert given.side.rowCount() == made.side.rowCount() == len(both[0])
    assert are_those_of_the_files(range(0, len(both[0]), 7))
    header = given.horizontalHeader()
    place = header.sectionViewportPosition(names.index("age")) + 20
    driver.qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place, 8))
    driver.wait_settled()
    ages = [int(texts(row)[0]["age"]) for row in range(len(both[0]))]
    assert ages == sorted(ages)
    assert are_those_of_the_files(range(0, len(both[0]), 97))
    driver.type_into("findCell", "P813801")
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: given.marked == made.marked == 1)
    driver.click("showClass")
    driver.wait_settled()
    size = given.side.rowCount()
    members = [i for i, own in enumerate(both[1]) if in_class(own) == in_class(both[1][1])]
    assert [made.side.record_of(row) for row in range(size)] == members
    assert are_those_of_the_files(range(size))


def in_class(record: dict[str, str]) -> tuple[str, ...]:
    return tuple(record[name] for name in ("visit date", "age", "sex", "postal code", "insurance"))


def cancel_finding(driver: Driver, dialog: ClassesDialog) -> None:
    """Cancel the search for the records of another class, and find them after all."""
    is_begun = threading.Event()

    def endless(self: TupleRows, chosen: object, most: int, text: str, monitor: Monitor) -> None:
        is_begun.set()
        while True:  # until the monitor cancels it
            monitor.step(0, 1, text)
            threading.Event().wait(0.001)

    place = dialog.view.visualRect(dialog.view.texts.index(1, 0)).center()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TupleRows, "some_records", endless)
        driver.click(dialog.view.viewport(), place)
        driver.wait(is_begun.is_set)
        assert dialog.records_title.text() == "Finding records"
        strip = driver.window.status.job
        driver.wait(strip._cancel.isVisible)
        driver.qtbot.mouseClick(strip._cancel, Qt.MouseButton.LeftButton)
        driver.wait(lambda: dialog.records_title.text() == "Choose a class to see its records.")
    assert dialog.records_view.texts.rowCount() == 0
    driver.click(dialog.view.viewport(), dialog.view.visualRect(dialog.view.texts.index(0, 0)).center())
    driver.wait(lambda: dialog.records_view.texts.rowCount() > 0)


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    folder = tmp_path / "people"
    folder.mkdir()
    for part in range(3):
        lines = [f"{part},{20 + i % 50},{'fm'[i % 2]}" for i in range(4_000)]
        (folder / f"{part}.csv").write_text("part,age,sex\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_a_folder_of_files_is_opened_by_mouse(driver: Driver, parts: Path) -> None:
    driver.answer_file_dialog(parts)
    driver.click("folderButton")
    dialog = driver.dialog("openDialog")
    assert dialog.findChild(QComboBox, "param.source").currentText().startswith("In memory, or in the file")
    driver.wait(driver.button(dialog, "openDialogButton").isEnabled)
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(
        lambda: driver.session.project is not None and not driver.session.reading.is_provisional, LONG
    )
    project = driver.session.project
    assert (project.name, project.table.n_records, project.source) == ("people", 12_000, parts)
    assert [path.name for path in project.stored.paths] == ["0.csv", "1.csv", "2.csv"]
    driver.wait(lambda: shown(driver, "people · 12\u202f000 records · 3 columns · in files"))
    driver.select_columns("age")
    driver.set_role(Qt.Key.Key_2, "age")
    driver.wait(lambda: driver.session.project.role("age") is Role.QUASI_IDENTIFYING)  # type: ignore[union-attr]
    driver.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    driver.wait(lambda: driver.session.project.role("age") is None)  # type: ignore[union-attr]


def test_some_files_of_a_folder_are_chosen_by_mouse_and_kept_in_the_recipe(
    driver: Driver, parts: Path, tmp_path: Path
) -> None:
    driver.answer_file_dialog(parts / "2.csv", parts / "0.csv")
    driver.click("openButton")
    dialog = driver.dialog("openDialog")
    driver.wait(driver.button(dialog, "openDialogButton").isEnabled)
    driver.key(Qt.Key.Key_Return)
    driver.wait(
        lambda: driver.session.project is not None and not driver.session.reading.is_provisional, LONG
    )
    project = driver.session.project
    assert [path.name for path in project.stored.paths] == ["0.csv", "2.csv"]
    driver.wait(lambda: shown(driver, "people · 8\u202f000 records · 3 columns · in files"))
    driver.set_role(Qt.Key.Key_2, "age")
    recipe = tmp_path / "recipe.toml"
    driver.answer_file_dialog(recipe)
    driver.trigger("File", "Save recipe")
    driver.wait(recipe.exists)
    assert 'path = "people/{0.csv,2.csv}"' in recipe.read_text(encoding="utf-8")
    again = read_recipe(recipe)
    assert (again.table.n_records, again.stored.paths) == (8_000, project.stored.paths)  # type: ignore[union-attr]


def test_several_files_are_dropped_unless_they_are_no_table_together(
    driver: Driver, parts: Path, tmp_path: Path
) -> None:
    other = tmp_path / "3.csv"
    other.write_text("part,age\n2,99\n", encoding="utf-8")
    assert driver.drop(parts / "1.csv", other)
    driver.wait(lambda: driver.window.banner.problem() == "'1.csv' and '3.csv' are in different folders.")
    other.rename(parts / "3.csv")
    assert driver.drop(parts / "3.csv", parts / "1.csv")
    driver.dialog("openDialog")
    driver.wait(lambda: shown(driver, "'1.csv' and '3.csv' have different columns."))
    driver.key(Qt.Key.Key_Escape)
    assert driver.session.project is None
    assert driver.drop(parts / "2.csv", parts / "1.csv")
    dialog = driver.dialog("openDialog")
    driver.wait(driver.button(dialog, "openDialogButton").isEnabled)
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(
        lambda: driver.session.project is not None and not driver.session.reading.is_provisional, LONG
    )
    assert driver.session.project.table.n_records == 8_000  # type: ignore[union-attr]


def test_another_place_for_the_records_is_chosen_by_keys(driver: Driver, parts: Path) -> None:
    assert driver.drop(parts)
    dialog = driver.dialog("openDialog")
    driver.choose(dialog.findChild(QComboBox, "param.source"), "In the file")
    driver.type_into(dialog.findChild(QLineEdit, "param.memory"), "much")
    driver.wait(lambda: shown(driver, "Memory cannot be 'much'."))
    driver.type_into(dialog.findChild(QLineEdit, "param.memory"), "50 MB")
    driver.wait(driver.button(dialog, "openDialogButton").isEnabled)
    driver.key(Qt.Key.Key_Return)
    driver.wait(
        lambda: driver.session.project is not None and not driver.session.reading.is_provisional, LONG
    )
    options = driver.session.project.options  # type: ignore[union-attr]
    assert (options.source, options.memory) == ("disk", "50 MB")


def shown(driver: Driver, text: str) -> bool:
    return any(text in label.text() for label in driver.window.findChildren(QLabel) if label.isVisible())


def open_parts(driver: Driver, parts: Path) -> None:
    assert driver.drop(parts)
    dialog = driver.dialog("openDialog")
    driver.wait(driver.button(dialog, "openDialogButton").isEnabled)
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(
        lambda: driver.session.project is not None and not driver.session.reading.is_provisional, LONG
    )


def test_a_project_refers_to_its_files_and_finds_them_changed_and_moved(
    driver: Driver, parts: Path, tmp_path: Path
) -> None:
    open_parts(driver, parts)
    driver.set_role(Qt.Key.Key_2, "age")
    saved = tmp_path / "people.anon"
    driver.answer_file_dialog(saved)
    driver.key(Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    driver.wait(lambda: driver.session.saved.path == saved)
    driver.wait(lambda: shown(driver, "names the files of the table and contains none of its records"))
    assert saved.stat().st_size < 5_000
    driver.key(Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)

    moved = tmp_path / "archive"
    parts.rename(moved)
    driver.drop(saved)
    banner = driver.window.banner
    driver.wait(lambda: banner._action.isVisible() and banner._action.text() == "Locate people…")
    driver.answer_file_dialog(moved)
    driver.click(banner._action)
    driver.wait(lambda: driver.session.project is not None)
    assert driver.session.project.role("age") is Role.QUASI_IDENTIFYING  # type: ignore[union-attr]
    assert driver.session.project.source == moved  # type: ignore[union-attr]
    assert driver.session.saved.path == saved
    driver.key(Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)

    moved.rename(parts)
    (parts / "2.csv").write_text("part,age,sex\n2,99,f\n", encoding="utf-8")
    driver.drop(saved)
    driver.wait(lambda: "'2.csv' has 20 bytes instead of" in banner.problem())
    driver.wait(lambda: banner._action.text() == "Read it as it is now")
    driver.click(banner._action)
    driver.click(driver.button(driver.dialog("changesDialog"), "takeOverButton"))
    driver.wait(lambda: driver.session.project is not None)
    project = driver.session.project
    assert (project.table.n_records, project.role("age")) == (8_001, Role.QUASI_IDENTIFYING)
    assert project.stored is not None
