"""The rule of columns is chosen for one or several of them, with its examples, and undone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms.rule_form import OfferedRules, RuleForm
from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.perspectives.configure.table.rule_presenter import RuleDialog
from anonymizer_gui.session import Session
from anonymizer_gui.session.applied import stale_text
from anonymizer_gui.session.parts import is_compiled_alike
from anonymizer_gui.theming import theme_manager
from engine.project.edits import set_roles
from engine.recoding.rules import column_rules
from engine.records import Role
from tests.anonymizer_gui.look_checks import clipped_texts, looks, overlapping_siblings
from tests.anonymizer_gui.perspectives.configure.conftest import Settle

LEFT = Qt.MouseButton.LeftButton
OFFERED = OfferedRules(tuple(column_rules), preview=lambda _rule: [("1980-02-28", "1981-01-01")] * 4)


def choose(qtbot: QtBot, configure: ConfigurePresenter, settle: Settle, title: str, *columns: str) -> None:
    """Select columns and pick a rule by keys."""
    configure.view.table.table.select_columns(columns)
    settle()
    box = configure.view.column.rule.box
    place = box.findText(title)
    assert place >= 0, f"{title} is not offered"
    box.setFocus()
    qtbot.mouseClick(box, LEFT)
    popup = box.view()
    qtbot.waitUntil(popup.isVisible)
    popup.setCurrentIndex(box.model().index(place, 0))
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    settle()


def rule(session: Session, column: str = "name") -> object:
    return session.project.transformation.identifiers.get(column)


def test_columns_that_are_not_quasi_identifying_have_the_choice(
    configure: ConfigurePresenter, settle: Settle
) -> None:
    for names, is_shown in (
        (("name",), True),
        (("disease",), True),
        (("age",), False),
        (("name", "age"), False),
        (("name", "disease"), False),
    ):
        configure.view.table.table.select_columns(names)
        settle()
        assert configure.view.column.rule.isVisible() is is_shown


def test_a_rule_is_one_step_that_can_be_undone(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    choose(qtbot, configure, settle, "Mask", "name")
    assert rule(session) == column_rules.create("mask")
    assert session.history.own.undoText() == "Set what replaces name"
    session.history.undo()
    settle()
    assert rule(session) is None
    assert configure.view.column.rule.box.currentText() == "Default (Star)"
    session.history.redo()
    settle()
    assert configure.view.column.rule.box.currentText() == "Mask"
    choose(qtbot, configure, settle, "Default (Star)", "name")
    assert rule(session) is None


def test_the_parameters_are_set_by_the_form_of_the_rule(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    choose(qtbot, configure, settle, "Mask", "name")
    qtbot.mouseClick(configure.view.column.rule.settings_button, LEFT)
    (dialog,) = configure.view.window().findChildren(RuleDialog)
    field = dialog.rule.form.editor("keep_first").widget
    spin = field if isinstance(field, QSpinBox) else field.findChild(QSpinBox)
    line = spin.findChild(QLineEdit)
    line.selectAll()
    qtbot.keyClicks(line, "3")
    qtbot.mouseClick(dialog.accept_button, LEFT)
    settle()
    assert rule(session) == column_rules.create("mask", keep_first=3)
    assert configure.view.column.rule.words.text() == "first characters kept 3"


def test_several_columns_get_a_rule_together_and_differences_are_shown(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    session.edit("Make it identifying", set_roles(session.project, ["disease"], Role.IDENTIFYING))
    choose(qtbot, configure, settle, "Pseudonym", "name")
    configure.view.table.table.select_columns(("name", "disease"))
    settle()
    box = configure.view.column.rule.box
    assert (box.currentIndex(), box.placeholderText()) == (-1, "Several")
    before = session.history.own.count()
    choose(qtbot, configure, settle, "Drop", "name", "disease")
    assert [rule(session, name) for name in ("name", "disease")] == [column_rules.create("drop")] * 2
    assert session.history.own.count() == before + 1


def test_a_keyed_hash_reports_a_missing_key(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    choose(qtbot, configure, settle, "Keyed hash", "name")
    assert configure.view.column.rule.words.text() == "no key file yet"


def test_a_rule_changed_elsewhere_is_shown(
    configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    configure.view.table.table.select_columns(("name",))
    project = session.project
    own = replace(project.transformation, identifying="drop")
    session.edit("Drop them", replace(project, transformation=own))
    settle()
    assert configure.view.column.rule.box.currentText() == "Default (Drop)"


def test_a_release_is_out_of_date_when_a_sensitive_column_gets_a_rule(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    before = session.project
    assert before is not None
    choose(qtbot, configure, settle, "Mask", "disease")
    after = session.project
    assert after.rules == {"disease": column_rules.create("mask")}
    assert stale_text(before, after) == "Release was made with other rules of columns"
    assert not is_compiled_alike(before, after)
    shuffled = replace(after, transformation=replace(after.transformation, shuffle=True))
    assert is_compiled_alike(after, shuffled)
    choose(qtbot, configure, settle, "Unchanged", "disease")
    assert not session.project.rules


def test_every_text_fits_in_both_themes_and_sizes(
    qtbot: QtBot, themed: QApplication, is_thorough: bool
) -> None:
    wrong = {}
    for theme, scale in looks(is_thorough=is_thorough):
        theme_manager().apply(themed, theme, scale)
        for key in column_rules:
            made = column_rules.create(key)
            dialog = RuleDialog("number of the insurance policy", made, OFFERED)
            qtbot.addWidget(dialog)
            with qtbot.waitExposed(dialog):
                dialog.show()
            if found := [*clipped_texts(dialog), *overlapping_siblings(dialog)]:
                wrong[theme.name, scale, key] = found
            dialog.close()
    assert wrong == {}


def test_a_key_that_cannot_be_created_is_reported_in_the_form(
    qtbot: QtBot, themed: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "own.key"
    there.write_text("somebody's")
    monkeypatch.setattr("anonymizer_gui.forms.rule_form.ask_save", lambda *_: there)
    form = RuleForm()
    qtbot.addWidget(form)
    form.show_choice(column_rules.create("keyed_hash"), OFFERED)
    form.show()
    qtbot.mouseClick(form.findChild(QWidget, "newKeyButton"), LEFT)
    assert "' already exists." in form.banner.problem()
    there.unlink()
    qtbot.mouseClick(form.findChild(QWidget, "newKeyButton"), LEFT)
    assert form.choice() == (True, column_rules.create("keyed_hash", key_file=str(there)))
