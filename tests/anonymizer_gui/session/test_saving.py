"""Saving: the file contains the last save, and a cancelled save leaves no trace."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from anonymizer_gui.session import Session
from anonymizer_gui.session.saving import Saving
from engine.project import Project
from engine.project.recipe.files import read_recipe
from engine.project.storage import file
from engine.project.storage.file import open_project

SECONDS = 10  # timeout for tests that would wait forever


@pytest.fixture
def session(qapp: object, examples: Path) -> Session:
    made = Session()
    made.open_project(read_recipe(examples / "hospital" / "recipe.toml"))
    return made


@pytest.fixture
def saving(session: Session) -> Saving:
    return Saving(session)


def rename(session: Session, name: str) -> None:
    session.edit("Rename", replace(session.project, name=name))


class Held:
    """Saving whose first call waits at its start or end until released."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, at_end: bool = False) -> None:
        self.has_come, self.may_go = threading.Event(), threading.Event()
        self.began: list[str] = []
        save = file.save_project

        def held(project: Project, *args: object) -> None:
            is_first = not self.began
            self.began.append(project.name)
            if at_end:
                save(project, *args)  # type: ignore[arg-type]
            if is_first:
                self.has_come.set()
                assert self.may_go.wait(SECONDS)
            if not at_end:
                save(project, *args)  # type: ignore[arg-type]

        monkeypatch.setattr(file, "save_project", held)


def test_a_save_starts_only_after_the_previous_one_has_ended(
    qtbot: QtBot,
    session: Session,
    saving: Saving,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    path, held = tmp_path / "x.anon", Held(monkeypatch)
    rename(session, "first")
    saving.save(path)
    assert held.has_come.wait(SECONDS)
    rename(session, "second")
    saving.save(path)
    qtbot.waitUntil(lambda: session.runner.tasks[-1].has_begun)
    qtbot.wait(30)  # nothing may happen during this time
    assert held.began == ["first"]
    held.may_go.set()
    qtbot.waitUntil(lambda: not session.runner.is_busy)
    assert held.began == ["first", "second"]
    assert open_project(path).project.name == "second"
    assert not session.saved.is_modified


def test_a_waiting_save_can_be_cancelled(
    qtbot: QtBot,
    session: Session,
    saving: Saving,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    path, held = tmp_path / "x.anon", Held(monkeypatch)
    rename(session, "first")
    saving.save(path)
    assert held.has_come.wait(SECONDS)
    saving.save(path)
    second = session.runner.tasks[-1]
    qtbot.waitUntil(lambda: second.has_begun)
    second.cancel()
    qtbot.waitUntil(lambda: second.has_ended, timeout=500)
    held.may_go.set()
    qtbot.waitUntil(lambda: not session.runner.is_busy)
    assert not path.exists()
    assert session.saved.is_modified


def test_a_save_cancelled_after_writing_does_not_replace_the_file(
    qtbot: QtBot,
    session: Session,
    saving: Saving,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    path, fsync = tmp_path / "x.anon", os.fsync

    def cancelling(number: int) -> None:
        fsync(number)
        session.runner.cancel_all()

    monkeypatch.setattr(os, "fsync", cancelling)
    rename(session, "first")
    saving.save(path)
    qtbot.waitUntil(lambda: not session.runner.is_busy)
    assert list(tmp_path.iterdir()) == []
    assert session.saved.is_modified


@pytest.mark.parametrize("at_end", [False, True])
def test_a_cancelled_save_says_whether_the_file_was_written_anyway(
    qtbot: QtBot,
    session: Session,
    saving: Saving,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    at_end: bool,
) -> None:
    path, held = tmp_path / "x.anon", Held(monkeypatch, at_end=at_end)
    told: list[object] = []
    saving.cancelled.connect(lambda: told.append("cancelled"))
    saving.saved.connect(told.append)
    rename(session, "first")
    saving.save(path)
    assert held.has_come.wait(SECONDS)
    session.runner.cancel_all()
    held.may_go.set()
    qtbot.waitUntil(lambda: not session.runner.is_busy)
    assert told == (["cancelled", path] if at_end else ["cancelled"])
    assert session.saved.is_modified == (not at_end)
