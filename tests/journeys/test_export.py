"""Exporting in the window: no file is lost to it, and nothing leaves that no longer fits the settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.export.dialog import ExportDialog
from engine.project import edits
from tests.window_driver import LONG, Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    """The hospital example, scored, its optimum applied."""
    with driven_window(qtbot, qapp) as driver:
        driver.click("example.hospital")
        driver.wait(lambda: driver.session.project is not None)
        driver.wait_settled()
        driver.key(Qt.Key.Key_Return, CONTROL)
        driver.wait(lambda: driver.session.release is not None)
        driver.wait_settled()
        yield driver


def asked(driver: Driver) -> ExportDialog:
    driver.key(Qt.Key.Key_E, CONTROL)
    dialog = driver.dialog("exportDialog")
    assert isinstance(dialog, ExportDialog)
    return dialog


def finished(driver: Driver, dialog: ExportDialog) -> str:
    driver.wait(lambda: dialog.verdict or dialog.banner.isVisible(), LONG)
    return dialog.verdict or dialog.banner.problem()


def test_a_typed_name_of_a_file_that_is_there_is_asked_about_and_replaced_only_then(
    opened: Driver, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    out.write_text("somebody's work", encoding="utf-8")
    dialog = asked(opened)
    opened.type_into("exportPath", str(out))
    opened.key(Qt.Key.Key_Return)
    assert finished(opened, dialog) == "'out.csv' exists already."
    assert out.read_text(encoding="utf-8") == "somebody's work"
    opened.key(Qt.Key.Key_Space)  # the button has the keyboard
    opened.wait(lambda: dialog.verdict, LONG)
    assert out.read_text(encoding="utf-8").startswith("name,age")


def test_the_question_goes_with_the_name_it_was_about(opened: Driver, tmp_path: Path) -> None:
    out, other = tmp_path / "out.csv", tmp_path / "other.csv"
    out.write_text("somebody's work", encoding="utf-8")
    dialog = asked(opened)
    opened.type_into("exportPath", str(out))
    opened.key(Qt.Key.Key_Return)
    assert dialog.banner.isVisible()
    opened.type_into("exportPath", str(other))
    assert not dialog.banner.isVisible()
    opened.key(Qt.Key.Key_Return)
    assert finished(opened, dialog) == "Written and verified: other.csv"
    assert out.read_text(encoding="utf-8") == "somebody's work"


def test_a_file_confirmed_in_the_file_dialog_is_not_asked_about_again(
    opened: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.csv"
    out.write_text("somebody's work", encoding="utf-8")
    monkeypatch.setattr("anonymizer_gui.perspectives.export.presenter.ask_save", lambda *_a: out)
    dialog = asked(opened)
    opened.click(opened.button(dialog, "browseButton"))
    opened.click(opened.button(dialog, "exportNowButton"))
    assert finished(opened, dialog) == "Written and verified: out.csv"


def test_a_release_made_under_other_settings_cannot_leave(opened: Driver, tmp_path: Path) -> None:
    project = opened.session.project
    assert project is not None
    opened.session.edit("Set the limit", edits.set_suppression_limit(project, 0.4))
    opened.wait_settled()
    dialog = asked(opened)
    assert not opened.button(dialog, "exportNowButton").isEnabled()
    assert "a suppression limit of" in dialog.banner.problem()
    assert "Apply a node under the settings of now" in dialog.banner.hint()
    again = next(b for b in dialog.findChildren(QPushButton) if b.text() == "Apply again")
    opened.click(again)
    opened.wait(lambda: not opened.session.can_release, LONG)
    dialog = asked(opened)
    assert opened.button(dialog, "exportNowButton").isEnabled()


def test_rules_for_identifying_columns_are_chosen_by_hand_and_obeyed(opened: Driver, tmp_path: Path) -> None:
    dialog = asked(opened)
    opened.click(opened.button(dialog, "identifierRulesButton"))
    rules = opened.dialog("identifiersDialog")
    opened.choose("identifierRuleBox", "Pseudonym")
    opened.choose("identifierColumnBox", "name")
    opened.choose("identifierRuleBox", "Mask")
    opened.click(opened.button(rules, "acceptButton"))
    opened.wait(lambda: not rules.isVisible())
    transformation = opened.session.project.transformation  # type: ignore[union-attr]
    assert transformation.identifying == "pseudonym"
    assert transformation.rule_of("name").key == "mask"
    opened.click("shuffleBox")
    opened.type_into("exportPath", str(tmp_path / "out.csv"))
    opened.key(Qt.Key.Key_Return)
    assert finished(opened, dialog) == "Written and verified: out.csv"
    names = {
        line.split(",")[0] for line in (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[1:]
    }
    assert all(name.startswith("*") and len(name.strip("*")) == 2 for name in names)


def test_a_key_is_made_where_the_person_says_and_the_hash_uses_it(
    opened: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = tmp_path / "keys" / "mine.key"
    key.parent.mkdir()
    monkeypatch.setattr("anonymizer_gui.perspectives.export.presenter.ask_save", lambda *_a: key)
    dialog = asked(opened)
    opened.click(opened.button(dialog, "identifierRulesButton"))
    rules = opened.dialog("identifiersDialog")
    opened.choose("identifierRuleBox", "Keyed hash")
    opened.click(opened.button(rules, "newKeyButton"))
    assert len(key.read_bytes()) == 65
    opened.click(opened.button(rules, "acceptButton"))
    opened.wait(lambda: not rules.isVisible())
    opened.type_into("exportPath", str(tmp_path / "out.csv"))
    opened.key(Qt.Key.Key_Return)
    assert finished(opened, dialog) == "Written and verified: out.csv"


def test_format_and_dialect_are_chosen_and_the_name_goes_with_the_format(
    opened: Driver, tmp_path: Path
) -> None:
    dialog = asked(opened)
    opened.type_into("exportPath", str(tmp_path / "out.csv"))
    opened.choose("formatBox", "Excel workbook")
    assert dialog.path_edit.text() == str(tmp_path / "out.xlsx")
    opened.type_into("exportPath", str(tmp_path / "again.csv"))
    assert dialog.kind == "csv"
    opened.click(opened.button(dialog, "formatOptionsButton"))
    options = opened.dialog("formatDialog")
    opened.choose("releasedDelimiterBox", "Semicolon")
    opened.choose("releasedEndBox", "Carriage return and line feed")
    opened.click("safeCellsBox")
    opened.click(opened.button(options, "acceptButton"))
    opened.wait(lambda: not options.isVisible())
    opened.click(opened.button(dialog, "exportNowButton"))
    assert finished(opened, dialog) == "Written and verified: again.csv"
    assert (tmp_path / "again.csv").read_bytes().startswith(b"name;age;gender;city;religion;disease\r\n")
    opened.choose("formatBox", "Parquet")
    opened.click(opened.button(dialog, "exportNowButton"))
    opened.wait(lambda: dialog.verdict == "Written and verified: again.parquet", LONG)
