"""Temporary folders and unfinished files: private, gone at the end, after a crash on the next start."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from engine import scratch
from engine.files import atomic_write
from engine.scratch import forget_part, remember_part, scratch_folder, sweep

DIES = """
import os, signal, sys
from pathlib import Path
from engine.files import atomic_write
from engine.scratch import scratch_folder
with scratch_folder("dying") as folder, atomic_write(sys.argv[1]) as file:
    (folder / "half.csv").write_text("half")
    file.write(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "scratch"
    monkeypatch.setenv("ANONYMIZER_SCRATCH_DIR", str(folder))
    return folder


def notes(config_dir: Path) -> list[Path]:
    return sorted((config_dir / "parts").glob("*"))


def test_a_scratch_folder_is_private_and_gone_at_the_end(root: Path) -> None:
    with scratch_folder("judging") as folder:
        (folder / "original.csv").write_text("a")
        assert folder.parent == root
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(root.stat().st_mode) == 0o700
        assert sweep() == 0, "this process still uses it"
        assert folder.exists()
    assert list(root.iterdir()) == []


def test_a_usual_place_that_others_may_enter_is_not_used(root: Path, config_dir: Path) -> None:
    root.mkdir(mode=0o755)
    root.chmod(0o755)
    with scratch_folder("judging") as folder:
        assert folder.parent == config_dir / "scratch"


def test_a_link_in_the_usual_place_is_not_followed(root: Path, tmp_path: Path, config_dir: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    root.symlink_to(tmp_path / "elsewhere")
    with scratch_folder("judging") as folder:
        assert folder.parent == config_dir / "scratch"


def test_an_unfinished_file_is_noted_until_it_takes_its_place(tmp_path: Path, config_dir: Path) -> None:
    with atomic_write(tmp_path / "out.csv") as file:
        file.write(b"a")
        (note,) = notes(config_dir)
        said = json.loads(note.read_text())
        assert Path(said["part"]).parent == tmp_path
        assert Path(said["part"]).suffix == ".part"
        assert stat.S_IMODE(note.stat().st_mode) == 0o600
        assert sweep() == 0, "this process still writes it"
    assert notes(config_dir) == []


def test_an_unfinished_file_that_failed_is_noted_no_more(tmp_path: Path, config_dir: Path) -> None:
    with pytest.raises(ZeroDivisionError), atomic_write(tmp_path / "out.csv"):
        raise ZeroDivisionError
    assert notes(config_dir) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="a process is killed by a signal")
def test_what_a_killed_process_left_is_gone_after_the_next_start(root: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("before")
    ended = subprocess.run([sys.executable, "-c", DIES, str(target)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert len(list(root.iterdir())) == 1
    assert len(list(tmp_path.glob(".out.csv.*.part"))) == 1
    assert sweep() == 2
    assert list(root.iterdir()) == []
    assert sorted(tmp_path.iterdir()) == [target, root]
    assert target.read_text() == "before"
    assert sweep() == 0


def test_a_process_that_took_over_the_number_of_a_dead_one_does_not_keep_its_files(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scratch_folder("old") as folder:
        monkeypatch.setattr(scratch, "start_of", lambda pid: "another")
        assert sweep() == 1
        assert not folder.exists()


def test_only_what_the_program_calls_unfinished_is_taken_away(
    tmp_path: Path, config_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "people.csv"
    kept.write_text("a")
    link = tmp_path / ".people.csv.x.part"
    link.symlink_to(kept)
    for path in (kept, link):
        remember_part(path)
    (config_dir / "parts" / "broken.json").write_text("[")
    monkeypatch.setattr(scratch, "is_running", lambda pid, start: False)
    assert sweep() == 0
    assert kept.read_text() == "a"
    assert link.is_symlink()
    forget_part(kept)
    forget_part(kept)


def test_notes_of_another_machine_are_left_to_it(
    tmp_path: Path, config_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = tmp_path / ".out.csv.x.part"
    part.write_text("a")
    remember_part(part)
    monkeypatch.setattr(scratch.platform, "node", lambda: "another")
    monkeypatch.setattr(scratch, "is_running", lambda pid, start: False)
    assert sweep() == 0
    assert part.exists()
    assert len(notes(config_dir)) == 1


def test_a_folder_that_cannot_hold_notes_keeps_nobody_from_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("a")
    monkeypatch.setenv("ANONYMIZER_CONFIG_DIR", str(tmp_path / "file"))
    with atomic_write(tmp_path / "out.csv") as file:
        file.write(b"a")
    assert (tmp_path / "out.csv").read_bytes() == b"a"
    assert os.path.isfile(tmp_path / "file")
