"""The worked cases of tables with several records of one person; see `tests/data/persons`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "persons" / "cases.json").read_text(encoding="utf-8")
)
NAMES = [case["name"] for case in CASES]


def cells(row: Mapping[str, Any], columns: list[str]) -> list[str]:
    """A record as texts; a missing person is an empty one."""
    return ["" if row[name] is None else str(row[name]) for name in columns]


def figure(value: float | str | None) -> float | None:
    """A measured value, which may be without bound."""
    return math.inf if value == "inf" else None if value is None else float(value)


def labels(case: Mapping[str, Any]) -> list[dict[str, str]]:
    """Every record with its label on the case's node, by quasi-identifying column."""
    levels = dict(zip(case["qi"], case["node"], strict=True))
    maps = {name: {line[0]: line[levels[name]] for line in case["hierarchies"][name]} for name in case["qi"]}
    return [{name: maps[name][str(row[name])] for name in case["qi"]} for row in case["rows"]]
