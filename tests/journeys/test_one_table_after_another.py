"""A project that is opened while something of the previous one is shown, asked or computed."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure import presenter as configure
from anonymizer_gui.perspectives.start import opening
from anonymizer_gui.session import scoring_controller
from anonymizer_gui.tasks.runner import WATCH_MILLISECONDS
from anonymizer_gui.widgets.fitted_dialog import Question
from anonymizer_gui.widgets.results_stack import EmptyState
from tests.anonymizer_gui.hands import let_run
from tests.anonymizer_gui.shown_texts import shown_texts
from tests.window_driver import Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier


class Slow:
    """Function that waits, once it was called, until it may go on."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self.may_end, self.is_called = function, threading.Event(), threading.Event()
        self.__signature__ = inspect.signature(function)  # a task passes a monitor if it is taken

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self.is_called.set()
        assert self.may_end.wait(30)
        return self._function(*arguments, **named)


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    """Return the clinic example, scored."""
    with driven_window(qtbot, qapp) as made:
        made.open_example("clinic")
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
        driver.apply_by_keys()
        driver.key(Qt.Key.Key_E, CONTROL)
        driver.when_modal(Question, lambda asked: driver.click(asked.answers["discard"]))
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
        driver.click(asked.answers["discard"])

    driver.when_modal(Question, answer)
    hospital.may_end.set()
    driver.wait(lambda: is_hospital(driver))
    driver.wait_settled()
    assert not driver.window.banner.isVisible()


PAGES = ("explore", "configure", "utility", "risk")
OF_CLINIC = ("visit date", "postal code", "insurance", "length of stay", "diagnosis", "155 satisfy", "of 864")


def old_words(driver: Driver) -> list[tuple[str, str, str]]:
    """Return the texts of the clinic example that any perspective shows, with page and place."""
    found = []
    for page in PAGES:
        driver.click(f"tab.{page}")
        let_run(50)
        texts = [text for text in shown_texts(driver.window) if "Recent" not in text[0]]
        found += [(page, *text) for text in texts if any(word in text[1] for word in OF_CLINIC)]
    driver.click("tab.explore")
    return found


def test_no_perspective_shows_results_of_the_project_before(
    driver: Driver, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for page in PAGES:
        driver.click(f"tab.{page}")
        driver.wait_settled()
    driver.click("tab.explore")
    driver.wait(lambda: driver.wiring.is_settled)
    assert old_words(driver)
    find = driver.find("findNode", QLineEdit)
    driver.type_into(find, "age 5")
    driver.key(Qt.Key.Key_Return)
    slow = {name: Slow(getattr(scoring_controller, name)) for name in ("_compile", "_score", "_evaluate")}
    for name, held in slow.items():
        monkeypatch.setattr(scoring_controller, name, held)
    assert driver.drop(examples / "adult" / "recipe.toml")
    driver.wait(slow["_compile"].is_called.is_set)
    assert old_words(driver) == []
    empty = [
        part.sentence() for part in driver.window.shown_page.findChildren(EmptyState) if part.isVisible()
    ]
    assert any("being prepared" in sentence for sentence in empty)
    slow["_compile"].may_end.set()
    driver.wait(slow["_evaluate"].is_called.is_set)
    driver.wait(lambda: driver.wiring.explore.state.layout is not None)
    let_run(200)
    assert old_words(driver) == []
    assert find.text() == ""
    levels = driver.find("levelFilter")
    driver.click("unfoldLevels")
    assert levels.height() > 9 * 10  # its nine columns are not squashed
    slow["_evaluate"].may_end.set()
    count = driver.find("satisfyingCount", QLabel)
    driver.wait(lambda: count.text() == "0")
    words = [label.text() for label in driver.find("countPanel").findChildren(QLabel)]
    assert "none found so far" in words
    driver.session.close_project()  # Adult need not be scored completely
    slow["_score"].may_end.set()
    driver.wait(lambda: not driver.wiring.runner.is_busy)
