"""Suppressed records as one class, by command: the tables of `tests/data/third`, from recipe to file."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.cli import main
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from tests.third_oracle import CASES, write_recipe

WAYS = {
    "if_held": (),
    "hold": ('suppressed_group = "hold"',),
    "ignore": ('suppressed_group = "ignore"',),
    "blank": ("blank_suppressed = true",),
    "remove": ('suppressed_records = "remove"',),
}
MEASURED = {  # field of the reference: model, parameter
    "k": ("k_anonymity", "k"),
    "l": ("distinct_l_diversity", "l"),
    "entropy_l": ("entropy_l_diversity", "l"),
    "alpha": ("alpha_k_anonymity", "alpha"),
    "basic_beta": ("basic_beta_likeness", "beta"),
    "enhanced_beta": ("enhanced_beta_likeness", "beta"),
    "delta": ("delta_disclosure", "delta"),
}


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def released(folder: Path, case: Mapping[str, Any], way: str) -> tuple[Path, Path, dict[str, Any]]:
    """Anonymize a case in one way; return recipe, released file and summary."""
    recipe = write_recipe(folder, case, *WAYS[way])
    out, summary = folder / "out.csv", folder / "summary.json"
    assert run("anonymize", recipe, "--out", out, "--summary", summary, "--quiet") == 0
    return recipe, out, json.loads(summary.read_text(encoding="utf-8"))


def checked(path: Path, case: Mapping[str, Any], capsys: pytest.CaptureFixture[str], *more: object) -> Any:
    options: list[object] = []
    for name in case["quasi_identifying"]:
        options += ["--qi", name]
    for name in case["sensitive"]:
        options += ["--sa", name]
    if case["others_as_qi"]:
        options.append("--update-qi")
    capsys.readouterr()
    assert run("check", path, *options, *more, "--format", "json", "--quiet") == 0
    return json.loads(capsys.readouterr().out)


def compared(found: Mapping[str, Any], expected: Mapping[str, Any], case: Mapping[str, Any]) -> None:
    """Compare the values of a check with those of the reference."""
    if not case["persons"]:
        assert found["k_anonymity"]["k"] == expected["k"]
    if case["others_as_qi"]:
        return
    for column in case["sensitive"]:
        own = found["by_attribute"][column]
        for field, (model, parameter) in MEASURED.items():
            if field == "k":
                continue
            assert near(own[model][parameter], expected[column][field]), (column, field)
        distance = own["t_closeness"]["distance"]
        assert near(own["t_closeness"]["t"], expected[column][f"t_{distance}"])


def near(found: Any, expected: Any) -> bool:
    if isinstance(expected, str) or isinstance(found, str):
        return bool(found == expected)
    return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)


def rows_of(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


FEWER = ("random_2", "random_13", "random_29", "random_51", "entropy_recursive", "alpha", "one_star")
TRIED = [
    pytest.param(case, way, id=f"{case['name']}-{way}", marks=[pytest.mark.thorough] if is_rare else [])
    for case in CASES
    for way in WAYS
    for is_rare in [case["name"] in FEWER or (way in ("blank", "ignore") and len(case["lattice"]) == 2)]
]


@pytest.mark.parametrize(("case", "way"), TRIED)
def test_release_and_its_group_are_those_of_the_reference(
    case: dict[str, Any], way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected, n_qi = case["expected"], len(case["quasi_identifying"])
    recipe, out, summary = released(tmp_path / "a", case, way)
    optimum = expected["optimum_hold" if way == "hold" else "optimum"]
    assert list(summary["node"].values()) == optimum
    assert (summary["verified"], summary["satisfies"]) == (True, True)
    assert run("verify", out, "--recipe", recipe, "--quiet") == 0
    if optimum != expected["node"]:
        node = next(own for own in case["lattice"] if own["node"] == optimum)
        held = None if summary["group"] is None else summary["group"]["held"]
        assert (node["suppressed"], node["group_held"]) == (summary["suppressed"], held)
        return
    group, written = summary["group"], rows_of(out)
    kept_way = way in ("if_held", "hold", "ignore")
    cells = {"blank": "blank", "remove": "removed"}.get(way, "kept")
    if way == "if_held" and expected["group_held"] is False:
        cells = "blank"
    assert summary["k"] == expected["kept"]["k"]
    if expected["group"] is None:
        assert group is None
    else:
        own = expected["group"]
        assert (group["cells"], group["held"]) == (cells, expected["group_held"])
        assert (group["records"], group["k"]) == (own["records"], own["k"])
        for column in case["sensitive"]:
            if not case["others_as_qi"] and not case["persons"]:  # l and t of the reference are of records
                assert group["l"][column] == own[column]["l"]
                distance = "ordered" if case["order"] else "equal"
                assert near(group["t"][column], own[column][f"t_{distance}"])
    assert len(written) == expected["rows"]["remove" if cells == "removed" else "keep"]
    stars = [row for row in written if row[:n_qi] == ["*"] * n_qi]
    n_starred = 0 if cells == "removed" else len(expected["suppressed_records"])
    if expected["group"] is not None:
        assert len(stars) >= n_starred
        blank = [row for row in written if set(row) == {"*"}]
        assert len(blank) == (n_starred if cells == "blank" else 0)
    found = checked(out, case, capsys)
    assert found.get("blank_rows", 0) == (n_starred if cells == "blank" else 0)
    if cells == "kept" and kept_way:
        compared(found, expected["file_keep"], case)
    else:
        compared(found, expected["file_remove_own_reference"] or expected["file_keep"], case)
        original = tmp_path / "a" / "table.csv"
        compared(checked(out, case, capsys, "--reference", original), expected["kept"], case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_every_node_of_the_lattice_is_that_of_the_reference(case: dict[str, Any], tmp_path: Path) -> None:
    recipe, holding = write_recipe(tmp_path / "a", case), write_recipe(tmp_path / "b", case, *WAYS["hold"])
    project = read_recipe(holding)
    problem = compile_problem(project)
    profile = LatticeProfile(problem, project.requirement)
    score_lattice(problem, profile=profile)
    held = evaluate(profile, project.requirement).satisfies
    out = tmp_path / "lattice.csv"
    assert run("lattice", recipe, "--out", out, "--quiet") == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    words = {True: "true", False: "false", None: ""}
    assert len(rows) == len(case["lattice"])
    for node in case["lattice"]:
        names = (f"level.{name}" for name in case["quasi_identifying"])
        levels = dict(zip(names, map(str, node["node"]), strict=True))
        (row,) = (own for own in rows if {key: own[key] for key in levels} == levels)
        assert row["suppressed"] == str(node["suppressed"])
        assert row["satisfies"] == words[node["satisfies"]]
        assert held[profile.lattice.number(tuple(node["node"]))] == node["satisfies_hold"]
        assert row["group_held"] == words[node["group_held"]]
        assert near(float(row["loss"]), node["loss"])
