"""Measurements in their own process: memory, and tables so large that they would disturb others.

`python -m tests.benchmarks.alone NAME` prints them as JSON. Memory is measured on Linux only, else it is 0.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np

from engine.frequency import Problem
from engine.kernels.compiled.pairs import CONTINUES
from engine.project.compile import compile_problem
from engine.scoring import LatticeProfile, acceleration, score_lattice
from engine.scoring.cells.content_classes import ContentClasses
from engine.scoring.cells.label_sums import PackedSums
from engine.scoring.cells.snapshot import CellSnapshot
from tests.adult import arx_project
from tests.benchmarks.demo import demo_profile
from tests.benchmarks.detection import wide_figures
from tests.benchmarks.measuring import Figures, Rounds, resident, seconds
from tests.benchmarks.reading_files import text_figures, workbook_figures
from tests.benchmarks.scoring_figures import compiled, first_share
from tests.benchmarks.tables import adult, all_distinct, resampled

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 3


def figures_alone(name: str) -> Figures:
    """Measure the values of a name in a new process."""
    command = [sys.executable, "-m", "tests.benchmarks.alone", name]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT)
    found: Figures = json.loads(answer.stdout)
    return found


def memory_figures(make: Callable[[], LatticeProfile]) -> Figures:
    """Return resident memory in MB above imports and kernels, with the table and at the peak of scoring."""
    before = resident("VmRSS")
    profile = make()
    loaded = resident("VmRSS")
    score_lattice(profile.problem, profile=profile)
    figures = {"loaded": loaded - before, "peak": resident("VmHWM") - before}
    return figures | (sizes_of_parts(profile.cells()) if profile.problem.sensitive else {})


def sizes_of_parts(cells: CellSnapshot) -> Figures:
    """Return bytes per cell, and per pair of a sensitive value and its records, without room for more."""
    classes, sums = cells.classes, cells.label_sums
    assert isinstance(classes, ContentClasses)
    assert isinstance(sums, PackedSums)
    assert cells.kinds is not None
    of_cells = (cells.kinds, cells.records, sums.words.table, sums.words.numbers)
    pairs = [found.pairs[: found.starts[len(own)]] for found, own in classes.with_contents(classes.sizes)]
    n_pairs = sum(int(np.count_nonzero(held < CONTINUES)) for held in pairs) / 2  # two numbers each
    return {
        "per cell": sum(array.nbytes for array in of_cells) / cells.n_cells,
        "per pair": sum(held.nbytes for held in pairs) / n_pairs,
    }


def resampled_figures(n_records: int) -> Figures:
    """Score a resampled table and Adult: times from codes to scores, and peak memory."""
    small, large = adult(), resampled(n_records)
    figures = Rounds([_resampled_round(small, large) for _ in range(ROUNDS)])
    scored: list[LatticeProfile] = []

    def as_usual() -> None:
        scored.append(score_lattice(large))

    return {
        "ratio": figures.ratio("large", "adult"),
        "walk_ratio": figures.ratio("walk", "adult"),
        "seconds": figures.median("large"),
        "reducing": figures.median("reducing"),
        "first_share": first_share(large),
        "with_loss": seconds(as_usual) / figures.median("adult_with_loss"),
        "n_base": len(scored[0].base.counts),
        "n_classes": int(scored[0].n_classes.sum()),
        "peak": resident("VmHWM"),
    }


def continuous_figures() -> Figures:
    """Score a table without repeated values: time per class relative to Adult."""
    small, large = adult(), all_distinct()
    spent = statistics.median(seconds(lambda: compiled(small, label_sums=False)) for _ in range(ROUNDS))
    adult_per_class = spent / int(compiled(small, label_sums=False).n_classes.sum())
    profile = LatticeProfile(large, label_sums=False)
    per_class = seconds(lambda: profile.score_compiled(n_workers=1)) / int(profile.n_classes.sum())
    return {
        "ratio": per_class / adult_per_class,
        "per_class": per_class,
        "n_classes": int(profile.n_classes.sum()),
        "n_cells": profile.cells().n_cells,
        "peak": resident("VmHWM"),
    }


def _resampled_round(small: Problem, large: Problem) -> Figures:
    profile = LatticeProfile(large, label_sums=False)
    reducing = seconds(lambda: profile.base)
    walk = seconds(lambda: profile.score_compiled(n_workers=1))
    return {
        "adult": seconds(lambda: compiled(small, label_sums=False)),
        "adult_with_loss": seconds(lambda: compiled(small, label_sums=True)),
        "large": reducing + walk,
        "reducing": reducing,
        "walk": walk,
    }


FIGURES: Mapping[str, Callable[[], Figures]] = MappingProxyType(
    {
        "adult": lambda: memory_figures(lambda: LatticeProfile(compile_problem(arx_project()))),
        "demo": lambda: memory_figures(demo_profile),
        "million": lambda: resampled_figures(1_000_000),
        "ten million": lambda: resampled_figures(10_000_000),
        "continuous": continuous_figures,
        "wide": wide_figures,
        "text file": text_figures,
        "workbook": workbook_figures,
    }
)


if __name__ == "__main__":
    acceleration.warm_up()
    sys.stdout.write(json.dumps(FIGURES[sys.argv[1]]()))
