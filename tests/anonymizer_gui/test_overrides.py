"""Errors in methods that Qt calls: shown or raised, never the end of the program."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QStackedWidget, QWidget
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from anonymizer_gui.widgets.floating_card import SideSheet


class Hiding:
    _fail: Callable[[], object]

    def hideEvent(self, event: QHideEvent) -> None:
        self._fail()


class Page(Hiding, QWidget):
    """Page whose handlers, one of a base class before that of Qt, fail as Python's own functions do."""

    def __init__(self, fail: Callable[[], object]) -> None:
        super().__init__()
        self._fail = fail

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Hide:
            self._fail()
        return False


class Sized(Page):
    def sizeHint(self) -> QSize:
        self._fail()
        return QSize(10, 10)


def of_a_deleted_widget() -> object:
    label = QLabel()
    shiboken6.delete(label)
    return label.isVisible()


FAULTS = {
    "deleted": (of_a_deleted_widget, RuntimeError),
    "type": (lambda: len(5), TypeError),  # type: ignore[arg-type]
    "index": (lambda: [][0], IndexError),
    "value": (lambda: int("x"), ValueError),
    "key": (lambda: {}["x"], KeyError),
    "stop": (lambda: next(iter(())), StopIteration),
}


@pytest.fixture(params=FAULTS)
def fault(request: pytest.FixtureRequest) -> tuple[Callable[[], object], type[Exception]]:
    return FAULTS[request.param]


def test_an_error_of_an_event_handler_below_other_python_code_is_shown(
    qtbot: QtBot, fault: tuple[Callable[[], object], type[Exception]]
) -> None:
    """A page that another one replaces is hidden by Qt, called from Python: this ended the program."""
    stack, page, other = QStackedWidget(), Page(fault[0]), QWidget()
    qtbot.addWidget(stack)
    stack.addWidget(page)
    stack.addWidget(other)
    stack.show()
    with capture_exceptions() as raised:
        stack.setCurrentWidget(other)
    assert [kind for kind, _error, _trace in raised] == [fault[1]]
    assert stack.currentWidget() is other


def test_an_error_of_an_event_filter_is_shown(
    qtbot: QtBot, fault: tuple[Callable[[], object], type[Exception]]
) -> None:
    button, filtering = QPushButton(), Page(fault[0])
    qtbot.addWidget(button)
    qtbot.addWidget(filtering)
    button.installEventFilter(filtering)
    button.show()
    with capture_exceptions() as raised:
        button.hide()
    assert [kind for kind, _error, _trace in raised] == [fault[1]]
    assert not button.isVisible()


def test_an_error_of_another_override_is_raised_where_qt_was_called(
    qtbot: QtBot, fault: tuple[Callable[[], object], type[Exception]]
) -> None:
    page = Sized(fault[0])
    qtbot.addWidget(page)
    with pytest.raises(fault[1]):
        page.adjustSize()


def test_a_guarded_slot_without_parameters_takes_no_value(qtbot: QtBot) -> None:
    class Taker(QWidget):
        n_taken = 0

        def adjustSize(self) -> None:
            self.n_taken += 1

    taker, button = Taker(), QPushButton()
    qtbot.addWidget(taker)
    qtbot.addWidget(button)
    button.clicked.connect(taker.adjustSize)
    button.click()
    assert taker.n_taken == 1


def test_a_sheet_closes_although_what_had_the_focus_before_is_gone(qtbot: QtBot, qapp: QApplication) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    button = QPushButton(page)
    sheet = SideSheet("sheet", "Sheet", 200, page)
    sheet.lay_out()
    sheet.hide()
    with qtbot.waitExposed(page):
        page.show()
    page.activateWindow()
    button.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is button)
    sheet.show()
    shiboken6.delete(button)
    with capture_exceptions() as raised:
        sheet.reject()
    assert raised == []
    assert not sheet.isVisible()
