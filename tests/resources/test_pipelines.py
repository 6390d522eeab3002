"""The examples of the page about pipelines run as they are written, where the other program is at hand."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import duckdb
import pytest

from tests.conftest import ROOT

HELP = ROOT / "resources" / "help"
BLOCK = re.compile(r"```\w+\n(?:#|--) ([\w./]+)\n(.*?)```", re.DOTALL)
EXAMPLES = dict(BLOCK.findall((HELP / "pipeline.md").read_text(encoding="utf-8")))
RELEASED = [("30-39", "*", 3), ("50-59", "*", 3)]  # of the five minutes: age, sex, records
Run = Callable[..., subprocess.CompletedProcess[str]]


def needs(distribution: str) -> pytest.MarkDecorator:
    """Skip a test without a package, which is not imported here: some connect to the network."""
    is_missing = not any(metadata.distributions(name=distribution))
    return pytest.mark.skipif(is_missing, reason=f"{distribution} is not installed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The table and the recipe of the five minutes, and every example under its name."""
    page = (HELP / "five-minutes.md").read_text(encoding="utf-8")
    for kind, place in (("csv", "people.csv"), ("toml", "people.toml")):
        (tmp_path / place).write_text(*re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL), encoding="utf-8")
    for name, text in EXAMPLES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace("/srv/people", str(tmp_path)), encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
    """Run a command in the folder, with the command and the engine of these sources."""
    command = folder / "bin" / "anonymizer"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m anonymizer_gui "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    paths = {"PATH": f"{command.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    quiet = {"GX_ANALYTICS_ENABLED": "false", "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}
    home = {"AIRFLOW_HOME": str(folder), "AIRFLOW__CORE__LOAD_EXAMPLES": "false"}
    environment = os.environ | paths | quiet | home | {"ANONYMIZER_KERNELS": "numpy"}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    return run


def demand_more(folder: Path) -> None:
    """Make a condition of each example one that the release does not meet."""
    for name in EXAMPLES:
        text = (folder / name).read_text(encoding="utf-8")
        text = (
            text.replace("k >= 3", "k >= 4")
            .replace(".k >= 3", ".k >= 4")
            .replace("min_value=3", "min_value=4")
        )
        (folder / name).write_text(text, encoding="utf-8")


def classes(folder: Path, table: str) -> list[tuple[object, ...]]:
    query = f"SELECT age, sex, count(*) FROM {table} GROUP BY ALL ORDER BY ALL"
    with duckdb.connect() as connection:
        return connection.sql(query.replace("FROM '", f"FROM '{folder}/")).fetchall()


def holds_and_fails(run: Run, folder: Path, *words: str, makes: str = "", keeps: bool = False) -> None:
    """Run an example, which must succeed and make a file, and again with a condition that is not met."""
    done = run(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    if makes:
        assert classes(folder, f"'{makes}'") == RELEASED
        (folder / makes).unlink()
    demand_more(folder)
    assert run(*words).returncode != 0
    assert not makes or (folder / makes).exists() is keeps


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_makes_a_verified_release_and_deletes_one_that_fails(run: Run, folder: Path) -> None:
    holds_and_fails(run, folder, "make", "released.csv", makes="released.csv")


@needs("snakemake")
def test_snakemake_makes_a_verified_release_and_deletes_one_that_fails(run: Run, folder: Path) -> None:
    holds_and_fails(run, folder, sys.executable, "-m", "snakemake", "--cores", "1", makes="released.csv")


def test_duckdb_reads_and_writes_what_the_recipe_releases(run: Run, folder: Path) -> None:
    holds_and_fails(run, folder, sys.executable, "by_duckdb.py", makes="released.parquet")


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("pandera", marks=needs("pandera")),
        pytest.param("great_expectations", marks=needs("great-expectations")),
    ],
)
def test_a_check_of_frames_accepts_and_refuses_by_classes(run: Run, folder: Path, program: str) -> None:
    assert run("anonymizer", "anonymize", "people.toml", "--out", "released.csv").returncode == 0
    holds_and_fails(run, folder, sys.executable, f"by_{program}.py")


@needs("dbt-duckdb")
def test_dbt_releases_a_seed_and_tests_its_classes(run: Run, folder: Path) -> None:
    (folder / "dbt_project.yml").write_text("name: people\nprofile: people\n", encoding="utf-8")
    profile = "people: {target: here, outputs: {here: {type: duckdb, path: people.duckdb}}}\n"
    (folder / "profiles.yml").write_text(profile, encoding="utf-8")
    (folder / "seeds").mkdir()
    (folder / "people.csv").rename(folder / "seeds" / "people.csv")
    holds_and_fails(run, folder, sys.executable, "-c", "from dbt.cli.main import cli; cli()", "build")
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        found = connection.sql("SELECT age, sex, count(*) FROM released GROUP BY ALL ORDER BY ALL").fetchall()
    assert found == RELEASED


@needs("apache-airflow")
def test_airflow_makes_a_verified_release_and_fails_on_a_condition(run: Run, folder: Path) -> None:
    assert run("airflow", "db", "migrate").returncode == 0
    holds_and_fails(run, folder, "airflow", "dags", "test", "release", makes="released.csv", keeps=True)
