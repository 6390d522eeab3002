"""Nearly valid recipes and files: each is refused with a reason, or read as intended."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from pathlib import Path

import pytest

from anonymizer_gui.__main__ import main as start
from engine.cli import COMMANDS, main
from engine.hierarchies import Hierarchy, read_hierarchy, write_hierarchy
from engine.records.text.dialect import detect_delimiter

PARTS = {
    "data": '[data]\npath = "people.csv"',
    "roles": '[roles]\nquasi_identifying = ["sex", "age"]\nsensitive = ["job"]',
    "hierarchies": '[hierarchies."age"]\nbuilder = "intervals"',
    "privacy": '[[privacy]]\nmodel = "k_anonymity"\nk = 2',
    "search": "[search]",
}


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """Return a valid recipe and its table."""
    rows = [f"{'mf'[i % 2]},{20 + i % 7},{'abc'[i % 3]}" for i in range(30)]
    (tmp_path / "people.csv").write_text("\n".join(["sex,age,job", *rows]) + "\n", encoding="utf-8")
    path = tmp_path / "recipe.toml"
    path.write_text("\n\n".join(PARTS.values()) + "\n", encoding="utf-8")
    return path


def change(recipe: Path, **parts: str) -> None:
    recipe.write_text("\n\n".join({**PARTS, **parts}.values()) + "\n", encoding="utf-8")


AGE = '[hierarchies."age"]\n'
SEX = '[hierarchies."sex"]\n'
DATA = PARTS["data"] + "\n"


@pytest.mark.parametrize(
    ("part", "text", "reason"),
    [
        ("hierarchies", AGE + 'builder = "intervals"\ncuts = [0, inf]', "Cuts cannot be inf"),
        ("hierarchies", SEX + 'builder = "grouping"\ngroups = [{any = "mf"}]', "Groups cannot be"),
        ("data", DATA + 'delimiter = "\\u0000"', "'delimiter' cannot be"),
        ("data", DATA + 'encoding = "a\\u0000b"', "Unknown encoding"),
        ("data", f'[data]\npath = "{"x" * 5000}.csv"', "does not exist"),
        (
            "data",
            DATA + '[data.types]\nsex = {type = "ordered", values = ["m", "f", "m"]}',
            "a value is listed twice",
        ),
        ("data", DATA + '[data.types]\nage = {type = "decimal", format = "xx"}', "'format' cannot be"),
        ("data", DATA + '[data.types]\nage = {type = "date", format = "%d%d"}', "a date in the format %d%d"),
        ("search", "[search.weights]\nage = nan", "'age' cannot be nan"),
        ("search", "[search.weights]\nage = 1e308\nsex = 1e308", "'age' cannot be 1e+308"),
        ("search", "[search]\nseconds = nan", "'seconds' cannot be nan"),
        (
            "privacy",
            '[[privacy]]\nmodel = "distinct_l_diversity"\ncolumn = ""\nl = 2',
            "needs a sensitive column",
        ),
    ],
)
def test_an_impossible_value_is_refused_with_its_reason(
    recipe: Path, capsys: pytest.CaptureFixture[str], part: str, text: str, reason: str
) -> None:
    change(recipe, **{part: text})
    out = recipe.parent / "nodes.csv"
    assert main(["lattice", str(recipe), "--out", str(out)]) == 2
    message = capsys.readouterr().err
    assert reason in message
    assert "Internal error" not in message
    assert not out.exists()


def test_equal_weights_scale_bits_as_unequal_ones_do(recipe: Path) -> None:
    def bits(weights: str) -> list[float]:
        change(recipe, search=f"[search.weights]\n{weights}")
        out = recipe.parent / "nodes.csv"
        assert main(["lattice", str(recipe), "--out", str(out), "--quiet"]) == 0
        with out.open(encoding="utf-8") as file:
            return [float(line["non_uniform_entropy"]) for line in csv.DictReader(file)]

    single = bits("")
    assert max(single) > 0
    assert bits("sex = 2.0\nage = 2.0") == pytest.approx([2 * value for value in single])


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [('1,"a;b"\n2,"c;d"\n', ","), ('1;"a,b"\n2;"c,d"\n', ";"), ("1;a,b\n2;c,d\n", ";"), ("1,5\n", ",")],
)
def test_a_delimiter_is_not_found_inside_quotation_marks(text: str, delimiter: str) -> None:
    assert detect_delimiter(text) == delimiter


@pytest.mark.parametrize(
    "rows",
    [
        [["1,5"], ["2,5"]],
        [["a|b", "x|y"], ["c|d", "x|y"]],
        [["a\tb", "x"], ["c\td", "x"]],
        [["a;b", 'say "x"'], ["c;d", "*"]],
    ],
)
def test_a_hierarchy_with_delimiters_in_its_values_is_read_as_it_was_written(
    tmp_path: Path, rows: list[list[str]]
) -> None:
    write_hierarchy(Hierarchy.from_rows(rows), tmp_path / "h.csv")
    assert [list(row) for row in read_hierarchy(tmp_path / "h.csv").rows()] == rows


def test_labels_with_commas_are_quoted_only_if_they_would_be_ambiguous(tmp_path: Path) -> None:
    write_hierarchy(Hierarchy.from_rows([["1", "[0, 5)", "*"], ["7", "[5, 10)", "*"]]), tmp_path / "h.csv")
    assert (tmp_path / "h.csv").read_bytes() == b"1;[0, 5);*\n7;[5, 10);*\n"


def test_a_table_of_seventy_quasi_identifiers_is_scored_and_released(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(70)]
    lines = [",".join(names), *(",".join(str((i // 3) % (q % 3 + 2)) for q in range(70)) for i in range(30))]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    recipe = tmp_path / "wide.toml"
    recipe.write_text(
        '[data]\npath = "wide.csv"\n[roles]\n'
        f"quasi_identifying = {names}\n"
        '[hierarchies.c69]\nbuilder = "suppress"\n'
        '[[privacy]]\nmodel = "k_anonymity"\nk = 3\n',
        encoding="utf-8",
    )
    nodes, release = tmp_path / "nodes.csv", tmp_path / "release.csv"
    assert main(["lattice", str(recipe), "--out", str(nodes), "--quiet"]) == 0
    with nodes.open(encoding="utf-8") as file:
        assert [line["level.c69"] for line in csv.DictReader(file)] == ["0", "1"]
    assert main(["anonymize", str(recipe), "--out", str(release), "--quiet"]) == 0
    assert release.read_text(encoding="utf-8").splitlines() == lines


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--out", "release.csv.gz"], "a release cannot be packed"),
        (["--out", "release.csv", "--summary", "release.csv"], "--summary and --out both name"),
    ],
)
def test_a_release_is_written_to_a_separate_plain_file(
    recipe: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    reason: str,
) -> None:
    monkeypatch.chdir(recipe.parent)
    before = sorted(recipe.parent.iterdir())
    assert main(["anonymize", str(recipe), *words]) == 2
    assert reason in capsys.readouterr().err
    assert sorted(recipe.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("word", "hint"),
    [("lattic", "Did you mean 'lattice'?"), ("table.csv", f"The commands are {', '.join(COMMANDS)}.")],
)
def test_a_word_that_is_neither_file_nor_command_ends_before_any_window(
    capsys: pytest.CaptureFixture[str], word: str, hint: str
) -> None:
    with pytest.raises(SystemExit) as end:
        start([word, "recipe.toml"])
    assert end.value.code == 2
    assert capsys.readouterr().err == f"Error: no file or command '{word}' found.\n{hint}\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_names_that_the_terminal_lacks_are_escaped_and_the_command_ends_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    (tmp_path / "people.csv").write_text("年齢,job\n1,a\n1,b\n", encoding="utf-8")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        '[data]\npath = "people.csv"\n[roles]\nquasi_identifying = ["年齢"]\ninsensitive = ["job"]\n'
        '[[privacy]]\nmodel = "k_anonymity"\nk = 2\n',
        encoding="utf-8",
    )

    def said(*words: str) -> str:
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
        assert main(["anonymize", str(recipe), "--out", str(tmp_path / "release.csv"), *words]) == 0
        sys.stdout.flush()
        return raw.getvalue().decode(encoding)

    assert json.loads(said("--format", "json"))["node"] == {"年齢": 0}
    assert r"\u5e74" in said()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
@pytest.mark.parametrize("form", ["json", "table"])
def test_a_reader_that_leaves_early_does_not_change_the_exit_code(
    recipe: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w", encoding="utf-8") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        assert main(["lattice", str(recipe), "--out", str(recipe.parent / "n.csv"), "--format", form]) == 0


def test_a_search_that_ended_early_does_not_speak_of_the_nodes_it_left_out(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(recipe, privacy='[[privacy]]\nmodel = "k_anonymity"\nk = 10', search="[search]\nsteps = 1")
    assert main(["anonymize", str(recipe), "--out", str(recipe.parent / "release.csv")]) == 1
    message = capsys.readouterr().err
    assert "None of the 1 checked nodes satisfies the requirement" in message
    assert "before checking the other 2" in message


def test_lattice_and_release_measure_a_column_of_two_t_models_by_the_same_distance(recipe: Path) -> None:
    people = recipe.parent / "people.csv"
    values = [(i % 2, 1 + i // 2 % 3 * (i % 2)) for i in range(12)]
    people.write_text("sex,age,job\n" + "".join(f"{a},20,{b}\n" for a, b in values), encoding="utf-8")
    change(
        recipe,
        privacy="\n".join(
            f'[[privacy]]\nmodel = "t_closeness"\ncolumn = "job"\nt = 1.0\ndistance = "{kind}"'
            for kind in ("equal", "ordered")
        ),
    )
    nodes, summary = recipe.parent / "nodes.csv", recipe.parent / "summary.json"
    assert main(["lattice", str(recipe), "--out", str(nodes), "--quiet"]) == 0
    words = [
        "--out",
        str(recipe.parent / "release.csv"),
        "--summary",
        str(summary),
        "--node",
        "0,0",
        "--quiet",
    ]
    assert main(["anonymize", str(recipe), *words]) == 0
    with nodes.open(encoding="utf-8") as file:
        first = next(csv.DictReader(file))
    assert float(first["t.job"]) == pytest.approx(1 / 3)
    assert json.loads(summary.read_text(encoding="utf-8"))["t"] == {"job": float(first["t.job"])}
