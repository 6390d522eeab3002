"""Export in the window: no file is lost, and outdated releases are refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.export.dialog import ExportDialog
from engine.pipeline import export_release
from engine.project import edits
from tests.window_driver import LONG, Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    """Return the hospital example, scored, its optimum applied."""
    with driven_window(qtbot, qapp) as driver:
        driver.open_example("hospital")
        driver.apply_by_keys()
        driver.wait_settled()
        yield driver


def asked(driver: Driver) -> ExportDialog:
    driver.key(Qt.Key.Key_E, CONTROL)
    dialog = driver.dialog("exportDialog")
    assert isinstance(dialog, ExportDialog)
    return dialog


def finished(driver: Driver, dialog: ExportDialog) -> str:
    driver.wait(lambda: dialog.written or dialog.banner.isVisible(), LONG)
    return dialog.written or dialog.banner.problem()


def test_an_existing_file_is_replaced_only_after_confirmation(
    opened: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, other, chosen = (tmp_path / f"{name}.csv" for name in ("out", "other", "chosen"))
    out.write_text("Reveals the work or income of a person.", encoding="utf-8")
    chosen.write_text("Reveals the work or income of a person.", encoding="utf-8")
    dialog = asked(opened)
    opened.type_into("exportPath", str(out))
    opened.key(Qt.Key.Key_Return)
    assert finished(opened, dialog) == "'out.csv' already exists."
    opened.type_into("exportPath", str(other))
    assert not dialog.banner.isVisible()  # the question is hidden when the name changes
    opened.key(Qt.Key.Key_Return)
    assert finished(opened, dialog) == "Written and verified: other.csv"
    assert out.read_text(encoding="utf-8") == "Reveals the work or income of a person."
    opened.type_into("exportPath", str(out))
    opened.key(Qt.Key.Key_Return)
    opened.wait(dialog.banner.isVisible)
    opened.key(Qt.Key.Key_Space)  # the button has the focus
    opened.wait(lambda: dialog.written == "Written and verified: out.csv", LONG)
    assert out.read_bytes() == other.read_bytes()
    # The file dialog asks as well.
    monkeypatch.setattr("anonymizer_gui.forms.writing.ask_save", lambda *_a: chosen)
    opened.click(opened.button(dialog, "exportBrowse"))
    opened.click(opened.button(dialog, "exportNowButton"))
    opened.wait(lambda: dialog.written == "Written and verified: chosen.csv", LONG)
    assert chosen.read_bytes() == out.read_bytes()


def test_a_too_late_cancellation_reports_the_written_file(
    opened: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    placed, seen = threading.Event(), threading.Event()

    def exporting(*args: Any, **kwargs: Any) -> Any:
        verdict = export_release(*args, **kwargs)
        placed.set()
        seen.wait(LONG / 1000)
        return verdict

    monkeypatch.setattr("engine.pipeline.export_release", exporting)
    dialog = asked(opened)
    opened.type_into("exportPath", str(tmp_path / "out.csv"))
    opened.key(Qt.Key.Key_Return)
    opened.wait(placed.is_set, LONG)
    opened.click(next(b for b in dialog.job.findChildren(QPushButton) if b.isVisible()))
    seen.set()
    assert finished(opened, dialog) == "Written and verified before it could be cancelled: out.csv"
    assert (tmp_path / "out.csv").exists()


def test_a_release_made_under_other_settings_cannot_leave(opened: Driver, tmp_path: Path) -> None:
    project = opened.session.project
    opened.session.edit("Set the limit", edits.set_suppression_limit(project, 0.4))
    opened.wait_settled()
    dialog = asked(opened)
    assert not opened.button(dialog, "exportNowButton").isEnabled()
    words = f"{dialog.banner.problem()} {dialog.banner.hint.text()}"
    assert "a suppression limit of" in words
    assert "Re-apply a node with the current settings, or undo the changes, then export." in words
    again = next(b for b in dialog.findChildren(QPushButton) if b.text() == "Re-apply")
    opened.click(again)
    opened.wait(lambda: not opened.session.applied.can_release, LONG)
    dialog = asked(opened)
    assert opened.button(dialog, "exportNowButton").isEnabled()


def test_rules_for_identifying_columns_are_chosen_by_hand_and_obeyed(
    opened: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert transformation.identifier_rule("name").key == "mask"
    opened.click("param.shuffle")
    opened.type_into("exportPath", str(tmp_path / "out.csv"))
    opened.key(Qt.Key.Key_Return)
    assert finished(opened, dialog) == "Written and verified: out.csv"
    names = {
        line.split(",")[0] for line in (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[1:]
    }
    assert all(name.startswith("*") and len(name.strip("*")) == 2 for name in names)
    key = tmp_path / "keys" / "mine.key"
    key.parent.mkdir()
    monkeypatch.setattr("anonymizer_gui.forms.rule_form.ask_save", lambda *_a: key)
    opened.click(opened.button(dialog, "identifierRulesButton"))
    opened.wait(lambda: opened.dialog("identifiersDialog") is not rules)
    rules = opened.dialog("identifiersDialog")
    opened.choose("identifierColumnBox", "name")
    opened.choose("identifierRuleBox", "Keyed hash")
    opened.click(opened.button(rules, "newKeyButton"))
    assert len(key.read_bytes()) == 65
    opened.click(opened.button(rules, "acceptButton"))
    opened.wait(lambda: not rules.isVisible())
    opened.type_into("exportPath", str(tmp_path / "hashed.csv"))
    opened.key(Qt.Key.Key_Return)
    opened.wait(lambda: dialog.written == "Written and verified: hashed.csv", LONG)


def test_format_dialect_and_files_about_the_release_are_chosen_by_hand(
    opened: Driver, tmp_path: Path
) -> None:
    dialog = asked(opened)
    opened.type_into("exportPath", str(tmp_path / "out.csv"))
    opened.choose("exportFormat", "Excel workbook")
    assert dialog.target.text == str(tmp_path / "out.xlsx")
    opened.type_into("exportPath", str(tmp_path / "again.csv"))
    assert dialog.target.ending == ".csv"
    opened.click(opened.button(dialog, "formatOptionsButton"))
    options = opened.dialog("formatDialog")
    opened.choose("param.delimiter", "Semicolon  ;")
    opened.choose("param.line_end", "Carriage return and line feed")
    opened.click("param.safe_cells")
    opened.click(opened.button(options, "acceptButton"))
    opened.wait(lambda: not options.isVisible())
    opened.click(opened.button(dialog, "exportNowButton"))
    assert finished(opened, dialog) == "Written and verified: again.csv"
    assert (tmp_path / "again.csv").read_bytes().startswith(b"name;age;gender;city;religion;disease\r\n")
    opened.choose("exportFormat", "Parquet")
    opened.click(opened.button(dialog, "exportNowButton"))
    opened.wait(lambda: dialog.written == "Written and verified: again.parquet", LONG)
    for name, ending in (("SPSS file", "sav"), ("Stata file", "dta"), ("JSON lines file", "jsonl")):
        opened.choose("exportFormat", name)
        opened.click(opened.button(dialog, "exportNowButton"))
        opened.wait(lambda end=ending: dialog.written == f"Written and verified: again.{end}", LONG)
    opened.click(opened.button(dialog, "filesAboutButton"))
    about = opened.dialog("bundleDialog")
    assert not about.parts.box("identifiers").isEnabled()
    opened.click("writeBundleButton")
    opened.wait(lambda: about.written == "Written: 7 files")
    mapping = tmp_path / "again-about" / "mapping" / "age.csv"
    mapping.write_text("notes", encoding="utf-8")
    opened.click("writeBundleButton")
    opened.wait(about.banner.isVisible)
    assert "already exist" in about.banner.problem()
    assert mapping.read_text(encoding="utf-8") == "notes"
    opened.key(Qt.Key.Key_Space)
    opened.wait(lambda: about.written)
    assert mapping.read_text(encoding="utf-8").startswith("original,released,records")
