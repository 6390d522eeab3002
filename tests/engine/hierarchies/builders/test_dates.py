"""Dates: every granularity, which follows which, how values are read and how labels are written."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import HierarchyError, ParameterError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.dates import DatesBuilder
from engine.hierarchies.calendar import GRANULARITIES, coarsens, ordinals
from engine.records import Column, Kind
from tests.engine.hierarchies.columns import column_of

KEYS = [key for key, _ in GRANULARITIES]


def dates(*texts: str) -> Column:
    return column_of(*texts, kind=Kind.DATE)


def labels(value: str, *granularities: str) -> tuple[str, ...]:
    """What a date becomes, `*` left out."""
    column = column_of(value, "2000-01-01 00:00:00")
    return DatesBuilder(granularities=granularities).build(column).rows()[-1][1:-1]


@pytest.mark.parametrize(
    ("granularity", "label"),
    [
        ("second", "2024-03-07 14:05:09"),
        ("minute", "2024-03-07 14:05"),
        ("hour", "2024-03-07 14:00"),
        ("day", "2024-03-07"),
        ("weekday", "Thursday"),
        ("week_of_month", "2024-03, week 2"),
        ("week", "2024-W10"),
        ("week_year", "2024"),
        ("week_of_year", "W10"),
        ("month", "2024-03"),
        ("month_of_year", "March"),
        ("quarter", "2024-Q1"),
        ("quarter_of_year", "Q1"),
        ("year", "2024"),
        ("decade", "2020-2029"),
        ("century", "2000-2099"),
        ("millennium", "2000-2999"),
    ],
)
def test_every_granularity_keeps_its_part_of_a_date(granularity: str, label: str) -> None:
    assert labels("2024-03-07 14:05:09", granularity) == (label,)


def test_there_is_a_test_of_every_granularity() -> None:
    marks = test_every_granularity_keeps_its_part_of_a_date.pytestmark  # type: ignore[attr-defined]  # by pytest
    assert [granularity for granularity, _ in marks[0].args[1]] == KEYS


@pytest.mark.parametrize(
    ("day", "week", "of_month"),
    [  # the examples of ISO 8601 and its Wikipedia page, by calendar
        ("2005-01-01", "2004-W53", "2005-01, week 1"),
        ("2008-12-28", "2008-W52", "2008-12, week 4"),
        ("2008-12-29", "2009-W01", "2008-12, week 5"),
        ("2010-01-03", "2009-W53", "2010-01, week 1"),
        ("2010-01-04", "2010-W01", "2010-01, week 2"),
        ("2015-02-28", "2015-W09", "2015-02, week 5"),
        ("2021-02-01", "2021-W05", "2021-02, week 1"),
    ],
)
def test_weeks_begin_on_monday_and_belong_to_the_year_of_their_thursday(
    day: str, week: str, of_month: str
) -> None:
    assert labels(day, "week_of_month", "week") == (of_month, week)


def test_what_lies_in_what_is_what_the_calendar_says() -> None:
    # Every kind of year within 28 years, and every turn of a year within three millennia.
    days = [datetime(2017, 1, 1) + timedelta(days=n) for n in range(28 * 366)]
    turns = [datetime(y, 12, 28) + timedelta(days=n) for y in range(999, 3002) for n in range(9)]
    times = [
        datetime(2020, 2, day, hour, minute, second)
        for day in (28, 29) for hour in (0, 1, 23) for minute in (0, 59) for second in (0, 59)
    ]  # fmt: skip
    moments = [*days, *turns, *times]
    seconds = np.array(moments, dtype="datetime64[s]").astype(np.int64)
    numbers = {key: np.unique(ordinals(seconds, key), return_inverse=True)[1] for key in KEYS}
    for fine in KEYS:
        for coarse in KEYS:
            within = np.zeros(len(moments), dtype=np.int64)
            within[numbers[fine]] = numbers[coarse]  # of each fine period, one of those it meets
            is_within = bool((within[numbers[fine]] == numbers[coarse]).all())
            assert coarsens(fine, coarse) == is_within, (fine, coarse)


def test_granularities_are_listed_so_that_what_lies_in_another_stands_before_it() -> None:
    pairs = [(KEYS[i], KEYS[j]) for j in range(len(KEYS)) for i in range(j + 1, len(KEYS))]
    assert not any(coarsens(later, earlier) for later, earlier in pairs)


@pytest.mark.parametrize(
    ("granularities", "said", "hint"),
    [
        (("month", "weekday"), "'weekday' cannot follow 'month'", "month_of_year, quarter"),
        (("week", "month"), "'month' cannot follow 'week'", "week_year, week_of_year"),
        (("week", "year"), "'year' cannot follow 'week'", "week_year"),
        (("year", "month"), "'month' cannot follow 'year'", "Put 'month' before 'year'."),
        (("day", "weekday", "year"), "'year' cannot follow 'weekday'", "Use 'weekday' as the last one."),
    ],
)
def test_granularities_that_cross_are_refused_by_both_names(
    granularities: tuple[str, ...], said: str, hint: str
) -> None:
    with pytest.raises(ParameterError, match=said) as caught:
        DatesBuilder(granularities=granularities)
    assert hint in caught.value.hint
    assert caught.value.context["parameter"] == "granularities"


def test_missing_stays_itself_and_labels_are_written_like_the_values() -> None:
    column = column_of("07/03/2024", "31/12/1999", "", kind=Kind.DATE)
    assert DatesBuilder(granularities=("day", "month", "quarter", "year")).build(column).rows() == [
        ("31/12/1999", "31/12/1999", "12/1999", "1999-Q4", "1999", "*"),
        ("07/03/2024", "07/03/2024", "03/2024", "2024-Q1", "2024", "*"),
        ("", "", "", "", "", "*"),
    ]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("%d. %B %Y", ("07. March 2024", "March 2024", "2024")),
        ("%B %d, %Y", ("March 07, 2024", "March 2024", "2024")),
        ("%b %y", None),
        ("%A %d.%m.%y", ("Thursday 07.03.24", "03.24", "24")),
        ("(%Y/%m/%d)", ("(2024/03/07)", "2024/03", "2024")),
    ],
)
def test_months_and_years_leave_out_what_is_finer(pattern: str, expected: tuple[str, ...] | None) -> None:
    if expected is None:
        with pytest.raises(ParameterError, match="lack the day, which 'day' needs"):
            DatesBuilder(granularities=("day", "month", "year"), format=pattern)
        return
    builder = DatesBuilder(granularities=("day", "month", "year"), format=pattern)
    assert builder.build(dates("2024-03-07")).rows()[0][1:-1] == expected


def test_years_of_two_digits_are_written_in_full_by_default() -> None:
    builder = DatesBuilder(granularities=("day", "year"), input_formats=("%d.%m.%y",))
    assert builder.build(column_of("07.03.24", "07.03.99")).rows() == [
        ("07.03.24", "07.03.2024", "2024", "*"),
        ("07.03.99", "07.03.1999", "1999", "*"),
    ]


def test_years_before_and_from_bounds_are_one_group_on_every_level() -> None:
    column = dates("1899-12-31", "1909-01-01", "1910-06-30", "2019-12-31", "2020-01-01", "2300-01-01")
    builder = DatesBuilder(granularities=("year", "decade", "century"), bottom=1905, top=2020)
    assert builder.build(column).rows() == [
        ("1899-12-31", "<1905", "<1905", "<1905", "*"),
        ("1909-01-01", "1909", "1905-1909", "1905-1999", "*"),
        ("1910-06-30", "1910", "1910-1919", "1905-1999", "*"),
        ("2019-12-31", "2019", "2010-2019", "2000-2019", "*"),
        ("2020-01-01", ">=2020", ">=2020", ">=2020", "*"),
        ("2300-01-01", ">=2020", ">=2020", ">=2020", "*"),
    ]


def test_bounds_that_cross_are_refused() -> None:
    with pytest.raises(ParameterError, match="2000 is not before 2000"):
        DatesBuilder(bottom=2000, top=2000)


def test_texts_in_several_formats_are_read_and_those_that_are_no_dates_are_named() -> None:
    column = column_of("07/03/2024", "31/12/1999", "1.2.2024", "2024-03-09 10:00", "unknown", "2024", "")
    builder = DatesBuilder(granularities=("month", "year"))
    assert builder.accepts(column)
    assert builder.unplaced(column) == ("2024", "unknown")
    assert builder.build(column).rows() == [
        ("07/03/2024", "03/2024", "2024", "*"),
        ("1.2.2024", "02/2024", "2024", "*"),
        ("2024", "2024", "2024", "*"),  # written like the year, and put into it
        ("2024-03-09 10:00", "03/2024", "2024", "*"),
        ("31/12/1999", "12/1999", "1999", "*"),
        ("unknown", "unknown", "unknown", "*"),
        ("", "", "", "*"),
    ]


def test_given_formats_are_tried_in_order() -> None:
    column = column_of("03/04/2024", "03/14/2024")
    month_first = DatesBuilder(granularities=("month",), input_formats=("%m/%d/%Y", "%d/%m/%Y"))
    assert [row[1] for row in month_first.build(column).rows()] == ["03/2024", "03/2024"]
    day_first = DatesBuilder(granularities=("month",), input_formats=("%d/%m/%Y", "%m/%d/%Y"))
    assert [row[1] for row in day_first.build(column).rows()] == ["04/2024", "03/2024"]


def test_one_value_with_the_month_first_makes_all_values_so() -> None:
    column = column_of("03/04/2024", "03/14/2024", "never")
    builder = DatesBuilder(granularities=("month_of_year",))
    assert [row[1] for row in builder.build(column).rows()] == ["March", "March", "never"]


def test_a_value_that_tells_too_little_stays_itself_until_it_tells_enough() -> None:
    column = column_of("1999", "12/1999", "31.12.1999")
    builder = DatesBuilder(granularities=("day", "month", "year"), input_formats=("%d.%m.%Y", "%m/%Y", "%Y"))
    assert builder.build(column).rows() == [
        ("12/1999", "12/1999", "12.1999", "1999", "*"),
        ("1999", "1999", "1999", "1999", "*"),
        ("31.12.1999", "31.12.1999", "12.1999", "1999", "*"),
    ]
    with pytest.raises(ParameterError, match="in the format %m/%Y lack the day, which 'day' needs"):
        DatesBuilder(granularities=("day",), input_formats=("%m/%Y", "%Y")).build(column)


def test_whole_numbers_are_years_where_they_are_read_so() -> None:
    column = column_of("1987", "1991", "2004", kind=Kind.INTEGER)
    assert not DatesBuilder().accepts(column)
    builder = DatesBuilder(granularities=("decade", "century"), input_formats=("%Y",))
    assert builder.accepts(column)
    assert [row[1:3] for row in builder.build(column).rows()] == [
        ("1980-1989", "1900-1999"), ("1990-1999", "1900-1999"), ("2000-2009", "2000-2099"),
    ]  # fmt: skip


@pytest.mark.parametrize("texts", [("male", "female"), ("01067", "01069"), ("1-2", "3-4"), ("",)])
def test_a_column_without_dates_is_refused_by_its_values(texts: tuple[str, ...]) -> None:
    column = column_of(*texts)
    assert not DatesBuilder().accepts(column)
    with pytest.raises(HierarchyError, match="has no dates") as caught:
        DatesBuilder().build(column)
    assert "%Y-%m-%d" in caught.value.hint
    assert all(f"'{text}'" in caught.value.problem for text in texts if text)


def test_texts_are_accepted_where_half_of_them_are_dates() -> None:
    assert DatesBuilder().accepts(column_of("2024-01-01", "x"))
    assert not DatesBuilder().accepts(column_of("2024-01-01", "x", "y"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"format": "%Y-%Q"}, "%Q does not exist for dates"),
        ({"format": "%Y %"}, "% does not exist for dates"),
        ({"format": "%d.%m."}, "has no year"),
        ({"format": "%Y"}, "lack the month"),
        ({"input_formats": ("%d/%m",)}, "has no year"),
        ({"input_formats": ()}, "cannot be empty"),
        ({"granularities": ()}, "cannot be"),
        ({"granularities": ("year", "year")}, "each once"),
        ({"granularities": ("fortnight",)}, "cannot contain 'fortnight'"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        DatesBuilder(**given)  # type: ignore[arg-type]  # drawn
    assert said in str(caught.value)
    assert caught.value.hint


@st.composite
def chains(draw: st.DrawFn) -> tuple[str, ...]:
    """Granularities of days or more, each lying in the next."""
    chain = [draw(st.sampled_from(KEYS[3:]))]
    while above := [key for key in KEYS if key != chain[-1] and coarsens(chain[-1], key)]:
        if draw(st.booleans()):
            break
        chain.append(draw(st.sampled_from(above)))
    return tuple(chain)


WRITTEN = {"day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m", "year": "%Y", "week_year": "%G",
           "weekday": "%A", "month_of_year": "%B", "week_of_year": "W%V"}  # fmt: skip


@given(
    st.lists(st.dates(date(1000, 1, 1)), min_size=1, max_size=12),
    chains(),
    st.none() | st.integers(1900, 1950),
    st.none() | st.integers(1951, 2030),
)
def test_every_chain_is_a_tree_whose_labels_agree_with_the_library(
    days: list[date], chain: tuple[str, ...], bottom: int | None, top: int | None
) -> None:
    column = dates(*map(str, days), "")
    hierarchy = DatesBuilder(granularities=chain, bottom=bottom, top=top).build(column)
    assert Hierarchy.from_rows(hierarchy.rows()).rows() == hierarchy.rows()
    assert hierarchy.gaps(column) == []
    assert hierarchy.height == len(chain) + 1
    for day in days:
        for level, granularity in enumerate(chain, start=1):
            label = hierarchy.label(str(day), level)
            if bottom is not None and day.year < bottom:
                assert label == f"<{bottom}"
            elif top is not None and day.year >= top:
                assert label == f">={top}"
            elif granularity in WRITTEN:
                assert label == day.strftime(WRITTEN[granularity])
            elif granularity in ("decade", "century", "millennium"):
                low, high = map(int, label.split("-")) if "-" in label else (int(label), int(label))
                assert low <= day.year <= high
