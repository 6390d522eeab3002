"""What contract tests share."""

from __future__ import annotations

import pytest

from engine.scoring.acceleration import CHOICE


@pytest.fixture
def by_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Score by numpy, since small lattices are scored before kernels are loaded."""
    monkeypatch.setenv(CHOICE, "numpy")
