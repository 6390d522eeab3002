"""Tables that are on the clipboard as HTML alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import TableError
from engine.records.text.pasted import table_of_html, write_pasted


def rows(html: str) -> list[list[str]]:
    return [line.split("\t") for line in table_of_html(html).splitlines()]


def test_the_cells_of_the_first_table_are_taken_in_their_lines() -> None:
    html = """<html><style>td {color: red}</style><p>before</p>
        <table><thead><tr><th>name</th><th>age</th></tr></thead>
        <tbody><tr><td> Ada <b>L.</b> </td><td>36</td></tr><tr><td>Bob<br>B.</td><td>&lt; 40</td></tr></tbody>
        </table><table><tr><td>another</td></tr></table>"""
    assert rows(html) == [["name", "age"], ["Ada L.", "36"], ["Bob B.", "< 40"]]


def test_cells_without_end_tags_and_tables_in_cells_stay_in_their_places() -> None:
    html = "<table><tr><td>a<td>b<tr><td>1<td><table><tr><td>in</table></table>"
    assert rows(html)[0] == ["a", "b"]
    assert rows(html)[1][0] == "1"
    assert len(rows(html)) == 2


def test_a_cell_over_several_places_occurs_once_and_moves_the_others() -> None:
    html = (
        "<table><tr><td colspan=2>a</td><td rowspan=2>b</td></tr>"
        "<tr><td rowspan=2>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>"
    )
    assert rows(html) == [["a", "", "b"], ["1", "2", ""], ["", "3", "4"]]


def test_text_goes_first_and_a_page_without_a_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    write_pasted("a\tb\n", path, "<table><tr><td>c</td></tr></table>")
    assert path.read_text() == "a\tb\n"
    write_pasted("", path, "<table><tr><td>c</td><td>d e</td></tr></table>")
    assert path.read_text() == "c\td e\n"
    with pytest.raises(TableError, match="clipboard contains no table"):
        write_pasted("", path, "<p>no table</p>")


@given(st.lists(st.sampled_from(["<table>", "<tr>", "<td>", "</td>", "</table>", "x", '<td rowspan="3">'])))
def test_whatever_is_pasted_is_a_table_or_none(parts: list[str]) -> None:
    assert len({len(row) for row in rows("".join(parts))}) <= 1
