"""Mouse and keyboard input for tests of single widgets."""

from __future__ import annotations

from PySide6.QtCore import QEventLoop, QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms.list_editors import LevelList
from anonymizer_gui.perspectives.configure.requirement.panel import RequirementPanel


def pick(qtbot: QtBot, box: QComboBox, data: object) -> None:
    """Open the list of a combo box by mouse, and select the entry with some data by keys."""
    wanted = box.findData(data)
    assert wanted >= 0, f"{data} is not offered"
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton)
    entries = box.view()
    qtbot.waitUntil(entries.isVisible)
    qtbot.keyClick(entries, Qt.Key.Key_Home)
    for _ in range(wanted):
        if entries.currentIndex().row() < wanted:
            qtbot.keyClick(entries, Qt.Key.Key_Down)
    assert entries.currentIndex().row() == wanted
    qtbot.keyClick(entries, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not entries.isVisible())
    box.window().activateWindow()  # the offscreen platform loses the active window behind a list
    qtbot.waitUntil(lambda: box.window().isActiveWindow())


def right_click(widget: QWidget, place: QPoint) -> None:
    """Request the context menu at a point, as the right mouse button does."""
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(widget, QContextMenuEvent(reason, place, widget.mapToGlobal(place)))


def outcome_text(panel: RequirementPanel) -> str:
    """Return the text of the footer of a requirement."""
    parts = (panel._satisfying.text(), panel._optimum.text(), panel._next.text())
    return " ".join(filter(None, parts))


def let_run(milliseconds: int) -> None:
    """Process events for a while and let threads run, for which `QTest.qWait` leaves little time."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def level_lines(levels: LevelList) -> list[str]:
    """Return the texts of the lines of a list of levels."""
    return [
        " ".join(
            filter(None, (line._level.text(), line.entry.text(), line._words.text(), line._count.text()))
        )
        for line in levels._lines
    ]
