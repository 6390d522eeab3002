"""Random sequences of edits, undo, saving, loading, applying and cancelling, against a simple model."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from anonymizer_gui.session import Session
from anonymizer_gui.session.saving import read_project
from anonymizer_gui.tasks import Task
from engine.project import Project, edits
from engine.project.compile import compile_problem
from engine.project.pins_and_runs import Choice, Pin, Run
from engine.project.recipe.files import read_recipe
from engine.project.storage.file import save_project
from engine.recoding import Release, make_release
from tests.conftest import EXAMPLES

COLUMN, NODE = "name", (1, 1, 1)
LIMITS = st.sampled_from([0.1, 0.2, 0.3, 0.4])
METRICS = st.sampled_from(["loss", "precision", "aecs"])


@cache
def hospital() -> Project:
    return read_recipe(EXAMPLES / "hospital" / "recipe.toml")


@dataclass(frozen=True)
class Facts:
    """State of the project in the model; `reading` distinguishes tables with equal content."""

    limit: float
    metric: str
    names: tuple[str, ...]
    reading: int


@dataclass
class Step:
    """Changes of one step: facts, pins or runs, and the release that it replaces."""

    before: Any
    after: Any
    swaps: bool = False
    other: Facts | None = None


def names_of(project: Project) -> tuple[str, ...]:
    column = project.table.column(COLUMN)
    return tuple(column.text(record) for record in range(project.table.n_records))


class Sessions(RuleBasedStateMachine):
    """The session, and lists and numbers with its expected state."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="anonymizer-states-"))
        self.session = Session()
        self.session.open_project(hospital())
        project = hospital()
        self.readings = 0
        limit, metric = project.requirement.suppression_limit, project.search.metric
        self.facts = Facts(limit, metric, names_of(project), 0)
        self.pins: tuple[str, ...] = ()
        self.runs: tuple[str, ...] = ()
        self.applied: Facts | None = None
        self.steps: list[Step] = []
        self.index, self.clean = 0, 0
        self.saved: tuple[Facts, tuple[str, ...], tuple[str, ...]] | None = None
        self.kept_runs: tuple[str, ...] = ()
        self.is_saved_applied = self.is_kept_applied = False  # in the file; in the open project

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @property
    def project(self) -> Project:
        return cast(Project, self.session.project)

    @property
    def is_applied(self) -> bool:
        """Return whether there is a release that agrees with the current settings."""
        now = (self.facts.limit, self.facts.reading)
        return self.applied is not None and (self.applied.limit, self.applied.reading) == now

    # History of the model ------------------------------------------------------------------------

    def push(self, step: Step) -> None:
        if self.clean > self.index:
            self.clean = -1
        del self.steps[self.index :]
        self.steps.append(step)
        self.forth()

    def forth(self) -> None:
        step = self.steps[self.index]
        self.index += 1
        self.take(step, step.before, step.after)

    def back(self) -> None:
        self.index -= 1
        step = self.steps[self.index]
        self.take(step, step.after, step.before)

    def take(self, step: Step, old: Any, new: Any) -> None:
        if isinstance(new, Facts):
            self.facts = new
        elif new[0] == "pins":
            self.pins = new[1]
        else:
            self.runs = (*new[1], *self.runs[len(old[1]) :])
        if step.swaps:
            self.applied, step.other = step.other, self.applied

    # Edits ---------------------------------------------------------------------------------------

    @rule(limit=LIMITS)
    def set_limit(self, limit: float) -> None:
        self.session.edit("Limit", edits.set_suppression_limit(self.project, limit))
        if limit != self.facts.limit:
            self.push(Step(self.facts, replace(self.facts, limit=limit)))

    @rule(metric=METRICS)
    def set_metric(self, metric: str) -> None:
        self.session.edit("Metric", edits.set_metric(self.project, metric))
        if metric != self.facts.metric:
            self.push(Step(self.facts, replace(self.facts, metric=metric)))

    @rule(is_same=st.booleans())
    def change_the_table(self, is_same: bool) -> None:
        column = self.project.table.column(COLUMN)
        if is_same:  # the same texts with other codes
            last = np.int32(len(column.labels) - 1)
            after = replace(column, labels=column.labels[::-1], codes=last - column.codes)
        else:
            after = replace(column, codes=np.roll(column.codes, 1))
        self.session.edit("Table", edits.set_column(self.project, after))
        self.readings += 1
        names = self.facts.names if is_same else (self.facts.names[-1], *self.facts.names[:-1])
        self.push(Step(self.facts, replace(self.facts, names=names, reading=self.readings)))

    @rule(note=st.sampled_from("abc"))
    def pin(self, note: str) -> None:
        choice = Choice(self.project.qi_order, NODE, self.project.requirement)
        self.session.remembered.edit_pins("Pin", (*self.session.remembered.pins, Pin(choice, note)))
        self.push(Step(("pins", self.pins), ("pins", (*self.pins, note))))

    @precondition(lambda self: self.runs)
    @rule(data=st.data())
    def name_or_remove_a_run(self, data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(self.runs) - 1))
        name = data.draw(st.sampled_from(["", "board", "draft"]))
        runs = self.session.remembered.runs
        if name:
            changed = (*runs[:at], replace(runs[at], name=name), *runs[at + 1 :])
            told = (*self.runs[:at], name, *self.runs[at + 1 :])
        else:
            changed, told = (*runs[:at], *runs[at + 1 :]), (*self.runs[:at], *self.runs[at + 1 :])
        self.session.remembered.edit_runs("Run", changed)
        if told != self.runs:
            self.push(Step(("runs", self.runs), ("runs", told)))

    @rule(limit=LIMITS)
    def turn_a_knob_and_let_it_go(self, limit: float) -> None:
        requirement = replace(self.project.requirement, suppression_limit=limit)
        self.session.shown.preview(requirement)
        self.session.shown.cancel()

    # Undo and redo -------------------------------------------------------------------------------

    @rule()
    def undo(self) -> None:
        self.session.history.undo()
        if self.index > 0:
            self.back()

    @rule()
    def redo(self) -> None:
        self.session.history.redo()
        if self.index < len(self.steps):
            self.forth()

    @rule(data=st.data())
    def jump(self, data: st.DataObject) -> None:
        step = data.draw(st.integers(0, len(self.steps)))
        self.session.go_to_step(step)
        while self.index > step:
            self.back()
        while self.index < step:
            self.forth()

    # Releases ------------------------------------------------------------------------------------

    def released(self, *, is_cancelled: bool) -> Release | None:
        """Return a release as a task does, which may be cancelled after its work."""
        made: list[Release] = []
        task = Task(lambda project: make_release(project, compile_problem(project), NODE), self.project)
        task.succeeded.connect(made.append)
        task.job.run()
        if is_cancelled:
            task.cancel()
        task.finish()
        assert task.has_ended
        return made[0] if made else None

    @rule()
    def apply(self) -> None:
        release = self.released(is_cancelled=False)
        self.session.applied.set(release)
        choice = Choice(self.project.qi_order, NODE, self.project.requirement)
        self.session.remembered.set_runs(
            (*self.session.remembered.runs, Run(choice, "2026-11-22T12:00", name="new"))
        )
        self.applied, self.runs = self.facts, (*self.runs, "new")

    @rule()
    def cancel_applying(self) -> None:
        assert self.released(is_cancelled=True) is None

    @rule(limit=LIMITS)
    def change_settings_and_release_at_once(self, limit: float) -> None:
        after = edits.set_suppression_limit(self.project, limit)
        release = make_release(after, compile_problem(after), NODE)
        self.session.edit_release("Both", after, release)
        facts = replace(self.facts, limit=limit)
        self.push(Step(self.facts, facts, swaps=True, other=facts))

    # The file ------------------------------------------------------------------------------------

    @rule()
    def save(self) -> None:
        path = self.folder / "kept.anon"
        save_project(self.session.snapshot()[0], path, self.session.snapshot()[1])
        self.session.mark_saved(path)
        self.clean = self.index
        self.saved = (self.facts, self.pins, self.runs)
        self.kept_runs = self.runs
        self.is_saved_applied = self.is_kept_applied = self.is_applied

    @precondition(lambda self: self.saved)
    @rule()
    def load(self) -> None:
        assert self.saved is not None
        path = self.folder / "kept.anon"
        opened = read_project(path)
        self.session.open_project(opened.project, path, opened.state)
        self.readings += 1
        facts, self.pins, self.runs = self.saved
        self.facts, self.applied = replace(facts, reading=self.readings), None
        self.saved = (self.facts, self.pins, self.runs)
        self.kept_runs, self.is_kept_applied = self.runs, self.is_saved_applied
        self.steps, self.index, self.clean = [], 0, 0

    # Background work -----------------------------------------------------------------------------

    def settle(self) -> None:
        """Recompute a release that is not in memory, and pack the tables of the steps."""
        if (evicted := self.session.applied.evicted) is not None:
            release = make_release(evicted.made_with, compile_problem(evicted.made_with), NODE)
            self.session.applied.restore(release, evicted.made_with)
        tables = self.session.tables
        for loose in tables.loose:
            tables.replace(loose, tables.store(loose))

    # Invariants ----------------------------------------------------------------------------------

    @invariant()
    def the_project_is_the_one_of_the_model(self) -> None:
        self.settle()
        assert self.project.requirement.suppression_limit == self.facts.limit
        assert self.session.shown.requirement == self.project.requirement
        assert self.project.search.metric == self.facts.metric
        assert names_of(self.project) == self.facts.names
        assert tuple(pin.note for pin in self.session.remembered.pins) == self.pins
        assert tuple(run.name for run in self.session.remembered.runs) == self.runs

    @invariant()
    def undo_redo_and_unsaved_are_told_truly(self) -> None:
        self.settle()
        assert (self.session.history.step, len(self.session.history.texts)) == (self.index, len(self.steps))
        is_unsaved = self.runs != self.kept_runs or (self.is_applied and not self.is_kept_applied)
        assert self.session.saved.is_modified == (self.index != self.clean or is_unsaved)

    @invariant()
    def a_release_is_stale_exactly_where_its_settings_are_others(self) -> None:
        self.settle()
        assert (self.session.applied.release is None) == (self.applied is None)
        assert (self.session.applied.can_release == "") == self.is_applied
        assert (self.session.snapshot()[1].applied == NODE) == self.is_applied


def test_any_sequence_of_steps_agrees_with_the_model(qapp: object) -> None:
    run_state_machine_as_test(
        Sessions,
        settings=settings(stateful_step_count=25, suppress_health_check=list(HealthCheck)),
    )
