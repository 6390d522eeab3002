"""A table with several visits per person: from CSV to a verified file with enough people per class."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel

from anonymizer_gui.widgets.knob import Knob
from engine.cli import main as run_command
from tests.table_of_visits import QI, RECIPE, TABLE, K
from tests.window_driver import LONG, Driver

IDENTIFYING, QUASI, SENSITIVE = Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3
CONTROL = Qt.KeyboardModifier.ControlModifier
MODELS_OF_PEOPLE = """
[[privacy]]
model = "records_at_risk"
threshold = 0.2
share = 0.0
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "visits.csv"
    TABLE.to_csv(path, index=False)
    return path


def fewest_people(out: Path) -> tuple[int, int]:
    """Return people and records of the smallest kept classes of a file, recounted from the original."""
    written = pd.read_csv(out, dtype=str, keep_default_na=False)
    assert len(written) == len(TABLE)
    kept = ~(written[QI] == "*").all(axis=1)
    groups = written[kept].assign(person=TABLE["patient"][kept]).groupby(QI)
    return int(groups["person"].nunique().min()), int(groups.size().min())


def by_command(table: Path, person: str = "", more: str = "") -> Path:
    recipe = table.with_name("recipe.toml")
    recipe.write_text(RECIPE.format(person=person, more=more))
    out = table.with_name("out.csv")
    summary = table.with_name("summary.json")
    words = ["anonymize", str(recipe), "--out", str(out), "--summary", str(summary), "--quiet"]
    assert run_command(words) == 0
    return out


def test_without_a_person_column_a_class_of_few_people_satisfies_k(table: Path) -> None:
    people, records = fewest_people(by_command(table))
    assert records >= K > people


@pytest.mark.parametrize("more", ["", 'limit_counts = "persons"', "whole_persons = true"])
def test_by_command_every_class_holds_k_different_people(table: Path, more: str) -> None:
    out = by_command(table, 'person = "patient"', more)
    people, records = fewest_people(out)
    assert records >= people >= K
    found = json.loads(table.with_name("summary.json").read_text())
    assert found["verified"] is True
    assert found["k"] == people
    assert found["persons"]["k_records"] == records
    assert found["persons"]["persons"] == 300
    written = pd.read_csv(out, dtype=str)
    unchanged = found["unchanged"]["columns"]
    alike = written.assign(person=TABLE["patient"]).groupby([*unchanged, *QI])["person"]
    assert found["unchanged"]["singled_out"]["with_quasi_identifiers"] == (alike.size() == 1).sum()
    by_person = alike.transform("nunique") == 1
    assert found["unchanged"]["of_one_person"]["with_quasi_identifiers"] == by_person.sum()
    codes = pd.DataFrame({"person": TABLE["patient"], "code": written["patient"]}).drop_duplicates()
    codes = codes[codes["code"] != "*"]  # suppressed records that miss k together are blank
    n_seen = 300 - (found["persons"]["lost"] if found["group"]["cells"] == "blank" else 0)
    assert len(codes) == codes["person"].nunique() == codes["code"].nunique() == n_seen
    star = (written[QI] == "*").all(axis=1)
    if more.startswith("whole"):
        assert not set(TABLE["patient"][star]) & set(TABLE["patient"][~star])


def test_the_written_file_is_measured_the_same_by_its_codes(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = by_command(table, 'person = "patient"')
    capsys.readouterr()
    words = [word for name in QI for word in ("--qi", name)]
    judge = ["--person", "patient", "--leave-out-suppressed", "--format", "json", "--quiet"]
    assert run_command(["check", str(out), *words, "--sa", "illness", *judge]) == 0
    found = json.loads(capsys.readouterr().out)
    people, records = fewest_people(out)
    assert (found["k_anonymity"]["k"], found["persons"]["k"]) == (people, people)
    assert found["persons"]["k_records"] == records
    assert found["distinct_l_diversity"]["l"] >= 2
    assert run_command(["risk", str(out), *words, *judge]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["prosecutor"]["highest"] == pytest.approx(1 / people)


def fix(driver: Driver, key: str) -> None:
    """Click the fix of a finding once it is there."""
    preflight = driver.wiring.configure.view.preflight
    driver.wait(lambda: driver.wiring.is_settled and preflight.fix_button(key) is not None, LONG)
    button = preflight.fix_button(key)
    assert button is not None
    driver.click(button)


def test_in_the_window_the_finding_counts_people_and_the_file_matches(
    driver: Driver, table: Path, tmp_path: Path
) -> None:
    driver.open_table(table)
    driver.set_role(IDENTIFYING, "patient")
    driver.set_role(SENSITIVE, "illness")
    driver.set_role(QUASI, *QI)
    shown = driver.wiring.configure.view.preflight
    driver.wait(lambda: any(f.key == "persons:patient" for f in shown.findings), LONG)
    said = next(f for f in shown.findings if f.key == "persons:patient")
    assert said.title.startswith("'patient' repeats: 300 people in ")
    fix(driver, "persons:patient")
    project = driver.session.project
    driver.wait(lambda: driver.session.project is not None and driver.session.project.person == "patient")
    driver.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    driver.wait(lambda: driver.session.project is not None and driver.session.project.person is None)
    driver.select_columns("patient")
    box = driver.find("personBox")
    box.setFocus()
    driver.qtbot.keyClick(box, Qt.Key.Key_Space)
    project = driver.session.project
    assert project.person == "patient"
    fix(driver, "no_hierarchy")
    driver.wait(lambda: len(driver.session.project.hierarchies) == len(QI), LONG)  # type: ignore[union-attr]
    driver.click("tab.explore")
    driver.wait_settled()
    driver.apply()
    out = tmp_path / "out.csv"
    assert driver.export(out).startswith("Written and verified: out.csv")
    people, records = fewest_people(out)
    assert records >= people >= K
    release = driver.session.applied.release
    assert release.k == people


@pytest.fixture
def visits_open(driver: Driver, table: Path) -> Driver:
    """Return the window with the recipe that counts people, scored."""
    recipe = table.with_name("recipe.toml")
    recipe.write_text(RECIPE.format(person='person = "patient"', more=MODELS_OF_PEOPLE))
    assert driver.drop(recipe)
    driver.wait(lambda: driver.session.project is not None, LONG)
    driver.wait_settled()
    return driver


def test_people_are_counted_and_named_everywhere_in_the_window(visits_open: Driver, tmp_path: Path) -> None:
    driver = visits_open
    panel = driver.wiring.configure.view.requirement
    assert panel.rows[2].facts.title == "people at risk, risk above 0.2"
    limit, whole = panel.limit_of_people_box, panel.whole_people_box
    assert panel.limit_words.text().endswith("records")
    driver.click(limit, QPoint(8, limit.height() // 2))
    driver.wait(lambda: panel.limit_words.text() == "at most 30 people")
    whole.setFocus()
    driver.qtbot.keyClick(whole, Qt.Key.Key_Space)
    requirement = driver.session.shown.requirement
    assert (requirement.limit_counts, requirement.whole_persons) == ("persons", True)
    for is_limited in (True, False):  # one step each
        driver.key(Qt.Key.Key_Z, CONTROL)
        driver.wait(lambda is_limited=is_limited: limit.isChecked() is is_limited and not whole.isChecked())
    driver.click(limit, QPoint(8, limit.height() // 2))
    driver.click("tab.explore")
    driver.wait_settled()
    knobs = [w.accessibleName() for w in driver.find("knobBar").findChildren(Knob)]  # some may not fit
    expected = [
        "Smallest class, k · people",
        "Values in a class, l · illness, distinct",
        "Records at risk, at risk",
    ]
    assert knobs == [*expected, "Suppressed, at most, 30 people"]
    assert driver.wiring.explore.view.inspector.sizes.histogram.accessibleName().startswith(
        "Records by people in their class."
    )
    driver.apply()
    driver.wait_settled()
    driver.click("tab.risk")
    strip = driver.wiring.risk.view.strip
    driver.wait(lambda: "no kept person can be matched" in strip.sentence(), LONG)
    page = driver.wiring.risk.view.attackers
    driver.click(driver.wiring.risk.view.switch.segments.segment("attackers"))
    driver.wait(lambda: page.cards["attackers"].caption.text() == "share of people, before and after")
    assert page.cards["risk_distribution"].title() == "People by risk"
    assert page.distribution.axis_name().startswith("re-identification risk of a person")
    assert driver.find("riskThreshold").accessibleName() == "Accepted risk, in percent"
    driver.key(Qt.Key.Key_E, CONTROL)
    dialog = driver.dialog("exportDialog")
    said = {label.text() for label in dialog.findChildren(QLabel)}
    assert {"People", "people at risk"} <= said
    assert any(" people allowed to lose one" in text or "of the people) allowed" in text for text in said)
    driver.type_into("exportPath", str(tmp_path / "out.csv"))
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: dialog.written, LONG)  # type: ignore[attr-defined]
    assert " people for these 3 columns; " in driver.find("exportDetails", QLabel).text()
