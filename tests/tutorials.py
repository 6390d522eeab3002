"""The three tutorials of the help, carried out by mouse and keys, with a screen for each picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox

from tests.hierarchy_hands import HierarchyHands
from tests.screens import CONTROL, Screen, at_rest
from tests.window_driver import LONG, Driver

KEEPS_AGE = (3, 3, 0, 5, 0)  # node of the hospital table with 20-year bands
Tutorial = Callable[[Driver, Path], Iterator[Screen]]


def hospital(driver: Driver, folder: Path) -> Iterator[Screen]:
    """From a hospital table to a verified file and its report."""
    yield from _opened(driver, folder / "clinic" / "clinic.csv", "hospital-open")
    driver.click("suggestRolesButton")
    yield from _accepted(driver, "suggestDialog", "hospital-roles")
    driver.click("proposeHierarchiesButton")
    yield from _accepted(driver, "proposeDialog", "hospital-hierarchies")
    yield from _model_added(driver, "distinct l-diversity", "diagnosis", "hospital-model")
    for _ in _model_added(driver, "t-closeness", "length of stay", ""):
        pass
    driver.wait_settled()
    yield at_rest(driver, "hospital-requirement")
    driver.click("tab.explore")
    driver.wait_settled()
    yield at_rest(driver, "hospital-explore")
    _turn(driver, "k", 10)
    driver.click_node(KEEPS_AGE)
    driver.wait_settled()
    yield at_rest(driver, "hospital-node")
    driver.apply()
    driver.wait_settled()
    driver.click("tab.utility")
    driver.wait_settled()
    yield at_rest(driver, "hospital-utility")
    driver.click("tab.risk")
    driver.wait_settled()
    yield at_rest(driver, "hospital-risk")
    yield from _exported(driver, folder / "clinic-anonymized.csv", "hospital-export")
    driver.wiring.actions["report"].trigger()
    dialog = driver.dialog("reportDialog")
    driver.type_into("param.purpose", "A study of waiting times")
    driver.type_into("param.recipient", "University of Example")
    yield at_rest(driver, "hospital-report", dialog)
    dialog.reject()


def survey(driver: Driver, folder: Path) -> Iterator[Screen]:
    """From a survey with several records per person to a recipe."""
    yield from _opened(driver, folder / "survey" / "survey.csv", "survey-open")
    driver.set_role(Qt.Key.Key_1, "panel id")
    driver.set_role(Qt.Key.Key_2, "answered", "birth year", "sex", "postal code", "education")
    driver.set_role(Qt.Key.Key_3, "income", "satisfaction")
    driver.click("proposeHierarchiesButton")
    for _ in _accepted(driver, "proposeDialog", ""):
        pass
    for _ in _model_added(driver, "distinct l-diversity", "income", ""):
        pass
    driver.wait_settled()
    driver.select_columns("panel id")
    yield at_rest(driver, "survey-finding")
    driver.click("fix.persons:panel id")
    driver.wait_settled()
    driver.click("limitOfPeopleBox", QPoint(8, 8))
    driver.wait_settled()
    yield at_rest(driver, "survey-person")
    driver.click("tab.explore")
    driver.wait_settled()
    yield at_rest(driver, "survey-explore")
    _apply_optimum(driver)
    driver.click("tab.risk")
    driver.wait_settled()
    yield at_rest(driver, "survey-risk")
    yield from _exported(driver, folder / "survey-anonymized.csv", "survey-export")
    driver.answer_file_dialog(folder / "survey" / "monthly.toml")
    driver.wiring.actions["save_recipe"].trigger()
    driver.wait((folder / "survey" / "monthly.toml").exists)


def next_month(driver: Driver, folder: Path) -> Iterator[Screen]:
    """The recipe of the survey applied to the file of the next month."""
    driver.apply_recipe(folder / "survey" / "recipe.toml", folder / "survey" / "next-month.csv")
    dialog = driver.dialog("changesDialog")
    yield at_rest(driver, "next-month-changes", dialog)
    driver.click(driver.button(dialog, "takeOverButton"))
    driver.wait(lambda: driver.session.project is not None)
    driver.click("tab.configure")
    driver.select_columns("mode")
    yield at_rest(driver, "next-month-configure")
    driver.click("setSuggestedRoleButton")
    driver.wait_settled()
    driver.click("proposeButton")
    driver.wait_settled()
    driver.select_columns("education")
    driver.click("editHierarchyButton")
    driver.wait(lambda: driver.find("doneButton").isVisible())
    yield at_rest(driver, "next-month-new-value")
    hands = HierarchyHands(driver)
    hands.click("Doctorate")
    hands.key(Qt.Key.Key_X, CONTROL)
    hands.click("University", 1)
    hands.key(Qt.Key.Key_V, CONTROL)
    yield at_rest(driver, "next-month-hierarchy")
    driver.click("doneButton")
    driver.wait_settled()
    driver.click("tab.explore")
    driver.wait_settled()
    yield at_rest(driver, "next-month-explore")
    _apply_optimum(driver)
    yield from _exported(driver, folder / "next-month-anonymized.csv", "next-month-export")


TUTORIALS: dict[str, Tutorial] = {"hospital": hospital, "survey": survey, "next-month": next_month}


def _opened(driver: Driver, table: Path, name: str) -> Iterator[Screen]:
    driver.drop(table)
    dialog = driver.dialog("openDialog")
    yield at_rest(driver, name, dialog)
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.project is not None)


def _accepted(driver: Driver, dialog_name: str, name: str) -> Iterator[Screen]:
    dialog = driver.dialog(dialog_name)
    yield at_rest(driver, name, dialog)
    driver.click(driver.button(dialog, "acceptButton"))
    driver.wait(lambda: not dialog.isVisible())


def _model_added(driver: Driver, title: str, column: str, name: str) -> Iterator[Screen]:
    driver.pick_model(title)
    dialog = driver.dialog("memberDialog")
    box = dialog.findChild(QComboBox, "param.column")
    assert box is not None
    driver.choose(box, column)
    yield at_rest(driver, name, dialog)
    driver.click(driver.button(dialog, "acceptButton"))
    driver.wait(lambda: not dialog.isVisible())


def _turn(driver: Driver, knob: str, value: int) -> None:
    driver.type_into(f"knob.{knob}", str(value))
    driver.key(Qt.Key.Key_Return)
    driver.wait_settled()


def _apply_optimum(driver: Driver) -> None:
    with driver.qtbot.waitSignal(driver.session.applied.changed, timeout=LONG):
        driver.key(Qt.Key.Key_Return, CONTROL)
    driver.wait_settled()


def _exported(driver: Driver, path: Path, name: str) -> Iterator[Screen]:
    driver.key(Qt.Key.Key_E, CONTROL)
    dialog = driver.dialog("exportDialog")
    driver.type_into("exportPath", str(path))
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: dialog.written, LONG)  # type: ignore[attr-defined]
    yield at_rest(driver, name, dialog)
    driver.click(driver.button(dialog, "closeButton"))
    driver.wait(lambda: not dialog.isVisible())
