"""The published figures of pyCANON, and the tables they are of, read as pandas reads them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from engine.findings.given_table import GivenTable, given_table

FOLDER = Path(__file__).parents[2] / "data" / "published"


def entries(name: str) -> list[Any]:
    """One parameter of a test per entry of a file."""
    found = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return [pytest.param(entry, id=entry["id"]) for entry in found]


def judged(entry: dict[str, Any], table: pd.DataFrame) -> GivenTable:
    """The table of an entry of models.json or micro.json."""
    kept = table.dropna(subset=entry["qi"]) if entry.get("dropna_qi") else table
    return given_table(kept, entry["qi"], entry["sa"])


def agrees(found: Any, known: Any) -> bool:
    """Whether a figure is the published one, to a relative 1e-9; None is nan there."""
    if isinstance(known, float) and not isinstance(found, float | int):
        return False
    if isinstance(known, int | float) and not isinstance(known, bool):
        return found is not None and math.isclose(found, known, rel_tol=1e-9, abs_tol=1e-12)
    return bool(found == known)
