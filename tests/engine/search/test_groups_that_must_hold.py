"""Searches whose nodes must also hold their suppressed records: nothing is inferred upwards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.pipeline import search
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.search import search_algorithms
from tests.third_oracle import CASES, write_recipe


@pytest.mark.parametrize("algorithm", ["exhaustive", "best_first", "flash", "ola", "incognito"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_the_optimum_is_the_first_node_that_is_also_held(
    case: dict[str, Any], algorithm: str, tmp_path: Path
) -> None:
    assert algorithm in search_algorithms
    project = read_recipe(write_recipe(tmp_path / "a", case, 'suppressed_group = "hold"'))
    project = replace(project, search=replace(project.search, algorithm=algorithm))
    found = search(project, compile_problem(project))
    expected = case["expected"]["optimum_hold"]
    assert found.node == (None if expected is None else tuple(expected))
