"""Every command reads every format: the same figures from the same table, whatever holds it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.cli import main
from tests.formats import (
    write_excel,
    write_json_lines,
    write_parquet,
    write_spss,
    write_stata,
    write_text,
    write_workbook,
)

pytestmark = pytest.mark.usefixtures("work_here")

PEOPLE: dict[str, list[Any]] = {
    "age": [30, 30, 41, 41, None],
    "sex": ["f", "f", "m", "m", "f"],
    "illness": ["flu", "cold", "flu", "flu", "gout"],
    "visits": [1, 2, 3, 1, 2],
}
WRITERS = {
    ".csv": write_text,
    ".xlsx": write_excel,
    ".parquet": write_parquet,
    ".sav": write_spss,
    ".dta": write_stata,
    ".jsonl": write_json_lines,
}
COMMANDS = {
    "check": ["--qi", "age", "--qi", "sex", "--sa", "illness", "--sa", "visits"],
    "detect": ["--max-size", "2"],
}


def figures(capsys: pytest.CaptureFixture[str], command: str, path: Path, *words: str) -> Any:
    assert main([command, str(path), *words, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("command", "ending"),
    [
        *((command, ending) for command in COMMANDS for ending in (".xlsx", ".XLSX", ".Parquet", ".sav")),
        *(("check", ending) for ending in (".DTA", ".JsonL")),
    ],
)
def test_a_command_says_the_same_of_every_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, ending: str
) -> None:
    text = write_text(tmp_path / "people.csv", PEOPLE)
    other = WRITERS[ending.lower()](tmp_path / f"made{ending.lower()}", PEOPLE).rename(
        tmp_path / f"people{ending}"
    )
    words = COMMANDS[command]
    assert figures(capsys, command, other, *words) == figures(capsys, command, text, *words)


@pytest.mark.parametrize("ending", [".xlsx", ".parquet", ".sav", ".jsonl"])
def test_a_damaged_file_ends_a_command_with_2_and_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    path = tmp_path / f"people{ending}"
    path.write_bytes(b"nothing of the kind")
    assert main(["check", str(path), "--qi", "age"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert path.name in captured.err
    assert "Traceback" not in captured.err


def test_a_sheet_is_named_where_the_first_is_not_meant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = [list(PEOPLE), *zip(*PEOPLE.values(), strict=True)]
    path = write_workbook(tmp_path / "people.xlsx", ("Notes", [["note"], ["x"]]), ("People", people))
    alone = write_excel(tmp_path / "alone.xlsx", PEOPLE)
    for command, words in {**COMMANDS, "risk": ["--qi", "age"]}.items():
        named = figures(capsys, command, path, *words, "--sheet", "People")
        besides = named.pop("besides", [])
        assert [own["place"] for own in besides] == (["'Notes'"] if command == "check" else [])
        assert named == figures(capsys, command, alone, *words)
    hierarchy = ["--column", "visits", "--builder", "suppress", "--out", str(tmp_path / "visits.csv")]
    assert figures(capsys, "hierarchy", path, *hierarchy, "--sheet", "People")["values"] == 3
    assert main(["check", str(path), "--qi", "age", "--sheet", "Poeple"]) == 2
    assert "Did you mean 'People'?" in capsys.readouterr().err
    text = write_text(tmp_path / "people.csv", PEOPLE)
    assert main(["check", str(text), "--qi", "age", "--sheet", "People"]) == 2
    assert "has no sheets" in capsys.readouterr().err


YEARS = "town,2019,2020\nUlm,3,4\nUlm,5,6\nBonn,5,8\n"


def test_names_that_are_numbers_are_a_header_where_a_column_is_asked_for_by_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "years.csv"
    path.write_text(YEARS, encoding="utf-8")
    words = ("--qi", "town", "--qi", "2019")
    assert figures(capsys, "risk", path, *words)["records"] == 3
    assert figures(capsys, "check", path, *words, "--sa", "2020")["k_anonymity"] == {"k": 1}
    assert figures(capsys, "utility", path, str(path), *words)["records"] == {"raw": 3, "anonymized": 3}


def test_whether_the_first_record_is_the_header_can_be_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "years.csv"
    path.write_text(YEARS, encoding="utf-8")
    assert figures(capsys, "detect", path, "--header")["records"] == 3
    assert figures(capsys, "detect", path, "--no-header")["records"] == 4
