"""The last step of a set-up: which kernels it compiles, and what it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from engine.cli import set_up
from engine.kernels.compiled import cache
from engine.scoring.acceleration import MODULES
from engine.shipped import install_words


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The modules compiled by a set-up into a folder of the test."""
    found: list[str] = []

    def warm_up(names: Sequence[str]) -> bool:
        found.extend(names)
        for name in names:
            cache.mark_complete(name)
        return True

    monkeypatch.setattr(set_up, "warm_up", warm_up)
    monkeypatch.setenv(cache.PLACE, str(tmp_path))
    cache.folder.cache_clear()
    yield found
    cache.folder.cache_clear()


def test_what_no_earlier_run_compiled_is_compiled_with_progress(
    compiled: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    cache.mark_complete(MODULES[0])
    assert set_up.main() == 0
    assert compiled == [*MODULES[1:]]
    printed = capsys.readouterr()
    assert printed.out == f"{cache.folder()}\n"
    n = len(MODULES) - 1
    lines = [f"Preparing fast scoring (once): {done} / {n}" for done in range(1, n + 1)]
    assert printed.err.splitlines() == lines


def test_a_complete_cache_is_only_named(compiled: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for name in MODULES:
        cache.mark_complete(name)
    assert set_up.main() == 0
    assert compiled == []
    assert capsys.readouterr() == (f"{cache.folder()}\n", "")


def test_kernels_that_cannot_be_compiled_end_it_with_1(
    compiled: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(set_up, "warm_up", lambda _: False)
    assert set_up.main() == 1
    assert capsys.readouterr().out == ""


def test_what_compiles_is_named_if_it_is_missing(monkeypatch, capsys) -> None:
    monkeypatch.setattr(set_up, "is_possible", lambda: False)
    assert set_up.main() == 1
    assert f"Install it with: {install_words('fast')}" in capsys.readouterr().err
