"""`anonymizer attack`, and the attack test in recipes, analyses and reports."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from engine.cli import main
from engine.errors import RecipeError
from engine.findings.attack.statistics import attack_statistics
from engine.project.attack_settings import AttackSettings
from engine.project.recipe.files import read_recipe
from tests.engine.cli.running import Command

COMMAND = "attack"
SOURCE = random.Random(3)
ROWS = [
    (SOURCE.randint(20, 59), SOURCE.choice("mf"), SOURCE.choice(["flu", "cold", "gout"]), f"c{i}")
    for i in range(300)
]
TABLE = "age,sex,ill,code\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS)
RECIPE = """\
[data]
path = "people.csv"
[roles]
quasi_identifying = ["age", "sex"]
sensitive = ["ill"]
insensitive = ["code"]
[hierarchies.age]
builder = "intervals"
width = 10
merge = [2]
[hierarchies.sex]
builder = "suppress"
[[privacy]]
model = "k_anonymity"
k = 3
[transformation]
suppression_limit = 0.05
"""
TEST = '[attack_test]\ntargets = 60\nseed = 5\nsecret = "ill"\n'


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(TABLE)
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE + TEST)
    return path


def test_it_prints_the_risk_above_the_control_group_with_all_that_it_follows_from(
    recipe: Path, run: Command
) -> None:
    found = run.json(recipe)
    assert (found["n_training"], found["n_control"]) == (200, 100)
    assert found["settings"]["seed"] == 5
    assert found["settings"]["columns"] == ["age", "sex", "ill", "code"]
    names = [(each["attack"], each["column"]) for each in found["attacks"]]
    assert names == [("singling_out", ""), ("linkability", ""), ("inference", "ill")]
    inference = found["attacks"][2]
    counts = [
        inference[name] for name in ("attacks", "successes", "control_attacks", "control_successes", "level")
    ]
    assert counts[:2] == [60, 60]  # the code leads to the record of every person
    assert inference["risk"] == attack_statistics(*counts).risk
    again = run.json(recipe, "--seed", "6", "--level", "0.9", "--column", "age", "--column", "ill")
    assert again["settings"] | {"seed": 6, "level": 0.9, "targets": 60} == again["settings"]
    assert again["attacks"][2]["successes"] < 60
    code, printed, errors = run(recipe)
    assert (code, errors) == (0, "")
    assert found["sentence"][:60] in printed
    assert "Records of the control group" in printed


def test_options_that_cannot_be_used_are_refused(recipe: Path, run: Command) -> None:
    for words, problem in (
        (["--share", "0.9"], "Control group cannot be 0.9."),
        (["--secret", "age"], "'age' is released as labels"),
        (["--column", "aeg"], "The table has no column 'aeg'. Did you mean 'age'?"),
        (["--counts", "1", "1", "1", "1"], "--counts cannot be combined with a recipe."),
    ):
        code, _printed, errors = run(recipe, *words)
        assert code == 2
        assert problem in errors
    assert "No recipe was given" in run()[2]
    assert "3 of 2 attacks" in run("--counts", "2", "3", "1", "1")[2]


def test_counts_of_other_attacks_are_computed_alike(run: Command) -> None:
    found = run.json("--counts", "500", "60", "500", "20")
    assert found == attack_statistics(500, 60, 500, 20).as_dict()
    assert "8.3" in run("--counts", "500", "60", "500", "20")[1]


def test_the_analysis_has_the_settings_of_the_recipe(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyze", str(recipe), "attack_test", "--format", "json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert {"setting": "Seed", "value": 5} in tables["attack_settings"]
    assert [row["attacks"] for row in tables["attack_counts"]] == [60, 60, 60]


def test_a_recipe_names_existing_columns_and_valid_values(recipe: Path) -> None:
    project = read_recipe(recipe)
    assert project.attack_test == AttackSettings(targets=60, seed=5, secret="ill")
    for text, problem in (
        ('[attack_test]\nsecret = "lil"\n', "the table has no column 'lil'"),
        ("[attack_test]\nshare = 0.9\n", "[attack_test]: 'share' cannot be 0.9"),
        ("[attack_test]\nshares = 0.2\n", "shares"),
    ):
        recipe.write_text(RECIPE + text)
        with pytest.raises(RecipeError) as raised:
            read_recipe(recipe)
        assert problem in str(raised.value)
    recipe.write_text(RECIPE)
    assert read_recipe(recipe).attack_test is None


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_a_report_has_the_test_of_the_recipe_and_no_rate_of_success(recipe: Path, audience: str) -> None:
    out = recipe.parent / "report.json"
    words = ["report", str(recipe), "--out", str(out), "--audience", audience, "--quiet"]
    assert main(words) == 0
    section = next(s for s in json.loads(out.read_text())["sections"] if s["key"] == "attack_test")
    text = json.dumps(section)
    assert "successes" not in text
    if audience == "public":
        assert {block["type"] for block in section["blocks"]} == {"paragraph"}
        return
    tables = {block["key"]: block for block in section["blocks"] if block["type"] == "table"}
    assert list(tables) == ["attack_risks", "attack_settings"]
    risks = tables["attack_risks"]["rows"]
    assert len(risks) == 3
    assert all(row[1] is None or row[2] <= row[1] <= row[3] for row in risks)
    settings = {row[0]: row[1] for row in tables["attack_settings"]["rows"]}
    assert (settings["Seed"], settings["Targets"], settings["Level of intervals"]) == (5, 60, 0.95)
    recipe.write_text(RECIPE)
    assert main(words) == 0
    assert "attack_test" not in [s["key"] for s in json.loads(out.read_text())["sections"]]


def test_too_few_records_are_a_sentence_of_the_report(recipe: Path) -> None:
    (recipe.parent / "people.csv").write_text("\n".join(TABLE.split("\n")[:151]) + "\n")
    out = recipe.parent / "report.json"
    assert main(["report", str(recipe), "--out", str(out), "--quiet"]) == 0
    section = next(s for s in json.loads(out.read_text())["sections"] if s["key"] == "attack_test")
    assert "at least 200 records" in json.dumps(section)
