"""Commands that judge a table count persons where their column is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.engine.cli.running import Command
from tests.person_cases import BY_NAME, figure, labels
from tests.table_of_visits import RECIPE, TABLE

COMMANDS = ("check", "risk", "utility")


def near(value: float | str | None) -> Any:
    return pytest.approx(figure(value), rel=1e-9, abs=1e-12)


def written(case: dict[str, Any], folder: Path) -> str:
    rows = [
        {**label, "pid": row["pid"], case["sensitive"]: row[case["sensitive"]]}
        for row, label in zip(case["rows"], labels(case), strict=True)
    ]
    path = folder / "release.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return str(path)


def columns(case: dict[str, Any]) -> list[str]:
    return [word for name in case["qi"] for word in ("--qi", name)] + ["--person", "pid"]


@pytest.mark.parametrize(
    "name", ["crowd_of_one", "moving_person", "missing_person", "talkative_person", "random_09"]
)
def test_figures_are_of_persons_beside_those_of_records(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = BY_NAME[name]
    path, words, expected = written(case, tmp_path), columns(case), case["expected"]
    found = Command("check", capsys).json(path, *words, "--sa", case["sensitive"])
    assert found["persons"]["k"] == found["k_anonymity"]["k"] == expected["k"]
    assert found["persons"]["k_records"] == expected["k_records"]
    assert found["distinct_l_diversity"]["l"] == expected["distinct_l"]
    assert found["entropy_l_diversity"]["l"] == near(expected["entropy_l"])
    found = Command("risk", capsys).json(path, *words, "--threshold", case["risk_threshold"])
    assert found["prosecutor"]["average"] == near(expected["average_risk"])
    assert found["prosecutor"]["records_at_risk"] == near(expected["share_at_risk"])
    assert found["persons"]["count"] == expected["persons"]
    found = Command("utility", capsys).json(path, path, *words)
    assert found["risk"]["max"] == near(expected["highest_risk"])
    assert found["persons"]["k"] == expected["k"]


@pytest.mark.parametrize("command", COMMANDS)
def test_tables_say_people_and_records(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    case = BY_NAME["crowd_of_one"]
    path = written(case, tmp_path)
    code, said, _ = Command(command, capsys)(
        *([path, path] if command == "utility" else [path]), *columns(case)
    )
    assert code == 0
    for title, value in (("Fewest people in a class (k)", "1"), ("Fewest records in a class", "15")):
        line = next(line for line in said.splitlines() if title in line)
        assert line.split("│")[2].strip() == value


def test_records_without_a_person_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = BY_NAME["missing_person"]
    _, said, _ = Command("check", capsys)(written(case, tmp_path), *columns(case))
    line = next(line for line in said.splitlines() if "Records without a person" in line)
    assert "3" in line


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_person_column_is_refused_with_the_nearest(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(BY_NAME["crowd_of_one"], tmp_path)
    files = [path, path] if command == "utility" else [path]
    code, _, errors = Command(command, capsys)(*files, "--qi", "sex", "--person", "pit")
    assert code == 2
    assert "Did you mean 'pid'" in errors
    code, _, errors = Command(command, capsys)(*files, "--qi", "sex", "--person", "sex")
    assert code == 2
    assert "The person column 'sex'" in errors


def test_a_report_of_a_file_counts_people_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = BY_NAME["moving_person"]
    path, out = written(case, tmp_path), tmp_path / "report.json"
    words = [path, "--out", out, *columns(case), "--sa", case["sensitive"], "--utility", path]
    assert Command("report", capsys)(*words)[0] == 0
    report = json.loads(out.read_text(encoding="utf-8"))
    blocks = {section["key"]: section["blocks"] for section in report["sections"]}
    facts = {f["key"]: f for key in ("summary", "persons") for b in blocks[key] for f in b.get("facts", ())}
    expected = case["expected"]
    assert (facts["k"]["value"], facts["k"]["unit"]) == (expected["k"], "people")
    assert facts["k_records"]["value"] == expected["k_records"]
    assert facts["persons"]["value"] == expected["persons"]
    assert facts["highest_risk"]["value"] == near(expected["highest_risk"])
    assert "--person pid" in json.dumps(blocks["reproduction"])


@pytest.mark.parametrize("command", ["check", "utility"])
def test_other_programs_know_no_persons(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = BY_NAME["crowd_of_one"]
    path = written(case, tmp_path)
    files = [path, path] if command == "utility" else [path]
    code, _, errors = Command(command, capsys)(*files, *columns(case), "--compat", "pycanon")
    assert code == 2
    assert "--person cannot be combined with --compat pycanon" in errors


@pytest.mark.parametrize("command", ["check", "risk", "utility", "report"])
def test_a_column_that_repeats_is_told_where_no_person_column_is_named(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = BY_NAME["moving_person"]
    path = written(case, tmp_path)
    files = [path, path] if command == "utility" else [path]
    files += ["--out", str(tmp_path / "report.json")] if command == "report" else []
    named = columns(case)
    code, _, errors = Command(command, capsys)(*files, *named[:-2])
    assert code == 0
    assert (
        f"Note: 'pid' repeats: {case['expected']['persons']} people in {len(case['rows'])} records." in errors
    )
    assert 'count by it: --person "pid".' in errors
    assert Command(command, capsys)(*files, *named)[2] == ""


def test_a_recipe_without_a_person_column_notes_the_one_that_repeats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    TABLE.to_csv(tmp_path / "visits.csv", index=False)
    for person in ("", 'person = "patient"'):
        (tmp_path / "recipe.toml").write_text(RECIPE.format(person=person, more=""))
        words = [tmp_path / "recipe.toml", "--out", tmp_path / "out.csv"]
        notes = Command("anonymize", capsys).json(*words, "--quiet").get("notes", [])
        told = [note for note in notes if note.startswith("'patient' repeats: 300 people in ")]
        assert len(told) == (not person)
        assert all('count by it: person = "patient" under [roles].' in note for note in told)
