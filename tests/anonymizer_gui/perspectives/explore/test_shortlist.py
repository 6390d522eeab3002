"""The short list of the program, each node with its reasons."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.listing.presenter import (
    MOST_MINIMAL,
    MOST_VISITED,
    ShortListCandidates,
    short_list,
    short_list_candidates,
)
from engine.lattice import Lattice
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.pins_and_runs import Choice, Pin
from engine.scoring import score_lattice
from engine.scoring.evaluate import evaluate
from engine.utility import utility_metrics
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.anonymizer_gui.perspectives.explore.list_driver import ListDriver
from tests.strategies import Attributes, Case


@pytest.fixture
def driver(qtbot: QtBot, bench: Bench) -> ListDriver:
    return ListDriver(qtbot, bench)


def test_the_best_by_each_metric_and_the_minimal_nodes_are_listed_with_their_reason(
    driver: ListDriver,
) -> None:
    evaluation = driver.bench.session.results.evaluation
    driver.choose_status("short")
    reasons = {node: driver.cell(row, "why") for row, node in enumerate(driver.nodes)}
    for key, member in utility_metrics.items():
        if not member.costly:
            best = evaluation.optimum(key)
            assert best is not None
            assert "best by" in reasons[best]
    assert "loss" in reasons[evaluation.optimum("loss")]  # type: ignore[index]
    n_minimal = int(np.count_nonzero(evaluation.minimal))
    told = [node for node, reason in reasons.items() if "minimal" in reason]
    assert len(told) == min(n_minimal, MOST_MINIMAL)
    assert evaluation.minimal[told].all()
    assert driver.chips == ["short-listed"]


def test_no_node_is_best_by_a_metric_that_does_not_exist() -> None:
    case = Case((Attributes("age", ("3", "4", "4"), rows=(("3", "*"), ("4", "*"))),))  # without a target
    evaluation = evaluate(score_lattice(case.problem), Requirement((KAnonymity(2),), 1 / 3))
    _, found = short_list_candidates(evaluation, "loss")
    named = {key for _, keys in found.best for key in keys}
    assert "loss" in named
    assert "classification" not in named


def test_visited_and_pinned_nodes_come_onto_the_list_whether_they_satisfy_or_not(
    qtbot: QtBot, driver: ListDriver
) -> None:
    session = driver.bench.session
    problem, requirement = session.results.problem, session.shown.requirement
    assert requirement is not None
    driver.choose_status("short")
    session.selection.select((0, 0, 0, 0, 0))
    bottom = problem.lattice.number((0, 0, 0, 0, 0))
    row = driver.model.row_of(bottom)
    assert row is not None
    assert driver.cell(row, "why") == "visited"
    assert driver.view.currentIndex().row() == row, "the selected row follows"
    session.remembered.edit_pins(
        "pin", (Pin(Choice(problem.names, (0, 1, 0, 0, 0), requirement), "ask Ann"),)
    )
    row = driver.model.row_of(problem.lattice.number((0, 1, 0, 0, 0)))
    assert row is not None
    assert driver.cell(row, "why") == "pinned: ask Ann"
    session.history.undo()
    assert driver.model.row_of(problem.lattice.number((0, 1, 0, 0, 0))) is None


def test_the_short_list_follows_the_settings(driver: ListDriver) -> None:
    session = driver.bench.session
    driver.choose_status("short")
    from engine.project import edits

    session.edit("metric", edits.set_metric(session.project, "aecs"))
    driver.settle()
    found = short_list_candidates(session.results.evaluation, "aecs")[1]
    reasons = short_list(found, (), session.selection.visited, session.results.evaluation.lattice)
    assert set(driver.nodes) == set(reasons)
    best = session.results.evaluation.optimum("aecs")
    row = driver.model.row_of(best) if best is not None else None
    assert row is not None
    assert driver.cell(row, "why").startswith("best by aecs")


def test_reasons_are_joined_and_the_last_visited_count() -> None:
    lattice = Lattice((0, 0), (4, 4))
    found = ShortListCandidates((((0, 1), ("loss", "aecs")),), ((0, 1), (1, 0)))
    visited = [(i % 5, i // 5) for i in range(20)] + [(0, 1)]
    reasons = short_list(found, [((4, 4), ""), ((9, 9), "gone")], visited, lattice)
    assert reasons[lattice.number((0, 1))] == "best by loss, aecs · minimal · visited"
    assert reasons[lattice.number((4, 4))] == "pinned"
    assert sum("visited" in reason for reason in reasons.values()) == MOST_VISITED
    assert len(reasons) == 2 + 1 + MOST_VISITED - 1
