"""Fixtures of benchmarks: the table of a module, and a window whose thread is watched."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.tasks import GuiThreadCollector
from tests.benchmarks.report import Report
from tests.window_driver import Driver

SIZE = (1440, 900)


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    """Yield a window whose garbage is collected as in the program."""
    made = Driver(qtbot, qapp, SIZE, opens_at_once=False)
    garbage = GuiThreadCollector(made.wiring)
    yield made
    garbage.end()
    made.close()


@pytest.fixture(scope="module")
def report(request: pytest.FixtureRequest) -> Iterator[Report]:
    """Yield the table of a module, printed afterwards under its `TITLE`."""
    made = Report()
    made.section()
    yield made
    made.show(request.module.TITLE)
