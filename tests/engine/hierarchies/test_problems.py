"""Bad hierarchy files: every problem is found, with its line, its column and both values."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import HierarchyError
from engine.hierarchies import Hierarchy, read_hierarchy
from engine.hierarchies.problems import LineProblem, find_problems


def said(rows: list[list[str]], numbers: list[int] | None = None) -> list[str]:
    return [problem.sentence("h.csv") for problem in find_problems(rows, numbers)]


def test_every_problem_of_a_file_is_listed_by_line() -> None:
    rows = [
        ["1", "low", "small", "*"],
        ["2", "low", "small", "*"],
        ["3", "low", "large", "*"],
        ["4", "high", "large"],
        ["1", "high", "large", "*"],
        ["5", "high", "", "*"],
        ["6", "high", "large", "?"],
        ["7", "top", "large", "*"],
    ]
    assert said(rows) == [
        "h.csv, line 3, column 3 (level 2): 'low' becomes 'large', but 'small' in line 1.",
        "h.csv, line 4: 3 fields, but line 1 has 4.",
        "h.csv, line 5: '1' is 'high' on level 1, but 'low' in line 1.",
        "h.csv, line 6, column 3 (level 2): 'high' has no label.",
        "h.csv, line 7, column 3 (level 2): 'high' becomes 'large', but '' in line 6.",
        "h.csv, line 7, column 4 (level 3): 'large' becomes '?', but '*' in line 3.",
    ]


def test_the_line_that_says_what_no_other_says_is_the_wrong_one() -> None:
    rows = [["1", "low"], ["2", "low", "*"], ["3", "low", "*"]]
    assert said(rows) == ["h.csv, line 1: 2 fields, but line 2 has 3."]
    rows = [["1", "low", "*"], ["2", "low", "all"], ["3", "low", "all"]]
    assert said(rows) == ["h.csv, line 1, column 3 (level 2): 'low' becomes '*', but 'all' in line 2."]


def test_a_problem_knows_its_line_column_and_value() -> None:
    (problem,) = find_problems([["1", "low", "*"], ["2", "low", "?"]], [4, 9])
    assert (problem.line, problem.column, problem.value) == (9, 3, "?")
    assert problem.message == "'low' becomes '?', but '*' in line 4."


def test_of_a_very_long_value_a_message_has_the_beginning() -> None:
    (problem,) = find_problems([["1", "x" * 500], ["1", "*"]])
    assert problem.message == f"'1' is '*' on level 1, but '{'x' * 100}...' in line 1."
    (problem,) = find_problems([["1", "*"], ["1", "x" * 500]])
    assert problem.value == "x" * 500


def test_lines_that_repeat_what_they_say_are_no_problem() -> None:
    assert find_problems([["1", "low", "*"], ["1", "low", "*"], ["", "", "*"]]) == ()


def test_the_missing_value_may_be_nothing_on_every_level_but_no_other_value_may() -> None:
    assert find_problems([["", "", ""], ["a", "b", "*"]]) == ()
    assert find_problems([["", "unknown", ""], ["a", "b", "*"]]) == ()
    assert said([["", "", ""], ["a", "", "*"]]) == [
        "h.csv, line 2, column 2 (level 1): 'a' has no label.",
        "h.csv, line 2, column 3 (level 2): '' becomes '*', but '' in line 1.",
    ]


@pytest.mark.parametrize("rows", [[], [[]], [[], []]])
def test_no_lines_are_one_problem(rows: list[list[str]]) -> None:
    assert said(rows) == ["h.csv is empty."]


def test_a_file_is_refused_with_its_first_problem_and_carries_all(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("1;low;*\n\n2;low;?\n3;high\n3;high;*\n3;low;*\n")
    with pytest.raises(HierarchyError) as caught:
        read_hierarchy(path)
    error = caught.value
    problems = error.context["problems"]
    assert isinstance(problems, tuple)
    assert all(isinstance(problem, LineProblem) for problem in problems)
    assert [problem.line for problem in problems] == [3, 4, 6]
    assert error.problem == problems[0].sentence("h.csv")
    assert error.hint.endswith("2 more problems in its lines.")
    assert (error.context["line"], error.context["level"]) == (3, 2)


@pytest.mark.parametrize("spoil", ["length", "twice", "coarsening"])
def test_every_one_of_many_bad_lines_is_listed(spoil: str) -> None:
    rows = [[str(i), str(i // 10), str(i // 1000), "*"] for i in range(20_000)]
    if spoil == "length":
        rows[::2] = [row[:3] for row in rows[::2]]
    elif spoil == "twice":
        rows = [[str(i % 10_000), str(i), "*"] for i in range(20_000)]
    else:
        rows = [[str(i), "a", str(i), "*"] for i in range(20_000)]
    assert len(find_problems(rows)) == (19_999 if spoil == "coarsening" else 10_000)


def _is_tree(rows: list[tuple[str, ...]]) -> bool:
    """By definition: lines of one length, and equal labels on a level have equal labels above."""
    if not rows or not rows[0] or len({len(row) for row in rows}) > 1:
        return False
    lacks = any(row[0] and not all(row) for row in rows)
    return not lacks and all(
        row[level + 1] == other[level + 1]
        for row in rows
        for other in rows
        for level in range(len(row) - 1)
        if row[level] == other[level]
    )


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=4).map(tuple), max_size=5))
def test_problems_are_found_exactly_where_lines_are_no_tree(rows: list[tuple[str, ...]]) -> None:
    problems = find_problems(rows)
    assert (problems == ()) == _is_tree(rows)
    if problems:
        with pytest.raises(HierarchyError) as caught:
            Hierarchy.from_rows(rows, source="h.csv")
        assert caught.value.problem == problems[0].sentence("h.csv")
    places = [(problem.line, problem.column) for problem in problems]
    assert places == sorted(set(places))
