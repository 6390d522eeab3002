"""The process is killed at random moments: no file is damaged, and the next start offers the rest."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.faults.kill import assert_nothing_is_lost, environment_of, kill_in_turn

N_KILLS = 5
N_HUNGRY = 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="victims are forked")
def test_no_work_older_than_ten_seconds_is_lost_whenever_it_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / str(number) for number in range(N_KILLS)]
    for folder in folders:
        folder.mkdir()
    for killed in kill_in_turn(folders, seed=8, longest=2.6):
        environment = environment_of(killed.folder)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        assert_nothing_is_lost(killed, environment)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited by the system")
def test_without_memory_only_stored_work_is_reported_and_all_is_stored_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / str(number) for number in range(N_HUNGRY)]
    for folder in folders:
        folder.mkdir()
    for killed in kill_in_turn(folders, seed=7, longest=1.0, hunger=2.0):
        environment = environment_of(killed.folder)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        assert_nothing_is_lost(killed, environment)
