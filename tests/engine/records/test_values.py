"""Types of columns: detection, order, and changing them by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import TableError
from engine.records import Column, DataType, Kind, retype
from engine.records.values import detect_type, make_column


def column(*texts: str, missing: str | None = "") -> Column:
    labels = list(dict.fromkeys(texts))
    codes = np.array([labels.index(text) for text in texts], dtype=np.int32)
    return make_column("c", labels, codes, DataType(), missing)


@pytest.mark.parametrize(
    ("labels", "kind", "date_format"),
    [
        (["1", "-2", "+3"], Kind.INTEGER, ""),
        (["1", "2.5", ".5", "1e3"], Kind.DECIMAL, ""),
        (["True", "FALSE"], Kind.BOOLEAN, ""),
        (["2020-01-31"], Kind.DATE, "%Y-%m-%d"),
        (["31/01/2020"], Kind.DATE, "%d/%m/%Y"),
        (["01/31/2020"], Kind.DATE, "%m/%d/%Y"),
        (["31.01.2020"], Kind.DATE, "%d.%m.%Y"),
        (["31/01/2020", "01/31/2020"], Kind.TEXT, ""),
        (["0", "1", "x"], Kind.TEXT, ""),
        (["nan", "1"], Kind.TEXT, ""),
        (["1_000", "2"], Kind.TEXT, ""),
        (["1" * 400], Kind.TEXT, ""),
        ([], Kind.TEXT, ""),
    ],
)
def test_the_type_is_the_narrowest_all_values_fit(labels: list[str], kind: Kind, date_format: str) -> None:
    assert detect_type(labels) == DataType(kind, date_format)


def test_retyping_reorders_labels_and_keeps_the_text_of_every_record() -> None:
    before = column("10", "9", "", "10", "100")
    after = retype(before, DataType(Kind.INTEGER))
    assert before.labels == ("10", "100", "9", "")
    assert after.labels == ("9", "10", "100", "")
    assert [after.text(i) for i in range(5)] == ["10", "9", "", "10", "100"]
    assert after.numbers[:3].tolist() == [9, 10, 100]
    assert np.isnan(after.numbers[3])


def test_retyping_refuses_the_first_value_that_does_not_fit() -> None:
    with pytest.raises(TableError, match="record 3: 'x' is not a whole number"):
        retype(column("1", "2", "x", "1", "y"), DataType(Kind.INTEGER))


def test_a_date_without_format_takes_the_one_that_fits() -> None:
    after = retype(column("12/31/2020", "01/15/2021"), DataType(Kind.DATE))
    assert after.data_type.format == "%m/%d/%Y"
    assert after.labels == ("12/31/2020", "01/15/2021")


def test_ordered_categories_are_in_the_declared_order() -> None:
    data_type = DataType(Kind.ORDERED, values=("low", "middle", "high"))
    assert retype(column("high", "low", "middle"), data_type).labels == ("low", "middle", "high")
    with pytest.raises(TableError, match="'huge' is not one of the ordered categories"):
        retype(column("high", "huge"), data_type)


def test_equal_numbers_written_differently_stay_different_values() -> None:
    assert retype(column("1.0", "1", "01"), DataType(Kind.DECIMAL)).labels == ("01", "1", "1.0")


@given(st.lists(st.decimals(-(10**9), 10**9, places=3).map(str), min_size=1, max_size=40))
def test_decimals_are_ordered_by_value(values: list[str]) -> None:
    labels = retype(column(*values, missing=None), DataType(Kind.DECIMAL)).labels
    assert [float(label) for label in labels] == sorted(float(value) for value in set(values))
