"""The files written with every algorithm and recoding method meet their claims."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import RequirementNotMetError
from engine.lattice import Node
from engine.pipeline import Outcome, anonymize, export_release
from engine.project import Project, Transformation
from engine.project.compile import compile_problem
from engine.project.edits import set_algorithm
from engine.recoding import recoding_methods
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.search import search_algorithms
from tests.strategies import cases_with_requirement, ten

OPTIMAL = [key for key, kind in search_algorithms.items() if kind.promise == "optimal"]


@st.composite
def projects(draw: st.DrawFn) -> Project:
    case, requirement = draw(cases_with_requirement(max_records=16))
    transformation = Transformation(
        suppressed_records=draw(st.sampled_from(["star", "remove"])), blank_suppressed=draw(st.booleans())
    )
    return replace(case.under(requirement), transformation=transformation)


def verified(project: Project) -> Outcome | None:
    """Return the release verified from its file; None if there is no release."""
    try:
        outcome = anonymize(project)
    except RequirementNotMetError:
        return None
    with TemporaryDirectory() as folder:
        verdict = export_release(project, outcome.release, Path(folder) / "out.csv")
    assert verdict.ok, verdict.problems
    assert outcome.release.satisfies
    assert verdict.measured["suppressed"] == outcome.release.n_suppressed <= verdict.measured["allowed"]
    return outcome


def best_of(project: Project) -> Node | None:
    """Return the optimum by exhaustive comparison."""
    profile = LatticeProfile(compile_problem(project), project.requirement)
    found = evaluate(score_lattice(profile.problem, profile=profile), project.requirement)
    best = found.optimum(project.search.metric)
    return None if best is None else profile.problem.lattice.node(best)


@pytest.mark.parametrize("key", search_algorithms)
@ten
@given(project=projects())
def test_the_node_of_every_algorithm_is_released_and_verified(key: str, project: Project) -> None:
    found = verified(set_algorithm(project, key))
    if found is not None:
        assert found.release.recoding is None
        assert found.guarantee != "optimal" or key in OPTIMAL
    if key in OPTIMAL:
        expected = best_of(project)
        assert (found is None) == (expected is None)
        if found is not None:
            assert found.release.node == expected
            assert found.guarantee == "optimal"


@pytest.mark.parametrize("key", recoding_methods)
@ten
@given(project=projects())
def test_the_release_of_every_recoding_method_is_verified(key: str, project: Project) -> None:
    outcome = verified(replace(project, recoding=recoding_methods.create(key)))
    if outcome is not None:
        assert outcome.release.recoding is not None
        assert (outcome.guarantee, outcome.release.method) == ("none", key)
    if recoding_methods[key].needs_start:  # it needs the release of a start node
        assert (outcome is None) == (best_of(project) is None)
