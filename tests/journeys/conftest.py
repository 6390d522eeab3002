"""Fixture with the window that most journeys begin in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.window_driver import Driver, driven_window


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    """Return the window, without a project."""
    with driven_window(qtbot, qapp) as made:
        yield made
