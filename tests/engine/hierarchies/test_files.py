"""Hierarchy files: read as ARX writes them, refused with line, column and both values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import HierarchyError, HierarchyGapError
from engine.hierarchies import Hierarchy, read_hierarchy, write_hierarchy
from engine.records import DataType
from engine.records.values import make_column

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def _write(content: str) -> Path:
        path = tmp_path / "age.csv"
        path.write_bytes(content.encode())
        return path

    return _write


def refused(path: Path) -> HierarchyError:
    with pytest.raises(HierarchyError) as caught:
        read_hierarchy(path)
    return caught.value


def test_semicolons_are_usual(write: Write) -> None:
    hierarchy = read_hierarchy(write("a, 1;x, y;*\nb, 2;x, y;*\n"))
    assert hierarchy.rows() == [("a, 1", "x, y", "*"), ("b, 2", "x, y", "*")]


def test_commas_and_quotation_marks_are_detected(write: Write) -> None:
    hierarchy = read_hierarchy(write('17,"[15, 20[","[0, 20[",*\n20,"[20, 25[","[20, 40[",*\n'))
    assert (hierarchy.height, hierarchy.label("17", 1)) == (3, "[15, 20[")


def test_the_age_hierarchy_of_adult_has_five_levels(tables: Path) -> None:
    path = next(tables.rglob("adult_hierarchy_age.csv"))
    hierarchy = read_hierarchy(path)
    assert (hierarchy.height, hierarchy.n_leaves, hierarchy.top_label) == (4, 100, "*")
    assert hierarchy.label("25", 3) == "20-39"


def test_a_line_may_be_repeated_but_not_contradicted(write: Write) -> None:
    assert read_hierarchy(write("a;x;*\na;x;*\nb;y;*\n")).n_leaves == 2
    error = refused(write("a;x;*\nb;y;*\n\na;y;*\n"))
    assert error.problem == "age.csv, line 4: 'a' is 'y' on level 1, but 'x' in line 1."


def test_a_level_that_does_not_coarsen_names_line_column_and_both_values(write: Write) -> None:
    error = refused(write("1;low;small;*\n2;low;small;*\n\n3;low;large;*\n"))
    assert error.problem == (
        "age.csv, line 4, column 3 (level 2): 'low' becomes 'large', but 'small' in line 1."
    )
    assert (error.context["line"], error.context["level"]) == (4, 2)


def test_lines_of_unequal_length_are_named(write: Write) -> None:
    assert refused(write("a;x;*\nb;*\n")).problem == "age.csv, line 2: 2 fields, but line 1 has 3."


def test_an_empty_or_missing_file_is_refused(write: Write, tmp_path: Path) -> None:
    assert "empty" in refused(write("\n")).problem
    assert "does not exist" in refused(tmp_path / "nothing.csv").problem


def test_values_absent_from_the_hierarchy_are_named(write: Write) -> None:
    hierarchy = read_hierarchy(write("1;low;*\n2;low;*\n"))
    codes = np.arange(6, dtype=np.int32)
    column = make_column("age", ["1", "2", "3", "4", "5", "6"], codes, DataType())
    with pytest.raises(
        HierarchyGapError, match=r"lacks 4 values of the table: '3', '4', '5', \.\.\."
    ) as caught:
        hierarchy.covering(column)
    assert caught.value.context == {"column": "age", "values": ("3", "4", "5", "6")}
    assert "Add them" in caught.value.hint
    added = hierarchy.extended(["3", "4", "5", "6"]).covering(column)
    assert [added.label("3", level) for level in range(3)] == ["3", "3", "*"]


def test_a_missing_value_is_no_gap_and_takes_the_top_label(write: Write) -> None:
    hierarchy = read_hierarchy(write("1;low;*\n2;low;*\n"))
    column = make_column("age", ["1", "?"], np.array([0, 1], dtype=np.int32), DataType(), "?")
    assert hierarchy.covering(column).rows()[-1] == ("?", "?", "*")


def test_many_lines_are_written_and_read(tmp_path: Path) -> None:
    rows = [(str(i), str(i // 10), str(i // 1000), "*") for i in range(20_000)]
    hierarchy = Hierarchy.from_rows(rows)
    write_hierarchy(hierarchy, tmp_path / "big.csv")
    assert read_hierarchy(tmp_path / "big.csv").rows() == rows


def test_a_value_may_be_a_very_long_text(tmp_path: Path) -> None:
    hierarchy = Hierarchy.from_rows([("x" * 150_000, "*"), ("y", "*")])
    write_hierarchy(hierarchy, tmp_path / "h.csv")
    assert read_hierarchy(tmp_path / "h.csv").rows() == hierarchy.rows()


def test_values_that_are_added_to_missing_ones_alone_keep_a_name() -> None:
    hierarchy = Hierarchy.from_rows([("", "", "")])
    assert hierarchy.extended(["a"]).rows() == [("", "", ""), ("a", "a", "a")]
    hierarchy = Hierarchy.from_rows([("", "unknown", "", "*"), ("a", "A", "A", "*")])
    assert hierarchy.extended(["unknown"]).rows()[2] == ("unknown", "unknown (2)", "unknown (2)", "*")


def test_a_first_value_that_begins_with_the_mark_of_a_byte_order_keeps_it(tmp_path: Path) -> None:
    hierarchy = Hierarchy.from_rows([("\ufeffa", "*"), ("a", "*")])
    write_hierarchy(hierarchy, tmp_path / "h.csv")
    assert read_hierarchy(tmp_path / "h.csv").rows() == hierarchy.rows()


words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.dictionaries(words, st.integers(0, 3), min_size=1, max_size=12), st.sampled_from(";,\t"))
def test_write_then_read_gives_the_same_hierarchy(
    tmp_path: Path, groups: dict[str, int], delimiter: str
) -> None:
    hierarchy = Hierarchy.from_rows([(value, f"group {group}", "*") for value, group in groups.items()])
    write_hierarchy(hierarchy, tmp_path / "h.csv", delimiter)
    again = read_hierarchy(tmp_path / "h.csv", delimiter=delimiter, encoding="utf-8")
    assert again.rows() == hierarchy.rows()
