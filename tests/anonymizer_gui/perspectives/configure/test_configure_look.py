"""Configure at both window sizes, in both themes, at two text sizes: nothing cut, everything reachable."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.theming import THEMES, theme_manager
from tests.anonymizer_gui.look_checks import (
    clipped_texts,
    focus_problems,
    horizontal_scrollbars_outside_tables,
    overlapping_siblings,
)
from tests.anonymizer_gui.perspectives.configure.conftest import Settle

FRAME = 98  # menu, perspective bar and status strip


@pytest.fixture
def window(qtbot: QtBot, configure: ConfigurePresenter) -> Iterator[QMainWindow]:
    """Configure in a window without the frame's bars."""
    made = QMainWindow()
    qtbot.addWidget(made)
    made.setCentralWidget(configure.view)
    configure.view.table.table.select_columns(("age",))
    made.show()
    yield made
    made.takeCentralWidget()


def faults(window: QMainWindow) -> list[str]:
    return [
        *clipped_texts(window),
        *overlapping_siblings(window),
        *horizontal_scrollbars_outside_tables(window),
    ]


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900)], ids=str)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("page", ["settings", "editor"])
def test_every_text_fits_or_elides(
    themed: QApplication,
    configure: ConfigurePresenter,
    window: QMainWindow,
    settle: Settle,
    size: tuple[int, int],
    theme: str,
    scale: float,
    page: str,
) -> None:
    theme_manager().apply(themed, THEMES[theme], scale)
    window.resize(size[0], size[1] - round(FRAME * scale))
    if page == "editor":
        configure.hierarchies.open("age")
        configure.view.show_editor()
        configure.view.editor.builder.builder_chosen.emit("intervals")
    settle()
    assert (window.width(), window.height()) == (size[0], size[1] - round(FRAME * scale))
    assert faults(window) == []


@pytest.mark.parametrize("page", ["settings", "editor"])
def test_every_control_is_named_reached_by_tab_and_shows_its_focus(
    qtbot: QtBot, configure: ConfigurePresenter, window: QMainWindow, settle: Settle, page: str
) -> None:
    window.resize(1440, 802)
    if page == "editor":
        configure.hierarchies.open("age")
        configure.view.show_editor()
        configure.view.editor.builder.builder_chosen.emit("intervals")
    settle()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert focus_problems(window) == []
