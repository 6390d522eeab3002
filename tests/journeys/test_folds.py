"""Parts of the inspector stay folded in the next run of the program."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.inspector.section import Section
from tests.window_driver import Driver, driven_window


def section(driver: Driver, name: str) -> Section:
    found = driver.window.findChild(Section, name)
    assert isinstance(found, Section)
    return found


def test_a_folded_part_is_folded_in_the_next_window(qtbot: QtBot, qapp: QApplication) -> None:
    with driven_window(qtbot, qapp) as driver:
        driver.open_example("clinic")
        assert section(driver, "section.steps").is_shown
        driver.click(section(driver, "section.steps").toggle)
        assert not section(driver, "section.steps").is_shown
    with driven_window(qtbot, qapp) as driver:
        driver.open_example("clinic")
        assert not section(driver, "section.steps").is_shown
        assert section(driver, "section.words").is_shown
