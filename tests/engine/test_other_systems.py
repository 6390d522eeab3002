"""Windows and macOS, simulated: processes, memory limits, private folders and file names."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil  # noqa: F401  # while the system is still the real one
import pytest

from engine import processes, scratch
from engine.errors import TableError
from engine.processes import is_running, memory_held, most_memory_held, start_of
from engine.project.recipe.writing import file_names
from engine.subprocess_job import run_in_subprocess

NEVER_USED = 1 << 22  # above the largest number of a process on Linux


@pytest.fixture(params=["win32", "darwin"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(processes.sys, "platform", request.param)
    return str(request.param)


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as started:
        yield started
        started.kill()


def test_a_process_is_known_by_its_start(system: str, other: subprocess.Popen[bytes]) -> None:
    own, theirs = start_of(os.getpid()), start_of(other.pid)
    assert own != "0"
    assert theirs not in ("0", own)
    assert is_running(other.pid, theirs)
    assert not is_running(other.pid, own), "another process took over the number"
    assert is_running(other.pid, "0"), "a lock of an earlier version has no start"


def test_an_ended_process_does_not_run(system: str, other: subprocess.Popen[bytes]) -> None:
    start = start_of(other.pid)
    other.kill()
    other.wait()
    assert not is_running(other.pid, start)
    assert not is_running(other.pid, "0")


@pytest.mark.parametrize("number", [NEVER_USED, 1 << 40])
def test_a_number_of_no_process_does_not_run(system: str, number: int) -> None:
    assert start_of(number) == "0"
    assert system == "darwin" or not is_running(number, "0")


def test_memory_is_told_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    of_linux = memory_held()
    monkeypatch.setattr(processes.sys, "platform", "darwin")
    assert abs(memory_held() - of_linux) < 64 << 20
    assert most_memory_held() * 1024 > of_linux // 2, "Linux tells the maximum in kilobytes, macOS in bytes"


def test_work_that_takes_too_much_memory_is_ended_elsewhere_too() -> None:
    module = "tests.engine.work_of_another_system"
    with (
        pytest.raises(TableError, match="more memory than allowed"),
        run_in_subprocess(module, {"megabytes": 600}, subject="people.sav", memory=200 << 20),
    ):
        pass
    with run_in_subprocess(module, {"megabytes": 20}, subject="people.sav", memory=200 << 20) as folder:
        assert (folder / "answer.txt").read_text(encoding="utf-8") == "darwin"


def test_on_windows_a_scratch_folder_is_private_in_the_users_profile_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile, shared = tmp_path / "profile", tmp_path / "shared"
    for folder in (profile, shared):
        (folder / "temp").mkdir(parents=True, mode=0o777)
    monkeypatch.setattr(scratch.sys, "platform", "win32")
    monkeypatch.setattr(Path, "home", lambda: profile)
    monkeypatch.setenv("ANONYMIZER_CONFIG_DIR", str(profile / "config"))
    for place, is_used in ((profile, True), (shared, False)):
        monkeypatch.setenv("ANONYMIZER_SCRATCH_DIR", str(place / "temp"))
        with scratch.scratch_folder("reading") as made:
            assert made.is_relative_to(place) is is_used
            assert made.is_relative_to(profile)


def test_on_windows_a_chosen_place_for_temporary_files_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch.sys, "platform", "win32")
    with scratch.scratch_folder("records", str(tmp_path / "drive")) as folder:
        assert folder.is_relative_to(tmp_path / "drive")
    assert not folder.exists()


def test_names_of_columns_become_file_names_that_every_system_can_have() -> None:
    columns = [
        "CON",
        "aux",
        "Age",
        "age",
        "a/b",
        "a\\b",
        "c:d",
        "e.",
        "f ",
        "<g>",
        "h?",
        "nul.csv",
        "é",
        "x" * 400,
    ]
    names = file_names(columns)
    assert list(names) == columns
    folded = [name.casefold() for name in names.values()]
    assert len(set(folded)) == len(columns), "Windows and macOS do not tell upper from lower case"
    for name in folded:
        assert not set(name) & set('<>:"/\\|?*')
        assert not name.endswith((".", " "))
        assert name.split(".")[0] not in {"con", "prn", "aux", "nul", "com1", "lpt1"}
        assert len(name.encode()) <= 200
