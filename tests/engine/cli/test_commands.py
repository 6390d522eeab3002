"""The commands: what they print and write, their exit codes, and that nothing is written where they fail."""
# ruff: noqa: E501  one command line per line reads best

from __future__ import annotations

import csv
import gc
import importlib
import inspect
import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pyarrow.parquet
import pytest

from engine.cli import COMMANDS, UNCOLLECTED, app, main
from engine.cli.usage import USAGE, answered, options_of
from engine.shipped import DISTRIBUTION
from tests.command_usage import usage_of_commands
from tests.huge import write_huge_recipe

ROOT = Path(__file__).resolve().parents[3]

TABLE = "name,age,sex,illness\n" + "".join(
    f"P{i},{age},{sex},{illness}\n"
    for i, (age, sex, illness) in enumerate(
        [
            (31, "f", "flu"),
            (32, "f", "cold"),
            (35, "m", "flu"),
            (36, "m", "flu"),
            (58, "f", "cold"),
            (71, "m", "gout"),
        ]
    )
)
RECIPE = """\
format = 1
[data]
path = "people.csv"
[roles]
identifying = ["name"]
quasi_identifying = ["sex", "age"]
sensitive = ["illness"]
[hierarchies."sex"]
builder = "suppress"
[hierarchies."age"]
builder = "intervals"
width = 10
[[privacy]]
model = "k_anonymity"
k = 2
[transformation]
suppression_limit = 0.34
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """Write six people and a recipe; return the recipe."""
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    path = tmp_path / "people.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def fails(capsys: pytest.CaptureFixture[str], words: list[object]) -> tuple[int, str]:
    """Run a command that fails; return its code and its message, which is all that it prints."""
    code = main([str(word) for word in words])
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "Traceback" not in printed.err
    return code, printed.err


def test_anonymize_writes_the_release_and_its_figures(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, summary = recipe.with_name("out.csv"), recipe.with_name("summary.json")
    words = ["anonymize", recipe, "--out", out, "--summary", summary, "--format", "json"]
    assert main([*map(str, words), "--node", "0,1"]) == 0
    assert out.read_text(encoding="utf-8") == (
        "name,age,sex,illness\n*,30-39,f,flu\n*,30-39,f,cold\n*,30-39,m,flu\n*,30-39,m,flu\n*,*,*,cold\n*,*,*,gout\n"
    )
    figures = json.loads(summary.read_text(encoding="utf-8"))
    assert json.loads(capsys.readouterr().out) == figures
    assert list(figures) == [
        "node", "metric", "value", "metrics", "suppressed", "records", "classes", "k", "l", "t", "group",
        "satisfies", "status",
        "models", "unchanged", "guarantee", "nodes_checked", "nodes_total", "seconds", "verified", "efficiency",
        "compared", "judge", "source", "tuples", "spilled_bytes",
    ]  # fmt: skip
    assert figures["node"] == {"sex": 0, "age": 1}
    assert (figures["suppressed"], figures["records"], figures["classes"], figures["k"]) == (2, 6, 2, 2)
    assert figures["l"] == {"illness": 1}
    # flu, cold, gout: 3/6, 2/6, 1/6 in the table; both men of one class have the flu.
    assert figures["t"] == {"illness": pytest.approx(0.5)}
    assert (figures["satisfies"], figures["guarantee"], figures["verified"]) == (True, "none", True)
    assert (figures["nodes_checked"], figures["nodes_total"]) == (1, 6)
    assert figures["seconds"] >= 0
    assert figures["efficiency"] | {"seconds": 0, "peak_memory": 0} == {
        "seconds": 0, "peak_memory": 0, "nodes_checked": 1, "nodes_inferred": 0, "scans": 0, "roll_ups": 0,
        "generalization_steps": 0,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["out.xlsx", "OUT.PARQUET", "out.csv"])
def test_the_name_of_a_release_says_its_format(recipe: Path, name: str) -> None:
    out = recipe.parent / name
    assert main(["anonymize", str(recipe), "--out", str(out), "--safe-cells", "--quiet"]) == 0
    begins = {".xlsx": b"PK", ".parquet": b"PAR1", ".csv": TABLE.encode()[:3]}
    assert out.read_bytes().startswith(begins[out.suffix.lower()])


def test_no_result_takes_the_place_of_a_key(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, out = recipe.parent / "keys" / "name.key", recipe.parent / "out.csv"
    key.parent.mkdir()
    key.write_bytes(b"k" * 32)
    asked = 'identifying = "keyed_hash"\nkey_file = "keys/name.key"\n'  # [transformation] stands last
    recipe.write_text(recipe.read_text(encoding="utf-8") + asked, encoding="utf-8")
    words = ["anonymize", recipe, "--out", out]
    code, said = fails(capsys, [*words, "--summary", key])
    assert (code, key.read_bytes(), out.exists()) == (2, b"k" * 32, False)
    assert "is an input of this command" in said
    assert main([*map(str, words), "--quiet"]) == 0


def test_the_figures_of_a_release_are_those_of_its_line_in_the_table_of_nodes(recipe: Path) -> None:
    nodes, summary = recipe.with_name("nodes.csv"), recipe.with_name("s.json")
    assert main(["lattice", str(recipe), "--out", str(nodes), "--quiet"]) == 0
    with open(nodes, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "level.sex", "level.age", "classes", "k", "l.illness", "t.illness",
        "suppressed", "kept_classes", "kept_k", "satisfies", "group_held",
        "loss", "gen_iloss", "precision", "discernibility", "aecs", "c_avg", "non_uniform_entropy",
    ]  # fmt: skip
    order = [(row["level.sex"], row["level.age"]) for row in rows]
    assert order == [("0", "0"), ("0", "1"), ("0", "2"), ("1", "0"), ("1", "1"), ("1", "2")]
    bottom = rows[0]
    assert (bottom["suppressed"], bottom["kept_classes"], bottom["satisfies"]) == ("6", "0", "false")
    assert (bottom["kept_k"], bottom["c_avg"]) == ("", "")  # nothing is kept: they do not exist
    assert (bottom["aecs"], bottom["loss"]) == ("6.0", "1.0")
    for row in rows:
        if row["satisfies"] == "false":
            continue
        words = ["--node", f"{row['level.sex']},{row['level.age']}", "--out", str(recipe.with_name("o.csv"))]
        assert main(["anonymize", str(recipe), *words, "--summary", str(summary), "--quiet"]) == 0
        figures = json.loads(summary.read_text(encoding="utf-8"))
        assert {name: float(row[name]) for name in figures["metrics"]} == figures["metrics"]
        assert (int(row["suppressed"]), int(row["kept_classes"])) == (
            figures["suppressed"],
            figures["classes"],
        )
        assert int(row["kept_k"]) == figures["k"]


def test_the_table_of_nodes_is_the_same_as_parquet(recipe: Path) -> None:
    text, binary = recipe.with_name("nodes.csv"), recipe.with_name("nodes.parquet")
    for out in (text, binary):
        assert main(["lattice", str(recipe), "--out", str(out), "--quiet"]) == 0
    with open(text, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    table = pyarrow.parquet.read_table(binary)
    assert table.column_names == list(rows[0])
    for name, column in zip(table.column_names, table.columns, strict=True):
        values = column.to_pylist()
        texts = ["" if v is None else str(v).lower() if isinstance(v, bool) else repr(v) for v in values]
        assert texts == [row[name] for row in rows]


def test_lattice_says_how_many_nodes_satisfy_and_never_fails_for_that(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe.write_text(RECIPE.replace("k = 2", "k = 7"), encoding="utf-8")
    words = ["lattice", str(recipe), "--out", str(recipe.with_name("n.csv")), "--format", "json"]
    assert main(words) == 0
    result = json.loads(capsys.readouterr().out)
    assert result == {
        "records": 6, "nodes": 6, "satisfying": 0, "metric": "loss", "optimum": None, "value": None
    }  # fmt: skip


def test_results_are_shown_as_a_table_and_quiet_shows_nothing(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["anonymize", str(recipe), "--out", str(recipe.with_name("o.csv"))]
    assert main(words) == 0
    printed = capsys.readouterr()
    for shown in (
        "sex: 0, age: 2",
        "0 of 6 records",
        "optimal (6 of 6 nodes checked)",
        "yes, from the written",
    ):
        assert shown in printed.out
    assert printed.err == ""  # no terminal, no progress
    assert main([*words, "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_the_table_shows_the_metric_of_the_search(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = recipe.read_text(encoding="utf-8")
    recipe.write_text(text + '[search]\nmetric = "height"\n', encoding="utf-8")
    assert main(["anonymize", str(recipe), "--out", str(recipe.parent / "out.csv")]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "height" in line)
    assert int(line.strip("│ ").split()[-1]) > 0


def test_what_a_run_took_is_told_in_figures_and_in_the_table(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # 6 ages and 2 sexes, none alike: age is raised to tens, where the two at 58 and 71 are still alone.
    recipe.write_text(RECIPE + '[search]\nalgorithm = "datafly"\n', encoding="utf-8")
    words = ["anonymize", str(recipe), "--out", str(recipe.with_name("o.csv"))]
    assert main([*words, "--format", "json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    took = figures["efficiency"]
    assert (figures["node"], figures["guarantee"]) == ({"sex": 0, "age": 1}, "none")
    assert 0 < took.pop("seconds") <= figures["seconds"]
    assert took.pop("peak_memory") >= 0
    assert took == {
        "nodes_checked": 2,
        "nodes_inferred": 0,
        "scans": 1,
        "roll_ups": 1,
        "generalization_steps": 1,
    }
    assert "notes" not in figures
    model = '[[privacy]]\nmodel = "distinct_l_diversity"\ncolumn = "illness"\nl = 1\n'
    recipe.write_text(RECIPE + model + '[search]\nalgorithm = "datafly"\n', encoding="utf-8")
    assert main(words) == 0
    shown = " ".join(capsys.readouterr().out.replace("│", "").split())
    assert "nodes 2 checked, 0 inferred" in shown
    assert "1 scan, 1 roll-up; 1 level raised" in shown
    assert "MB of memory" in shown
    assert "note Published Data-fly supports only k-anonymity" in shown


def test_a_date_given_from_outside_makes_the_figures_repeat(
    recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    written = []
    for _ in range(2):
        summary = recipe.with_name("s.json")
        words = ["--out", str(recipe.with_name("o.csv")), "--summary", str(summary), "--quiet"]
        assert main(["anonymize", str(recipe), *words]) == 0
        written.append(summary.read_bytes())
    assert written[0] == written[1]


def test_figures_that_do_not_exist_are_null(recipe: Path) -> None:
    recipe.write_text(RECIPE.replace("k = 2", "k = 99").replace("0.34", "1.0"), encoding="utf-8")
    summary = recipe.with_name("s.json")
    words = ["--out", str(recipe.with_name("o.csv")), "--summary", str(summary), "--quiet"]
    assert main(["anonymize", str(recipe), *words]) == 0  # the limit permits suppressing them all
    figures = json.loads(summary.read_text(encoding="utf-8"))
    assert (figures["suppressed"], figures["classes"], figures["satisfies"]) == (6, 0, True)
    assert (figures["k"], figures["metrics"]["c_avg"]) == (None, None)
    assert (figures["l"], figures["t"]) == ({"illness": None}, {"illness": None})


@pytest.mark.parametrize(
    ("old", "new", "more", "message"),
    [
        ("k = 2", "k = 7", [], "A table of 6 records cannot meet k = 7"),
        ("0.34", "0.0\n[search]\nalgorithm = \"exhaustive\"", ["--node", "0,0"], "6 suppressed records"),
        ("k = 2", 'k = 2\n[[privacy]]\nmodel = "distinct_l_diversity"\ncolumn = "illness"\nl = 4', [], "l = 4 cannot be met: 'illness' has 3 values"),
    ],
)  # fmt: skip
def test_a_requirement_that_cannot_be_met_ends_with_1_and_writes_nothing(
    recipe: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, more: list[str], message: str
) -> None:
    recipe.write_text(RECIPE.replace(old, new), encoding="utf-8")
    out, summary = recipe.with_name("out.csv"), recipe.with_name("summary.json")
    code, said = fails(capsys, ["anonymize", recipe, "--out", out, "--summary", summary, *more])
    assert code == 1
    assert said.startswith("Error: ")
    assert message in said
    assert not out.exists()
    assert not summary.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["anonymize", "poeple.toml", "--out", "o.csv"], "Did you mean 'people.toml'?"),
        (["anonymize", "people.toml"], "Missing option '--out'"),
        (["anonymize", "people.toml", "--out", "o.csv", "--report", "r.doc"], "a report must end in .pdf, .html, .json"),
        (["anonymize", "people.toml", "--out", "o.csv", "--purpose", "research"], "--purpose needs a report"),
        (["anonymize", "people.toml", "--out", "o", "--summary", "r.json", "--report", "r.json"], "both name"),
        (["anonymize", "people.toml", "--out", "people.csv"], "'people.csv' is an input of this command"),
        (["anonymize", "people.toml", "--out", "./people.toml"], "is an input of this command"),
        (["anonymize", "people.toml", "--out", "o.csv", "--summary", "o.csv"], "both name"),
        (["anonymize", "people.toml", "--out", "no/o.csv"], "its folder does not exist"),
        (["anonymize", "people.toml", "--out", "."], "already exists and is not empty"),
        (["anonymize", "people.toml", "--out", "o.xls"], "the name belongs to another format (Excel workbooks)"),
        (["anonymize", "people.toml", "--out", "o.csv", "--node", "a"], "The order is sex, age."),
        (["anonymize", "people.toml", "--out", "o.csv", "--node", "1"], "has 1 levels for 2"),
        (["anonymize", "people.toml", "--out", "o.csv", "--node", "0,3"], "'age' has no level 3; the allowed levels are 0 to 2"),
        (["lattice", "people.toml", "--out", "n.json"], "ends in .csv or .parquet"),
        (["lattice", "people.toml", "--out", "n.csv", "--format", "xml"], "'xml' is not one of"),
        (["hierarchy", "people.csv", "--column", "age"], "--check FILE"),
        (["hierarchy", "people.csv", "--column", "aeg", "--builder", "suppress", "--out", "h.csv"], "'age'"),
        (["hierarchy", "people.csv", "--column", "age", "--builder", "interval", "--out", "h.csv"], "'intervals'"),
        (["hierarchy", "people.csv", "--column", "age", "--builder", "intervals", "--set", "widht=5", "--out", "h.csv"], "'width'"),
        (["hierarchy", "people.csv", "--column", "age", "--builder", "intervals", "--set", "width=five", "--out", "h.csv"], "texts in quotation marks"),
        (["hierarchy", "people.csv", "--column", "age", "--builder", "intervals", "--set", "width=5\nx=1", "--out", "h.csv"], "NAME=VALUE"),
        (["hierarchy", "people.csv", "--column", "age", "--builder", "intervals", "--set", "width", "--out", "h.csv"], "NAME=VALUE"),
        (["hierarchy", "people.csv", "--column", "age", "--check", "h.csv", "--out", "x.csv"], "--check cannot be combined with --builder"),
        (["hierarchy", "people.csv", "--column", "age", "--builder", "suppress", "--out", "people.csv"], "is an input of this command"),
        (["report", "people.csv", "--out", "r.pdf"], "is not a recipe, and a table needs --qi"),
        (["report", "people.csv", "--qi", "aeg", "--out", "r.pdf"], "'age'"),
        (["report", "people.csv", "--qi", "age", "--node", "1,0", "--out", "r.pdf"], "--node cannot be used for"),
        (["report", "people.toml", "--sa", "age", "--out", "r.pdf"], "--sa cannot be used for"),
        (["report", "people.toml", "--out", "r.txt"], "a report must end in .pdf, .html, .json"),
        (["report", "people.toml", "--out", "no/r.pdf"], "its folder does not exist"),
        (["report", "people.toml", "--release", "missing.csv", "--out", "r.pdf"], "The file 'missing.csv' does not exist"),
        (["report", "people.csv", "--qi", "age", "--small-count", "1", "--out", "r.pdf"], "at least 2"),
    ],
)  # fmt: skip
def test_bad_input_ends_with_2_one_message_and_nothing_written(
    recipe: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(recipe.parent)
    before = {path.name: path.read_bytes() for path in recipe.parent.iterdir()}
    code, said = fails(capsys, list(words))
    assert code == 2
    assert said.count("Error: ") == 1
    assert message in " ".join(said.split())
    assert {path.name: path.read_bytes() for path in recipe.parent.iterdir()} == before


def test_a_folder_that_may_not_be_written_is_named_before_the_work(
    recipe: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Rights cannot be taken from whoever may do everything, as a container's root may.
    monkeypatch.setattr("engine.cli.targets.os.access", lambda path, mode: mode != os.W_OK)
    monkeypatch.setattr("engine.cli.anonymize.run_chain", None)  # not reached
    code, said = fails(capsys, ["anonymize", recipe, "--out", recipe.with_name("o.csv")])
    assert code == 2
    assert "is not writable" in said


def test_a_fault_of_the_program_shows_its_place_and_no_value(
    recipe: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*_: object, **__: object) -> None:
        raise KeyError("a person's illness")

    monkeypatch.setattr("engine.cli.anonymize.run_chain", faulty)
    code, said = fails(capsys, ["anonymize", recipe, "--out", recipe.with_name("o.csv")])
    assert code == 2
    assert said.startswith("Internal error: KeyError in test_commands.py, line ")
    assert "illness" not in said


def test_a_gap_in_a_hierarchy_names_the_values(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (recipe.parent / "sex.csv").write_text("f;*\n", encoding="utf-8")
    recipe.write_text(RECIPE.replace('builder = "suppress"', 'path = "sex.csv"'), encoding="utf-8")
    code, said = fails(capsys, ["anonymize", recipe, "--out", recipe.with_name("o.csv")])
    assert code == 2
    assert "'sex' lacks 1 value of the table: 'm'" in said


def test_hierarchy_builds_what_it_shows(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = recipe.with_name("age.csv")
    words = ["--builder", "intervals", "--set", "width=10", "--set", "merge=[2]", "--out", str(out)]
    data = str(recipe.with_name("people.csv"))
    assert main(["hierarchy", data, "--column", "age", *words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "column": "age", "builder": "intervals", "values": 6, "levels": [6, 3, 3, 1]
    }  # fmt: skip
    assert out.read_text(encoding="utf-8").splitlines()[0] == "31;30-39;20-39;*"
    assert main(["hierarchy", data, "--column", "age", "--check", str(out)]) == 0
    assert "age.csv is a hierarchy that covers every value of 'age'." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("31;30-39;*\n32;30-39;x\n", "line 2, column 3 (level 2): '30-39' becomes 'x', but '*' in line 1"),
        ("31;*\n", "lacks 5 values of the table: '32', '35', '36', ..."),
        ("", "is empty"),
    ],
)
def test_hierarchy_check_says_what_is_wrong(
    recipe: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    wrong = recipe.with_name("wrong.csv")
    wrong.write_text(text, encoding="utf-8")
    data = recipe.with_name("people.csv")
    code, said = fails(capsys, ["hierarchy", data, "--column", "age", "--check", wrong])
    assert code == 2
    assert message in said


def test_hierarchy_check_lists_all_problems_and_how_many_more_there_are(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = recipe.with_name("wrong.csv")
    words = ["hierarchy", recipe.with_name("people.csv"), "--column", "age", "--check", wrong]
    wrong.write_text("31;30-39;*\n32;30-39\n35;30-39;x\n31;20-29;*\n", encoding="utf-8")
    code, said = fails(capsys, words)
    assert code == 2
    assert said.splitlines()[:4] == [
        "Error: wrong.csv has 3 problems:",
        "wrong.csv, line 2: 2 fields, but line 1 has 3.",
        "wrong.csv, line 3, column 3 (level 2): '30-39' becomes 'x', but '*' in line 1.",
        "wrong.csv, line 4: '31' is '20-29' on level 1, but '30-39' in line 1.",
    ]
    wrong.write_text("31;*\n" * 60 + "32\n" * 59, encoding="utf-8")
    _, said = fails(capsys, words)
    assert said.splitlines()[50:52] == ["wrong.csv, line 110: 1 field, but line 1 has 2.", "... and 9 more."]


def test_values_never_act_as_markup(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = recipe.with_name("odd.csv")
    data.write_text("tag\n[bold]x[/bold]\n[/]\n", encoding="utf-8")
    words = ["--column", "tag", "--builder", "suppress", "--out", str(recipe.with_name("h.csv"))]
    assert main(["hierarchy", str(data), *words]) == 0
    assert "[/], [bold]x[/bold]" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--help"], *([command, "--help"] for command in COMMANDS)])
def test_every_command_explains_itself(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "Usage: anonymizer" in shown
    if len(words) == 1:
        assert all(command in shown for command in COMMANDS)
        assert "Exit codes: 0 done, 1 the requirement cannot be met" in shown


SLOW = {"pydantic", "engine.verification.claims", "engine.findings.risk.wildcards"}
HEAVY = {"pandas", "numba", "sqlalchemy", "fpdf", "openpyxl", "PySide6"}


def loaded(code: str) -> set[str]:
    """The modules that a process has after running some code."""
    shown = f"import sys; {code}; print('loaded:', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", shown], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("loaded:")[2].split())


def test_knowing_the_commands_imports_nothing_else() -> None:
    assert not loaded("import engine.cli") & {*HEAVY, "typer", "numpy", "rich"}


def test_the_list_of_commands_imports_none_of_them() -> None:
    found = loaded("from engine.cli import main; main(['--help'])")
    assert "engine.cli.app" in found
    assert not found & {*HEAVY, "numpy", *(f"engine.cli.{command}" for command in COMMANDS)}


@pytest.mark.parametrize(
    "words", [["--version"], *([command, "--help"] for command in COMMANDS), ["check", "x.csv", "--wrong"]]
)
def test_pages_and_wrong_words_import_nothing_slow(words: list[str]) -> None:
    """Of a page or a refusal, 0.15 s of processor time are left; numpy alone takes a third more."""
    found = loaded(f"from anonymizer_gui.__main__ import main; main({words!r})")
    assert "engine.cli.names" in found
    assert not found & {*HEAVY, "numpy", "typer", "rich", "engine.cli.app", "engine.records"}


def test_stored_pages_are_those_of_the_declared_options() -> None:
    stored = json.loads(USAGE.read_text(encoding="utf-8"))
    for command, (page, options) in usage_of_commands().items():
        assert stored[command] == page, "write them again: python -m tests.command_usage"
        assert options_of(page) == options


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["check", "t.csv", "--wrong"], "--wrong"),
        (["check", "--qi", "--wrong", "--help"], "--help"),
        (["check", "--qi=--wrong", "t.csv"], None),
        (["check", "t.csv", "--qi", "--help"], None),
        (["check", "t.csv", "--", "--wrong"], None),
        (["attack", "--counts", "1", "--a", "--b", "--c", "--nod"], "--nod"),
        (["check", "t.csv", "-x"], None),
        (["nothing", "--help"], None),
    ],
)
def test_stored_options_read_words_like_the_command(
    words: list[str], answer: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    code = answered(words)
    captured = capsys.readouterr()
    assert code == {None: None, "--help": 0}.get(answer, 2)
    if answer == "--help":
        assert captured.out.startswith("Usage: anonymizer check")
    elif answer is not None:
        assert f"Error: No such option: {answer}" in captured.err


def test_a_narrow_terminal_gets_a_page_of_its_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert main(["check", "--help"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60


def test_the_version_is_that_of_the_installed_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"Anonymizer {version(DISTRIBUTION)}\n"


@pytest.mark.parametrize(
    ("typed", "offered"), [("anonymizer verif", "verify"), ("anonymizer check --requ", "--require")]
)
def test_a_shell_completes_commands_and_options(typed: str, offered: str) -> None:
    asked = {
        "_ANONYMIZER_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(typed.count(" ")),
    }
    done = subprocess.run(
        [sys.executable, "-m", "anonymizer_gui"],
        cwd=ROOT, env={**os.environ, **asked}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == [offered]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_line_of_a_command_is_the_first_of_its_help(command: str) -> None:
    function = getattr(importlib.import_module(f"engine.cli.{command}"), command)
    assert inspect.getdoc(function).partition("\n")[0] == COMMANDS[command]


def test_a_check_imports_only_what_measures_a_table(recipe: Path) -> None:
    words = ["check", str(recipe.with_name("people.csv")), "--qi", "sex", "--qi", "age"]
    found = loaded(f"from engine.cli import main; assert main({words!r}) == 0")
    assert "engine.findings.model_check" in found
    assert not found & {*SLOW, *HEAVY, "engine.scoring", "engine.report", "engine.compat", "engine.recoding"}
    assert not found & {f"engine.cli.{command}" for command in COMMANDS if command != "check"}


def test_a_lattice_imports_nothing_of_releases(recipe: Path) -> None:
    words = ["lattice", str(recipe), "--out", str(recipe.with_name("nodes.csv"))]
    found = loaded(f"from engine.cli import main; assert main({words!r}) == 0")
    assert "engine.scoring" in found
    assert not found & {
        *HEAVY,
        "engine.findings.subject",
        "engine.report",
        "engine.pipeline",
        "engine.advice",
    }
    assert not found & {f"engine.cli.{command}" for command in COMMANDS if command != "lattice"}


def test_the_exact_numbers_are_kept_in_the_table_of_nodes(recipe: Path) -> None:
    nodes = recipe.with_name("nodes.csv")
    assert main(["lattice", str(recipe), "--out", str(nodes), "--quiet"]) == 0
    with open(nodes, encoding="utf-8", newline="") as file:
        row = list(csv.DictReader(file))[4]  # sex hidden, age in tens: four people in their thirties kept
    # Levels 1 of 1 and 1 of 2 for four kept records, 1 for two suppressed ones; then the mean of both.
    assert math.isclose(float(row["precision"]), (1 + (4 * 0.5 + 2) / 6) / 2, rel_tol=1e-15)
    assert float(row["discernibility"]) == 4**2 + 2 * 6


@pytest.fixture
def huge_recipe(tmp_path: Path) -> Path:
    """A lattice of 10^12 nodes, of which 100 may be looked at."""
    return write_huge_recipe(tmp_path, 'algorithm = "best_first"\nsteps = 100')


def test_a_huge_lattice_is_released_by_its_best_known_node(
    huge_recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = huge_recipe.with_name("out.csv")
    words = ["anonymize", str(huge_recipe), "--out", str(out), "--format", "json"]
    assert main(words) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["guarantee"], figures["verified"]) == ("best_known", True)
    assert (figures["nodes_checked"], figures["nodes_total"]) == (100, 10**12)
    first = out.read_bytes()
    assert main([*words[:-1], "table"]) == 0
    assert out.read_bytes() == first
    assert "100 of 1 000 000 000 000 nodes checked" in (shown := " ".join(capsys.readouterr().out.split()))
    assert "│ proved │ no satisfying node has loss below" in shown


def test_a_huge_lattice_is_not_listed_and_the_message_says_how_it_can_be_searched(
    huge_recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = huge_recipe.with_name("nodes.csv")
    code, message = fails(capsys, ["lattice", huge_recipe, "--out", out])
    assert code == 2
    assert "1 000 000 000 000 nodes" in " ".join(message.split())
    assert "best_first" in message
    assert not out.exists()


def test_an_exhaustive_search_of_a_huge_lattice_is_refused_alike(
    huge_recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = huge_recipe.read_text(encoding="utf-8").replace('"best_first"', '"exhaustive"')
    huge_recipe.write_text(text, encoding="utf-8")
    code, message = fails(capsys, ["anonymize", huge_recipe, "--out", huge_recipe.with_name("out.csv")])
    assert code == 2
    assert "best_first" in message


@pytest.mark.parametrize("error", [None, KeyboardInterrupt])
def test_a_command_looks_for_garbage_rarely_and_afterwards_as_often_as_before(
    error: type[BaseException] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, found = gc.get_threshold(), []

    def run(argv: Sequence[str]) -> int:
        found.append(gc.get_threshold())
        if error is not None:
            raise error
        return len(argv)

    monkeypatch.setattr(app, "run", run)
    if error is None:
        assert main(["check", "it"]) == 2
    else:
        with pytest.raises(error):
            main([])
    assert found == [(UNCOLLECTED, *usual[1:])]
    assert gc.get_threshold() == usual


@pytest.mark.parametrize(
    "words",
    [
        "anonymize {recipe} --out -", "anonymize {recipe} --out {folder}/o.csv --summary -", "check - --qi age",
        "hierarchy {folder}/people.csv --column age --builder suppress --out -", "verify - --recipe {recipe}",
    ],
)  # fmt: skip
def test_a_stream_is_not_a_file(
    words: str, recipe: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(recipe.parent)
    assert main([word.format(recipe=recipe, folder=recipe.parent) for word in words.split()]) == 2
    assert capsys.readouterr().err.startswith("Error: '-' is not a file: standard input and output cannot")
    assert not Path("-").exists()
    assert not Path("o.csv").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
@pytest.mark.parametrize("words", ["--version", "check --help", "schema recipe", "detect people.csv"])
def test_a_full_disk_of_the_output_is_named(words: str, recipe: Path) -> None:
    code = f"import sys; from engine.cli import main; sys.exit(main({words.split()!r}))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=recipe.parent, env=environment,
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    said = "Error: The output cannot be written: No space left on device.\nFree some space.\n"
    assert (done.returncode, done.stderr) == (2, said)
