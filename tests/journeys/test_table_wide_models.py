"""Table-wide models by commands alone: nodes, release and refusal."""

from __future__ import annotations

import csv
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.cli import main
from engine.errors import VerificationError
from engine.pipeline import anonymize, export_release
from engine.project.recipe.files import read_recipe
from engine.recoding import Release, make_release

RECIPE = """\
[data]
path = "people.csv"
[roles]
quasi_identifying = ["age", "region"]
sensitive = ["illness"]
[hierarchies."age"]
path = "age.csv"
[hierarchies."region"]
path = "region.csv"
[transformation]
suppression_limit = 0.1
"""
K = '[[privacy]]\nmodel = "k_anonymity"\nk = 2\n'
PEOPLE = "[population]\nsize = 4000\n"
MODELS = {
    "highest_risk": '[[privacy]]\nmodel = "highest_risk"\nthreshold = 0.2\n',
    "average_risk": K + '[[privacy]]\nmodel = "average_risk"\nthreshold = 0.02\n',
    "records_at_risk": K + '[[privacy]]\nmodel = "records_at_risk"\nthreshold = 0.1\nshare = 0.05\n',
    "sample_uniqueness": '[[privacy]]\nmodel = "sample_uniqueness"\nthreshold = 0.02\n',
    "population_uniqueness": PEOPLE
    + '[[privacy]]\nmodel = "population_uniqueness"\nthreshold = 0.01\nestimator = "zayatz"\n',
}
Row = list[str]


def age_labels(age: int) -> Row:
    return [str(age), f"{age // 5 * 5}+", f"{age // 10 * 10}s", f"{age // 30 * 30} and more", "*"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    source = np.random.default_rng(11)
    ages = (18 + source.geometric(0.05, 900)).clip(18, 89).tolist()
    regions = source.choice(["north", "south", "east", "west", "isle"], 900, p=[0.4, 0.3, 0.2, 0.08, 0.02])
    illnesses = source.choice(["flu", "cold", "gout"], 900).tolist()
    write(
        tmp_path / "people.csv", [["age", "region", "illness"], *zip(ages, regions, illnesses, strict=True)]
    )
    write(tmp_path / "age.csv", [age_labels(age) for age in range(18, 90)], ";")
    main_land = ["north", "south", "east", "west"]
    lines = [[region, "main land", "*"] for region in main_land] + [["isle", "isle", "*"]]
    write(tmp_path / "region.csv", lines, ";")
    return tmp_path


def write(path: Path, rows: list[Any], delimiter: str = ",") -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)


def recipe(folder: Path, models: str) -> Path:
    path = folder / "recipe.toml"
    path.write_text(RECIPE + models, encoding="utf-8")
    return path


def read(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def kept_sizes(path: Path) -> Counter[tuple[str, str]]:
    rows = [(row["age"], row["region"]) for row in read(path)]
    return Counter(row for row in rows if row != ("*", "*"))


def zayatz(sizes: list[int], people: int) -> Fraction:
    """Return the share of unique people by Bayes' rule, from the size-dependent hypergeometric factors."""
    n, counts = sum(sizes), Counter(sizes)

    def once(size: int) -> Fraction:
        chance = Fraction(size)
        for i in range(size - 1):
            chance *= Fraction(people - n - i, people - 1 - i)
        return chance

    total = sum(count * once(size) for size, count in counts.items())
    return Fraction(counts[1] ** 2, n) / total if counts[1] else Fraction(0)


def figure(key: str, sizes: list[int]) -> Fraction:
    n = sum(sizes)
    if key == "highest_risk":
        return Fraction(1, min(sizes))
    if key == "average_risk":
        return Fraction(len(sizes), n)
    if key == "records_at_risk":
        return Fraction(sum(size for size in sizes if size < 10), n)
    if key == "sample_uniqueness":
        return Fraction(sizes.count(1), n)
    return zayatz(sizes, 4000)


LIMITS = {
    "highest_risk": Fraction(1, 5),
    "average_risk": Fraction(2, 100),
    "records_at_risk": Fraction(5, 100),
    "sample_uniqueness": Fraction(2, 100),
    "population_uniqueness": Fraction(1, 100),
}


@pytest.mark.parametrize("key", MODELS)
def test_the_release_meets_it_and_is_verified(
    key: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "out.csv"
    code = main(["anonymize", str(recipe(folder, MODELS[key])), "--out", str(out), "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert (code, found["satisfies"], found["verified"]) == (0, True, True)
    assert found["guarantee"] == "optimal"
    sizes = list(kept_sizes(out).values())
    assert 900 - sum(sizes) == found["suppressed"] <= 90
    assert figure(key, sizes) <= LIMITS[key]


def test_a_node_that_misses_it_is_refused_by_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recipe(folder, MODELS["sample_uniqueness"])
    code = main(["anonymize", str(path), "--out", str(folder / "out.csv"), "--node", "0,0"])
    assert code == 1
    assert "the kept records do not meet sample uniqueness" in capsys.readouterr().err
    assert not (folder / "out.csv").exists()


def test_a_requirement_that_no_node_meets_ends_with_1(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = '[[privacy]]\nmodel = "average_risk"\nthreshold = 0.0005\n'
    assert main(["anonymize", str(recipe(folder, models)), "--out", str(folder / "out.csv")]) == 1
    assert "No node of the lattice satisfies" in capsys.readouterr().err


def test_a_risk_that_no_class_can_meet_is_refused_with_a_message(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = '[[privacy]]\nmodel = "highest_risk"\nthreshold = 0.001\n'
    assert main(["anonymize", str(recipe(folder, models)), "--out", str(folder / "out.csv")]) == 1
    assert "needs classes of 1000 records; the table has 900" in capsys.readouterr().err


@pytest.mark.parametrize("key", [key for key in MODELS if key != "highest_risk"])
def test_the_verifier_detects_a_release_that_only_claims_to_meet_it(
    key: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = read_recipe(recipe(folder, MODELS[key]))
    release: Release = anonymize(project).release
    problem = release.problem
    missing = next(
        other
        for number in range(problem.lattice.n_nodes)
        if (other := make_release(project, problem, problem.lattice.node(number))).missed and other.is_within
    )
    monkeypatch.setattr(Release, "missed", ())
    claiming = make_release(project, problem, missing.node)
    assert claiming.satisfies
    with pytest.raises(VerificationError, match="The file does not meet"):
        export_release(project, claiming, folder / "out.csv")
    assert not (folder / "out.csv").exists()
