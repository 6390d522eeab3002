"""Runs of algorithms whose models of sensitive columns are enforced afterwards."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from anonymizer_gui.perspectives.explore.algorithms.algorithm_runs import AlgorithmRun, Limits, run_algorithm
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.project.edits import set_metric
from engine.records import Kind
from engine.search.exhaustive import Exhaustive
from tests.strategies import Attributes, Case

# Two districts of four people; in one of them all have the flu.
PEOPLE = Case(
    (Attributes("district", ("a",) * 4 + ("b",) * 4, Kind.TEXT, (("a", "*"), ("b", "*"))),),
    (Attributes("illness", ("flu", "flu", "flu", "flu", "flu", "cold", "gout", "rash")),),
)
MODELS = (KAnonymity(2), DistinctLDiversity("illness", 2))


def run(limit: float, enforce: str) -> AlgorithmRun:
    project = PEOPLE.under(Requirement(MODELS, limit))
    project = replace(project, search=replace(project.search, enforce=enforce))
    return run_algorithm(Exhaustive(), Limits(), project, compile_problem(project), None)


def test_displayed_suppression_and_loss_are_those_of_the_release_without_a_guarantee() -> None:
    during, afterwards = run(0.5, "during"), run(0.5, "afterwards")
    # Four of eight records are hidden in the one column: a loss of 1/2 either way.
    for found in (during, afterwards):
        assert (found.node, found.suppressed, found.value) == ((0,), 4, 0.5)
    assert (during.guarantee, afterwards.guarantee) == ("optimal", "none")
    assert "Models of sensitive columns were met afterwards, by suppression." in afterwards.notes[-1]
    assert not during.notes


def test_a_node_that_suppresses_too_much_afterwards_is_rejected_with_a_note() -> None:
    assert run(0.25, "during").node == (1,)
    found = run(0.25, "afterwards")
    assert found.node is None
    assert math.isnan(found.value)
    assert found.found == "none found"
    assert found.notes[-1] == "At node Nothing hidden this suppresses 4 records, more than the limit allows."


def test_a_run_reads_the_metric_by_its_settings() -> None:
    project = set_metric(PEOPLE.under(Requirement((KAnonymity(5),), 0.0)), "loss", {"coding": 0.75})
    found = run_algorithm(Exhaustive(), Limits(), project, compile_problem(project), None)
    # Hiding all by generalization that counts half: (2 * 0.5 - 0.5) / (2 - 0.5).
    assert found.node == (1,)
    assert found.value == pytest.approx(1 / 3)
