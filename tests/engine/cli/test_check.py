"""`anonymizer check`: what it prints, and what it refuses."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.engine.cli.running import Command

TABLE = """\
name, first;age;sex;illness;visits
A;30;f;flu;1
B;30;f;cold;2
C;*;*;flu;3
D;*;*;flu;1
E;;m;gout;2
"""
QI = ["--qi", "age", "--qi", "sex"]

COMMAND = "check"


def test_json_has_the_nine_models_and_the_same_for_each_sensitive_column(people: Path, run: Command) -> None:
    # Classes {A, B}, {C, D} and {E}; illness: flu 3, cold 1, gout 1 of 5.
    models = {
        "k_anonymity": {"k": 1},
        "alpha_k_anonymity": {"alpha": 1.0, "k": 1},
        "distinct_l_diversity": {"l": 1},
        "entropy_l_diversity": {"l": 1.0},
        "recursive_c_l_diversity": {"c": None, "l": 1},
        "basic_beta_likeness": {"beta": 4.0},
        "enhanced_beta_likeness": {"beta": "inf"},
        "t_closeness": {"t": 0.8, "distance": "equal"},
        "delta_disclosure": {"delta": "inf"},
    }
    found = run.json(people, *QI, "--sa", "illness")
    del found["not_assessed"]
    assert found == {**models, "by_attribute": {"illness": models}, "blank_rows": 0}
    assert list(found) == [*models, "by_attribute", "blank_rows"]


def test_the_other_sensitive_columns_can_be_taken_as_known(people: Path, run: Command) -> None:
    # {A, B} and {C, D}; A and B differ in their illness, so that each is alone where it is known.
    words = (people, *QI, "--sa", "illness", "--sa", "visits", "--drop-missing")
    alone, known = run.json(*words), run.json(*words, "--update-qi")
    assert alone["by_attribute"]["visits"]["distinct_l_diversity"] == {"l": 2}
    assert known["by_attribute"]["visits"]["distinct_l_diversity"] == {"l": 1}
    assert known["k_anonymity"] == alone["k_anonymity"] == {"k": 2}
    assert known["alpha_k_anonymity"] == {"alpha": 1.0, "k": 2}


def test_records_can_be_left_out(people: Path, run: Command) -> None:
    both = run.json(people, *QI, "--sa", "illness", "--leave-out-suppressed", "--drop-missing")
    assert both["k_anonymity"] == {"k": 2}
    assert both["distinct_l_diversity"] == {"l": 2}
    assert run.json(people, *QI, "--drop-missing")["k_anonymity"] == {"k": 2}
    assert run.json(people, *QI, "--leave-out-suppressed")["k_anonymity"] == {"k": 1}


def test_a_distance_can_be_chosen_for_a_number(people: Path, run: Command) -> None:
    words = (people, "--qi", "sex", "--sa", "visits")
    assert run.json(*words)["t_closeness"]["distance"] == "ordered"
    assert run.json(*words, "--distance", "visits=equal")["t_closeness"]["distance"] == "equal"


def test_the_groups_of_a_hierarchy_can_tell_how_far_values_are(
    people: Path, run: Command, tmp_path: Path
) -> None:
    (tmp_path / "illness.csv").write_text("flu;minor;*\ncold;minor;*\ngout;other;*\n", encoding="utf-8")
    words = (people, "--qi", "visits", "--sa", "illness", "--distance", "illness=hierarchical")
    code, _, errors = run(*words)
    assert code == 2
    assert "'illness' has no hierarchy" in errors
    found = run.json(*words, "--hierarchy", f"illness={tmp_path / 'illness.csv'}")
    # Three fifths have flu, but neither of {B, E}, who have cold and gout: half of them comes from flu to
    # cold, of the same group, which costs 1/2, half to gout, which costs 1.
    assert found["t_closeness"] == {"t": pytest.approx(0.45), "distance": "hierarchical"}


def test_the_figures_of_pycanon_have_the_same_shape(people: Path, run: Command) -> None:
    # {A, B} and {C, D}; by its slips two equally frequent illnesses are one, and c is 2 where it must pass 1.
    words = (people, *QI, "--sa", "illness", "--drop-missing")
    own, theirs = run.json(*words), run.json(*words, "--compat", "pycanon")
    assert own.pop("blank_rows") == theirs.pop("blank_rows") == 0
    assert {key: list(entry) for key, entry in theirs.items()} == {key: list(own[key]) for key in own}
    assert theirs["k_anonymity"] == own["k_anonymity"] == {"k": 2}
    assert theirs["entropy_l_diversity"] == {"l": 1}
    assert theirs["by_attribute"]["illness"]["t_closeness"] == own["t_closeness"]
    assert (own["delta_disclosure"], theirs["delta_disclosure"]["delta"]) == (
        {"delta": "inf"},
        pytest.approx(math.log(2)),
    )


def test_where_pycanon_ends_with_an_exception_the_table_says_so(
    people: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    code, printed, _ = run(people, "--qi", "sex", "--sa", "age", "--compat", "pycanon")
    assert code == 0
    assert "value by pycanon" in printed
    assert "pyCANON computes no value here" in printed


def test_a_table_of_words_says_what_every_value_means(
    people: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    code, printed, _ = run(people, *QI, "--sa", "illness", "--sa", "visits")
    assert code == 0
    for words in (
        "k = 1",
        "is equal to at least k - 1 others",
        "no δ is met",
        "visits: t = 0.",
        "(ordered)",
        "c does not exist, l = 1",
        "Suppressed records",
        "--leave-out-suppressed excludes them",
    ):
        assert words in printed
    assert "needs --sa" not in printed
    assert "needs --sa" in run(people, *QI)[1]


def test_quiet_prints_no_table(people: Path, run: Command) -> None:
    assert run(people, *QI, "--quiet") == (0, "", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--qi", "agee"], "The table has no column 'agee'.\nDid you mean 'age'?"),
        (["--qi", "age,sex"], "Write --qi age --qi sex."),
        ([*QI, "--sa", "age"], "The column 'age' is listed twice."),
        ([*QI, "--sa", "illness", "--distance", "illness=ordered"], "is text, which has no order"),
        ([*QI, "--sa", "illness", "--distance", "illness"], "--distance illness is not COLUMN=KIND."),
        ([*QI, "--sa", "illness", "--distance", "sex=equal"], "'sex', which is not a sensitive column"),
        (
            [*QI, "--sa", "illness", "--distance", "illness=equal", "--distance", "illness=equal"],
            "names 'illness' twice",
        ),
        (["--sa", "illness"], "--qi"),
        (
            [*QI, "--compat", "pycanon", "--sa", "illness", "--distance", "illness=equal"],
            "cannot be combined with --compat",
        ),
        ([*QI, "--compat", "pycannon"], "pycannon"),
    ],
)
def test_what_cannot_be_meant_ends_with_one_message(
    people: Path, run: Command, words: list[str], message: str
) -> None:
    run.refuses(message, people, *words)
