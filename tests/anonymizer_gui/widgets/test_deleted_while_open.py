"""Modal dialogs that are deleted with their parent while they wait for an answer: as if cancelled."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.widgets.file_dialogs import ask_folder, ask_open, ask_open_several, ask_save
from anonymizer_gui.widgets.question import Question


def asked(parent: QWidget) -> str:
    return Question("question", "Title", "Question?", "Consequence.", parent).ask()


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (lambda parent: ask_save(parent, "Save", "*", "x.csv", "csv"), None),
        (lambda parent: ask_open(parent, "Open", "*"), None),
        (lambda parent: ask_folder(parent, "Folder"), None),
        (lambda parent: ask_open_several(parent, "Open", "*"), []),
        (asked, ""),
    ],
)
def test_a_dialog_deleted_with_its_parent_has_no_answer(
    qtbot: QtBot, qapp: QApplication, ask: Callable[[QWidget], object], answer: object
) -> None:
    parent = QDialog()
    parent.show()

    def close() -> None:
        if QApplication.activeModalWidget() is None:
            QTimer.singleShot(20, close)
        else:
            parent.deleteLater()  # as a presenter does when another table is opened

    QTimer.singleShot(20, close)
    assert ask(parent) == answer
