"""What contract tests share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from engine.findings import learning
from engine.findings.utility import classification
from engine.monitor import Monitor
from engine.scoring.acceleration import CHOICE


@pytest.fixture
def by_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Score by numpy, since small lattices are scored before kernels are loaded."""
    monkeypatch.setenv(CHOICE, "numpy")


@pytest.fixture
def trained_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Train classifiers in this process, which starts faster."""

    @contextmanager
    def here(module: str, request: Mapping[str, Any], monitor: Monitor, *, subject: str) -> Iterator[Path]:
        with TemporaryDirectory() as folder:
            learning.work(request, Path(folder), monitor)
            yield Path(folder)

    monkeypatch.setattr(classification, "run_in_subprocess", here)
