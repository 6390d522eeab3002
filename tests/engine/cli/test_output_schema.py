"""The JSON of every command follows the schema next to the help pages."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from engine.cli import COMMANDS, main
from engine.cli.schema import of_command
from tests.engine.report.schema import follows

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "resources" / "examples"
SCHEMA = json.loads((ROOT / "resources" / "help" / "commands.schema.json").read_text(encoding="utf-8"))
WITHOUT_JSON = {"report", "schema"}

PEOPLE = """\
sex,age,illness,id,w,home
f,30,flu,1,10,1
f,30,cold,1,12,1
f,31,flu,2,9,2
m,40,gout,3,9.5,2
m,40,flu,4,10,3
m,41,*,5,10,3
"""
QI = "--qi sex --qi age"
CASES = {
    "lattice": ["{recipe} --out {folder}/nodes.csv"],
    "anonymize": [
        "{recipe} --out {folder}/released.csv",
        "{recipe} --out {folder}/released.csv --ledger {folder}/new.ledger",
    ],
    "hierarchy": ["{people} --column age --builder intervals --set width=5 --out {folder}/age.csv"],
    "questionnaire": ["", "{recipe}"],
    "check": [
        f"{{people}} {QI}",
        f"{{people}} {QI} --sa illness --person id --weight w --known sex --any-columns 1 "
        "--unchanged illness --wildcard * --require k>=1 --require t(illness)>=0",
        f"{{people}} {QI} --sa illness --sa w --known sex --any-columns 1",
        f"{{people}} {QI} --sa illness --compat pycanon",
    ],
    "detect": ["{people}", "{people} --best-only"],
    "singletons": [f"{{people}} {QI}"],
    "verify": ["{released} --recipe {recipe} --require k>=1"],
    "utility": [
        f"{{people}} {{people}} {QI} --sa illness --person id --require k>=1",
        f"{{people}} {{people}} {QI} --sa illness --weight w",
        "{table} {released} --qi age --qi gender --qi city --sa disease --recipe {recipe}",
    ],
    "risk": [
        f"{{people}} {QI} --population 1000 --subsets 2",
        f"{{people}} {QI} --weight w --household home --special-uniques 0 --wildcard * --require k>=1",
        f"{{people}} {QI} --person id",
    ],
    "attack": ["{survey} --targets 20", "--counts 500 60 500 20"],
    "analyze": ["{recipe}", "{recipe} hipaa", "{recipe} narrowing"],
    "ledger": [
        "add {folder}/l.ledger --recipe {recipe} --release {released}",
        "check {folder}/l.ledger --recipe {recipe} --release {released}",
        "list {folder}/l.ledger",
        "forget {folder}/l.ledger 1",
    ],
    "convert": ["{recipe} --out {folder}/arx"],
}


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files that the commands take: people, a recipe with its table, its release, and a survey."""
    folder = tmp_path_factory.mktemp("outputs")
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    shutil.copytree(EXAMPLES / "hospital", folder / "hospital")
    found = {
        "folder": folder,
        "people": folder / "people.csv",
        "recipe": folder / "hospital" / "recipe.toml",
        "table": folder / "hospital" / "hospital.csv",
        "released": folder / "released.csv",
        "survey": EXAMPLES / "clinic" / "recipe.toml",
    }
    assert main(["anonymize", str(found["recipe"]), "--out", str(found["released"]), "--quiet"]) == 0
    return found


@pytest.mark.parametrize(
    ("command", "words"), [(command, words) for command in CASES for words in CASES[command]]
)
def test_an_output_follows_the_schema_of_its_command(
    command: str, words: str, paths: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    given = [word.format(**paths) for word in words.split()]
    assert main([command, *given, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found, "an empty object follows too much"
    assert follows(found, SCHEMA["$defs"][command], SCHEMA) == []
    own = of_command(command)
    assert follows(found, own) == []
    assert follows([found], own), "it refuses nothing"


def test_a_broken_release_follows_the_schema_too(
    paths: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    broken = paths["folder"] / "broken.csv"
    broken.write_text("nothing\n", encoding="utf-8")
    assert main(["verify", str(broken), "--recipe", str(paths["recipe"]), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["verified"] is False
    assert follows(found, SCHEMA["$defs"]["verify"], SCHEMA) == []


def test_every_command_with_json_has_a_schema_and_cases() -> None:
    assert set(CASES) == set(COMMANDS) - WITHOUT_JSON
    assert set(CASES) <= set(SCHEMA["$defs"])


def test_the_schema_notices_a_wrong_value() -> None:
    wrong = {"records": 3.5, "identifiers": [["a"]], "best_quasi_identifiers": [], "sets": []}
    assert follows(wrong, SCHEMA["$defs"]["detect"], SCHEMA) == [
        "$ lacks subsets", "$.records is no integer", "$ has sets, which is not known",
    ]  # fmt: skip
    wrong_by_column = {"required": [{"condition": "k", "met": True, "values": {"k": "3"}}]}
    problems = follows(wrong_by_column, {"properties": {"required": SCHEMA["$defs"]["required"]}}, SCHEMA)
    assert problems == ["$.required[0].values.k is no ['number', 'null']"]


@pytest.mark.parametrize("command", CASES)
def test_the_printed_schema_of_a_command_has_every_definition_it_needs_and_no_other(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schema", command]) == 0
    printed = json.loads(capsys.readouterr().out)
    text = json.dumps({**printed, "title": ""})
    assert printed["title"] == f"Output of anonymizer {command} --format json"
    assert {word.partition('"')[0] for word in text.split('"#/$defs/')[1:]} == set(printed["$defs"])


def test_the_schemas_of_recipes_and_reports_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    for name, title in (("recipe", "Recipe of Anonymizer"), ("report", None)):
        assert main(["schema", name]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert title in (None, printed["title"])
    assert main(["schema", "chek"]) == 2
    assert capsys.readouterr().err == "Error: There is no schema of 'chek'.\nDid you mean 'check'?\n"
