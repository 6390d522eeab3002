"""Fixtures of several folders: the two ways of computing, and the folder of compiled kernels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.kernels.compiled import cache
from engine.scoring.acceleration import CHOICE, warm_up


@pytest.fixture(params=["numpy", "kernels"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Compute by numpy, also with kernels loaded, then by these."""
    assert warm_up()
    if request.param == "numpy":
        monkeypatch.setenv(CHOICE, "numpy")
    return str(request.param)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of the test for compiled kernels, without any."""
    monkeypatch.setenv(cache.PLACE, str(tmp_path / "cache"))
    cache.folder.cache_clear()
    yield tmp_path / "cache"
    cache.folder.cache_clear()
