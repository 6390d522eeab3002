"""The accepted selection leak: later nodes, refusals with what helps, conditions of commands, and recipes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.cli.app import app
from engine.errors import RequirementNotMetError
from engine.findings.risk.selection_leak import WITHIN, SelectionGate, SelectionLeak
from engine.findings.selection_gate import anonymize, leak_remedies
from engine.findings.subject import Subject
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe, recipe_text
from engine.recoding import make_release
from tests.engine.findings.risk.test_selection_leak import CASES, random_case, recipe_of

TOWNS = next(case for case in CASES if case["name"] == "ayas_brusson")
GATED = [(case, own) for case in CASES for own in case.get("gate") or ()]


def project_of(case: dict[str, Any], folder: Path, accepted: float | None) -> Project:
    project = read_recipe(recipe_of(case, folder / "a"))
    return replace(project, search=replace(project.search, selection_gain=accepted))


@pytest.mark.parametrize(("case", "own"), GATED, ids=lambda part: str(part.get("name", part.get("node"))))
def test_nodes_are_tried_by_the_worlds_in_which_all_better_ones_fail(
    case: dict[str, Any], own: dict[str, Any], tmp_path: Path
) -> None:
    project, node = project_of(case, tmp_path, 0.1), tuple(own["node"])
    gate = SelectionGate(0.1)
    gate.meets(project, make_release(project, compile_problem(project), node))
    assert gate.found[node].bits == pytest.approx(float(own["lambda_bits"]), rel=1e-12)


def test_no_release_leaks_more_than_is_accepted_and_the_error_says_what_helps(tmp_path: Path) -> None:
    with pytest.raises(RequirementNotMetError) as raised:
        anonymize(project_of(TOWNS, tmp_path, 0.79))
    assert "'HIV' in illness rises from 20.0\u202f% to 100.0\u202f%" in raised.value.problem
    assert 'enforce = "check"), with k = 3. Node [1]' in raised.value.hint
    outcome = anonymize(project_of(TOWNS, tmp_path, 0.8))
    assert outcome.further["selection_leak"]["selection_gain"] == 0.8
    with pytest.raises(RequirementNotMetError, match=r"distinct|fails|suppressed"):
        anonymize(project_of(TOWNS, tmp_path, 0.8), (0,))


def test_a_later_node_is_released_if_it_gives_away_little_enough(tmp_path: Path) -> None:
    project = project_of(random_case(1948), tmp_path, 0.74)
    outcome = anonymize(project)
    assert (outcome.release.node, outcome.guarantee) == ((2, 1), "none")
    assert "give away more than is accepted" in outcome.notes[-1]
    assert outcome.further["selection_leak"]["selection_gain"] == pytest.approx(22 / 30)
    found = SelectionLeak().run(Subject(project, outcome.release))
    assert found.rule == WITHIN
    assert found.is_within(0.74)
    unlimited = replace(project, search=replace(project.search, selection_gain=None))
    assert anonymize(unlimited).release.node == (2, 0)
    (remedy,) = (
        own for own in leak_remedies(unlimited, anonymize(unlimited).release, 0.74) if own.key == "within"
    )
    assert remedy.release.node == (2, 1)


def test_each_remedy_has_its_release_and_what_it_still_gives_away(tmp_path: Path) -> None:
    project = project_of(TOWNS, tmp_path, None)
    release = anonymize(project).release
    found = {own.key: (own.gain, own.project.requirement.k) for own in leak_remedies(project, release, 0.1)}
    assert found == {"check": (0.0, 3), "by_size": (0.8, 2), "fixed": (0.0, 2)}


def test_commands_write_nothing_if_the_leak_is_not_within_a_condition(tmp_path: Path) -> None:
    recipe, out = recipe_of(TOWNS, tmp_path / "a"), tmp_path / "out.csv"
    words = ["anonymize", str(recipe), "--out", str(out), "--format", "json", "--require"]
    done = CliRunner().invoke(app, [*words, "selection_gain <= 0.79"])
    assert (done.exit_code, out.exists()) == (1, False)
    done = CliRunner().invoke(app, [*words, "selection_gain <= 0.8"])
    assert (done.exit_code, out.exists()) == (0, True)
    figures = json.loads(done.stdout)
    assert figures["required"][0]["values"] == {"selection_gain": 0.8}
    assert figures["selection_leak"]["exact"]
    done = CliRunner().invoke(app, ["analyze", str(recipe), "selection_leak", "--require", "bits < 1"])
    assert done.exit_code == 1


def test_recipes_keep_the_accepted_leak(tmp_path: Path) -> None:
    project = project_of(TOWNS, tmp_path, 0.25)
    text = recipe_text(project, tmp_path / "a")
    (tmp_path / "a" / "again.toml").write_text(text, encoding="utf-8")
    assert "selection_gain = 0.25" in text
    assert read_recipe(tmp_path / "a" / "again.toml").search == project.search
