"""The process killed at random moments: no file is damaged, the next start offers the rest."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.faults.kill import assert_nothing_is_lost, environment_of, kill_in_turn

N_KILLS = 5
N_HUNGRY = 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="victims are forked")
def test_whatever_moment_it_is_killed_at_nothing_older_than_ten_seconds_is_lost(
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
def test_without_memory_nothing_is_said_to_be_kept_that_is_not_and_all_is_once_there_is_some(
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
