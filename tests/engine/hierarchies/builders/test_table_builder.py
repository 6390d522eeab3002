"""Tables of levels: any delimiter, with titles or without, from the value or from the top."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import HierarchyError, ParameterError
from engine.hierarchies.builders.base import BuilderContext
from engine.hierarchies.builders.table import TableBuilder
from tests.engine.hierarchies.columns import column_of

ZIP = column_of("01067", "80331", "99999", "")
ROWS = [
    ("01067", "Saxony", "East", "*"),
    ("01069", "Saxony", "East", "*"),
    ("80331", "Bavaria", "South", "*"),
    ("99999", "99999", "99999", "*"),
    ("", "", "", "*"),
]


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("01067;Saxony;East\n01069;Saxony;East\n80331;Bavaria;South\n", {}),
        ("01067;Saxony;East;*\n01069;Saxony;East;*\n80331;Bavaria;South;*\n", {}),
        ("zip\tstate\tpart\n01067\tSaxony\tEast\n01069\tSaxony\tEast\n80331\tBavaria\tSouth\n",
         {"header": True}),
        ("East|Saxony|01067\nEast|Saxony|01069\nSouth|Bavaria|80331\n", {"direction": "value_last"}),
        ("part#state#zip\n*#East#Saxony#01067\n*#East#Saxony#01069\n*#South#Bavaria#80331\n",
         {"direction": "value_last", "header": True, "delimiter": "#"}),
    ],
)  # fmt: skip
def test_levels_are_read_however_the_file_is_written(
    tmp_path: Path, text: str, given: dict[str, object]
) -> None:
    (tmp_path / "zip.csv").write_text(text, encoding="utf-8")
    builder = TableBuilder(path="zip.csv", **given)  # type: ignore[arg-type]  # drawn
    context = BuilderContext(folder=tmp_path)
    assert sorted(builder.build(ZIP, context).rows()) == sorted(ROWS)
    assert builder.unplaced(ZIP, context) == ("99999",)


def test_letters_are_read_in_the_encoding_given(tmp_path: Path) -> None:
    (tmp_path / "zip.csv").write_bytes("01067;Thüringen\n".encode("cp1252"))
    builder = TableBuilder(path=str(tmp_path / "zip.csv"), encoding="cp1252")
    assert builder.build(column_of("01067")).rows() == [("01067", "Thüringen", "*")]


def test_a_single_top_keeps_its_name_below_the_star(tmp_path: Path) -> None:
    (tmp_path / "zip.csv").write_text("1;odd;all\n2;even;all\n", encoding="utf-8")
    hierarchy = TableBuilder(path=str(tmp_path / "zip.csv")).build(column_of("1", "2"))
    assert hierarchy.rows() == [("1", "odd", "all", "*"), ("2", "even", "all", "*")]


def test_a_file_that_is_no_tree_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "zip.csv"
    path.write_text("value;level\n1;a;x\n2;a;y\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match=r"zip\.csv, line 3"):
        TableBuilder(path=str(path), header=True).build(column_of("1"))
    path.write_text("value;level\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="has no line below its header"):
        TableBuilder(path=str(path), header=True).build(column_of("1"))


def test_without_a_file_there_is_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="No file is chosen") as caught:
        TableBuilder().build(ZIP)
    assert caught.value.context["parameter"] == "path"
    with pytest.raises(HierarchyError, match="does not exist"):
        TableBuilder(path="none.csv").build(ZIP, BuilderContext(folder=tmp_path))
    for wrong in ("", " ", "a\0b", 7):
        with pytest.raises(ParameterError):
            TableBuilder(path=wrong)  # type: ignore[arg-type]  # wrong on purpose
