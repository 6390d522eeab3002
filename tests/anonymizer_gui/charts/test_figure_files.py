"""Values of charts as files and for the clipboard."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from anonymizer_gui.charts.chart_card import clipboard_text, figure_text, write_figures
from engine.errors import ExportError
from engine.findings.blocks import FigureColumn, FigureTable

TABLE = FigureTable(
    "found",
    "What was found",
    (FigureColumn("name", "Name"), FigureColumn("share", "Share", "records"), FigureColumn("count", "Count")),
    (("a, b", 0.1 + 0.2, 3), ("line\nbreak", None, True), ("endless", math.inf, -7)),
)


def test_files_have_keys_as_names_and_every_digit(tmp_path: Path) -> None:
    path = tmp_path / "found.csv"
    write_figures(path, TABLE)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["name", "share", "count"],
        ["a, b", "0.30000000000000004", "3"],
        ["line\nbreak", "", "True"],
        ["endless", "inf", "-7"],
    ]


def test_a_table_without_rows_gives_a_file_with_a_header(tmp_path: Path) -> None:
    path = tmp_path / "none.csv"
    write_figures(path, FigureTable("none", "None", TABLE.columns, ()))
    assert path.read_text(encoding="utf-8") == "name,share,count\n"


def test_a_missing_folder_is_a_readable_error(tmp_path: Path) -> None:
    with pytest.raises(ExportError):
        write_figures(tmp_path / "nowhere" / "found.csv", TABLE)


def test_the_clipboard_gets_tabs_units_and_one_line_per_row() -> None:
    lines = clipboard_text([TABLE]).splitlines()
    assert lines == [
        "Name\tShare (records)\tCount",
        "a, b\t0.30000000000000004\t3",
        "line break\t\tTrue",
        "endless\tinf\t-7",
    ]


def test_several_tables_have_their_titles() -> None:
    blocks = clipboard_text([TABLE, TABLE]).split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == ["What was found"] * 2


def test_nan_becomes_an_empty_text() -> None:
    assert figure_text(math.nan) == figure_text(None) == ""
