"""What reports say of attackers who know some columns, beside a recount by hand."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from engine.cli import main as run_command
from engine.report import PUBLIC, ReportSettings, rendered, report_of
from tests import attackers_by_hand as by_hand
from tests.attackers import REFERENCE, case_of, rows_of
from tests.engine.report.reports import material_of

ENTRY = next(
    entry for entry in REFERENCE if entry["name"] == "random_18"
)  # zip with k = 4, age and sex with 2
MODELS = """
[[privacy]]
model = "known_columns"
attacker = "courier"
known = ["zip"]
k = 4

[[privacy]]
model = "any_columns"
m = 2
k = 2
"""
LEVELS = (0, 1, 1)  # of sex, age and zip


def recipe_of(folder: Path) -> Path:
    names = ENTRY["columns"]
    with (folder / "table.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows([[row[name] for name in names] for row in ENTRY["rows"]])
    text = '[data]\npath = "table.csv"\n[data.types]\n'
    text += "".join(f'{name} = "text"\n' for name in names)
    text += '[roles]\nquasi_identifying = ["sex", "age", "zip"]\nsensitive = ["s"]\n'
    for name, level in zip(("sex", "age", "zip"), LEVELS, strict=True):
        (folder / f"{name}.csv").write_text("\n".join(",".join(row) for row in ENTRY["hierarchies"][name]))
        text += f'[hierarchies.{name}]\npath = "{name}.csv"\nmin_level = {level}\nmax_level = {level}\n'
    path = folder / "recipe.toml"
    path.write_text(text + MODELS + "[transformation]\nsuppression_limit = 1.0\n", encoding="utf-8")
    return path


def blocks_of(folder: Path, settings: ReportSettings) -> list[dict[str, Any]]:
    report = json.loads(rendered(report_of(material_of(recipe_of(folder), settings)), ".json"))
    return next(found["blocks"] for found in report["sections"] if found["key"] == "attackers")


def test_a_report_has_every_set_with_its_smallest_group_and_what_failed(tmp_path: Path) -> None:
    case = case_of(ENTRY)
    order = [[attribute.name for attribute in case.qi].index(name) for name in ("sex", "age", "zip")]
    node = tuple(LEVELS[order.index(q)] for q in range(3))
    rows = rows_of(case, node)
    demands = [by_hand.Demand(4, (order[2],)), by_hand.Demand(2, any_m=2)]
    kept = by_hand.kept(rows, demands)
    table = next(block for block in blocks_of(tmp_path, ReportSettings()) if block["type"] == "table")
    sets = [(4, (2,)), (2, (0, 1)), (2, (0, 2)), (2, (1, 2))]
    assert [row[1] for row in table["rows"]] == ["zip", "sex, age", "sex, zip", "age, zip"]
    for row, (k, columns) in zip(table["rows"], sets, strict=True):
        own = tuple(order[q] for q in columns)
        groups = by_hand.groups_of(rows, kept.left, own)
        everything = by_hand.groups_of(rows, range(len(rows)), own)
        assert row[2:] == [k, min(map(len, groups)), sum(len(g) for g in everything if len(g) < k)]
    assert table["rows"][0][0] == "courier"


def test_a_public_report_does_not_tell_how_many_failed(tmp_path: Path) -> None:
    table = next(
        block for block in blocks_of(tmp_path, ReportSettings(audience=PUBLIC)) if block["type"] == "table"
    )
    assert [column["key"] for column in table["columns"]] == ["attacker", "known", "asked", "reached"]


def test_a_recipe_with_attackers_is_anonymized_and_verified_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["anonymize", str(recipe_of(tmp_path)), "--out", str(tmp_path / "out.csv")]) == 0
    with (tmp_path / "out.csv").open(newline="") as file:
        kept = [row for row in csv.DictReader(file) if row["zip"] != "*"]
    sizes = {row["zip"]: sum(other["zip"] == row["zip"] for other in kept) for row in kept}
    assert sizes
    assert min(sizes.values()) >= 4
