"""Columns and values that a file does not tell apart, by their names or in how they are written."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import TableError
from engine.findings.model_check import check
from engine.records.column_selection import by_value
from engine.records.columns_taken import named_apart, places_of
from engine.records.opening.files import read_csv
from engine.records.options import ReadOptions
from tests.strategies import modest


@pytest.mark.parametrize(
    ("names", "given"),
    [
        (("a", "b", "a"), ("a", "b", "a (2)")),
        (("", "x", " "), ("column 1", "x", "column 3")),
        (("a", "a (2)", "a", "a"), ("a", "a (2)", "a (3)", "a (4)")),
        (("column 2", ""), ("column 2", "column 2 (2)")),
    ],
)
def test_each_gets_a_name_that_no_other_has(names: tuple[str, ...], given: tuple[str, ...]) -> None:
    taken = named_apart(names)
    assert tuple(column.name for column in taken) == given
    assert places_of(taken, names) == list(range(len(names)))
    assert [isinstance(column.source, int) for column in taken] == [not name.strip() for name in names]


def test_the_refusal_of_a_file_lists_its_names_so_that_it_can_be_read_with_others(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,,a\n1,2,3\n")
    with pytest.raises(TableError) as refused:
        read_csv(path)
    names = refused.value.context["names"]
    assert names == ("a", "", "a")
    table = read_csv(path, ReadOptions(take=named_apart(names)))
    assert table.record(0) == ("1", "2", "3")
    assert table.names == ("a", "column 2", "a (2)")


def written(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(["x,s", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("ways", "n_values"),
    [
        (("1", "1.0", "1.00", "2"), 2),
        (("true", "TRUE", "False"), 2),
        (("1/2/2020", "01/02/2020", "13/2/2020"), 2),
        (("9007199254740992", "9007199254740993", "+9007199254740993"), 2),
        (("0.1", "0.10000000000000001", "1e-1"), 2),
        (("a", "A"), 2),
        (("007", "7"), 2),
    ],
)
def test_equal_values_count_once_in_classes_and_in_diversity(
    tmp_path: Path, ways: tuple[str, ...], n_values: int
) -> None:
    path = written(tmp_path / "people.csv", *(f"k,{way}" for way in ways))
    assert check(path, "x", "s")["distinct_l_diversity"].value == n_values
    assert check(path, "s", "x").n_classes == n_values


def test_cells_keep_their_values_and_missing_stays_missing(tmp_path: Path) -> None:
    table = read_csv(written(tmp_path / "people.csv", "k,2.50", "k,", "k,2.5", "k,10"))
    column = by_value(table, ["s"]).column("s")
    assert column.labels == ("2.5", "10", "")
    assert column.codes.tolist() == [0, 2, 0, 1]
    assert column.missing_label == ""
    assert column.counts.tolist() == [2, 1, 1]
    assert by_value(table, ["x"]) is table


@modest
@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(0, 3)), min_size=1, max_size=20))
def test_records_are_alike_exactly_where_their_numbers_are(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[int, int]]
) -> None:
    texts = [f"{value / 4:.2f}{'0' * zeros}" for value, zeros in cells]
    path = written(tmp_path_factory.mktemp("numbers") / "people.csv", *(f"{text},k" for text in texts))
    codes = by_value(read_csv(path), ["x"]).column("x").codes.tolist()
    numbers = [Decimal(text) for text in texts]
    places = {number: place for place, number in enumerate(sorted(set(numbers)))}
    assert codes == [places[number] for number in numbers]
