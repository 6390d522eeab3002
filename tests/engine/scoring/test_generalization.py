"""Loss by generalization alone, and the condition that a suppressed record fails first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.frequency import Problem
from engine.privacy import Requirement
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.scoring import score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.nodes.inspection import inspect_node
from engine.search.bounds import generalization_loss


@pytest.fixture(scope="module")
def project(examples: Path) -> Project:
    return read_recipe(examples / "hospital" / "recipe.toml")


@pytest.fixture(scope="module")
def problem(project: Project) -> Problem:
    return compile_problem(project)


def test_it_is_the_loss_of_a_requirement_that_suppresses_nothing(problem: Problem) -> None:
    profile = score_lattice(problem)
    scored = evaluate(profile, Requirement((), 0.0)).metric("loss")
    assert np.allclose(generalization_loss(problem), scored, rtol=1e-12, atol=0)


def test_records_by_the_condition_they_fail_first_add_up_to_the_suppressed_ones(
    project: Project, problem: Problem
) -> None:
    profile = score_lattice(problem)
    for number in range(problem.lattice.n_nodes):
        report = inspect_node(profile, problem.lattice.node(number), project.requirement)
        assert sum(model.records_missing_first for model in report.models) == report.suppressed
