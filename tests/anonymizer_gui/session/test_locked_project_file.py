"""Locks of project files: one window writes, by every path, and that of one that has ended blocks no one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anonymizer_gui.session.saving import LockedProjectFile, lock_file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "people.anon"


def taken(path: Path) -> LockedProjectFile:
    file = LockedProjectFile()
    assert file.take(path) is None
    assert lock_file(path).exists()
    return file


def change(path: Path, **values: str) -> None:
    """Change what a lock says of its owner."""
    names = ("process", "program", "host", "machine", "start")
    held = dict(zip(names, lock_file(path).read_text().split("\n"), strict=False))
    lock_file(path).unlink()  # the native lock is of that file
    lock_file(path).write_text("\n".join((held | values).values()) + "\n")


def test_only_the_first_gets_it_until_it_is_released(path: Path) -> None:
    first = taken(path)
    owner = LockedProjectFile().take(path)
    assert owner is not None
    assert (owner.is_here, len(owner.since)) == (True, 16)
    first.release()
    assert list(path.parent.iterdir()) == []
    taken(path)


def test_the_lock_of_a_process_that_is_no_more_is_taken_over(path: Path) -> None:
    _held = taken(path)
    change(path, process=str(2**22 - 1))
    taken(path)


def test_the_lock_of_another_machine_is_respected(path: Path) -> None:
    _held = taken(path)
    change(path, process=str(2**22 - 1), host="another", machine="0" * 32)
    owner = LockedProjectFile().take(path)
    assert owner is not None
    assert (owner.host, owner.is_here) == ("another", False)


@pytest.mark.parametrize("text", ["", "{", '{"pid": 1, "host": "another"}', "\x00"])
def test_a_lock_that_cannot_be_read_blocks_no_one(path: Path, text: str) -> None:
    lock_file(path).write_text(text)
    taken(path)


def test_a_file_is_opened_without_a_lock_if_nothing_can_be_written(path: Path) -> None:
    assert LockedProjectFile().take(path.parent / "none" / "people.anon") is None


@pytest.mark.skipif(os.name == "nt", reason="permissions and links are of POSIX")
def test_the_others_of_a_shared_folder_may_read_who_has_it(path: Path) -> None:
    _held = taken(path)
    assert lock_file(path).stat().st_mode & 0o444 == 0o444


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_path_through_a_linked_folder_is_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    by_name, by_link = tmp_path / "real" / "x.anon", tmp_path / "link" / "x.anon"
    by_name.write_text("unchanged")
    file = LockedProjectFile()
    assert file.take(by_link) is None
    file.note(by_link)
    assert file.take(by_name) is None
    assert not file.has_changed(by_name)
    file.release_others(by_name)
    assert LockedProjectFile().take(by_name) is not None
    file.release_others(None)
    assert LockedProjectFile().take(by_name) is None
