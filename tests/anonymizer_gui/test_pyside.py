"""Behaviour of PySide6 that the window relies on."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from PySide6.QtGui import QPainterPath

ROOT = Path(__file__).resolve().parents[2]


def test_void_calls_keep_none():
    # PySide6 6.12.0 with Python 3.11 drops one reference to None per call; after thousands the process
    # aborts.
    path = QPainterPath()
    path.moveTo(0.0, 0.0)
    before = sys.getrefcount(None)
    for _ in range(2000):
        path.moveTo(1.0, 2.0)
    assert sys.getrefcount(None) - before > -500


def test_only_nest_asks_a_layout_for_its_items():
    # PySide 6.11 keeps the wrapper of `itemAt` as long as the layout exists. Qt deletes the item earlier, and
    # any object later at its address reaches Python as a QWidgetItem: a style that receives one instead of a
    # widget crashes the program. `nest` asks, and forgets the wrappers at once.
    asks = re.compile("[.]itemAt(Position)?[(]")
    sources = [path for folder in ("anonymizer_gui", "tests") for path in (ROOT / folder).rglob("*.py")]
    assert [path.name for path in sources if asks.search(path.read_text(encoding="utf-8"))] == ["layouts.py"]


def test_no_menu_or_message_of_qt_lies_on_the_stack():
    # These are children of a widget, in a function of Qt that waits in an event loop. If the widget is gone
    # meanwhile, it has deleted them, which are no heap objects, and the program ends.
    asks = re.compile(
        "ActionsContextMenu|[mM]enu[.]exec[(]|QMessageBox[.](about|critical|information|question|warning)"
    )
    sources = (ROOT / "anonymizer_gui").rglob("*.py")
    assert [path.name for path in sources if asks.search(path.read_text(encoding="utf-8"))] == []
