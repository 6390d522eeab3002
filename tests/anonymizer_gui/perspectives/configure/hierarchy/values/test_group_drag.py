"""A drag queries the view under the pointer, highlights the target, and ends by a drop or Escape."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget, GroupDrag

DRAGGED = Selection(0, ("a", "b"))


class Half:
    """A view that accepts drops on one side of a line."""

    def __init__(self, target: DropTarget, takes_left: bool) -> None:
        self.target, self.takes_left = target, takes_left
        self.shown: DropTarget | None = None

    def drop_target_at(self, position: QPoint, dragged: Selection) -> DropTarget | None:
        return self.target if (position.x() < 100) == self.takes_left else None

    def show_drop_target(self, target: DropTarget | None) -> None:
        self.shown = target


@pytest.fixture
def host(qtbot: QtBot, themed: QApplication) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(200, 100)
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.fixture
def faces() -> tuple[Half, Half]:
    return Half(DropTarget(1, "group"), True), Half(DropTarget(2), False)


@pytest.fixture
def drag(host: QWidget, faces: tuple[Half, Half]) -> GroupDrag:
    made = GroupDrag(host)
    for face in faces:
        made.add_face(face)
    return made


def test_the_face_under_the_pointer_highlights_the_target(
    host: QWidget, drag: GroupDrag, faces: tuple[Half, Half]
) -> None:
    left, right = faces
    drag.begin(DRAGGED, "2 values", QPoint(10, 10))
    assert (left.shown, right.shown) == (DropTarget(1, "group"), None)
    tag = host.findChild(QLabel, "dragTag")
    assert tag.isVisible()
    assert tag.text() == "2 values"
    drag.move(QPoint(150, 10))
    assert (left.shown, right.shown) == (None, DropTarget(2))
