"""The dialog of suggested roles: display and ticks, by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QMainWindow, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.table.tick_list_dialog import SuggestDialog
from anonymizer_gui.theming import LIGHT
from anonymizer_gui.widgets.meter import Meter
from engine.qi_detection.hipaa import HipaaMatch
from engine.qi_detection.safe_harbor import SafeHarbor
from engine.qi_detection.suggest import RoleSuggestion
from engine.records import Role

LEFT = Qt.MouseButton.LeftButton
LONG = "a name & more of it, as long as some systems write the names of their columns, or longer still"
PHONE = HipaaMatch(SafeHarbor.TELEPHONE, True, True, 1.0, 0.97, "telephone numbers")
SUGGESTIONS = (
    RoleSuggestion("phone", Role.IDENTIFYING, "Its values look like telephone numbers.", 0.97, PHONE),
    RoleSuggestion("age", Role.QUASI_IDENTIFYING, "How old somebody is can be known.", 0.75),
    RoleSuggestion("ward", Role.QUASI_IDENTIFYING, "Its 4 values are few enough for others to know.", 0.4),
    RoleSuggestion("illness", Role.SENSITIVE, "Reveals the health of a person. " * 6, 0.75),
    RoleSuggestion(LONG, Role.INSENSITIVE, "Neither its name nor its values tell.", 0.4),
)

Ask = Callable[[Mapping[str, Role]], SuggestDialog]


@pytest.fixture
def ask(qtbot: QtBot, themed: QApplication) -> Iterator[Ask]:
    """Return a function that shows the dialog above a window of the smallest size."""
    behind = QMainWindow()
    behind.resize(1280, 720)
    qtbot.addWidget(behind)
    behind.show()

    def shown(now: Mapping[str, Role]) -> SuggestDialog:
        dialog = SuggestDialog(SUGGESTIONS, now, behind)
        with qtbot.waitExposed(dialog):
            dialog.show()
        return dialog

    yield shown
    for dialog in behind.findChildren(SuggestDialog):
        dialog.done(0)


def ticked(dialog: SuggestDialog) -> list[str]:
    return list(dialog.ticked_columns())


def test_each_column_has_its_role_its_confidence_in_words_and_the_reason(ask: Ask) -> None:
    dialog = ask({})
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert [t for t in texts if t in ("Sure", "Likely", "Guess")] == [
        "Sure",
        "Likely",
        "Guess",
        "Likely",
        "Guess",
    ]
    assert [meter.share() for meter in dialog.findChildren(Meter)] == [s.confidence for s in SUGGESTIONS]
    assert "Its values look like telephone numbers. HIPAA: telephone numbers (D)." in texts
    assert dialog.boxes["phone"].accessibleDescription() == (
        "Identifying. Sure. Its values look like telephone numbers. HIPAA: telephone numbers (D)."
    )


def test_without_roles_all_are_ticked(ask: Ask) -> None:
    assert ticked(ask({})) == [s.column for s in SUGGESTIONS]


def test_a_weak_suggestion_keeps_an_existing_role_and_unchanged_ones_cannot_be_ticked(ask: Ask) -> None:
    now = {"phone": Role.INSENSITIVE, "age": Role.QUASI_IDENTIFYING, "ward": Role.SENSITIVE}
    dialog = ask(now)
    assert ticked(dialog) == ["phone", "illness", LONG]
    assert not dialog.boxes["age"].isEnabled()
    assert "Already has this role" in dialog.boxes["age"].toolTip()
    assert dialog.boxes["ward"].isEnabled()
    assert "Current: sensitive" in dialog.boxes["ward"].toolTip()


def test_the_mouse_ticks_and_sets(qtbot: QtBot, ask: Ask) -> None:
    dialog = ask({})
    box = dialog.boxes["age"]
    qtbot.mouseClick(box, LEFT, pos=box.rect().center())
    assert dialog.accept_button.text() == "Set 4 roles"
    with qtbot.waitSignal(dialog.changes_accepted) as accepted:
        qtbot.mouseClick(dialog.accept_button, LEFT)
    assert list(accepted.args[0].values()) == [s for s in SUGGESTIONS if s.column != "age"]
    assert not dialog.isVisible()


def test_keys_walk_tick_and_set(qtbot: QtBot, ask: Ask) -> None:
    dialog = ask({})
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.boxes["phone"].setFocus()
    for name in ("phone", "age", "ward"):
        focus = QApplication.focusWidget()
        assert focus is dialog.boxes[name]
        qtbot.keyClick(focus, Qt.Key.Key_Space)
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)  # past the role
    assert ticked(dialog) == ["illness", LONG]
    with qtbot.waitSignal(dialog.changes_accepted) as accepted:
        qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert list(accepted.args[0]) == ["illness", LONG]


def test_escape_sets_nothing(qtbot: QtBot, ask: Ask) -> None:
    dialog = ask({})
    with qtbot.assertNotEmitted(dialog.changes_accepted):
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_all_and_none_are_ticked_at_once(qtbot: QtBot, ask: Ask) -> None:
    dialog = ask({"age": Role.QUASI_IDENTIFYING, "ward": Role.SENSITIVE})
    none, all_of_them = (dialog.findChild(QPushButton, name) for name in ("tickNoneButton", "tickAllButton"))
    qtbot.mouseClick(none, LEFT)
    assert ticked(dialog) == []
    assert not dialog.accept_button.isEnabled()
    assert dialog.accept_button.toolTip() == "No role would change"
    qtbot.mouseClick(all_of_them, LEFT)
    assert ticked(dialog) == ["phone", "ward", "illness", LONG]  # not the column that has its role already
    assert dialog.accept_button.text() == "Set 4 roles"


def test_another_role_than_the_suggested_one_can_be_chosen(qtbot: QtBot, ask: Ask) -> None:
    dialog = ask({"age": Role.QUASI_IDENTIFYING})
    for column in ("age", "ward", "phone"):
        box = dialog.findChild(QComboBox, f"role.{column}")
        box.setFocus()
        qtbot.keyClick(box, Qt.Key.Key_Down)
    assert dialog.boxes["age"].isChecked()
    with qtbot.waitSignal(dialog.changes_accepted) as accepted:
        qtbot.mouseClick(dialog.accept_button, LEFT)
    chosen = {column: accepted.args[0][column] for column in ("age", "ward", "phone")}
    assert chosen == {"age": Role.SENSITIVE, "ward": Role.SENSITIVE, "phone": Role.QUASI_IDENTIFYING}
    assert accepted.args[0]["illness"] is SUGGESTIONS[3]


def test_roles_that_are_all_as_suggested_are_said_to_be_in_ink_and_closed(qtbot: QtBot, ask: Ask) -> None:
    dialog = ask({suggestion.column: suggestion.role for suggestion in SUGGESTIONS})
    assert dialog.explained.text() == "All 5 roles are as suggested."
    assert dialog.boxes["age"].palette().color(QPalette.ColorRole.WindowText) == LIGHT.color("text")
    assert dialog.accept_button.text() == "Close"
    assert not dialog.cancel_button.isVisible()
    box = dialog.findChild(QComboBox, "role.age")
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert dialog.accept_button.text() == "Set 1 role"
    assert dialog.cancel_button.isVisible()
    qtbot.keyClick(box, Qt.Key.Key_Up)
    with qtbot.waitSignal(dialog.changes_accepted) as accepted:
        qtbot.mouseClick(dialog.accept_button, LEFT)
    assert accepted.args == [{}]


def test_without_changes_nothing_can_be_ticked(ask: Ask) -> None:
    dialog = ask({suggestion.column: suggestion.role for suggestion in SUGGESTIONS})
    for name in ("tickNoneButton", "tickAllButton"):
        button = dialog.findChild(QPushButton, name)
        assert not button.isEnabled()
        assert button.toolTip() == "Every column already has its role"


def test_long_names_are_elided_and_long_reasons_wrapped(ask: Ask) -> None:
    dialog = ask({})
    box = dialog.boxes[LONG]
    assert box.shown_text().endswith("…")
    assert box.shown_text()[:8] == LONG[:8] == "a name &"
    assert box.toolTip().startswith(LONG)
    assert box.accessibleName() == LONG
    (reason,) = (label for label in dialog.findChildren(QLabel) if label.text() == SUGGESTIONS[3].reason)
    assert reason.height() >= reason.heightForWidth(reason.width()) > reason.fontMetrics().height() * 1.5
