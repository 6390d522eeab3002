"""Columns that an assessment was not given: what `check`, `risk` and the window say about them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from engine.findings.given_table import GivenTable, given_table
from engine.findings.model_check import check
from engine.findings.not_assessed import not_assessed
from engine.findings.risk.of_table import assess_risk
from engine.findings.table_assessment import assess_table
from engine.records.opening import open_table
from engine.records.opening.data_frames import as_table
from engine.records.opening.files import read_table
from engine.records.options import ReadOptions
from engine.words import speaking
from tests.engine.cli.running import Command

# By age and sex, classes have 5 records; postal codes 2, 2 and 1 of each.
RECORDS = pd.DataFrame(
    {
        "id": [f"P{i}" for i in range(10)],
        "age": ["30-39"] * 5 + ["40-49"] * 5,
        "sex": ["f"] * 5 + ["m"] * 5,
        "postal code": ["10115", "10115", "20095", "20095", "80331"] * 2,
        "illness": ["flu", "flu", "cold", "gout", "flu"] * 2,
        "visits": [1, 2, 3, 4, 5] * 2,
    }
)
QI = ("age", "sex")


def _given(*left_out: str) -> GivenTable:
    return given_table(as_table(RECORDS.drop(columns=list(left_out))), QI, "illness")


def test_the_unique_column_and_the_postal_code_are_named_with_what_k_becomes() -> None:
    found = not_assessed(_given())
    assert found.as_dict() == {
        "columns": ["id", "postal code", "visits"],
        "unique": ["id"],
        "likely_quasi_identifying": {"postal code": 1},
        "k": 5,
        "k_with_likely": 1,
        "singled_out": 10,
    }
    assert found.sentence() == (
        "3 of 6 columns are not assessed: 'id' is different in every record; "
        "'postal code' is likely quasi-identifying; k is 5; with 'postal code' it is 1."
    )
    assert found.tone == "danger"


def test_columns_that_only_together_single_records_out_are_counted() -> None:
    frame = pd.DataFrame({"age": ["a"] * 8, "note": list("ppqqppqq"), "mark": list("xyxyxyxz")})
    found = not_assessed(given_table(as_table(frame), "age"))
    assert (found.unique, dict(found.likely), found.n_single) == ((), {}, 2)
    assert found.sentence() == "2 of 3 columns are not assessed: together they single out 2 of 8 records."
    assert found.tone == "warn"


def test_nothing_is_said_where_every_column_was_named() -> None:
    assert not_assessed(_given("id", "postal code", "visits")) is None
    found = not_assessed(_given("id", "postal code"))
    assert (found.clauses(), found.tone) == ((), "text")
    assert found.sentence() == "1 of 4 columns is not assessed."


def test_stars_of_suppressed_records_do_not_hide_a_unique_column() -> None:
    frame = RECORDS.astype(str)
    frame.loc[[0, 1]] = "*"
    given = given_table(as_table(frame), QI, "illness")
    for own in (given, given.without_suppressed()):
        found = not_assessed(own)
        assert found.unique == ("id",)


@pytest.mark.parametrize("n_blank", [0, 1])
def test_a_table_in_files_is_told_the_same_without_counting_all_columns_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_blank: int
) -> None:
    path = tmp_path / "released.csv"
    blank = pd.DataFrame("*", index=range(n_blank), columns=RECORDS.columns)
    pd.concat([RECORDS, RECORDS.assign(id="Q"), blank]).to_csv(path, index=False)
    monkeypatch.setattr("engine.records.table.MOST_READ", 10)
    on_disk = open_table(path, ReadOptions(source="disk", scratch=str(tmp_path))).table
    assert on_disk.home is not None
    for leave_out in (False, True):
        there = not_assessed(given_table(on_disk, QI, "illness", leave_out_suppressed=leave_out))
        here = not_assessed(given_table(read_table(path)[0], QI, "illness"))
        assert there.as_dict() == {**here.as_dict(), "singled_out": None}


def test_people_are_counted_where_records_are_of_people() -> None:
    frame = RECORDS.assign(who=["A", "B", "A", "B", "C", "D", "E", "D", "E", "F"])
    given = given_table(as_table(frame.drop(columns="id")), QI, "illness", person="who")
    found = not_assessed(given)
    assert (found.k, dict(found.likely)) == (3, {"postal code": 1})


@pytest.mark.parametrize("command", ["check", "risk"])
def test_commands_say_it_first_and_in_their_json(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "released.csv"
    RECORDS.to_csv(path, index=False)
    run = Command(command, capsys)
    words = (path, "--qi", "age", "--qi", "sex", *(("--sa", "illness") if command == "check" else ()))
    beside = run.json(*words)["not_assessed"]
    assert (beside["unique"], beside["k"], beside["likely_quasi_identifying"]) == (
        ["id"],
        5,
        {"postal code": 1},
    )
    printed = run(*words)[1].split()
    assert printed.index("assessed") < printed.index("Classes")


def test_python_reports_have_it_of_tables_files_and_frames(tmp_path: Path) -> None:
    path = tmp_path / "released.csv"
    RECORDS.to_csv(path, index=False)
    for data in (RECORDS, path, as_table(RECORDS)):
        for found in (check(data, QI, "illness").not_assessed, assess_risk(data, QI).not_assessed):
            assert found.unique == ("id",)
            assert found.likely["postal code"] == 1


def test_the_headline_of_the_complete_assessment_begins_with_it() -> None:
    said = assess_table(_given()).statement()
    assert said.sentence.startswith("3 of 6 columns are not assessed: 'id' is different in every record")
    assert said.sentence.endswith("no record can be matched with a certainty above 20.0\u202f%.")
    assert said.tone == "danger"
    harmless = assess_table(_given("id", "postal code")).statement()
    assert harmless.sentence.startswith("From these 2 columns")
    assert harmless.caption.endswith("; 1 of 4 columns is not assessed")


def test_the_risks_of_the_window_are_the_same_in_every_language() -> None:
    def shown() -> dict[str, str]:
        facts = assess_table(_given()).risks[0]
        return {fact.key: fact.title for fact in facts.facts}

    assert list(shown()) == ["unique", "prosecutor.highest", "prosecutor.at_risk", "marketer.average"]
    with speaking("de"):
        german = shown()
    assert list(german) == list(shown())
    assert german["unique"] == "Einzigartige Datensätze"
