"""Commands under differential privacy: each run draws anew, and a secret in a file repeats a draw."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.cli import main
from engine.privacy.sampling import expected_kept, smallest_k

RECIPE = """\
[data]
path = "people.csv"
[roles]
quasi_identifying = ["age", "region"]
[hierarchies."age"]
path = "age.csv"
[hierarchies."region"]
path = "region.csv"
"""
MODEL = '[[privacy]]\nmodel = "differential_privacy"\nepsilon = 1.0\ndelta = 1e-4\nnode = "{node}"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    source = random.Random(5)
    rows = [(source.randint(20, 59), source.choice(["north", "south"])) for _ in range(2000)]
    files = {
        "people.csv": (",", [("age", "region"), *rows]),
        "age.csv": (";", [(age, f"{age // 10}0s", "*") for age in range(20, 60)]),
        "region.csv": (";", [("north", "*"), ("south", "*")]),
    }
    for name, (delimiter, lines) in files.items():
        with open(tmp_path / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(lines)
    return tmp_path


def recipe(folder: Path, node: str) -> Path:
    path = folder / "recipe.toml"
    path.write_text(RECIPE + MODEL.format(node=node), encoding="utf-8")
    return path


def run(folder: Path, capfd: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    path = folder / "recipe.toml"
    assert main(["anonymize", str(path), "--format", "json", "--quiet", *words]) == 0, capfd.readouterr().err
    found: dict[str, Any] = json.loads(capfd.readouterr().out)
    return found


def test_the_same_secret_gives_the_same_file_and_other_runs_draw_other_records(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    recipe(folder, "medium")
    key = folder / "secret.key"
    outs = [folder / f"{number}.csv" for number in range(4)]
    for number in range(2):
        run(folder, capfd, "--out", str(outs[number]), "--sampling-key", str(key))
        run(folder, capfd, "--out", str(outs[number + 2]))
    files = [path.read_bytes() for path in outs]
    assert files[0] == files[1]
    assert len(set(files)) == 3
    assert key.stat().st_mode & 0o077 == 0
    secret = key.read_text(encoding="ascii").strip()
    report = folder / "report.json"
    words = ["--out", str(report), "--release", str(outs[0]), "--sampling-key", str(key), "--quiet"]
    assert main(["report", str(folder / "recipe.toml"), *words]) == 0, capfd.readouterr().err
    assert secret not in report.read_text(encoding="utf-8")
    assert main(["report", str(folder / "recipe.toml"), *words[:4], "--quiet"]) != 0
    said = capfd.readouterr().err
    assert "is not the release of this recipe" in said
    assert "Give the --sampling-key that it was made with" in said


def test_the_command_prints_what_the_guarantee_covers_and_what_was_not_checked(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    recipe(folder, "chosen")
    found = run(folder, capfd, "--out", str(folder / "out.csv"))
    assert found["verified"] is True
    assert "not the choice of the node" in found["differential_privacy"]["covers"]
    assert any("the secret of the draw is random" in words for words in found["unchecked"])
    assert main(["anonymize", str(folder / "recipe.toml"), "--out", str(folder / "out.csv")]) == 0
    said = " ".join(capfd.readouterr().out.replace("│", " ").split())
    assert "epsilon 1, delta 0.0001, beta 0.632121, k 47" in said
    assert "do not publish" in said


def test_the_table_of_nodes_has_the_expected_records_of_the_whole_table(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = folder / "nodes.csv"
    assert main(["lattice", str(recipe(folder, "chosen")), "--out", str(out), "--quiet"]) == 0
    with open(out, encoding="utf-8", newline="") as file:
        nodes = list(csv.DictReader(file))
    assert len(nodes) == 6
    top = next(node for node in nodes if (node["level.age"], node["level.region"]) == ("2", "1"))
    beta = 1 - np.exp(-1.0)
    assert float(top["expected_kept"]) == pytest.approx(expected_kept(np.array([2000]), beta, 47), rel=1e-9)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("epsilon = 0.0\ndelta = 1e-5\n", "0.001"),
        ("epsilon = 1.0\ndelta = 1.0\n", "above 0 and below 1"),
        ("epsilon = 1.0\ndelta = 0.0\n", "above 0 and below 1"),
        ("epsilon = 1.0\nshare = 1.5\n", "0.01 to 1"),
        ('node = "best"\n', "best"),
    ],
)
def test_parameters_out_of_bounds_are_refused(
    words: str, problem: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = folder / "recipe.toml"
    path.write_text(f'{RECIPE}[[privacy]]\nmodel = "differential_privacy"\n{words}', encoding="utf-8")
    assert main(["anonymize", str(path), "--out", str(folder / "out.csv")]) != 0
    assert problem in capfd.readouterr().err
    assert not (folder / "out.csv").exists()


def test_a_delta_below_a_billionth_is_accepted_and_verified(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = recipe(folder, "complete")
    path.write_text(path.read_text().replace("delta = 1e-4", "delta = 1e-10"), encoding="utf-8")
    found = run(folder, capfd, "--out", str(folder / "out.csv"))
    assert (found["verified"], found["differential_privacy"]["delta"]) == (True, 1e-10)
    assert found["differential_privacy"]["k"] == smallest_k(1.0, 1e-10)


def test_a_secret_that_does_not_exist_is_not_created_to_judge_a_release(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = recipe(folder, "medium")
    run(folder, capfd, "--out", str(folder / "out.csv"), "--sampling-key", str(folder / "own.key"))
    typo = str(folder / "typo.key")
    words = ["--sampling-key", typo, "--quiet"]
    assert main(["verify", str(folder / "out.csv"), "--recipe", str(path), *words]) == 2
    assert "The secret 'typo.key' does not exist." in capfd.readouterr().err
    of_release = ["--release", str(folder / "out.csv"), "--out", str(folder / "report.json")]
    assert main(["report", str(path), *of_release, *words]) == 2
    assert not Path(typo).exists()


def test_a_file_that_is_no_secret_and_a_secret_without_a_draw_are_refused(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = recipe(folder, "medium")
    (folder / "wrong.key").write_text("short", encoding="utf-8")
    words = ["anonymize", str(path), "--out", str(folder / "out.csv"), "--sampling-key"]
    assert main([*words, str(folder / "wrong.key")]) != 0
    assert "is not a secret of this program" in capfd.readouterr().err
    path.write_text(RECIPE, encoding="utf-8")
    assert main([*words, str(folder / "other.key")]) != 0
    assert "only used with differential privacy" in capfd.readouterr().err
    assert not (folder / "other.key").exists()
