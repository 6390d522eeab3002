"""Recipes in Python: the same release as the command from its file, verified, and conditions on reports."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import engine
from engine.cli import main
from engine.errors import InputError, RecipeError, RequirementNotMetError, TableError
from engine.findings import assess_special_uniques, assess_survey, assess_wildcards, attack_statistics
from engine.utility import utility_metrics

DATA = """\
Code,Years,Town,Illness,Note
1,31, Rome,flu,a
2,33,Rome,flu,b
3,36,ROMA,cold,NA
4,38,Rome,cold,d
5,52,Oslo,flu,e
6,55,Oslo,cold,f
7,58,NA,flu,
8,51,Oslo,cold,h
9,59,Total,flu,i
"""
RECIPE = """\
format = 1
[data]
path = "people.csv"
missing = ["", "NA"]
trim = true
leave_out = "town = 'Total'"
[data.types]
age = "integer"
[[data.columns]]
source = "Code"
name = "code"
[[data.columns]]
source = "Years"
name = "age"
[[data.columns]]
source = "Town"
name = "town"
[[data.columns]]
source = "Illness"
name = "illness"
[[data.replace]]
column = "town"
old = "ROMA"
new = "Rome"
[roles]
identifying = ["code"]
quasi_identifying = ["age"]
sensitive = ["illness"]
insensitive = ["town"]
[hierarchies.age]
builder = "intervals"
width = 10
[[privacy]]
model = "k_anonymity"
k = 4
[[privacy]]
model = "distinct_l_diversity"
column = "illness"
l = 2
[transformation]
shuffle = true
seed = 7
"""
FRAMES: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda path: pd.read_csv(path, keep_default_na=False, na_values=[""]),
    "pandas texts": lambda path: pd.read_csv(path, dtype=str, keep_default_na=False),
    "polars": lambda path: pl.read_csv(path),
    "Arrow": lambda path: pa.Table.from_pandas(pd.read_csv(path, keep_default_na=False, na_values=[""])),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(DATA, encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    return tmp_path


def texts_of(frame: Any) -> list[list[str]]:
    table = frame if isinstance(frame, pa.Table) else pa.table(frame)
    rows = [table.column_names, *zip(*(table[name].to_pylist() for name in table.column_names), strict=True)]
    return [["" if cell is None else str(cell) for cell in row] for row in rows]


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("suppressed", ["star", "remove"])
def test_a_frame_in_place_of_the_file_gives_the_release_of_the_command(
    folder: Path, library: str, suppressed: str
) -> None:
    recipe, out = folder / "recipe.toml", folder / "released.csv"
    limit = f'suppression_limit = 0.5\nsuppressed_records = "{suppressed}"\n'
    text = RECIPE.replace("k = 4", "k = 3").replace("width = 10", "width = 7")
    text = text.replace("shuffle", f"{limit}shuffle")
    recipe.write_text(text, encoding="utf-8")
    assert main(["anonymize", str(recipe), "--out", str(out), "--quiet"]) == 0
    data = FRAMES[library](folder / "people.csv")
    released = engine.apply(recipe, data)
    assert type(released.frame) is type(data)
    assert texts_of(released.frame) == list(csv.reader(StringIO(out.read_text(encoding="utf-8"))))
    assert released.verdict.ok
    assert engine.verify(released.frame, recipe).verified
    assert engine.verify(out, recipe, original=data).problems == ()
    assert engine.verify(released.frame, released).verified


def test_a_recipe_may_be_a_text_without_a_path() -> None:
    text = RECIPE.replace('path = "people.csv"\n', "")
    data = {"Code": [1, 2], "Years": [31, 32], "Town": ["a", "b"], "Illness": ["flu", "cold"]}
    released = engine.apply(text.replace("k = 4", "k = 2"), pd.DataFrame(data))
    assert released.frame["age"].nunique() == 1
    assert sorted(released.frame["town"]) == ["a", "b"]
    with pytest.raises(TableError, match="Town"):
        engine.apply(text, pd.DataFrame(data).drop(columns="Town"))
    with pytest.raises(RecipeError, match="ages"):
        engine.apply(text.replace("[hierarchies.age]", "[hierarchies.ages]"), pd.DataFrame(data))
    with pytest.raises(RequirementNotMetError):
        engine.apply(text, pd.DataFrame(data))


def test_a_changed_cell_is_no_release(folder: Path) -> None:
    data = FRAMES["pandas"](folder / "people.csv")
    released = engine.apply(folder / "recipe.toml", data)
    changed = released.frame.assign(town="Paris")
    found = engine.verify(changed, folder / "recipe.toml", original=data)
    assert not found.verified
    assert "Paris" in found.problems[0]
    assert "Paris" not in repr(found)
    with pytest.raises(RequirementNotMetError, match=r"(?s)promises.*Paris.*k >= 99: k is 4"):
        found.require("k >= 99")


REPORTS: dict[str, tuple[Callable[[pd.DataFrame], Any], list[str]]] = {
    "check": (
        lambda data: engine.check(data, "Town", "Illness"),
        ["check", "--qi", "Town", "--sa", "Illness"],
    ),
    "risk": (lambda data: engine.risk(data, "Town"), ["risk", "--qi", "Town"]),
    "utility": (lambda data: engine.utility(data, data, "Town"), ["utility", "--qi", "Town"]),
    "detect": (lambda data: engine.detect(data), []),
    "singletons": (lambda data: engine.singletons(data, "Town"), []),
    "survey": (lambda data: assess_survey(data, "Town", "Weight", "Illness"), [
        "risk", "--qi", "Town", "--weight", "Weight", "--household", "Illness"]),
    "special_uniques": (lambda data: assess_special_uniques(data, "Town", sampling_fraction=0.5), [
        "risk", "--qi", "Town", "--special-uniques", "0", "--sampling-fraction", "0.5"]),
    "wildcards": (lambda data: assess_wildcards(data, "Town", "Illness", values=["Oslo"]), [
        "risk", "--qi", "Town", "--sa", "Illness", "--wildcard", "Oslo"]),
    "attack": (lambda _data: attack_statistics(500, 60, 500, 20), []),
}  # fmt: skip
TABLE = {"Town": ["Rome", "Rome", "Oslo"], "Illness": ["flu", "cold", "flu"], "Weight": [10, 10, 20]}
PAGES = Path(__file__).parents[3] / "resources" / "help"


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_names_each_missed_condition(name: str) -> None:
    report = REPORTS[name][0](pd.DataFrame(TABLE))
    with pytest.raises(InputError) as caught:
        report.require("nothing > 1")
    names = caught.value.hint.rpartition("The values are ")[2].rstrip(".").split(", ")
    first = names[0]
    assert report.require(f"{first} >= 0 or {first} < 0 or {first} is missing") is report
    with pytest.raises(RequirementNotMetError) as missed:
        report.require(f"{first} = 12345", f"{first} >= 0 or {first} is missing", f"{first} = 23456")
    lines = str(missed.value).splitlines()
    assert lines[0] == "Required conditions that are not met: 2 of 3."
    assert lines[1].startswith(f"  {first} = 12345: ")
    assert lines[2].startswith(f"  {first} = 23456: ")


@pytest.mark.parametrize("name", ["check", "risk", "utility"])
def test_the_names_are_those_of_the_command(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = pd.DataFrame(TABLE)
    data.to_csv(tmp_path / "data.csv", index=False)
    make, words = REPORTS[name]
    command, *options = words
    files = [str(tmp_path / "data.csv")] * (2 if name == "utility" else 1)
    assert main([command, *files, *options, "--require", "nothing > 1"]) == 2
    with pytest.raises(InputError) as caught:
        make(data).require("nothing > 1")
    assert caught.value.hint.rpartition("The values are ")[2] in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("name", ["survey", "special_uniques", "wildcards"])
def test_a_condition_of_the_command_on_one_of_its_results_is_one_of_its_report(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = pd.DataFrame(TABLE)
    data.to_csv(tmp_path / "data.csv", index=False)
    make, words = REPORTS[name]
    report = make(data)
    conditions = [f"{name}.{own} >= 0 or {name}.{own} is missing" for own in report.figures()]
    conditions += ["survey.records_at_risk <= 40 %"] * (name == "survey")
    assert len(conditions) >= 5
    assert report.require(*conditions, *(text.replace(f"{name}.", "") for text in conditions)) is report
    options = [word for text in conditions for word in ("--require", text)]
    assert main([words[0], str(tmp_path / "data.csv"), *words[1:], *options, "--format", "json"]) == 0
    required = json.loads(capsys.readouterr().out)["required"]
    values = {key: value for own in required for key, value in own["values"].items()}
    assert values == pytest.approx({f"{name}.{key}": value for key, value in report.figures().items()})


@pytest.mark.parametrize("page", ["pipeline.md", "de/pipeline.md"])
def test_the_help_names_what_every_report_can_be_asked(page: str) -> None:
    text = (PAGES / page).read_text(encoding="utf-8")
    for name, (make, _words) in REPORTS.items():
        (row,) = re.findall(rf"^\| `{name}`.*", text, re.MULTILINE)
        listed = re.findall("`([a-z_.()]+)`", row.partition(": ")[2] or row.partition(" | ")[2])
        figures = make(pd.DataFrame(TABLE)).figures()
        generic = {re.sub(r"\(.*", "", own) for own in figures}
        assert {own.partition("(")[0] for own in listed} - generic <= {*utility_metrics}
        assert len(listed) >= 3


def test_a_release_names_its_selection_gain_only_if_asked(folder: Path) -> None:
    released = engine.apply(folder / "recipe.toml", FRAMES["pandas"](folder / "people.csv"))
    assert released.require("k >= 4", "l(illness) >= 2", "suppressed <= 5 %") is released
    with pytest.raises(RequirementNotMetError, match=r"2 of 3\.\n  k > 4: k is 4\n  selection_gain < 0: "):
        released.require("k > 4", "suppressed = 0", "selection_gain < 0")
    assert "selection_leak" not in json.dumps(released.scores)
