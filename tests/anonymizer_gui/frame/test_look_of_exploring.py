"""LOOK section 11, tests 4 and 5, for a partly scored lattice of 10^12 nodes with its long counts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from anonymizer_gui.session import results
from anonymizer_gui.theming import CONTRAST_DARK, LIGHT, theme_manager
from tests.anonymizer_gui.look_checks import (
    clipped_texts,
    focus_problems,
    horizontal_scrollbars_outside_tables,
    laid_out,
    overlapping_siblings,
)
from tests.huge import write_huge_recipe
from tests.window_driver import Driver, shared_window


@pytest.fixture(scope="module")
def huge(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """Return the window with 200 scored nodes, for all tests."""
    with pytest.MonkeyPatch.context() as patch, shared_window(request) as driver:
        patch.setattr(results, "NODES_AT_ONCE", 200)
        assert driver.drop(write_huge_recipe(tmp_path_factory.mktemp("huge")))
        driver.wait(lambda: driver.session.project is not None)
        driver.wait_settled()
        yield driver


@pytest.fixture
def explored(huge: Driver, themed: QApplication) -> Driver:
    huge.window.resize(1280, 720)
    huge.click("tab.explore")
    laid_out(huge.window)
    return huge


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
    monkeypatch.setattr(results, "NODES_AT_ONCE", 10**6)
    explored.click("continueButton")
    explored.wait(lambda: explored.find("jobStrip").isVisible())
    laid_out(explored.window)
    assert clipped_texts(explored.window) == []
    assert overlapping_siblings(explored.window) == []
    explored.click(explored.window.status.job._cancel)
    explored.wait_settled()
