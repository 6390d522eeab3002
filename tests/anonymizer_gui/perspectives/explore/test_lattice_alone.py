"""The lattice takes all the room when a person wants it, and gives it back."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.anonymizer_gui.perspectives.explore.conftest import Bench


def test_the_lattice_alone_and_back(bench: Bench, qtbot: QtBot) -> None:
    view = bench.explore.view
    before = view.lattice.size()
    qtbot.mouseClick(view.alone, Qt.MouseButton.LeftButton)
    assert not view.inspector.isVisible()
    assert not view.bottom.isVisible()
    qtbot.waitUntil(lambda: view.lattice.width() > before.width() and view.lattice.height() > before.height())
    qtbot.mouseClick(view.alone, Qt.MouseButton.LeftButton)
    assert view.inspector.isVisible()
    qtbot.waitUntil(lambda: view.lattice.size() == before)
