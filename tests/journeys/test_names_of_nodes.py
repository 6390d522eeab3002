"""No screen names a node by the digits of its levels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QTableView, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.resources import resources_path
from tests.screens import screens
from tests.window_driver import driven_window

VECTOR = re.compile(r"\[\d+(, \d+)+\]")
MOST_ROWS = 40


def texts_of(shown: QWidget) -> Iterator[str]:
    for widget in (shown, *shown.findChildren(QWidget)):
        if not widget.isVisibleTo(shown):
            continue
        if isinstance(widget, QLabel | QAbstractButton):
            yield widget.text()
        elif isinstance(widget, QComboBox):
            yield widget.currentText()
        elif isinstance(widget, QTableView) and widget.model() is not None:
            model = widget.model()
            for row in range(min(model.rowCount(QModelIndex()), MOST_ROWS)):
                for column in range(model.columnCount(QModelIndex())):
                    if not widget.isColumnHidden(column):
                        yield str(model.index(row, column).data(Qt.ItemDataRole.DisplayRole) or "")
    yield shown.windowTitle()


def test_no_visible_text_is_a_level_vector(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> None:
    copytree(resources_path() / "examples", tmp_path / "examples")
    found, n_texts = [], 0
    with driven_window(qtbot, qapp) as driver:
        for name, shown in screens(driver, tmp_path / "examples"):
            for text in texts_of(shown):
                n_texts += 1
                if VECTOR.search(text):
                    found.append((name, text))
    assert n_texts > 3000
    assert found == []
