"""What the window relies on in PySide6 itself."""

from __future__ import annotations

import sys

from PySide6.QtGui import QPainterPath


def test_void_calls_keep_none():
    # PySide6 6.12.0 under Python 3.11 drops one reference per call; after some thousand the process aborts.
    path = QPainterPath()
    path.moveTo(0.0, 0.0)
    before = sys.getrefcount(None)
    for _ in range(2000):
        path.moveTo(1.0, 2.0)
    assert sys.getrefcount(None) - before > -500
