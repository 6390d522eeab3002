"""Every typed number is accepted unchanged or rejected with a reason, never truncated."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QPushButton, QVBoxLayout
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.forms.number_spin import CountSpin, IntegerSpin, NumberSpin
from anonymizer_gui.perspectives.configure.requirement.panel import RequirementPanel
from engine.privacy.differential_privacy import DifferentialPrivacy

LEFT = Qt.MouseButton.LeftButton
Field = NumberSpin | IntegerSpin | CountSpin


def percent() -> Field:
    return NumberSpin(0.0, 100.0, 2, "%")


def weight() -> Field:
    return NumberSpin(0.5, 100.0, 1)


def whole() -> Field:
    return IntegerSpin(2, 20)


def count() -> Field:
    return CountSpin(1, 1_000_000)


class Form(QDialog):
    """Dialog with a field containing 10 and a button that accepts."""

    def __init__(self, make: Callable[[], Field], tracks: bool = True) -> None:
        super().__init__()
        self.field = make()
        self.field.setAccessibleName("Amount")
        self.field.setValue(10)
        self.field.setKeyboardTracking(tracks)
        self.button = QPushButton("Set")
        self.button.clicked.connect(self.accept)
        column = QVBoxLayout(self)
        column.addWidget(self.field)
        column.addWidget(self.button)
        self.button.setDefault(True)


@pytest.fixture
def opened(qtbot: QtBot, themed: QApplication) -> Callable[..., Form]:
    def open_form(make: Callable[[], Field], tracks: bool = True) -> Form:
        form = Form(make, tracks)
        qtbot.addWidget(form)
        form.show()
        form.activateWindow()
        qtbot.waitUntil(form.isActiveWindow)
        return form

    return open_form


def type_into(qtbot: QtBot, field: Field, text: str, end: Qt.Key | None = Qt.Key.Key_Tab) -> None:
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    if end is not None:
        qtbot.keyClick(field, end)


TAKEN: dict[Callable[[], Field], dict[str, float]] = {
    percent: {"100": 100, "2,5": 2.5, "7.125%": 7.125, "12 %": 12, "0": 0, ".5": 0.5},
    weight: {"0,5": 0.5, "100": 100, "1e1": 10, "50 %": 0.5},
    whole: {"2": 2, "20": 20, "12.0": 12},
    count: {"1000000": 1_000_000, "12 345": 12_345, "1e3": 1000},
}
REFUSED: dict[Callable[[], Field], dict[str, str]] = {
    percent: {"150": "from 0 to 100\u202f%", "-1": "from 0 to 100\u202f%", "a": "is not a number"},
    weight: {"150": "a number from 0.5 to 100", "0.1": "from 0.5 to 100", "1.2.3": "is not a number"},
    whole: {"150": "a whole number from 2 to 20", "1": "from 2 to 20", "2.5": "” is not a whole number."},
    count: {
        "1,000": "” can mean two numbers.",
        "99999999": "a whole number from 1 to 1000000",
        "ten": "is not a number",
    },
}


@pytest.mark.parametrize("tracks", [True, False])
@pytest.mark.parametrize("make", list(TAKEN))
def test_a_valid_number_is_accepted_and_an_invalid_one_keeps_the_old_one_with_a_reason(
    qtbot: QtBot, opened: Callable[..., Form], make: Callable[[], Field], tracks: bool
) -> None:
    form = opened(make, tracks)
    field = form.field
    shown = field.text()
    for text, value in TAKEN[make].items():
        type_into(qtbot, field, text)
        assert (field.value(), field.note) == (value, "")
    for text, why in REFUSED[make].items():
        field.setValue(10)
        type_into(qtbot, field, text)
        assert (field.value(), field.text()) == (10, shown), text
        assert field.note.startswith(f"Amount is still {shown}. “{text}” ")
        assert why in field.note


def test_a_dialog_does_not_accept_the_old_number_after_an_invalid_one(
    qtbot: QtBot, opened: Callable[..., Form]
) -> None:
    form = opened(whole)
    type_into(qtbot, form.field, "150", Qt.Key.Key_Return)
    assert form.isVisible()
    assert form.field.value() == 10
    type_into(qtbot, form.field, "150", None)
    qtbot.mousePress(form.button, LEFT)
    qtbot.waitUntil(form.field.hasFocus)
    qtbot.mouseRelease(form.button, LEFT)
    assert form.isVisible()
    assert "from 2 to 20" in form.field.note
    type_into(qtbot, form.field, "15", None)
    assert form.field.note == ""
    qtbot.mouseClick(form.button, LEFT)
    assert not form.isVisible()
    assert form.field.value() == 15


def test_a_step_after_an_invalid_number_starts_at_the_old_one(
    qtbot: QtBot, opened: Callable[..., Form]
) -> None:
    form = opened(whole)
    field = form.field
    type_into(qtbot, field, "150", Qt.Key.Key_Up)
    assert field.value() == 11


def test_a_suppression_limit_of_150_percent_is_rejected_and_the_old_one_kept(
    qtbot: QtBot, themed: QApplication
) -> None:
    panel = RequirementPanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.activateWindow()
    qtbot.waitUntil(panel.isActiveWindow)
    panel.show_limit(0.05, "")
    chosen: list[float] = []
    panel.limit_chosen.connect(chosen.append)
    type_into(qtbot, panel.limit_box, "150")
    assert (panel.limit_box.value(), chosen) == (5, [])
    assert panel.limit_box.note == (
        "Suppression limit in percent is still 5.00\u202f%. “150” is out of range. "
        "It must be a number from 0 to 100\u202f%."
    )
    type_into(qtbot, panel.limit_box, "2,5", Qt.Key.Key_Return)
    assert chosen == [0.025]


def test_a_probability_below_the_places_of_a_spin_box_is_shown_and_kept(
    qtbot: QtBot, themed: QApplication
) -> None:
    form = ParamForm(DifferentialPrivacy)
    qtbot.addWidget(form)
    form.show()
    field = form.findChild(QLineEdit, "param.delta")
    assert field.text() == "0.00001"
    field.selectAll()
    qtbot.keyClicks(field, "1e-10")
    assert form.member() == DifferentialPrivacy(delta=1e-10)
    field.selectAll()
    qtbot.keyClicks(field, "1")
    assert form.member() is None
