"""Measures scoring, knobs and memory, and prints one table with the limits.

Times are processor seconds of one thread unless the row says otherwise. Each value is the median of several
rounds, and ratios are taken within a round, so that they are meaningful on a busy machine too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from engine.scoring import LatticeProfile, acceleration
from tests.benchmarks import baseline, knobs
from tests.benchmarks.alone import figures_alone
from tests.benchmarks.attackers import attackers_figures
from tests.benchmarks.demo import demo_round
from tests.benchmarks.detection import MAX_SIZE, detection_round
from tests.benchmarks.measuring import QUIET, Figures, Rounds, copy_speed, has_proc, load_average
from tests.benchmarks.pycanon_figures import pycanon_figures
from tests.benchmarks.report import JSON, Report, duration
from tests.benchmarks.scoring_figures import (
    adult_round,
    by_value,
    class_bytes,
    class_reads,
    compiled,
    measured_round,
    sensitive_round,
)
from tests.benchmarks.tables import adult, adult_in_parts, adult_with_people

# per costly metric of all nodes of Adult: its words, and limits of compiled / scoring and numpy / compiled
LAGGING = {
    "non_uniform_entropy": ("entropy of all suppressed parts", 1.2, 8),
    "ambiguity": ("ambiguity of all nodes", 1.2, 5),
    "kl_divergence": ("KL divergence of all nodes", 1.6, 5),
    "classification": ("classification error of all nodes, salary-class", 3.5, 3),
}

FURTHER = (
    ("tests.benchmarks.commands", "--compiling"),
    ("tests.benchmarks.turning",),
    ("tests.benchmarks.turning", "--columns", "3"),
    ("pytest", "-q", "tests/benchmarks"),
)


def main() -> int:
    """Run, print, and return 1 if a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="10 million records too: two minutes more")
    parser.add_argument(
        "--pycanon", action="store_true", help="pyCANON too, in an environment made for it: some minutes more"
    )
    parser.add_argument(
        "--window",
        action="store_true",
        help="whole commands, empty caches, knobs and the benchmarks by pytest too: many minutes more",
    )
    parser.add_argument("--keep", action="store_true", help=f"keep the figures in {baseline.KEPT.name}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every row as JSON too")
    parser.add_argument("--compare", action="store_true", help="say what is slower than the figures kept")
    arguments = parser.parse_args()
    if arguments.json:
        arguments.json.unlink(missing_ok=True)
        os.environ[JSON] = str(arguments.json.resolve())
    load = load_average()  # before this program loads the machine
    if not acceleration.warm_up():
        parser.error("There are no compiled kernels: numba is missing, or the environment asks for numpy.")
    by_sizes, by_values = replace(adult(), target=adult("salary-class").target), adult("occupation")
    sizes, values = compiled(by_sizes, label_sums=True), by_value(by_values)
    knobs.warm_up(sizes, values)
    demo_round()
    figures = Rounds([_round(sizes, values, number) for number in range(arguments.rounds)])
    report = Report()
    _add_scoring(report, figures, sizes, load)
    _add_values(report, figures, values)
    _add_knobs(report, figures, sizes)
    _add_attackers(report)
    _add_demo(report, figures)
    _add_detection(report, figures)
    _add_tables(report, large=arguments.large)
    _add_reading(report)
    _add_traffic(report, figures, sizes)
    if arguments.pycanon:
        _add_pycanon(report)
    report.show(f"Scores and knobs, medians of {arguments.rounds} rounds")
    medians = figures.medians()
    if arguments.keep:
        baseline.keep(medians)
    found = baseline.compared(medians) if arguments.compare else []
    for key, ratio in found:
        sys.stdout.write(f"{ratio:6.2f} x  {key}\n")
    is_met = report.is_met
    if arguments.window:
        for words in FURTHER:
            is_met &= subprocess.run([sys.executable, "-m", *words], check=False).returncode == 0
    return 0 if is_met and not baseline.slower(found) else 1


def _round(sizes: LatticeProfile, values: LatticeProfile, number: int) -> Figures:
    """Measure all values once; keys name the quantity and the table."""
    parts = {
        "adult": adult_round(sizes.problem, sizes, number),
        "values": sensitive_round(values.problem, values, number),
        "knob": knobs.knob_round(sizes, values),
        "demo": demo_round(),
        "sets": detection_round(number),
    }
    return {f"{part} {key}": value for part, found in parts.items() for key, value in found.items()}


def _add_scoring(report: Report, figures: Rounds, sizes: LatticeProfile, load: float | None) -> None:
    report.section()
    nodes = f"{sizes.lattice.n_nodes:,} nodes"
    pandas, plain, loss = (
        duration(figures.median(f"adult {key}")) for key in ("pandas", "plain", "with_loss")
    )
    scores = f"Adult, {nodes}: classes, k, squares, histogram"
    report.at_least(
        f"{scores}; pandas / 1 worker",
        figures.ratio("adult pandas", "adult plain"),
        200,
        f"  ({pandas} / {plain})",
    )
    numpy = duration(figures.median("adult numpy"))
    report.at_least(
        "the same; numpy roll-up / 1 worker",
        figures.ratio("adult numpy", "adult plain"),
        4,
        f"  ({numpy} / {plain})",
    )
    report.at_least(
        "the same with exact loss by class size; pandas / 1 worker",
        figures.ratio("adult pandas", "adult with_loss"),
        160,
        f"  ({pandas} / {loss})",
    )
    busy = "" if load is None or load <= QUIET else f"  not quiet: load {load:.1f}"
    report.at_least(
        "the same; 1 worker / 2 workers, wall time",
        figures.ratio("adult one", "adult two"),
        1.6,
        f"  ({duration(figures.median('adult one'))} / {duration(figures.median('adult two'))}){busy}",
    )
    report.within("the same; first nodes ready / all", figures.median("adult first_share"), 1 / 5)


def _add_values(report: Report, figures: Rounds, values: LatticeProfile) -> None:
    report.section()
    pandas, by_hand, scoring = (
        duration(figures.median(f"values {key}")) for key in ("pandas", "by_hand", "scoring")
    )
    nodes = f"8 QIs and occupation, {values.lattice.n_nodes:,} nodes"
    report.at_least(
        f"{nodes}: l, entropy, both t; pandas / 1 worker",
        figures.ratio("values pandas", "values scoring"),
        300,
        f"  ({pandas} / {scoring})",
    )
    report.tell(
        "the same; pandas for classes, numpy for the rest / 1 worker",
        figures.ratio("values by_hand", "values scoring"),
        "times",
        f"  ({by_hand} / {scoring})",
    )
    report.tell("of which the walk that finds classes and contents", figures.median("values walk"), "seconds")
    for text, problem, least in (
        ("9 QIs and a population of 90,162 known person by person", adult_with_people(), 3),
        ("7 QIs, two sensitive columns, each with the other known", adult_in_parts(), 3),
    ):
        found = measured_round(problem)
        numpy, ours = duration(found["numpy"]), duration(found["compiled"])
        report.at_least(
            f"{text}, {problem.lattice.n_nodes:,} nodes: usual measures; numpy / 1 worker",
            found["numpy"] / found["compiled"],
            least,
            f"  ({numpy} / {ours})",
        )


def _add_knobs(report: Report, figures: Rounds, sizes: LatticeProfile) -> None:
    report.section()
    size, metrics, joint = (duration(figures.median(f"knob {key}")) for key in ("size", "metrics", "joint"))
    report.at_least(
        "k: suppressed, satisfied, minimal, optimum; pandas scoring / turn",
        figures.ratio("adult pandas", "knob size"),
        200_000,
        f"  (turn {size})",
    )
    report.at_least(
        "the same with every metric of all nodes; pandas / turn",
        figures.ratio("adult pandas", "knob metrics"),
        20_000,
        f"  (turn {metrics})",
    )
    for key, (text, most, least) in LAGGING.items():
        numpy, lagging = knobs.lagging_by_numpy(sizes, key), figures.median(f"knob lagging {key}")
        report.at_most(
            f"what lags behind: {text} / scoring by 1 worker",
            1 / figures.ratio("adult plain", f"knob lagging {key}"),
            most,
            f"  ({duration(lagging)})",
        )
        report.at_least("the same; numpy / compiled walk", numpy / lagging, least, f"  ({duration(numpy)})")
    report.at_least(
        "k, l, t: suppressed, satisfied; pandas scoring of l and t / turn",
        figures.ratio("values pandas", "knob joint"),
        3_000,
        f"  (turn {joint})",
    )


def _add_attackers(report: Report) -> None:
    report.section()
    found = attackers_figures(adult())
    scored = "anybody who knows any 3 of 9 columns, 84 sets: exact nodes"
    more = f"  ({duration(found['scored'])})"
    report.at_most(f"{scored} / scoring k alone", found["scored ratio"], 30, more)
    report.tell("the same; a usual turn of k or the limit", found["usual turn"], "seconds")
    report.tell("the same; the longest turn", found["turn"], "seconds")


def _add_demo(report: Report, figures: Rounds) -> None:
    report.section()
    report.tell(
        "example with hours-per-week: scoring with l, t and exact loss",
        figures.median("demo scoring"),
        "seconds",
    )
    report.within(
        "the same; a turn of k, l and t with loss and optimum / scoring",
        1 / figures.ratio("demo scoring", "demo turn"),
        1 / 20,
        f"  (turn {duration(figures.median('demo turn'))})",
    )
    full, complete = (duration(figures.median(f"demo {key}")) for key in ("full turn", "complete"))
    report.within(
        "the same; what the window repaints / a turn by a pass over all cells",
        figures.ratio("demo turn", "demo full turn"),
        1 / 12,
        f"  ({full})",
    )
    report.at_most(
        "the same; what the window repaints / suppressed records alone by a pass over all cells",
        figures.ratio("demo turn", "demo full pass"),
        0.45,
        f"  ({duration(figures.median('demo full pass'))})",
    )
    report.at_most(
        "the same; values of failing nodes afterwards / a turn by a pass over all cells",
        figures.ratio("demo complete", "demo full turn"),
        1,
        f"  ({complete})",
    )
    if has_proc():
        for name, text in (("adult", "Adult"), ("demo", "example with hours-per-week")):
            used = figures_alone(name)
            note = f"  ({used['loaded']:.0f} MB when loaded)"
            report.memory(f"memory above imports and kernels, {text}", used["peak"], 500, note)
            for part, most in (("cell", 12.5), ("pair", 3)):
                if f"per {part}" in used:
                    report.at_most(f"the same; memory per {part}", used[f"per {part}"], most, unit="bytes")


def _add_detection(report: Report, figures: Rounds) -> None:
    report.section()
    ours, pandas, wall, pandas_wall = (
        duration(figures.median(f"sets {key}")) for key in ("ours", "pandas", "wall", "pandas wall")
    )
    report.at_least(
        f"Adult, all sets of up to {MAX_SIZE} of 13 columns; pandas / detection",
        figures.ratio("sets pandas", "sets ours"),
        20,
        f"  ({pandas} / {ours})",
    )
    report.tell(
        "the same as a person waits, all cores",
        figures.ratio("sets pandas wall", "sets wall"),
        "times",
        f"  ({pandas_wall} / {wall})",
    )
    found = figures_alone("wide")
    report.tell("1 M records, 30 columns, all sets of up to 3: processor", found["seconds"], "seconds")
    report.tell("the same as a person waits", found["wall"], "seconds")
    report.tell("the same: longest time between two looks at Cancel", found["longest"], "seconds")
    report.tell("the same: the best of up to 4 columns, no list", found["best"], "seconds")
    if has_proc():
        report.memory("the same: resident memory, the table included", found["peak"], 2_000)


def _add_tables(report: Report, *, large: bool) -> None:
    report.section()
    _add_resampled(report, "million", "1 M records", 6, 1_500)
    if large:
        _add_resampled(report, "ten million", "10 M records", 18, 4_000)
    found = figures_alone("continuous")
    report.at_most(
        "no value twice, 100,000 records, 6 QIs; time per class / Adult's",
        found["ratio"],
        3,
        f"  ({found['n_classes']:,.0f} classes, {found['n_cells']:,.0f} cells, {found['peak']:,.0f} MB)",
    )


def _add_resampled(report: Report, name: str, text: str, most: float, megabytes: float) -> None:
    found = figures_alone(name)
    whole, reducing = duration(found["seconds"]), duration(found["reducing"])
    report.at_most(
        f"{text} / Adult, 1 worker", found["ratio"], most, f"  ({whole}, reducing records {reducing})"
    )
    counts = f"  ({found['n_base']:,.0f} tuples, {found['n_classes']:,.0f} classes)"
    report.tell(f"{text}: the walk alone / Adult", found["walk_ratio"], "times", counts)
    report.tell(f"{text}: with exact loss / Adult", found["with_loss"], "times")
    report.within(f"{text}: first nodes ready / all", found["first_share"], 1 / 5)
    if has_proc():
        report.memory(f"{text}: resident memory, all workers, exact loss", found["peak"], megabytes)


def _add_reading(report: Report) -> None:
    report.section()
    found = figures_alone("text file")
    arrow = f"  ({duration(found['arrow'])})"
    text = "CSV file of 1 M records x 15 columns"
    report.at_most(f"{text}, read and coded / by Arrow with its dictionaries", found["coded"], 2.5, arrow)
    report.at_most("the same with types, ordered / by Arrow with its dictionaries", found["typed"], 4)
    if has_proc():
        size = f"  (a file of {found['size']:,.0f} MB)"
        report.memory("the same: memory above the idle program", found["peak"], 3 * found["size"], size)
    found = figures_alone("workbook")
    ours, library = duration(found["ours"]), duration(found["openpyxl"])
    report.at_most(
        "workbook of 50,000 records x 10 columns / rows by openpyxl alone",
        found["ratio"],
        0.7,
        f"  ({ours} / {library})",
    )


def _add_traffic(report: Report, figures: Rounds, sizes: LatticeProfile) -> None:
    report.section()
    n_read, n_made = class_reads(sizes), int(sizes.n_classes.sum())
    copying = copy_speed()
    report.tell("memory copied by numpy, read and written", copying, "bytes per second")
    for key, label_sums in (("plain", False), ("with_loss", True)):
        spent, width = figures.median(f"adult {key}"), class_bytes(sizes, label_sums=label_sums)
        speed = width * (n_read + n_made) / spent
        report.tell(
            f"a class read{', with exact loss' if label_sums else ''}: {n_read:,} read, {n_made:,} made",
            spent / n_read,
            "seconds",
            f"; {width} bytes, {speed / 1e9:.1f} GB/s = {speed / copying:.0%}",
        )


def _add_pycanon(report: Report) -> None:
    report.section()
    found, version = pycanon_figures()
    library, ours = duration(found["pycanon"]), duration(found["ours"])
    report.at_least(
        "Adult as it is, 6 QIs and salary-class: nine models of a DataFrame; pyCANON / ours",
        found["pycanon"] / found["ours"],
        200,
        f"  ({library} / {ours})",
    )
    report.tell(
        f"the same by engine.compat, pyCANON's figures; pandas of pyCANON {version}",
        found["compat"],
        "seconds",
    )


if __name__ == "__main__":
    raise SystemExit(main())
