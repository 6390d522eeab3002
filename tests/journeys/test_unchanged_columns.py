"""Commands report the records that unchanged columns single out, as in the written file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from engine.cli import main
from tests.engine.report.reports import flowing, squeezed, texts_of_html
from tests.registers import BLOOD_QI, BLOOD_UNCHANGED, blood_tests, diabetes_register

K5 = "[[privacy]]\nmodel = 'k_anonymity'\nk = 5\n[transformation]\nsuppression_limit = 0.5\n"
BLOOD = f"""format = 1
[data]
path = "blood.csv"
[roles]
quasi_identifying = {list(BLOOD_QI)}
others = "insensitive"
[hierarchies.age]
builder = "intervals"
width = 10
[hierarchies."sample.yr"]
builder = "intervals"
width = 3
{K5}"""
DIABETES = f"""format = 1
[data]
path = "register.csv"
missing = ["NA"]
[roles]
quasi_identifying = ["sex", "dobth", "dodm", "dodth"]
others = "insensitive"
[hierarchies.dobth]
builder = "dates"
granularities = ["decade"]
[hierarchies.dodm]
builder = "suppress"
min_level = 1
[hierarchies.dodth]
builder = "dates"
granularities = ["year"]
min_level = 1
max_level = 1
{K5}"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    blood_tests().to_csv(tmp_path / "blood.csv", index=False, lineterminator="\n")
    diabetes_register(2_000).to_csv(tmp_path / "register.csv", index=False, lineterminator="\n")
    return tmp_path


def released(folder: Path, recipe: str, *words: str) -> tuple[dict[str, Any], pd.DataFrame]:
    """Return the summary and the written file of a recipe."""
    (folder / "recipe.toml").write_text(recipe, encoding="utf-8")
    paths = [str(folder / name) for name in ("recipe.toml", "out.csv", "summary.json")]
    assert main(["anonymize", paths[0], "--out", paths[1], "--summary", paths[2], *words]) == 0
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return summary, pd.read_csv(paths[1], dtype=str, keep_default_na=False)


def plain(printed: str) -> str:
    """Return a printed table without its lines and breaks."""
    return " ".join(printed.replace("│", " ").split())


def singled_out(frame: pd.DataFrame, columns: list[str]) -> int:
    return int((frame.groupby(columns)[columns[0]].transform("size") == 1).sum())


@pytest.mark.parametrize("rule", ["star", "remove"])
@pytest.mark.parametrize("blank", [False, True])
def test_the_summary_is_true_of_the_written_file(folder: Path, rule: str, blank: bool) -> None:
    recipe = f'{BLOOD}suppressed_records = "{rule}"\nblank_suppressed = {str(blank).lower()}\n'
    summary, written = released(folder, recipe)
    assert summary["suppressed"] > 0
    assert summary["verified"]
    columns = list(BLOOD_UNCHANGED)
    assert summary["unchanged"] == {
        "columns": columns,
        "singled_out": {
            "alone": {name: singled_out(written, [name]) for name in columns},
            "together": singled_out(written, columns),
            "with_quasi_identifiers": singled_out(written, [*columns, *BLOOD_QI]),
        },
        "determines": [],
    }
    assert summary["unchanged"]["singled_out"]["together"] >= summary["records"] - summary["suppressed"]


def test_a_day_of_death_next_to_its_year_is_reported(folder: Path) -> None:
    summary, written = released(folder, DIABETES)
    (found,) = summary["unchanged"]["determines"]
    assert (found["column"], found["determined"]) == ("dox", "dodth")
    original = pd.read_csv(folder / "register.csv", dtype=str, keep_default_na=False)
    kept = written["dodth"] != "*"
    label, death = written["dodth"][kept], original["dodth"][kept]
    covers = death.groupby(label).transform("nunique") > 1
    fixed = death.groupby(written["dox"][kept]).transform("nunique") == 1
    assert found["share"] == (covers & fixed).sum() / covers.sum() > 0.9


def test_the_command_and_every_report_name_the_records_singled_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary, _ = released(folder, BLOOD, "--report", str(folder / "report.json"))
    size = f"k = {summary['k']} for these 4 columns"
    words = "4 columns are released unchanged and single out "
    assert f"verdict {size}; {words}1 000 of 1 000 records" in plain(capsys.readouterr().out)
    report = (folder / "report.json").read_text(encoding="utf-8")
    assert size in report
    assert words in report
    sections = {section["key"]: section for section in json.loads(report)["sections"]}
    rows = next(block for block in sections["unchanged"]["blocks"] if "rows" in block)["rows"]
    together = summary["unchanged"]["singled_out"]["together"]
    assert ["all of them together", together] in [list(row) for row in rows]
    counts = (f"{name} {count}" for name, count in rows)
    shown = [squeezed(text) for text in (*counts, size, f"{words}1000 of 1000")]
    for ending in ("html", "pdf"):
        released(folder, BLOOD, "--report", str(folder / f"report.{ending}"))
        data = (folder / f"report.{ending}").read_bytes()
        page = flowing(data) if ending == "pdf" else squeezed(texts_of_html(data))
        assert [figure for figure in shown if figure not in page] == []


def test_a_given_file_is_checked_for_records_its_unchanged_columns_single_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary, _ = released(folder, BLOOD)
    capsys.readouterr()
    words = ["check", str(folder / "out.csv"), *(w for name in BLOOD_QI for w in ("--qi", name))]
    words += ["--unchanged", ",".join(BLOOD_UNCHANGED)]
    assert main([*words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["unchanged"] == summary["unchanged"]
    assert main(words) == 0
    together = summary["unchanged"]["singled_out"]["together"]
    assert f"together: {together:,}".replace(",", " ") in plain(capsys.readouterr().out)
    assert main([*words[:-1], "kappa,age"]) == 2
    assert "The unchanged column 'age' is also listed as quasi-identifying." in capsys.readouterr().err


def test_records_of_one_person_are_reported_separately_from_those_singled_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "visits.csv"
    table.write_text("who,sex,ward\n1,f,a\n1,f,a\n2,f,b\n3,f,b\n", encoding="utf-8")
    words = ["check", str(table), "--qi", "sex", "--unchanged", "ward"]
    for further, expected in (([], None), (["--person", "who"], 2)):
        assert main([*words, *further, "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)["unchanged"]
        assert found["singled_out"]["together"] == 0  # as any recipient counts
        assert found.get("of_one_person", {}).get("together") == expected
    assert main([*words, *further]) == 0
    assert "of one person alone ward: 2, " in plain(capsys.readouterr().out)
