"""Measures scoring, knobs and memory on Adult, and prints them beside what is wanted.

Times are processor seconds of one thread; each figure is the median of several rounds within one run,
so that the ratios say something on a busy machine too.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

from engine.frequency import Problem
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.project.recipe import read_recipe
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.tuples import base_tuples
from engine.scoring.walk import walk
from tests.adult import arx_project

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "resources" / "examples" / "adult" / "recipe.toml"
SAMPLE = 50  # nodes grouped by pandas and extrapolated
WANTED_SPEED, WANTED_KNOB, WANTED_MEMORY = 25.0, 1 / 20, 500.0


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def pandas_per_node(problem: Problem, rng: random.Random) -> float:
    """Classes, k and histogram of one node by a group-by on integer codes, made beforehand."""
    spent = 0.0
    for number in rng.sample(range(problem.lattice.n_nodes), SAMPLE):
        node = problem.lattice.node(number)
        frame = pd.DataFrame(
            {
                a.name: a.hierarchy.levels[level].codes[a.leaves]
                for a, level in zip(problem.attributes, node, strict=True)
            }
        )

        def profile(frame: pd.DataFrame = frame) -> tuple[int, int, object]:
            sizes = frame.groupby(list(frame.columns), sort=False).size()
            return len(sizes), int(sizes.min()), np.bincount(sizes)

        spent += seconds(profile)
    return spent / SAMPLE


def roll_up(problem: Problem) -> None:
    """The part of scoring that any method of this kind needs: the frequency set of every node."""
    for _ in walk(problem, base_tuples(problem)):
        pass


def turn(profile: LatticeProfile, requirement: Requirement) -> float:
    """What a turned knob asks for: who satisfies, at what loss, and which node is best."""

    def judge() -> None:
        evaluation = profile.evaluate(requirement)
        _ = evaluation.satisfies, evaluation.suppressed, evaluation.n_satisfying
        _ = evaluation.metric("loss"), evaluation.optimum("loss")

    return seconds(judge)


def adult_round(problem: Problem, round_number: int) -> dict[str, float]:
    """All figures of Adult once, next to each other in time."""
    rng = random.Random(round_number)
    group_by = pandas_per_node(problem, rng) * problem.lattice.n_nodes
    plain = seconds(lambda: score_lattice(problem, profile=LatticeProfile(problem, label_sums=False)))
    profile = LatticeProfile(problem)
    scoring = seconds(lambda: score_lattice(problem, profile=profile))
    knob = statistics.median(turn(profile, Requirement((KAnonymity(k),), 0.05)) for k in range(2, 30))
    return {
        "group_by": group_by,
        "scoring": scoring,
        "roll_up": seconds(lambda: roll_up(problem)),
        "knob": knob,
        "plain": plain,
        "ratio": group_by / plain,
        "whole_ratio": group_by / scoring,
        "share": knob / scoring,
    }


def demo_round() -> dict[str, float]:
    """The example with a sensitive column: scoring with l and t, and a joint turn of k, l and t."""
    project = read_recipe(DEMO)
    problem = compile_problem(project)
    profile = LatticeProfile(problem, project.requirement)
    scoring = seconds(lambda: score_lattice(problem, profile=profile))
    turns = []
    for step in range(8):
        requirement = project.requirement.with_limit(0, 3 + step).with_limit(2, 0.1 + step / 50)
        turns.append(turn(profile, requirement))
    knob = statistics.median(turns)
    return {"scoring": scoring, "knob": knob, "share": knob / scoring}


def resident(field: str) -> float:
    """A figure of this process's memory in MB: VmRSS now, VmHWM at most."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def memory_of(name: str) -> dict[str, float]:
    """Resident memory after the imports, with the table loaded, and at the peak of scoring."""
    imported = resident("VmRSS")
    project = read_recipe(DEMO) if name == "demo" else arx_project()
    profile = LatticeProfile(compile_problem(project), project.requirement)
    loaded = resident("VmRSS")
    score_lattice(profile.problem, profile=profile)
    return {"loaded": loaded - imported, "scoring": resident("VmHWM") - imported}


def memory(name: str) -> dict[str, float]:
    """`memory_of` in a process of its own."""
    answer = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.run", "--memory-of", name],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    found: dict[str, float] = json.loads(answer.stdout)
    return found


def main() -> int:
    """Run, print, and return 1 if something wanted is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory-of", choices=["adult", "demo"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory_of:
        sys.stdout.write(json.dumps(memory_of(arguments.memory_of)))
        return 0
    problem = compile_problem(arx_project())
    turn(score_lattice(problem), Requirement((KAnonymity(5),), 0.05))  # warm caches
    adult = [adult_round(problem, number) for number in range(arguments.rounds)]
    demo = [demo_round() for _ in range(arguments.rounds)]
    table = Table("Figure", "Measured", "Wanted", title=f"Adult, medians of {arguments.rounds} rounds")

    def median(rounds: list[dict[str, float]], key: str) -> float:
        return statistics.median(figures[key] for figures in rounds)

    met = []

    def add(text: str, value: str, wanted: str = "", is_met: bool = True) -> None:
        met.append(is_met)
        table.add_row(text, value, f"{wanted}{'' if is_met else '  MISSED'}")

    nodes = problem.lattice.n_nodes
    add(f"pandas group-by of {nodes} nodes, from {SAMPLE}", f"{median(adult, 'group_by'):.1f} s")
    add(f"scoring {nodes} nodes: classes, k, histogram", f"{median(adult, 'plain'):.2f} s")
    add("of which roll-up of all classes", f"{median(adult, 'roll_up'):.2f} s")
    ratio = median(adult, "ratio")
    add("group-by / scoring", f"{ratio:.1f}", f"at least {WANTED_SPEED:.0f}", ratio >= WANTED_SPEED)
    add("scoring with what the loss metrics need", f"{median(adult, 'scoring'):.2f} s")
    add("group-by / scoring with that", f"{median(adult, 'whole_ratio'):.1f}")
    add("a turn of k over all nodes", f"{1000 * median(adult, 'knob'):.0f} ms")
    share = median(adult, "share")
    add("turn / scoring", f"1/{1 / share:.0f}", f"below 1/{1 / WANTED_KNOB:.0f}", share < WANTED_KNOB)
    add("example with hours-per-week: scoring with l and t", f"{median(demo, 'scoring'):.2f} s")
    add("a joint turn of k, l and t", f"{1000 * median(demo, 'knob'):.0f} ms")
    share = median(demo, "share")
    add("turn / scoring", f"1/{1 / share:.0f}", f"below 1/{1 / WANTED_KNOB:.0f}", share < WANTED_KNOB)
    for name, text in (("adult", "Adult"), ("demo", "example with hours-per-week")):
        used = memory(name)
        text = f"memory above imports, {text}: loaded / at most"
        value = f"{used['loaded']:.0f} / {used['scoring']:.0f} MB"
        add(text, value, f"below {WANTED_MEMORY:.0f} MB", used["scoring"] < WANTED_MEMORY)
    Console(width=110).print(table)
    return 0 if all(met) else 1


if __name__ == "__main__":
    raise SystemExit(main())
