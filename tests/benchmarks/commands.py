"""Time of whole commands and of compiling: `python -m tests.benchmarks.commands [--rounds 3] [--compiling]`.

Processor time of fresh processes, with what they are compared to in the same round. `--compiling` also fills
three empty caches, which takes a minute each.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from engine.frequency import Problem
from engine.scoring import acceleration
from tests.benchmarks import starting
from tests.benchmarks.measuring import Figures, Rounds
from tests.benchmarks.pandas_baseline import sampled_nodes, seconds_by_text
from tests.benchmarks.report import Report, duration
from tests.benchmarks.tables import adult

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "resources" / "examples" / "adult"
N_SAMPLED = 60
SMALL = "age,sex,illness\n" + "".join(
    f"{30 + i // 4},{'mf'[i % 2]},{('flu', 'cold', 'gout')[i % 3]}\n" for i in range(24)
)
BARE = "import numpy, rich.console, rich.progress, rich.table, typer"
LOAD = "from engine.scoring import acceleration as a; assert a.warm_up(a.{names})"
FIRST_SCORES = (
    "from pathlib import Path; from engine.project.compile import compile_problem; "
    "from engine.project.recipe.files import read_recipe; from engine.scoring import score_lattice; "
    "problem = compile_problem(read_recipe(Path({recipe!r}))); "
    + LOAD.format(names="PLAIN_WALK")
    + "; assert score_lattice(problem).is_compiled"
)


def plain_recipe(folder: Path) -> Path:
    """Copy the Adult example without its sensitive column: the table that the other benchmarks score."""
    shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
    recipe = folder / "recipe.toml"
    text = recipe.read_text(encoding="utf-8").replace("\nsensitive = ", "\ninsensitive = ")
    models, rest = text.split('[[privacy]]\nmodel = "distinct_l_diversity"', 1)
    recipe.write_text(models + rest[rest.index("[transformation]") :], encoding="utf-8")
    return recipe


def processor_seconds(words: list[str], cache: Path | None = None) -> float:
    """Return the processor time of a process that must succeed, and of those it waits for."""
    environment = {n: v for n, v in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE"}
    if cache is not None:
        environment["ANONYMIZER_CACHE_DIR"] = str(cache)
    before = os.times()
    subprocess.run([sys.executable, *words], check=True, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def command_round(folder: Path, problem: Problem, number: int) -> Figures:
    """Measure every command once."""
    small, recipe = folder / "small.csv", folder / "adult" / "recipe.toml"
    program = ["-m", "anonymizer_gui"]
    nodes = sampled_nodes(problem, N_SAMPLED, random.Random(number))
    return {
        "bare": processor_seconds(["-c", BARE]),
        "import check": processor_seconds(["-c", "import engine.cli.check"]),
        "import engine": processor_seconds(["-c", "import engine"]),
        "nothing": processor_seconds(["-c", "pass"]),
        "import lattice": processor_seconds(["-c", "import engine.cli.lattice"]),
        "help": processor_seconds([*program, "--help"]),
        "help of check": processor_seconds([*program, "check", "--help"]),
        "version": processor_seconds([*program, "--version"]),
        "check": processor_seconds(
            [*program, "check", str(small), "--qi", "age", "--qi", "sex", "--sa", "illness"]
        ),
        "load all": processor_seconds(["-c", LOAD.format(names="MODULES")]),
        "load": processor_seconds(["-c", LOAD.format(names="PLAIN_WALK")]),
        "pandas": seconds_by_text(problem, nodes),
        "lattice": processor_seconds(
            [*program, "lattice", str(recipe), "--out", str(folder / "nodes.csv"), "--quiet"]
        ),
    }


def compiling_round(folder: Path) -> Figures:
    """Fill an empty cache by need, and another one completely."""
    code = FIRST_SCORES.format(recipe=str(folder / "adult" / "recipe.toml"))
    with tempfile.TemporaryDirectory() as by_need, tempfile.TemporaryDirectory() as whole:
        return {
            "first scores": processor_seconds(["-c", code], Path(by_need)),
            "compile all": processor_seconds(["-c", LOAD.format(names="MODULES")], Path(whole)),
        }


def empty_home_round(folder: Path) -> Figures:
    """Set up in an empty home, then open the Adult example (k, l and t) until it is scored."""
    window = ["-m", "anonymizer_gui", "--demo", "--screenshot", str(folder / "scored.png")]
    with tempfile.TemporaryDirectory() as home:
        return {
            "set up": processor_seconds(["-m", "engine.cli.set_up"], Path(home)),
            "window": processor_seconds(window, Path(home)),
        }


def main() -> int:
    """Run, print, and return 1 if a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--compiling", action="store_true")
    arguments = parser.parse_args()
    assert acceleration.warm_up()  # so that every process loads what is compiled
    problem = adult()
    report = Report()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "small.csv").write_text(SMALL, encoding="utf-8")
        plain_recipe(folder / "adult")
        command_round(folder, problem, 0)  # writes the byte code
        figures = Rounds([command_round(folder, problem, number) for number in range(arguments.rounds)])
        compiled = None
        if arguments.compiling:
            compiled = Rounds([compiling_round(folder) | empty_home_round(folder)])
    usual = {key: duration(value) for key, value in figures.medians().items()}
    report.section()
    for title, key in (("--help", "help"), ("check --help", "help of check"), ("--version", "version")):
        report.at_most(f"anonymizer {title}", figures.median(key), 0.15, unit="seconds")
    own = figures.median("import engine") - figures.median("nothing")
    report.at_most("import engine, beyond Python itself", own, 0.1, unit="seconds")
    report.at_most("anonymizer check of a small file", figures.median("check"), 0.6, unit="seconds")
    for command, most in (("check", 2), ("lattice", 3)):
        ratio = figures.ratio(f"import {command}", "bare")
        note = f"  ({usual[f'import {command}']} / {usual['bare']})"
        report.at_most(f"import for {command} / numpy, typer and rich", ratio, most, note)
    report.at_least(
        "Adult, all nodes: pandas group-bys of texts / anonymizer lattice, whole process",
        figures.ratio("pandas", "lattice"),
        40,
        f"  ({usual['pandas']} / {usual['lattice']})",
    )
    report.at_most(
        "kernels of a plain walk ready in a new process / all kernels",
        figures.ratio("load", "load all"),
        0.7,
        f"  ({usual['load']} / {usual['load all']})",
    )
    bare, window = starting.processor_seconds(starting.BARE), starting.processor_seconds(starting.WINDOW)
    report.at_most(
        "window until it is painted / Qt's widgets alone",
        window / bare,
        5.85,  # half of what it was with all perspectives
        f"  ({duration(window)} / {duration(bare)})",
    )
    if compiled is not None:
        first, everything = (duration(compiled.median(key)) for key in ("first scores", "compile all"))
        report.within(
            "empty cache: until Adult is scored / compiling all kernels",
            compiled.ratio("first scores", "compile all"),
            1 / 3,
            f"  ({first} / {everything})",
        )
        report.tell(
            "empty home: the last step of the set-up, all kernels", compiled.median("set up"), "seconds"
        )
        report.tell(
            "then the window until Adult is scored with k, l and t", compiled.median("window"), "seconds"
        )
    report.show(f"Commands and compiling, medians of {arguments.rounds} rounds")
    return 0 if report.is_met else 1


if __name__ == "__main__":
    sys.exit(main())
