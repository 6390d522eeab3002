"""Design sizes apply whatever size the splitter had when they were set."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.widgets.design_splitter import DesignSplitter


def splitter(qtbot: QtBot) -> DesignSplitter:
    """Return a splitter of two parts, the first of which grows with the window."""
    made = DesignSplitter(Qt.Orientation.Horizontal, "test.columns")
    for least in (200, 100):
        part = QWidget()
        part.setMinimumWidth(least)
        made.addWidget(part)
    made.setStretchFactor(0, 1)
    made.setStretchFactor(1, 0)
    made.resize(1908, 100)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_sizes_set_before_layout_apply_after_it(qtbot: QtBot, themed: QApplication) -> None:
    made = splitter(qtbot)
    made.set_design_sizes([600, 400])
    made.resize(1008, 100)
    assert made.sizes() == [600, 400]


def test_the_design_does_not_override_the_user(qtbot: QtBot, themed: QApplication) -> None:
    made = splitter(qtbot)
    made.set_design_sizes([1500, 400])
    handle = made.handle(1)
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=QPoint(4, 50))
    QTest.mouseMove(handle, QPoint(-96, 50))
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=QPoint(-96, 50))
    moved = made.sizes()
    assert moved != [1500, 400]
    made.set_design_sizes([600, 400])
    assert made.sizes() == moved
