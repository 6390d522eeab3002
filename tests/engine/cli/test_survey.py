"""`anonymizer risk` and `check` of a survey: weights, households and special uniques."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cli import main
from tests.engine.cli.running import Command

CASE = json.loads(
    (Path(__file__).parents[2] / "data" / "second" / "survey.json").read_text(encoding="utf-8")
)[0]
NAMES = [*CASE["columns"], CASE["weight"], CASE["household"]]
TABLE = "\n".join(",".join(str(value) for value in row) for row in [NAMES, *map(dict.values, CASE["rows"])])
QI = [word for name in CASE["columns"] for word in ("--qi", name)]

COMMAND = "risk"


def test_weights_and_households_add_the_risks_of_the_practice_guide(people: Path, run: Command) -> None:
    found = run.json(people, *QI, "--weight", "w", "--household", "hh")["survey"]
    assert found["individual_risk"] == pytest.approx(CASE["individual_risk"], rel=1e-9)
    assert found["household_risk"] == pytest.approx(CASE["household_risk"], rel=1e-9)
    assert found["global_risk"] == pytest.approx(CASE["global_risk"], rel=1e-9)
    assert found["household_global"] == pytest.approx(CASE["household_global"], rel=1e-9)
    assert found["households"] == 5
    exact = run.json(people, *QI, "--weight", "w", "--exact", "--threshold", "0.02")["survey"]
    assert exact["individual_risk"] == pytest.approx(CASE["individual_risk_exact"], rel=1e-9)
    assert (exact["records_at_risk"], exact["threshold"]) == (4, 0.02)


def test_special_uniques_are_those_of_the_practice_guide(people: Path, run: Command) -> None:
    found = run.json(people, *QI, "--special-uniques", "0", "--sampling-fraction", "0.1")["special_uniques"]
    assert found["suda"] == CASE["suda"]
    assert [{*map(frozenset, sets)} for sets in found["msu"]] == [
        {*map(frozenset, sets)} for sets in CASE["msu"]
    ]
    assert found["dis"] == pytest.approx(CASE["dis"]["0.1"])
    assert found["dis_suda"] == pytest.approx(CASE["dis_suda"]["0.1"])
    shares = found["attribute_contribution_percent"]
    assert shares == pytest.approx(CASE["attribute_contribution_percent"])
    single = run.json(people, *QI, "--special-uniques", "1")["special_uniques"]
    assert (single["largest_set"], "dis" in single) == (1, False)
    weighted = run.json(people, *QI, "--special-uniques", "1", "--weight", "w")["special_uniques"]
    assert weighted["sampling_fraction"] == pytest.approx(10 / sum(row["w"] for row in CASE["rows"]))


def test_the_table_names_every_value(people: Path, run: Command) -> None:
    words = ["--weight", "w", "--household", "hh", "--special-uniques", "0", "--sampling-fraction", "1"]
    code, printed, errors = run(people, *QI, *words)
    assert (code, errors) == (0, "")
    for title in ("Highest individual risk", "Global household risk", "Highest SUDA score", "DIS"):
        assert title in printed


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--household", "hh"], "--household needs --weight"),
        (["--exact"], "--exact needs --weight"),
        (["--sampling-fraction", "0.1"], "--sampling-fraction needs --special-uniques"),
        (["--special-uniques", "0", "--sampling-fraction", "2"], "sampling fraction of 2"),
        (["--weight", "labor"], "is not numeric"),
        (["--weight", "nothing"], "no column 'nothing'"),
    ],
)
def test_words_that_do_not_fit_are_refused(
    people: Path, run: Command, words: list[str], problem: str
) -> None:
    run.refuses(problem, people, *QI, *words)


def test_check_measures_the_models_of_weights(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["check", str(people), *QI, "--weight", "w"]
    assert main([*words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["individual_risk"]["threshold"] == pytest.approx(max(CASE["individual_risk"]))
    assert found["k_map"]["k"] == min(CASE["F"])
    assert main(words) == 0
    assert "individual risk" in capsys.readouterr().out
    assert main([*words, "--compat", "pycanon"]) == 2
    assert "--weight cannot be combined" in capsys.readouterr().err
