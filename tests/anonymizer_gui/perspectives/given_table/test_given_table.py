"""Assessment of a file anonymized elsewhere: opened, ticked, compared, exported, by mouse and keys."""

from __future__ import annotations

import json
import math
import shlex
import threading
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton
from typer.testing import CliRunner

from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.perspectives.given_table import presenter as given_table_presenter
from anonymizer_gui.perspectives.given_table.columns_panel import NAME, ROLES
from anonymizer_gui.perspectives.given_table.view import GivenTablePerspective
from anonymizer_gui.tables.table_view import TextsTable
from engine.cli.app import app as command_line
from engine.findings.risk.wildcards import Wildcards
from engine.monitor import SILENT, Monitor
from engine.records import Role
from engine.report import ReportSettings
from tests.anonymizer_gui.hands import pick
from tests.window_driver import Driver

ORIGINAL = """name,age,zip,illness
Ada,31,10115,flu
Bob,34,10117,flu
Cid,36,10119,asthma
Dan,52,20095,flu
Eve,55,20097,asthma
Fay,58,20099,cough
Gil,71,80331,cough
"""
RELEASED = """age,zip,illness
30-39,101**,flu
30-39,101**,flu
30-39,101**,asthma
50-59,200**,flu
50-59,200**,asthma
50-59,200**,cough
*,*,cough
"""


@pytest.fixture
def released(tmp_path: Path) -> Path:
    path = tmp_path / "released.csv"
    path.write_text(RELEASED, encoding="utf-8")
    return path


@pytest.fixture
def original(tmp_path: Path) -> Path:
    path = tmp_path / "original.csv"
    path.write_text(ORIGINAL, encoding="utf-8")
    return path


def view(driver: Driver) -> GivenTablePerspective:
    return driver.wiring.given_table.view


def settle(driver: Driver) -> None:
    driver.wait(lambda: not driver.wiring.runner.is_busy)


def accept(driver: Driver) -> None:
    dialog = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None)  # type: ignore[attr-defined]
    driver.click(driver.button(dialog, "openDialogButton"))


def assess_file(driver: Driver, path: Path, button: str = "judgeButton") -> GivenTablePerspective:
    """Choose a file by the button and the file dialog, and wait for the results."""
    driver.answer_file_dialog(path)
    driver.click(button)
    accept(driver)
    driver.wait(lambda: driver.window.page == "judge")
    settle(driver)
    return view(driver)


def click_tick(driver: Driver, name: str, role: Role) -> None:
    table, model = view(driver).columns.table, view(driver).columns.model
    row = next(i for i in range(model.rowCount()) if model.index(i, NAME).data() == name)
    column = next(column for column, of in ROLES.items() if of is role)
    driver.click(table.viewport(), table.visualRect(model.index(row, column)).center())


def tick(driver: Driver, name: str, role: Role) -> None:
    click_tick(driver, name, role)
    settle(driver)


def click_box(driver: Driver, name: str) -> None:
    box = driver.find(name)
    driver.click(box, QPoint(8, box.height() // 2))


def table_of(shown: FindingsView, key: str) -> list[list[str]]:
    """Return the texts of a list; none if it is not shown."""
    return next(
        (
            part.texts.texts()
            for part in shown.findChildren(TextsTable)
            if part.objectName().endswith(f".{key}")
        ),
        [],
    )


def risks(shown: GivenTablePerspective) -> dict[str, str]:
    return {row[0]: row[1] for row in table_of(shown.risks, "risks")}


def attacks(shown: GivenTablePerspective) -> dict[str, str]:
    return {row[0]: row[1] for row in table_of(shown.attacks, "attacks")}


def lost(shown: GivenTablePerspective) -> dict[str, str]:
    return {row[0]: row[1] for row in table_of(shown.details.views["utility"], "utility")}


def read_with_wildcards(shown: GivenTablePerspective) -> dict[str, tuple[str, str]]:
    page = shown.details.views["wildcards"]
    if not page.isVisibleTo(shown):
        return {}
    rows = [*table_of(page, "wildcard_values"), *table_of(page, "wildcard_risks")]
    return {row[0]: (row[1], row[2]) for row in rows}


def values(shown: GivenTablePerspective) -> dict[str, str]:
    return {row[0]: row[1] for row in table_of(shown.models, "models")}


def test_a_file_is_assessed_from_the_start_page_without_recipe_or_hierarchies(
    driver: Driver, released: Path
) -> None:
    shown = assess_file(driver, released)
    assert driver.session.project is None
    model = shown.columns.model
    assert (model.names(Role.QUASI_IDENTIFYING), model.names(Role.SENSITIVE)) == (
        ("age", "zip"),
        ("illness",),
    )
    assert (
        shown.statement.text() == "From these 2 columns: 1 of 7 records can be distinguished from all others."
    )
    assert shown.detail.text() == "7 records in 3 classes; sensitive: illness"
    found = values(shown)
    assert len(found) == 9
    assert found["k-anonymity"] == "1"
    assert found["distinct l-diversity"] == "1"
    assert attacks(shown)["Re-identification"] == "Open"
    reasons = " ".join(row[2] for row in table_of(shown.attacks, "attacks"))
    assert "k-anonymity: k = 1. Usual: k ≥ 5 or stricter." in reasons
    assert "distinct l-diversity: l = 1 (illness). Usual: l ≥ 2 or stricter." in reasons
    assert shown.attacks_card.caption.text() == "7 open"
    assert risks(shown) == {
        "Unique records": "1",
        "Prosecutor, highest": "100.0\u202f%",
        "Prosecutor, at risk": "100.0\u202f%",
        "Marketer, average": "42.9\u202f%",  # 3 classes of 7 records
    }
    first = table_of(shown.details.views["exposed"], "exposed")[0]
    assert first == ["1", "100.0\u202f%", "*", "*", "1", "7"]


def test_suppressed_records_are_counted_and_can_be_left_out(driver: Driver, released: Path) -> None:
    shown = assess_file(driver, released)
    assert shown.columns._suppressed.text() == "1 record has only * in the quasi-identifying columns"
    click_box(driver, "param.leave_out_suppressed")
    settle(driver)
    assert shown.statement.text() == (
        "From these 2 columns: no record can be matched with a certainty above 1 in 3 (33.3\u202f%)."
    )
    assert shown.detail.text() == "6 records in 2 classes, 1 suppressed and excluded; sensitive: illness"
    assert values(shown)["k-anonymity"] == "3"
    assert attacks(shown)["Re-identification"] == "Partly"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_blank_rows_are_left_out_and_named_as_the_commands_do(
    driver: Driver, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"blank.{ending}"
    head, *rows = RELEASED.splitlines()
    if ending == "csv":
        path.write_text("\n".join([head, "*,*,*", *rows, "*,*,*", ""]), encoding="utf-8")
    else:
        stars, cells = ["*"] * 3, [line.split(",") for line in rows]
        frame = pd.DataFrame([stars, *cells, stars], columns=head.split(","))
        frame.assign(visits=[math.nan, *range(7), math.nan]).to_parquet(path)
    shown = assess_file(driver, path)
    if ending == "parquet" and "visits" in shown.columns.model.names(Role.QUASI_IDENTIFYING):
        tick(driver, "visits", Role.QUASI_IDENTIFYING)
    assert "7 records in 3 classes, 2 suppressed and excluded" in shown.detail.text()
    assert risks(shown)["Blank rows"] == "2"
    assert values(shown)["k-anonymity"] == "1"
    assert shown.columns._suppressed.text() == "1 record has only * in the quasi-identifying columns"
    click_box(driver, "param.leave_out_suppressed")
    settle(driver)
    assert "6 records in 2 classes, 3 suppressed and excluded" in shown.detail.text()
    assert risks(shown)["Blank rows"] == "2"
    driver.click("copyJudgement")
    assert "Blank rows\t2" in QGuiApplication.clipboard().text()
    assert (
        table_of(shown.details.views["exposed"], "exposed")[0][-1] == "2"
    )  # as in the file, after a blank row
    target = tmp_path / "values.json"
    driver.answer_file_dialog(target)
    driver.click("saveJudgement")
    driver.wait(target.exists)
    settle(driver)
    saved = json.loads(target.read_text(encoding="utf-8"))
    words = [str(path), "--qi", "age", "--qi", "zip", "--sa", "illness", "--leave-out-suppressed"]
    for command in ("check", "risk"):
        result = CliRunner().invoke(command_line, [command, *words, "--format", "json"])
        assert json.loads(result.stdout) == saved[command]
    assert saved["risk"]["blank_rows"] == 2


def test_ticking_a_column_assesses_again_and_unticking_all_shows_a_hint(
    driver: Driver, released: Path
) -> None:
    shown = assess_file(driver, released)
    tick(driver, "zip", Role.QUASI_IDENTIFYING)
    assert shown.columns.model.names(Role.QUASI_IDENTIFYING) == ("age",)
    assert shown.detail.text().startswith("7 records in 3 classes")
    tick(driver, "illness", Role.QUASI_IDENTIFYING)  # a column has at most one role
    assert shown.columns.model.names(Role.SENSITIVE) == ()
    assert values(shown)["t-closeness"] == "–"
    assert shown.detail.text() == "7 records in 6 classes; no sensitive column"
    tick(driver, "age", Role.QUASI_IDENTIFYING)
    tick(driver, "illness", Role.QUASI_IDENTIFYING)
    assert shown.stack.currentIndex() == 0
    assert shown._empty.sentence() == "Select the columns that attackers could know about a person."
    assert not shown.copy_button.isEnabled()
    tick(driver, "age", Role.QUASI_IDENTIFYING)
    assert shown.stack.currentIndex() == 1


def test_roles_are_set_by_keys(driver: Driver, released: Path) -> None:
    shown = assess_file(driver, released)
    table = shown.columns.table
    driver.wake()
    table.setFocus()
    table.selectRow(1)
    driver.key(Qt.Key.Key_3)
    settle(driver)
    assert shown.columns.model.names(Role.SENSITIVE) == ("zip", "illness")
    assert "zip" in _headings(shown)
    driver.key(Qt.Key.Key_4)
    settle(driver)
    assert shown.columns.model.names(Role.SENSITIVE) == ("illness",)
    driver.key(Qt.Key.Key_Space)
    settle(driver)
    assert shown.columns.model.names(Role.QUASI_IDENTIFYING) == ("age", "zip")


def _headings(shown: GivenTablePerspective) -> list[str]:
    (table,) = shown.models.findChildren(TextsTable)
    model = table.texts
    return [str(model.headerData(i, Qt.Orientation.Horizontal)) for i in range(model.columnCount())]


def test_the_threshold_counts_the_records_above_it(driver: Driver, released: Path) -> None:
    shown = assess_file(driver, released)
    driver.type_into("thresholdBox", "40")
    driver.key(Qt.Key.Key_Return)
    settle(driver)
    assert risks(shown)["Prosecutor, at risk"] == "14.3\u202f%"  # 1 of 7
    found = driver.wiring.given_table._assessment
    assert any("a risk above 0.4" in fact.explanation for fact in found.risk.facts())


def test_an_original_adds_utility_values_and_can_be_removed(
    driver: Driver, released: Path, original: Path
) -> None:
    shown = assess_file(driver, released)
    driver.answer_file_dialog(original)
    driver.click("originalButton")
    accept(driver)
    settle(driver)
    driver.wait(lambda: bool(lost(shown)))
    found = lost(shown)
    assert found["Records"] == "7 of 7"
    assert found["Discernibility"] == "19"  # 9 + 9 + 1
    assert found["Classification, illness"] == "42.9\u202f%"  # 1 + 2 + 0 of 7
    driver.click("dropOriginalButton")
    settle(driver)
    assert not shown.details.views["utility"].isVisibleTo(shown)
    assert shown.details.empty.isVisibleTo(shown)


def test_a_mismatching_original_is_explained_next_to_the_values(
    driver: Driver, released: Path, tmp_path: Path
) -> None:
    short = tmp_path / "short.csv"
    short.write_text("age,zip\n31,10115\n34,10117\n", encoding="utf-8")
    shown = assess_file(driver, released)
    driver.answer_file_dialog(short)
    driver.click("originalButton")
    accept(driver)
    settle(driver)
    driver.wait(lambda: shown.details.error.isVisible())
    assert "7 records, the original only 2" in shown.details.error.problem()
    assert values(shown)["k-anonymity"] == "1"  # other values are unchanged


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("empty.csv", b"", "empty"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0", ""),
        ("project.anon", b"PK", "is a project or recipe"),
    ],
)
def test_a_wrong_file_is_explained_and_the_second_try_succeeds(
    driver: Driver, released: Path, tmp_path: Path, name: str, data: bytes, says: str
) -> None:
    wrong = tmp_path / name
    wrong.write_bytes(data)
    driver.answer_file_dialog(wrong)
    driver.click("judgeButton")
    driver.wait(lambda: driver.window.banner.isVisible())
    assert says in driver.window.banner.problem()
    assert driver.window.banner.hint.text()
    assert driver.window.page == "start"
    shown = assess_file(driver, released)
    assert not driver.window.banner.isVisible()
    assert shown.stack.currentIndex() == 1


def test_assessment_is_cancelled_and_the_previous_results_stay(
    driver: Driver, released: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = assess_file(driver, released)
    before, real = shown.statement.text(), given_table_presenter.assess_table

    def endless(table: Any, request: Any, original: Any, monitor: Monitor) -> None:
        while True:
            monitor.step(0, 1)
            time.sleep(0.01)

    monkeypatch.setattr(given_table_presenter, "assess_table", endless)
    click_tick(driver, "zip", Role.QUASI_IDENTIFYING)
    assert shown._updating.text() == "updating"
    driver.key(Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    driver.wait(lambda: shown.error.isVisible())
    assert shown.statement.text() == before
    assert "cancelled" in shown.error.problem()
    monkeypatch.setattr(given_table_presenter, "assess_table", real)
    driver.click(shown.error._action)
    settle(driver)
    assert not shown.error.isVisible()
    assert shown.statement.text().startswith(
        "1 of 3 columns is not assessed: 'zip' is likely quasi-identifying; "
    )
    assert "From this column: 1 of 7 records" in shown.statement.text()


def test_a_cancelled_first_assessment_leads_on(
    driver: Driver, released: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = given_table_presenter.assess_table

    def endless(table: Any, request: Any, original: Any, monitor: Monitor) -> None:
        while True:
            monitor.step(0, 1)
            time.sleep(0.01)

    monkeypatch.setattr(given_table_presenter, "assess_table", endless)
    driver.answer_file_dialog(released)
    driver.click("judgeButton")
    accept(driver)
    driver.wait(lambda: driver.wiring.runner.running("judge") is not None)
    shown = view(driver)
    driver.key(Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    driver.wait(lambda: shown.error.isVisible())
    assert shown._empty.sentence() == "The assessment was cancelled."
    buttons = [b for b in shown.findChildren(QPushButton) if b.text() == "Assess again" and b.isVisible()]
    (button,) = (b for b in buttons if not shown.error.isAncestorOf(b))
    monkeypatch.setattr(given_table_presenter, "assess_table", real)
    button.setFocus()
    driver.key(Qt.Key.Key_Space)
    settle(driver)
    assert shown.stack.currentIndex() == 1
    assert not shown.error.isVisible()


def test_results_are_copied_as_text(driver: Driver, released: Path) -> None:
    shown = assess_file(driver, released)
    driver.click("copyJudgement")
    text = QGuiApplication.clipboard().text()
    assert text.startswith("released.csv\nFrom these 2 columns: 1 of 7 records")
    assert "k-anonymity\t1\t" in text
    assert "Re-identification\tOpen\t" in text
    assert shown._updating.text() == "copied"


def test_values_are_saved_as_the_commands_print_them(
    driver: Driver, released: Path, original: Path, tmp_path: Path
) -> None:
    assess_file(driver, released)
    driver.answer_file_dialog(original)
    driver.click("originalButton")
    accept(driver)
    settle(driver)
    target = tmp_path / "figures.json"
    driver.answer_file_dialog(target)
    driver.click("saveJudgement")
    driver.wait(target.exists)
    settle(driver)
    saved = json.loads(target.read_text(encoding="utf-8"))
    columns = ["--qi", "age", "--qi", "zip"]
    for command, arguments in {
        "check": [str(released), *columns, "--sa", "illness"],
        "risk": [str(released), *columns, "--sa", "illness"],
        "utility": [str(original), str(released), *columns, "--sa", "illness"],
    }.items():
        result = CliRunner().invoke(command_line, [command, *arguments, "--format", "json"])
        assert result.exit_code == 0, result.output
        printed = json.loads(result.stdout)
        assert saved[command] == printed


def test_the_report_of_an_assessed_file_equals_that_of_the_command_it_names(
    driver: Driver, released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1763683200")
    shown = assess_file(driver, released)
    driver.click(shown.report_button)
    dialog = driver.dialog("reportDialog")
    assert driver.find("reportFileWords").text() == "Assesses released.csv without changes."  # type: ignore[attr-defined]
    written, again = tmp_path / "judged.json", tmp_path / "again.json"
    driver.type_into("reportPath", str(written))
    driver.click(driver.button(dialog, "writeReportButton"))
    driver.wait(written.exists)
    driver.wait(lambda: dialog.written)  # type: ignore[attr-defined]
    report = written.read_text(encoding="utf-8")
    command = next(text for text in report.split('"') if text.startswith("anonymizer report "))
    words = shlex.split(command)[1:]
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(command_line, [*words, "--out", str(again), "--quiet"]).exit_code == 0
    assert json.loads(again.read_text(encoding="utf-8"))["sections"] == json.loads(report)["sections"]


def test_back_returns_to_the_previous_page_and_ctrl_j_works_on_any_page(
    driver: Driver, released: Path
) -> None:
    driver.open_example("hospital")
    before, facts = driver.window.page, driver.window.status.facts.text()
    driver.answer_file_dialog(released)
    driver.key(Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    accept(driver)
    driver.wait(lambda: driver.window.page == "judge")
    settle(driver)
    status = driver.window.status
    assert "30 of 30" in facts
    assert status.facts.text() == "", "nodes are of the open project, not of the file"
    assert [item.isVisible() for item in (status.selected, status.applied, status.optimum)] == [False] * 3
    driver.click("judgeBack")
    assert status.facts.text() == facts
    assert driver.window.page == before
    assert driver.session.project is not None


def test_another_file_replaces_the_first(driver: Driver, released: Path, original: Path) -> None:
    shown = assess_file(driver, released)
    assess_file(driver, original, "judgeAnother")
    assert shown._name.text() == "original.csv"
    # Names are identifying: neither quasi-identifying nor sensitive.
    assert "name" not in shown.columns.model.names(Role.QUASI_IDENTIFYING)


def test_the_look_for_other_contents_is_cancelled_by_the_next_file(
    driver: Driver, released: Path, original: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_replaced = threading.Event()

    def told(path: Path, _sheet: str) -> str:
        if path == released:
            is_replaced.wait(60)
        return "More than a table." if path == released else ""

    monkeypatch.setattr(given_table_presenter, "told_besides", told)
    driver.answer_file_dialog(released)
    driver.click("judgeButton")
    accept(driver)
    runner = driver.wiring.runner
    driver.wait(lambda: runner.running("judge.besides") is not None)
    first = runner.running("judge.besides")
    assert driver.drop(original)
    accept(driver)
    driver.wait(lambda: view(driver)._name.text() == "original.csv")
    assert first.is_cancelled
    is_replaced.set()
    settle(driver)
    assert not view(driver).besides.isVisible()


def test_a_file_dropped_on_the_page_is_assessed(driver: Driver, released: Path, original: Path) -> None:
    shown = assess_file(driver, released)
    assert driver.drop(original)
    accept(driver)
    driver.wait(lambda: shown._name.text() == "original.csv")
    settle(driver)
    assert driver.session.project is None
    assert driver.window.page == "judge"


def test_unnamed_columns_get_the_names_that_commands_give_them(driver: Driver, tmp_path: Path) -> None:
    path = tmp_path / "exported.csv"  # as a DataFrame writes its index
    path.write_text(",age,illness\n0,30-39,flu\n1,30-39,flu\n", encoding="utf-8")
    shown = assess_file(driver, path)
    names = [shown.columns.model.index(i, 0).data() for i in range(3)]
    assert names[1:] == ["age", "illness"]
    assert names[0]
    assert shown.stack.currentIndex() == 1


def test_the_size_of_the_population_adds_an_estimate_of_unique_people(driver: Driver, released: Path) -> None:
    from engine.findings.risk.of_table import assess_risk

    shown = assess_file(driver, released)
    driver.type_into("param.population", "700")
    driver.key(Qt.Key.Key_Return)
    settle(driver)
    found = risks(shown)["Unique people, dankar"]
    report = assess_risk(released, ["age", "zip"], population=700).uniques_of_population
    uniques = report.estimates["dankar"].uniques
    assert found == "no estimate" if uniques is None else found.startswith(f"{round(uniques)} (")
    driver.type_into("param.population", "3")  # fewer than records
    driver.key(Qt.Key.Key_Return)
    settle(driver)
    driver.wait(lambda: shown.error.isVisible())
    assert "smaller than the" in shown.error.problem()
    driver.type_into("param.population", "")
    driver.key(Qt.Key.Key_Backspace)
    settle(driver)
    assert shown.stack.currentIndex() == 1
    assert not shown.error.isVisible()


@pytest.mark.parametrize(("illnesses", "tone"), [(("flu",), "warn"), (("flu", "cough", "asthma"), "ok")])
def test_classes_that_reveal_a_sensitive_value_have_no_shield(
    driver: Driver, tmp_path: Path, illnesses: tuple[str, ...], tone: str
) -> None:
    rows = [f"30-39,101**,{illnesses[i % len(illnesses)]}" for i in range(6)]
    rows += [f"50-59,200**,{('flu', 'cough', 'asthma')[i % 3]}" for i in range(6)]
    path = tmp_path / "released.csv"
    path.write_text("\n".join(["age,zip,illness", *rows]), encoding="utf-8")
    assess_file(driver, path)
    found = driver.wiring.given_table._assessment
    assert found.check.k == 6
    assert found.statement().tone == tone


def test_a_person_column_counts_people_instead_of_records(driver: Driver, tmp_path: Path) -> None:
    """Of six records in one class, three are of one person, who also is the only one in the other class."""
    path = tmp_path / "visits.csv"
    rows = ["a,30-39,flu", "a,30-39,flu", "a,30-39,cold", "b,30-39,flu", "c,30-39,cold", "d,30-39,flu"]
    path.write_text("\n".join(["code,age,illness", *rows, "a,40-49,flu", "a,40-49,cold"]) + "\n")
    shown = assess_file(driver, path)
    for name, role in (("age", Role.QUASI_IDENTIFYING), ("illness", Role.SENSITIVE)):
        if name not in shown.columns.model.names(role):
            tick(driver, name, role)
    if "code" not in shown.columns.model.others:
        tick(
            driver,
            "code",
            next(
                r for r in (Role.QUASI_IDENTIFYING, Role.SENSITIVE) if "code" in shown.columns.model.names(r)
            ),
        )
    assert values(shown)["k-anonymity"] == "2"
    driver.choose("param.person", "code")
    settle(driver)
    assert values(shown)["k-anonymity"] == "1"
    assert shown.statement.text().startswith("From this column: 1 of 4 people can be distinguished")
    figures = risks(shown)
    assert figures["Unique people"] == "1"
    assert figures["Prosecutor, at risk"] == "100.0\u202f%"
    assert shown.threshold.accessibleName() == "Accepted risk, in percent"
    assert shown.risks.part("class_sizes").plot.accessibleName().startswith("People by class size")
    tick(driver, "code", Role.QUASI_IDENTIFYING)  # excludes it as person column
    assert shown.columns.options.person == ""
    assert shown.threshold.accessibleName() == "Accepted risk, in percent"


SAMPLE = """region,sex,w,home
north,f,120.5,1
north,f,80.5,1
north,m,60.5,1
south,f,40.5,2
south,f,90.5,3
"""


def test_weights_and_households_add_the_risks_of_the_command(driver: Driver, tmp_path: Path) -> None:
    path = tmp_path / "sample.csv"
    path.write_text(SAMPLE, encoding="utf-8")
    shown = assess_file(driver, path)
    model = shown.columns.model
    for name in ("region", "sex", "w", "home"):
        for role in (Role.SENSITIVE, Role.QUASI_IDENTIFYING):
            if (name in model.names(role)) != (role is Role.QUASI_IDENTIFYING and name in ("region", "sex")):
                tick(driver, name, role)
    assert not driver.find("param.household").isEnabled()
    assert driver.find("param.weight", QComboBox).findText("region") < 0  # not a number
    driver.choose("param.weight", "w")
    settle(driver)
    figures = risks(shown)
    assert "Highest individual risk" in figures
    assert "Highest household risk" not in figures
    assert "individual risk" in values(shown)
    assert any(title.startswith("k-map") for title in values(shown))
    driver.choose("param.household", "home")
    settle(driver)
    assert risks(shown)["Households"] == "3"
    words = ["risk", str(path), "--qi", "region", "--qi", "sex", "--weight", "w", "--household", "home"]
    printed = json.loads(CliRunner().invoke(command_line, [*words, "--format", "json"]).stdout)
    target = tmp_path / "values.json"
    driver.answer_file_dialog(target)
    driver.click("saveJudgement")
    driver.wait(target.exists)
    settle(driver)
    assert json.loads(target.read_text(encoding="utf-8"))["survey"] == printed["survey"]
    with driver.qtbot.waitSignal(driver.wiring.given_table.report_requested) as asked:
        driver.click("reportJudgement")
    material = asked.args[2](ReportSettings(), SILENT)
    assert material.command.endswith("--weight w --household home")
    dialog = driver.dialog("reportDialog")
    driver.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    driver.wait(lambda: not dialog.isVisible())
    tick(driver, "w", Role.SENSITIVE)  # no longer offered as weights
    settle(driver)
    assert shown.columns.options.weight == ""
    assert "Households" not in risks(shown)


STARRED = """sex,school,illness
m,complete,flu
m,incomplete,flu
m,*,cough
*,*,cough
m,,flu
"""


def test_stars_and_missing_cells_are_read_as_wildcards_beside_values(driver: Driver, tmp_path: Path) -> None:
    path = tmp_path / "starred.csv"
    path.write_text(STARRED, encoding="utf-8")
    shown = assess_file(driver, path)
    for name in ("sex", "school"):
        if name not in shown.columns.model.names(Role.QUASI_IDENTIFYING):
            tick(driver, name, Role.QUASI_IDENTIFYING)
    driver.click(shown.details.choice.segments.segment("wildcards"))
    assert read_with_wildcards(shown) == {}
    before = values(shown), shown.statement.text()

    def read() -> dict[str, tuple[str, str]]:
        settle(driver)
        return read_with_wildcards(shown)

    def choose(key: str) -> None:
        pick(driver.qtbot, driver.find("param.wildcards", QComboBox), key)

    driver.click(shown.details.choice.segments.segment("exposed"))
    choose("stars")
    found = read()
    assert shown.details.choice.current() == "wildcards"
    assert found["Smallest size (k)"] == ("2", "1")
    assert found["Average risk"] == ("43.8\u202f%", "100.0\u202f%")  # sizes 2, 2, 4, 2
    words = " ".join(label.text() for label in shown.details.views["wildcards"].findChildren(QLabel))
    assert "looks safer than it may be" in words
    caption = "1 record with a wildcard; 1 all wildcards, excluded"
    assert shown.details.caption.text() == caption
    assert (values(shown), shown.statement.text()) == before  # claims stay those as values
    click_box(driver, "param.count_all_star")
    assert read()["Smallest size (k)"] == ("3", "1")
    driver.type_into("param.match_weight", "0.5")
    driver.key(Qt.Key.Key_Return)
    assert read()["Smallest size (k)"] == ("2", "1")
    choose("both")
    assert read()["Smallest size (k)"] == ("2.5", "1")
    driver.click("copyJudgement")
    assert "With wildcards\tAs values" in QGuiApplication.clipboard().text()
    _saved_values_are_those_of_the_command(driver, tmp_path, path)
    with driver.qtbot.waitSignal(driver.wiring.given_table.report_requested) as asked:
        driver.click("reportJudgement")
    material = asked.args[2](ReportSettings(), SILENT)
    assert material.wildcards == Wildcards(missing=True, match_weight=0.5, count_all_star=True)
    assert material.command.endswith("--wildcard '*' --wildcard-missing --match-weight 0.5 --count-all-star")
    dialog = driver.dialog("reportDialog")
    driver.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    driver.wait(lambda: not dialog.isVisible())
    choose("")
    assert read() == {}
    assert not driver.find("param.count_all_star").isEnabled()


def _saved_values_are_those_of_the_command(driver: Driver, tmp_path: Path, path: Path) -> None:
    target = tmp_path / "values.json"
    driver.answer_file_dialog(target)
    driver.click("saveJudgement")
    driver.wait(target.exists)
    settle(driver)
    saved = json.loads(target.read_text(encoding="utf-8"))["wildcards"]
    words = ["check", str(path), "--qi", "sex", "--qi", "school", "--sa", "illness", "--wildcard", "*"]
    words += ["--wildcard-missing", "--count-all-star", "--match-weight", "0.5", "--format", "json"]
    printed = json.loads(CliRunner().invoke(command_line, words).stdout)["wildcards"]
    assert saved == printed


def test_the_headline_begins_with_the_columns_that_were_not_assessed(driver: Driver, tmp_path: Path) -> None:
    path = tmp_path / "stroke.csv"
    header, *lines = RELEASED.splitlines()
    path.write_text("\n".join([f"id,{header}", *(f"{i},{line}" for i, line in enumerate(lines, 9046))]))
    shown = assess_file(driver, path)
    assert shown.statement.text().startswith(
        "1 of 4 columns is not assessed: 'id' is different in every record. "
    )
    tick(driver, "zip", Role.QUASI_IDENTIFYING)  # no longer
    assert (
        "'zip' is likely quasi-identifying; k remains 1 with it. From this column" in shown.statement.text()
    )
    banner, label = shown._banner, shown.statement
    assert label.height() >= label.heightForWidth(label.width())  # no line is cut
    assert banner.rect().contains(label.geometry())
