"""No screen names a node by the digits of its levels."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.resources import resources_path
from tests.measured_screens import texts_of, vectors
from tests.screens import screens
from tests.window_driver import driven_window

ANY_NUMBER = 2  # of columns, with which only brackets mark a level vector


def test_no_visible_text_is_a_level_vector(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> None:
    copytree(resources_path() / "examples", tmp_path / "examples")
    found, n_texts = [], 0
    with driven_window(qtbot, qapp) as driver:
        for name, shown in screens(driver, tmp_path / "examples"):
            n_texts += sum(1 for _text in texts_of(shown))
            found += [(name, text) for text in vectors(shown, ANY_NUMBER)]
    assert n_texts > 3000
    assert found == []
