"""Tables that stay in files, against the same tables in memory, and what they take of it.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_large_tables.py

ANONYMIZER_BENCHMARK_RECORDS takes another number of records for memory than five million.
"""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.monitor import SILENT
from engine.pipeline import anonymize, judge_file, write_release
from engine.project import Project
from engine.project.recipe.files import read_recipe
from engine.table.options import ExportOptions, Placing
from tests.benchmarks.measuring import Rounds, seconds
from tests.benchmarks.report import Report

ROOT = Path(__file__).resolve().parents[2]
RECORDS = int(os.environ.get("ANONYMIZER_BENCHMARK_RECORDS", 5_000_000))
COMPARED = min(RECORDS, 1_000_000)
ROUNDS = 3
READING, WRITING, JUDGING, TWICE = (
    1.0,
    2.0,
    1.5,
    1.1,
)  # of SCALE's ratios, and of memory for twice the records
PER_TUPLE, MORE = 200, 400  # bytes, MB
CHILD = """
import json, sys, time
from pathlib import Path
from engine.pipeline import anonymize, export_release
from engine.project.recipe.files import read_recipe
from engine.table.options import Placing
from tests.benchmarks.measuring import resident
def peak(): return resident("VmHWM")  # that of getrusage begins with the memory of the parent
start, began, wall = peak(), time.process_time(), time.time()
project = read_recipe(sys.argv[1], placing=Placing(source="disk", memory="500 MB"))
tuples, counted = project.rows.n_rows, peak()
release = anonymize(project).release
verdict = export_release(project, release, Path(sys.argv[2]), in_parts=True)
print(json.dumps({
    "start": start, "counted": counted, "peak": peak(), "tuples": tuples, "records": release.n_records,
    "seconds": time.process_time() - began, "wall": time.time() - wall,
    "judge": verdict.judge, "ok": verdict.ok,
}))
"""


@pytest.fixture(scope="module")
def report() -> Iterator[Report]:
    made = Report()
    made.section()
    yield made
    made.show("Tables that stay in files")


def region(folder: Path, n_records: int) -> Path:
    """Return the recipe of an example of some size."""
    runpy.run_path(str(ROOT / "resources" / "examples" / "make_region.py"))["main"](
        [str(folder), str(n_records)]
    )
    return folder / "recipe.toml"


def test_files_against_memory(report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.pipeline._MOST_JUDGED_OF_FILES", 1_000)  # as larger ones are judged
    recipe = region(tmp_path, COMPARED)
    one = tmp_path / "one.parquet"
    table = read_recipe(recipe).table
    assert table.is_stored
    (tmp_path / "memory.toml").write_text(
        recipe.read_text(encoding="utf-8").replace('"people"', '"one.parquet"').replace('"disk"', '"memory"'),
        encoding="utf-8",
    )
    _join(tmp_path / "people", one)
    out = tmp_path / "released.csv"

    def opened(where: str) -> Project:
        project = read_recipe(tmp_path / "memory.toml", placing=Placing(source=where))
        assert project.rows.n_records == COMPARED
        return project

    projects = {where: opened(where) for where in ("disk", "memory")}
    outcomes = {where: anonymize(project) for where, project in projects.items()}

    def write(where: str) -> None:
        with out.open("wb") as file:
            write_release(file, projects[where], outcomes[where].release)

    def judge() -> None:
        project = replace(projects["disk"])
        assert judge_file(project, outcomes["disk"].release, out, SILENT, ExportOptions()).ok

    rounds = []
    for _unused in range(ROUNDS):
        figures = {f"open {where}": seconds(lambda where=where: opened(where)) for where in projects}  # type: ignore[misc]
        figures |= {f"write {where}": seconds(lambda where=where: write(where)) for where in projects}  # type: ignore[misc]
        figures["judge"] = seconds(judge)
        figures["before"] = figures["open disk"] + figures["write disk"]
        rounds.append(figures)
    found = Rounds(rounds)
    n = f"{COMPARED / 1e6:g} M"
    for name, key, wanted in (("labels and tuples", "open", READING), ("release as CSV", "write", WRITING)):
        note = f"  ({found.median(f'{key} disk'):.1f} s / {found.median(f'{key} memory'):.1f} s)"
        report.at_most(f"{n}: {name} / memory", found.ratio(f"{key} disk", f"{key} memory"), wanted, note)
    note = f"  ({found.median('judge'):.1f} s / {found.median('before'):.1f} s)"
    report.at_most(f"{n}: judge / labels, tuples and writing", found.ratio("judge", "before"), JUDGING, note)


def test_memory_follows_tuples_not_records(report: Report, tmp_path: Path) -> None:
    recipe = region(tmp_path, RECORDS)
    once = _alone(recipe, tmp_path / "once")
    for path in sorted((tmp_path / "people").iterdir()):
        shutil.copy(path, path.with_name(f"again-{path.name}"))
    twice = _alone(recipe, tmp_path / "twice")
    for found in (once, twice):
        assert found["ok"]
        mb = PER_TUPLE * found["tuples"] / 1e6 + MORE
        report.memory(
            f"{found['records'] / 1e6:g} M records, {found['tuples']:,.0f} tuples: before scoring",
            found["counted"],
            mb,
            f"  (start {found['start']:.0f}, verified by {found['judge']} {found['peak']:.0f} MB, "
            f"{found['seconds']:.0f} s of processor, {found['wall']:.0f} s)",
        )
    assert once["tuples"] == twice["tuples"]
    report.at_most("Peak memory of twice the records", twice["peak"] / once["peak"], TWICE)


def _alone(recipe: Path, out: Path) -> dict[str, float]:
    words = [sys.executable, "-c", CHILD, str(recipe), str(out)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _join(folder: Path, whole: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(
        pa.concat_tables(parquet.read_table(path) for path in sorted(folder.iterdir())), whole
    )
