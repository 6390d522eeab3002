"""Greedy runs of python-anonymity and anjana, and the conventions of anjana on their tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from anonymizer_compat import anjana, pycanon, python_anonymity
from engine.errors import InputError
from engine.findings.given_table import given_table
from engine.hierarchies import Hierarchy
from engine.hierarchies.files import read_hierarchy
from engine.records import Table
from engine.records.opening.data_frames import as_table
from tests.resources.compat.published import FOLDER, agrees, entries

CRIME = json.loads((FOLDER / "thesis_crime.json").read_text(encoding="utf-8"))
FILES = {"marital-status": "marital", "native-country": "country"}


def texts(table: Table) -> dict[str, list[str]]:
    return {column.name: [column.labels[code] for code in column.codes] for column in table.columns}


@pytest.fixture
def crime() -> tuple[Table, dict[str, Hierarchy]]:
    """The thesis's table, its two hierarchies, and ranges of 2, 5 and 10 years."""
    table = as_table(pd.DataFrame(CRIME["raw"]))
    steps = CRIME["hierarchies"]["age_steps"]
    found = {"age": python_anonymity.create_ranges(table.column("age"), steps)}
    for name in ("marital stat", "ZIP code"):
        found[name] = Hierarchy.from_rows(CRIME["hierarchies"][name])
    return table, found


def test_the_run_of_the_thesis_gives_its_table_in_five_operations_at_its_cost(
    crime: tuple[Table, dict[str, Hierarchy]],
) -> None:
    table, hierarchies = crime
    run = python_anonymity.datafly(
        table, CRIME["identifiers"], CRIME["qi"], CRIME["k"], CRIME["suppression"], hierarchies
    )
    assert run.table is not None
    assert texts(run.table) == CRIME["expected"]
    assert run.levels == {"marital stat": 1, "age": 3, "ZIP code": 1}
    assert (run.n_operations, run.n_suppressed, run.reaches_k) == (5, 0, True)
    assert pycanon.k_anonymity(given_table(run.table, CRIME["qi"])) == CRIME["k_reached"]
    cost = python_anonymity.cost(table, run, CRIME["qi"], hierarchies)
    known = CRIME["metrics"]
    assert cost.n_operations == 5
    assert agrees(cost.gen_iloss, known["gen_i_loss"])
    assert (cost.discernibility, cost.c_avg) == (known["discernibility"], known["c_avg"])


def test_ranges_of_2_5_and_10_years_do_not_nest_and_are_read_by_their_left_end(
    crime: tuple[Table, dict[str, Hierarchy]],
) -> None:
    table, hierarchies = crime
    rows = {row[0]: row[1:] for row in hierarchies["age"].rows()}
    assert rows["24"] == ("[24, 26)", "[20.0, 25.0)", "[20.0, 30.0)")
    assert rows["25"] == ("[24, 26)", "[25.0, 30.0)", "[20.0, 30.0)")
    with pytest.raises(InputError, match="becomes"):
        Hierarchy.from_rows(hierarchies["age"].rows())  # no tree, as hierarchies are elsewhere
    # Of the age alone: in pairs of years 25 is with 24, whose left end takes both to [20, 25).
    run = python_anonymity.datafly(table, [], ["age"], 2, 0, hierarchies)
    assert run.table is not None
    assert (run.levels, run.n_operations) == ({"age": 2}, 2)
    found = dict(zip(texts(table)["age"], texts(run.table)["age"], strict=True))
    assert (found["25"], found["24"], found["29"]) == ("[20.0, 25.0)", "[20.0, 25.0)", "[25.0, 30.0)")


def test_any_threshold_of_suppression_lets_python_anonymity_drop_most_of_the_table(
    crime: tuple[Table, dict[str, Hierarchy]],
) -> None:
    table, hierarchies = crime
    run = python_anonymity.datafly(table, ["name"], CRIME["qi"], 2, 1, hierarchies)
    assert (run.n_suppressed, run.table.n_records, run.table.names[0]) == (4, 2, "index")


@pytest.mark.parametrize("entry", entries("datafly_anjana"))
def test_anjana_reproduces_its_runs_on_adult(
    entry: dict[str, Any], table_path: Callable[[str], Path]
) -> None:
    folder = table_path(entry["hierarchies"])
    hierarchies = {
        name: read_hierarchy(folder / f"{FILES.get(name, name)}.csv", delimiter=",") for name in entry["qi"]
    }
    raw = as_table(table_path(entry["dataset"]))
    run = anjana.datafly(raw, [], entry["qi"], entry["k"], entry["suppression_percent"], hierarchies)
    assert [run.levels[name] for name in entry["qi"]] == entry["levels"]
    assert run.table.n_records == entry["rows"] == raw.n_records - run.n_suppressed
    given = given_table(run.table, entry["qi"])
    assert pycanon.k_anonymity(given) == entry["k_reached"]
    assert pycanon.sizes_ec(given)["n_ec"] == entry["classes"]
    assert anjana.get_transformation(run.table, entry["qi"], hierarchies) == entry["levels"]


def ages_by_anjana() -> list[list[str]]:
    starts = [(i // 5 * 5, i // 10 * 10) for i in range(41)]
    return [[str(i), f"[{a}, {a + 5}[", f"[{b}, {b + 10}[", "*"] for i, (a, b) in enumerate(starts)]


@pytest.mark.parametrize("entry", entries("greedy_runs"))
def test_random_tables_come_out_as_from_the_libraries(entry: dict[str, Any]) -> None:
    table, qi = as_table(pd.DataFrame(entry["table"])), entry["qi"]
    ages = table.column("age")
    trees = {name: Hierarchy.from_rows(rows) for name, rows in entry["hierarchies"].items()}
    whole = trees | {"age": Hierarchy.from_rows(ages_by_anjana())}
    known = entry["anjana"]
    if "error" in known:
        with pytest.raises(InputError, match=f"anjana ends with {known['error']}"):
            anjana.datafly(table, ["name"], qi, entry["k"], entry["percent"], whole)
    else:
        run = anjana.datafly(table, ["name"], qi, entry["k"], entry["percent"], whole)
        found = None if run.table is None else texts(run.table)
        assert (found, run.levels, run.n_suppressed) == (known["table"], known["levels"], known["suppressed"])
    if "error" in entry["ranges"]:
        with pytest.raises(InputError, match="python-anonymity ends with ValueError"):
            python_anonymity.create_ranges(ages, entry["steps"])
        return
    if len({*map(len, entry["ranges"])}) > 1:  # rows that lack a range, over which Data-fly stumbles
        assert entry["datafly"] == {"error": "IndexError"}
        with pytest.raises(InputError, match="python-anonymity ends with IndexError"):
            python_anonymity.create_ranges(ages, entry["steps"])
        return
    ranges = python_anonymity.create_ranges(ages, entry["steps"])
    assert [list(row) for row in ranges.rows()] == entry["ranges"]
    hierarchies, threshold = trees | {"age": ranges}, entry["threshold"]

    def datafly() -> dict[str, Any]:
        run = python_anonymity.datafly(table, ["name"], qi, entry["k"], threshold, hierarchies)
        assert run.table is not None
        return {"table": texts(run.table), "operations": run.n_operations}

    def retried(run: Any) -> dict[str, Any]:
        return {"table": texts(run.table), "found": [*run.found], "reached": run.reached}

    sa, l, t = entry["sa"], entry["l"], entry["t"]  # noqa: E741  the name of the model
    calls: dict[str, Callable[[], dict[str, Any]]] = {
        "datafly": datafly,
        "l_diversity": lambda: retried(
            python_anonymity.l_diversity(table, sa, qi, l, ["name"], threshold, hierarchies, 1)
        ),
        "t_closeness": lambda: retried(
            python_anonymity.t_closeness(table, sa, qi, t, ["name"], threshold, hierarchies)
        ),
        "l_suppressed": lambda: texts(
            python_anonymity.apply_l_diversity_supp(table, "crime", qi, l, entry["l_limit_percent"])
        ),
        "t_suppressed": lambda: texts(
            python_anonymity.t_closeness_supp(table, "crime", qi, t, entry["t_limit"])
        ),
    }
    for name, call in calls.items():
        if "error" in entry[name]:
            with pytest.raises(InputError):
                call()
        elif "found" in entry[name]:
            found, expected = call(), entry[name]
            assert found.pop("found") == pytest.approx(expected.pop("found"), rel=1e-9)
            assert found == expected
        else:
            assert call() == entry[name]


def diverse_table(column: str = "crime") -> Table:
    return as_table(pd.DataFrame({"age": ["a", "a", "b", "b", "b"], column: list("xyxyz")}))


def test_what_never_ends_in_python_anonymity_is_refused_with_the_reason() -> None:
    table = as_table(pd.DataFrame({"age": ["a", "a", "b", "b", "c", "c"], "crime": list("xxxyyz")}))
    three = as_table(pd.DataFrame({"age": ["a", "a", "b", "b", "b"], "crime": list("xxxyz")}))
    with pytest.raises(InputError, match="never ends"):
        python_anonymity.apply_l_diversity_supp(three, "crime", ["age"], 2, 20)
    assert python_anonymity.apply_l_diversity_supp(three, "crime", ["age"], 2, 1) is three
    with pytest.raises(InputError, match="ends with ValueError"):
        python_anonymity.apply_l_diversity_supp(table, "crime", ["age"], 2, 1)
    halves = as_table(pd.DataFrame({"age": [1.5, 2.0]}))
    with pytest.raises(InputError, match="never ends"):
        python_anonymity.create_ranges(halves.column("age"), [0, 5])


def test_t_closeness_by_suppression_reads_a_column_called_crime_only() -> None:
    with pytest.raises(InputError, match="KeyError: it reads the column 'crime'"):
        python_anonymity.t_closeness_supp(diverse_table("illness"), "illness", ["age"], 0.1)
    assert python_anonymity.t_closeness_supp(diverse_table("illness"), "illness", ["age"], 0.9).n_records == 5


@pytest.mark.parametrize(
    ("label", "message"), [("young", "is not written as a range"), ("[7, 9)", "is in no range")]
)
def test_numbers_whose_hierarchy_has_no_range_for_them_are_refused(label: str, message: str) -> None:
    table = as_table(pd.DataFrame({"age": [1, 2]}))
    hierarchy = Hierarchy.from_rows([["1", label], ["2", label]])
    with pytest.raises(InputError, match=message):
        python_anonymity.datafly(table, [], ["age"], 2, 0, {"age": hierarchy})


def test_a_table_that_is_numbered_twice_already_cannot_be_suppressed_once_more() -> None:
    table = as_table(pd.DataFrame({"index": [1, 2, 3], "level_0": [1, 2, 3], "age": list("aab")}))
    with pytest.raises(InputError, match="'index' and 'level_0' already exist"):
        anjana.datafly(table, [], ["age"], 2, 50, {})


def test_columns_that_are_exhausted_end_each_library_in_its_own_way() -> None:
    table = as_table(pd.DataFrame({"age": list("abc")}))
    hierarchies = {"age": Hierarchy.from_rows([[value, "low"] for value in "ab"] + [["c", "high"]])}
    run = python_anonymity.datafly(table, [], ["age"], 2, 0, hierarchies)
    assert run.table is not None
    assert (texts(run.table)["age"], run.reaches_k, run.n_operations) == (["low", "low", "high"], False, 2)
    nothing = anjana.datafly(table, [], ["age"], 2, 0, hierarchies)
    assert (nothing.table, nothing.reaches_k) == (None, False)
    with pytest.raises(InputError, match="k = 0"):
        anjana.datafly(table, [], ["age"], 0, 0, hierarchies)
    with pytest.raises(InputError, match="is not a suppression limit"):
        anjana.datafly(table, [], ["age"], 2, 101, hierarchies)


@pytest.mark.parametrize("entry", entries("datafly_anjana"))
def test_levels_are_read_off_the_labels_of_a_table(
    entry: dict[str, Any], table_path: Callable[[str], Path]
) -> None:
    folder = table_path(entry["hierarchies"])
    hierarchies = {
        name: read_hierarchy(folder / f"{FILES.get(name, name)}.csv", delimiter=",") for name in entry["qi"]
    }
    raw = pd.read_csv(table_path(entry["dataset"]), dtype=str)
    raised = pd.DataFrame(
        {
            name: [hierarchies[name].label(value, level) for value in raw[name]]
            for name, level in zip(entry["qi"], entry["levels"], strict=True)
        }
    )
    classes = raised.groupby(entry["qi"]).transform("size")
    kept = raised[classes >= entry["k"]]
    assert len(kept) == entry["rows"]
    table = as_table(kept)
    assert anjana.get_transformation(table, entry["qi"], hierarchies) == entry["levels"]
    n_suppressed = len(raised) - len(kept)
    assert anjana.suppression_is_allowed(n_suppressed, len(raised), entry["suppression_percent"])
    given = given_table(table, entry["qi"])
    assert pycanon.k_anonymity(given) == entry["k_reached"]
    assert pycanon.sizes_ec(given)["n_ec"] == entry["classes"]


def test_columns_without_a_level_are_told_as_not_raised() -> None:
    table = as_table(pd.DataFrame({"a": ["x", "*"], "b": ["x", "x"]}))
    hierarchy = Hierarchy.from_rows([["x", "g", "*"], ["y", "g", "*"]])
    assert anjana.get_transformation(table, ["a", "b"], {"a": hierarchy}) == [0, 0]


@pytest.mark.parametrize(("n_suppressed", "percent", "allowed"), [(5, 5, True), (6, 5, False), (0, 0, True)])
def test_a_limit_of_suppression_is_a_percentage_that_may_be_met(
    n_suppressed: int, percent: float, allowed: bool
) -> None:
    assert anjana.suppression_is_allowed(n_suppressed, 100, percent) is allowed


def test_a_limit_outside_0_to_100_is_refused() -> None:
    with pytest.raises(InputError, match="is not a suppression limit"):
        anjana.suppression_is_allowed(1, 10, 101)


def test_anjana_checks_a_table_as_pycanon_does() -> None:
    given = given_table(pd.DataFrame({"a": list("xxyy"), "s": list("pqpp")}), ["a"], ["s"])
    assert anjana.check(given) == pycanon.check(given)


def test_anjana_has_the_metrics_of_pycanon_and_tells_the_levels() -> None:
    tree = Hierarchy.from_rows([["a", "ab", "*"], ["b", "ab", "*"]])
    raw = as_table(pd.DataFrame({"age": list("abab"), "s": list("pqpp")}))
    released = given_table(pd.DataFrame({"age": ["ab"] * 4, "s": list("pqpp")}), "age", "s")
    report = anjana.utility(raw, released, hierarchies={"age": tree})
    assert report.pop("transformation") == {"age": 1}
    assert report == pycanon.utility(raw, released) == anjana.utility(raw, released)
