"""Reports in the window: from the applied node to a document of its released file, by mouse and keys."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdf
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.report.dialog import ReportDialog
from engine.project import edits
from tests.window_driver import LONG, Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    """Return the hospital example, scored, its optimum applied."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1763683200")
    with driven_window(qtbot, qapp) as driver:
        driver.open_example("hospital")
        driver.apply_by_keys()
        driver.wait_settled()
        yield driver


def asked(driver: Driver) -> ReportDialog:
    driver.key(Qt.Key.Key_E, CONTROL | SHIFT)
    dialog = driver.dialog("reportDialog")
    assert isinstance(dialog, ReportDialog)
    return dialog


def words_of(driver: Driver, name: str) -> str:
    found: str = driver.find(name).text()  # type: ignore[attr-defined]
    return found


def finished(driver: Driver, dialog: ReportDialog) -> str:
    driver.wait(lambda: dialog.written or dialog.banner.isVisible(), LONG)
    return dialog.written or dialog.banner.problem()


def facts_of(report: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}

    def look(part: Any) -> None:
        if isinstance(part, dict):
            if "key" in part and "value" in part:
                found[part["key"]] = part["value"]
            for value in part.values():
                look(value)
        elif isinstance(part, list):
            for value in part:
                look(value)

    look(report)
    return found


def test_the_report_of_an_exported_release_names_its_file_and_is_the_same_twice(
    opened: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = asked(opened)
    assert "has not been exported" in words_of(opened, "reportFileWords")
    opened.click(opened.button(dialog, "reportExport"))
    export = opened.dialog("exportDialog")
    released = tmp_path / "released.csv"
    opened.type_into("exportPath", str(released))
    opened.key(Qt.Key.Key_Return)
    size = export.size()
    opened.wait(lambda: export.written, LONG)  # type: ignore[attr-defined]
    assert export.size() == size
    shown: list[Path] = []
    monkeypatch.setattr("anonymizer_gui.forms.writing.show_folder", shown.append)
    opened.click(opened.button(export, "exportFolder"))
    assert shown == [tmp_path]
    opened.click(opened.button(export, "exportReport"))
    again = opened.dialog("reportDialog")
    assert isinstance(again, ReportDialog)
    assert "recomputed from released.csv" in words_of(opened, "reportFileWords")
    opened.type_into("param.purpose", "A study of waiting times")
    QApplication.clipboard().setText("Łódź University")
    opened.click("param.recipient")
    opened.key(Qt.Key.Key_V, CONTROL)
    opened.type_into("reportPath", str(tmp_path / "report.pdf"))
    opened.key(Qt.Key.Key_Return)
    assert finished(opened, again) == f"Written: {tmp_path / 'report.pdf'}"
    pages = pypdf.PdfReader(tmp_path / "report.pdf").pages
    text = " ".join(page.extract_text() for page in pages)
    digest = hashlib.sha256(released.read_bytes()).hexdigest()
    words = "".join(text.split())
    assert (
        "AstudyofwaitingtimesŁódźUniversity".replace("times", "times") in words or "ŁódźUniversity" in words
    )
    assert digest in words
    opened.choose("reportFormat", "Values (JSON)")
    assert words_of(opened, "reportPath").endswith("report.json")
    opened.click(opened.button(again, "writeReportButton"))
    opened.wait(lambda: again.written.endswith("report.json"), LONG)
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert digest in facts_of(report).values()
    first = (tmp_path / "report.pdf").read_bytes()
    opened.choose("reportFormat", "Document (PDF)")
    opened.click(opened.button(again, "writeReportButton"))
    opened.wait(again.banner.isVisible, LONG)
    assert again.banner.problem() == "'report.pdf' already exists."
    opened.key(Qt.Key.Key_Space)  # the replace button has the focus
    opened.wait(lambda: again.written.endswith("report.pdf"), LONG)
    assert (tmp_path / "report.pdf").read_bytes() == first


def test_a_report_counts_with_the_risk_accepted_in_the_window_and_is_not_proposed_among_the_examples(
    opened: Driver,
) -> None:
    opened.click("tab.risk")
    opened.wait_settled()
    opened.type_into("riskThreshold", "9")
    opened.key(Qt.Key.Key_Tab)
    opened.wait_settled()
    dialog = asked(opened)
    assert dialog.form.values()["accepted_risk"] == 0.09
    assert dialog.target.path.parent == Path.home()


def test_a_public_report_names_its_audience_and_withholds_small_counts(
    opened: Driver, tmp_path: Path
) -> None:
    dialog = asked(opened)
    assert not dialog.form.editor("threshold").widget.isEnabled()
    opened.choose("param.audience", "Public: nothing that helps an attacker")
    assert dialog.form.editor("threshold").widget.isEnabled()
    opened.type_into("reportPath", str(tmp_path / "public.html"))
    opened.click(opened.button(dialog, "writeReportButton"))
    assert finished(opened, dialog).endswith("public.html")
    page = (tmp_path / "public.html").read_text(encoding="utf-8")
    names = opened.session.project.table.column("name").labels  # type: ignore[union-attr]
    assert "For the public" in page
    assert not [name for name in names if name in page]


def test_outdated_settings_or_a_changed_file_are_not_reported(opened: Driver, tmp_path: Path) -> None:
    opened.key(Qt.Key.Key_E, CONTROL)
    export = opened.dialog("exportDialog")
    opened.type_into("exportPath", str(tmp_path / "released.csv"))
    opened.key(Qt.Key.Key_Return)
    opened.wait(lambda: export.written, LONG)  # type: ignore[attr-defined]
    opened.click(opened.button(export, "closeButton"))
    (tmp_path / "released.csv").write_text("somebody changed it", encoding="utf-8")
    dialog = asked(opened)
    opened.type_into("reportPath", str(tmp_path / "report.html"))
    opened.click(opened.button(dialog, "writeReportButton"))
    assert finished(opened, dialog) == "'released.csv' changed since it was verified."
    opened.type_into("reportPath", str(tmp_path / "report.docx"))
    opened.click(opened.button(dialog, "writeReportButton"))
    opened.wait(lambda: "report.docx" in dialog.banner.problem())
    assert not list(tmp_path.glob("report.*"))
    opened.click(opened.button(dialog, "closeReportButton"))
    project = opened.session.project
    opened.session.edit("Set the limit", edits.set_suppression_limit(project, 0.4))
    opened.wait_settled()
    dialog = asked(opened)
    assert not opened.button(dialog, "writeReportButton").isEnabled()
    assert "a suppression limit of" in dialog.banner.problem()


def test_a_statement_is_chosen_answered_and_written_by_mouse_and_keys(opened: Driver, tmp_path: Path) -> None:
    dialog = asked(opened)
    assert not opened.button(dialog, "reportAnswers").isVisible()
    opened.choose("param.form", "HIPAA expert determination")
    said = "18 fields, of which 6 ask for answers: 10 of 10 questions are open."
    assert words_of(opened, "reportQuestions") == said
    opened.click(opened.button(dialog, "reportAnswers"))
    asking = opened.dialog("statementDialog")
    opened.type_into("param.expert", "Ada Lovelace")
    field = asking.findChild(QLineEdit, "param.purpose")
    assert field is not None
    opened.type_into(field, "A study")
    opened.key(Qt.Key.Key_Return)
    opened.wait(lambda: "8 of 10 questions" in words_of(opened, "reportQuestions"), LONG)
    purpose = dialog.findChild(QLineEdit, "param.purpose")
    assert purpose is not None
    assert purpose.text() == "A study"
    assert opened.session.project.statement.expert == "Ada Lovelace"
    opened.type_into("reportPath", str(tmp_path / "statement.json"))
    opened.key(Qt.Key.Key_Return)
    assert finished(opened, dialog) == f"Written: {tmp_path / 'statement.json'}"
    report = json.loads((tmp_path / "statement.json").read_text(encoding="utf-8"))
    assert facts_of(report)["form"] == "hipaa"
    assert facts_of(report)["expert"] == "Ada Lovelace"
    opened.key(Qt.Key.Key_Escape)
    opened.key(Qt.Key.Key_Z, CONTROL)
    opened.wait(lambda: not opened.session.project.statement.expert, LONG)
