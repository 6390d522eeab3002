"""A project that is opened while something of the previous one is shown, asked or computed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure import presenter as configure
from anonymizer_gui.perspectives.start import opening
from anonymizer_gui.tasks.runner import WATCH_MILLISECONDS
from anonymizer_gui.widgets.question import Question
from tests.anonymizer_gui.hands import let_run
from tests.window_driver import Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier


class Slow:
    """Function that waits, once it was called, until it may go on."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self.may_end, self.is_called = function, threading.Event(), threading.Event()

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self.is_called.set()
        assert self.may_end.wait(30)
        return self._function(*arguments, **named)


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    """Return the clinic example, scored."""
    with driven_window(qtbot, qapp) as made:
        made.click("example.clinic")
        made.wait(lambda: made.session.project is not None)
        made.wait_settled()
        yield made


def is_hospital(driver: Driver) -> bool:
    project = driver.session.project
    return project is not None and "disease" in project.table.names


@pytest.fixture
def hospital(driver: Driver, examples: Path, monkeypatch: pytest.MonkeyPatch) -> Slow:
    """Begin to open another recipe, whose reading ends when the test says so."""
    slow = Slow(opening.read_project)
    monkeypatch.setattr(opening, "read_project", slow)
    assert driver.drop(examples / "hospital" / "recipe.toml")
    driver.wait(slow.is_called.is_set)
    return slow


def open_dialogs(driver: Driver) -> list[str]:
    return [dialog.objectName() for dialog in driver.window.findChildren(QDialog) if dialog.isVisible()]


@pytest.mark.parametrize(
    ("page", "button", "name"),
    [
        ("configure", "suggestRolesButton", "suggestDialog"),
        ("configure", "proposeHierarchiesButton", "proposeDialog"),
        ("explore", "presetsButton", "presetDialog"),
        ("explore", "", "exportDialog"),
    ],
)
def test_a_dialog_goes_with_the_table_it_is_about(
    driver: Driver, hospital: Slow, page: str, button: str, name: str
) -> None:
    driver.click(f"tab.{page}")
    if button:
        driver.click(button)
    else:
        driver.key(Qt.Key.Key_Return, CONTROL)
        driver.wait(lambda: driver.session.applied.release is not None)
        driver.key(Qt.Key.Key_E, CONTROL)
        driver.when_modal(Question, lambda asked: driver.click(asked.answer("discard")))
    driver.dialog(name)
    hospital.may_end.set()
    driver.wait(lambda: is_hospital(driver))
    driver.wait(lambda: not open_dialogs(driver))
    driver.wait_settled()
    assert not driver.session.saved.is_modified


def test_suggestions_that_are_still_sought_go_with_their_table(
    driver: Driver, hospital: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.click("tab.configure")
    slow = Slow(configure.suggest_roles)
    monkeypatch.setattr(configure, "suggest_roles", slow)
    driver.click("suggestRolesButton")
    driver.wait(slow.is_called.is_set)
    hospital.may_end.set()
    driver.wait(lambda: is_hospital(driver))
    slow.may_end.set()
    driver.wait(lambda: not driver.wiring.runner.is_busy)
    let_run(50)
    assert open_dialogs(driver) == []


def test_a_question_about_an_opened_project_may_be_answered_late(
    driver: Driver, hospital: Slow, qtbot: QtBot
) -> None:
    driver.click("tab.configure")
    driver.set_role(Qt.Key.Key_4, "diagnosis")  # a change since the opening was requested
    driver.wait(lambda: driver.wiring.scoring.is_settled)

    def answer(asked: Question) -> None:
        let_run(3 * WATCH_MILLISECONDS)  # meanwhile the runner looks for tasks that no thread runs
        driver.click(asked.answer("discard"))

    driver.when_modal(Question, answer)
    hospital.may_end.set()
    driver.wait(lambda: is_hospital(driver))
    driver.wait_settled()
    assert not driver.window.banner.isVisible()
