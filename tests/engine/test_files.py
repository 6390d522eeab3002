"""Atomic writing: the target is unchanged or complete, and nothing remains next to it."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from engine.errors import ExportError
from engine.files import atomic_write


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "out.csv"
    path.write_text("before")
    return path


def unchanged(target: Path) -> bool:
    return target.read_text() == "before" and list(target.parent.iterdir()) == [target]


def test_the_target_changes_only_at_the_end(target: Path) -> None:
    with atomic_write(target) as file:
        file.write(b"after")
        assert target.read_text() == "before"
    assert target.read_text() == "after"
    assert list(target.parent.iterdir()) == [target]


def test_a_full_disk_leaves_the_target_untouched(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with (
        pytest.raises(ExportError, match=r"out\.csv' could not be written: No space left"),
        atomic_write(target) as file,
    ):
        file.write(b"after")
    assert unchanged(target)


def test_no_permission_to_write_is_named(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*args: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", forbidden)
    with (
        pytest.raises(ExportError, match=r"could not be written: Permission denied") as caught,
        atomic_write(target),
    ):
        pass
    assert caught.value.hint
    assert unchanged(target)


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(ExportError, match="its folder does not exist"),
        atomic_write(tmp_path / "none" / "out.csv"),
    ):
        pass


def test_a_folder_in_the_place_of_the_target_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="is a folder"), atomic_write(tmp_path):
        pass


def test_an_error_of_the_writer_passes_through_and_leaves_nothing(target: Path) -> None:
    with pytest.raises(ZeroDivisionError), atomic_write(target) as file:
        file.write(bytes(1 // 0))
    assert unchanged(target)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_permissions_are_those_of_an_ordinary_new_file_or_of_the_old_one(
    tmp_path: Path, target: Path
) -> None:
    target.chmod(0o600)
    old_mask = os.umask(0o027)
    try:
        for path in (target, tmp_path / "new.csv"):
            with atomic_write(path) as file:
                file.write(b"x")
    finally:
        os.umask(old_mask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "new.csv").stat().st_mode) == 0o640


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_stays_a_link(tmp_path: Path, target: Path) -> None:
    link = tmp_path / "link.csv"
    link.symlink_to(target)
    with atomic_write(link) as file:
        file.write(b"after")
    assert link.is_symlink()
    assert target.read_text() == "after"


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_while_it_is_written_only_the_owner_may_read_it_and_a_private_file_always(target: Path) -> None:
    old_mask = os.umask(0)
    try:
        for is_private, mode in ((False, 0o644), (True, 0o600)):
            target.chmod(0o644)
            with atomic_write(target, is_private=is_private) as file:
                (part,) = target.parent.glob("*.part")
                assert stat.S_IMODE(part.stat().st_mode) == 0o600
                file.write(b"x")
            assert stat.S_IMODE(target.stat().st_mode) == mode
    finally:
        os.umask(old_mask)


def test_an_unfinished_file_is_noted_before_it_is_there(target: Path, config_dir: Path) -> None:
    noted: list[bool] = []
    real = os.open

    def watched(path: Path, flags: int, *args: int) -> int:
        if str(path).endswith(".part"):
            noted.append(bool(list((config_dir / "parts").glob("*.json"))) and not Path(path).exists())
        return real(path, flags, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", watched)
        with atomic_write(target) as file:
            file.write(b"x")
    assert noted == [True]
    assert not list((config_dir / "parts").iterdir())


@pytest.mark.parametrize("letter", ["病", "🏥", "é", "x"])
def test_the_longest_name_that_the_system_takes_can_be_written(
    tmp_path: Path, config_dir: Path, letter: str
) -> None:
    path = tmp_path / f"{letter * (251 // len(letter.encode()))}.csv"
    with atomic_write(path) as file:
        file.write(b"after")
    assert path.read_bytes() == b"after"
    assert list(tmp_path.iterdir()) == [path]
    assert not list((config_dir / "parts").glob("*"))


def test_a_name_that_the_system_does_not_take_leaves_no_note(tmp_path: Path, config_dir: Path) -> None:
    with pytest.raises(ExportError, match="too long"), atomic_write(tmp_path / f"{'病' * 90}.csv"):
        pass
    assert not list(tmp_path.iterdir())
    assert not list((config_dir / "parts").glob("*"))


def test_an_unfinished_file_that_cannot_be_removed_stays_noted(
    target: Path, config_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "unlink", held)  # as a scanner of viruses does for a moment
    with pytest.raises(ZeroDivisionError), atomic_write(target):
        raise ZeroDivisionError
    assert len(list((config_dir / "parts").glob("*.json"))) == 1
