"""Fixture for what needs compiled kernels."""

from __future__ import annotations

import pytest

from engine.scoring.acceleration import warm_up


@pytest.fixture(scope="session")
def warm() -> None:
    """Load the kernels."""
    assert warm_up()
