"""From CSV to CSV by commands alone: the worked example of a thesis, and an included example."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli import main

ROOT = Path(__file__).resolve().parents[2]
CRIME = json.loads((ROOT / "tests" / "data" / "published" / "thesis_crime.json").read_text(encoding="utf-8"))
HOSPITAL = ROOT / "resources" / "examples" / "hospital" / "recipe.toml"

CRIME_RECIPE = """\
format = 1

[data]
path = "crime.csv"
[data.types]
"ZIP code" = "text"

[roles]
identifying = ["name"]
quasi_identifying = ["marital stat", "age", "ZIP code"]
sensitive = ["crime"]

[hierarchies."marital stat"]
path = "marital stat.csv"
[hierarchies."age"]
builder = "intervals"
width = 5
merge = [2]
label = "interval"
[hierarchies."ZIP code"]
path = "ZIP code.csv"

[[privacy]]
model = "k_anonymity"
k = 2

[transformation]
suppression_limit = 0.0
"""


@pytest.fixture
def crime(tmp_path: Path) -> Path:
    """Write the thesis's table, its hierarchies and a recipe; return the recipe."""
    columns = CRIME["raw"]
    with open(tmp_path / "crime.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    for column in ("marital stat", "ZIP code"):
        lines = [";".join(row) for row in CRIME["hierarchies"][column]]
        (tmp_path / f"{column}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    recipe = tmp_path / "crime.toml"
    recipe.write_text(CRIME_RECIPE, encoding="utf-8")
    return recipe


def read(path: Path, delimiter: str = ";") -> dict[str, list[str]]:
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter=delimiter)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def test_the_worked_example_of_the_thesis_gives_its_table(crime: Path) -> None:
    out, summary = crime.with_name("out.csv"), crime.with_name("summary.json")
    words = [
        "anonymize",
        str(crime),
        "--node",
        "1,2,1",
        "--out",
        str(out),
        "--summary",
        str(summary),
        "--quiet",
    ]
    assert main(words) == 0
    # The thesis's program writes the bounds of whole numbers as decimals.
    expected = {
        column: [text.replace(".0", "") for text in texts] for column, texts in CRIME["expected"].items()
    }
    assert read(out) == expected
    figures = json.loads(summary.read_text(encoding="utf-8"))
    assert figures["k"] == CRIME["k_reached"] == 3
    assert figures["suppressed"] == 0
    assert figures["node"] == {"marital stat": 1, "age": 2, "ZIP code": 1}
    assert figures["metrics"]["discernibility"] == CRIME["metrics"]["discernibility"]
    assert figures["metrics"]["c_avg"] == pytest.approx(6 / (2 * 2))  # against the k required, 2
    assert (figures["guarantee"], figures["nodes_checked"], figures["verified"]) == ("none", 1, True)
    assert (figures["compared"], figures["judge"]) == ("records", "memory")


def test_the_optimum_of_the_worked_example_loses_no_more_than_the_thesis_node(crime: Path) -> None:
    values = []
    for words in ([], ["--node", "1,2,1"]):
        summary = crime.with_name("summary.json")
        out = crime.with_name("out.csv")
        assert main(["anonymize", str(crime), "--out", str(out), "--summary", str(summary), *words]) == 0
        values.append(json.loads(summary.read_text(encoding="utf-8"))["value"])
    assert values[0] <= values[1]


def test_a_hierarchy_built_by_command_serves_a_recipe(crime: Path) -> None:
    built = crime.with_name("age.csv")
    data = str(crime.with_name("crime.csv"))
    settings = ["--set", "width=5", "--set", "merge=[2]", "--set", 'label="interval"']
    words = ["hierarchy", data, "--column", "age", "--builder", "intervals", *settings, "--out", str(built)]
    assert main(words) == 0
    assert main(["hierarchy", data, "--column", "age", "--check", str(built), "--quiet"]) == 0
    by_builder, by_file = crime.with_name("builder.csv"), crime.with_name("file.csv")
    assert main(["anonymize", str(crime), "--out", str(by_builder), "--quiet"]) == 0
    start, rest = CRIME_RECIPE.split('builder = "intervals"')
    crime.write_text(start + 'path = "age.csv"\n' + rest.split('label = "interval"\n')[1], encoding="utf-8")
    assert main(["anonymize", str(crime), "--out", str(by_file), "--quiet"]) == 0
    assert by_file.read_bytes() == by_builder.read_bytes()


def test_the_lattice_line_of_a_node_matches_its_release(crime: Path) -> None:
    nodes, summary = crime.with_name("nodes.csv"), crime.with_name("summary.json")
    assert main(["lattice", str(crime), "--out", str(nodes), "--quiet"]) == 0
    out = crime.with_name("out.csv")
    words = ["--node", "1,2,1", "--summary", str(summary), "--quiet"]
    assert main(["anonymize", str(crime), "--out", str(out), *words]) == 0
    columns = read(nodes, ",")
    assert list(columns)[:3] == ["level.marital stat", "level.age", "level.ZIP code"]
    keys = zip(*(columns[name] for name in list(columns)[:3]), strict=True)
    line = list(keys).index(("1", "2", "1"))
    figures = json.loads(summary.read_text(encoding="utf-8"))
    for name, value in figures["metrics"].items():
        assert float(columns[name][line]) == value
    assert columns["t.crime"][line] == repr(figures["t"]["crime"])
    assert int(columns["l.crime"][line]) == figures["l"]["crime"]


def test_the_same_recipe_gives_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    for name, seed in (("a", "1"), ("b", "2")):
        words = ["anonymize", str(HOSPITAL), "--out", f"{name}.csv", "--summary", f"{name}.json", "--quiet"]
        code = f"import sys; from engine.cli import main; sys.exit(main({words!r}))"
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONHASHSEED": seed,
            "SOURCE_DATE_EPOCH": "1700000000",
        }
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["seconds"] == 0
