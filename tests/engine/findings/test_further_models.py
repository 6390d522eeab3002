"""Models of risk and population, measured of a table as it is."""

from __future__ import annotations

import math
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.findings.model_check import check
from engine.findings.risk.of_table import assess_risk
from tests.strategies import modest

CELLS = st.sampled_from(["a", "b", "c", None])


@modest
@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=20), st.lists(st.tuples(CELLS, CELLS), max_size=40)
)
def test_they_are_what_counting_records_and_people_gives(
    records: list[tuple[str | None, str | None]], others: list[tuple[str | None, str | None]]
) -> None:
    people = records + others
    classes, population = Counter(records), Counter(people)
    names = ["x", "y"]
    report = check(
        pd.DataFrame(records, columns=names, dtype=object),
        names,
        population=pd.DataFrame(people, columns=names, dtype=object),
    )
    n = len(records)
    assert report["highest_risk"].value == 1 / min(classes.values())
    assert report["average_risk"].value == pytest.approx(len(classes) / n)
    at_risk = sum(size for size in classes.values() if size < 5)
    assert report["records_at_risk"].value == pytest.approx(at_risk / n)
    assert report["records_at_risk"].reported == {"threshold": 0.2}
    assert report["sample_uniqueness"].value == pytest.approx(Counter(classes.values())[1] / n)
    assert report["k_map"].reported["estimator"] == "table"
    assert report["k_map"].value == min(population[key] for key in classes)
    assert report["delta_presence"].value == pytest.approx(
        max(classes[key] / population[key] for key in classes)
    )
    assert "k_map" not in report.as_dict()


def test_a_number_of_people_gives_estimates_by_every_estimator() -> None:
    frame = pd.DataFrame({"age": [*range(20), *range(10), 3, 3]})
    report = check(frame, "age", population=320)
    estimates = {model.reported["estimator"]: model.value for model in report.further if model.key == "k_map"}
    assert set(estimates) == {"poisson", "zero_truncated_poisson"}
    assert all(value >= 1 for value in estimates.values() if value is not None)
    shares = {m.reported["estimator"]: m.value for m in report.further if m.key == "population_uniqueness"}
    uniques = assess_risk(frame, "age", population=320).uniques_of_population
    assert shares == {name: uniques.fraction(name) for name in ("dankar", "pitman", "zayatz", "snb")}
    with pytest.raises(InputError):
        report["delta_presence"]


def test_without_a_population_nothing_is_compared_with_one() -> None:
    report = check(pd.DataFrame({"age": [1, 1, 2]}), "age")
    keys = {model.key for model in report.further}
    assert keys == {"highest_risk", "average_risk", "records_at_risk", "sample_uniqueness"}


def test_a_population_smaller_than_the_table_is_refused() -> None:
    frame = pd.DataFrame({"age": [1, 1, 2]})
    with pytest.raises(InputError, match="is smaller than"):
        check(frame, "age", population=2)


def test_records_nobody_of_the_population_fits_meet_no_bound() -> None:
    report = check(pd.DataFrame({"age": [1, 2]}), "age", population=pd.DataFrame({"age": [1, 1, 3]}))
    assert report["delta_presence"].value == math.inf
    assert report["k_map"].value == 0
