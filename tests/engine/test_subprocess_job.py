"""Work in a process of its own: its results and errors come back, and it ends when it has to."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from engine import words
from engine.errors import CancelledError, HierarchyError, TableError
from engine.subprocess_job import run_in_subprocess

WORK = "tests.engine.subprocess_work"


class Listener:
    """Remembers what was reported, and stops the work once a file exists."""

    def __init__(self, stops_with: Path | None = None) -> None:
        self.reported: list[tuple[int, int, str]] = []
        self._stops_with = stops_with

    def step(self, done: int, total: int, text: str = "") -> None:
        self.reported.append((done, total, text))
        if self._stops_with is not None and self._stops_with.exists():
            raise CancelledError


@pytest.fixture(autouse=True)
def scratch_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANONYMIZER_SCRATCH_DIR", str(tmp_path / "scratch"))
    return tmp_path / "scratch"


def test_results_are_in_a_folder_that_is_removed_after_the_block(scratch_root: Path) -> None:
    listener = Listener()
    with run_in_subprocess(
        WORK, {"do": "write", "text": "é", "pause": 0.07}, listener, subject="a.sav"
    ) as folder:
        assert (folder / "answer.txt").read_text(encoding="utf-8") == "é"
    assert list(scratch_root.iterdir()) == []
    assert {(1, 2, "Step 1"), (2, 2, "Step 2")} <= set(listener.reported)


def test_the_password_of_a_database_is_not_in_the_environment_of_another_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANONYMIZER_DATABASE_PASSWORD", "s3cret-of-the-town")
    with run_in_subprocess(WORK, {"do": "tell"}, subject="a.sav") as folder:
        environment = (folder / "answer.txt").read_text(encoding="utf-8")
    assert "ANONYMIZER_SCRATCH_DIR" in environment
    assert "s3cret" not in environment


def test_another_process_speaks_the_language_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_language", "de")
    with run_in_subprocess(WORK, {"do": "speak"}, subject="a.sav") as folder:
        assert (folder / "answer.txt").read_text(encoding="utf-8") == "de"


def test_an_error_for_the_user_comes_back_unchanged(scratch_root: Path) -> None:
    with (
        pytest.raises(HierarchyError, match=r"A value is missing\.") as caught,
        run_in_subprocess(WORK, {"do": "refuse"}, subject="a.sav"),
    ):
        pass
    assert caught.value.hint == "Add it."
    assert caught.value.context == {"column": "age"}
    assert list(scratch_root.iterdir()) == []


@pytest.mark.parametrize("how", ["crash", "fail", "other"])
def test_a_process_that_ends_unexpectedly_is_reported_without_any_value(how: str) -> None:
    with (
        pytest.raises(TableError, match=r"'a\.sav' could not be processed") as caught,
        run_in_subprocess(WORK, {"do": how}, subject="a.sav"),
    ):
        pass
    assert "a value of the table" not in str(caught.value)


def test_cancelling_ends_the_process_at_once(tmp_path: Path, scratch_root: Path) -> None:
    path = tmp_path / "pid"
    started = time.monotonic()
    with (
        pytest.raises(CancelledError),
        run_in_subprocess(WORK, {"do": "hang", "path": str(path)}, Listener(path), subject="a.sav"),
    ):
        pass
    assert time.monotonic() - started < 10
    with pytest.raises(ProcessLookupError):
        os.kill(int(path.read_text()), 0)
    assert list(scratch_root.iterdir()) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems cannot hold a process to it")
def test_work_that_needs_too_much_memory_is_refused() -> None:
    with (
        pytest.raises(TableError, match="more memory than allowed"),
        run_in_subprocess(WORK, {"do": "eat"}, subject="a.sav", memory=1 << 28),
    ):
        pass
