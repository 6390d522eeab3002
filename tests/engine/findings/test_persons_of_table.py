"""Given tables with several records of one person: every figure by the worked cases."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from engine.errors import InputError, TableError
from engine.findings.model_check import check
from engine.findings.risk.of_table import assess_risk
from engine.findings.utility.of_table import measure_utility
from tests.person_cases import BY_NAME, CASES, NAMES, figure, labels

cases = pytest.mark.parametrize("case", CASES, ids=NAMES)


def frame(case: dict[str, Any]) -> pd.DataFrame:
    """The table of a case as it is at its node."""
    rows = [
        {**label, case["person"]: row[case["person"]], case["sensitive"]: row[case["sensitive"]]}
        for row, label in zip(case["rows"], labels(case), strict=True)
    ]
    return pd.DataFrame(rows)


def near(value: float | str | None) -> Any:
    return pytest.approx(figure(value), rel=1e-9, abs=1e-12)


@cases
def test_every_model_counts_persons(case: dict[str, Any]) -> None:
    expected, table = case["expected"], frame(case)
    for distance in ("equal", "ordered"):
        found = check(
            table,
            case["qi"],
            case["sensitive"],
            person=case["person"],
            distances={case["sensitive"]: distance},
        )
        assert found["t_closeness"].value == near(expected[f"t_{distance}"])
    assert found.k == found.persons["k"] == expected["k"]
    assert found.persons["k_records"] == expected["k_records"]
    assert found.persons["count"] == expected["persons"]
    assert found["distinct_l_diversity"].value == expected["distinct_l"]
    for model, key in (
        ("alpha_k_anonymity", "alpha"),
        ("entropy_l_diversity", "entropy_l"),
        ("basic_beta_likeness", "basic_beta"),
        ("enhanced_beta_likeness", "enhanced_beta"),
        ("delta_disclosure", "delta"),
        ("highest_risk", "highest_risk"),
        ("average_risk", "average_risk"),
        ("sample_uniqueness", "share_unique"),
    ):
        assert found[model].value == near(expected[key]), model


@cases
def test_risks_are_of_people_each_by_the_most_telling_of_their_records(case: dict[str, Any]) -> None:
    expected = case["expected"]
    found = assess_risk(
        frame(case), case["qi"], person=case["person"], threshold=float(case["risk_threshold"])
    )
    risk = found.prosecutor
    assert (risk.highest, risk.average) == (near(expected["highest_risk"]), near(expected["average_risk"]))
    assert risk.records_at_risk == near(expected["share_at_risk"])
    assert found.sample_uniques / expected["persons"] == near(expected["share_unique"])
    assert found.marketer == risk.average
    assert found.as_dict()["persons"]["count"] == expected["persons"]


@pytest.mark.parametrize("case", [c for c in CASES if "population" in c], ids=lambda case: case["name"])
def test_the_population_is_counted_by_persons_where_it_names_them(case: dict[str, Any]) -> None:
    levels = dict(zip(case["qi"], case["node"], strict=True))
    maps = {n: {line[0]: line[levels[n]] for line in case["hierarchies"][n]} for n in case["qi"]}
    everybody = pd.DataFrame(
        [
            {**{n: maps[n][row[n]] for n in case["qi"]}, case["person"]: row[case["person"]]}
            for row in case["population"]
        ]
    )
    found = check(frame(case), case["qi"], case["sensitive"], person=case["person"], population=everybody)
    by_table = next(m for m in found.further if m.key == "k_map" and m.reported["estimator"] == "table")
    assert by_table.value == case["expected"]["k_map"]
    risk = assess_risk(frame(case), case["qi"], person=case["person"], population=everybody)
    assert 1 / risk.journalist.highest == pytest.approx(case["expected"]["k_map"])
    assert risk.journalist.average <= risk.prosecutor.average


def test_one_record_each_gives_the_ordinary_figures() -> None:
    table = frame(CASES[0])
    plain = check(table, CASES[0]["qi"], CASES[0]["sensitive"]).as_dict()
    with_persons = check(table, CASES[0]["qi"], CASES[0]["sensitive"], person="pid").as_dict()
    told = with_persons.pop("persons")
    assert plain.pop("not_assessed")["columns"] == ["pid"]  # which has a meaning otherwise
    assert with_persons == plain
    assert told == {"column": "pid", "count": 4, "k": 2, "k_records": 2, "records_without_person": 0}


def test_utility_is_of_records_but_mean_class_size_and_risk_are_of_people() -> None:
    visits = BY_NAME["random_05"]
    table = frame(visits)
    plain = measure_utility(table, table, visits["qi"], visits["sensitive"])
    found = measure_utility(table, table, visits["qi"], visits["sensitive"], person="pid")
    assert found.c_avg * found.k == pytest.approx((5 + 6) / 2)
    assert found.highest_risk == near(visits["expected"]["highest_risk"])
    assert found.average_record_risk == near(visits["expected"]["average_risk"])
    for same in ("aecs", "discernibility", "classification", "classes", "columns", "entropy"):
        assert getattr(found, same) == getattr(plain, same), same
    assert plain.c_avg * plain.k == pytest.approx(27 / 2)


def test_a_person_column_that_is_unknown_or_known_to_others_is_refused() -> None:
    table = frame(CASES[1])
    with pytest.raises(TableError, match="Did you mean 'pid'"):
        check(table, ["sex", "zip"], "s", person="pit")
    with pytest.raises(InputError, match="The person column 'zip'"):
        check(table, ["sex", "zip"], "s", person="zip")
