"""Locks of project files: one window writes, and the lock of one that has ended blocks no one."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from engine.project.storage import lock as locks
from engine.project.storage.lock import LockOwner, ProjectLock, lock_file, lock_project


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "people.anon"


def taken(path: Path) -> ProjectLock:
    lock = lock_project(path)
    assert isinstance(lock, ProjectLock)
    return lock


def change(path: Path, **values: object) -> None:
    beside = lock_file(path)
    beside.write_text(json.dumps(json.loads(beside.read_text()) | values))


def test_only_the_first_gets_it_until_it_is_released(path: Path) -> None:
    lock = taken(path)
    holder = lock_project(path)
    assert isinstance(holder, LockOwner)
    assert holder.is_here
    assert len(holder.since) == 16
    lock.release()
    assert not lock.is_held
    assert list(path.parent.iterdir()) == []
    assert taken(path).is_held


def test_the_lock_of_a_process_that_is_no_more_is_taken_over(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = taken(path)
    monkeypatch.setattr(locks, "is_running", lambda pid, start: False)
    second = taken(path)
    assert second.is_held
    assert not first.is_held
    first.release()
    assert second.is_held, "a lock lost is not one to release"
    assert [file.name for file in path.parent.iterdir()] == [".people.anon.lock"]


def test_the_lock_of_another_machine_is_respected(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken(path)
    change(path, host="another", pid=1, start="1")
    monkeypatch.setattr(locks, "is_running", lambda pid, start: False)
    assert lock_project(path) == LockOwner("another", json.loads(lock_file(path).read_text())["since"], False)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x"}', "\x00"])
def test_a_lock_that_cannot_be_read_blocks_no_one(path: Path, text: str) -> None:
    lock_file(path).write_text(text)
    assert taken(path).is_held


def test_a_lock_another_window_made_at_the_same_moment_stays_theirs(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock_file(path).write_text("{}")
    theirs = json.dumps({"token": "theirs", "pid": os.getpid(), "start": "now", "host": "another"})
    rename = os.rename

    def faster(old: Path, new: Path) -> None:
        Path(old).write_text(theirs)
        rename(old, new)

    monkeypatch.setattr(os, "rename", faster)
    assert isinstance(lock_project(path), LockOwner)
    assert lock_file(path).read_text() == theirs


def test_the_same_file_by_a_link_has_the_same_lock(path: Path, tmp_path: Path) -> None:
    path.write_text("x")
    link = tmp_path / "link.anon"
    link.symlink_to(path)
    taken(path)
    assert isinstance(lock_project(link), LockOwner)


def test_there_is_no_lock_if_nothing_can_be_written(path: Path) -> None:
    assert lock_project(path.parent / "none" / "people.anon") is None


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_the_others_of_a_shared_folder_may_read_who_has_it(path: Path) -> None:
    taken(path)
    assert stat.S_IMODE(lock_file(path).stat().st_mode) & 0o444 == 0o444
    assert set(json.loads(lock_file(path).read_text())) == {"token", "pid", "start", "host", "since"}
