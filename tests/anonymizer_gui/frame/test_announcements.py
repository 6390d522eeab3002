"""Screen readers are given errors, the ends of jobs, verdicts, and the optimum of changed settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from anonymizer_gui.widgets.knob import Knob
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
    driver.open_example("hospital")
    assert any(text.endswith(": finished") and not is_urgent for text, is_urgent in said), said


def test_the_verdict_of_an_export_is_said(
    driver: Driver, said: list[tuple[str, bool]], tmp_path: Path
) -> None:
    driver.open_example("hospital")
    driver.apply_by_keys()
    driver.wait_settled()
    verdict = driver.export(tmp_path / "released.csv")
    assert verdict == "Written and verified: released.csv"
    assert [is_urgent for text, is_urgent in said if text.startswith(f"{verdict}. ")] == [False]


def test_the_optimum_is_said_once_after_a_knob_was_turned(
    driver: Driver, said: list[tuple[str, bool]]
) -> None:
    driver.click("example.hospital")
    driver.wait(lambda: driver.session.project is not None)
    driver.click("tab.explore")
    driver.wait_settled()
    driver.wait(lambda: driver.wiring.is_settled)
    said.clear()
    knob = driver.find("knob.k", Knob)
    driver.qtbot.keyClick(knob, Qt.Key.Key_Right)
    driver.wait(lambda: said)
    driver.wait_settled()
    driver.wait(lambda: driver.wiring.is_settled)
    shown = driver.wiring.explore.view.knobs
    words = [label.text() for label in shown.findChildren(QLabel) if label.isVisible()]
    (announced,) = (text for text, _is_urgent in said if "satisfy" in text)
    value = driver.find("optimumValue", QLabel).text()
    count, optimum, changed = announced.split(", ")
    assert count.split(" ", 1)[0] in words
    assert count.split(" ", 1)[1] in words
    assert optimum == f"optimum loss {value}"
    assert changed.endswith((" price changed", " prices changed"))
