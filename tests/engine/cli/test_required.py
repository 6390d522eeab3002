"""The option `--require` of the commands that measure: names of values, misses and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cli import main
from engine.errors import InputError
from engine.privacy.required import required

TABLE = """\
age,sex,illness
30,f,flu
30,f,cold
30,f,flu
40,m,flu
40,m,cold
"""
QI = ["--qi", "age", "--qi", "sex"]


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    code = main([*map(str, words)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("k >= 2", 0),
        ("k > 2", 1),
        ("k_anonymity >= 3 or classes = 2", 0),
        ("k in (2, 3) and not l(illness) < 2", 0),
        ("t(illness) <= 0.1", 0),
        ("t <= 9.99 %", 1),
        ("entropy_l_diversity(illness) > 1.9", 1),
        ("alpha <= 66.67 %", 0),
        ("c(illness) is missing", 1),
        ("records = 5 and suppressed = 0 %", 0),
    ],
)
def test_check_measures_what_a_condition_names(
    people: Path, capsys: pytest.CaptureFixture[str], condition: str, code: int
) -> None:
    words = ("check", people, *QI, "--sa", "illness", "--quiet", "--require", condition)
    assert run(capsys, *words)[0] == code


def test_every_miss_is_listed_and_none_that_is_met(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conditions = ("k >= 5", "k >= 2", "t(illness) <= 0.01", "l >= 3 and k >= 1")
    words = [word for condition in conditions for word in ("--require", condition)]
    code, printed, errors = run(capsys, "check", people, *QI, "--sa", "illness", "--format", "json", *words)
    assert code == 1
    assert [(one["condition"], one["met"]) for one in json.loads(printed)["required"]] == [
        ("k >= 5", False), ("k >= 2", True), ("t(illness) <= 0.01", False), ("l >= 3 and k >= 1", False),
    ]  # fmt: skip
    lines = errors.splitlines()
    assert lines[0] == "Error: Required conditions that are not met: 3 of 4."
    assert lines[1] == "  k >= 5: k is 2"
    assert lines[2].startswith("  t(illness) <= 0.01: t(illness) is 0.1")
    assert lines[3] == "  l >= 3 and k >= 1: l is 2, k is 2"
    assert len(lines) == 4


def test_a_value_that_does_not_exist_meets_nothing(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _printed, errors = run(capsys, "check", people, *QI, "--quiet", "--require", "t <= 1")
    assert (code, errors.splitlines()[1]) == (1, "  t <= 1: t is missing")


@pytest.mark.parametrize(
    ("condition", "met"),
    [
        ("not k < 5", False),
        ("not (k < 5 or l < 2)", False),
        ("k < 5 or not k < 5", False),
        ("not not l >= 2", True),
        ("not (k < 5 and l < 2)", True),
        ("k is missing and l = 2", True),
        ("not k is missing", False),
        ("not k in (5, 6)", False),
    ],
)
def test_the_opposite_of_a_condition_is_not_met_either_by_a_value_that_does_not_exist(
    condition: str, met: bool
) -> None:
    assert required([condition], {"k": None, "l": 2}).conditions == ((condition, met),)


@pytest.mark.parametrize(
    "words",
    [
        ["check", "{data}", *QI, "--sa", "illness"],
        ["risk", "{data}", *QI],
        ["utility", "{data}", "{data}", *QI, "--sa", "illness"],
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(
    people: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    given = [word.format(data=people) for word in words]
    code, printed, errors = run(capsys, *given, "--require", "kk >= 5")
    assert (code, printed) == (2, "")
    assert "Unknown name 'kk'" in errors
    listed = errors.split("The values are ")[1].rstrip(".\n").split(", ")
    assert "k" in listed
    for name in listed:
        assert run(capsys, *given, "--quiet", "--require", f'"{name}" is missing or "{name}" >= 0')[0] == 0


def test_risk_and_utility_are_gates_too(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    risk = ("risk", people, *QI, "--quiet", "--require")
    assert run(capsys, *risk, "prosecutor.highest <= 50 %")[0] == 0
    assert run(capsys, *risk, "highest_risk < 50 %")[0] == 1
    utility = ("utility", people, people, *QI, "--sa", "illness", "--quiet", "--require")
    assert run(capsys, *utility, "classification(illness) <= 0.4")[0] == 0
    assert run(capsys, *utility, "classes.max <= 2")[0] == 1


def test_a_condition_that_cannot_be_read_is_bad_input() -> None:
    with pytest.raises(InputError, match="A comparison is expected"):
        required(["k"], {"k": 3})
    with pytest.raises(InputError, match="is empty"):
        required([" "], {"k": 3})


def test_names_of_columns_with_brackets_and_operators_are_quoted() -> None:
    result = {"t": {"a (b)": 0.5, "x<y": 0.25}}
    found = required(["t(a (b)) <= 0.5", '"t(x<y)" < 0.25'], result)
    assert [met for _text, met in found.conditions] == [True, False]
