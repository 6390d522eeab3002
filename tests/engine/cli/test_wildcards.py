"""`anonymizer risk` and `check` of a table with wildcards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cli import main
from tests.engine.cli.running import Command

CASES = json.loads(
    (Path(__file__).parents[2] / "data" / "second" / "wildcards.json").read_text(encoding="utf-8")
)
TABLE = """sex,edu,ill,who
m,sec c,flu,1
m,sec i,flu,1
m,*,cough,2
*,*,cold,3
m,,cold,4
"""
QI = ["--qi", "sex", "--qi", "edu"]

COMMAND = "risk"


def test_values_are_those_of_wildcards_json(tmp_path: Path, run: Command) -> None:
    for case in CASES[:3]:
        path = tmp_path / f"{case['name']}.csv"
        lines = [case["columns"], *case["rows"]]
        path.write_text("\n".join(",".join(line) for line in lines) + "\n", encoding="utf-8")
        columns = [word for name in case["columns"] for word in ("--qi", name)]
        found = run.json(path, *columns, "--wildcard", "*", "--threshold", "0.34")["wildcards"]
        assert found["class_size"] == case["class_size_without_all_star"]
        assert found["as_values"]["class_size"] == case["class_size_as_values"]
        assert found["average"] == pytest.approx(case["average"])
        assert (found["highest"], found["lowest"]) == (case["highest"], case["lowest"])
        assert found["records_at_risk"] == pytest.approx(case["records_at_risk"]["0.34"])
        counted = run.json(path, *columns, "--wildcard", "*", "--count-all-star")["wildcards"]
        assert counted["class_size"] == case["class_size"]
        assert run.json(path, *columns, "--wildcards", "*", "--with-all-star")["wildcards"] == counted


def test_missing_cells_weights_and_people(people: Path, run: Command) -> None:
    missing = run.json(people, *QI, "--wildcard-missing")["wildcards"]
    assert (missing["values"], missing["missing"]) == ([], True)
    assert missing["class_size"] == [2, 2, 2, 1, 4]
    half = run.json(people, *QI, "--wildcard", "*", "--match-weight", "0.5")["wildcards"]
    assert half["class_size"] == [1.5, 1.5, 2.5, None, 1.5]
    assert (half["k"], half["as_values"]["k"], half["all_star_records"]) == (1.5, 1, 1)
    of_people = run.json(people, *QI, "--wildcard", "*", "--person", "who")["wildcards"]
    assert of_people["class_size"] == [2, 2, 3, None, 2]


def test_both_readings_are_printed_side_by_side(
    people: Path, run: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, errors = run(people, *QI, "--wildcard", "*", "--wildcard-missing")
    assert (code, errors) == (0, "")
    for words in ("*, missing", "With wildcards", "3; as values 1", "a file looks"):
        assert words in printed
    words = ["check", str(people), *QI, "--sa", "ill", "--wildcard", "*"]
    assert main([*words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["k_anonymity"]["k"] == 1
    assert found["wildcards"]["distinct_l_diversity"] == {"l": 2}
    assert found["wildcards"]["as_values"]["distinct_l_diversity"] == {"l": 1}
    assert main(words) == 0
    assert "2; as values 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--match-weight", "0.5"], "--match-weight needs wildcards"),
        (["--count-all-star"], "--count-all-star needs wildcards"),
        (["--wildcard", "*", "--match-weight", "2"], "cannot be 2"),
        (["--qi", "ill", "--wildcard", "*", "--threshold", "2"], "threshold cannot be 2"),
    ],
)
def test_words_that_do_not_fit_are_refused(
    people: Path, run: Command, words: list[str], problem: str
) -> None:
    run.refuses(problem, people, *QI, *words)


def test_values_of_other_programs_have_no_wildcards(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(people), *QI, "--wildcard", "*", "--compat", "pycanon"]) == 2
    assert "--wildcard cannot be combined" in capsys.readouterr().err
