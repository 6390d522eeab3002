"""The page gives the banner room, which goes with the next success and never appears under the mouse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QFocusFrame, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.theming import DARK, LIGHT, theme_manager
from tests.anonymizer_gui.look_checks import clipped_texts, laid_out, overlapping_siblings
from tests.window_driver import Driver, driven_window

LEFT = Qt.MouseButton.LeftButton
PROBLEM, HINT = "The disk is full.", "Free some room on it, or choose another folder."


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    with driven_window(qtbot, themed, (1280, 640)) as made:
        made.open_example("hospital")
        made.click("tab.configure")
        yield made


def places(driver: Driver) -> dict[int, QRect]:
    """Return the positions of all widgets of the window except the banner."""
    banner, window = driver.window.banner, driver.window
    return {
        id(widget): QRect(widget.mapTo(window, QPoint()), widget.size())
        for widget in window.findChildren(QWidget)
        if widget.isVisible() and widget.window() is window
        if widget is not banner and not banner.isAncestorOf(widget) and not isinstance(widget, QFocusFrame)
    }


def test_the_banner_covers_nothing_and_the_page_has_its_room_again_afterwards(driver: Driver) -> None:
    laid_out(driver.window)
    before = places(driver)
    banner, page = driver.window.banner, driver.window.shown_page.parentWidget()
    banner.show_error(PROBLEM, HINT, "Save as…")
    laid_out(driver.window)
    assert banner.isVisible()
    assert page.geometry().bottom() < banner.geometry().top() < driver.window.status.geometry().top()
    bar = driver.window.bar
    assert places(driver)[id(bar)] == before[id(bar)]
    driver.click(next(b for b in driver.window.banner.findChildren(QPushButton) if b.toolTip() == "Close"))
    assert not driver.window.banner.isVisible()
    QApplication.processEvents()
    assert places(driver) == before


def test_an_error_goes_with_the_next_success_and_a_warning_stays(driver: Driver) -> None:
    banner = driver.window.banner
    for tone, role, stays in (("danger", "insensitive", False), ("warn", "sensitive", True)):
        banner.show_error(PROBLEM, HINT, tone=tone)
        driver.click(f"roleButton.{role}")
        assert banner.isVisible() is stays


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_the_banner_never_appears_under_the_mouse(driver: Driver, share: float) -> None:
    page = driver.window.centralWidget()
    at = QPoint(page.width() // 2, round(44 + (page.height() - 44 - 26) * share))
    QCursor.setPos(page.mapToGlobal(at))
    driver.window.banner.show_error(PROBLEM, HINT)
    laid_out(driver.window)
    assert driver.window.banner.isVisible()
    assert not driver.window.banner.geometry().contains(page.mapFromGlobal(QCursor.pos()))


def test_a_click_during_an_error_hits_its_target(driver: Driver) -> None:
    button = driver.find("roleButton.sensitive")
    QCursor.setPos(button.mapToGlobal(button.rect().center()))
    place = button.mapTo(driver.window, button.rect().center())
    driver.window.banner.show_error(PROBLEM, HINT)
    QApplication.processEvents()
    hit = driver.window.childAt(place)
    assert hit is not None
    assert hit is button or button.isAncestorOf(hit)
    driver.qtbot.mouseClick(hit, LEFT)
    names = driver.wiring.configure.selected_columns()
    roles = driver.session.project.roles  # type: ignore[union-attr]
    assert {roles[name].value for name in names} == {"sensitive"}


@pytest.mark.parametrize(
    ("theme", "scale"),
    [
        (LIGHT, 1.0),
        (DARK, 1.5),
        pytest.param(LIGHT, 1.5, marks=pytest.mark.thorough),
        pytest.param(DARK, 1.0, marks=pytest.mark.thorough),
    ],
)
def test_the_banner_shows_its_complete_text_over_the_page(
    driver: Driver, themed: QApplication, theme: object, scale: float
) -> None:
    theme_manager().apply(themed, theme, scale)  # type: ignore[arg-type]
    banner, window = driver.window.banner, driver.window
    banner.show_error(PROBLEM, HINT * 8, "Save as…")
    QApplication.processEvents()
    assert clipped_texts(banner) == []
    driver.wait(lambda: overlapping_siblings(window) == [])  # the layout settles over several events
    assert banner.height() >= banner.heightForWidth(banner.width())
    window.resize(1440, 900)
    QApplication.processEvents()
    central = window.centralWidget()
    assert central.rect().contains(banner.geometry())
    assert not banner.geometry().intersects(window.status.geometry())
    assert banner.width() > 1400
