"""`anonymizer detect`: what it prints, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.cli.running import Command

TABLE = """\
name,age,"zip, code",visit
A,30,10,1
B,30,11,1
C,31,11,1
D,31,11,
"""

COMMAND = "detect"


def test_json_is_as_promised(people: Path, run: Command) -> None:
    # Values: (30, 10), (30, 11), (31, 11) twice.
    assert run.json(people, "--columns", 'age,"zip, code"') == {
        "records": 4,
        "identifiers": [],
        "best_quasi_identifiers": [["age", "zip, code"]],
        "subsets": [
            {"columns": ["age"], "singletons": 0, "distinct": 2, "distinction": 0.5, "separation": 4 / 6},
            {"columns": ["zip, code"], "singletons": 1, "distinct": 2, "distinction": 0.5, "separation": 0.5},
            {
                "columns": ["age", "zip, code"],
                "singletons": 2,
                "distinct": 3,
                "distinction": 0.75,
                "separation": 5 / 6,
            },
        ],
    }


def test_columns_are_named_in_any_order_and_with_blanks(people: Path, run: Command) -> None:
    found = run.json(people, "--columns", 'visit, age , "zip, code"', "--max-size", "1")
    assert [s["columns"] for s in found["subsets"]] == [["visit"], ["age"], ["zip, code"]]


def test_all_columns_are_looked_at_by_default_and_identifiers_not_extended(
    people: Path, run: Command
) -> None:
    found = run.json(people)
    assert found["identifiers"] == [["name"], ["age", "zip, code", "visit"]]
    assert len(run.json(people, "--all-subsets")["subsets"]) == 14 > len(found["subsets"]) == 8


def test_missing_cells_are_dropped_when_asked(people: Path, run: Command) -> None:
    words = [people, "--columns", "age,visit"]
    assert run.json(*words)["records"] == 4
    assert run.json(*words, "--drop-missing")["records"] == 3


def test_the_table_marks_identifiers_and_the_best(people: Path, run: Command) -> None:
    code, printed, errors = run(people, "--columns", "name,age")
    assert (code, errors) == (0, "")
    rows = [
        [cell.strip() for cell in line.strip("│").split("│")] for line in printed.splitlines() if "│" in line
    ]
    assert rows[0][:2] == ["records", "4"]
    assert rows[1] == ["name", "4", "4", "1", "1", "identifier"]
    assert run(people, "--quiet") == (0, "", "")


def test_a_long_table_says_how_much_it_leaves_out(tmp_path: Path, run: Command) -> None:
    wide = tmp_path / "wide.csv"
    lines = [
        ",".join(f"c{i}" for i in range(9)),
        *(",".join("xy"[(r >> i) & 1] for i in range(9)) for r in range(60)),
    ]
    wide.write_text("\n".join(lines), encoding="utf-8")
    n_sets = len(run.json(wide)["subsets"])
    assert f"{n_sets - 40} more sets" in " ".join(run(wide)[1].split())


def test_best_only_prints_the_best_and_lists_nothing(people: Path, run: Command) -> None:
    words = [people, "--columns", 'age,"zip, code"', "--best-only"]
    found = run.json(*words)
    assert found["best_quasi_identifiers"] == [["age", "zip, code"]]
    assert found["subsets"] == []
    assert "best" in run(*words)[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--columns", "agee"], "Did you mean 'age'?"),
        (["--columns", "age,age"], "named twice"),
        (["--columns", 'age,"zip'], "is not a list of names"),
        (["--columns", "zip, code"], """--columns '"zip, code"'"""),
        (["--max-size", "0"], "--max-size"),
        (["--all-subsets", "--best-only"], "cannot be combined"),
    ],
)
def test_bad_input_ends_with_2_and_one_message(
    people: Path, run: Command, words: list[str], message: str
) -> None:
    run.refuses(message, people, *words)
