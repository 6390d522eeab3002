"""Undo of a role brings its models back before the columns are compiled again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.window_driver import Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication, examples: Path) -> Iterator[Driver]:
    """Return the window with the hospital example, scored."""
    with driven_window(qtbot, qapp) as made:
        assert made.drop(examples / "hospital" / "recipe.toml")
        made.wait(lambda: made.session.project is not None)
        made.wait_settled()
        yield made


def models_of(driver: Driver) -> set[str]:
    project, evaluation = driver.session.project, driver.session.results.evaluation
    assert evaluation.requirement == project.requirement
    return {column for model in project.requirement.models for column in model.columns}


def test_undo_and_redo_of_a_sensitive_role_with_its_model_follow_each_other_at_once(driver: Driver) -> None:
    driver.click("tab.configure")
    driver.set_role(Qt.Key.Key_4, "disease")
    driver.wait_settled()
    assert models_of(driver) == {"religion"}
    driver.key(Qt.Key.Key_Z, CONTROL)
    driver.wait_settled()
    assert models_of(driver) == {"disease", "religion"}
    for _ in range(2):  # each while the last one is being compiled
        driver.key(Qt.Key.Key_Z, CONTROL | Qt.KeyboardModifier.ShiftModifier)
        driver.key(Qt.Key.Key_Z, CONTROL)
    driver.wait_settled()
    assert models_of(driver) == {"disease", "religion"}
    assert not driver.window.banner.isVisible()
