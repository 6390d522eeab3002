"""Figures kept from an earlier run, and what of a new run is other than these by ratio.

Machines differ: what all figures have in common, the median of their ratios, is the machine, and a figure
is judged by what its own ratio is beyond that.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Mapping
from pathlib import Path

KEPT = Path(__file__).with_name("baseline.json")
UNLIKE = 1.3  # of two runs of the same program on a busy machine, hardly a figure differs by more
# These follow from how busy the machine is.
WALL = ("adult one", "adult two", "sets wall", "sets pandas wall")


def keep(figures: Mapping[str, float], path: Path = KEPT) -> None:
    """Write the figures of a run, the machine told in general terms."""
    rounded = {key: float(f"{value:.4g}") for key, value in sorted(figures.items()) if key not in WALL}
    machine = f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores"
    kept = {"machine": machine, "figures": rounded}
    path.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def compared(figures: Mapping[str, float], path: Path = KEPT) -> list[tuple[str, float]]:
    """Every figure beside the kept one: its ratio, the machine's part taken out; the slowest first."""
    before = json.loads(path.read_text(encoding="utf-8"))["figures"]
    ratios = {key: figures[key] / value for key, value in before.items() if key in figures}
    machine = statistics.median(ratios.values())
    return sorted(((key, ratio / machine) for key, ratio in ratios.items()), key=lambda found: -found[1])


def slower(found: list[tuple[str, float]]) -> list[str]:
    """The figures that grew beyond what runs of one program differ by."""
    return [key for key, ratio in found if ratio > UNLIKE]
