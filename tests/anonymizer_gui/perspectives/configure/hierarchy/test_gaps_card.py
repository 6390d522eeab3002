"""Values without a group are selected, searched, dragged, cut and kept, by mouse and keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from anonymizer_gui.perspectives.configure.hierarchy.editor import GapsCard
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget, GroupDrag
from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from tests.anonymizer_gui.perspectives.configure.conftest import AGES, Settle

LEFT, CONTROL, SHIFT = (
    Qt.MouseButton.LeftButton,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
NONE = Qt.KeyboardModifier.NoModifier
VALUES = ("apple", "banana", "cherry", "damson", "elder", "fig")


class Face(QWidget):
    """Accepts every drop as one into the group `fruit` of level 1."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[DropTarget | None] = []
        self.setMinimumSize(200, 100)

    def drop_target_at(self, position: QPoint, dragged: Selection) -> DropTarget | None:
        return DropTarget(1, "fruit") if self.rect().contains(self.mapFromGlobal(position)) else None

    def show_drop_target(self, target: DropTarget | None) -> None:
        self.shown.append(target)


@pytest.fixture
def side(themed: QApplication, qtbot: QtBot) -> QWidget:
    """Return a card with six values below a face that takes drops."""
    made = QWidget()
    qtbot.addWidget(made)
    drag, face = GroupDrag(made), Face()
    drag.setObjectName("drag")
    face.setObjectName("face")
    drag.add_face(face)
    card = GapsCard(drag)
    column = QVBoxLayout(made)
    column.addWidget(face, 1)
    column.addWidget(card)
    made.resize(264, 720)
    made.show()
    qtbot.waitExposed(made)
    card.show_gaps(VALUES, range(1, 7), "intervals")
    QApplication.processEvents()
    return made


@pytest.fixture
def card(side: QWidget) -> GapsCard:
    found = side.findChild(GapsCard)
    assert found is not None
    return found


def place_of(card: GapsCard, row: int) -> QPoint:
    return card.view.visualRect(card.view.texts.index(row, 0)).center()


def click(card: GapsCard, row: int, modifier: Qt.KeyboardModifier = NONE) -> None:
    QTest.mouseClick(card.view.viewport(), LEFT, modifier, place_of(card, row))


def drag_onto_face(side: QWidget, card: GapsCard, row: int) -> QPoint:
    """Press on a row and move onto the face; the button stays down."""
    port, face = card.view.viewport(), side.findChild(Face)
    QTest.mousePress(port, LEFT, NONE, place_of(card, row))
    target = port.mapFromGlobal(face.mapToGlobal(face.rect().center()))
    for at in (place_of(card, row) - QPoint(0, 20), target, target):
        QTest.mouseMove(port, at)
    return target


def test_the_list_is_a_sound_model(card: GapsCard) -> None:
    QAbstractItemModelTester(card.view.texts, QAbstractItemModelTester.FailureReportingMode.Fatal)
    card.show_gaps(("x",), (3,), "")
    assert card.view.texts.index(0, 1).data() == "3"


def test_values_are_selected_by_click_with_shift_and_control(card: GapsCard) -> None:
    click(card, 1)
    assert card.view.selected_values() == ("banana",)
    click(card, 3, SHIFT)
    assert card.view.selected_values() == ("banana", "cherry", "damson")
    click(card, 2, CONTROL)
    assert card.view.selected_values() == ("banana", "damson")
    QTest.keyClick(card.view, Qt.Key.Key_A, CONTROL)
    assert card.view.selected_values() == VALUES
    click(card, 4)  # a click on one of several chooses it alone
    assert card.view.selected_values() == ("elder",)


def test_typing_finds_a_value(card: GapsCard) -> None:
    click(card, 0)
    QTest.keyClicks(card.view, "da")
    assert card.view.selected_values() == ("damson",)


def test_selected_values_are_dragged_onto_a_face(side: QWidget, card: GapsCard, qtbot: QtBot) -> None:
    click(card, 1)
    click(card, 2, SHIFT)
    drag, face = side.findChild(GroupDrag), side.findChild(Face)
    target = drag_onto_face(side, card, 2)
    assert drag.dragged == Selection(0, ("banana", "cherry"))
    assert face.shown[-1] == DropTarget(1, "fruit")
    with qtbot.waitSignal(drag.dropped) as dropped:
        QTest.mouseRelease(card.view.viewport(), LEFT, NONE, target)
    assert dropped.args == [Selection(0, ("banana", "cherry")), DropTarget(1, "fruit")]


def test_a_value_that_is_not_selected_is_dragged_alone(side: QWidget, card: GapsCard) -> None:
    click(card, 1)
    drag = side.findChild(GroupDrag)
    target = drag_onto_face(side, card, 4)
    assert drag.dragged == Selection(0, ("elder",))
    QTest.keyClick(card.view, Qt.Key.Key_Escape)
    assert drag.dragged is None
    seen: list[object] = []
    drag.dropped.connect(lambda *args: seen.append(args))
    QTest.mouseRelease(card.view.viewport(), LEFT, NONE, target)
    assert seen == []


def test_control_x_picks_the_selected_values_up(card: GapsCard, qtbot: QtBot) -> None:
    click(card, 0)
    click(card, 5, CONTROL)
    with qtbot.waitSignal(card.pick_up_requested) as picked:
        QTest.keyClick(card.view, Qt.Key.Key_X, CONTROL)
    assert picked.args == [Selection(0, ("apple", "fig"))]


def test_the_selected_values_are_kept_below_the_top_or_all(card: GapsCard, qtbot: QtBot) -> None:
    with qtbot.waitSignal(card.top_requested) as kept:
        QTest.mouseClick(card.top_button, LEFT)
    assert kept.args == [VALUES]
    click(card, 2)
    with qtbot.waitSignal(card.top_requested) as kept:
        QTest.keyClick(card.top_button, Qt.Key.Key_Space)
    assert kept.args == [("cherry",)]


def test_the_rule_is_named_or_omitted_if_there_is_none(card: GapsCard, qtbot: QtBot) -> None:
    assert "intervals" in card.rule_button.toolTip()
    with qtbot.waitSignal(card.rule_button.clicked):
        QTest.mouseClick(card.rule_button, LEFT)
    card.show_gaps(VALUES, range(6), "")
    assert not card.rule_button.isVisible()
    card.show_gaps((), (), "")
    assert not card.isVisible()


def test_the_list_is_as_high_as_its_rows_within_its_share(side: QWidget, card: GapsCard) -> None:
    assert card.view.height() == card.view.height_of(6)
    card.show_gaps([str(n) for n in range(10_000)], [1] * 10_000, "")
    QApplication.processEvents()
    assert 0.35 < card.height() / side.height() <= 0.41
    card.show_gaps(["one"], [1], "")
    assert card.view.height() == card.view.height_of(3)


def test_a_value_is_cut_and_put_into_a_group_by_keys(
    configure: ConfigurePresenter, settle: Settle, tmp_path: Path
) -> None:
    lines = [f"{age};{'young' if age < '30' else 'old'};*\n" for age in AGES if age != "42"]
    path = tmp_path / "ages.csv"
    path.write_text("".join(lines), encoding="utf-8")
    configure.hierarchies.open("age")
    configure.view.show_editor()
    configure.hierarchies.import_file(path)
    settle()
    drafts, editor = configure.hierarchies.drafts, configure.view.editor
    drafts.select(Selection(0, ("20",)))  # Ctrl+X applies to the focused view, not to this selection
    editor.gaps.view.setFocus()
    QTest.keyClick(editor.gaps.view, Qt.Key.Key_A, CONTROL)
    QTest.keyClick(editor.gaps.view, Qt.Key.Key_X, CONTROL)
    drafts.select(Selection(1, ("old",)))
    QTest.keyClick(editor.gaps.view, Qt.Key.Key_V, CONTROL)
    settle()
    assert drafts.draft.hierarchy.label("42", 1) == "old"
    assert not editor.gaps.isVisible()
