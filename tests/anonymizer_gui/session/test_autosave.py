"""Unsaved work is stored for recovery soon after every change; saved or discarded work is not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from anonymizer_gui.session import Session
from anonymizer_gui.session.autosave import INTERVAL, Autosave, Recovering
from anonymizer_gui.tasks import runner
from engine.errors import ExportError
from engine.project import Project, edits
from engine.project.storage import recovery
from engine.project.storage.recovery import Recovery
from engine.records import Role
from tests.project_differences import project_differences


@pytest.fixture
def session(qapp: object) -> Session:
    return Session()


@pytest.fixture
def autosave(session: Session) -> Iterator[Autosave]:
    made = Autosave(session, Recovering(), interval=1)
    yield made
    made.shutdown()


@pytest.fixture
def after_crash(monkeypatch: pytest.MonkeyPatch) -> Recovery:
    monkeypatch.setattr(recovery, "is_running", lambda pid, start: False)
    return Recovery()


def is_kept(qtbot: QtBot, autosave: Autosave) -> None:
    qtbot.waitUntil(lambda: not autosave.is_waiting)


def edited(project: Project) -> Project:
    return edits.set_roles(project, [project.table.names[0]], Role.SENSITIVE)


def test_changes_are_stored_within_the_documented_time() -> None:
    assert INTERVAL <= 8_000, "ten seconds are promised, and writing takes some"


def test_a_project_without_a_file_is_stored_in_its_current_state(
    qtbot: QtBot, session: Session, autosave: Autosave, after_crash: Recovery, hospital: Project
) -> None:
    session.open_project(hospital)
    is_kept(qtbot, autosave)
    session.edit("Role", edited(hospital))
    is_kept(qtbot, autosave)
    (offer,) = after_crash.offers()
    assert project_differences(after_crash.read(offer).project, session.project) == ()


def test_a_saved_project_is_stored_only_once_it_changes(
    qtbot: QtBot,
    session: Session,
    autosave: Autosave,
    after_crash: Recovery,
    hospital: Project,
    tmp_path: Path,
) -> None:
    path = tmp_path / "hospital.anon"
    session.open_project(hospital, path)
    is_kept(qtbot, autosave)
    assert after_crash.offers() == ()
    session.edit("Role", edited(hospital))
    is_kept(qtbot, autosave)
    assert [offer.path for offer in after_crash.offers()] == [path]
    session.mark_saved(path)
    is_kept(qtbot, autosave)
    assert after_crash.offers() == ()
    session.history.undo()
    is_kept(qtbot, autosave)
    assert len(after_crash.offers()) == 1, "it is not what the file holds"


def test_a_closed_project_is_not_stored(
    qtbot: QtBot, session: Session, autosave: Autosave, after_crash: Recovery, hospital: Project
) -> None:
    session.open_project(hospital)
    is_kept(qtbot, autosave)
    session.close_project()
    is_kept(qtbot, autosave)
    assert after_crash.offers() == ()


def test_the_first_records_of_a_table_are_not_stored_as_the_table(
    qtbot: QtBot, session: Session, autosave: Autosave, after_crash: Recovery, hospital: Project
) -> None:
    beginning = replace(hospital, table=hospital.table.take(np.arange(5)))
    session.open_project(beginning, provisional=True)
    qtbot.wait(20)  # nothing may happen during this time
    assert after_crash.offers() == ()
    session.finish_reading(hospital)
    is_kept(qtbot, autosave)
    (offer,) = after_crash.offers()
    assert after_crash.read(offer).project.table.n_records == hospital.table.n_records


def test_an_error_of_storing_is_reported_once_and_retried(
    qtbot: QtBot,
    session: Session,
    autosave: Autosave,
    after_crash: Recovery,
    hospital: Project,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[Exception] = []
    autosave.failed.connect(told.append)
    n_tries: list[int] = []

    def full(*args: object) -> None:
        n_tries.append(1)
        raise ExportError("No space left.", hint="Free some.")

    with monkeypatch.context() as patch:
        patch.setattr(Recovery, "write", full)
        session.open_project(hospital)
        qtbot.waitUntil(lambda: len(n_tries) > 2)
    assert len(told) == 1
    is_kept(qtbot, autosave)
    assert len(after_crash.offers()) == 1


@pytest.mark.parametrize("place", ["snapshot", "write", "archive", "thread"])
def test_without_memory_stored_work_stays_and_the_rest_is_stored_once_there_is_memory(
    qtbot: QtBot,
    session: Session,
    autosave: Autosave,
    after_crash: Recovery,
    hospital: Project,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
) -> None:
    told: list[Exception] = []
    kept: list[str] = []
    autosave.failed.connect(told.append)
    n_tries: list[int] = []

    def starved(*args: object, **kwargs: object) -> None:
        n_tries.append(1)
        raise MemoryError

    session.open_project(hospital)
    is_kept(qtbot, autosave)
    autosave.stored.connect(lambda: kept.append("now"))
    with monkeypatch.context() as patch:
        if place == "snapshot":
            patch.setattr(session, "snapshot", starved)
        elif place == "write":
            patch.setattr(recovery, "members_of", starved)
        elif place == "archive":
            patch.setattr(recovery, "write_archive", starved)
        else:
            patch.setattr(runner, "_work", starved)  # Qt reports it, and the task never ends
        with qtbot.captureExceptions() if place == "thread" else nullcontext():
            session.edit("Role", edited(hospital))
            qtbot.waitUntil(lambda: len(n_tries) > 1 and bool(told), timeout=20_000)
        assert kept == [], "nothing is said to be kept that is not"
        (offer,) = after_crash.offers()
        assert project_differences(after_crash.read(offer).project, hospital) == ()
    assert [str(error) for error in told] == [
        (
            "Not enough memory to save unsaved work automatically. The previous copy is intact. "
            "Close other programs; the program will try again."
        )
    ]
    qtbot.waitUntil(lambda: kept == ["now"], timeout=20_000)
    (offer,) = after_crash.offers()
    assert project_differences(after_crash.read(offer).project, session.project) == ()


def test_closing_deletes_recovery_data_unless_changes_would_be_lost_that_were_not_discarded(
    qtbot: QtBot, session: Session, after_crash: Recovery, hospital: Project
) -> None:
    for is_edited, is_given_up, n_offers in ((False, False, 0), (True, True, 0), (True, False, 1)):
        autosave = Autosave(session, Recovering(), interval=1)
        session.open_project(hospital)
        if is_edited:
            session.edit("Role", edited(hospital))
        is_kept(qtbot, autosave)
        if is_given_up:
            autosave.discard_changes()
        autosave.shutdown()
        autosave.deleteLater()
        assert len(after_crash.offers()) == n_offers
