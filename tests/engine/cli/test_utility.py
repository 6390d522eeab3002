"""`anonymizer utility`: its JSON, its table, and its refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.cli import main

RAW = "age,sex,illness\n10,f,flu\n20,f,flu\n20,f,cough\n30,m,flu\n"
ANON = "age,sex,illness\nyoung,f,flu\nyoung,f,flu\nyoung,f,cough\n*,*,flu\n"
AGES = "10;young;*\n20;young;*\n30;old;*\n50;old;*\n"
RECIPE = """
[data]
path = "raw.csv"
[roles]
quasi_identifying = ["age", "sex"]
sensitive = ["illness"]
[hierarchies."age"]
path = "age.csv"
[hierarchies."sex"]
builder = "suppress"
[[privacy]]
model = "k_anonymity"
k = 3
"""
QI = ["--qi", "age", "--qi", "sex", "--sa", "illness"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("raw.csv", RAW), ("anon.csv", ANON), ("age.csv", AGES), ("recipe.toml", RECIPE)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    assert main(["utility", "raw.csv", "anon.csv", *QI, *options, "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.usefixtures("folder")
def test_the_json_has_the_keys_that_others_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys) == {
        "records": {"raw": 4, "anonymized": 4},
        "c_avg": 2.0,
        "discernibility": 10,
        "classification": {"illness": 0.25},
        "classes": {"count": 2, "min": 1, "max": 3, "mean": 2.0, "median": 2.0},
        "columns": {
            "age": {"max_freq_value": "young", "max_freq": 3, "min_freq_value": "*", "min_freq": 1},
            "sex": {"max_freq_value": "f", "max_freq": 3, "min_freq_value": "*", "min_freq": 1},
        },
        "risk": {"average": (1 / 3 + 1) / 2, "max": 1.0},
        "entropy": {"illness": pytest.approx(0.5623351446188083)},
    }


@pytest.mark.usefixtures("folder")
def test_k_divides_c_avg_and_records_of_stars_can_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--k", "4")["c_avg"] == 4 / (2 * 4)
    left_out = run(capsys, "--leave-out-suppressed")
    assert left_out["records"] == {"raw": 4, "anonymized": 3}
    assert left_out["discernibility"] == 9 + 4


@pytest.mark.usefixtures("folder")
def test_a_recipe_adds_what_needs_hierarchies_and_its_k(capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, "--recipe", "recipe.toml")
    assert found["c_avg"] == 4 / (2 * 3)
    assert found["ambiguity"] == (3 * 2 + 8) / 4
    assert found["precision"] == pytest.approx(((3 / 2 + 1) / 4 + 1 / 4) / 2)
    assert {"loss", "gen_iloss", "non_uniform_entropy", "kl_divergence"} <= found.keys()
    assert found["quality"]["missings"]["by_attribute"] == {"age": 0.25, "sex": 0.25}


def test_a_table_of_the_same_form_may_stand_for_that_of_the_recipe(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = run(capsys, "--recipe", "recipe.toml")
    (folder / "raw.csv").rename(folder / "next.csv")
    (folder / "raw.csv").write_text(RAW + "50,m,flu\n", encoding="utf-8")
    words = ["utility", "next.csv", "anon.csv", *QI, "--recipe", "recipe.toml", "--format", "json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out) == expected


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("options", [[], ["--recipe", "recipe.toml"], ["--compat", "pycanon"]])
def test_the_table_names_every_figure(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["utility", "raw.csv", "anon.csv", *QI, *options]) == 0
    shown = capsys.readouterr().out
    for words in ("discernibility", "classification", "risk", "entropy", "column age", "young: 3"):
        assert words in shown
    assert ("granularity" in shown) == ("--recipe" in options)


def test_compat_prints_the_figures_of_the_other_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("raw.csv", "anon.csv"):
        (tmp_path / name).write_text("q,s\na,u\na,u\na,v\na,v\n", encoding="utf-8")
    words = ["utility", "raw.csv", "anon.csv", "--qi", "q", "--sa", "s", "--format", "json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["classification"] == {"s": 0.5}
    assert main([*words, "--compat", "pycanon"]) == 0
    assert json.loads(capsys.readouterr().out)["classification"] == {"s": 0.0}  # it forgives ties


@pytest.mark.usefixtures("folder")
def test_compat_takes_a_recipe_where_the_other_program_knows_hierarchies(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = run(capsys, "--compat", "python-anonymity", "--recipe", "recipe.toml")
    assert found["c_avg"] == 4 / (2 * 1)
    assert found["discernibility"] == 9 + 1
    assert found["classification"] is found["risk"] is None
    assert 0 <= found["gen_iloss"] <= 1
    assert "gen_iloss" not in run(capsys, "--compat", "python-anonymity")
    levels = run(capsys, "--compat", "anjana", "--recipe", "recipe.toml")["transformation"]
    assert set(levels) == {"age", "sex"}
    for program in ("python-anonymity", "anjana"):
        assert (
            main(["utility", "raw.csv", "anon.csv", *QI, "--compat", program, "--recipe", "recipe.toml"]) == 0
        )
        shown = capsys.readouterr().out
        assert ("gen_iloss" in shown) == (program == "python-anonymity")
        assert ("level of age" in shown) == (program == "anjana")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["raw.csv", "gone.csv", "--qi", "age"], "gone.csv"),
        (["raw.csv", "anon.csv", "--qi", "aeg"], "no column 'aeg'"),
        (["raw.csv", "anon.csv", "--qi", "age,sex"], "--qi age --qi sex"),
        (["age.csv", "anon.csv", "--qi", "age"], "'age"),
        (["raw.csv", "anon.csv", "--qi", "age", "--sa", "age"], "named twice"),
        (
            ["raw.csv", "anon.csv", "--qi", "age", "--k", "3", "--compat", "pycanon"],
            "--k is not for --compat",
        ),
        (
            ["raw.csv", "anon.csv", "--qi", "age", "--recipe", "recipe.toml", "--compat", "pycanon"],
            "--recipe is not for --compat",
        ),
        (["raw.csv", "anon.csv", "--qi", "illness", "--recipe", "age.csv"], "age.csv"),
        (["raw.csv", "anon.csv", "--qi", "age"], None),
    ],
)
def test_what_cannot_be_compared_ends_with_2_and_one_message(
    words: list[str], message: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["utility", *words])
    said = capsys.readouterr().err
    if message is None:
        assert (code, said) == (0, "")
        return
    assert code == 2
    assert message in said
    assert "Traceback" not in said


def test_more_released_than_original_records_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "raw.csv").write_text("age,sex,illness\n10,f,flu\n", encoding="utf-8")
    assert main(["utility", "raw.csv", "anon.csv", *QI]) == 2
    assert "4 records, the original only 1" in capsys.readouterr().err


def test_files_packed_or_with_semicolons_are_compared_alike(
    table_path: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(table_path("adult_arx.csv"))
    words = ["utility", path, path, "--qi", "sex", "--qi", "race", "--sa", "salary-class", "--format", "json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["records"] == {"raw": 30162, "anonymized": 30162}
    assert found["classes"]["count"] == 10


def test_a_release_made_here_is_measured_from_its_file_as_it_was_scored(
    examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (examples / "adult" / "recipe.toml").read_text(encoding="utf-8")
    # k alone, so that the node that the reference program found at 5 percent satisfies.
    head, rest = text.split('[[privacy]]\nmodel = "distinct_l_diversity"')
    recipe = tmp_path / "recipe.toml"
    head = head.replace('"hierarchies/', f'"{examples.as_posix()}/adult/hierarchies/')
    head = head.replace('"adult.csv"', f'"{examples.as_posix()}/adult/adult.csv"')
    recipe.write_text(head + rest[rest.index("[transformation]") :], encoding="utf-8")
    words = ["anonymize", str(recipe), "--node", "0,3,0,0,2,1,1,2,0", "--out", str(tmp_path / "anon.csv")]
    assert main([*words, "--format", "json"]) == 0
    scored = json.loads(capsys.readouterr().out)
    assert scored["suppressed"] == 1346
    columns = [word for name in scored["node"] for word in ("--qi", name)]
    pair = [str(examples / "adult" / "adult.csv"), str(tmp_path / "anon.csv")]
    options = [*columns, "--recipe", str(recipe), "--leave-out-suppressed", "--format", "json"]
    assert main(["utility", *pair, *options]) == 0
    found = json.loads(capsys.readouterr().out)
    for key in ("loss", "gen_iloss", "precision", "non_uniform_entropy", "c_avg", "discernibility"):
        assert found[key] == pytest.approx(scored["metrics"][key], rel=1e-12), key
    assert found["classes"]["count"] == scored["classes"]
