"""The window with compiled scoring: cancelling, continuing, and selected nodes first."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from engine.errors import CancelledError
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.project import edits
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.walk.worker import Worker
from tests.stopping import Stopping
from tests.window_driver import LONG, Driver


@pytest.fixture
def slow_steps(monkeypatch: pytest.MonkeyPatch) -> float:
    """Make every step of a worker take some seconds, and return that time."""
    go_on, seconds = Worker.go_on, 1.5

    def rest(self: Worker):  # type: ignore[no-untyped-def]
        time.sleep(seconds)
        return go_on(self)

    monkeypatch.setattr(Worker, "go_on", rest)
    return seconds


def test_cancel_does_not_wait_for_a_step_and_what_is_scored_stays(
    driver: Driver, slow_steps: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.click("example.clinic")
    driver.wait(
        lambda: (found := driver.session.results.profile) is not None and found.n_scored > 0,
        LONG,
    )
    profile = driver.session.results.profile
    assert isinstance(profile, LatticeProfile)
    begin = time.monotonic()
    driver.click(driver.window.status.job._cancel)
    driver.wait(lambda: not driver.wiring.scoring.is_scoring)
    assert time.monotonic() - begin < slow_steps / 2
    n_scored = profile.n_scored
    driver.wait(lambda: driver.session.results.evaluation is not None and driver.wiring.scoring.is_settled)
    driver.qtbot.wait(int(1500 * slow_steps))  # running steps end, and none of them may count
    assert 0 < n_scored == profile.n_scored < profile.lattice.n_nodes
    assert driver.session.results.evaluation.n_scored == n_scored
    monkeypatch.undo()
    driver.click("continueButton")
    driver.wait(lambda: "exact" in driver.window.status.facts.text(), LONG)
    assert driver.session.results.profile is profile


def test_a_selected_node_is_scored_next(driver: Driver, slow_steps: float) -> None:
    driver.click("example.clinic")
    driver.wait(
        lambda: (found := driver.session.results.profile) is not None and found.n_scored > 0,
        LONG,
    )
    profile = driver.session.results.profile
    fixed, waiting = profile._successor._subtrees.fixed, profile._successor._waiting
    last = waiting[0]
    node = next(n for n in map(profile.lattice.node, range(profile.lattice.n_nodes)) if at(n, fixed) == last)
    driver.session.selection.select(node)
    assert waiting[-1] == last or last not in waiting
    driver.wait(lambda: profile.scored[profile.lattice.number(node)], LONG)
    assert not profile.is_complete


def at(node: tuple[int, ...], attributes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(node[q] for q in attributes)


def test_a_node_selected_before_scoring_is_scored_first(examples: Path) -> None:
    problem = compile_problem(read_recipe(examples / "clinic" / "recipe.toml"))
    profile = LatticeProfile(problem)
    node = problem.lattice.minimum  # in one of the largest subtrees, which are last
    profile.prefer(node)

    with pytest.raises(CancelledError):
        profile.score_compiled(Stopping(done=1), n_workers=1)
    assert profile.scored[problem.lattice.number(node)]
    assert not profile.is_complete
    assert score_lattice(problem, profile=profile) is profile


def test_another_model_of_a_scored_attribute_needs_no_scoring(driver: Driver) -> None:
    driver.open_example("clinic")
    profile, project = driver.session.results.profile, driver.session.project
    column = profile.problem.sensitive[0].name
    driver.session.edit("Add", edits.add_model(project, EntropyLDiversity(column, 2.0)))
    driver.wait(
        lambda: len(driver.session.results.evaluation.requirement.models) > len(project.requirement.models)
    )  # type: ignore[union-attr]
    driver.wait_settled()
    assert driver.session.results.profile is profile


def test_an_excluded_level_needs_no_scoring(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    driver.open_example("clinic")
    before, project = driver.session.results.profile, driver.session.project

    def refuse(self: Worker, levels: object) -> None:
        raise AssertionError("a subtree is scored")

    monkeypatch.setattr(Worker, "begin", refuse)
    name = before.problem.names[0]
    driver.session.edit("Levels", edits.set_levels(project, name, 1, None))
    driver.wait(lambda: driver.session.results.profile is not before, LONG)
    driver.wait_settled()
    after, evaluation = driver.session.results.profile, driver.session.results.evaluation
    assert after.is_complete
    assert after.lattice.minimum[0] == 1
    assert evaluation.n_scored == after.lattice.n_nodes
