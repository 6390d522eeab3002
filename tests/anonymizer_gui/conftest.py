"""Fixtures of the window's tests: the theme, applied before any widget is made."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from anonymizer_gui.theming import LIGHT, theme_manager


@pytest.fixture(autouse=True)
def _windows_go_in_this_thread() -> Iterator[None]:
    """Keep the garbage until the test has ended: whole windows are in it, and a task's thread may not
    take down what Qt made.
    """
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def themed(qapp: QApplication) -> Iterator[QApplication]:
    """The application in the light theme at font scale 1, put back to that afterwards."""
    theme_manager().apply(qapp, LIGHT, 1.0)
    yield qapp
    if (theme_manager().theme, theme_manager().font_scale) != (LIGHT, 1.0):
        theme_manager().apply(qapp, LIGHT, 1.0)
