"""Filters over nodes, also while their number grows."""

from __future__ import annotations

import numpy as np
import pytest

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.node_filter import NodeFilter
from anonymizer_gui.perspectives.explore.node_scores import NodeScores, prepare_scores
from engine.frequency import Problem
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.compile import compile_problem
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile

REQUIREMENT = Requirement((KAnonymity(5),), 0.05)


@pytest.fixture(scope="module")
def problem(small_adult: Project) -> Problem:
    return compile_problem(small_adult)


def scores_of(problem: Problem, n_nodes: int) -> NodeScores:
    profile = ExploredProfile(problem, REQUIREMENT)
    for number in range(n_nodes):
        profile.score(problem.lattice.node(number))
    return prepare_scores(evaluate(profile, REQUIREMENT), "loss")


def test_without_conditions_every_node_passes(problem: Problem) -> None:
    chosen = NodeFilter()
    chosen.update(scores_of(problem, 12), problem, "loss", None)
    assert chosen.passing.tolist() == [True] * 12


def test_levels_and_typed_conditions_hold_together(problem: Problem) -> None:
    chosen, scores = NodeFilter(), scores_of(problem, 40)
    assert chosen.read("loss < 0.6", problem, "loss") == ""
    chosen.levels = {0: frozenset({0})}
    chosen.update(scores, problem, "loss", None)
    expected = (scores.values < 0.6) & (scores.lattice.levels[:, 0] == 0)
    np.testing.assert_array_equal(chosen.passing, expected)


def test_conditions_that_cannot_be_read_leave_the_last_ones(problem: Problem) -> None:
    chosen, scores = NodeFilter(), scores_of(problem, 9)
    chosen.read("suppressed < 0", problem, "loss")
    assert "colour" in chosen.read("colour = 3", problem, "loss")
    chosen.update(scores, problem, "loss", None)
    assert not chosen.passing.any()


def test_while_a_column_is_measured_new_nodes_wait_and_the_others_stay_as_they_were(problem: Problem) -> None:
    chosen, few, many = NodeFilter(), scores_of(problem, 4), scores_of(problem, 7)
    chosen.read("k >= 3", problem, "loss")
    chosen.update(few, problem, "loss", {"k": np.array([1.0, 5.0, 2.0, 9.0]), "classes": np.ones(4)})
    assert chosen.passing.tolist() == [False, True, False, True]
    chosen.update(many, problem, "loss", None)
    assert chosen.passing.tolist() == [False, True, False, True, False, False, False]


def test_a_number_matches_as_displayed_for_a_measured_l_but_not_for_a_counted_one(
    problem: Problem,
) -> None:
    scores, words = scores_of(problem, 3), LevelWords(problem)
    measured = np.array([2.0, 2.3, 2.6])
    for key, expected in (
        ("l.hours-per-week 2", [True, True, False]),
        ("l.hours-per-week", [True, False, False]),
    ):
        chosen = NodeFilter()
        assert chosen.read_column(key, "2", problem, words) == ""
        chosen.update(scores, problem, "loss", {key: measured})
        assert chosen.passing.tolist() == expected
