"""Lets the window live until something is so."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEventLoop, QTimer

LOOK = 20  # milliseconds from look to look whether it is so


def live(condition: Callable[[], object]) -> None:
    """Wait by Qt's own loop: that of a test sleeps between events."""
    loop, look = QEventLoop(), QTimer()
    look.timeout.connect(lambda: loop.quit() if condition() else None)
    look.start(LOOK)
    loop.exec()
    look.stop()
