"""Runs the event loop of the window until a condition is met."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEventLoop, QTimer

LOOK = 20  # milliseconds between two checks


def live(condition: Callable[[], object]) -> None:
    """Wait in Qt's own event loop, because that of a test sleeps between events."""
    loop, look = QEventLoop(), QTimer()
    look.timeout.connect(lambda: loop.quit() if condition() else None)
    look.start(LOOK)
    loop.exec()
    look.stop()
