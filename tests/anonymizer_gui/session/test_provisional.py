"""Work on a table whose first records are read, without loss when the rest is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from anonymizer_gui.session import Session
from anonymizer_gui.session.saving import Saving
from anonymizer_gui.session.scoring_controller import ScoringController
from engine.errors import InputError
from engine.project import Project, edits
from engine.project.pins_and_runs import Choice, Pin, Run
from engine.project.recipe.files import read_recipe
from engine.records import Role, Table


@pytest.fixture(scope="module")
def whole(examples: Path) -> Project:
    return read_recipe(examples / "hospital" / "recipe.toml")


@pytest.fixture(scope="module")
def beginning(whole: Project) -> Project:
    return replace(whole, table=whole.table.take(np.arange(5)))


@pytest.fixture
def session(qapp: object, beginning: Project) -> Iterator[Session]:
    made = Session()
    made.open_project(beginning, provisional=True)
    yield made
    made.runner.shutdown()


def n_announced(session: Session) -> list[int]:
    told: list[int] = []
    session.snapshot_changed.connect(lambda: told.append(1))
    return told


def test_the_complete_table_keeps_roles_and_settings_and_is_not_an_undo_step(
    session: Session, beginning: Project, whole: Project
) -> None:
    told: list[bool] = []
    session.reading.changed.connect(told.append)
    session.edit("Set the role", edits.set_roles(beginning, ["name"], Role.INSENSITIVE))
    assert session.reading.is_provisional
    session.finish_reading(whole)
    assert not session.reading.is_provisional
    assert told == [False]
    assert session.project.table is whole.table
    assert session.project.role("name") is Role.INSENSITIVE
    assert session.history.own.count() == 1


def test_undo_restores_roles_but_not_the_partial_table(
    session: Session, beginning: Project, whole: Project
) -> None:
    session.edit("Set the role", edits.set_roles(beginning, ["name"], Role.INSENSITIVE))
    session.finish_reading(whole)
    session.history.undo()
    assert session.project.table is whole.table
    assert session.project.role("name") is beginning.role("name")
    session.history.redo()
    assert session.project.table is whole.table
    assert session.project.role("name") is Role.INSENSITIVE


def test_an_edit_prepared_on_the_first_records_is_made_on_the_complete_table(
    session: Session, beginning: Project, whole: Project
) -> None:
    after = edits.set_metric(beginning, "precision")
    session.finish_reading(whole)
    session.edit("Set the metric", after)
    assert session.project.table is whole.table
    assert session.project.search.metric == "precision"


def test_the_table_cannot_be_changed_before_it_is_read(session: Session, beginning: Project) -> None:
    other = replace(beginning, table=Table(beginning.table.columns[:]))
    with pytest.raises(InputError, match="while it is being read"):
        session.edit("Set the type", other)
    assert session.project is beginning


def test_a_table_with_other_columns_is_not_the_rest_of_this_one(session: Session, whole: Project) -> None:
    with pytest.raises(ValueError, match="other columns"):
        session.finish_reading(replace(whole, table=Table(whole.table.columns[1:])))
    assert session.reading.is_provisional


def test_another_project_opened_in_between_does_not_get_the_rest(
    session: Session, whole: Project, examples: Path
) -> None:
    clinic = read_recipe(examples / "clinic" / "recipe.toml")
    told: list[bool] = []
    session.reading.changed.connect(told.append)
    session.open_project(clinic)
    session.finish_reading(whole)
    assert session.project is clinic
    assert told == [False]


def test_nothing_is_scored_until_the_table_is_complete(
    qtbot: QtBot, session: Session, whole: Project
) -> None:
    scoring = ScoringController(session)
    qtbot.waitUntil(lambda: scoring.is_settled)
    assert session.results.problem is None
    assert session.results.problem_error is None
    session.finish_reading(whole)
    qtbot.waitUntil(lambda: scoring.is_settled and session.results.problem is not None)
    assert session.results.problem.n_records == whole.table.n_records


def test_nothing_is_saved_until_the_table_is_complete(
    session: Session, whole: Project, tmp_path: Path, qtbot: QtBot
) -> None:
    saving = Saving(session)
    errors: list[Exception] = []
    saving.failed.connect(errors.append)
    saving.save(tmp_path / "a.anon")
    saving.save_recipe(tmp_path / "a.toml")
    assert [type(error) for error in errors] == [InputError, InputError]
    assert not session.runner.is_busy
    assert list(tmp_path.iterdir()) == []
    session.finish_reading(whole)
    with qtbot.waitSignal(saving.saved):
        saving.save(tmp_path / "a.anon")


def released(node: tuple[int, ...]) -> Any:
    return SimpleNamespace(node=node, recoding=None)


def test_the_reason_against_an_export_is_given(session: Session, whole: Project) -> None:
    assert "still being read" in session.applied.can_release
    session.finish_reading(whole)
    assert "apply a node first" in session.applied.can_release
    session.applied.set(released((0, 0)))
    assert session.applied.can_release == ""
    now = cast(Project, session.project)
    session.edit("Change export settings", replace(now, transformation=replace(now.transformation, seed=3)))
    assert session.applied.stale_text != ""
    assert session.applied.can_release == "", "the export makes the release again for that"
    session.edit("Set the limit", edits.set_suppression_limit(cast(Project, session.project), 0.5))
    assert session.applied.can_release == session.applied.stale_text
    session.close_project()
    assert "open a table first" in session.applied.can_release


def test_every_change_of_the_file_content_is_announced(qapp: object, whole: Project) -> None:
    session = Session()
    told = n_announced(session)
    choice = Choice(("age",), (0,), whole.requirement)
    pins, runs = (Pin(choice, ""),), (Run(choice, "2026-11-22T09:30"),)
    steps = (
        lambda: session.open_project(whole),
        lambda: session.edit("Set the limit", edits.set_suppression_limit(whole, 0.5)),
        session.history.undo,
        lambda: session.remembered.edit_pins("Pin", pins),
        lambda: session.remembered.edit_runs("Note", runs),
        lambda: session.selection.select((0, 0)),
        lambda: session.applied.set(released((0, 1))),
    )
    for number, step in enumerate(steps):
        told.clear()
        step()
        assert told, number
    project, state = session.snapshot()
    assert project is session.project
    assert (state.applied, state.selected, state.runs, state.pins) == ((0, 1), (0, 0), runs, pins)


def test_an_out_of_date_release_is_not_saved_as_the_applied_one(qapp: object, whole: Project) -> None:
    session = Session()
    session.open_project(whole)
    session.applied.set(released((0, 1)))
    session.edit("Set the limit", edits.set_suppression_limit(whole, 0.5))
    assert session.snapshot()[1].applied is None
