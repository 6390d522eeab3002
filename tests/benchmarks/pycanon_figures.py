"""Nine models of Adult, by the program and by pyCANON in its own environment, one after the other."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import platformdirs

from engine import compat
from engine.findings.model_check import check
from tests.benchmarks.measuring import Figures, seconds

LIBRARY = "pycanon==1.3.5"
TABLE = Path(__file__).resolve().parents[1] / "data" / "tables" / "adult.csv"
QI = ("age", "education", "occupation", "relationship", "sex", "native-country")
SENSITIVE = "salary-class"
OURS = 9  # measurements of the program; the library takes minutes and is measured once

# Models with the same definition in the library, so that the report by definition must agree too.
AGREED = ("k_anonymity", "alpha_k_anonymity", "distinct_l_diversity", "basic_beta_likeness", "t_closeness")


def environment() -> Path:
    """Return the Python of an environment with the library, created once in a temporary folder."""
    usual = platformdirs.user_cache_dir("anonymizer-benchmarks", appauthor=False)
    folder = Path(os.environ.get("ANONYMIZER_BENCHMARK_CACHE", usual)) / "pycanon-1.3.5"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    has_it = [str(python), "-c", "import pycanon.anonymity"]
    if python.exists() and subprocess.run(has_it, capture_output=True, check=False).returncode == 0:
        return python
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", LIBRARY], check=True)
    return python


def pycanon_figures() -> tuple[Figures, str]:
    """Return seconds of library and program for the same DataFrame, and the library's pandas version.

    Raises
    ------
    AssertionError
        The results of the library and the program differ.
    """
    theirs = _theirs(environment())
    frame = pd.read_csv(TABLE)
    report, exact = [], []
    spent = {"ours": 0.0, "compat": 0.0}

    def by_definition() -> None:
        exact.append(check(frame, QI, SENSITIVE).as_dict())

    def as_theirs() -> None:
        report.append(compat.check(frame, QI, SENSITIVE))

    for key, work in (("ours", by_definition), ("compat", as_theirs)):
        work()  # once before timing, for the imports
        spent[key] = statistics.median(seconds(work) for _ in range(OURS))
    _compare(theirs["figures"], report[-1], exact[-1])
    return {"pycanon": theirs["seconds"], **spent}, theirs["pandas"]


def _theirs(python: Path) -> Any:
    script = Path(__file__).with_name("pycanon_alone.py")
    command = [str(python), str(script), str(TABLE), *QI, SENSITIVE]
    found = subprocess.run(command, capture_output=True, check=True, text=True)
    return json.loads(found.stdout)


def _compare(
    theirs: Mapping[str, list[float | None]], compat: Mapping[str, Any], exact: Mapping[str, Any]
) -> None:
    for name, known in theirs.items():
        key = "distinct_l_diversity" if name == "l_diversity" else name
        for found in [compat[key], *([exact[key]] if key in AGREED else [])]:
            values = [value for value in found.values() if not isinstance(value, str)]
            for ours, library in zip(values, known, strict=True):
                is_same = ours == library if ours is None or library is None else math.isclose(ours, library)
                assert is_same, f"{key}: {values} by us, {known} by the library"


if __name__ == "__main__":
    found, version = pycanon_figures()
    sys.stdout.write(
        json.dumps({**found, "ratio": found["pycanon"] / found["ours"], "pandas": version}) + "\n"
    )
