"""The process killed at random moments: no file is damaged, the next start offers the rest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.faults.kill import assert_nothing_is_lost, environment_of, kill_in_turn

N_KILLS = 5


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
