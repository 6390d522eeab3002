"""What the window relies on in PySide6 itself."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from PySide6.QtGui import QPainterPath

ROOT = Path(__file__).resolve().parents[2]


def test_void_calls_keep_none():
    # PySide6 6.12.0 under Python 3.11 drops one reference per call; after some thousand the process aborts.
    path = QPainterPath()
    path.moveTo(0.0, 0.0)
    before = sys.getrefcount(None)
    for _ in range(2000):
        path.moveTo(1.0, 2.0)
    assert sys.getrefcount(None) - before > -500


def test_nothing_asks_a_layout_for_its_items():
    # PySide 6.11 keeps the item that `itemAt` gave as long as the layout lives. Qt deletes it before, and
    # whatever is put at its address later reaches Python as a QWidgetItem: a style that gets one for a
    # widget brings the whole program down.
    asks = re.compile("[.]itemAt(Position)?[(]")
    sources = [path for folder in ("anonymizer_gui", "tests") for path in (ROOT / folder).rglob("*.py")]
    assert [path.name for path in sources if asks.search(path.read_text(encoding="utf-8"))] == []
