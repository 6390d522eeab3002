"""Checks of random and of awkward tables: the right number or a clear error, never a wrong number."""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CancelledError, InputError, TableError
from engine.findings.given_table import given_table
from engine.findings.model_check import CheckReport, check
from tests.engine.findings.slow_check import Columns, measure
from tests.stopping import Stopping
from tests.strategies import modest

VALUES: dict[str, list[Any]] = {
    "text": ["a", "b", "ab", "1", "01", "?"],
    "whole number": [-3, 0, 7, 10, 2**53],
    "number": [-0.5, 0.0, 0.1, 2.5, 1e9],
    "truth value": [True, False],
    "date": [datetime.date(1999, 12, 31), datetime.date(2000, 1, 1), datetime.date(2024, 2, 29)],
}


@st.composite
def columns_of(draw: st.DrawFn) -> tuple[Columns, list[str], list[str]]:
    n_records = draw(st.integers(1, 24))
    qi = [f"q{i}" for i in range(draw(st.integers(1, 3)))]
    sa = [f"s{i}" for i in range(draw(st.integers(1, 3)))]
    columns: Columns = {}
    for name in [*qi, *sa]:
        values = VALUES[draw(st.sampled_from(list(VALUES)))]
        values = [*values[: draw(st.integers(1, len(values)))], *([None] * draw(st.integers(0, 1)))]
        columns[name] = draw(st.lists(st.sampled_from(values), min_size=n_records, max_size=n_records))
    return columns, qi, sa


def frame_of(draw: st.DrawFn, columns: Columns) -> pd.DataFrame:
    """The columns as pandas would hold them, or as plain objects, under any index."""
    n_records = len(next(iter(columns.values())))
    index = draw(st.lists(st.integers(-2, 30), min_size=n_records, max_size=n_records))
    dtypes = {name: draw(st.sampled_from([None, object])) for name in columns}
    return pd.DataFrame(
        {name: pd.Series(cells, index=index, dtype=dtypes[name]) for name, cells in columns.items()},
        index=index,
    )


def agree(found: dict[str, Any], expected: dict[str, Any]) -> None:
    found.pop("blank_rows", None)
    assert list(found) == list(expected)
    for model, values in expected.items():
        for name, value in values.items():
            own = found[model][name]
            if value is None:
                assert own is None, model
            else:
                assert float(own) == pytest.approx(float(value), rel=1e-9, abs=1e-12), model


@modest
@given(st.data())
def test_every_value_is_that_of_a_slow_recount_over_all_columns_and_of_each(data: st.DataObject) -> None:
    columns, qi, sa = data.draw(columns_of())
    frame = data.draw(st.composite(frame_of)(columns))
    others_as_qi = data.draw(st.booleans())
    found = check(frame, qi, sa, others_as_qi=others_as_qi).as_dict()
    by_attribute = found.pop("by_attribute")
    agree(found, measure(columns, qi, sa, others_as_qi=others_as_qi))
    assert list(by_attribute) == sa
    for name in sa:
        others = [other for other in sa if other != name] if others_as_qi else []
        expected = measure(columns, [*qi, *others], [name], others_as_qi=False)
        for model in ("k_anonymity", "alpha_k_anonymity"):  # k is always that of the named columns
            expected[model]["k"] = found[model]["k"]
        agree(by_attribute[name], expected)


@modest
@given(st.data())
def test_neither_the_order_of_records_nor_of_columns_nor_the_index_changes_a_value(
    data: st.DataObject,
) -> None:
    columns, qi, sa = data.draw(columns_of())
    frame = data.draw(st.composite(frame_of)(columns))
    turned = frame.iloc[data.draw(st.permutations(range(len(frame))))]
    turned = turned[data.draw(st.permutations(list(frame.columns)))].set_axis([7] * len(frame))
    assert check(frame, qi, sa).as_dict() == check(turned, data.draw(st.permutations(qi)), sa).as_dict()


@modest
@given(st.data())
def test_records_without_a_value_are_left_out_as_if_they_were_not_there(data: st.DataObject) -> None:
    columns, qi, sa = data.draw(columns_of())
    whole = [i for i in range(len(columns[qi[0]])) if all(columns[name][i] is not None for name in qi)]
    frame = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})
    if not whole:
        with pytest.raises(InputError, match="no records"):
            check(frame, qi, sa, drop_missing=True)
        return
    kept = {name: [cells[i] for i in whole] for name, cells in columns.items()}
    found = check(frame, qi, sa, drop_missing=True).as_dict()
    del found["by_attribute"]
    agree(found, measure(kept, qi, sa, others_as_qi=False))


PEOPLE = pd.DataFrame(
    {
        "age": [30, 30, 30, 40, 40, 40],
        "sex": ["f", "f", "f", "m", "m", "m"],
        "illness": ["flu", "cold", "flu", "flu", "gout", "gout"],
        "salary": [10, 20, 30, 10, 20, 30],
    }
)


def values(report: CheckReport) -> dict[str, float | int | None]:
    return {model.key: model.value for model in report.models}


def test_a_filtered_frame_is_judged_by_the_records_it_has() -> None:
    filtered = PEOPLE[PEOPLE["sex"] == "m"]
    assert list(filtered.index) == [3, 4, 5]
    report = check(filtered, "age", "illness")
    assert report.n_records == 3
    assert report.as_dict() == check(filtered.reset_index(drop=True), "age", "illness").as_dict()
    assert values(report)["distinct_l_diversity"] == 2


def test_categories_no_record_has_are_no_classes_and_no_values() -> None:
    frame = PEOPLE.assign(
        sex=pd.Categorical(PEOPLE["sex"], ["d", "f", "m"]),
        illness=pd.Categorical(PEOPLE["illness"], ["cold", "flu", "gout", "measles"]),
    )
    assert check(frame, "sex", "illness").as_dict() == check(PEOPLE, "sex", "illness").as_dict()
    assert check(frame, "sex", "illness").k == 3


def test_one_record_is_a_class_whose_value_is_known() -> None:
    report = check(PEOPLE.head(1), ["age", "sex"], "illness").as_dict()
    assert report["k_anonymity"] == {"k": 1}
    assert report["alpha_k_anonymity"] == {"alpha": 1.0, "k": 1}
    assert report["recursive_c_l_diversity"] == {"c": None, "l": 1}
    assert report["t_closeness"] == {"t": 0.0, "distance": "equal"}
    assert report["delta_disclosure"] == {"delta": 0.0}


def test_a_table_of_one_class_tells_nothing_that_the_whole_table_does_not() -> None:
    found = values(check(PEOPLE.assign(sex="f"), "sex", ["illness", "salary"]))
    assert found["k_anonymity"] == 6
    assert found["t_closeness"] == found["basic_beta_likeness"] == found["delta_disclosure"] == 0


def test_a_constant_number_is_at_no_distance_from_itself() -> None:
    report = check(PEOPLE.assign(salary=7), "sex", "salary")
    assert report["t_closeness"].as_dict() == {"t": 0.0, "distance": "ordered"}
    assert report["distinct_l_diversity"].value == 1


def test_where_all_records_differ_every_value_is_known() -> None:
    frame = pd.DataFrame({"id": range(5), "illness": list("abcde")})
    found = values(check(frame, "id", "illness"))
    assert found["k_anonymity"] == found["distinct_l_diversity"] == 1
    assert found["alpha_k_anonymity"] == 1
    assert found["t_closeness"] == pytest.approx(0.8)
    assert found["delta_disclosure"] == math.inf


def test_dates_are_compared_in_their_order() -> None:
    days = pd.to_datetime(["2020-01-01", "2020-01-02", "2021-06-30"] * 2)
    report = check(PEOPLE.assign(day=days), "sex", "day")
    assert report["t_closeness"].as_dict() == {"t": 0.0, "distance": "ordered"}
    late = check(PEOPLE.assign(day=sorted(days)), "sex", "day")
    # f has the days 1, 1, 2 and m 2, 3, 3 of three: a third of the way up, twice, over two steps.
    assert late["t_closeness"].as_dict() == {"t": pytest.approx(1 / 3), "distance": "ordered"}


def test_numbers_written_as_text_are_text() -> None:
    report = check(PEOPLE.assign(salary=PEOPLE["salary"].astype(str)), "sex", "salary")
    assert report["t_closeness"].reported == {"distance": "equal"}


def test_missing_sensitive_values_are_one_value_and_compared_by_the_equal_distance() -> None:
    frame = PEOPLE.assign(salary=[10, np.nan, np.nan, 10, 10, 20])
    report = check(frame, "sex", "salary")
    assert report["t_closeness"].reported == {"distance": "equal"}
    assert report["distinct_l_diversity"].value == 2
    assert report["alpha_k_anonymity"].value == pytest.approx(2 / 3)
    with pytest.raises(InputError, match="missing values, which have no place in an order"):
        check(frame, "sex", "salary", distances={"salary": "ordered"})


def test_a_number_and_a_text_written_alike_are_refused_since_nobody_can_tell_them_apart() -> None:
    with pytest.raises(TableError, match="'illness' has both") as refused:
        check(PEOPLE.assign(illness=[1, "1", 2, 1, "1", 2]), "sex", "illness")
    assert refused.value.hint


def test_numbers_beside_texts_are_values_without_an_order() -> None:
    report = check(PEOPLE.assign(illness=[1, "x", 2.5, 1, "x", None]), "sex", "illness")
    assert report["t_closeness"].reported == {"distance": "equal"}
    assert report["t_closeness"].value == pytest.approx(1 / 6)
    assert report["distinct_l_diversity"].value == 3


@pytest.mark.parametrize(
    ("qi", "sa", "problem"),
    [
        ("sexx", "illness", "no column 'sexx'"),
        ("sex", "ilness", "no column 'ilness'"),
        ([], "illness", "No column is marked as quasi-identifying."),
        ("illness", "illness", "listed twice"),
        (["sex", "sex"], "illness", "listed twice"),
        ("sex", ["illness", "illness"], "listed twice"),
    ],
)
def test_columns_that_cannot_be_meant_are_refused(
    qi: str | list[str], sa: str | list[str], problem: str
) -> None:
    with pytest.raises((InputError, TableError), match=problem) as refused:
        check(PEOPLE, qi, sa)
    assert refused.value.hint


def test_a_frame_without_records_is_refused() -> None:
    with pytest.raises(TableError, match="no records"):
        check(PEOPLE.head(0), "sex", "illness")


def test_something_that_is_no_table_is_refused() -> None:
    with pytest.raises(TableError, match="list is not a table"):
        check([{"sex": "f"}], "sex")  # type: ignore[arg-type]


def test_only_the_named_columns_of_a_frame_need_to_be_readable() -> None:
    frame = PEOPLE.assign(notes=[["a"]] * 6)
    assert check(frame, "sex", "illness").k == 3
    with pytest.raises(TableError, match="notes"):
        check(frame, "sex", "notes")


def test_without_a_sensitive_column_only_k_exists() -> None:
    report = check(PEOPLE, ["age", "sex"]).as_dict()
    assert report.pop("by_attribute") == {}
    assert report.pop("k_anonymity") == {"k": 3}
    assert report.pop("blank_rows") == 0
    report.pop("not_assessed")  # the columns that were not named
    assert {value for entry in report.values() for value in entry.values()} == {None}
    assert len(report) == 8


def test_the_distance_of_a_column_can_be_chosen_where_it_is_meaningful() -> None:
    # Of f a third too many have 10 and a third too few 20, its neighbour, half of the way to 30.
    frame = PEOPLE.assign(salary=[10, 10, 30, 20, 20, 30])
    by_type = check(frame, "sex", "salary")["t_closeness"]
    equal = check(frame, "sex", "salary", distances={"salary": "equal"})["t_closeness"]
    assert by_type.as_dict() == {"t": pytest.approx(1 / 6), "distance": "ordered"}
    assert equal.as_dict() == {"t": pytest.approx(1 / 3), "distance": "equal"}
    for distances, problem in [
        ({"illness": "ordered"}, "which is not a sensitive column"),
        ({"salary": "orderly"}, "Unknown distance 'orderly'"),
        ({"salary": "hierarchical"}, "has no hierarchy"),
    ]:
        with pytest.raises(InputError, match=problem):
            check(frame, "sex", "salary", distances=distances)


def test_records_of_stars_are_a_class_unless_they_are_left_out() -> None:
    released = PEOPLE.astype(str).replace({"sex": {"f": "*"}, "age": {"30": "*"}})
    assert check(released.head(4), ["age", "sex"], "illness").k == 1
    assert check(released.head(4), ["age", "sex"], "illness", leave_out_suppressed=True).n_records == 1
    with pytest.raises(InputError, match="no records"):
        check(released.head(3), ["age", "sex"], "illness", leave_out_suppressed=True)


def test_a_report_is_asked_by_the_key_of_a_model() -> None:
    report = check(PEOPLE, "sex", ["illness", "salary"])
    assert report["t_closeness"].column == "illness"
    assert report["t_closeness"].kind.title == "t-closeness"
    assert report["k_anonymity"].column == ""
    with pytest.raises(InputError, match="' is not a measured model") as refused:
        report["t_closness"]
    assert refused.value.hint == "Did you mean 't_closeness'?"


def test_a_table_that_was_read_is_judged_like_its_frame() -> None:
    given = given_table(PEOPLE, ["age", "sex"], "illness")
    assert (
        check(given.table, ["age", "sex"], "illness").as_dict()
        == check(PEOPLE, ["age", "sex"], "illness").as_dict()
    )


def test_measuring_can_be_stopped_before_any_model() -> None:
    frame = pd.DataFrame({"age": ["1", "2"] * 5, "ill": ["a", "b", "a", "c", "a"] * 2})
    monitor = Stopping(words="Measuring t-closeness")
    with pytest.raises(CancelledError):
        check(frame, "age", "ill", monitor=monitor)
    texts = [text for _, _, text in monitor.steps]
    assert "Measuring k-anonymity" in texts
    assert "Measuring δ-disclosure privacy" not in texts
