"""Fixtures for all tests of the window: its theme, applied before any widget is created, and the window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.theming import LIGHT, theme_manager
from tests.window_driver import Driver, driven_window


@pytest.fixture
def themed(qapp: QApplication) -> Iterator[QApplication]:
    """Return the application in the light theme at font scale 1, and restore both afterwards.

    Applying a theme restyles every widget left by earlier tests, so only tests that need it use this.
    """
    manager = theme_manager()
    if not qapp.styleSheet() or (manager.theme, manager.font_scale) != (LIGHT, 1.0):
        manager.apply(qapp, LIGHT, 1.0)
    yield qapp
    if (manager.theme, manager.font_scale) != (LIGHT, 1.0):
        manager.apply(qapp, LIGHT, 1.0)


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    """Return the window, without a project."""
    with driven_window(qtbot, themed) as made:
        yield made
