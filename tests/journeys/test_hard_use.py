"""What random use of the window found: each case raised an exception or ended the program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from tests.window_driver import Driver, shared_window


@pytest.fixture(scope="module")
def window(request: pytest.FixtureRequest) -> Iterator[Driver]:
    with shared_window(request) as made:
        yield made


@pytest.fixture
def driver(window: Driver) -> Driver:
    window.window.banner.dismiss()
    return window


@pytest.mark.parametrize("ending", ["csv", "anon"])
def test_a_file_of_an_impossible_name_cannot_be_opened(driver: Driver, tmp_path: Path, ending: str) -> None:
    driver.wiring.open_path(tmp_path / f"{'n' * 300}.{ending}")
    driver.wait(lambda: driver.window.banner.isVisible())
    assert "nnn" in driver.window.banner.problem()
    assert "Internal error" not in driver.window.banner.problem()


def test_a_file_of_an_impossible_name_cannot_be_assessed(driver: Driver, tmp_path: Path) -> None:
    driver.wiring.given_table.open(tmp_path / f"{'n' * 300}.csv")
    driver.wait(lambda: driver.window.banner.isVisible())
    assert "nnn" in driver.window.banner.problem()


def test_a_clipboard_that_never_held_anything_is_reported(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Never:
        def mimeData(self) -> None:
            """Return what Qt returns where nothing was ever copied."""

    monkeypatch.setattr(QGuiApplication, "clipboard", staticmethod(Never))
    driver.key(Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    driver.wait(lambda: driver.window.banner.isVisible())
    assert "clipboard contains no table" in driver.window.banner.problem()
