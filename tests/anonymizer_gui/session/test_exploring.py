"""Partial scoring of a lattice too large to score completely: runs, current settings, selected nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from anonymizer_gui.session import Session
from anonymizer_gui.session import results as results_module
from anonymizer_gui.session.release_controller import ReleaseController
from anonymizer_gui.session.scoring_controller import ScoringController
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project, edits
from engine.project.recipe.files import read_recipe
from engine.scoring.explored import ExploredProfile
from tests.huge import N_COLUMNS, N_NODES, write_huge_recipe

AT_ONCE = 150


class Bench:
    """Session, runner and controllers without a window."""

    def __init__(self) -> None:
        self.session = Session()
        self.scoring = ScoringController(self.session)
        self.releases = ReleaseController(self.session)

    @property
    def profile(self) -> ExploredProfile:
        assert isinstance(self.session.results.profile, ExploredProfile)
        return self.session.results.profile

    def is_settled(self) -> bool:
        return self.scoring.is_settled and self.session.results.evaluation is not None


@pytest.fixture
def bench(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(results_module, "NODES_AT_ONCE", AT_ONCE)
    made = Bench()
    yield made
    made.session.runner.shutdown()


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return read_recipe(write_huge_recipe(tmp_path_factory.mktemp("huge")))


@pytest.fixture
def explored(qtbot: QtBot, bench: Bench, huge: Project) -> Bench:
    bench.session.open_project(huge)
    qtbot.waitUntil(bench.is_settled, timeout=30_000)
    return bench


def test_opening_scores_one_run_of_nodes_and_selects_the_best_so_far(explored: Bench) -> None:
    session = explored.session
    assert session.results.is_explored
    # Neighbours of selected nodes are added.
    assert AT_ONCE <= explored.profile.n_scored < AT_ONCE + 5 * N_COLUMNS
    assert session.results.evaluation.n_scored == explored.profile.n_scored
    assert session.selection.node == session.results.optimum is not None
    assert not session.results.is_optimum_proved
    assert session.results.exploring.bound <= session.results.evaluation.metric("loss").min()


def test_continuing_scores_more_and_keeps_earlier_scores(qtbot: QtBot, explored: Bench) -> None:
    session = explored.session
    before, n_before = session.results.evaluation, explored.profile.n_scored
    least = float(before.metric("loss")[before.optimum("loss")])
    assert explored.scoring.can_continue
    explored.scoring.continue_scoring()
    qtbot.waitUntil(lambda: explored.is_settled() and explored.profile.n_scored >= n_before + AT_ONCE)
    after = session.results.evaluation
    assert [after.lattice.node(row) for row in range(n_before)] == [
        before.lattice.node(row) for row in range(n_before)
    ]
    assert float(after.metric("loss")[after.optimum("loss")]) <= least


def test_stopping_keeps_the_scores_and_new_settings_do_not_restart(
    qtbot: QtBot, bench: Bench, huge: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_module, "NODES_AT_ONCE", 10**9)
    bench.session.open_project(huge)
    qtbot.waitUntil(lambda: (found := bench.session.results.profile) is not None and found.n_scored > 60)
    bench.session.runner.cancel("score")
    qtbot.waitUntil(lambda: not bench.scoring.is_scoring, timeout=2_000)
    qtbot.waitUntil(bench.is_settled, timeout=10_000)
    n_scored = bench.profile.n_scored
    assert bench.scoring.was_stopped
    assert bench.scoring.can_continue
    stricter = replace(huge, requirement=Requirement((KAnonymity(9),), 0.05))
    bench.session.edit("Set k", stricter)
    qtbot.waitUntil(bench.is_settled)
    assert bench.profile.n_scored == n_scored
    assert bench.session.results.evaluation.requirement.k == 9


def test_other_settings_reuse_the_scores(qtbot: QtBot, explored: Bench, huge: Project) -> None:
    profile, n_before = explored.profile, explored.profile.n_scored
    explored.session.edit("Set k", replace(huge, requirement=Requirement((KAnonymity(7),), 0.05)))
    assert explored.session.results.exploring is not None  # restarted without progress
    qtbot.waitUntil(lambda: explored.is_settled() and explored.profile.n_scored > n_before, timeout=30_000)
    assert explored.profile is profile
    assert explored.session.results.exploring.requirement.k == 7


def test_a_turning_knob_evaluates_scored_nodes_and_scores_none(qtbot: QtBot, explored: Bench) -> None:
    session, n_before = explored.session, explored.profile.n_scored
    with qtbot.waitSignal(session.results.evaluation_changed) as changed:
        session.shown.preview(Requirement((KAnonymity(9),), 0.05))
    assert changed.args[0].requirement.k == 9
    assert session.results.exploring is None
    assert not session.results.is_optimum_proved
    qtbot.waitUntil(explored.is_settled)
    assert explored.profile.n_scored == n_before


def test_a_selected_node_is_scored_at_once_and_then_its_neighbours(qtbot: QtBot, explored: Bench) -> None:
    node = (1, 8) * (N_COLUMNS // 2)
    assert node not in explored.profile
    explored.session.selection.select(node)
    qtbot.waitUntil(explored.is_settled, timeout=10_000)
    assert node in explored.profile
    lattice = explored.profile.problem.lattice
    assert all(
        other in explored.profile for other in [*lattice.predecessors(node), *lattice.successors(node)]
    )
    assert explored.session.selection.node == node
    assert explored.session.results.evaluation.lattice.find(node) is not None


def test_with_a_proven_optimum_there_is_nothing_to_continue(
    qtbot: QtBot, explored: Bench, huge: Project
) -> None:
    lenient = replace(huge, requirement=Requirement((KAnonymity(1),), 0.05))
    explored.session.edit("Set k", lenient)
    qtbot.waitUntil(
        lambda: explored.is_settled() and explored.session.results.is_optimum_proved, timeout=30_000
    )
    assert explored.session.results.optimum == (0,) * N_COLUMNS
    assert not explored.scoring.can_continue


def test_scoring_ends_when_memory_is_used_up_and_says_so(qtbot: QtBot, bench: Bench, huge: Project) -> None:
    bench.scoring.set_memory(0)
    bench.session.open_project(huge)
    qtbot.waitUntil(bench.is_settled, timeout=10_000)
    assert bench.session.results.exploring.is_full
    assert not bench.scoring.can_continue
    assert bench.profile.n_scored < AT_ONCE
    bench.scoring.set_memory(64)
    bench.scoring.continue_scoring()
    qtbot.waitUntil(lambda: bench.is_settled() and bench.profile.n_scored >= AT_ONCE, timeout=30_000)
    assert not bench.session.results.exploring.is_full


def test_a_lattice_that_exceeds_the_memory_limit_is_partly_scored(
    qtbot: QtBot, bench: Bench, huge: Project
) -> None:
    few = huge
    for name in [f"q{j}" for j in range(5, N_COLUMNS)]:
        few = edits.set_levels(few, name, 0, 0)
    assert N_NODES > 100_000
    bench.scoring.set_memory(1)
    bench.session.open_project(replace(few))
    qtbot.waitUntil(bench.is_settled, timeout=30_000)
    assert bench.profile.problem.lattice.n_nodes == 100_000
    assert bench.session.results.is_explored
