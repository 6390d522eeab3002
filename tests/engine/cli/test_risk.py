"""`anonymizer risk`: what it prints, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.cli.running import Command

TABLE = "age,sex,ill\n30,f,flu\n30,f,flu\n*,*,flu\n*,*,cold\n40,m,flu\n"
QI = ["--qi", "age", "--qi", "sex"]

COMMAND = "risk"


def test_json_has_the_keys_that_are_promised_and_no_others(people: Path, run: Command) -> None:
    risks = {"highest": 1.0, "average": 3 / 5, "records_at_risk": 1.0}
    assert run.json(people, *QI, "--sa", "ill") == {
        "records": 5,
        "classes": 3,
        "sample_uniques": 1,
        "prosecutor": risks,
        "journalist": risks,
        "marketer": {"average": 3 / 5},
        "blank_rows": 0,
    }
    assert run.json(people, *QI)["not_assessed"]["columns"] == ["ill"]


def test_a_sensitive_column_is_one_of_the_assessed(people: Path, run: Command) -> None:
    assert "not_assessed" not in run.json(people, *QI, "--sa", "ill")
    assert "The column 'sex' is listed twice." in run(people, *QI, "--sa", "sex")[2]
    assert "no column 'il'" in run(people, *QI, "--sa", "il")[2]


def test_records_at_risk_are_strictly_above_the_threshold(people: Path, run: Command) -> None:
    assert run.json(people, *QI, "--threshold", "0.5")["prosecutor"]["records_at_risk"] == 1 / 5


def test_suppressed_records_are_left_out_when_asked(people: Path, run: Command) -> None:
    found = run.json(people, *QI, "--leave-out-suppressed")
    assert (found["records"], found["classes"], found["marketer"]["average"]) == (3, 2, 2 / 3)


def test_a_population_adds_an_estimate_per_estimator(people: Path, run: Command) -> None:
    found = run.json(people, *QI, "--population", "1000")["population_uniques"]
    assert list(found) == ["dankar", "pitman", "zayatz", "snb"]
    assert found["pitman"]["count"] is None
    assert "does not fit" in found["pitman"]["reason"]
    assert found["dankar"] == found["zayatz"]
    assert found["zayatz"]["fraction"] == pytest.approx(found["zayatz"]["count"] / 1000)


def test_the_file_of_a_population_gives_the_journalist_larger_classes(
    people: Path, run: Command, tmp_path: Path
) -> None:
    everybody = tmp_path / "everybody.csv"
    everybody.write_text(TABLE + TABLE.split("\n", 1)[1], encoding="utf-8")
    found = run.json(people, *QI, "--population", everybody)
    assert found["journalist"] == {"highest": 1 / 2, "average": 3 / 10, "records_at_risk": 1.0}
    assert found["prosecutor"]["highest"] == 1


def test_sets_of_columns_are_listed_when_asked(people: Path, run: Command) -> None:
    found = run.json(people, *QI, "--subsets", "2")["subsets"]
    assert [entry["columns"] for entry in found] == [["age"], ["sex"], ["age", "sex"]]
    assert found[2] == {
        "columns": ["age", "sex"],
        "singletons": 1,
        "distinct": 3,
        "distinction": 3 / 5,
        "separation": pytest.approx(1 - 4 / 20),
    }


def test_the_table_says_what_each_figure_means(
    people: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    code, printed, _ = run(people, *QI, "--population", "1000", "--subsets", "1")
    assert code == 0
    assert "Prosecutor, highest" in printed
    assert "no estimate" in printed
    assert "an attacker who knows that a person is in the table" in printed


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--qi", "agee"], "agee"),
        ([*QI, "--threshold", "2"], "threshold"),
        ([*QI, "--population", "many"], "neither a whole number nor a file"),
        ([*QI, "--population", "3"], "smaller than the 5 records"),
        ([*QI, "--population", "-1"], "smaller than the 5 records"),
    ],
)
def test_bad_input_ends_with_one_message(people: Path, run: Command, words: list[str], expected: str) -> None:
    run.refuses(expected, people, *words)
