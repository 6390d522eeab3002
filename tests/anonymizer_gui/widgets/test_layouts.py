"""Rows and columns built by one expression."""

from __future__ import annotations

from pathlib import Path

import shiboken6
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QLayout, QLayoutItem, QMenu, QWidget
from pytestqt.qtbot import QtBot

import anonymizer_gui
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


def test_an_object_at_the_address_of_a_deleted_item_has_its_own_kind(qtbot: QtBot) -> None:
    boxes, other = [QWidget() for _unused in range(20)], QWidget()
    menu = QMenu(other)
    for widget in (*boxes, other):
        qtbot.addWidget(widget)
    before = set(map(id, wrapped_items()))
    for box in boxes:
        labels = [QLabel(str(number)) for number in range(40)]
        vbox(hbox(*labels[:20], STRETCH, vbox(*labels[20:], 4)), of=box)
        for label in labels:
            label.setParent(other)  # so that Qt deletes its item
        assert {type(menu.addAction("a")) for _unused in range(300)} == {QAction}
    assert set(map(id, wrapped_items())) <= before


def test_layouts_are_only_added_by_nest() -> None:
    code = Path(anonymizer_gui.__file__).parent
    adds = {path.name for path in code.rglob("*.py") if ".addLayout(" in path.read_text(encoding="utf-8")}
    assert adds == {"layouts.py"}


def wrapped_items() -> list[object]:
    """Return the items of layouts that Python has a wrapper of."""
    found = shiboken6.getAllValidWrappers()
    return [own for own in found if isinstance(own, QLayoutItem) and not isinstance(own, QLayout)]
