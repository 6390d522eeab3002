"""What a requirement leaves, against counting by a fresh evaluation of every node."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.advice.consequence import consequence_of, next_usual
from engine.errors import InputError
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.delta_presence import DeltaPresence
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.k_map import KMap
from engine.privacy.recursive_c_l_diversity import RecursiveCLDiversity
from engine.privacy.t_closeness import TCloseness
from engine.project.compile import compile_problem, objective_of
from engine.project.recipe.files import read_recipe
from engine.recoding import make_release
from engine.scoring import score_lattice
from engine.scoring.acceleration import CHOICE
from engine.scoring.profile import LatticeProfile


@pytest.mark.parametrize("k", [2, 4, 9, 40])
def test_the_figures_are_those_of_the_releases_of_all_nodes(examples: Path, k: int) -> None:
    project = read_recipe(examples / "hospital" / "recipe.toml")
    problem = compile_problem(project)
    profile = score_lattice(problem, profile=LatticeProfile(problem, project.requirement))
    requirement = Requirement((KAnonymity(k), DistinctLDiversity(project.sensitive[0], 2)), 0.1)
    found = consequence_of(profile, requirement, objective_of(project, problem), "loss")
    nodes = [problem.lattice.node(number) for number in range(problem.lattice.n_nodes)]
    releases = [make_release(project, problem, node, requirement) for node in nodes]
    satisfying = [node for node, release in zip(nodes, releases, strict=True) if release.satisfies]
    assert found.n_satisfying == len(satisfying)
    assert (found.best is None) == (not satisfying)


@pytest.mark.parametrize("model", [KMap(3), DeltaPresence(0.0, 0.5)])
def test_a_model_of_an_unknown_population_is_refused(examples: Path, model: PrivacyModel) -> None:
    project = read_recipe(examples / "hospital" / "recipe.toml")
    problem = compile_problem(project)
    profile = score_lattice(problem, profile=LatticeProfile(problem, project.requirement))
    objective = objective_of(project, problem)
    with pytest.raises(InputError, match="needs a population"):
        consequence_of(profile, Requirement((KAnonymity(3), model), 0.1), objective, "loss")


def test_a_measure_that_is_not_scored_has_no_figures(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOICE, "numpy")  # kernels store what any measure needs
    project = read_recipe(examples / "hospital" / "recipe.toml")
    problem = compile_problem(project)
    of_k = LatticeProfile(problem, Requirement((KAnonymity(3),), 0.1))
    profile = score_lattice(problem, profile=of_k)
    other = Requirement((RecursiveCLDiversity(project.sensitive[0], 3, 2),), 0.1)
    objective = objective_of(project, problem)
    assert consequence_of(profile, other, objective, "loss") is None


@pytest.mark.parametrize(
    ("models", "index", "limit"),
    [
        ((KAnonymity(5),), 0, 10),
        ((KAnonymity(7),), 0, 10),
        ((KAnonymity(50), TCloseness("disease", 0.25)), 1, 0.2),
        ((KAnonymity(500),), None, 0),
        ((), None, 0),
    ],
)
def test_the_next_usual_threshold_is_stricter(
    models: tuple[KAnonymity, ...], index: int | None, limit: float
) -> None:
    found = next_usual(Requirement(models, 0.1))
    if index is None:
        assert found is None
    else:
        assert (found[0], found[1].models[index].limit) == (index, limit)
