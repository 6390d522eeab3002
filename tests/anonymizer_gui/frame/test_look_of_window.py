"""LOOK section 11, tests 4 and 5, over the whole window: everything fits, everything is reached."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.theming import DARK, LIGHT, theme_manager
from tests.anonymizer_gui.look_checks import (
    clipped_texts,
    focus_problems,
    horizontal_scrollbars_outside_tables,
    overlapping_siblings,
)
from tests.window_driver import Driver, driven_window

PAGES = ("start", "configure", "explore")


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest, qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    """The window with the hospital example applied, on each page in turn."""
    with driven_window(qtbot, themed) as driver:
        driver.wiring.preferences.add_recent(Path("a folder", "some table.csv"))
        if request.param != "start":
            driver.click("example.hospital")
            driver.wait(lambda: driver.session.project is not None)
            driver.wait_settled()
            driver.click("tab.explore")
            driver.apply()
            driver.click(f"tab.{request.param}")
            driver.wait_settled()
        yield driver


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900)])
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_everything_fits(
    page: Driver, themed: QApplication, size: tuple[int, int], theme: object, scale: float
) -> None:
    theme_manager().apply(themed, theme, scale)  # type: ignore[arg-type]
    page.window.resize(*size)
    page.qtbot.wait(200)
    assert page.window.size().toTuple() == size
    assert clipped_texts(page.window) == []
    assert overlapping_siblings(page.window) == []
    assert horizontal_scrollbars_outside_tables(page.window) == []


def test_every_control_is_named_reached_and_shows_its_focus(page: Driver) -> None:
    page.wake()
    assert focus_problems(page.window) == []


def test_switching_the_theme_twice_gives_the_same_picture(page: Driver, themed: QApplication) -> None:
    def picture() -> bytes:
        page.qtbot.wait(50)
        image = page.window.grab().toImage()
        return bytes(image.constBits())

    before = picture()
    theme_manager().apply(themed, DARK, 1.0)
    assert picture() != before
    theme_manager().apply(themed, LIGHT, 1.0)
    assert picture() == before
