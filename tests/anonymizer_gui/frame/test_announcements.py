"""Screen readers are given errors and the ends of jobs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.window_driver import Driver, driven_window


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """Return the list of announcements: text, and whether it interrupts speech."""
    texts: list[tuple[str, bool]] = []

    def keep(event: QAccessibleEvent) -> None:
        if isinstance(event, QAccessibleAnnouncementEvent):
            texts.append(
                (event.message(), event.politeness() == QAccessible.AnnouncementPoliteness.Assertive)
            )

    monkeypatch.setattr(QAccessible, "updateAccessibility", keep)
    return texts


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    with driven_window(qtbot, themed, (1280, 640)) as made:
        yield made


def test_an_error_interrupts_speech_and_a_warning_waits(driver: Driver, said: list[tuple[str, bool]]) -> None:
    driver.window.banner.show_error("The disk is full.", "Choose another folder.")
    driver.window.banner.show_error("The file is read-only.", tone="warn")
    assert said == [("The disk is full. Choose another folder.", True), ("The file is read-only.", False)]


def test_the_end_of_a_job_is_said_with_its_name(driver: Driver, said: list[tuple[str, bool]]) -> None:
    driver.click("example.hospital")
    driver.wait(lambda: driver.session.project is not None)
    driver.wait_settled()
    assert any(text.endswith(": finished") and not is_urgent for text, is_urgent in said), said
