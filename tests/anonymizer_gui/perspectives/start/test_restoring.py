"""A project whose table is lost, in the window: its settings are applied to another table."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.project import Project
from engine.project.edits import set_roles
from engine.project.pins_and_runs import ProjectState
from engine.project.storage import recovery
from engine.project.storage.file import save_project
from engine.project.storage.recovery import Recovery
from engine.records import Role
from engine.records.opening.files import read_table
from tests.window_driver import Driver, driven_window


@pytest.fixture
def project(tmp_path: Path) -> Project:
    path = tmp_path / "people.csv"
    path.write_text("name,age\nAnn,31\nBob,34\n")
    table, options = read_table(path)
    made = set_roles(Project("people", path, options, table), ["name"], Role.IDENTIFYING)
    return set_roles(made, ["age"], Role.QUASI_IDENTIFYING)


def put_on_table(driver: Driver, table: Path) -> None:
    """Use the action of the banner."""
    banner = driver.window.banner
    driver.wait(lambda: banner._action.text() == "Choose the table…" and banner._action.isVisible())
    driver.answer_file_dialog(table)
    driver.click(banner._action)
    driver.click(driver.button(driver.dialog("changesDialog"), "takeOverButton"))
    driver.wait(lambda: driver.session.project is not None)


def assert_is_restored(driver: Driver) -> None:
    found = driver.session.project
    assert (found.name, found.quasi_identifying, found.identifying) == ("people", ("age",), ("name",))
    assert (driver.session.saved.path, driver.session.saved.is_modified) == (None, True)
    assert "The table" in driver.window.banner.hint.text()


def test_a_damaged_file_without_its_table_continues_with_the_table_imported_again(
    driver: Driver, project: Project, tmp_path: Path
) -> None:
    path = tmp_path / "people.anon"
    save_project(project, path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if name != "table.parquet"}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    before = path.read_bytes()
    driver.drop(path)
    put_on_table(driver, tmp_path / "people.csv")
    assert_is_restored(driver)
    assert path.read_bytes() == before


def test_recovered_work_without_its_table_continues_with_the_table_imported_again(
    qtbot: QtBot,
    themed: QApplication,
    project: Project,
    tmp_path: Path,
    config_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Recovery().write(project, ProjectState(), None)
    (folder,) = (config_dir / "recovery").iterdir()
    next(folder.glob("*.member")).write_bytes(b"PAR1")
    monkeypatch.setattr(recovery, "is_running", lambda pid, start: False)
    with driven_window(qtbot, themed) as driver:
        driver.wait(driver.wiring.recovery_card.isVisible)
        driver.click("recover.0")
        put_on_table(driver, tmp_path / "people.csv")
        assert_is_restored(driver)
        assert folder.exists()
