"""The chip of a partly read table says what is not saved yet."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.window_driver import driven_window


def test_the_chip_says_that_nothing_can_be_recovered_before_the_table_is_read(
    qtbot: QtBot, themed: QApplication
) -> None:
    with driven_window(qtbot, themed) as driver:
        for is_broken, name in ((False, "readingChip"), (True, "brokenReadingChip")):
            driver.window.bar.show_reading("people.csv", is_broken)
            chip = driver.window.bar.findChild(QWidget, name)
            assert chip.toolTip().endswith(
                "Your changes can be saved, and recovered after a crash, once the file has "
                "been read completely."
            )
