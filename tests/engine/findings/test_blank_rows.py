"""Rows without any value, as a release has of suppressed records, are left out of all figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.cli import main
from engine.cli.columns import table_of
from engine.findings.given_table import given_table
from engine.findings.model_check import check
from engine.findings.risk.of_table import assess_risk
from engine.findings.risk.survey import assess_special_uniques, assess_survey
from engine.findings.risk.wildcards import assess_wildcards
from engine.findings.table_assessment import TableAssessment, assess_table
from engine.findings.utility.of_table import measure_utility
from engine.monitor import SILENT
from engine.records.opening.files import read_table
from engine.records.options import ReadOptions

KEPT = """age,town,ill,w
30,a,flu,2.5
30,a,gout,3
40,b,flu,4
*,*,cold,2
*,*,gout,1
"""
BLANK = KEPT.replace("30,a,flu", "*,*,*,*\n30,a,flu") + "*,*,*,*\n"
QI, STARS = ["age", "town"], 2


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A release with blank rows, and without them."""
    paths = tmp_path / "blank.csv", tmp_path / "kept.csv"
    for path, text in zip(paths, (BLANK, KEPT), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def typed() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The same with numbers and dates, whose blank cells are missing; a row that lacks them alone stays."""
    frame = pd.DataFrame(
        {
            "age": [30, 30, 40, None],
            "town": ["a", "a", "b", "c"],
            "day": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03", ""]),
            "ill": ["flu", "gout", "flu", "*"],
        }
    )
    blank = pd.DataFrame({"age": [None], "town": ["*"], "day": [pd.NaT], "ill": ["*"]}).astype(frame.dtypes)
    return pd.concat([blank, frame, blank], ignore_index=True), frame


MEASURED: dict[str, Callable[[Any], dict[str, Any]]] = {
    "check": lambda data: check(data, QI, "ill").as_dict(),
    "risk": lambda data: assess_risk(data, QI, population=1000, subsets=2).as_dict(),
    "special": lambda data: assess_special_uniques(data, QI).as_dict(),
    "wildcards": lambda data: assess_wildcards(data, QI, "ill").as_dict(),
    "utility": lambda data: measure_utility(typed()[1], data, QI, "ill").as_dict(),
}


@pytest.mark.usefixtures("work_here")
@pytest.mark.parametrize("key", MEASURED)
@pytest.mark.parametrize("ending", ["", ".parquet", ".feather", ".sav", ".dta"])
def test_columns_with_types_have_no_value_in_blank_rows(key: str, ending: str, tmp_path: Path) -> None:
    data: list[Any] = list(typed())
    for place, frame in enumerate(data):
        path = tmp_path / f"{place}{ending}"
        if ending in (".sav", ".dta"):
            library: Any = pytest.importorskip("pyreadstat")
            write = library.write_sav if ending == ".sav" else library.write_dta
            write(frame, path)
        elif ending:
            frame.to_parquet(path) if ending == ".parquet" else frame.to_feather(path)
        data[place] = path if ending else frame
    measured = MEASURED[key]
    found, expected = measured(data[0]), measured(data[1])
    if key in ("check", "risk"):
        assert (found.pop("blank_rows"), expected.pop("blank_rows")) == (STARS, 0)
    assert found == expected


def test_every_measure_of_a_file_leaves_blank_rows_out(files: tuple[Path, Path]) -> None:
    blank, kept = files
    for key in ("check", "risk", "special"):
        found, expected = MEASURED[key](blank), MEASURED[key](kept)
        if key in ("check", "risk"):
            assert (found.pop("blank_rows"), expected.pop("blank_rows")) == (STARS, 0)
        assert found == expected
    assert assess_survey(blank, QI, "w").as_dict() == assess_survey(kept, QI, "w").as_dict()


def test_blank_rows_are_of_wildcards_only_where_stars_could_be_anything(files: tuple[Path, Path]) -> None:
    found, expected = (assess_wildcards(path, QI, "ill") for path in files)
    assert (found.all_star, expected.all_star) == (2 + STARS, 2)
    assert found.sizes[~np.isnan(found.sizes)].tolist() == expected.sizes[~np.isnan(expected.sizes)].tolist()
    assert found.sizes_as_values.max() == 2 + STARS
    missing = [assess_wildcards(path, QI, "ill", values=(), missing=True).as_dict() for path in files]
    assert missing[0] == missing[1]


def test_rows_with_other_cells_are_no_blank_rows(tmp_path: Path) -> None:
    path = tmp_path / "text.csv"
    path.write_text("age,town,pay\n30,a,1\n*,*,\n*,*,2\n", encoding="utf-8")
    assert (given_table(path, QI).n_blank, given_table(path, QI).n_suppressed) == (0, 2)


@pytest.mark.parametrize("leaves_out", [False, True])
def test_the_place_of_a_record_is_that_in_the_file(files: tuple[Path, Path], *, leaves_out: bool) -> None:
    found = assess_table(given_table(files[0], QI, "ill"), leave_out_suppressed=leaves_out)
    assert [(own.size, own.values, own.record) for own in found.exposed if own.values[0] != "*"] == [
        (1, ("40", "b"), 3), (2, ("30", "a"), 1),
    ]  # fmt: skip
    assert (found.risk.blank_rows, found.check.blank_rows) == (STARS, STARS)
    n = 3 if leaves_out else 5
    assert found.statement().caption.startswith(f"{n} records in {found.check.n_classes} classes, ")
    assert f", {7 - n} suppressed and excluded" in found.statement().caption


@pytest.mark.parametrize("columns", [QI, ["ill"], ["town", "ill"]])
def test_tables_that_are_not_read_into_memory_leave_them_out_too(
    columns: list[str], files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.records.table.MOST_READ", 2)
    on_disk = table_of(str(files[0]), ReadOptions(source="disk"), SILENT)
    for leaves_out in (False, True):
        in_memory = assess_table(
            given_table(read_table(files[0])[0], columns), leave_out_suppressed=leaves_out
        )
        there = assess_table(given_table(on_disk, columns), leave_out_suppressed=leaves_out)
        found, expected = there.as_dict(), in_memory.as_dict()
        for own in (found, expected):
            for part in ("check", "risk"):
                own[part].get("not_assessed", {}).pop("singled_out", None)  # not counted of files
        assert found == expected
        assert placed(there) == placed(in_memory)


def placed(found: TableAssessment) -> list[tuple[int, int]]:
    """Return sizes and places of the smallest classes; blank rows of a file are not told from other stars."""
    return [(own.size, own.record) for own in found.exposed if set(own.values) != {"*"}]


def test_reports_and_commands_say_how_many_there_are(
    files: tuple[Path, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blank, kept = map(str, files)
    monkeypatch.setenv("COLUMNS", "160")
    words = ["--qi", "age", "--qi", "town"]
    for command in (["check", blank], ["risk", blank]):
        assert main([*command, *words]) == 0
        printed = capsys.readouterr().out
        assert any("Blank rows" in line and str(STARS) in line for line in printed.splitlines()), command
        assert "All cells of these rows are *. They are not counted." in printed
    found = []
    for path in (blank, kept):
        out = tmp_path / "report.json"
        assert main(["report", path, *words, "--sa", "ill", "--out", str(out), "--quiet"]) == 0
        found.append({s["key"]: s for s in json.loads(out.read_text(encoding="utf-8"))["sections"]})
    facts = [{f["key"]: f["value"] for f in own["data"]["blocks"][0]["facts"]} for own in found]
    assert facts[0].pop("blank_rows") == STARS
    for own in facts:
        for key in ("file_name", "file_size", "file_sha256"):
            own.pop(key)
    assert facts[0] == facts[1]
    for key in ("summary", "models", "risks", "attacks"):
        assert found[0][key] == found[1][key]
