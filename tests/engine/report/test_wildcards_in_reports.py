"""What reports say of cells that could be anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.cli import main
from engine.findings.given_table import given_table
from engine.findings.risk.wildcards import Wildcards, assess_wildcards
from engine.report import PUBLIC, ReportedFile, ReportSettings, rendered, report_of
from engine.report.sections.material import FileMark
from tests.engine.report.reports import material_of, people_recipe
from tests.engine.report.test_persons_in_reports import facts_of, sections_of, table_of

TABLE = "a,b,s\nx,y,1\nx,*,2\nz,y,1\nz,w,2\n*,*,3\n"
REGIONS = ["A,f"] * 5 + ["A,m"] * 5 + ["B,f"] * 2 + ["C,f"] * 2 + ["D,m"] + ["E,m"] * 2
RECIPE = """
[data]
path = "regions.csv"
[roles]
quasi_identifying = ["region", "sex"]
[hierarchies."region"]
builder = "suppress"
[hierarchies."sex"]
builder = "suppress"
[[privacy]]
model = "k_anonymity"
k = 3
[transformation]
suppression_limit = 0.5
"""
OPTIONS = ["--qi", "a", "--qi", "b", "--sa", "s", "--wildcard", "*", "--match-weight", "0.5"]


def read(path: Path) -> dict[str, Any]:
    report = json.loads(path.read_text(encoding="utf-8"))
    return {section["key"]: section["blocks"] for section in report["sections"]}


def both_readings(sections: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return each value with wildcards and as values."""
    tables = (table_of(sections["wildcards"], f"wildcard_{key}") for key in ("values", "risks"))
    return {row[0]: (row[1], row[2]) for table in tables for row in table}


def test_the_report_of_a_file_has_both_readings(tmp_path: Path) -> None:
    table, out = tmp_path / "t.csv", tmp_path / "r.json"
    table.write_text(TABLE, encoding="utf-8")
    assert main(["report", str(table), *OPTIONS, "--out", str(out), "--quiet"]) == 0
    sections = read(out)
    found = assess_wildcards(table, ["a", "b"], "s", match_weight=0.5)
    rows = both_readings(sections)
    assert rows["Smallest size (k)"] == (1, 1)
    assert rows["Average risk"] == pytest.approx((found.risk.average, found.risk_as_values.average))
    assert rows["Average risk"][0] < rows["Average risk"][1]
    facts = facts_of(sections["wildcards"])
    assert (facts["records"], facts["with_wildcard"], facts["all_star"]) == (4, 1, 1)
    text = out.read_text(encoding="utf-8")
    assert "looks safer than it may be" in text
    assert "--wildcard '*' --match-weight 0.5" in text
    assert facts_of(sections["summary"])["k"] == 1
    assert main(["report", str(table), *OPTIONS[:6], "--out", str(out), "--quiet"]) == 0
    assert "wildcards" not in read(out)


def test_a_public_report_names_the_wildcards_only(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(TABLE, encoding="utf-8")
    given = given_table(table, ["a", "b"], "s")
    settings = ReportSettings(audience=PUBLIC)
    material = ReportedFile(given, FileMark.of(table), settings, wildcards=Wildcards(missing=True))
    report = json.loads(rendered(report_of(material), ".json"))
    (blocks,) = (section["blocks"] for section in report["sections"] if section["key"] == "wildcards")
    assert [block["type"] for block in blocks] == ["paragraph"] * 2
    assert "*, missing" in blocks[0]["text"]


def test_a_release_with_hidden_cells_is_read_twice(tmp_path: Path) -> None:
    (tmp_path / "regions.csv").write_text("\n".join(["region,sex", *REGIONS]) + "\n", encoding="utf-8")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(RECIPE + '[recoding]\nmethod = "cells"\n', encoding="utf-8")
    material = material_of(recipe, ReportSettings())
    sections = sections_of(material)
    found = assess_wildcards(tmp_path / "released.csv", ["region", "sex"])
    assert (found.with_wildcard, found.k) == (7, 8)
    rows = both_readings(sections)
    assert rows["Smallest size (k)"] == (found.k, material.release.k)
    assert rows["Average risk"][0] == pytest.approx(found.risk.average)
    # claims and verification are those of stars as values
    assert facts_of(sections["summary"])["k"] == material.release.k
    recipe.write_text(RECIPE, encoding="utf-8")
    assert "wildcards" not in sections_of(material_of(recipe, ReportSettings()))


def test_options_that_do_not_fit_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = people_recipe(tmp_path)
    assert main(["report", str(recipe), "--wildcard", "*", "--out", str(tmp_path / "r.pdf")]) == 2
    assert "--wildcard cannot be used" in capsys.readouterr().err
    table = tmp_path / "t.csv"
    table.write_text(TABLE, encoding="utf-8")
    words = ["report", str(table), *OPTIONS, "--compat", "pycanon", "--out", str(tmp_path / "r.pdf")]
    assert main(words) == 2
    assert "--wildcard cannot be combined" in capsys.readouterr().err
