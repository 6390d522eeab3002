"""`anonymizer singletons`: what it prints, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.cli.running import Command

TABLE = """\
sex,age,"zip, code",note
m,20,A,x
m,21,A,
f,20,B,x
f,20,B,x
f,23,C,x
"""

COMMAND = "singletons"


def test_json_is_as_promised(people: Path, run: Command) -> None:
    found = run.json(people, "--columns", "sex,age", "--group", "age:values=2", "--max-columns", "1")
    assert found["records"] == 5
    assert found["left_out"] == 0
    # Alone are (m, 20), (m, 21) and (f, 23); in pairs of years two of them are 20-21 and one 23-23.
    assert found["variants"][0] == {
        "scope": "none", "coarsened": {},
        "singletons": 3, "share": 0.6, "distinct": 4, "modified": 0, "cells": 0,
    }  # fmt: skip
    assert [(v["scope"], v["coarsened"]) for v in found["variants"][1:]] == [
        ("local", {"sex": "*"}), ("local", {"age": "values=2"}),
        ("global", {"sex": "*"}), ("global", {"age": "values=2"}),
    ]  # fmt: skip
    assert found["best"] == {
        "scope": "local", "coarsened": {"age": "values=2"},
        "singletons": 1, "share": 0.2, "distinct": 3, "modified": 3, "cells": 3,
    }  # fmt: skip


def test_columns_are_also_named_one_by_one(people: Path, run: Command) -> None:
    listed = run.json(people, "--columns", 'age,"zip, code"')
    assert run.json(people, "--qi", "age", "--qi", "zip, code") == listed
    assert "Did you mean 'age'?" in run(people, "--qi", "agee")[2]
    code, _printed, errors = run(people, "--qi", "age", "--columns", "sex")
    assert (code, errors.splitlines()[0]) == (2, "Error: --qi cannot be combined with --columns.")


def test_the_table_has_the_best_first_and_marks_it(people: Path, run: Command) -> None:
    code, printed, errors = run(people, "--columns", "sex,age", "--group", "age:values=2,label=mean")
    assert (code, errors) == (0, "")
    rows = [
        [cell.strip() for cell in line.strip("│").split("│")] for line in printed.splitlines() if "│" in line
    ]
    assert rows[0][1] == "5 records"
    assert rows[1] == ["", "nothing", "3", "60", "4", "0", ""]
    assert [row[-1] for row in rows].index("best") == 2
    assert run(people, "--quiet") == (0, "", "")


def test_groups_of_records_and_a_file_are_ways_too(people: Path, run: Command, tmp_path: Path) -> None:
    (tmp_path / "zip=.csv").write_text("A;AB;*\nB;AB;*\nC;C;*\n", encoding="utf-8")
    found = run.json(
        people, "--scope", "global", "--columns", 'age,"zip, code"', "--max-columns", "1",
        "--group", "age:records=2", "--group", "age:values=3,label=set",
        "--hierarchy", f"zip, code={tmp_path / 'zip=.csv'}",
    )  # fmt: skip
    assert [list(v["coarsened"].items()) for v in found["variants"][1:]] == [
        [("age", "records=2")], [("age", "values=3,label=set")], [("zip, code", "zip=.csv")],
    ]  # fmt: skip


def test_missing_cells_are_dropped_when_asked(people: Path, run: Command) -> None:
    assert run.json(people)["records"] == 5
    assert run.json(people, "--drop-missing")["left_out"] == 1
    assert run.json(people, "--compat", "isislab")["left_out"] == 1


def test_a_long_table_says_how_much_it_leaves_out(people: Path, run: Command) -> None:
    words = [people, "--group", "age:values=2", "--group", "age:values=3", "--group", "age:records=2"]
    n_variants = len(run.json(*words)["variants"])
    assert f"{n_variants - 41} more variants" in " ".join(run(*words)[1].replace("│", " ").split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--columns", "agee"], "Did you mean 'age'?"),
        (["--group", "values=2"], "does not name a column"),
        (["--group", "agee:values=2"], "Did you mean 'age'?"),
        (["--group", "age:values=2,records=3"], "exactly one group size"),
        (["--group", "age:label=mean"], "exactly one group size"),
        (["--group", "age:value=2"], "Did you mean 'values'?"),
        (["--group", "age:values"], "is not NAME=VALUE"),
        (["--group", "age:values=two"], "'two' is not a whole number."),
        (["--group", "age:values=1"], "It must be a whole number from 2"),
        (["--group", "age:values=2,label=middle"], "Labels cannot be 'middle'"),
        (["--group", "sex:values=2,label=mean"], "'f' is not a number"),
        (["--columns", "sex", "--group", "age:values=2"], "' is not one of the examined columns."),
        (["--hierarchy", "zip.csv"], "does not name a column"),
        (["--hierarchy", "agee=zip.csv"], "Did you mean 'age'?"),
        (["--hierarchy", "age=nothing.csv"], "nothing.csv"),
        (["--max-columns", "0"], "--max-columns"),
        (["--scope", "here"], "--scope"),
        (["--compat", "isislab", "--group", "age:records=2"], "only by a number of values"),
    ],
)
def test_bad_input_ends_with_2_and_one_message(
    people: Path, run: Command, words: list[str], message: str
) -> None:
    run.refuses(message, people, *words)
