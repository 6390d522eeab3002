"""The window with its frame fits the screen, even if it was last on a larger one."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMargins, QRect, QSize, Qt
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui import layout_keeper
from anonymizer_gui.layout_keeper import fitted, show_as_left
from anonymizer_gui.main_window import SMALLEST
from anonymizer_gui.session.preferences import Preferences
from anonymizer_gui.widgets.card import Card
from tests.anonymizer_gui.look_checks import clipped_texts, laid_out, overlapping_siblings
from tests.window_driver import driven_window

FRAME = QMargins(1, 28, 1, 5)  # as drawn by openbox


def outer(place: QRect) -> QRect:
    """Return the rectangle of the window with its frame."""
    return QRect(
        place.left(),
        place.top(),
        place.width() + FRAME.left() + FRAME.right(),
        place.height() + FRAME.top() + FRAME.bottom(),
    )


@pytest.mark.parametrize("screen", [(0, 0, 1440, 900), (0, 27, 1366, 741), (1920, 0, 1440, 860)])
@pytest.mark.parametrize("corner", [(0, 0), (300, 200), (3000, 1500), (-200, -50)])
@pytest.mark.parametrize("size", [(1440, 900), (2560, 1400), (1280, 640)])
def test_window_and_frame_are_within_the_screen(
    screen: tuple[int, int, int, int], corner: tuple[int, int], size: tuple[int, int]
) -> None:
    available = QRect(*screen)
    found = fitted(QRect(*corner, *size), available, FRAME, SMALLEST)
    assert available.contains(outer(found))


def test_a_window_that_fits_is_unchanged() -> None:
    place = QRect(100, 80, 1300, 700)
    assert fitted(place, QRect(0, 0, 1920, 1080), FRAME, SMALLEST) == place


def test_a_window_is_never_smaller_than_its_minimum() -> None:
    found = fitted(QRect(50, 50, 1440, 900), QRect(0, 0, 1000, 600), FRAME, SMALLEST)
    assert (found.size(), found.topLeft().toTuple()) == (SMALLEST, (0, 0))
    assert QSize(1024, 640) == SMALLEST


def test_a_small_window_has_panels_and_inspector_in_a_drawer(qtbot: QtBot, themed: QApplication) -> None:
    with driven_window(qtbot, themed, (1024, 640)) as driver:
        driver.open_example("clinic")
        driver.wait_settled()
        faults = []
        for page, panel, drawer in (
            ("utility", "", ""),
            ("risk", "", ""),
            ("configure", "roleButton.sensitive", "PanelsDrawer"),
            ("explore", "applyButton", "InspectorDrawer"),
        ):
            driver.click(f"tab.{page}")
            driver.wait_settled()
            laid_out(driver.window)
            shown = driver.window.shown_page
            faults += [f"{page}: {fault}" for fault in (*clipped_texts(shown), *overlapping_siblings(shown))]
            faults += [
                f"{page}: {card.objectName()} is cut"
                for card in shown.findChildren(Card)
                if card.isVisible() and card.mapTo(shown, card.rect().topRight()).x() >= shown.width()
            ]
            if not drawer:
                continue
            part = shown.findChild(QWidget, panel)
            assert not part.isVisible()
            driver.click(f"open{drawer}")
            laid_out(driver.window)
            assert shown.rect().contains(part.mapTo(shown, part.rect().bottomRight()))
            driver.key(Qt.Key.Key_Escape)
            assert not part.isVisible()
            driver.window.resize(1280, 720)
            laid_out(driver.window)
            assert part.isVisible()
            assert shown.findChild(QWidget, f"open{drawer}").isHidden()
            driver.window.resize(1024, 640)
        assert faults == []
        strip = driver.window.status
        assert driver.window.size() == QSize(1024, 640)
        assert driver.window.rect().contains(strip.mapTo(driver.window, strip.rect().bottomRight()))


@pytest.mark.parametrize("kept", [(1440, 900), (5000, 3000)])
def test_a_window_last_on_a_larger_screen_is_shown_completely(
    qtbot: QtBot, themed: QApplication, monkeypatch: pytest.MonkeyPatch, kept: tuple[int, int]
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    monkeypatch.setattr(layout_keeper, "frame_of", lambda _window: FRAME)
    show_as_left(window, Preferences(window_size=kept, window_place=(30, 20)))
    screen: QScreen = QApplication.primaryScreen()
    assert screen.availableGeometry().contains(outer(QRect(window.pos(), window.size())))


def test_a_frame_reported_late_is_taken_into_account(
    qtbot: QtBot, themed: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, thin, thick = QWidget(), QMargins(0, 0, 0, 0), QMargins(4, 60, 4, 4)
    qtbot.addWidget(window)
    told = [thin]
    monkeypatch.setattr(layout_keeper, "frame_of", lambda _window: told[-1])
    show_as_left(window, Preferences(window_size=(5000, 3000)))
    before = window.size()
    told.append(thick)
    qtbot.waitUntil(lambda: window.height() == before.height() - 64)
    assert window.width() == before.width() - 8
