"""The status strip shows the number of visible records and the memory in use."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.frame.status_strip import MemoryLabel, as_memory
from engine.processes import memory_held
from tests.window_driver import driven_window

MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (3, "10\u202fMB"),
        (312 * MEGABYTE, "310\u202fMB"),
        (1023 * MEGABYTE, "1020\u202fMB"),
        (1500 * MEGABYTE, "1.5\u202fGB"),
    ],
)
def test_memory_is_rounded_for_display(n_bytes: int, text: str) -> None:
    assert as_memory(n_bytes) == text


def test_the_label_follows_the_memory_in_use(qtbot: QtBot, themed: QApplication) -> None:
    held = [200 * MEGABYTE]
    label = MemoryLabel(lambda: held[0])
    qtbot.addWidget(label)
    label.start()
    assert label.text() == "200\u202fMB"
    held[0] = 900 * MEGABYTE
    label.look()
    assert label.text() == "900\u202fMB"
    assert "900\u202fMB" in label.accessibleName()


def test_visible_records_are_shown_out_of_all(qtbot: QtBot, themed: QApplication) -> None:
    label = MemoryLabel(lambda: 0)
    qtbot.addWidget(label)
    label.show_records(0, 0)
    assert label.isHidden(), "a system that does not tell, and no table"
    label.show_records(30_162, 30_162)
    assert label.text() == "30\u202f162 records"
    label.show_records(8, 30_162)
    assert label.text() == "8 of 30\u202f162 records"


@pytest.mark.skipif(sys.platform == "darwin", reason="only the most held is told there")
def test_the_memory_in_use_is_read_from_the_system() -> None:
    before = memory_held()
    block = bytearray(64 * MEGABYTE)
    block[::4096] = b"x" * len(block[::4096])
    assert memory_held() - before > 32 * MEGABYTE


def test_the_window_shows_both(qtbot: QtBot, themed: QApplication) -> None:
    with driven_window(qtbot, themed) as driver:
        label = driver.find("memoryLabel")
        assert "records" not in label.text()  # type: ignore[attr-defined]
        driver.click("example.hospital")
        driver.wait(lambda: label.text().startswith("13 records · "))  # type: ignore[attr-defined]
