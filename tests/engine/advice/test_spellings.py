"""Values of persons and sensitive columns that differ only in spelling are found: they count as different."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.advice import spellings
from engine.advice.preflight import preflight
from engine.advice.spellings import count_alike
from engine.cli import main
from engine.pipeline import anonymize, summary
from engine.project.edits import set_person, set_roles
from engine.records import Role
from engine.records.opening.files import read_table
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


@pytest.mark.parametrize(
    ("values", "n_alike"),
    [
        (("7", "7.0", "007", "8"), 3),
        (("7", "7.", "+7", "7,00", "-7"), 4),
        (("0", "-0", "00.0", "0x"), 3),
        (("0.50", "0.5", ".5", "5"), 2),
        (("1a", "01a", "1 000", "1000", "1e3"), 0),
    ],
)
def test_forms_of_one_number_are_alike(tmp_path: Path, values: tuple[str, ...], n_alike: int) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["who", *(f'"{value}"' for value in values), "x", ""]), encoding="utf-8")
    table, _options = read_table(path)
    found = list(spellings.given_spelling_notes(table, "who", ()))
    assert len(found) == bool(n_alike)
    assert not n_alike or found[0].startswith(f"who: {n_alike} values are forms of the same numbers")


FORMS = "patient,sex,town\n" + "".join(f"{p},f,1\n" for p in ("7", "7.0", "007", "x", "x", "8"))
OF_PEOPLE = (
    "patient: 3 values are forms of the same numbers, such as 7, 7.0 and 007. They count as different "
    "people; if they are the same, classes have fewer than counted."
)


def test_forms_of_one_number_are_noted_by_every_command_and_still_count_as_different(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "visits.csv").write_text(FORMS)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        """[data]
path = "visits.csv"
[roles]
identifying = ["patient"]
quasi_identifying = ["sex"]
sensitive = ["town"]
person = "patient"
[hierarchies."sex"]
builder = "suppress"
[[privacy]]
model = "k_anonymity"
k = 5
"""
    )
    out, report = tmp_path / "out.csv", tmp_path / "report.json"

    def run(*words: str) -> dict[str, Any]:
        capsys.readouterr()
        assert main([*words, "--format", "json", "--quiet"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    made = run("anonymize", str(recipe), "--out", str(out), "--report", str(report))
    assert made["k"] == 5
    assert OF_PEOPLE in made["notes"]
    assert OF_PEOPLE in run("verify", str(out), "--recipe", str(recipe))["notes"]
    assert OF_PEOPLE in report.read_text()
    checked = run("check", str(tmp_path / "visits.csv"), "--qi", "sex", "--person", "patient")
    assert checked["notes"] == [OF_PEOPLE]
    assert checked["persons"]["k"] == 5
    assert checked["persons"]["chained"] == {"2": 5, "all": 5}
    as_values = run("check", str(tmp_path / "visits.csv"), "--qi", "sex", "--sa", "patient")
    assert [note for note in as_values["notes"] if "forms of the same numbers" in note]
    project = set_person(visits(tmp_path, FORMS), "patient")
    assert "numbers:patient" in {finding.key for finding in preflight(project)}


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
