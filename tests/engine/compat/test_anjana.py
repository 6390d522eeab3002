"""The conventions of anjana, on the tables of its own greedy runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from engine.compat import anjana, pycanon
from engine.errors import InputError
from engine.findings.given_table import given_table
from engine.hierarchies import Hierarchy
from engine.hierarchies.files import read_hierarchy
from engine.records.opening.data_frames import as_table
from tests.engine.compat.published import entries

FILES = {"marital-status": "marital", "native-country": "country"}


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
