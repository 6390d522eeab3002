"""The metrics of python-anonymity, against its own run and the worked example of its thesis."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from anonymizer_compat import python_anonymity
from engine.errors import HierarchyGapError, InputError
from engine.findings.given_table import given_table
from engine.hierarchies import Hierarchy
from engine.records.opening.data_frames import as_table
from tests.resources.compat.published import FOLDER, agrees, entries

CRIME = json.loads((FOLDER / "thesis_crime.json").read_text(encoding="utf-8"))
AGES = [
    [str(age), f"[{age}, {age + 1})", "[20.0, 30.0)"] for age in range(20, 30)
]  # only the last step counts
LEVELS = {"marital stat": 1, "age": 2, "ZIP code": 1}


def crime_hierarchies() -> dict[str, Hierarchy]:
    rows = {"marital stat": CRIME["hierarchies"]["marital stat"], "age": AGES}
    rows["ZIP code"] = CRIME["hierarchies"]["ZIP code"]
    return {name: Hierarchy.from_rows(lines) for name, lines in rows.items()}


def test_the_worked_example_of_the_thesis_has_its_three_figures() -> None:
    raw = as_table(pd.DataFrame(CRIME["raw"]))
    anonymized = given_table(pd.DataFrame(CRIME["expected"]), CRIME["qi"], CRIME["sa"])
    report = python_anonymity.utility(raw, anonymized, hierarchies=crime_hierarchies())
    assert report == python_anonymity.utility(raw, anonymized, hierarchies=crime_hierarchies(), levels=LEVELS)
    known = CRIME["metrics"]
    assert agrees(report["gen_iloss"], known["gen_i_loss"])
    assert report["discernibility"] == known["discernibility"]
    assert agrees(report["c_avg"], known["c_avg"])
    assert report["classes"]["min"] == CRIME["k_reached"]


@pytest.mark.parametrize("entry", entries("gen_i_loss"))
def test_loss_of_random_hierarchies_is_that_of_the_library_shared_labels_included(
    entry: dict[str, Any],
) -> None:
    hierarchies = {name: Hierarchy.from_rows(rows) for name, rows in entry["hierarchies"].items()}
    found = python_anonymity.generalized_information_loss(
        as_table(pd.DataFrame(entry["data"])), entry["levels"], list(entry["data"]), hierarchies
    )
    assert agrees(found, entry["gen_i_loss"])


def test_suppressed_records_cost_nothing_but_count_in_the_mean_class_size() -> None:
    raw = as_table(pd.DataFrame({"age": list("aabbc")}))
    anonymized = given_table(pd.DataFrame({"age": list("aabb")}), ["age"])
    assert python_anonymity.discernibility(anonymized) == 4 + 4
    assert python_anonymity.avr_equiv_class_size(raw, anonymized) == 5 / (2 * 2)


def test_a_pair_without_hierarchies_has_the_figures_that_need_none() -> None:
    anonymized = given_table(pd.DataFrame({"age": list("aab")}), ["age"])
    report = python_anonymity.utility(anonymized.table, anonymized)
    assert {name for name, value in report.items() if value is not None} == {
        "records",
        "classes",
        "c_avg",
        "discernibility",
    }


def test_records_of_stars_do_not_raise_the_levels() -> None:
    tree = Hierarchy.from_rows([["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])
    raw = as_table(pd.DataFrame({"age": list("abc")}))
    released = given_table(pd.DataFrame({"age": ["ab", "ab", "*"]}), "age")
    report = python_anonymity.utility(raw, released, hierarchies={"age": tree})
    assert report["gen_iloss"] == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)


def test_what_a_loss_cannot_be_told_of_is_refused() -> None:
    raw = as_table(pd.DataFrame({"age": list("ab")}))
    loss = python_anonymity.generalized_information_loss
    tree = Hierarchy.from_rows([["a", "*"], ["b", "*"]])
    with pytest.raises(HierarchyGapError, match="no entry for 'b'"):
        loss(raw, {"age": 1}, ["age"], {"age": Hierarchy.from_rows([["a", "*"], ["c", "*"]])})
    with pytest.raises(InputError, match="without levels"):
        loss(raw, {}, ["age"], {"age": tree})
    with pytest.raises(InputError, match="no hierarchy"):
        loss(raw, {"age": 1}, ["age"], {})
    with pytest.raises(InputError, match="ZeroDivisionError"):
        loss(raw.take([0]), {"age": 1}, ["age"], {"age": Hierarchy.from_rows([["a", "*"]])})  # type: ignore[arg-type]
