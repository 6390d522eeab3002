"""Scoring follows the project: compile, score, evaluate, cancel, continue."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QThreadPool
from pytestqt.qtbot import QtBot

from anonymizer_gui.session import Session, scoring_controller
from anonymizer_gui.session.release_controller import ReleaseController
from anonymizer_gui.session.scoring_controller import ScoringController
from engine.kernels.population.estimate import Estimate
from engine.monitor import Monitor
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.delta_presence import DeltaPresence
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.k_map import KMap
from engine.privacy.population_uniqueness import PopulationUniqueness
from engine.privacy.profitability import Profitability
from engine.privacy.t_closeness import TCloseness
from engine.project import Project, edits
from engine.project.compile import compile_problem
from engine.project.population import Population
from engine.project.recipe.files import read_recipe
from engine.records import Role, counting
from engine.records.opening import open_table
from engine.records.options import DISK
from engine.scoring import score_lattice
from engine.scoring.evaluate import evaluate


class Bench:
    """Session, runner and controllers without a window."""

    def __init__(self) -> None:
        self.session = Session()
        self.scoring = ScoringController(self.session)
        self.releases = ReleaseController(self.session)

    def is_scored(self) -> bool:
        profile = self.session.results.profile
        return self.scoring.is_settled and profile is not None and profile.is_complete


@pytest.fixture
def bench(qtbot: QtBot) -> Iterator[Bench]:
    made = Bench()
    yield made
    made.session.runner.shutdown()


def test_an_opened_project_is_scored_and_its_optimum_selected(
    qtbot: QtBot, bench: Bench, hospital: Project
) -> None:
    bench.session.open_project(hospital)
    qtbot.waitUntil(bench.is_scored)
    evaluation = evaluate(score_lattice(compile_problem(hospital)), hospital.requirement)
    np.testing.assert_array_equal(bench.session.results.evaluation.satisfies, evaluation.satisfies)
    assert bench.session.selection.node == bench.session.results.optimum is not None


def test_a_new_threshold_evaluates_without_scoring_again(
    qtbot: QtBot, bench: Bench, hospital: Project
) -> None:
    bench.session.open_project(hospital)
    qtbot.waitUntil(bench.is_scored)
    profile = bench.session.results.profile
    with qtbot.waitSignal(bench.session.results.evaluation_changed) as changed:
        bench.session.edit("Set k", replace(hospital, requirement=Requirement((KAnonymity(2),), 0.0)))
    assert bench.session.results.profile is profile
    assert changed.args[0].requirement.k == 2


def test_an_error_belongs_to_the_compiled_project_not_to_later_edits(
    qtbot: QtBot, bench: Bench, hospital: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_project, may_fail = scoring_controller._compile, threading.Event()

    def held(project: Project, *rest: Any) -> Any:
        assert project.quasi_identifying or may_fail.wait(20)
        return compile_project(project, *rest)

    monkeypatch.setattr(scoring_controller, "_compile", held)
    roleless = edits.set_roles(hospital, hospital.quasi_identifying, Role.INSENSITIVE)
    bench.session.open_project(roleless)
    qtbot.waitUntil(lambda: bench.session.runner.running("compile") is not None)
    bench.session.edit("Set roles", hospital)
    may_fail.set()
    pool = bench.session.runner.findChild(QThreadPool)
    pool.waitForDone()
    QCoreApplication.sendPostedEvents()  # the failure arrives before the new settings are compiled
    assert bench.session.results.problem_error is not None
    assert not bench.session.results.is_problem_current
    qtbot.waitUntil(bench.is_scored)
    assert bench.session.results.problem_error is None


def test_the_last_of_many_previews_is_shown(qtbot: QtBot, bench: Bench, clinic: Project) -> None:
    bench.session.open_project(clinic)
    qtbot.waitUntil(bench.is_scored, timeout=20_000)
    for k in range(2, 40):
        bench.session.shown.preview(Requirement((KAnonymity(k),), 0.05))
    qtbot.waitUntil(bench.is_scored)
    assert bench.session.results.evaluation.requirement.k == 39


def test_slow_estimates_are_replaced_by_a_newer_requirement(
    qtbot: QtBot, bench: Bench, clinic: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def slowly(*_arguments: object) -> Estimate:
        made.append(1)
        time.sleep(0.05)
        return Estimate(0.0, "zayatz")

    monkeypatch.setattr("engine.scoring.lookups.table_wide_nodes.estimate", slowly)
    bench.session.open_project(edits.set_population(clinic, Population(size=10**6)))
    qtbot.waitUntil(bench.is_scored, timeout=20_000)
    bench.session.shown.preview(Requirement((PopulationUniqueness(0.5, "zayatz"),), 0.0))
    qtbot.waitUntil(lambda: len(made) > 1)
    bench.session.shown.preview(Requirement((KAnonymity(7),), 0.05))
    qtbot.waitUntil(bench.is_scored, timeout=2_000)
    assert bench.session.results.evaluation.requirement.k == 7
    assert len(made) < 50


def test_another_role_compiles_again(qtbot: QtBot, bench: Bench, hospital: Project) -> None:
    bench.session.open_project(hospital)
    qtbot.waitUntil(bench.is_scored)
    bench.session.edit("Role", edits.set_roles(hospital, ["city"], Role.INSENSITIVE))
    qtbot.waitUntil(lambda: bench.session.results.is_problem_current and bench.is_scored())
    assert bench.session.results.problem.names == ("age", "gender")


def test_a_project_that_cannot_be_compiled_has_a_reason_and_recovers(
    qtbot: QtBot, bench: Bench, hospital: Project
) -> None:
    bench.session.open_project(hospital)
    qtbot.waitUntil(bench.is_scored)
    without = edits.set_roles(hospital, ["age", "gender", "city"], Role.INSENSITIVE)
    bench.session.edit("Roles", without)
    qtbot.waitUntil(lambda: bench.session.results.problem_error is not None)
    assert "quasi-identifying" in str(bench.session.results.problem_error)
    bench.session.history.undo()
    qtbot.waitUntil(bench.is_scored)
    assert bench.session.results.problem_error is None


@pytest.mark.parametrize(
    ("model", "enough"),
    [
        (PopulationUniqueness(0.01), Population(size=1000)),
        (KMap(3, "poisson"), Population(size=1000)),
        (KMap(3), None),
        (DeltaPresence(0.0, 0.5), None),
    ],
    ids=["uniqueness", "estimated k-map", "k-map", "presence"],
)
def test_a_model_without_its_population_shows_the_missing_input_and_no_values(
    qtbot: QtBot, bench: Bench, hospital: Project, model: PrivacyModel, enough: Population | None
) -> None:
    bench.session.open_project(hospital)
    qtbot.waitUntil(bench.is_scored)
    bench.session.edit("Add model", edits.add_model(hospital, model))
    qtbot.waitUntil(lambda: bench.session.results.problem_error is not None)
    assert f"{model.title} needs a population" in str(bench.session.results.problem_error)
    assert bench.session.results.evaluation is None
    if enough is not None:
        bench.session.edit("Set population", edits.set_population(bench.session.project, enough))
    else:
        bench.session.history.undo()
    qtbot.waitUntil(bench.is_scored)
    assert bench.session.results.problem_error is None
    assert bench.session.results.evaluation is not None


def test_a_distance_not_measured_before_is_scored_on_request(
    qtbot: QtBot, bench: Bench, clinic: Project
) -> None:
    bench.session.open_project(clinic)
    qtbot.waitUntil(bench.is_scored, timeout=20_000)
    closeness = TCloseness(column="length of stay", t=0.3, distance="equal")
    asked = Requirement((KAnonymity(5), closeness), 0.05)
    bench.session.edit("Add t", replace(clinic, requirement=asked))
    qtbot.waitUntil(
        lambda: bench.is_scored() and bench.session.results.profile.covers(asked),  # type: ignore[union-attr]
        timeout=20_000,
    )
    assert bench.session.results.evaluation.requirement == asked


def test_cancelled_counting_of_records_in_files_leaves_the_scores_and_can_continue(
    qtbot: QtBot, bench: Bench, hospital: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hospital.source is not None
    table = open_table(hospital.source, replace(hospital.options, source=DISK)).table
    project = replace(hospital, table=table)
    bench.session.open_project(project)
    qtbot.waitUntil(bench.is_scored)
    profile, count = bench.session.results.profile, counting.counted_table

    def endless(_table: Any, _names: Any, monitor: Monitor) -> Any:
        while True:
            monitor.step(0, 1)
            time.sleep(0.001)

    monkeypatch.setattr(counting, "counted_table", endless)
    bench.session.edit("Role", edits.set_roles(project, ["city"], Role.INSENSITIVE))
    qtbot.waitUntil(lambda: bench.session.runner.running("compile") is not None)
    assert not bench.scoring.can_continue
    bench.session.runner.cancel("compile")
    qtbot.waitUntil(lambda: bench.scoring.is_settled and bench.scoring.can_continue, timeout=2_000)
    assert bench.session.results.profile is profile
    assert not bench.session.results.is_problem_current
    monkeypatch.setattr(counting, "counted_table", count)
    bench.scoring.continue_scoring()
    qtbot.waitUntil(lambda: bench.session.results.is_problem_current and bench.is_scored())
    assert bench.session.results.problem.names == ("age", "gender")
    assert not bench.scoring.can_continue


def test_a_cancelled_scoring_keeps_its_scores_and_can_continue(
    qtbot: QtBot, bench: Bench, examples: Path
) -> None:
    bench.session.open_project(read_recipe(examples / "adult" / "recipe.toml"))
    qtbot.waitUntil(lambda: (found := bench.session.results.profile) is not None and found.n_scored > 50)
    bench.session.runner.cancel("score")
    qtbot.waitUntil(lambda: bench.scoring.is_settled, timeout=2_000)
    profile = bench.session.results.profile
    assert 50 < profile.n_scored < 12_960
    assert bench.scoring.can_continue
    assert bench.session.results.evaluation.n_scored == profile.n_scored
    bench.scoring.continue_scoring()
    qtbot.waitUntil(bench.is_scored, timeout=60_000)
    assert bench.session.results.profile is profile
    assert bench.session.results.optimum == (0, 3, 0, 1, 1, 1, 1, 2, 0)


def test_applying_right_after_an_edit_uses_the_edited_settings(
    qtbot: QtBot, bench: Bench, hospital: Project
) -> None:
    bench.session.open_project(hospital)
    qtbot.waitUntil(bench.is_scored)
    bench.session.edit("Levels", edits.set_levels(hospital, "age", 0, 2))
    with qtbot.waitSignal(bench.session.applied.changed) as changed:
        bench.releases.apply((2, 1, 1))
    assert changed.args[0].problem is bench.session.results.problem
    assert bench.session.results.is_problem_current
    assert bench.session.applied.stale_text == ""


def test_a_requirement_changed_during_compiling_is_compiled_if_it_needs_other_measures(
    qtbot: QtBot, bench: Bench, hospital: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_project, may_end = scoring_controller._compile, threading.Event()

    def held(*arguments: Any) -> Any:
        assert may_end.wait(20)
        return compile_project(*arguments)

    monkeypatch.setattr(scoring_controller, "_compile", held)
    bench.session.open_project(hospital)
    qtbot.waitUntil(lambda: bench.session.runner.running("compile") is not None)
    model = Profitability()  # compares the information that is lost, which is scored only if asked for
    bench.session.edit("Set models", replace(hospital, requirement=Requirement((model,), 0.1)))
    may_end.set()
    qtbot.waitUntil(bench.is_scored)
    assert bench.session.results.evaluation.requirement.models == (model,)


def test_results_without_a_column_that_the_restored_requirement_names_are_gone_before_anyone_reads_them(
    qtbot: QtBot, bench: Bench, hospital: Project
) -> None:
    session = bench.session
    session.open_project(edits.set_roles(hospital, ["disease"], Role.INSENSITIVE))
    qtbot.waitUntil(bench.is_scored)
    session.edit("Role", edits.set_roles(session.project, ["disease"], Role.SENSITIVE))
    asked = Requirement((KAnonymity(2), DistinctLDiversity(column="disease", l=2)), 0.1)
    session.edit("Model", replace(session.project, requirement=asked))
    session.go_to_step(0)
    qtbot.waitUntil(bench.is_scored)
    seen = []
    for part in (session.parts.roles_changed, session.parts.requirement_changed):
        part.connect(lambda: seen.append((session.results.problem, session.results.evaluation)))
    session.go_to_step(2)
    assert seen == [(None, None)] * 2
    qtbot.waitUntil(bench.is_scored)
    assert session.results.evaluation.requirement == asked
