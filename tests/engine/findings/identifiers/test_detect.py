"""Detection against published figures and counting by hand, and one way of searching against the other."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CancelledError, InputError, ParameterError, TableError
from engine.findings.identifiers import coded
from engine.findings.identifiers import subsets as subset_search
from engine.findings.identifiers.detect import Detection, detect
from engine.records import DataType, Kind, Table
from engine.records.values import make_column
from engine.scoring import acceleration
from tests.stopping import Stopping
from tests.strategies import few, modest

ENTRIES = ("adult-9", "adult-with-fnlwgt", "valle-aosta-3", "hospital", "adult-arx")
MISSING = ""
LONG = pytest.mark.thorough


def table_of(rows: list[tuple[str, ...]], names: str = "abcdefgh") -> Table:
    columns = []
    for name, texts in zip(names, zip(*rows, strict=True), strict=False):
        distinct = list(dict.fromkeys(texts))
        codes = np.array([distinct.index(text) for text in texts], dtype=np.int32)
        columns.append(make_column(name, distinct, codes, DataType(Kind.TEXT), MISSING))
    return Table(tuple(columns))


def recounted(rows: list[tuple[str, ...]], columns: tuple[int, ...]) -> tuple[int, int, float, float]:
    """Singletons, distinct, distinction and separation by the definitions, pair by pair."""
    cells = [tuple(row[column] for column in columns) for row in rows]
    sizes = Counter(cells)
    pairs = list(combinations(cells, 2))
    separation = sum(a != b for a, b in pairs) / len(pairs) if pairs else 1.0
    return sum(size == 1 for size in sizes.values()), len(sizes), len(sizes) / len(rows), separation


@pytest.mark.parametrize(
    ("name", "way"),
    [
        pytest.param(name, way, marks=LONG if (name, way) == ("adult-9", "numpy") else ())
        for name in ENTRIES
        for way in ("kernels", "numpy")
    ],
    indirect=["way"],
)
def test_published_figures_are_reproduced(
    name: str, data: Path, table_path: Callable[[str], Path], way: str
) -> None:
    entries = json.loads((data / "published" / "singletons.json").read_text(encoding="utf-8"))
    assert {entry["id"] for entry in entries} == set(ENTRIES)
    (entry,) = (entry for entry in entries if entry["id"] == name)
    found = detect(
        table_path(entry["dataset"]),
        entry["columns"],
        entry["max_subset_size"],
        drop_missing=entry["rows_with_missing_removed"] > 0,
        all_subsets=True,
    ).as_dict()
    assert found["records"] == entry["rows_used"]
    assert found["identifiers"] == entry["identifiers"]
    assert found["best_quasi_identifiers"] == entry["best_qid"]
    assert len(found["subsets"]) == entry["n_subsets"] == len(entry["subsets"])
    best = entry["best_qid_singletons"]
    for subset, expected in zip(found["subsets"], entry["subsets"], strict=True):
        assert subset["columns"] == expected["columns"]
        assert subset["singletons"] == expected["singletons"]
        assert subset["distinct"] == expected["distinct"]
        assert subset["distinction"] == pytest.approx(expected["distinct_ratio"], rel=1e-9)
        assert subset["separation"] == pytest.approx(expected["separation_ratio"], rel=1e-9)
        if subset["columns"] in entry["best_qid"]:
            assert subset["singletons"] == best


def test_an_identifier_is_not_extended(table_path: Callable[[str], Path]) -> None:
    columns = ["name", "age", "gender", "city", "religion", "disease"]
    found = detect(table_path("hospital_extended.csv"), columns).as_dict()
    # Those of the published list of all identifiers that hold no other one.
    assert found["identifiers"] == [
        ["name"],
        ["age", "disease"],
        ["age", "gender", "religion"],
        ["age", "city", "religion"],
    ]
    assert found["best_quasi_identifiers"] == [["gender", "city", "disease"]]
    listed = [set(subset["columns"]) for subset in found["subsets"]]
    assert not any({"name"} < names or {"age", "disease"} < names for names in listed)


@st.composite
def messy_rows(draw: st.DrawFn) -> list[tuple[str, ...]]:
    """Few or many values, copies of columns under other values, constant ones, missing cells."""
    n_records, n_columns = draw(st.integers(1, 25)), draw(st.integers(1, 5))
    columns: list[list[str]] = []
    for number in range(n_columns):
        kind = draw(st.sampled_from(["few", "many", "constant", "distinct", "copy", "missing"]))
        if kind == "copy" and columns:
            columns.append([f"copy of {text}" for text in draw(st.sampled_from(columns))])
            continue
        values = {
            "constant": ["x"],
            "distinct": [f"{number}.{i}" for i in range(n_records)],
            "many": [f"v{i}" for i in range(20)],
            "missing": ["a", "b", MISSING],
        }.get(kind, ["a", "b", "c"])
        picked = (
            st.permutations(values)
            if kind == "distinct"
            else st.lists(st.sampled_from(values), min_size=n_records, max_size=n_records)
        )
        columns.append(list(draw(picked)))
    return list(zip(*columns, strict=True))


@modest
@given(messy_rows(), st.integers(1, 5))
def test_every_subset_has_the_figures_of_a_recount(rows: list[tuple[str, ...]], max_size: int) -> None:
    found = detect(table_of(rows), max_size=max_size, all_subsets=True)
    expected = [
        subset
        for size in range(1, min(max_size, len(rows[0])) + 1)
        for subset in combinations(range(len(rows[0])), size)
    ]
    assert [s.columns for s in found.subsets()] == [tuple("abcde"[i] for i in s) for s in expected]
    for subset, columns in zip(found.subsets(), expected, strict=True):
        figures = (subset.singletons, subset.distinct, subset.distinction, subset.separation)
        assert figures == pytest.approx(recounted(rows, columns), rel=1e-12)


@modest
@given(messy_rows(), st.integers(1, 5))
def test_the_rule_lists_all_but_what_holds_an_identifier(rows: list[tuple[str, ...]], max_size: int) -> None:
    table = table_of(rows)
    whole, ruled = detect(table, None, max_size, all_subsets=True), detect(table, None, max_size)
    smallest = [s for s in whole.identifiers if not any(set(o) < set(s) for o in whole.identifiers)]
    assert list(ruled.identifiers) == smallest
    assert ruled.best_quasi_identifiers == whole.best_quasi_identifiers
    listed = [s for s in whole.subsets() if not any(set(i) < set(s.columns) for i in smallest)]
    assert list(ruled.subsets()) == listed


@modest
@given(messy_rows(), st.integers(1, 5))
def test_the_pruned_search_finds_the_best_and_the_identifiers_of_the_whole_list(
    rows: list[tuple[str, ...]], max_size: int
) -> None:
    table = table_of(rows)
    listed, pruned = detect(table, None, max_size), detect(table, None, max_size, best_only=True)
    assert pruned.identifiers == listed.identifiers
    assert pruned.best_quasi_identifiers == listed.best_quasi_identifiers
    assert pruned.best_singletons == listed.best_singletons
    assert pruned.as_dict()["subsets"] == []


@few
@given(messy_rows())
def test_best_are_most_singletons_then_fewest_columns_by_definition(rows: list[tuple[str, ...]]) -> None:
    found = detect(table_of(rows), max_size=len(rows[0]))
    scored = []
    for size in range(1, len(rows[0]) + 1):
        for columns in combinations(range(len(rows[0])), size):
            singletons, distinct, *_ = recounted(rows, columns)
            if singletons and distinct < len(rows):
                scored.append((-singletons, size, tuple("abcde"[i] for i in columns)))
    best = [names for *key, names in scored if key == list(min(scored)[:2])] if scored else []
    assert list(found.best_quasi_identifiers) == best


def test_adult_has_the_same_best_by_both_searches(table_path: Callable[[str], Path], way: str) -> None:
    table, names = _adult(table_path), ("age", "fnlwgt", "occupation", "education", "sex", "race")
    listed, pruned = (detect(table, names, 3, best_only=best_only) for best_only in (False, True))
    assert (
        pruned.best_quasi_identifiers == listed.best_quasi_identifiers == (("age", "fnlwgt", "occupation"),)
    )
    assert pruned.best_singletons == listed.best_singletons == 31304


def test_the_pruned_search_counts_far_fewer_sets_than_there_are(
    table_path: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.findings.identifiers.coded import Partitioning

    counted: list[int] = []
    extended = Partitioning.extended

    def counting(self: Partitioning, partition: Any, columns: Any) -> Any:
        counted.append(len(columns))
        return extended(self, partition, columns)

    monkeypatch.setattr(Partitioning, "extended", counting)
    found = detect(table_path("adult.csv"), max_size=15, best_only=True)
    assert len(found.best_quasi_identifiers) == 2  # education and education-num tell the same apart
    assert sum(counted) < (2**15 - 1) / 20


# Edges ------------------------------------------------------------------------------------------------


def test_a_single_record_is_identified_by_every_column_and_no_pair_is_equal(way: str) -> None:
    found = detect(table_of([("x", "y")])).as_dict()
    assert found["identifiers"] == [["a"], ["b"]]
    assert found["best_quasi_identifiers"] == []
    assert [s["separation"] for s in found["subsets"]] == [1.0, 1.0]
    assert detect(table_of([("x", "y")]), best_only=True).identifiers == (("a",), ("b",))


def test_constant_columns_tell_nothing_apart(way: str) -> None:
    found = detect(table_of([("x", "y")] * 3)).as_dict()
    assert found["identifiers"] == found["best_quasi_identifiers"] == []
    assert {(s["singletons"], s["distinct"], s["separation"]) for s in found["subsets"]} == {(0, 1, 0.0)}
    assert len(found["subsets"]) == 3


def test_one_column_of_which_all_values_differ_is_the_only_set(way: str) -> None:
    found = detect(table_of([(str(i),) for i in range(5)])).as_dict()
    assert found["identifiers"] == [["a"]]
    assert found["best_quasi_identifiers"] == []
    assert len(found["subsets"]) == 1


def test_missing_is_a_value_unless_its_records_are_dropped() -> None:
    table = table_of([("x", "1"), (MISSING, "1"), ("x", "2"), ("x", MISSING)])
    kept, dropped = detect(table), detect(table, drop_missing=True)
    assert (kept.n_records, dropped.n_records) == (4, 2)
    assert kept.identifiers == (("a", "b"),)
    assert dropped.identifiers == (("b",),)
    assert detect(table, ["a"], drop_missing=True).n_records == 3  # only the columns looked at count


def test_values_of_more_kinds_than_16_bits_can_number_are_told_apart(way: str) -> None:
    n_records = (1 << 16) + 10
    codes = np.arange(n_records) // 2
    frame = pd.DataFrame({"pair": codes, "row": np.arange(n_records), "odd": np.arange(n_records) % 2})
    found = detect(frame, all_subsets=True).as_dict()
    assert found["identifiers"] == [
        ["row"],
        ["pair", "row"],
        ["pair", "odd"],
        ["row", "odd"],
        ["pair", "row", "odd"],
    ]
    assert [s["distinct"] for s in found["subsets"][:3]] == [n_records // 2, n_records, 2]


def test_a_filtered_frame_is_read_by_its_values() -> None:
    frame = pd.DataFrame({"a": ["x", "y", "y", "x"], "b": pd.Categorical(["p", "q", "q", "q"])})
    found = detect(frame[frame["a"] == "y"])
    assert [(s.distinct, s.singletons) for s in found.subsets()] == [(1, 0)] * 3


def test_a_column_may_be_named_alone() -> None:
    assert detect(table_of([("x", "y"), ("x", "z")]), "b").names == ("b",)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"columns": ["a", "z"]}, TableError, "no column 'z'"),
        ({"columns": ["a", "a"]}, InputError, "named twice"),
        ({"columns": []}, InputError, "No columns given"),
        ({"max_size": 0}, ParameterError, "largest number of columns cannot be 0"),
        ({"all_subsets": True, "best_only": True}, ParameterError, "cannot be combined"),
    ],
)
def test_what_cannot_be_asked_is_refused(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        detect(table_of([("x", "y"), ("x", "z")]), **options)


def test_a_table_whose_records_all_miss_a_cell_leaves_nothing_to_look_at() -> None:
    with pytest.raises(InputError, match="No records left"):
        detect(table_of([(MISSING, "y"), ("x", MISSING)]), drop_missing=True)


def test_more_sets_than_can_be_listed_are_refused_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [tuple("xy"[(i >> j) & 1] for j in range(8)) for i in range(256)] * 2
    monkeypatch.setattr(subset_search, "MOST_SUBSETS", 100)
    with pytest.raises(InputError, match="More than 100 column sets"):
        detect(table_of(rows), max_size=8)
    assert detect(table_of(rows), max_size=8, best_only=True).best_quasi_identifiers == ()


def test_the_limit_holds_where_identifiers_make_the_number_known_only_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [tuple("xy"[(i >> j) & 1] for j in range(8)) for i in range(256)]  # all 8 together identify
    monkeypatch.setattr(subset_search, "MOST_SUBSETS", 100)
    with pytest.raises(InputError, match="More than 100 column sets"):
        detect(table_of(rows), max_size=8)


@pytest.mark.parametrize("best_only", [False, True])
@pytest.mark.parametrize("at", [1, 3])
def test_a_monitor_stops_the_search(
    at: int, best_only: bool, table_path: Callable[[str], Path], way: str
) -> None:
    monitor = Stopping(at)
    with pytest.raises(CancelledError):
        detect(_adult(table_path), best_only=best_only, monitor=monitor)
    assert len(monitor.steps) == at


@pytest.mark.parametrize("best_only", [False, True])
def test_progress_never_falls_and_never_passes_its_total(
    best_only: bool, table_path: Callable[[str], Path], way: str
) -> None:
    monitor = Stopping(0)
    table = _adult(table_path)
    detect(table, table.names[:6], best_only=best_only, monitor=monitor)
    assert all(0 <= done <= total for done, total, _ in monitor.steps)
    done = [step[0] for step in monitor.steps]
    assert len(done) > 3
    assert done == sorted(done)


def test_any_number_of_threads_finds_the_same(
    table_path: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert acceleration.warm_up()
    monkeypatch.setattr(subset_search, "_WORTH_THREADS", 0)
    monkeypatch.setattr(coded, "BUDGET", 50_000)  # many small jobs
    found: list[Detection] = []
    for n_cores in (1, 4):
        monkeypatch.setattr(subset_search, "n_threads", lambda n=n_cores: n)
        found.append(detect(_adult(table_path)))
    assert found[0].as_dict() == found[1].as_dict()


def _adult(table_path: Callable[[str], Path]) -> Table:
    from engine.records.opening.files import read_csv

    return read_csv(table_path("adult.csv"))


def test_a_number_is_one_value_however_the_file_writes_it(tmp_path: Path) -> None:
    # Whoever looks for a visit number 1 finds the records with 1, 1.0 and +1 alike.
    path = tmp_path / "visits.csv"
    path.write_text("visit,code\n1,01\n1.0,1\n+1,01\n2,2\n", encoding="utf-8")
    by_column = {subset.columns: subset for subset in detect(path, max_size=1).subsets()}
    assert (by_column[("visit",)].distinct, by_column[("visit",)].singletons) == (2, 1)
    # Leading zeros make codes of them, which are texts.
    assert (by_column[("code",)].distinct, by_column[("code",)].singletons) == (3, 2)
