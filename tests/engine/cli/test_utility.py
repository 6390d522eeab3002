"""`anonymizer utility`: its JSON, its table, and its refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.cli.running import Command

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
PAIR = ["raw.csv", "anon.csv", *QI]
COMMAND = "utility"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("raw.csv", RAW), ("anon.csv", ANON), ("age.csv", AGES), ("recipe.toml", RECIPE)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_json_has_the_keys_that_others_rely_on(run: Command) -> None:
    assert run.json(*PAIR) == {
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
def test_k_divides_c_avg_and_records_of_stars_can_be_left_out(run: Command) -> None:
    assert run.json(*PAIR, "--k", "4")["c_avg"] == 4 / (2 * 4)
    left_out = run.json(*PAIR, "--leave-out-suppressed")
    assert left_out["records"] == {"raw": 4, "anonymized": 3}
    assert left_out["discernibility"] == 9 + 4


@pytest.mark.usefixtures("folder")
def test_a_recipe_adds_what_needs_hierarchies_and_its_k(run: Command) -> None:
    found = run.json(*PAIR, "--recipe", "recipe.toml")
    assert found["c_avg"] == 4 / (2 * 3)
    assert found["ambiguity"] == (3 * 2 + 8) / 4
    assert found["precision"] == pytest.approx(((3 / 2 + 1) / 4 + 1 / 4) / 2)
    assert {"loss", "gen_iloss", "non_uniform_entropy", "kl_divergence"} <= found.keys()
    assert found["quality"]["missings"]["by_attribute"] == {"age": 0.25, "sex": 0.25}


def test_a_table_of_the_same_form_may_stand_for_that_of_the_recipe(folder: Path, run: Command) -> None:
    expected = run.json(*PAIR, "--recipe", "recipe.toml")
    (folder / "raw.csv").rename(folder / "next.csv")
    (folder / "raw.csv").write_text(RAW + "50,m,flu\n", encoding="utf-8")
    assert run.json("next.csv", "anon.csv", *QI, "--recipe", "recipe.toml") == expected


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("options", [[], ["--recipe", "recipe.toml"], ["--compat", "pycanon"]])
def test_the_table_names_every_figure(options: list[str], run: Command) -> None:
    code, shown, _ = run(*PAIR, *options)
    assert code == 0
    for words in ("discernibility", "Classification", "Risk", "Entropy", "Column age", "young: 3"):
        assert words in shown
    assert ("granularity" in shown) == ("--recipe" in options)


def test_compat_prints_the_figures_of_the_other_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("raw.csv", "anon.csv"):
        (tmp_path / name).write_text("q,s\na,u\na,u\na,v\na,v\n", encoding="utf-8")
    words = ["raw.csv", "anon.csv", "--qi", "q", "--sa", "s"]
    assert run.json(*words)["classification"] == {"s": 0.5}
    assert run.json(*words, "--compat", "pycanon")["classification"] == {"s": 0.0}  # it forgives ties


@pytest.mark.usefixtures("folder")
def test_compat_takes_a_recipe_where_the_other_program_knows_hierarchies(
    run: Command,
) -> None:
    found = run.json(*PAIR, "--compat", "python-anonymity", "--recipe", "recipe.toml")
    assert found["c_avg"] == 4 / (2 * 1)
    assert found["discernibility"] == 9 + 1
    assert found["classification"] is found["risk"] is None
    assert 0 <= found["gen_iloss"] <= 1
    assert "gen_iloss" not in run.json(*PAIR, "--compat", "python-anonymity")
    levels = run.json(*PAIR, "--compat", "anjana", "--recipe", "recipe.toml")["transformation"]
    assert set(levels) == {"age", "sex"}
    for program in ("python-anonymity", "anjana"):
        code, shown, _ = run(*PAIR, "--compat", program, "--recipe", "recipe.toml")
        assert code == 0
        assert ("gen_iloss" in shown) == (program == "python-anonymity")
        assert ("Level of age" in shown) == (program == "anjana")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["raw.csv", "gone.csv", "--qi", "age"], "gone.csv"),
        (["raw.csv", "anon.csv", "--qi", "aeg"], "no column 'aeg'"),
        (["raw.csv", "anon.csv", "--qi", "age,sex"], "--qi age --qi sex"),
        (["age.csv", "anon.csv", "--qi", "age"], "'age"),
        (["raw.csv", "anon.csv", "--qi", "age", "--sa", "age"], "listed twice"),
        (
            ["raw.csv", "anon.csv", "--qi", "age", "--k", "3", "--compat", "pycanon"],
            "--k cannot be combined with --compat",
        ),
        (
            ["raw.csv", "anon.csv", "--qi", "age", "--recipe", "recipe.toml", "--compat", "pycanon"],
            "--recipe cannot be combined with --compat",
        ),
        (["raw.csv", "anon.csv", "--qi", "illness", "--recipe", "age.csv"], "age.csv"),
        (["raw.csv", "anon.csv", "--qi", "age"], None),
    ],
)
def test_what_cannot_be_compared_ends_with_2_and_one_message(
    words: list[str], message: str | None, run: Command
) -> None:
    code, _, said = run(*words)
    if message is None:
        assert (code, said) == (0, "")
        return
    assert code == 2
    assert message in said
    assert "Traceback" not in said


def test_more_released_than_original_records_are_refused(folder: Path, run: Command) -> None:
    (folder / "raw.csv").write_text("age,sex,illness\n10,f,flu\n", encoding="utf-8")
    code, _, said = run(*PAIR)
    assert code == 2
    assert "4 records, the original only 1" in said


def test_a_release_made_here_is_measured_from_its_file_as_it_was_scored(
    examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], run: Command
) -> None:
    text = (examples / "adult" / "recipe.toml").read_text(encoding="utf-8")
    # k alone, so that the node that the reference program found at 5 percent satisfies.
    head, rest = text.split('[[privacy]]\nmodel = "distinct_l_diversity"')
    recipe = tmp_path / "recipe.toml"
    head = head.replace('"hierarchies/', f'"{examples.as_posix()}/adult/hierarchies/')
    head = head.replace('"adult.csv"', f'"{examples.as_posix()}/adult/adult.csv"')
    recipe.write_text(head + rest[rest.index("[transformation]") :], encoding="utf-8")
    words = [recipe, "--node", "0,3,0,0,2,1,1,2,0", "--out", tmp_path / "anon.csv"]
    scored = Command("anonymize", capsys).json(*words)
    assert scored["suppressed"] == 1346
    columns = [word for name in scored["node"] for word in ("--qi", name)]
    pair = [examples / "adult" / "adult.csv", tmp_path / "anon.csv"]
    found = run.json(*pair, *columns, "--recipe", recipe, "--leave-out-suppressed")
    for key in ("loss", "gen_iloss", "precision", "non_uniform_entropy", "c_avg", "discernibility"):
        assert found[key] == pytest.approx(scored["metrics"][key], rel=1e-12), key
    assert found["classes"]["count"] == scored["classes"]
