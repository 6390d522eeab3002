"""Forms parse typed text, show errors in place, and lose no value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms import FormContext, ParamForm
from anonymizer_gui.forms.field import usual_texts
from anonymizer_gui.forms.list_editors import groups_to_text, text_to_groups, text_to_numbers
from anonymizer_gui.forms.number_spin import NumberSpin
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.hierarchies.builders.rounding import RoundingBuilder
from engine.hierarchies.builders.top_bottom import TopBottomBuilder
from engine.params import describe
from engine.privacy import privacy_models
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness

# A field of a group cannot contain line breaks.
words = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1)
labels = words.filter(lambda text: text.strip() != "")
levels_of_groups = st.lists(
    st.lists(st.tuples(labels, st.lists(labels, max_size=4)), min_size=1, max_size=3), max_size=3
)


def typed(qtbot: QtBot, line: QLineEdit, text: str) -> None:
    line.selectAll()
    qtbot.keyClicks(line, text)


@pytest.mark.parametrize(
    ("key", "name", "texts"),
    [
        ("highest_risk", "threshold", ["5 %", "10 %", "20 %", "50 %"]),
        ("sample_uniqueness", "threshold", ["0.0 %", "0.1 %", "1.0 %", "5.0 %"]),
        ("k_map", "significance", ["0.001", "0.010", "0.050"]),
        ("k_anonymity", "k", None),
    ],
)
def test_usual_values_have_one_number_of_decimals(key: str, name: str, texts: list[str] | None) -> None:
    descriptor = next(d for d in describe(privacy_models[key]) if d.name == name)
    wanted = [str(value) for value in descriptor.usual] if texts is None else texts
    assert [text.replace("\u202f", " ") for text in usual_texts(descriptor)] == wanted


def test_a_share_is_typed_in_percent_and_read_as_a_fraction(qtbot: QtBot) -> None:
    form = ParamForm(privacy_models["highest_risk"], {"threshold": 0.29})
    qtbot.addWidget(form)
    form.show()
    box = form.editor("threshold").widget
    assert box.text() == "29.00\u202f%"
    assert form.member() == privacy_models["highest_risk"](threshold=0.29)
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "7")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert form.member() == privacy_models["highest_risk"](threshold=0.07)


def test_a_list_of_numbers_is_typed_with_commas(qtbot: QtBot) -> None:
    form = ParamForm(RoundingBuilder)
    qtbot.addWidget(form)
    line = form.findChild(QLineEdit, "param.bases")
    assert line is not None
    typed(qtbot, line, "10, 50")
    assert form.member() == RoundingBuilder(bases=(10, 50))


def test_a_word_among_numbers_is_rejected_below_its_field(qtbot: QtBot) -> None:
    form = ParamForm(RoundingBuilder)
    qtbot.addWidget(form)
    line = form.findChild(QLineEdit, "param.bases")
    typed(qtbot, line, "2, two")
    assert form.member() is None
    assert form.error_text().startswith("Bases: 'two' is not a number.")
    assert line.property("invalid") == "true"
    typed(qtbot, line, "2")
    assert form.member() == RoundingBuilder(bases=(2,))
    assert form.error_text() == ""
    assert line.property("invalid") == "false"


def test_a_value_outside_its_bounds_shows_the_allowed_range(qtbot: QtBot) -> None:
    form = ParamForm(TopBottomBuilder)
    qtbot.addWidget(form)
    line = form.findChild(QLineEdit, "param.top")
    assert line is not None
    typed(qtbot, line, "1e13")
    assert form.member() is None
    assert "1e+12" in form.error_text()


def test_an_empty_optional_field_is_an_absent_value(qtbot: QtBot) -> None:
    form = ParamForm(IntervalsBuilder, {"top": 80})
    qtbot.addWidget(form)
    line = form.findChild(QLineEdit, "param.top")
    assert line.text() == "80"
    line.selectAll()
    qtbot.keyClick(line, Qt.Key.Key_Delete)
    assert form.member() == IntervalsBuilder()


def test_a_column_is_chosen_from_those_of_its_role(qtbot: QtBot) -> None:
    form = ParamForm(DistinctLDiversity, context=FormContext({"sensitive": ("disease", "income")}))
    qtbot.addWidget(form)
    box = form.findChild(QComboBox, "param.column")
    assert [box.itemText(i) for i in range(box.count())] == ["disease", "income"]
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert form.member() == DistinctLDiversity("income", 3)


def test_numbers_keep_the_digits_they_were_typed_with(qtbot: QtBot) -> None:
    form = ParamForm(TCloseness, {"column": "a", "t": 0.2}, FormContext({"sensitive": ("a",)}))
    qtbot.addWidget(form)
    box = form.findChild(NumberSpin, "param.t")
    assert box.text() == "0.20"
    typed(qtbot, box.lineEdit(), "0.123456")
    assert form.member() == TCloseness("a", 0.123456)


def test_a_comma_is_a_decimal_mark(qtbot: QtBot) -> None:
    form = ParamForm(TCloseness, {"column": "a", "t": 0.2}, FormContext({"sensitive": ("a",)}))
    qtbot.addWidget(form)
    box = form.findChild(NumberSpin, "param.t")
    typed(qtbot, box.lineEdit(), "0,15")
    assert form.member() == TCloseness("a", 0.15)


def test_a_whole_number_is_typed_into_a_spin_box(qtbot: QtBot) -> None:
    form = ParamForm(KAnonymity)
    qtbot.addWidget(form)
    typed(qtbot, form.editor("k").widget.lineEdit(), "12")  # type: ignore[attr-defined]  # a spin box
    assert form.member() == KAnonymity(12)


def test_numbers_may_have_any_usual_separator() -> None:
    assert text_to_numbers("5; 10,20  2.5", "Cuts") == [5, 10, 20, 2.5]


@given(levels_of_groups)
def test_groups_written_as_text_are_parsed_unchanged(levels: list[list[tuple[str, list[str]]]]) -> None:
    assert text_to_groups(groups_to_text(levels)) == levels


def test_usual_values_are_next_to_their_field_and_fill_it(qtbot: QtBot) -> None:
    form = ParamForm(TCloseness, shows_help=True)
    qtbot.addWidget(form)
    shown = [b.text() for b in form.findChildren(QPushButton)]
    assert shown == ["0.10", "0.15", "0.20", "0.30"]
    button = form.findChild(QPushButton, "usual.t.0.30")
    with qtbot.waitSignal(form.changed):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert form.editor("t").value() == 0.3
    assert button.accessibleName() == "Set t to 0.30"


def test_a_narrow_form_has_no_usual_values(qtbot: QtBot) -> None:
    form = ParamForm(KAnonymity)
    qtbot.addWidget(form)
    assert form.findChildren(QPushButton) == []
