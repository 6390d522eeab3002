"""Stored values of an earlier run, and comparison of a new run by ratio.

Machines differ: the median of all ratios is attributed to the machine, and each value is compared by its
ratio relative to this median.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Mapping
from pathlib import Path

KEPT = Path(__file__).with_name("baseline.json")
UNLIKE = 1.3  # two runs of the same program on a busy machine rarely differ by more
# Values that depend on the load of the machine.
WALL = ("adult one", "adult two", "sets wall", "sets pandas wall")


def keep(figures: Mapping[str, float], path: Path = KEPT) -> None:
    """Write the values of a run, with the machine described in general terms."""
    rounded = {key: float(f"{value:.4g}") for key, value in sorted(figures.items()) if key not in WALL}
    machine = f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores"
    kept = {"machine": machine, "figures": rounded}
    path.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def compared(figures: Mapping[str, float], path: Path = KEPT) -> list[tuple[str, float]]:
    """Return every value with its ratio to the stored one, without the machine's part; slowest first."""
    before = json.loads(path.read_text(encoding="utf-8"))["figures"]
    ratios = {key: figures[key] / value for key, value in before.items() if key in figures}
    machine = statistics.median(ratios.values())
    return sorted(((key, ratio / machine) for key, ratio in ratios.items()), key=lambda found: -found[1])


def slower(found: list[tuple[str, float]]) -> list[str]:
    """Return the values that increased by more than two runs of one program differ."""
    return [key for key, ratio in found if ratio > UNLIKE]
