"""`anonymizer hierarchy` with builders of dates, taxonomies, rare values and tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.cli.running import Command

COMMAND = "hierarchy"
TABLE = """\
visit,zip,state,job
2024-03-07,01067,Saxony,nurse
31.12.1999,01069,Saxony,nurse
unknown,80331,Bavaria,doctor
2021-01-01,80331,Bavaria,clerk
"""


def build(run: Command, people: Path, column: str, builder: str, *settings: str) -> list[str]:
    """Build a hierarchy and return the lines of its file."""
    words = [word for setting in settings for word in ("--set", setting)]
    out = people.with_name("out.csv")
    code, _, errors = run(people, "--column", column, "--builder", builder, *words, "--out", out, "--quiet")
    assert (code, errors) == (0, "")
    return out.read_text(encoding="utf-8").splitlines()


def test_dates_become_months_and_years(run: Command, people: Path) -> None:
    assert build(run, people, "visit", "dates", 'granularities=["month", "year"]') == [
        "2021-01-01;2021-01;2021;*",
        "2024-03-07;2024-03;2024;*",
        "31.12.1999;1999-12;1999;*",
        "unknown;unknown;unknown;*",
    ]


def test_values_that_have_no_group_are_named(run: Command, people: Path) -> None:
    words = [people, "--column", "visit", "--builder", "dates", "--out", people.with_name("out.csv")]
    code, said, _ = run(*words)
    assert code == 0
    assert "1 value has no group and is unchanged: 'unknown'." in said
    assert run.json(*words)["unplaced"] == ["unknown"]
    assert run(*words, "--quiet")[1] == ""


def test_a_taxonomy_looks_at_the_other_columns_of_the_table(run: Command, people: Path) -> None:
    assert build(run, people, "zip", "taxonomy", 'from_column="state"') == [
        "01067;Saxony;*",
        "01069;Saxony;*",
        "80331;Bavaria;*",
    ]


def test_a_taxonomy_may_be_written_as_a_tree(run: Command, people: Path) -> None:
    assert build(
        run, people, "job", "taxonomy", 'tree={health = ["nurse", "doctor"], office = ["clerk"]}'
    ) == [
        "clerk;office;*",
        "doctor;health;*",
        "nurse;health;*",
    ]


def test_rare_values_are_joined(run: Command, people: Path) -> None:
    lines = build(run, people, "job", "frequency", "levels=1", 'label="rest"')
    assert lines == ["clerk;rest;*", "doctor;rest;*", "nurse;nurse;*"]


def test_paths_are_relative_to_the_folder_one_works_in(
    run: Command, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people.with_name("levels.csv").write_text("nurse|health\ndoctor|health\nclerk|office\n", encoding="utf-8")
    monkeypatch.chdir(people.parent)
    lines = build(run, people, "job", "table", 'path="levels.csv"')
    assert lines == ["nurse;health;*", "doctor;health;*", "clerk;office;*"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["visit", "dates", 'granularities=["month", "weekday"]'], "'weekday' cannot follow 'month'"),
        (["job", "dates", "bottom=1900"], "Column 'job' has no dates: 'clerk', 'doctor', 'nurse'"),
        (["zip", "taxonomy", 'from_column="stat"'], "Did you mean 'state'?"),
        (["zip", "taxonomy", 'from_column="job"'], "'80331' is in 'clerk' and in 'doctor'"),
        (["zip", "table", 'path="none.csv"'], "does not exist"),
        (["zip", "table", "header=true"], "No file is chosen."),
        (["zip", "frequency", "levels=0"], "Levels cannot be 0"),
    ],
)
def test_what_cannot_be_built_is_said_and_nothing_written(
    run: Command, people: Path, words: list[str], said: str
) -> None:
    column, builder, setting = words
    out = people.with_name("out.csv")
    code, _, errors = run(
        people, "--column", column, "--builder", builder, "--set", setting, "--out", out, "--quiet"
    )
    assert code == 2
    assert said in errors
    assert not out.exists()
