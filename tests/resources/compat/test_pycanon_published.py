"""pyCANON's figures: the published ones, and those of tables at the edge of what it reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from anonymizer_compat import pycanon
from engine.errors import InputError
from engine.findings.given_table import GivenTable, given_table
from engine.records import Table
from tests.resources.compat.published import agrees, entries, judged

FIELDS: dict[str, Callable[..., Any]] = {
    "l": pycanon.l_diversity,
    "entropy_l": pycanon.entropy_l_diversity,
    "basic_beta": pycanon.basic_beta_likeness,
    "enhanced_beta": pycanon.enhanced_beta_likeness,
    "t": pycanon.t_closeness,
    "delta": pycanon.delta_disclosure,
}
PAIRS: dict[str, tuple[Callable[..., Any], str, str]] = {
    # the names of models.json; micro.json has both in one list
    "alpha_k": (pycanon.alpha_k_anonymity, "alpha", "alpha_k"),
    "recursive": (pycanon.recursive_c_l_diversity, "c", "c_l"),
}


def figures(entry: dict[str, Any], given: GivenTable) -> int:
    """Compare every figure of an entry; return how many there are."""
    given = replace(given, others_as_qi=not entry["gen"])
    known = entry["pycanon"] or expected_of(entry, given)
    assert pycanon.k_anonymity(given) == known["k"]
    for field, function in FIELDS.items():
        same(function, given, known[field], field)
    for field, (function, first, second) in PAIRS.items():
        is_list = field in known and (first not in known)
        expected = known[field] if is_list else [known[first], known[second]]
        if isinstance(expected, list) and isinstance(expected[0], dict):
            expected = expected[0]
        same(function, given, expected, field)
    return 1 + len(FIELDS) + len(PAIRS)


def expected_of(entry: dict[str, Any], given: GivenTable) -> dict[str, Any]:
    """What pyCANON should give where it was too slow to be run, by the independent implementation.

    Its entropy l is not known then: rounding may have cost it one of the exact figure.
    """
    known = entry["independent"]
    exact = known["entropy_l_floor_exact"]
    found = pycanon.entropy_l_diversity(given)
    assert found in (exact - 1, exact)
    return {
        "k": known["k"],
        "alpha": known["alpha"],
        "alpha_k": known["k"],
        "l": known["l"],
        "entropy_l": found,
        "c": known["recursive_c_compat"],
        "c_l": known["recursive_l_compat"],
        "basic_beta": known["beta"],
        "enhanced_beta": known["enh_compat"],
        "t": known["t"],
        "delta": known["delta_compat"],
    }


def same(function: Callable[..., Any], given: GivenTable, known: Any, field: str) -> None:
    if isinstance(known, dict):  # the library ends with an exception
        with pytest.raises(InputError, match=known["error"]):
            function(given)
        return
    found = function(given)
    expected = known if isinstance(known, list) else [known]
    found = list(found) if isinstance(found, tuple) else [found]
    assert all(agrees(*pair) for pair in zip(found, expected, strict=True)), (field, found, expected)


@pytest.mark.parametrize("entry", entries("micro"))
def test_tables_to_count_by_hand_have_the_figures_of_the_library(entry: dict[str, Any]) -> None:
    assert figures(entry, judged(entry, pd.DataFrame(entry["data"]))) == 9


@pytest.mark.parametrize("entry", entries("models"))
def test_raw_and_released_tables_have_the_figures_of_the_library(
    entry: dict[str, Any], table_path: Callable[[str], Path]
) -> None:
    table = pd.read_csv(table_path(entry["dataset"]), sep=entry["sep"])
    given = judged(entry, table)
    assert given.n_records == entry["rows"]
    assert figures(entry, given) == 9
    assert ("risk" in entry) is (entry["pycanon"] is not None)  # where the library was not run there is none
    if "risk" in entry:
        assert agrees(pycanon.average_rir(given), entry["risk"]["average_rir"])
        assert agrees(pycanon.max_rir(given), entry["risk"]["max_rir"])
        for column, entropy in entry["risk"]["sa_entropy"].items():
            assert agrees(pycanon.sa_entropy(given.table, column), entropy)
    sizes, known = pycanon.sizes_ec(given), entry["equivalence_classes"]
    for name in ("n", "min", "max", "mean", "median"):
        assert agrees(sizes[f"{name}_ec"], known[name])


@pytest.mark.parametrize("entry", entries("utility"))
def test_pairs_of_tables_have_the_figures_of_the_library(
    entry: dict[str, Any], table_path: Callable[[str], Path]
) -> None:
    frames = [pd.read_csv(table_path(entry[name])) for name in ("raw", "anonymized")]
    raw, anonymized = (given_table(frame, entry["qi"], entry["sa"]) for frame in frames)
    assert (raw.n_records, anonymized.n_records) == (entry["rows_raw"], entry["rows_anonymized"])
    assert pycanon.k_anonymity(anonymized) == entry["k"]
    sized = entry["average_ecsize"]
    assert agrees(pycanon.average_ecsize(raw.table, anonymized), sized["sup_true"])
    assert agrees(pycanon.average_ecsize(raw.table, anonymized, sup=False), sized["sup_false"])
    assert agrees(pycanon.classification_metric(raw.table, anonymized), entry["classification_metric"])
    assert pycanon.discernability_metric(raw.table, anonymized) == entry["discernability_metric"]
    assert pycanon.sizes_ec(anonymized) == pytest.approx(entry["sizes_ec"], rel=1e-9)
    assert agrees(pycanon.average_rir(anonymized), entry["average_rir"])
    assert agrees(pycanon.max_rir(anonymized), entry["max_rir"])
    for column, entropy in entry["sa_entropy"].items():
        assert agrees(pycanon.sa_entropy(anonymized.table, column), entropy)
    assert set(entry["stats_quasi_ident"]) == set(entry["qi"])
    for column, known in entry["stats_quasi_ident"].items():
        if "error" in known:
            with pytest.raises(InputError, match="TypeError"):
                pycanon.stats_quasi_ident(anonymized.table, column)
            continue
        found = pycanon.stats_quasi_ident(anonymized.table, column)
        assert set(found) == set(known)
        assert all(agrees(found[name], known[name]) for name in known), (column, found, known)


@pytest.mark.parametrize("entry", entries("utility")[-3:])
def test_the_report_of_a_pair_holds_the_same_figures(
    entry: dict[str, Any], table_path: Callable[[str], Path]
) -> None:
    raw, anonymized = (
        given_table(pd.read_csv(table_path(entry[name])), entry["qi"], entry["sa"])
        for name in ("raw", "anonymized")
    )
    report = pycanon.utility(raw.table, anonymized)
    assert agrees(report["c_avg"], entry["average_ecsize"]["sup_true"])
    assert report["discernibility"] == entry["discernability_metric"]
    assert agrees(report["classification"][entry["sa"][0]], entry["classification_metric"])
    assert list(report["classes"].values()) == pytest.approx(list(entry["sizes_ec"].values()))
    assert report["risk"]["max"] == pytest.approx(entry["max_rir"])
    assert set(report["columns"]) == set(entry["qi"])
    assert "errors" not in report


def of_adult(entry: dict[str, Any]) -> bool:
    return entry["dataset"] == "adult.csv" and entry["pycanon"] is not None


@pytest.mark.parametrize("entry", [entry for entry in entries("models") if of_adult(entry.values[0])])
def test_the_report_of_a_table_holds_the_figures_and_says_which_it_lacks(
    entry: dict[str, Any], table_path: Callable[[str], Path]
) -> None:
    given = judged(entry, pd.read_csv(table_path(entry["dataset"]), sep=entry["sep"]))
    report, known = pycanon.check(replace(given, others_as_qi=not entry["gen"])), entry["pycanon"]
    assert report["k_anonymity"] == {"k": known["k"]}
    assert report["alpha_k_anonymity"] == {"alpha": pytest.approx(known["alpha"]), "k": known["k"]}
    assert report["entropy_l_diversity"] == {"l": known["entropy_l"]}
    recursive = report["recursive_c_l_diversity"]
    if isinstance(known["c"], dict):
        assert recursive["c"] is recursive["l"] is None
        assert known["c"]["error"] in recursive["error"]
    else:
        assert recursive == {"c": known["c"], "l": known["c_l"]}
    assert report["t_closeness"]["t"] == pytest.approx(known["t"])
    assert set(report["by_attribute"]) == set(entry["sa"])
    worst = max(own["t_closeness"]["t"] for own in report["by_attribute"].values())
    assert worst == report["t_closeness"]["t"]


def is_kept(entry: dict[str, Any]) -> bool:
    # Of airline and stroke the table is no part of this repository; a header without a name is refused.
    return of_adult(entry) or "hospital" in entry["dataset"]


@pytest.mark.parametrize("entry", [entry for entry in entries("models") if is_kept(entry.values[0])])
def test_a_table_read_from_its_file_has_the_figures_that_pandas_reading_it_leads_to(
    entry: dict[str, Any], table_path: Callable[[str], Path]
) -> None:
    given = given_table(table_path(entry["dataset"]), entry["qi"], entry["sa"])
    assert figures(entry, given.without_missing() if entry["dropna_qi"] else given) == 9


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


def alike(found: Any, known: Any) -> bool:
    if isinstance(known, dict) and "error" in known:
        return isinstance(found, dict) and (known["error"] in found.get("error", ""))
    if isinstance(known, dict):
        return set(found) == set(known) and all(alike(found[name], known[name]) for name in known)
    if isinstance(known, list):
        return len(found) == len(known) and all(map(alike, found, known))
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
        assert alike(found, known), (name, found, known)


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
        assert alike(found[name], expected), (name, found[name], expected)


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
