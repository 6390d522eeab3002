"""What tests of risks share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def oracle(data: Path) -> dict[str, Any]:
    """Return ARX's figures of risk and quality."""
    found: dict[str, Any] = json.loads((data / "arx" / "risk_quality.json").read_text())
    return found
