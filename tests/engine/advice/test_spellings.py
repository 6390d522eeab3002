"""Values of persons and sensitive columns that differ only in spelling are found: they count as different."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.advice.preflight import preflight
from engine.advice.spellings import count_alike
from engine.pipeline import anonymize, summary
from engine.project.edits import set_person, set_roles
from engine.table import Role
from engine.table.reading import read_table
from tests.engine.advice.test_persons import VISITS, visits


@pytest.mark.parametrize(
    ("values", "n_alike"),
    [
        (("p1", "P1", "p2"), 2),
        (("p 1", "p  1", "p1"), 2),
        (("Jos\u00e9", "Jose\u0301", "JOS\u00c9", "Jose"), 3),
        (("p\u00a01", "p 1"), 2),
        (("p\u200b1", "p1"), 2),
        (("p1", "p2", "p-1", "p.1"), 0),
    ],
)
def test_values_are_alike_but_for_case_spaces_and_encoding(
    tmp_path: Path, values: tuple[str, ...], n_alike: int
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["who", *values, ""]), encoding="utf-8")
    table, _options = read_table(path)
    assert count_alike(table.column("who")) == n_alike


def test_persons_that_are_spelled_alike_are_found_and_noted_by_commands(tmp_path: Path) -> None:
    project = set_person(visits(tmp_path, VISITS.replace("a,f,1", "A,f,1", 1)), "patient")
    (finding,) = [f for f in preflight(project) if f.key.startswith("spelling:")]
    assert finding.title == "patient: 2 values differ only by case, spaces or encoding of letters"
    assert "different people" in finding.detail
    notes = summary(project, anonymize(project), verified=False)["notes"]
    assert any("differ only by case" in note for note in notes)
    same = set_person(visits(tmp_path), "patient")
    assert not [f for f in preflight(same) if f.key.startswith("spelling:")]


def test_sensitive_values_are_compared_and_others_are_not(tmp_path: Path) -> None:
    project = visits(tmp_path, VISITS.replace("f,2", "F,2", 1))
    assert not [f for f in preflight(project) if f.key.startswith("spelling:")]
    sensitive = set_roles(project, ["sex"], Role.SENSITIVE)
    (finding,) = [f for f in preflight(sensitive) if f.key.startswith("spelling:")]
    assert finding.key == "spelling:sex"
    assert "different values" in finding.detail
