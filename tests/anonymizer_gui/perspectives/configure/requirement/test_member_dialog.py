"""The dialog of every registered model: explanation, usual values to click, no clipped text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms import FormContext
from anonymizer_gui.perspectives.configure.requirement.dialogs import MemberDialog
from anonymizer_gui.theming import THEMES, theme_manager
from engine.params import ColumnRef, Integer, Real, describe
from engine.privacy import privacy_models
from tests.anonymizer_gui.look_checks import (
    clipped_texts,
    focus_problems,
    horizontal_scrollbars_outside_tables,
    overlapping_siblings,
)

CONTEXT = FormContext(
    {
        "sensitive": ("occupation and what is earned by it in a year", "disease"),
        "quasi-identifying": ("zip", "age"),
    }
)


def shown(qtbot: QtBot, key: str) -> MemberDialog:
    dialog = MemberDialog(privacy_models[key], {}, CONTEXT, "Add model")
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    return dialog


@pytest.mark.parametrize("key", sorted(privacy_models))
def test_every_model_is_explained_without_cut_texts_and_every_control_is_reached(
    qtbot: QtBot, themed: QApplication, key: str
) -> None:
    theme_manager().apply(themed, THEMES["light"], 1.5)
    dialog, kind = shown(qtbot, key), privacy_models[key]
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert kind.summary in texts
    assert kind.source in texts
    assert f"Protects against {', '.join(attack.title for attack in kind.protects)}." in texts
    assert clipped_texts(dialog) == []
    assert overlapping_siblings(dialog) == []
    assert horizontal_scrollbars_outside_tables(dialog) == []
    assert dialog.height() <= 700  # the smallest window is 720 high
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    assert focus_problems(dialog) == []


@pytest.mark.parametrize("key", sorted(privacy_models))
def test_every_usual_value_can_be_clicked_and_makes_a_model(
    qtbot: QtBot, themed: QApplication, key: str
) -> None:
    dialog, kind = shown(qtbot, key), privacy_models[key]
    if any(isinstance(given, ColumnRef) and given.may_be_empty for given in describe(kind)):
        dialog.form.editor("column").set_value("disease")  # of demands that need one
    for descriptor in describe(kind):
        if not isinstance(descriptor, Integer | Real):
            continue
        buttons = [
            button
            for button in dialog.form.findChildren(QPushButton)
            if button.objectName().startswith(f"usual.{descriptor.name}.")
        ]
        assert len(buttons) == len(descriptor.usual)
        for button, value in zip(buttons, descriptor.usual, strict=True):
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
            assert getattr(dialog.form.member(), descriptor.name) == value
