"""What reports say of people who have several records, beside a recount of the table."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from engine.cli import main as run_command
from engine.recoding import persons as recoding_persons
from engine.report import PUBLIC, ReportSettings, rendered, report_of
from engine.report.sections.material import ReportedRelease
from tests.engine.report.reports import material_of
from tests.table_of_visits import QI, RECIPE, TABLE


def recipe_of(folder: Path, more: str = "", rule: str = "pseudonym") -> Path:
    TABLE.to_csv(folder / "visits.csv", index=False)
    text = RECIPE.format(person='person = "patient"', more=more)
    path = folder / "recipe.toml"
    path.write_text(text.replace('identifying = "pseudonym"', f'identifying = "{rule}"'), encoding="utf-8")
    return path


def sections_of(material: ReportedRelease) -> dict[str, list[dict[str, Any]]]:
    report = json.loads(rendered(report_of(material), ".json"))
    return {section["key"]: section["blocks"] for section in report["sections"]}


def facts_of(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {f["key"]: f["value"] for b in blocks if b["type"] == "facts" for f in b["facts"]}


def table_of(blocks: list[dict[str, Any]], key: str) -> list[list[Any]]:
    found: list[list[Any]] = next(b for b in blocks if b["type"] == "table" and b["key"] == key)["rows"]
    return found


def classes_of(material: ReportedRelease) -> tuple[pd.Series, pd.DataFrame]:
    """Whether each record is suppressed, and the released cells of the kept ones with their persons."""
    columns = {name: material.release.column(name) for name in QI}
    cells = pd.DataFrame(
        {n: [c.text(i) for i in range(len(TABLE))] for n, c in columns.items() if c is not None}
    )
    gone = (cells[QI] == "*").all(axis=1)
    return gone, cells[~gone].assign(person=TABLE["patient"][~gone])


@pytest.mark.parametrize("more", ["", 'limit_counts = "persons"', "whole_persons = true"])
def test_a_report_counts_people_affected_lost_and_in_classes(tmp_path: Path, more: str) -> None:
    material = material_of(recipe_of(tmp_path, more), ReportSettings())
    gone, kept = classes_of(material)
    facts = facts_of(sections_of(material)["persons"])
    affected, left = set(TABLE["patient"][gone]), set(kept["person"])
    groups = kept.groupby(QI)
    assert (facts["person"], facts["persons"]) == ("patient", 300)
    assert facts["affected"] == len(affected)
    assert facts["lost"] == len(affected - left)
    assert facts["k"] == groups["person"].nunique().min()
    assert facts["k_records"] == groups.size().min()
    told = facts_of(sections_of(material)["suppressed"])
    assert told["suppressed"] == int(gone.sum())
    assert told["allowed"] == (30 if more.startswith("limit") else len(TABLE) // 10)


def test_where_a_code_leaves_the_chained_figure_stands_with_what_to_do(tmp_path: Path) -> None:
    material = material_of(recipe_of(tmp_path), ReportSettings())
    _, kept = classes_of(material)
    visited = kept.groupby("person")[QI].apply(lambda own: frozenset(map(tuple, own.to_numpy())))
    wanted = min(sum(own <= other for other in visited) for own in visited)
    blocks = sections_of(material)["persons"]
    told = {row[0]: row[1] for row in table_of(blocks, "chained")}
    assert told["one record"] == material.release.k
    assert told["all records"] == wanted
    assert any("Drop the code" in b.get("text", "") for b in blocks)
    folder = tmp_path / "dropped"
    folder.mkdir()
    dropped = sections_of(material_of(recipe_of(folder, rule="drop"), ReportSettings()))["persons"]
    assert not [b for b in dropped if b["type"] == "table"]
    assert any(
        "Neither a code nor the order shows which records belong to one person." in b.get("text", "")
        for b in dropped
    )


def test_a_chained_figure_that_was_not_counted_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recoding_persons, "MOST_SUBSETS", 0)
    recipe = recipe_of(tmp_path)
    texts = [b.get("text", "") for b in sections_of(material_of(recipe, ReportSettings()))["persons"]]
    assert any(
        text.startswith(
            "The fewest people who match two records of a person were not counted: there are more than"
        )
        for text in texts
    )
    out, summary = tmp_path / "out.csv", tmp_path / "summary.json"
    words = ["anonymize", str(recipe), "--out", str(out), "--summary", str(summary), "--quiet"]
    assert run_command(words) == 0
    found = json.loads(summary.read_text())
    assert found["persons"]["chained"]["2"] is None
    assert any(
        ("The fewest people who match two records of a person were not counted: there are more than") in note
        for note in found["notes"]
    )


def test_the_public_is_told_no_small_count_of_people(tmp_path: Path) -> None:
    threshold = 20
    material = material_of(recipe_of(tmp_path), ReportSettings(audience=PUBLIC, threshold=threshold))
    sections = sections_of(material)
    facts = facts_of(sections["persons"])
    release = material.release
    assert release.persons is not None
    counts = [v for key, v in facts.items() if key != "person"]
    counts += [row[1] for row in table_of(sections["persons"], "chained")]
    assert all(not isinstance(v, int) or v == 0 or v >= threshold for v in counts)
    if isinstance(facts["affected"], int) and isinstance(facts["lost"], int):
        rest = facts["affected"] - facts["lost"]
        assert rest == 0 or rest >= threshold


def test_risks_of_a_report_are_of_people(tmp_path: Path) -> None:
    material = material_of(recipe_of(tmp_path), ReportSettings())
    _, kept = classes_of(material)
    sizes = kept.groupby(QI)["person"].transform("nunique")
    least = sizes.groupby(kept["person"]).min()
    rows = table_of(sections_of(material)["risks"], "attackers")
    prosecutor = next(row for row in rows if row[0].startswith("Prosecutor") and row[1] == "release")
    assert prosecutor[2] == pytest.approx(1 / least.min())
    assert prosecutor[3] == pytest.approx((1 / least).mean())
    assert Counter(row[1] for row in rows) == {"input": 3, "release": 3}


def test_a_table_without_a_person_column_has_no_such_section(tmp_path: Path) -> None:
    recipe = recipe_of(tmp_path)
    recipe.write_text(recipe.read_text().replace('person = "patient"\n', ""), encoding="utf-8")
    assert "persons" not in sections_of(material_of(recipe, ReportSettings()))


def test_records_side_by_side_are_said_to_the_owner_and_not_counted_for_the_public(tmp_path: Path) -> None:
    path = recipe_of(tmp_path, rule="star")
    table = pd.read_csv(tmp_path / "visits.csv", dtype=str)
    table.sort_values("patient", kind="stable").to_csv(tmp_path / "visits.csv", index=False)
    because = "because the records of a person are side by side."
    owner, public = (
        next(block["text"] for block in sections["decision"] if because in block.get("text", ""))
        for sections in (
            sections_of(material_of(path, settings))
            for settings in (ReportSettings(), ReportSettings(audience=PUBLIC))
        )
    )
    assert owner.startswith("All records of a person together match as few as 1 person, and ")
    assert public == f"Few people match all records of a person together, {because}"
