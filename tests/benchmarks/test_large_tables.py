"""Tables that stay in files, a database or a cluster, against the same in memory, and what they take of it.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_large_tables.py

ANONYMIZER_BENCHMARK_RECORDS takes another number of records for memory than five million.
ANONYMIZER_BENCHMARK_RECIPE names the recipe of a table in files, such as one of a hundred million records,
that is taken from opening to a verified release. PostgreSQL and Spark are measured where they are installed.
"""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.monitor import SILENT
from engine.pipeline import anonymize, export_release, judge_file, write_release
from engine.project import Project
from engine.project.recipe.files import read_recipe
from engine.records.databases.address import PASSWORD as PASSWORD_VARIABLE
from engine.records.options import PARQUET, ExportOptions, Placing
from tests.benchmarks.measuring import Rounds, seconds, wall_seconds
from tests.benchmarks.report import Report
from tests.servers import PASSWORD, Server
from tests.spark import SparkServer, spark_home

if TYPE_CHECKING:
    import pyarrow as pa

ROOT = Path(__file__).resolve().parents[2]
RECORDS = int(os.environ.get("ANONYMIZER_BENCHMARK_RECORDS", 5_000_000))
COMPARED = min(RECORDS, 1_000_000)
HUGE = os.environ.get("ANONYMIZER_BENCHMARK_RECIPE", "")
ROUNDS = 3
FETCHED, SECONDS = 1.0, 300.0  # of reading the records; of 100 million records on two cores
FIFTH = 0.2  # of the records: with more tuples, SCALE expects fetching to be faster
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
from engine.records.options import Placing
from tests.benchmarks.measuring import resident
def peak(): return resident("VmHWM")  # that of getrusage begins with the memory of the parent
start, began, wall = peak(), time.process_time(), time.time()
project = read_recipe(sys.argv[1], placing=Placing(source="disk", memory=sys.argv[3]))
tuples, counted = project.rows.n_rows, peak()
release = anonymize(project).release
verdict = export_release(project, release, Path(sys.argv[2]), in_parts=True)
print(json.dumps({
    "start": start, "counted": counted, "peak": peak(), "tuples": tuples, "records": release.n_records,
    "seconds": time.process_time() - began, "wall": time.time() - wall,
    "judge": verdict.judge, "ok": verdict.ok,
}))
"""
TITLE = "Tables that stay in files"


def region(folder: Path, n_records: int) -> Path:
    """Return the recipe of an example of some size."""
    runpy.run_path(str(ROOT / "resources" / "examples" / "make_region.py"))["main"](
        [str(folder), str(n_records)]
    )
    return folder / "recipe.toml"


def test_files_against_memory(report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.pipeline.judging._MOST_JUDGED_OF_FILES", 1_000)  # as larger ones are judged
    recipe = region(tmp_path, COMPARED)
    one = tmp_path / "one.parquet"
    table = read_recipe(recipe).table
    assert table.home is not None
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


def test_a_table_named_by_the_environment(report: Report, tmp_path: Path) -> None:
    if not HUGE:
        pytest.skip("ANONYMIZER_BENCHMARK_RECIPE names no recipe")
    found = _alone(Path(HUGE), tmp_path / "huge", "2 GB")
    assert found["ok"]
    n = f"{found['records'] / 1e6:g} M records, {found['tuples']:,.0f} tuples"
    note = f"  ({found['seconds']:.0f} s of processor, verified by {found['judge']})"
    wanted = SECONDS * found["records"] / 1e8
    report.at_most(f"{n}: wall time to a verified release", found["wall"], wanted, note, unit="seconds")
    mb = PER_TUPLE * found["tuples"] / 1e6 + MORE
    report.memory(f"{n}: before scoring", found["counted"], mb, f"  (in all {found['peak']:.0f} MB)")


def test_a_database_against_fetching_its_records(
    report: Report, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    recipe = region(tmp_path, COMPARED)
    rows = _records(tmp_path / "people")
    kinds = dict.fromkeys(rows.column_names, "text") | {"insurance number": "bigint", "age": "integer"}
    cells = zip(*(column.to_pylist() for column in rows.columns), strict=True)
    server.make("people", kinds, list(cells), "insurance number")
    text = recipe.read_text(encoding="utf-8").replace('"people"', f'"{server.url("people")}"')
    fewer = text.replace('"postal code", "education", "occupation"]', '"education", "occupation"]')
    fewer = fewer.replace('insensitive = ["quarter"]', 'insensitive = ["quarter", "postal code"]')
    assert fewer != text
    for words in (text, fewer):
        recipe.write_text(words, encoding="utf-8")
        tuples: dict[str, int] = {}

        def opened(where: str, tuples: dict[str, int] = tuples) -> None:
            project = read_recipe(recipe, may_connect=True, placing=Placing(source=where))
            tuples[where] = project.rows.n_rows

        rounds = [
            {where: with_children(lambda where=where: opened(where)) for where in ("server", "memory")}  # type: ignore[misc]
            for _unused in range(ROUNDS)
        ]
        found, n_tuples = Rounds(rounds), tuples["server"]
        name = f"{COMPARED / 1e6:g} M in PostgreSQL, {n_tuples:,} tuples: counted there / fetched"
        note = f"  ({found.median('server'):.1f} s / {found.median('memory'):.1f} s, without the server's)"
        ratio = found.ratio("server", "memory")
        if n_tuples > FIFTH * COMPARED:
            report.tell(name, ratio, "times", note)
        else:
            report.at_most(name, ratio, FETCHED, note)


def test_a_cluster(report: Report, tmp_path: Path) -> None:
    home = spark_home()
    if home is None:
        pytest.skip("needs Java, pyspark-client, and pyspark[connect] here or at SPARK_HOME")
    recipe = region(tmp_path, RECORDS)
    spark = SparkServer(home, tmp_path)
    try:
        spark.wait()
        address = spark.address(path=str(tmp_path / "people"))
        text = recipe.read_text(encoding="utf-8").replace('"people"', f'"{address}"')
        recipe.write_text(text.replace('source = "disk"', 'source = "cluster"'), encoding="utf-8")
        found: dict[str, float] = {}
        projects: list[Project] = []

        def tuples() -> None:
            projects.append(read_recipe(recipe, may_connect=True))
            assert projects[0].rows.n_rows > 0

        found["labels and tuples"] = wall_seconds(tuples)
        release = anonymize(projects[0]).release
        place = str(tmp_path / "out")

        def released() -> None:
            assert export_release(projects[0], release, place, options=ExportOptions(kind=PARQUET)).ok

        found["release as Parquet, read back and verified"] = wall_seconds(released)
    finally:
        spark.end()
    for name, value in found.items():
        report.tell(f"{RECORDS / 1e6:g} M on a cluster of this machine: {name}", value, "seconds")


def with_children(work: Callable[[], None]) -> float:
    """Return the processor time of one call, with that of the processes that it started and that ended."""
    start = os.times()[:4]
    work()
    return sum(os.times()[:4]) - sum(start)


def _alone(recipe: Path, out: Path, memory: str = "500 MB") -> dict[str, float]:
    words = [sys.executable, "-c", CHILD, str(recipe), str(out), memory]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _join(folder: Path, whole: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(_records(folder), whole)


def _records(folder: Path) -> pa.Table:
    import pyarrow as pa
    from pyarrow import parquet

    return pa.concat_tables(parquet.read_table(path) for path in sorted(folder.iterdir()))
