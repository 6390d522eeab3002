"""DataFrames become tables by their values: the same partition as pandas makes, or an error."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.errors import TableError
from engine.records import Kind, Table
from engine.records.columns_taken import TakenColumn
from engine.records.opening.data_frames import as_table, table_from_frame
from engine.records.opening.files import read_table
from engine.records.table import Column
from tests.strategies import modest


def column(values: Any, missing: str = "") -> Column:
    return table_from_frame(pd.DataFrame({"x": values}), missing).columns[0]


def texts(values: Any, missing: str = "") -> list[str]:
    own = column(values, missing)
    return [own.text(i) for i in range(len(own.codes))]


def arrow(kind: pa.DataType, values: list[Any]) -> pd.Series:
    return pd.Series(pd.array(values, dtype=pd.ArrowDtype(kind)))


SERIES = {  # name: (values, texts, kind), the empty text for missing
    "whole floats": ([3.0, 1.0, 3.0], ["3", "1", "3"], Kind.INTEGER),
    "floats": ([1.0, 2.5, np.nan, -0.0, 0.0], ["1", "2.5", "", "0", "0"], Kind.DECIMAL),
    "narrow floats": (np.array([0.1, 1], np.float32), ["0.1", "1"], Kind.DECIMAL),
    "large floats": ([1e-5, 1e22], ["1e-05", "10000000000000000000000"], Kind.DECIMAL),
    "tiny floats": ([1e-99, -2.5e-101], ["1e-99", "-0." + "0" * 100 + "25"], Kind.DECIMAL),
    "nullable integers": (pd.array([2, None, 1], "Int64"), ["2", "", "1"], Kind.INTEGER),
    "nullable floats": (pd.array([0.5, None], "Float32"), ["0.5", ""], Kind.DECIMAL),
    "nullable truth": (pd.array([True, None], "boolean"), ["True", ""], Kind.BOOLEAN),
    "truth": ([True, False], ["True", "False"], Kind.BOOLEAN),
    "objects": (pd.Series([1, 2.5, None, True and 1], dtype=object), ["1", "2.5", "", "1"], Kind.DECIMAL),
    "exact decimals": ([Decimal("1.50"), Decimal("1.5"), Decimal("NaN")], ["1.5", "1.5", ""], Kind.DECIMAL),
    "texts": (["1", "1.0", "", "x"], ["1", "1.0", "", "x"], Kind.TEXT),
    "texts with NUL": (pd.Series(["a\0b", "a\0c"], dtype=object), ["a\0b", "a\0c"], Kind.TEXT),
    "python strings": (pd.array(["b", None], "string[python]"), ["b", ""], Kind.TEXT),
    "arrow strings": (pd.array(["b", None], "string[pyarrow]"), ["b", ""], Kind.TEXT),
    "all kinds of missing": (pd.Series([None, pd.NA, np.nan, pd.NaT], dtype=object), [""] * 4, Kind.TEXT),
    "texts beside numbers": (pd.Series([1, "a"], dtype=object), ["1", "a"], Kind.TEXT),
    "days": (pd.to_datetime(["2020-02-29", None]), ["2020-02-29", ""], Kind.DATE),
    "times": (pd.to_datetime(["2020-02-29 10:30"]), ["2020-02-29 10:30:00"], Kind.DATE),
    "fine times": (pd.to_datetime(["2020-02-29 10:30:00.5"]), ["2020-02-29 10:30:00.500000"], Kind.DATE),
    "dates as objects": ([dt.date(987, 1, 2), None], ["0987-01-02", ""], Kind.DATE),
    "dates and times as objects": (
        [dt.date(2020, 1, 2), pd.Timestamp("2020-01-02 03:00")],
        ["2020-01-02 00:00:00", "2020-01-02 03:00:00"],
        Kind.DATE,
    ),
    "zoned times": (
        pd.to_datetime(["2020-06-25 00:30", "2020-10-25 01:30"], utc=True).tz_convert("Europe/Rome"),
        ["2020-06-25 02:30:00", "2020-10-25 02:30:00"],
        Kind.DATE,
    ),
    "durations": (pd.to_timedelta([90, 5], unit="s"), ["0 days 00:01:30", "0 days 00:00:05"], Kind.ORDERED),
    "months": (pd.PeriodIndex(["2020-02", "2020-01"], freq="M"), ["2020-02", "2020-01"], Kind.ORDERED),
    "sparse": (pd.arrays.SparseArray([1.0, np.nan, 1.0]), ["1", "", "1"], Kind.INTEGER),
    "arrow integers": (arrow(pa.int64(), [1, None]), ["1", ""], Kind.INTEGER),
    "arrow floats": (arrow(pa.float64(), [1.5, float("nan"), None]), ["1.5", "", ""], Kind.DECIMAL),
    "arrow truth": (arrow(pa.bool_(), [True, None]), ["True", ""], Kind.BOOLEAN),
    "arrow decimals": (arrow(pa.decimal128(5, 2), [Decimal("1.20")]), ["1.2"], Kind.DECIMAL),
    "arrow days": (arrow(pa.date32(), [dt.date(2020, 1, 2), None]), ["2020-01-02", ""], Kind.DATE),
    "arrow times": (
        arrow(pa.timestamp("us"), [dt.datetime(2020, 1, 2, 3)]),
        ["2020-01-02 03:00:00"],
        Kind.DATE,
    ),
    "arrow categories": (arrow(pa.dictionary(pa.int8(), pa.string()), ["b", "a"]), ["b", "a"], Kind.TEXT),
}


@pytest.mark.parametrize("name", SERIES)
def test_values_of_every_type_become_texts_of_their_kind(name: str) -> None:
    values, expected, kind = SERIES[name]
    assert texts(values) == expected
    assert column(values).data_type.kind is kind
    assert column(values).has_missing is ("" in expected)


REFUSED = {
    "the number 1 and the text 1": [1, "1"],
    "a truth value and its number": [True, 1],
    "a date and midnight": [dt.date(2020, 1, 1), dt.datetime(2020, 1, 1)],
    "a float and another decimal": [0.1, Decimal("0.1")],
    "categories that look alike": pd.Categorical([1, "1"], categories=[1, "1"]),
    "an infinite number": [np.inf, 1.0],
    "an infinite decimal": [Decimal("-Infinity")],
    "a number too large": [1e300],
    "a number far too large": [10**5000, 1],
    "a number too small": [Decimal("1e-999999")],
    "bytes": [b"x"],
    "lists": [[1], [2]],
    "tuples": [(1, 2)],
    "sets": [{1}],
    "complex numbers": [1j],
    "arrow lists": arrow(pa.list_(pa.int64()), [[1]]),
    "nanoseconds": pd.to_datetime(["2020-01-01 00:00:00.000000001"]),
    "an empty text beside a missing value": ["", None],
    "times of several zones": [
        dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
        dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))),
    ],
    "the hour that comes twice": pd.to_datetime(
        ["2020-10-25 00:30", "2020-10-25 01:30"], utc=True
    ).tz_convert("Europe/Rome"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_right_text_is_refused_with_the_column_and_a_hint(name: str) -> None:
    values = REFUSED[name]
    series = pd.Series(values, dtype=object) if isinstance(values, list) else values
    with pytest.raises(TableError, match="'x'") as refused:
        column(series)
    assert refused.value.hint


def test_two_values_that_would_become_one_are_both_named() -> None:
    with pytest.raises(TableError, match=r"1 \(int\) and '1' \(text\)"):
        column(pd.Series([1, 2, "1"], dtype=object))


FRAMES = {
    "no columns": pd.DataFrame(),
    "no columns but an index": pd.DataFrame(index=[1, 2]),
    "no records": pd.DataFrame({"x": []}),
    "a number as name": pd.DataFrame({1: [2]}),
    "a name of nothing": pd.DataFrame({" ": [2]}),
    "names of two levels": pd.DataFrame({("a", "b"): [1]}),
    "a name twice": pd.DataFrame([[1, 2]], columns=["a", "a"]),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames_that_are_not_tables_are_refused(name: str) -> None:
    with pytest.raises(TableError) as refused:
        table_from_frame(FRAMES[name])
    assert refused.value.hint


INDEXES = {
    "filtered": [4, 9, 11],
    "permuted": [2, 0, 1],
    "duplicate": [7, 7, 7],
    "texts": ["c", "a", "b"],
    "of two levels": pd.MultiIndex.from_tuples([("a", 1), ("a", 1), ("b", 2)]),
    "missing": [np.nan, np.nan, 1.0],
}


@pytest.mark.parametrize("name", INDEXES)
def test_the_index_plays_no_part(name: str) -> None:
    plain = pd.DataFrame({"age": [3, 1, 3], "sex": pd.Categorical(["m", "f", None])})
    other = plain.set_axis(INDEXES[name])
    assert _contents(table_from_frame(other)) == _contents(table_from_frame(plain))


def test_unused_categories_are_dropped_and_ordered_ones_keep_their_order() -> None:
    values = pd.Categorical(["low", "high", None], categories=["low", "middle", "high"], ordered=True)
    own = column(values)
    assert own.labels == ("low", "high", "")
    assert own.data_type.kind is Kind.ORDERED
    assert column(pd.Categorical([3, 1], categories=[3, 2, 1])).data_type.kind is Kind.INTEGER
    cut = column(pd.cut([1, 9, 5], [0, 3, 6, 9]))
    assert (cut.labels, cut.codes.tolist()) == (("(0, 3]", "(3, 6]", "(6, 9]"), [0, 2, 1])


def test_numbers_are_in_their_exact_order_even_where_floats_cannot_tell_them_apart() -> None:
    close = [Decimal("-0.12345678901234567891"), Decimal("-0.12345678901234567892"), Decimal("0.5")]
    assert column(close).labels == (str(close[1]), str(close[0]), "0.5")
    assert column([2**60 + 1, 2**60, 9]).labels == ("9", str(2**60), str(2**60 + 1))


def test_another_text_for_missing_keeps_empty_texts_apart() -> None:
    own = column(pd.Series(["", None, "a"], dtype=object), "NA")
    assert (own.labels, own.has_missing) == (("", "a", "NA"), True)
    with pytest.raises(TableError, match="record 2 has no value and record 1 has 'NA'"):
        column(pd.Series(["NA", None], dtype=object), "NA")


def test_a_text_that_stands_for_missing_is_missing() -> None:
    assert column(["", "a"]).has_missing
    assert column([-9, 1], "-9").missing_label == "-9"


def test_tables_frames_and_paths_are_all_tables(tables: Any) -> None:
    table = as_table(tables / "hospital.csv")
    assert as_table(str(tables / "hospital.csv")).names == table.names
    assert as_table(table) is table
    frame = pd.read_csv(tables / "hospital.csv")
    assert _contents(as_table(frame)) == _contents(table)
    with pytest.raises(TableError, match="A Series is not a table"):
        as_table(frame.iloc[:, 0])  # type: ignore[arg-type]


_MISSING = st.sampled_from([None, np.nan, pd.NA, pd.NaT])
_FAMILIES = (
    st.sampled_from([0, 1, 1.0, -0.0, Decimal("1.0"), 2**53, 2.0**53, 2**53 + 1])
    | st.floats()
    | st.integers(),
    st.sampled_from(["1", "", "a", "nan", "None"]) | st.text(max_size=2),
    st.dates() | st.datetimes(),
    st.booleans(),
)
_CELLS = st.one_of(*_FAMILIES)
_COLUMNS = st.one_of(
    *(st.lists(family | _MISSING, min_size=1, max_size=12) for family in (*_FAMILIES, _CELLS))
)
_KINDS = st.sampled_from(
    ["object", "float64", "Int64", "boolean", "string", "category", "datetime64[us]", "float32"]
)


@modest
@given(_COLUMNS, _KINDS)
def test_records_are_distinguished_as_pandas_distinguishes_them(cells: list[Any], dtype: str) -> None:
    series = pd.Series(cells, dtype=object)
    try:
        series = series.astype(dtype)  # type: ignore[call-overload]
    except (TypeError, ValueError, ArithmeticError, RuntimeWarning):
        assume(False)
    own, found = _partition_or_error(series)
    assume(own is not None)
    expected = series.to_frame("x").groupby("x", dropna=False, observed=True, sort=False).ngroup().to_numpy()
    assert (
        len(set(zip(found, expected.tolist(), strict=True))) == len(set(found)) == len(set(expected.tolist()))
    )
    _assert_in_order(own)


def _partition_or_error(series: pd.Series) -> tuple[Column | None, list[int]]:
    """The codes; none where the column is refused."""
    try:
        own = column(series, "missing")
    except TableError:
        return None, []
    return own, own.codes.tolist()


def _assert_in_order(own: Column) -> None:
    labels = own.labels[:-1] if own.has_missing else own.labels
    if own.data_type.is_numeric:
        assert list(labels) == sorted(labels, key=Decimal)
    elif own.data_type.kind in (Kind.DATE, Kind.TEXT):
        assert list(labels) == sorted(labels)


def _contents(table: Table) -> list[tuple[Any, ...]]:
    return [(c.name, c.data_type, c.labels, c.codes.tolist(), c.has_missing) for c in table.columns]


def test_a_file_may_have_columns_without_a_name(tmp_path: Path) -> None:
    path = tmp_path / "from-a-frame.csv"
    pd.DataFrame({"age": [31, 35], "sex": ["f", "m"]}).to_csv(path)
    assert as_table(path).names == ("column 1", "age", "sex")
    table, options = read_table(path)
    assert table.names == ("column 1", "age", "sex")
    assert options.take[0] == TakenColumn(1, "column 1", None, "age")
