"""Modal dialogs and menus that are deleted with their parent while they are open: as if cancelled."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from anonymizer_gui.perspectives.explore.listing.filter_chips import FilterChip, FilterStrip
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import TextsTable
from anonymizer_gui.widgets.file_dialogs import ask_folder, ask_open, ask_open_several, ask_save
from anonymizer_gui.widgets.fitted_dialog import Question
from tests.anonymizer_gui.hands import right_click


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


def table_with_menu(qtbot: QtBot, parent: QWidget) -> Callable[[], None]:
    table = TextsTable("rows", "Rows")
    table.setParent(parent)
    table.show_rows((Heading("Name"),), ((Cell("age"),),))
    return lambda: right_click(table.viewport(), QPoint(20, 10))


def filters_without_room(qtbot: QtBot, parent: QWidget) -> Callable[[], None]:
    strip = FilterStrip(parent)
    strip.resize(200, 30)
    strip.show_chips([FilterChip(("levels", str(place)), f"filter {place}") for place in range(9)])
    more = strip.findChild(QPushButton, "moreFilters")
    assert more is not None
    return lambda: qtbot.mouseClick(more, Qt.MouseButton.LeftButton)


@pytest.fixture(params=[table_with_menu, filters_without_room])
def menu(qtbot: QtBot, request: pytest.FixtureRequest) -> Iterator[QMenu]:
    """Open menu, a child of the only child of a window."""
    parent = QWidget()
    parent.resize(300, 200)
    ask = request.param(qtbot, parent)
    with qtbot.waitExposed(parent):
        parent.show()
    closing = QTimer(parent, interval=500, singleShot=True)
    closing.timeout.connect(lambda: (menu := QApplication.activePopupWidget()) and menu.close())
    closing.start()
    ask()
    closing.stop()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu), "the menu waits within the event handler of its parent"
    assert menu.actions()
    yield menu
    if isValid(parent):
        parent.deleteLater()


def test_an_open_menu_is_deleted_with_its_parent(qtbot: QtBot, menu: QMenu) -> None:
    # The menu of `ActionsContextMenu` is no heap object: deleting it with its parent ends the program.
    menu.parentWidget().window().deleteLater()  # as a presenter does when another project is opened
    qtbot.waitUntil(lambda: not isValid(menu))
    assert QApplication.activePopupWidget() is None


def test_a_closed_menu_is_deleted(qtbot: QtBot, menu: QMenu) -> None:
    qtbot.keyClick(menu, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not isValid(menu))
