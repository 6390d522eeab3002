"""The sentence over the prices: each case by a fixture that triggers it, every number in the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import pytest

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.prices.headline import MOST_LETTERS, Found, headline
from anonymizer_gui.perspectives.explore.prices.rows import Priced
from engine.frequency import Problem
from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.prices import prices_of
from tests.conftest import EXAMPLES

Asked = Callable[..., Found]


@cache
def scored(name: str) -> tuple[Problem, LatticeProfile]:
    project = read_recipe(EXAMPLES / name / "recipe.toml")
    problem = compile_problem(project)
    profile = LatticeProfile(problem, project.requirement)
    score_lattice(problem, SILENT, profile)
    return problem, profile


def found(
    name: str,
    k: int,
    limit: float = 0.0,
    *,
    metric: str = "loss",
    insisted: Mapping[int, int] | None = None,
    n_scored: int = 0,
    gives_way: tuple[str, ...] = (),
    remedy: str = "",
    largest_k: int | None = None,
) -> Found:
    problem, profile = scored(name)
    requirement = Requirement((KAnonymity(k),) if k > 1 else (), limit)
    evaluation = evaluate(profile, requirement)
    if n_scored:
        partly = ExploredProfile(problem, requirement)
        for number in range(problem.lattice.n_nodes - n_scored, problem.lattice.n_nodes):
            partly.score(problem.lattice.node(number))
        evaluation = evaluate(partly, requirement)
    n_levels = [attribute.hierarchy.height + 1 for attribute in problem.attributes]
    prices = prices_of(evaluation, metric, n_levels, insisted)
    optimum = evaluation.optimum(metric)
    node = None if optimum is None else evaluation.lattice.node(optimum)
    priced = Priced(problem, LevelWords(problem), prices, metric, node, insisted or {}, not n_scored)
    return Found(
        priced,
        evaluation.n_satisfying,
        evaluation.n_scored,
        problem.lattice.n_nodes,
        prices.n_optima,
        remedy,
        largest_k,
        gives_way,
    )


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (lambda: found("hospital", 15), "No node satisfies."),
        (
            lambda: found("hospital", 15, remedy="k = 13"),
            "No node satisfies. The smallest change: k = 13.",
        ),
        (
            lambda: found("hospital", 6, largest_k=5),
            'Only "everything hidden" satisfies. The largest k with another node is 5.',
        ),
        (
            lambda: found("clinic", 5, n_scored=20),
            "Best so far: 20 of 864 nodes scored, every loss is at most what is shown.",
        ),
        (lambda: found("clinic", 1), "The original values satisfy. Nothing needs to be generalized."),
        (
            lambda: found("hospital", 3, insisted={0: 0, 2: 0}),
            "No node has age unchanged and city unchanged together. Without age unchanged: +0.119.",
        ),
        (lambda: found("hospital", 2), "2 nodes share the lowest loss, 0.165."),
        (
            lambda: found("hospital", 2, metric="discernibility"),
            "6 nodes share the lowest discernibility, 35.0.",
        ),
        (lambda: found("clinic", 2), "Insurance need not be hidden: other, public costs +0.005."),
        (
            lambda: found("clinic", 2, 0.02),
            "No node leaves postal code unchanged; 4 of 5 characters costs +0.525.",
        ),
        (
            lambda: found("hospital", 2, 0.1),
            "No node leaves age unchanged; 5-year bands is the finest.",
        ),
        (lambda: found("clinic", 2, 0.05), "The dearest detail is postal code unchanged: +0.550."),
    ],
)
def test_each_case_has_its_sentence(asked: Asked, text: str) -> None:
    assert headline(asked()) == text
    assert len(text) <= MOST_LETTERS


def test_what_gives_way_is_named_as_long_as_it_has_room() -> None:
    way = found("clinic", 5, 0.05, insisted={1: 2}, gives_way=("sex",))
    assert headline(way).startswith("With ")
    assert headline(way).endswith("Sex gives way.")
    two = found("clinic", 5, 0.05, insisted={1: 2}, gives_way=("sex", "insurance"))
    assert headline(two).endswith("Sex and insurance give way.")
    long = found("clinic", 5, 0.05, insisted={1: 2}, gives_way=tuple(f"a long column {n}" for n in range(9)))
    assert "give" not in headline(long)
    assert len(headline(long)) <= MOST_LETTERS
