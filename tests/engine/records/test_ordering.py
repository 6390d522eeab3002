"""Filter and order of the records looked at."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CancelledError, InputError, TableError
from engine.records import DataType, Kind, Table
from engine.records.filtering import order_of, values_like
from engine.records.table import Column
from engine.records.values import make_column, retype
from tests.stopping import Stopping

LABELS = tuple(f"{i:06d}" for i in range(200_001))
NUMBERS = np.full(len(LABELS), np.nan)


def column(name: str, texts: list[str], kind: Kind = Kind.TEXT) -> Column:
    distinct = list(dict.fromkeys(texts))
    codes = np.array([distinct.index(text) for text in texts], dtype=np.int32)
    return make_column(name, distinct, codes, DataType(kind), missing="")


@pytest.fixture
def table() -> Table:
    return Table(
        (column("age", ["30", "9", "", "100", "9"], Kind.INTEGER), column("sex", ["f", "m", "m", "f", "f"]))
    )


def test_all_records_in_their_own_order_need_no_array(table: Table) -> None:
    assert order_of(table) is None
    assert order_of(table, "  ") is None


def test_numbers_are_sorted_by_value_and_missing_ones_are_last_either_way(table: Table) -> None:
    rising, falling = order_of(table, "", ("age", False)), order_of(table, "", ("age", True))
    assert rising.tolist() == [1, 4, 0, 3, 2]
    assert falling.tolist() == [3, 0, 1, 4, 2]
    assert rising.dtype == np.int32


def test_a_filter_and_an_order_hold_together(table: Table) -> None:
    found = order_of(table, "sex = 'f' and age < 100", ("age", False))
    assert found.tolist() == [4, 0]


def test_what_cannot_be_read_is_refused_with_its_place(table: Table) -> None:
    with pytest.raises(InputError) as caught:
        order_of(table, "age < 3 and sexx = 'f'")
    assert caught.value.context["position"] == 12
    with pytest.raises(TableError, match="no column 'height'"):
        order_of(table, "", ("height", False))


def test_sorting_stops_when_it_is_cancelled(table: Table) -> None:
    with pytest.raises(CancelledError):
        order_of(table, "", ("age", False), Stopping())


@given(st.lists(st.integers(0, 200_000), min_size=1, max_size=60), st.booleans())
def test_the_order_is_that_of_the_values_even_with_very_many_of_them(codes: list[int], falls: bool) -> None:
    many = Column("id", DataType(), LABELS, np.array(codes, dtype=np.int32), False, NUMBERS)
    found = order_of(Table((many,)), "", ("id", falls))
    assert found.tolist() == sorted(range(len(codes)), key=lambda i: -codes[i] if falls else codes[i])


def test_values_are_offered_as_a_filter_writes_them(table: Table) -> None:
    dates = column("day", ["31.01.2024", "01.02.2024"], Kind.TEXT)
    days = Table((retype(dates, DataType(Kind.DATE)),))
    offered = values_like(days, "day", "")
    assert offered == ["2024-01-31", "2024-02-01"]
    found = order_of(days, f"day = '{offered[1]}'")
    assert found.tolist() == [1]
    assert values_like(table, "sex", "F") == ["f"]
