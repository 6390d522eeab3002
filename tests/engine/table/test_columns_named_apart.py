"""Columns that a file does not tell apart by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import TableError
from engine.table.columns_taken import named_apart, places_of
from engine.table.options import ReadOptions
from engine.table.reading import read_csv


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
