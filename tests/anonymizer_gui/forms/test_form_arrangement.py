"""Forms arrange parameters as declared: sections, alternatives, lines per level, collapsed ones."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.forms.list_editors import CheckList, LevelList
from anonymizer_gui.forms.number_spin import IntegerSpin
from anonymizer_gui.widgets.elided_combo_box import ElidedCheckBox
from engine.params import Choice, Choices, Configurable, Integers, Real, Reals, Text, param
from tests.anonymizer_gui.hands import level_lines

LEFT = Qt.MouseButton.LeftButton


@dataclass(frozen=True)
class Bands(Configurable):
    """Bands by width, by cuts or by number, joined, with an optional end."""

    width: float = param(10.0, Real(label="Width", maximum=100, ways=("Width",), section="Bands by"))
    cuts: tuple[float, ...] | None = param(None, Reals(label="Cuts", ways=("Cuts",), section="Bands by"))
    merge: tuple[int, ...] = param(
        (2,),
        Integers(
            label="Combine", minimum=2, first_level=2, unit="bands of level {below}", usual=((2,), (2, 3))
        ),
    )
    label: str = param(
        "range",
        Choice(label="Labels", by_example=True, options=(("range", "range: 20-29"), ("mean", "mean"))),
    )
    kept: tuple[str, ...] = param(
        ("year",), Choices(label="Kept", options=(("month", "month"), ("year", "year")))
    )
    bottom: float | None = param(
        None, Real(label="Bottom", maximum=100, switch="One group below", section="Outside the range")
    )
    padding: str = param("*", Text(label="Pad with", length=1, is_advanced=True))


@pytest.fixture
def form(themed: QApplication, qtbot: QtBot) -> ParamForm:
    made = ParamForm(Bands)
    qtbot.addWidget(made)
    made.resize(240, 600)
    made.show()
    qtbot.waitExposed(made)
    return made


def find(form: ParamForm, kind: type, name: str):  # type: ignore[no-untyped-def]  # the kind that is asked for
    found = form.findChild(kind, name)
    assert found is not None, name
    return found


def click(widget: QWidget) -> None:
    QTest.mouseClick(widget, LEFT)


def test_section_titles_appear_once(form: ParamForm) -> None:
    texts = [label.text() for label in form.findChildren(QLabel) if label.isVisible()]
    assert texts.count("Bands by") == 1
    assert texts.count("Outside the range") == 1


def test_only_the_selected_alternative_is_shown_and_returned(form: ParamForm) -> None:
    width, cuts = form.editor("width").widget, find(form, QLineEdit, "param.cuts")
    assert (width.isVisible(), cuts.isVisible()) == (True, False)
    click(form.ways.control.segment("Cuts"))
    assert (width.isVisible(), cuts.isVisible()) == (False, True)
    QTest.keyClicks(cuts, "5, 20")
    assert form.member() == Bands(cuts=(5, 20))
    form.ways.control.setFocus()
    QTest.keyClick(form.ways.control, Qt.Key.Key_Left)
    assert form.member() == Bands()
    QTest.keyClick(form.ways.control, Qt.Key.Key_Right)
    assert form.member() == Bands(cuts=(5, 20))


def test_a_selected_alternative_starts_with_the_suggested_value(form: ParamForm) -> None:
    form.suggest_by(lambda name: (1, 6, 11) if name == "cuts" else None)
    click(form.ways.control.segment("Cuts"))
    assert form.member() == Bands(cuts=(1, 6, 11))


def test_a_form_shows_the_alternative_of_its_values(themed: QApplication, qtbot: QtBot) -> None:
    made = ParamForm(Bands, {"width": 5, "cuts": (1, 2)})
    qtbot.addWidget(made)
    assert made.ways.control.current() == "Cuts"


def test_levels_are_added_changed_and_removed_one_line_each(form: ParamForm, qtbot: QtBot) -> None:
    levels = find(form, LevelList, "param.merge")
    form.show_groups((72, 15, 8, 5))
    assert level_lines(levels) == ["Level 2 2 bands of level 1 8"]
    with qtbot.waitSignal(form.changed):
        click(levels.add_button)
    assert level_lines(levels)[1] == "Level 3 3 bands of level 2 5"  # continues the usual series
    assert QApplication.focusWidget() is find(form, IntegerSpin, "param.merge.3")
    QTest.keyClicks(find(form, IntegerSpin, "param.merge.3"), "4")
    assert form.member() == Bands(merge=(2, 4))
    click(find(form, QPushButton, "param.merge.2.remove"))
    assert form.member() == Bands(merge=(4,))
    assert level_lines(levels) == ["Level 2 4 bands of level 1 8"]
    click(find(form, QPushButton, "param.merge.2.remove"))
    assert form.member() == Bands(merge=())


def test_tab_goes_through_the_lines_of_levels_in_their_order(form: ParamForm) -> None:
    levels = find(form, LevelList, "param.merge")
    click(levels.add_button)
    names = []
    find(form, IntegerSpin, "param.merge.2").setFocus()
    for _ in range(5):
        focused = QApplication.focusWidget()
        names.append(focused.objectName())
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    assert names == [
        "param.merge.2",
        "param.merge.2.remove",
        "param.merge.3",
        "param.merge.3.remove",
        "param.merge.add",
    ]


def test_options_show_their_examples(form: ParamForm) -> None:
    form.show_examples("label", {"range": "35-39", "mean": "37"})
    box = find(form, QComboBox, "param.label")
    assert [box.itemText(i) for i in range(box.count())] == ["Range: 35-39", "Mean: 37"]
    form.show_examples("kept", {"month": "2026-11"})
    boxes = find(form, CheckList, "param.kept")
    assert [boxes.box(key).text() for key in ("month", "year")] == ["Month: 2026-11", "Year"]


def test_ticked_options_are_returned_in_their_order(form: ParamForm) -> None:
    boxes = find(form, CheckList, "param.kept")
    click(boxes.box("month"))
    assert form.member() == Bands(kept=("month", "year"))


def test_a_check_box_adds_and_removes_an_optional_number(form: ParamForm) -> None:
    form.suggest_by(lambda name: 20 if name == "bottom" else None)
    box, line = find(form, ElidedCheckBox, "param.bottom.switch"), find(form, QLineEdit, "param.bottom")
    assert not box.isChecked()
    click(box)
    assert form.member() == Bands(bottom=20)
    assert QApplication.focusWidget() is line
    line.selectAll()
    QTest.keyClicks(line, "30")
    click(box)
    assert form.member() == Bands()
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert form.member() == Bands(bottom=30)  # the value before unticking
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)
    assert not box.isChecked()


def test_rarely_needed_parameters_are_collapsed(form: ParamForm) -> None:
    padding = find(form, QLineEdit, "param.padding")
    button = form.more.button
    assert not padding.isVisible()
    click(button)
    assert padding.isVisible()
    assert button.text() == "Less"
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert not padding.isVisible()


def test_values_other_than_the_default_are_not_collapsed(themed: QApplication, qtbot: QtBot) -> None:
    made = ParamForm(Bands, {"padding": "#"})
    qtbot.addWidget(made)
    made.show()
    assert find(made, QLineEdit, "param.padding").isVisible()


def test_an_error_expands_its_field(form: ParamForm) -> None:
    button = form.more.button
    assert button is not None
    click(button)
    padding = find(form, QLineEdit, "param.padding")
    padding.selectAll()
    QTest.keyClick(padding, Qt.Key.Key_Delete)
    click(button)
    assert not padding.isVisible()
    assert form.member() is None
    assert padding.isVisible()
    assert "Pad with" in form.error_text()


def test_a_note_is_next_to_its_number(form: ParamForm) -> None:
    form.show_note("width", "years wide")
    assert "years wide" in [label.text() for label in form.findChildren(QLabel) if label.isVisible()]
