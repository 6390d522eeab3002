"""Releases that change with the project: one undo step, and the text about differences."""

from __future__ import annotations

import gc
from dataclasses import dataclass, replace
from typing import ClassVar
from weakref import WeakSet

import pytest
from pytestqt.qtbot import QtBot

from anonymizer_gui.session import Session
from anonymizer_gui.session.applied import N_CACHED, stale_text
from anonymizer_gui.session.release_controller import ReleaseController, RunRecorder
from anonymizer_gui.session.words import recoding_title
from engine.params import Integer, param
from engine.project import Project, edits
from engine.project.compile import compile_problem
from engine.recoding import RecodingMethod, Release, make_release


@dataclass(frozen=True, slots=True)
class Cover(RecodingMethod):
    """Recoding method of which only the name and the parameter are used."""

    title: ClassVar[str] = "Cover"
    summary: ClassVar[str] = ""
    rounds: int = param(1, Integer(minimum=1, label="Rounds"))


@dataclass(frozen=True, slots=True)
class Cut(RecodingMethod):
    """A second such method."""

    title: ClassVar[str] = "Cut"
    summary: ClassVar[str] = ""


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Cover, Cut):
        monkeypatch.setattr(kind, "key", kind.__name__.lower())


def released(project: Project, node: tuple[int, ...]) -> Release:
    return make_release(project, compile_problem(project), node)


def test_a_release_with_another_recoding_is_out_of_date(hospital: Project) -> None:
    by = {
        None: hospital,
        "cover": replace(hospital, recoding=Cover()),
        "more": replace(hospital, recoding=Cover(2)),
        "cut": replace(hospital, recoding=Cut()),
    }
    made_with = "Release was made with"
    assert stale_text(by["cover"], by["cover"]) == ""
    assert stale_text(by["cover"], by[None]) == f"{made_with} Cover, current setting none"
    assert stale_text(by["cover"], by["cut"]) == f"{made_with} Cover, current setting Cut"
    assert stale_text(by[None], by["cut"]) == "Release was made without local recoding, current setting Cut"
    assert stale_text(by["cover"], by["more"]) == f"{made_with} other settings of Cover"


def test_metric_and_weights_affect_a_recoding_but_not_a_node(hospital: Project) -> None:
    recoded = replace(hospital, recoding=Cover())
    for edited, text in (
        (lambda p: edits.set_metric(p, "precision"), "Release was made for another metric"),
        (lambda p: edits.set_weights(p, {"age": 2.0}), "Release was made with other weights"),
        (lambda p: edits.set_algorithm(p, "best_first"), ""),
    ):
        assert stale_text(recoded, edited(recoded)) == text
        assert stale_text(hospital, edited(hospital)) == ""


def test_project_and_release_change_in_one_step_and_back(qapp: object, hospital: Project) -> None:
    session = Session()
    session.open_project(hospital)
    first = released(hospital, (2, 0, 2))
    session.applied.set(first)
    told: list[object] = []
    stale: list[str] = []
    session.applied.changed.connect(told.append)
    session.applied.stale_changed.connect(stale.append)
    after = replace(hospital, recoding=Cover())
    second = released(hospital, (3, 0, 2))
    session.edit_release("Use Cover", after, second)
    assert (session.project, session.applied.release, session.applied.made_with) == (after, second, after)
    session.history.undo()
    assert (session.project, session.applied.release, session.applied.made_with) == (
        hospital,
        first,
        hospital,
    )
    session.history.redo()
    assert (session.project, session.applied.release) == (after, second)
    assert told == [second, first, second]
    assert stale == []


def test_undo_returns_to_the_last_applied_release(qapp: object, hospital: Project) -> None:
    session = Session()
    session.open_project(hospital)
    session.applied.set(released(hospital, (2, 0, 2)))
    after = replace(hospital, recoding=Cover())
    session.edit_release("Use Cover", after, released(hospital, (3, 0, 2)))
    session.history.undo()
    other = released(hospital, (4, 1, 2))
    session.applied.set(other)  # applying a node is not an undo step
    session.history.redo()
    session.history.undo()
    assert session.applied.release is other


def test_a_recoding_alone_is_an_edit(qapp: object, hospital: Project) -> None:
    session = Session()
    session.open_project(hospital)
    heard: list[bool] = []
    session.parts.recoding_changed.connect(lambda: heard.append(True))
    session.edit("Choose Cover", replace(hospital, recoding=Cover()))
    session.history.undo()
    assert heard == [True, True]


def test_a_node_has_no_recoding_method(hospital: Project) -> None:
    assert recoding_title(None) == recoding_title(released(hospital, (2, 0, 2))) == ""


LIMITS = (0.3, 0.35, 0.4, 0.45, 0.5)


def with_releases(session: Session, project: Project) -> list[list[list[str]]]:
    """Apply a release with each of several settings; return the cells of each."""
    session.open_project(project)
    written = []
    for number, limit in enumerate(LIMITS):
        project = edits.set_suppression_limit(project, limit)
        release = released(project, (number, 0, 2))
        session.edit_release(f"Use {number}", project, release)
        written.append(texts_of(release))
    return written


def texts_of(release: Release | None) -> list[list[str]]:
    return [[column.text(record) for record in range(release.n_records)] for column in release.columns]


def test_steps_keep_only_the_latest_releases_in_memory(qapp: object, hospital: Project) -> None:
    session = Session()
    made: WeakSet[Release] = WeakSet()
    session.applied.changed.connect(lambda release: None if release is None else made.add(release))
    with_releases(session, hospital)
    gc.collect()
    assert len(made) <= 1 + N_CACHED
    session.go_to_step(1)
    gc.collect()
    assert len(made) <= 1 + N_CACHED


@pytest.mark.parametrize("stale", [False, True])
def test_a_release_not_in_memory_is_recomputed_and_is_not_a_new_one(
    qtbot: QtBot, hospital: Project, stale: bool
) -> None:
    session = Session()
    releases, recorder = ReleaseController(session), RunRecorder(session)
    written = with_releases(session, hospital)
    if stale:  # the release of the first step, with its own limit
        session.go_to_step(1)
        qtbot.waitUntil(lambda: not session.runner.is_busy)
        other = edits.set_suppression_limit(session.project, 0.2)
        session.edit_release("Use another", other, released(other, (4, 1, 2)))
        session.history.undo()
    qtbot.waitUntil(lambda: not session.runner.is_busy)
    n_runs = len(session.remembered.runs)
    gc.collect()
    session.go_to_step(1)
    qtbot.waitUntil(lambda: not session.runner.is_busy)
    assert texts_of(session.applied.release) == written[0]
    assert session.applied.can_release == ""
    assert session.applied.evicted is None
    assert len(session.remembered.runs) == n_runs
    session.runner.shutdown()
    del releases, recorder


def test_an_out_of_date_release_is_recomputed_with_its_settings(qtbot: QtBot, hospital: Project) -> None:
    session = Session()
    releases = ReleaseController(session)
    session.open_project(hospital)
    first = released(hospital, (2, 0, 2))
    session.applied.set(first, hospital)
    wanted = texts_of(first)
    del first
    changed = edits.set_suppression_limit(hospital, 0.4)
    session.edit("Set the limit", changed)
    stale = session.applied.stale_text
    for limit in LIMITS:
        after = edits.set_suppression_limit(hospital, limit)
        session.edit_release("Use", after, released(after, (4, 1, 2)))
    gc.collect()
    session.go_to_step(1)
    assert session.applied.release is None
    assert session.applied.can_release
    qtbot.waitUntil(lambda: session.applied.release is not None)
    assert texts_of(session.applied.release) == wanted
    assert session.applied.stale_text == stale != ""
    session.runner.shutdown()
    del releases


def test_recomputing_a_release_is_cancelled_when_another_step_is_shown(
    qtbot: QtBot, hospital: Project
) -> None:
    session = Session()
    releases = ReleaseController(session)
    written = with_releases(session, hospital)
    gc.collect()
    session.go_to_step(1)
    session.go_to_step(len(LIMITS))
    qtbot.waitUntil(lambda: not session.runner.is_busy)
    assert texts_of(session.applied.release) == written[-1]
    session.runner.shutdown()
    del releases
