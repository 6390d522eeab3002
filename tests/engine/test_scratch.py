"""Temporary folders and unfinished files: private, gone at the end, after a crash on the next start."""

from __future__ import annotations

import errno
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import processes, scratch
from engine.cli import main
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


@pytest.fixture(autouse=True)
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


def test_an_unfinished_file_that_failed_is_no_longer_noted(tmp_path: Path, config_dir: Path) -> None:
    with pytest.raises(ZeroDivisionError), atomic_write(tmp_path / "out.csv"):
        raise ZeroDivisionError
    assert notes(config_dir) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="a process is killed by a signal")
def test_leftovers_of_a_killed_process_are_removed_at_the_next_start(root: Path, tmp_path: Path) -> None:
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
        monkeypatch.setattr(processes, "start_of", lambda pid: "another")
        assert sweep() == 1
        assert not folder.exists()


def test_only_what_the_program_calls_unfinished_is_removed(
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


def test_a_folder_that_cannot_hold_notes_prevents_no_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("a")
    monkeypatch.setenv("ANONYMIZER_CONFIG_DIR", str(tmp_path / "file"))
    with atomic_write(tmp_path / "out.csv") as file:
        file.write(b"a")
    assert (tmp_path / "out.csv").read_bytes() == b"a"
    assert os.path.isfile(tmp_path / "file")


def hostile_notes(config_dir: Path, folder: Path) -> None:
    """Leave everything that may be in the place of notes."""
    parts = config_dir / "parts"
    parts.mkdir()
    loop = folder / "loop"
    loop.symlink_to(loop)
    locked = folder / "locked"
    locked.mkdir()
    paths = {
        "long": folder / f".{'病' * 80}.csv.x.part",
        "deep": Path("/", *["n" * 200] * 40, ".x.part"),
        "under": folder / ("u" * 300) / ".x.part",
        "loop": loop / ".x.part",
        "locked": locked / ".x.part",
        "file": folder / "people.csv" / ".x.part",
        "folder": folder / ".folder.part",
        "nul": "a\0b/.x.part",
        "empty": "",
        "surrogate": str(folder / ".\udc80.part"),
    }
    (folder / "people.csv").write_text("a")
    (folder / ".folder.part").mkdir()
    for name, path in paths.items():
        note = {"part": str(path), "pid": 2**22 + 1, "start": "1", "host": scratch.platform.node()}
        (parts / f"{name}.json").write_text(json.dumps(note))
    pids = {"huge": 10**30, "infinite": float("inf"), "negative": -1, "text": "x", "none": None}
    for name, pid in pids.items():
        note = {"part": str(folder / ".x.part"), "pid": pid, "start": "1", "host": scratch.platform.node()}
        (parts / f"{name}.json").write_text(json.dumps(note))
    others = {
        "binary": bytes(range(256)) * 20,
        "nested": b"[" * 100_000,
        "list": b"[]",
        "void": b"",
        "digits": b"9" * 9,
    }
    for name, data in others.items():
        (parts / f"{name}.json").write_bytes(data)
    (parts / "a folder.json").mkdir()
    (parts / "link.json").symlink_to(parts / "link.json")
    os.mkfifo(parts / "pipe.json")
    locked.chmod(0)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes, links and permissions of POSIX")
class TestHostileNotes:
    """Whatever is in the place of notes, the program starts."""

    @pytest.fixture(autouse=True)
    def notes(self, config_dir: Path, tmp_path: Path) -> Iterator[None]:
        hostile_notes(config_dir, tmp_path)
        yield
        (tmp_path / "locked").chmod(0o700)

    def test_leftovers_are_swept_even_if_one_of_them_fails(self, config_dir: Path, tmp_path: Path) -> None:
        part = tmp_path / ".z.csv.x.part"
        part.write_text("a")
        note = {"part": str(part), "pid": 2**22 + 1, "start": "1", "host": scratch.platform.node()}
        (config_dir / "parts" / "zzz.json").write_text(json.dumps(note))
        assert sweep() == 1
        assert not part.exists(), "what comes after them is swept all the same"
        assert not (config_dir / "parts" / "long.json").exists(), "no such file can be left"
        assert (tmp_path / "people.csv").read_text() == "a"
        assert (tmp_path / ".folder.part").is_dir()

    def test_a_command_starts(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        table = tmp_path / "table.csv"
        table.write_text("a,b\n1,2\n")
        assert main(["detect", str(table)]) == 0
        assert capsys.readouterr().err == ""

    def test_the_window_starts(self, tmp_path: Path) -> None:
        table, picture = tmp_path / "table.csv", tmp_path / "picture.png"
        table.write_text("a,b\n1,2\n")
        words = [sys.executable, "-m", "anonymizer_gui", str(table), "--screenshot", str(picture)]
        ended = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
        assert (ended.returncode, "Traceback" in ended.stderr) == (0, False), ended.stderr
        assert picture.exists()

    def test_a_note_whose_folder_cannot_be_looked_into_stays_for_a_later_start(
        self, config_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = Path.lstat

        def forbidden(path: Path) -> os.stat_result:
            if path.parent == tmp_path / "locked":  # the super-user is refused nothing
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return real(path)

        monkeypatch.setattr(Path, "lstat", forbidden)
        sweep()
        assert (config_dir / "parts" / "locked.json").exists()


def test_a_start_goes_on_if_no_place_for_temporary_files_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nowhere() -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory")

    monkeypatch.delenv("ANONYMIZER_SCRATCH_DIR")
    monkeypatch.setattr(scratch.tempfile, "gettempdir", nowhere)
    assert sweep() == 0


def test_what_is_logged_of_a_leftover_names_no_path(
    config_dir: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (config_dir / "parts" / "diagnosis of a patient.json").mkdir(parents=True)
    monkeypatch.setattr(scratch, "_MAKING", -1)
    with caplog.at_level("DEBUG"):
        assert sweep() == 0
    assert "could not be swept" in caplog.text
    assert "patient" not in caplog.text
