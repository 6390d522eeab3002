"""Cards, strips and dialogs carry the style sheet; the frames around them do not."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QDialog, QFocusFrame, QLabel, QMainWindow, QStackedWidget, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.theming.dressing import SMALL, Dresser, is_frame
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.layouts import vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody

SHEET = "QLabel { color: #112233; } QFrame[card] { border: 3px solid #445566; }"


@pytest.fixture
def dresser(qapp: QApplication) -> Dresser:
    made = Dresser(QObject(qapp))
    made.sheet = SHEET
    return made


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication) -> QMainWindow:
    """Return a window with a scrolling splitter of two cards as its only page."""
    made = QMainWindow()
    qtbot.addWidget(made)
    sides = DesignSplitter(Qt.Orientation.Horizontal, "sides")
    for name in ("first", "second"):
        card = Card(name)
        card.setObjectName(name)
        card.set_body(vbox(*(QLabel() for _ in range(SMALL))))
        sides.addWidget(card)
    pages = QStackedWidget()
    pages.addWidget(ScrollBody(vbox(sides)))
    made.setCentralWidget(pages)
    return made


def dressed(window: QWidget) -> list[QWidget]:
    return [widget for widget in window.findChildren(QWidget) if widget.styleSheet()]


def test_cards_are_dressed_and_the_frames_around_them_are_not(dresser: Dresser, window: QMainWindow) -> None:
    dresser.dress(window)
    assert {"first", "second"} <= {widget.objectName() for widget in dressed(window)}
    for card in dressed(window):
        assert not any(other is not card and other.isAncestorOf(card) for other in dressed(window))
    pages = window.centralWidget()
    assert isinstance(pages, QStackedWidget)
    assert is_frame(pages)
    assert not is_frame(window.findChild(Card))  # type: ignore[arg-type]  # there is one


def test_a_part_changes_with_the_sheet_and_a_frame_never_has_one(
    dresser: Dresser, window: QMainWindow
) -> None:
    dresser.dress(window)
    before = dressed(window)
    dresser.sheet = "QLabel { color: #998877; }"
    dresser.dress(window)
    assert dressed(window) == before
    assert {widget.styleSheet() for widget in before} == {dresser.sheet}


def test_what_is_shown_later_in_a_frame_is_dressed(
    qtbot: QtBot, dresser: Dresser, window: QMainWindow
) -> None:
    dresser.dress(window)
    with qtbot.waitExposed(window):
        window.show()
    dialog = QDialog(window)
    label = QLabel("words")
    vbox(label, of=dialog)
    assert not dialog.styleSheet()
    with qtbot.waitExposed(dialog):
        dialog.show()
    assert dialog.styleSheet() == SHEET
    assert label.palette().color(label.foregroundRole()).name() == "#112233"
    later = Card("later")
    pages = window.centralWidget()
    pages.addWidget(later)
    pages.setCurrentWidget(later)
    assert later.styleSheet() == SHEET


def test_a_small_frame_is_dressed_with_everything_in_it(dresser: Dresser, window: QMainWindow) -> None:
    few, many = QWidget(), QWidget()
    vbox(*(QLabel() for _ in range(2)), of=few)
    vbox(*(QLabel() for _ in range(SMALL + 1)), of=many)
    assert list(dresser.parts(few)) == [few]
    assert len(list(dresser.parts(many))) == SMALL + 1


def test_a_widget_with_its_own_style_is_left_alone(dresser: Dresser, qapp: QApplication) -> None:
    ring = QFocusFrame()
    ring.setStyle(qapp.style())
    assert not list(dresser.parts(ring))
