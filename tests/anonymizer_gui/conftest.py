"""Fixtures of the window's tests: the theme, applied before any widget is made."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from anonymizer_gui.theming import LIGHT, theme_manager


@pytest.fixture
def themed(qapp: QApplication) -> Iterator[QApplication]:
    """The application in the light theme at font scale 1, put back to that afterwards.

    Applying a theme styles every widget anew that an earlier test left, so it is done where it is needed.
    """
    manager = theme_manager()
    if not qapp.styleSheet() or (manager.theme, manager.font_scale) != (LIGHT, 1.0):
        manager.apply(qapp, LIGHT, 1.0)
    yield qapp
    if (manager.theme, manager.font_scale) != (LIGHT, 1.0):
        manager.apply(qapp, LIGHT, 1.0)
