"""Lattices scored in parts give what they give as a whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.acceleration import warm_up
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.in_parts import node_columns
from engine.scoring.limits import bytes_when_whole, parts_within
from engine.search import SearchTask, search_algorithms
from tests.conftest import EXAMPLES
from tests.engine.cli.running import Command
from tests.engine.scoring.edge_tables import adult
from tests.strategies import cases_with_requirement, few

EXHAUSTIVE = search_algorithms.create("exhaustive")
METRICS = ("loss", "discernibility", "height")
CLINIC = EXAMPLES / "clinic" / "recipe.toml"


@few
@given(cases_with_requirement(max_qi=2, max_height=2))
def test_parts_have_all_nodes_once_and_in_order(judged) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    for memory in (0, 1, bytes_when_whole(ExploredProfile(case.problem, requirement)) // 2):
        parts = list(parts_within(case.problem, requirement, memory))
        levels = np.concatenate([part.lattice.levels for part in parts])
        assert levels.tolist() == case.problem.lattice.levels.tolist()
        assert memory != 1 or len(parts) == case.problem.lattice.n_nodes


@few
@given(cases_with_requirement(max_qi=2, max_height=2))
def test_every_figure_of_a_node_is_the_same_in_a_part(judged) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged

    def columns(memory: int) -> dict[str, list[object]]:
        found: dict[str, list[object]] = {}
        for part in parts_within(case.problem, requirement, memory):
            profile = score_lattice(part, SILENT, LatticeProfile(part, requirement))
            for name, cells in node_columns(evaluate(profile, requirement)).items():
                found.setdefault(name, []).extend(cells)
        return found

    assert columns(1) == columns(0)


@few
@given(cases_with_requirement(max_qi=2, max_height=2))
def test_a_search_in_parts_finds_the_same(judged) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    for metric in METRICS:
        whole = EXHAUSTIVE.run(SearchTask(case.problem, requirement, metric), SILENT)
        parts = EXHAUSTIVE.run(SearchTask(case.problem, requirement, metric, memory=1), SILENT)
        for name in ("node", "guarantee", "is_proved", "bound", "nodes_checked"):
            assert getattr(parts, name) == getattr(whole, name), name
        assert parts.satisfying.tolist() == list(whole.satisfying)  # type: ignore[arg-type]
        assert [step.node for step in parts.trace] == [step.node for step in whole.trace]


@pytest.mark.parametrize("k", [5, 40_000])
def test_a_few_parts_of_adult_by_kernels_give_its_optimum(k: int) -> None:
    assert warm_up()
    problem, requirement = adult("occupation"), Requirement((KAnonymity(k),), 0.04)
    memory = bytes_when_whole(ExploredProfile(problem, requirement)) // 4
    n_parts = len(list(parts_within(problem, requirement, memory)))
    assert 1 < n_parts < problem.lattice.n_nodes
    whole = EXHAUSTIVE.run(SearchTask(problem, requirement), SILENT)
    parts = EXHAUSTIVE.run(SearchTask(problem, requirement, memory=memory), SILENT)
    assert (parts.node, parts.bound, parts.guarantee) == (whole.node, whole.bound, whole.guarantee)
    assert (parts.node is None) == (k > 5)
    assert parts.evaluation.n_scored <= n_parts
    fewest = [
        evaluation.suppressed[evaluation.scored].min() for evaluation in (whole.evaluation, parts.evaluation)
    ]
    assert k == 5 or fewest[0] == fewest[1]


@pytest.mark.parametrize("algorithm", ["best_first", "flash", "ola", "incognito", "genetic"])
def test_other_searches_end_when_their_scores_fill_the_memory_and_say_so(algorithm: str) -> None:
    problem, requirement = adult("occupation"), Requirement((KAnonymity(5),), 0.04)
    search = search_algorithms.create(algorithm)
    result = search.run(SearchTask(problem, requirement, memory=1), SILENT)
    assert result.nodes_checked < 20
    assert result.guarantee in ("best_known", "none")
    assert "The scores took all the memory" in " ".join(result.notes)


def test_the_command_writes_the_same_nodes_with_little_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Command("lattice", capsys)
    for name, memory in (("whole", ()), ("parts", ("--memory", "1 MB"))):
        run(CLINIC, "--out", tmp_path / f"{name}.csv", *memory)
    assert (tmp_path / "parts.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
