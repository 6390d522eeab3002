"""Rows and columns built by one expression."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox


def test_parts_are_side_by_side_and_the_stretch_takes_the_rest(qtbot: QtBot) -> None:
    box, first, second, last = QWidget(), QLabel("a"), QLabel("b"), QLabel("c")
    qtbot.addWidget(box)
    hbox(first, 10, second, STRETCH, last, spacing=4, margins=(6, 0, 8, 0), of=box)
    box.resize(400, 30)
    box.show()
    qtbot.waitExposed(box)
    assert first.x() == 6
    assert second.x() == first.geometry().right() + 1 + 4 + 10
    assert last.geometry().right() + 1 == 400 - 8


def test_a_column_divides_its_height_and_contains_rows(qtbot: QtBot) -> None:
    box, top, bottom, beside = QWidget(), QWidget(), QWidget(), QLabel("a")
    qtbot.addWidget(box)
    vbox((top, 3), (bottom, 1), hbox(beside, STRETCH), spacing=0, margins=0, of=box)
    box.resize(100, 100 + beside.sizeHint().height())
    box.show()
    qtbot.waitExposed(box)
    assert (top.height(), bottom.height()) == (75, 25)
    assert beside.y() == 100


def test_a_widget_gets_its_names(qtbot: QtBot) -> None:
    label = named(QLabel(), "caption", "Caption", "Meaning")
    qtbot.addWidget(label)
    assert (label.objectName(), label.accessibleName(), label.toolTip()) == (
        "caption",
        "Caption",
        "Meaning",
    )
