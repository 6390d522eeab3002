"""Risk of given tables: ARX's figures of inputs and releases, a slow recount, and awkward tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError, TableError
from engine.findings.given_table import GivenTable
from engine.findings.risk.of_table import RiskReport, assess_given, assess_risk, risk_by_columns
from engine.pipeline import export_release
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.recoding import make_release
from tests.adult import ARX_COLUMNS, arx_project
from tests.engine.findings.risk.subjects import RELEASES, close
from tests.strategies import modest


def compare(found: RiskReport, expected: dict[str, Any]) -> None:
    """Hold a report to the figures of ARX, population uniques within what its solver reaches."""
    risks, summary = expected["sample_risks"], expected["summary_threshold_0.2"]
    assert found.n_records == expected["records_counted"]
    assert found.n_classes == expected["classes"]
    assert found.sample_uniques == expected["sample_uniques"]
    printed = found.as_dict()
    for attacker in ("prosecutor", "journalist"):
        assert printed[attacker]["highest"] == close(risks["highest"])
        assert printed[attacker]["average"] == close(risks["average"])
        assert printed[attacker]["records_at_risk"] == close(summary[attacker]["records_at_risk"])
    assert printed["marketer"]["average"] == close(summary["marketer"]["success_rate"])
    assert found.prosecutor.lowest == close(risks["lowest"])
    assert found.prosecutor.at_highest == close(risks["fraction_affected_by_highest"])
    assert found.prosecutor.at_lowest == close(risks["fraction_affected_by_lowest"])
    for name in ("zayatz", "pitman", "dankar"):
        estimated = printed["population_uniques"][name]
        assert estimated["count"] == pytest.approx(expected["population_uniques"][name]["count"], rel=1e-8)


@pytest.mark.parametrize("name", ["input_all9", "input_sex_age_race", "input_5qi"])
def test_the_input_has_the_risks_of_arx(
    name: str, oracle: dict[str, Any], table_path: Callable[[str], Path]
) -> None:
    expected = oracle[name]
    columns, people = expected["quasi_identifiers"], expected["population_size"]
    compare(assess_risk(table_path("adult_arx.csv"), columns, population=people), expected)


@pytest.mark.parametrize("name", RELEASES)
def test_releases_have_the_risks_of_arx(name: str, oracle: dict[str, Any], tmp_path: Path) -> None:
    k, limit = RELEASES[name]
    entry = oracle[name]
    project = replace(arx_project(), requirement=Requirement((KAnonymity(k),), limit))
    node = tuple(entry["node"][column] for column in ARX_COLUMNS)
    path = tmp_path / "released.csv"
    release = make_release(project, compile_problem(project), node)
    assert release.n_suppressed == entry["class_stats"]["suppressed_rows"]
    assert export_release(project, release, path).ok
    frame = pd.read_csv(path, sep=";", dtype=str)
    for key in ("risk_all9", "risk_sex_age_race"):
        expected = entry[key]
        found = assess_risk(
            frame,
            expected["quasi_identifiers"],
            population=expected["population_size"],
            leave_out_suppressed=True,
        )
        compare(found, expected)


@modest
@given(
    st.lists(st.tuples(st.sampled_from("ab*"), st.sampled_from(["1", "2", "", "*"])), min_size=1),
    st.booleans(),
    st.sampled_from([0.0, 0.2, 0.3, 0.5, 1.0]),
)
def test_any_table_has_the_risks_of_a_recount(
    rows: list[tuple[str, str]], leaves_out: bool, threshold: float
) -> None:
    frame = pd.DataFrame(rows, columns=["letter", "digit"]).assign(other="x")  # rows of stars are not blank
    kept = [row for row in rows if not (leaves_out and row == ("*", "*"))]
    if not kept:
        with pytest.raises(InputError):
            assess_risk(frame, ["letter", "digit"], leave_out_suppressed=leaves_out)
        return
    found = assess_risk(frame, ["letter", "digit"], threshold=threshold, leave_out_suppressed=leaves_out)
    sizes = Counter(kept)
    risks = [Fraction(1, sizes[row]) for row in kept]
    assert found.n_records == len(kept)
    assert found.n_classes == len(sizes)
    assert found.sample_uniques == sum(size == 1 for size in sizes.values())
    assert found.prosecutor.highest == close(float(max(risks)))
    assert found.marketer == close(len(sizes) / len(kept))
    above = sum(risk > Fraction(repr(threshold)) for risk in risks)
    assert found.prosecutor.records_at_risk == above / len(kept)
    assert found.record_risks.tolist() == [close(float(risk)) for risk in risks]
    assert found.distribution.n_records == len(kept)


def test_a_journalist_counts_people_of_the_population() -> None:
    people = pd.DataFrame({"sex": ["f"] * 6 + ["m"] * 4 + ["x"], "age": ["30"] * 11, "name": range(11)})
    table = pd.DataFrame({"age": ["30"] * 3, "sex": ["m", "f", "f"]})
    found = assess_risk(table, ["sex", "age"], threshold=0.2, population=people)
    # f: 2 records among 6 people, m: 1 among 4.
    assert found.journalist.highest == 1 / 4
    assert found.journalist.average == close((2 / 6 + 1 / 4) / 3)
    assert found.journalist.records_at_risk == close(1 / 3)
    assert found.prosecutor.highest == 1
    assert found.uniques_of_population.population == 11


def test_missing_cells_are_alike_in_table_and_population() -> None:
    people = pd.DataFrame({"sex": [None, None, None, "m"], "age": [1, 1, 1, 2]})
    found = assess_risk(people.iloc[[0, 3]], ["sex", "age"], population=people)
    assert found.journalist.highest == 1
    assert found.journalist.lowest == 1 / 3


def test_a_population_that_lacks_the_people_of_the_table_is_refused() -> None:
    table = pd.DataFrame({"sex": ["m", "f"]})
    with pytest.raises(InputError, match="fewer people"):
        assess_risk(table, "sex", population=pd.DataFrame({"sex": ["m", "m", "m"]}))
    with pytest.raises(TableError, match="sex"):
        assess_risk(table, "sex", population=pd.DataFrame({"age": [1, 2]}))
    with pytest.raises(InputError, match="smaller than the 2 records"):
        assess_risk(table, "sex", population=1)


def test_columns_tell_apart_what_pandas_counts() -> None:
    source = np.random.default_rng(5)
    frame = pd.DataFrame(
        {name: source.integers(0, spread, 80) for name, spread in (("a", 3), ("b", 9), ("c", 20))}
    )
    found = assess_risk(frame, ["a", "b", "c"], subsets=2)
    assert [subset.columns for subset in found.subsets] == [
        ("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("b", "c"),
    ]  # fmt: skip
    for subset in found.subsets:
        sizes = frame.groupby(list(subset.columns)).size()
        assert subset.singletons == (sizes == 1).sum()
        assert subset.distinct == len(sizes)
        assert subset.distinction == close(len(sizes) / 80)
        assert subset.separation == close(1 - (sizes * (sizes - 1)).sum() / (80 * 79))
    assert len(found.as_dict()["subsets"]) == 6


def test_more_columns_than_there_are_is_all_of_them() -> None:
    table = GivenTable(_table(), ("a", "b"))
    assert len(risk_by_columns(table, 9)) == 3
    with pytest.raises(InputError, match="number of columns cannot be 0"):
        risk_by_columns(table, 0)


def test_one_record_is_found_for_sure() -> None:
    found = assess_risk(pd.DataFrame({"a": [1]}), "a", population=1000)
    assert (found.prosecutor.highest, found.marketer, found.sample_uniques) == (1, 1, 1)
    assert found.uniques_of_population.estimates["pitman"].uniques is None
    assert found.as_dict()["population_uniques"]["pitman"]["fraction"] is None


def test_a_filtered_frame_is_judged_by_its_rows() -> None:
    frame = pd.DataFrame({"a": [1, 1, 2, 2, 3]}, index=[7, 7, 1, 0, 99])
    assert assess_risk(frame[frame["a"] > 1], "a").sample_uniques == 1


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_that_is_no_risk_is_refused(threshold: float) -> None:
    with pytest.raises(InputError, match="threshold"):
        assess_risk(pd.DataFrame({"a": [1]}), "a", threshold=threshold)


def test_figures_of_a_given_table_are_those_of_its_file() -> None:
    report = assess_given(GivenTable(_table(), ("a", "b")), people=50)
    assert report.as_dict() == assess_risk(_table(), ["a", "b"], population=50).as_dict()


def _table() -> Any:
    from engine.records.opening.data_frames import as_table

    return as_table(pd.DataFrame({"a": ["x", "x", "y"], "b": ["1", "1", "1"]}))
