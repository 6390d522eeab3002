"""Recovery after a crash, files open in another window, and damaged files, by mouse."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QPushButton

from anonymizer_gui.session.saving import LockedProjectFile
from anonymizer_gui.widgets.fitted_dialog import Question
from engine.project import Project
from engine.project.pins_and_runs import ProjectState
from engine.project.storage import file, recovery
from engine.project.storage.file import open_project, save_project
from engine.project.storage.recovery import Recovery
from engine.records import Role
from tests.window_driver import Driver

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def path(hospital: Project, tmp_path: Path) -> Path:
    """Return its file."""
    made = tmp_path / "hospital.anon"
    save_project(hospital, made)
    return made


@pytest.fixture
def left(hospital: Project, path: Path, monkeypatch: pytest.MonkeyPatch) -> Recovery:
    """Return the recovery data of two crashed windows: a project with a file, and one without."""
    for name, belongs_to in (("hospital", path), ("never saved", None)):
        found = path.stat()
        seen = (found.st_mtime_ns, found.st_size, found.st_ino)
        project = Project(name, None, hospital.options, hospital.table)
        Recovery().write(project, ProjectState(), belongs_to, seen)
    monkeypatch.setattr(recovery, "is_running", lambda pid, start: False)
    return Recovery()


def open_file(driver: Driver, path: Path) -> None:
    assert driver.drop(path)
    driver.wait(lambda: driver.session.project is not None)


def save(driver: Driver) -> None:
    driver.key(Qt.Key.Key_S, CONTROL)
    driver.wait(lambda: not driver.wiring.runner.is_busy)


def edit(driver: Driver) -> None:
    driver.wiring.frame.show_perspective("configure")
    driver.set_role(Qt.Key.Key_3, driver.session.project.table.names[0])  # type: ignore[union-attr]


def answer(driver: Driver, button: str) -> None:
    """Click a button of the coming question."""

    def click(box: Question) -> None:
        found = next(b for b in box.findChildren(QPushButton) if b.text().replace("&", "") == button)
        driver.qtbot.mouseClick(found, Qt.MouseButton.LeftButton)

    driver.when_modal(Question, click)


def test_recoverable_work_is_offered_opened_and_unsaved(left: Recovery, path: Path, driver: Driver) -> None:
    card = driver.window.findChild(type(driver.wiring.recovery_card), "recoveryCard")
    driver.wait(card.isVisible)
    buttons = driver.wiring.start_page.findChildren(QPushButton)
    primary = [b.objectName() for b in buttons if b.isVisible() and b.property("kind") == "primary"]
    assert primary == ["recover.0"]
    number = next(i for i, offer in enumerate(left.offers()) if offer.path == path)
    driver.click(f"recover.{number}")
    driver.wait(lambda: driver.session.project is not None)
    assert driver.session.saved.path == path
    assert driver.session.saved.is_modified
    assert not driver.session.project.roles  # type: ignore[union-attr]
    save(driver)
    driver.wait(lambda: not driver.session.saved.is_modified)
    assert not open_project(path).project.quasi_identifying
    driver.wait(lambda: [offer.name for offer in left.offers()] == ["never saved"])


def test_a_recovered_project_asks_before_it_replaces_a_file_that_was_saved_since(
    left: Recovery, hospital: Project, path: Path, driver: Driver
) -> None:
    save_project(Project("theirs", None, hospital.options, hospital.table), path)
    theirs = path.read_bytes()
    driver.wait(driver.wiring.recovery_card.isVisible)
    number = next(i for i, offer in enumerate(left.offers()) if offer.path == path)
    driver.click(f"recover.{number}")
    driver.wait(lambda: driver.session.project is not None)
    answer(driver, "Cancel")
    save(driver)
    assert path.read_bytes() == theirs
    assert driver.session.saved.is_modified


def test_recoverable_work_stays_on_offer_if_changes_made_meanwhile_are_kept(
    left: Recovery, path: Path, driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end, real = threading.Event(), Recovery.read

    def slow(*args: Any) -> Any:
        may_end.wait(10)
        return real(*args)

    monkeypatch.setattr(Recovery, "read", slow)
    driver.wait(driver.wiring.recovery_card.isVisible)
    offered = {offer.folder for offer in left.offers()}
    copy = tmp_path / "copy.anon"
    copy.write_bytes(path.read_bytes())
    open_file(driver, copy)
    driver.wiring.frame.show_perspective("start")
    driver.click("recover.0")
    edit(driver)
    answer(driver, "Cancel")
    may_end.set()
    driver.wait(lambda: not driver.wiring.runner.is_busy and not driver.wiring.autosave.is_waiting)
    assert driver.session.saved.is_modified
    assert driver.session.saved.path == copy
    assert offered < {offer.folder for offer in left.offers()}  # besides the data of this window
    assert driver.wiring.recovery_card.isVisibleTo(driver.wiring.start_page)


def test_discarded_work_is_deleted_after_a_question(left: Recovery, driver: Driver) -> None:
    driver.wait(lambda: driver.wiring.recovery_card.isVisible())
    answer(driver, "Cancel")
    driver.click("discard.0")
    assert len(left.offers()) == 2
    for n_left in (1, 0):
        buttons = driver.window.findChildren
        driver.wait(lambda find=buttons: any(b.isVisible() for b in find(QPushButton, "discard.0")))
        answer(driver, "Discard")
        driver.click("discard.0")
        driver.wait(lambda n=n_left: len(left.offers()) == n)
    assert not driver.wiring.recovery_card.isVisible()


def test_a_file_another_window_has_is_opened_as_a_copy_and_not_written(path: Path, driver: Driver) -> None:
    theirs = LockedProjectFile()
    assert theirs.take(path) is None
    before = path.read_bytes()
    open_file(driver, path)
    assert driver.session.saved.path is None
    assert "” has been open in another window since" in driver.window.banner.problem()
    driver.answer_file_dialog(path)
    answer_later = [0]

    def confirm(box: QMessageBox) -> None:
        answer_later[0] += 1
        driver.qtbot.mouseClick(box.button(QMessageBox.StandardButton.Yes), Qt.MouseButton.LeftButton)

    driver.when_modal(QMessageBox, confirm)  # of the file dialog, about the existing file
    save(driver)
    assert answer_later == [1]
    assert path.read_bytes() == before
    assert "Nothing was saved" in driver.window.banner.hint.text()
    assert LockedProjectFile().take(path) is not None, "it is still theirs"


def test_a_file_is_locked_while_it_is_open_and_free_afterwards(path: Path, driver: Driver) -> None:
    lock = path.parent / ".hospital.anon.lock"
    open_file(driver, path)
    assert lock.exists()
    driver.trigger("File", "Close")
    driver.wait(lambda: driver.session.project is None)
    assert not lock.exists()


def test_closing_is_given_up_with_the_save_it_waits_for(
    path: Path, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_file(driver, path)
    edit(driver)
    save_it, has_come = file.save_project, threading.Event()

    def held(*args: object) -> None:
        has_come.set()
        ends = time.monotonic() + 10
        while time.monotonic() < ends:
            args[-1].step(0, 1)  # type: ignore[attr-defined]

    monkeypatch.setattr(file, "save_project", held)
    answer(driver, "Save")
    driver.window.close()
    driver.wait(has_come.is_set)
    driver.key(Qt.Key.Key_Period, CONTROL)
    driver.wait(lambda: not driver.wiring.runner.is_busy)
    monkeypatch.setattr(file, "save_project", save_it)
    save(driver)
    driver.wait(lambda: not driver.session.saved.is_modified)
    assert driver.window.isVisible()


@pytest.mark.parametrize("button", ["Replace", "Cancel"])
def test_a_file_that_another_program_changed_is_replaced_only_on_request(
    hospital: Project, path: Path, driver: Driver, button: str
) -> None:
    open_file(driver, path)
    edit(driver)
    save_project(Project("theirs", None, hospital.options, hospital.table), path)
    theirs = path.read_bytes()
    answer(driver, button)
    save(driver)
    if button == "Cancel":
        assert path.read_bytes() == theirs
        assert driver.session.saved.is_modified
    else:
        driver.wait(lambda: not driver.session.saved.is_modified)
        saved = open_project(path).project
        assert saved.role(hospital.table.names[0]) is Role.SENSITIVE
        save(driver)  # and is not asked about again
        assert not driver.session.saved.is_modified


def test_a_damaged_file_opens_with_the_list_of_lost_parts_and_is_unchanged(
    path: Path, driver: Driver
) -> None:
    data = bytearray(path.read_bytes())
    data[data.index(b"recipe.toml") + 60] ^= 0xFF
    path.write_bytes(bytes(data))
    open_file(driver, path)
    banner = driver.window.banner
    assert "” is damaged. The readable parts were opened." in banner.problem()
    assert "All settings" in banner.hint.text()
    assert driver.session.saved.path is None
    assert not (path.parent / ".hospital.anon.lock").exists()
    assert path.read_bytes() == bytes(data)
