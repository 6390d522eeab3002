"""LOOK section 11, tests 4 and 5, for the complete window: everything fits and can be reached."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.theming import CONTRAST_LIGHT, DARK, LIGHT, theme_manager
from tests.anonymizer_gui.look_checks import (
    clipped_texts,
    focus_problems,
    horizontal_scrollbars_outside_tables,
    laid_out,
    lasting,
    looks,
    overlapping_siblings,
)
from tests.window_driver import Driver, driven_window

PAGES = ("start", "configure", "explore", "judge")
SIZES = ((1280, 640), (1280, 720), (1440, 900))  # the first is the smallest


@pytest.fixture(params=PAGES)
def page(
    request: pytest.FixtureRequest, qtbot: QtBot, themed: QApplication, tmp_path: Path
) -> Iterator[Driver]:
    """Return the window on each page in turn, with the hospital example applied or a file assessed."""
    with driven_window(qtbot, themed) as driver:
        driver.wiring.preferences.add_recent(Path("a folder", "some table.csv"))
        if request.param == "judge":
            judge_a_file(driver, tmp_path)
        elif request.param != "start":
            driver.open_example("hospital")
            driver.click("tab.explore")
            driver.apply()
            driver.click(f"tab.{request.param}")
            driver.wait_settled()
        driver.wait(lambda: not driver.wiring.runner.is_busy)  # recent files are looked for
        yield driver


def judge_a_file(driver: Driver, folder: Path) -> None:
    """Assess a released table with long column names against an original."""
    lines = ["age at the time of the visit,postal code,illness that was found,insurance"]
    lines += [f"{a},{z},{i},{s}" for a in "34*" for z in "12*" for i in ("flu", "asthma") for s in "xy"]
    path = folder / "a table that was released by somebody else.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    for button in ("judgeButton", "originalButton"):
        driver.answer_file_dialog(path)
        driver.click(button)
        dialog = driver.dialog("openDialog")
        driver.wait(lambda d=dialog: d.reading is not None)  # type: ignore[misc]
        driver.click(driver.button(dialog, "openDialogButton"))
        driver.wait(lambda: driver.window.page == "judge")
        driver.wait(lambda: not driver.wiring.runner.is_busy)


@pytest.mark.parametrize("page", [*PAGES, "utility", "risk"], indirect=True)
def test_everything_fits_at_every_size_theme_and_scale(
    page: Driver, themed: QApplication, is_thorough: bool
) -> None:
    wrong = {}
    for theme, scale in looks(is_thorough=is_thorough):
        theme_manager().apply(themed, theme, scale)
        for size in SIZES if is_thorough else (SIZES[0], SIZES[-1]):
            page.window.resize(*size)
            if found := faults_once_laid_out(page, size):
                wrong[size, theme.name, scale] = found
    assert wrong == {}


def faults_once_laid_out(page: Driver, size: tuple[int, int]) -> list[str]:
    """Return the texts and widgets that do not fit."""

    def found() -> list[str]:
        faults = [
            *clipped_texts(page.window),
            *overlapping_siblings(page.window),
            *horizontal_scrollbars_outside_tables(page.window),
        ]
        if page.window.size().toTuple() != size:
            faults.append(f"the window is {page.window.size().toTuple()}")
        return faults

    return lasting(page.qtbot, page.window, found)


def test_every_control_is_named_reached_and_shows_its_focus(page: Driver) -> None:
    page.wake()
    assert focus_problems(page.window) == []


def test_switching_the_theme_twice_restores_the_picture(
    page: Driver, themed: QApplication, is_thorough: bool
) -> None:
    page.wiring.memory._measure = lambda: 1 << 30  # memory in use would change in between
    page.wiring.memory.look()

    def picture() -> bytes:
        laid_out(page.window)
        image = page.window.grab().toImage()
        return bytes(image.constBits())

    before = picture()
    for other in (DARK, CONTRAST_LIGHT) if is_thorough else (DARK,):
        theme_manager().apply(themed, other, 1.0)
        is_other = picture() != before
        theme_manager().apply(themed, LIGHT, 1.0)
        is_restored = picture() == before  # apart from `assert`, which would write out where bytes differ
        assert is_other
        assert is_restored


@pytest.mark.parametrize("page", ["start"], indirect=True)
def test_no_button_for_further_menus_is_drawn_over_the_facts(page: Driver, themed: QApplication) -> None:
    bar = page.window.menuBar()
    further = bar.findChild(QToolButton, "qt_menubar_ext_button")
    for scale in (1.5, 2.0, 1.5, 1.0):
        theme_manager().apply(themed, LIGHT, scale)
        laid_out(page.window)
        assert not further.isVisible(), scale
