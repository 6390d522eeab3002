"""pyCANON's figures of small random tables with missing values, by its own run; see tests/data/published."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.compat import pycanon
from engine.errors import InputError
from engine.findings.given_table import given_table
from engine.records import Table
from tests.engine.compat.published import agrees, entries

DTYPES = {"text": object, "truth": bool}


def frame(entry: dict[str, Any]) -> pd.DataFrame:
    """The table as the library was given it: whole numbers that miss some are decimals."""
    made = {}
    for name, cells in entry["data"].items():
        kind = entry["kinds"][name]
        is_whole = kind == "whole" and None not in cells
        dtype = int if is_whole else float if set(cells) == {None} else DTYPES.get(kind, float)
        made[name] = pd.Series([np.nan if cell is None else cell for cell in cells], dtype=dtype)
    return pd.DataFrame(made)


def outcome(function: Callable[[], Any]) -> Any:
    """A figure, or the name of the error the library ends with."""
    try:
        found = function()
    except InputError as error:
        return {"error": error.problem}
    return list(found) if isinstance(found, tuple) else found


def same(found: Any, known: Any) -> bool:
    if isinstance(known, dict) and "error" in known:
        return isinstance(found, dict) and (known["error"] in found.get("error", ""))
    if isinstance(known, dict):
        return set(found) == set(known) and all(same(found[name], known[name]) for name in known)
    if isinstance(known, list):
        return len(found) == len(known) and all(map(same, found, known))
    return agrees(found, known)


def is_by_order(entry: dict[str, Any], kept: Table) -> bool:
    """Whether the library sorts truth values, numbers and nan together, which has no one outcome."""
    kinds = {
        entry["kinds"][s] if kept.column(s).labels != ("",) and entry["kinds"][s] in DTYPES else "numbers"
        for s in entry["sa"]
    }
    return kinds == {"truth", "numbers"} and any(kept.column(s).has_missing for s in entry["sa"])


@pytest.mark.parametrize("entry", entries("pycanon_edges"))
def test_missing_values_lead_to_the_figures_and_the_errors_of_the_library(entry: dict[str, Any]) -> None:
    given = given_table(frame(entry), entry["qi"], entry["sa"], others_as_qi=not entry["gen"])
    for name, known in entry["models"].items():
        found = outcome(lambda name=name: getattr(pycanon, name)(given))
        assert same(found, known), (name, found, known)


@pytest.mark.parametrize("entry", entries("pycanon_edges"))
def test_missing_values_lead_to_the_metrics_of_the_library(entry: dict[str, Any]) -> None:
    whole = frame(entry)
    kept = given_table(whole.iloc[: entry["kept"]], entry["qi"], entry["sa"])
    given = given_table(whole, entry["qi"], entry["sa"])
    raw, known = given.table, entry["metrics"]
    found = {
        "average_ecsize": [
            outcome(lambda: pycanon.average_ecsize(raw, kept)),
            outcome(lambda: pycanon.average_ecsize(raw, kept, sup=False)),
        ],
        "classification_metric": outcome(lambda: pycanon.classification_metric(raw, kept)),
        "discernability_metric": outcome(lambda: pycanon.discernability_metric(raw, kept)),
        "sizes_ec": outcome(lambda: pycanon.sizes_ec(given)),
        "average_rir": outcome(lambda: pycanon.average_rir(given)),
        "max_rir": outcome(lambda: pycanon.max_rir(given)),
        "stats_quasi_ident": {q: outcome(lambda q=q: pycanon.stats_quasi_ident(raw, q)) for q in entry["qi"]},
        "sa_entropy": {s: outcome(lambda s=s: pycanon.sa_entropy(raw, s)) for s in entry["sa"]},
    }
    assert set(found) == set(known)
    if is_by_order(entry, kept.table):
        assert "order of the records" in found.pop("classification_metric")["error"]
    for name in found:
        expected = known[name]
        assert same(found[name], expected), (name, found[name], expected)


def test_what_depends_on_the_order_of_the_records_is_refused() -> None:
    truth = [True, None, False, True]
    table = pd.DataFrame({"q": list("aabb"), "s": pd.array(truth, dtype="boolean")})
    given = given_table(table, ["q"], ["s"])
    for function in (pycanon.l_diversity, pycanon.t_closeness, pycanon.basic_beta_likeness):
        with pytest.raises(InputError, match="order of the records"):
            function(given)
    # As quasi-identifying values they are only told apart; alone, missing is in no class.
    assert pycanon.k_anonymity(given_table(table, ["s"])) == 1
    assert pycanon.sizes_ec(given_table(table, ["s"]))["n_ec"] == 2
    assert pycanon.sizes_ec(given_table(table, ["q", "s"]))["n_ec"] == 4


def test_whole_numbers_are_told_apart_beyond_what_a_float_holds() -> None:
    table = pd.DataFrame({"q": [2**60, 2**60 + 1], "s": ["a", "b"]})
    assert pycanon.sizes_ec(given_table(table, ["q"]))["n_ec"] == 2


def test_numbers_and_truth_values_are_one_however_they_are_written(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("q,b,s\n1,TRUE,x\n1.0,true,y\n2,False,x\n", encoding="utf-8")
    read = pd.read_csv(file)
    assert read.groupby(["q", "b"]).size().tolist() == [2, 1]
    given = given_table(file, ["q", "b"], ["s"])
    assert pycanon.sizes_ec(given) == {"n_ec": 2, "min_ec": 1, "max_ec": 2, "mean_ec": 1.5, "median_ec": 1.5}
    assert pycanon.stats_quasi_ident(given.table, "q")["max_freq_value"] == 1.0


def test_the_index_and_the_order_of_the_records_play_no_part() -> None:
    table = pd.DataFrame({"q": list("aabbcc"), "s": list("uvuuvv"), "r": [1, 2, 3, 4, 5, 5]})
    expected = pycanon.check(given_table(table, ["q"], ["s", "r"], others_as_qi=True))
    shuffled = table.sample(frac=1, random_state=1)
    assert not shuffled.index.is_monotonic_increasing
    shuffled.index = [7, 7, 7, 0, -1, 100]
    assert pycanon.check(given_table(shuffled, ["q"], ["s", "r"], others_as_qi=True)) == expected
