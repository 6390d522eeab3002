"""Top and bottom coding: the ends of a range of numbers."""

from __future__ import annotations

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from engine.errors import HierarchyError, ParameterError
from engine.hierarchies.builders.top_bottom import TopBottomBuilder
from engine.records import Kind
from tests.engine.hierarchies.columns import column_of


def test_the_thresholds_belong_to_the_ends() -> None:
    column = column_of("19", "20", "21", "79", "80", "95", "", kind=Kind.INTEGER)
    labels = [row[1] for row in TopBottomBuilder(bottom=20, top=80).build(column).rows()]
    assert labels == ["<= 20", "<= 20", "21", "79", ">= 80", ">= 80", ""]


def test_one_end_may_be_left_open() -> None:
    column = column_of("1.5", "2.5", "99.0", kind=Kind.DECIMAL)
    assert TopBottomBuilder(top=90).build(column).levels[1].labels == ("1.5", "2.5", ">= 90.0")
    assert TopBottomBuilder(bottom=2.5).build(column).levels[1].labels == ("<= 2.5", "99.0")


def test_without_thresholds_each_end_joins_a_share_of_the_records() -> None:
    # 20 records: 5 % is one, so 1 alone is joined with nothing; 10 % is two, so 1 and 2 are.
    column = column_of(*[str(i) for i in range(1, 21)], kind=Kind.INTEGER)
    assert TopBottomBuilder().build(column).levels[1].labels[:2] == ("<= 1", "2")
    labels = TopBottomBuilder(share=0.1).build(column).levels[1].labels
    assert (labels[0], labels[1], labels[-2], labels[-1]) == ("<= 2", "3", "18", ">= 19")
    assert TopBottomBuilder(share=0.0).build(column).levels[1].labels == column.labels


def test_a_share_counts_records_and_not_values() -> None:
    column = column_of("1", "2", "2", "2", "3", "4", "5", "5", "5", "9", kind=Kind.INTEGER)
    assert TopBottomBuilder(share=0.2).build(column).levels[1].labels == ("<= 2", "3", "4", ">= 5")


def test_ends_that_would_overlap_are_refused() -> None:
    with pytest.raises(HierarchyError, match="overlap") as caught:
        TopBottomBuilder(share=0.5).build(column_of("1", "2", "2", "2", "3", kind=Kind.INTEGER))
    assert "smaller share" in caught.value.hint
    with pytest.raises(ParameterError, match="not below"):
        TopBottomBuilder(bottom=5, top=5)
    with pytest.raises(HierarchyError, match="no numbers"):
        TopBottomBuilder(bottom=5).build(column_of("a"))


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=60), st.floats(0.01, 0.5))
def test_each_end_holds_its_share_and_no_value_more(numbers: list[int], share: float) -> None:
    column = column_of(*map(str, numbers), kind=Kind.INTEGER)
    try:
        rows = TopBottomBuilder(share=share).build(column).rows()
    except HierarchyError:
        reject()
    for mark, side in (("<= ", 1), (">= ", -1)):
        joined = sorted((int(row[0]) for row in rows if row[1].startswith(mark)), reverse=side > 0)
        n_joined = sum(number in joined for number in numbers)
        assert n_joined >= share * len(numbers) * (1 - 1e-12)
        assert n_joined - numbers.count(joined[0]) < share * len(numbers) * (1 + 1e-12)
