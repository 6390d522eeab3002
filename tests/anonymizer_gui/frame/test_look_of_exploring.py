"""LOOK section 11, tests 4 and 5, for a partly scored lattice of 10^12 nodes with its long counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.session import exploring
from anonymizer_gui.theming import CONTRAST_DARK, LIGHT, theme_manager
from tests.anonymizer_gui.look_checks import (
    clipped_texts,
    focus_problems,
    horizontal_scrollbars_outside_tables,
    laid_out,
    overlapping_siblings,
)
from tests.huge import write_huge_recipe
from tests.window_driver import Driver, driven_window


@pytest.fixture
def explored(
    qtbot: QtBot, themed: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Driver]:
    monkeypatch.setattr(exploring, "NODES_AT_ONCE", 200)
    with driven_window(qtbot, themed) as driver:
        assert driver.drop(write_huge_recipe(tmp_path))
        driver.wait(lambda: driver.session.project is not None)
        driver.wait_settled()
        yield driver


@pytest.mark.parametrize(
    ("page", "theme", "scale"),
    [("configure", LIGHT, 1.0), ("explore", LIGHT, 1.0), ("explore", CONTRAST_DARK, 2.0)],
    ids=["configure", "light", "high contrast and large"],
)
def test_everything_fits(
    explored: Driver, themed: QApplication, page: str, theme: object, scale: float
) -> None:
    explored.click(f"tab.{page}")
    theme_manager().apply(themed, theme, scale)  # type: ignore[arg-type]
    for size in ((1280, 720), (1440, 900)):
        explored.window.resize(*size)
        laid_out(explored.window)
        assert clipped_texts(explored.window) == []
        assert overlapping_siblings(explored.window) == []
        assert horizontal_scrollbars_outside_tables(explored.window) == []


def test_every_control_is_named_reached_and_shows_its_focus(explored: Driver) -> None:
    explored.wake()
    assert focus_problems(explored.window) == []


def test_everything_fits_during_scoring(explored: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "NODES_AT_ONCE", 10**6)
    explored.click("continueButton")
    explored.wait(lambda: explored.find("jobStrip").isVisible())
    laid_out(explored.window)
    assert clipped_texts(explored.window) == []
    assert overlapping_siblings(explored.window) == []
    explored.click(explored.window.status.job._cancel)
    explored.wait_settled()
