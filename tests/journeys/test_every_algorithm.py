"""Whatever algorithm looks for a node, whatever method recodes: the written file has what is claimed."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import RequirementNotMetError
from engine.pipeline import Outcome, anonymize, export_release
from engine.project import Project, Transformation
from engine.project.compile import compile_problem
from engine.project.edits import set_algorithm, set_recoding, set_transformation
from engine.recoding import recoding_methods
from engine.scoring import LatticeProfile, score_lattice
from engine.search import search_algorithms
from tests.strategies import cases_with_requirement, few

OPTIMAL = [key for key, kind in search_algorithms.items() if kind.promise == "optimal"]


@st.composite
def projects(draw: st.DrawFn) -> Project:
    case, requirement = draw(cases_with_requirement(max_records=25))
    transformation = Transformation(
        suppressed_records=draw(st.sampled_from(["star", "remove"])), blank_suppressed=draw(st.booleans())
    )
    return set_transformation(case.under(requirement), transformation)


def verified(project: Project) -> Outcome | None:
    """What was released and confirmed from the file; None where nothing can be."""
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


@pytest.mark.parametrize("key", search_algorithms)
@few
@given(project=projects())
def test_the_node_of_every_algorithm_is_released_and_verified(key: str, project: Project) -> None:
    outcome = verified(set_algorithm(project, key))
    if outcome is not None:
        assert outcome.release.recoding is None
        assert outcome.guarantee != "optimal" or key in OPTIMAL


@pytest.mark.parametrize("key", OPTIMAL)
@few
@given(project=projects())
def test_algorithms_that_promise_an_optimum_find_the_same_one(key: str, project: Project) -> None:
    expected = verified(set_algorithm(project, "exhaustive"))
    found = verified(set_algorithm(project, key))
    if expected is None or found is None:
        assert expected is found is None
    else:
        assert found.release.node == expected.release.node
        assert (found.guarantee, found.bound) == ("optimal", pytest.approx(expected.bound))


@pytest.mark.parametrize("key", recoding_methods)
@few
@given(project=projects())
def test_the_release_of_every_recoding_method_is_verified(key: str, project: Project) -> None:
    outcome = verified(set_recoding(project, recoding_methods.create(key)))
    if outcome is not None:
        assert outcome.release.recoding is not None
        assert (outcome.guarantee, outcome.release.method) == ("none", key)


@pytest.mark.parametrize("key", [key for key, kind in recoding_methods.items() if kind.needs_start])
@few
@given(project=projects())
def test_methods_that_improve_a_release_keep_within_its_requirement(key: str, project: Project) -> None:
    profile = LatticeProfile(compile_problem(project), project.requirement)
    found = score_lattice(profile.problem, profile=profile).evaluate(project.requirement)
    best = found.optimum(project.search.metric)
    outcome = verified(set_recoding(project, recoding_methods.create(key)))
    assert (outcome is None) == (best is None)
