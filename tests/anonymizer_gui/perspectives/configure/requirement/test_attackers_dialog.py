"""The matrix of who knows what, by mouse and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms.number_spin import IntegerSpin
from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.perspectives.configure.requirement.dialogs import AttackersDialog
from anonymizer_gui.session import Session
from anonymizer_gui.theming import THEMES, theme_manager
from engine.privacy.any_columns import AnyColumns
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.known_columns import KnownColumns
from tests.anonymizer_gui.look_checks import clipped_texts, focus_problems, overlapping_siblings
from tests.anonymizer_gui.perspectives.configure.test_requirement import wish_for

LEFT = Qt.MouseButton.LeftButton


def opened(qtbot: QtBot, configure: ConfigurePresenter) -> AttackersDialog:
    """Open the matrix from the list of models."""
    wish_for(qtbot, configure, "Who knows what…")
    (dialog,) = configure.view.findChildren(AttackersDialog)
    qtbot.waitExposed(dialog)
    return dialog


def tick(qtbot: QtBot, dialog: AttackersDialog, row: int, column: str) -> None:
    box = dialog.findChild(QCheckBox, f"attacker.{row}.{column}")
    qtbot.mouseClick(box, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(box.height() // 2, box.height() // 2))


def type_into(qtbot: QtBot, dialog: AttackersDialog, name: str, text: str) -> None:
    field = dialog.findChild(QLineEdit, name) or dialog.findChild(IntegerSpin, name)
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)


def test_attackers_are_entered_by_ticks_names_and_numbers_in_one_step(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    dialog = opened(qtbot, configure)
    type_into(qtbot, dialog, "attacker.1.name", "neighbour")
    tick(qtbot, dialog, 1, "sex")
    type_into(qtbot, dialog, "attacker.1.k", "3")
    qtbot.mouseClick(dialog.add_any_button, LEFT)
    type_into(qtbot, dialog, "attacker.2.m", "1")
    type_into(qtbot, dialog, "attacker.2.k", "4")
    qtbot.waitUntil(lambda: dialog.findChild(QPushButton, "attacker.2.remove") is not None)
    qtbot.mouseClick(dialog.accept_button, LEFT)
    names = session.project.quasi_identifying
    assert session.project.requirement.models == (
        KAnonymity(2),
        KnownColumns(3, "neighbour", (names[0], "sex") if names[0] != "sex" else ()),
        AnyColumns(1, 4),
    )
    rows = [(row.facts.title, row.facts.meaning) for row in configure.view.requirement.rows]
    knows = ", ".join(names) if names[0] != "sex" else "smallest class for an attacker"
    assert rows[1:] == [("neighbour", knows), ("any 1 column", "smallest class by any m columns")]
    session.history.undo()
    assert session.project.requirement.models == (KAnonymity(2),)


def test_a_row_without_a_tick_is_refused_and_removed_by_its_button(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    dialog = opened(qtbot, configure)
    first = session.project.quasi_identifying[0]  # type: ignore[union-attr]
    tick(qtbot, dialog, 1, first)
    qtbot.mouseClick(dialog.accept_button, LEFT)
    assert dialog.isVisible()
    assert dialog._note.visible_text == "Tick at least one column"
    remove = dialog.findChild(QPushButton, "attacker.1.remove")
    assert remove is not None
    qtbot.mouseClick(remove, LEFT)
    assert dialog.rows == []
    qtbot.keyClick(dialog.accept_button, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    assert session.history.own.count() == 0


def test_the_keyboard_alone_reaches_every_cell(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    dialog = opened(qtbot, configure)
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    assert focus_problems(dialog) == []
    field = dialog.findChild(QLineEdit, "attacker.1.name")
    field.setFocus()
    qtbot.keyClicks(field, "employer")
    focused = QApplication.focusWidget
    for _column in session.project.quasi_identifying:  # type: ignore[union-attr]
        qtbot.keyClick(focused(), Qt.Key.Key_Tab)
        box = focused()
        if not box.isChecked():
            qtbot.keyClick(box, Qt.Key.Key_Space)
    qtbot.keyClick(focused(), Qt.Key.Key_Tab)
    k = focused()
    k.selectAll()
    qtbot.keyClicks(k, "2")
    qtbot.keyClick(k, Qt.Key.Key_Return)
    names = session.project.quasi_identifying
    assert session.project.requirement.models[1:] == (KnownColumns(2, "employer", names),)


def test_further_demands_of_a_model_stay_as_they_are(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    model = AnyColumns(2, 3, column="disease", confidence=0.5)
    dialog = AttackersDialog([model], ["age", "sex"])
    qtbot.addWidget(dialog)
    dialog.show()
    type_into(qtbot, dialog, "attacker.1.k", "7")
    with qtbot.waitSignal(dialog.attackers_chosen) as chosen:
        qtbot.mouseClick(dialog.accept_button, LEFT)
    assert chosen.args == [(AnyColumns(2, 7, column="disease", confidence=0.5),)]


@pytest.mark.parametrize("n_columns", [1, 3, 14])
@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_nothing_is_cut_with_few_or_many_columns(
    qtbot: QtBot, themed: QApplication, n_columns: int, scale: float
) -> None:
    theme_manager().apply(themed, THEMES["light"], scale)
    columns = ["marital-status of a person", *(f"c{i}" for i in range(n_columns - 1))]
    dialog = AttackersDialog([KnownColumns(known=("c1",)), AnyColumns()], columns)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    assert clipped_texts(dialog) == []
    assert overlapping_siblings(dialog) == []
    assert dialog.height() <= 700
