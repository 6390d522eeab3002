"""Forms of taxonomies and tables: trees as indented lines, paths and columns selected or typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms import FormContext, ParamForm
from anonymizer_gui.forms.editors import text_to_tree, tree_to_text
from anonymizer_gui.widgets import file_dialogs
from engine.errors import ParameterError
from engine.hierarchies.builders.table import TableBuilder
from engine.hierarchies.builders.taxonomy import TaxonomyBuilder

words = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]))
nodes = st.recursive(
    words, lambda inner: st.tuples(words, st.lists(inner, min_size=1, max_size=3).map(tuple)), max_leaves=8
)


@given(st.lists(nodes, max_size=4))
def test_trees_written_as_lines_are_parsed_unchanged(tree: list) -> None:  # type: ignore[type-arg]  # recursive
    assert text_to_tree(tree_to_text(tree), "Tree") == tree


def test_tabs_and_uneven_steps_are_both_indentation() -> None:
    assert text_to_tree("Europe\n\tItaly\n\t\tRome\n\n    Monaco\nAsia\n Tokyo\n", "Tree") == [
        ("Europe", (("Italy", ("Rome",)), "Monaco")),
        ("Asia", ("Tokyo",)),
    ]


def test_a_line_between_two_indentations_is_rejected_with_its_number() -> None:
    with pytest.raises(ParameterError, match="line 3: the indentation of 'Rome' matches no line above"):
        text_to_tree("Europe\n    Italy\n  Rome", "Tree")


def test_a_tree_is_typed_with_lines_that_keep_their_indentation(qtbot: QtBot) -> None:
    form = ParamForm(TaxonomyBuilder)
    qtbot.addWidget(form)
    field = form.editor("tree").widget
    for text in ("Europe", "  Rome", "Paris"):
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.toPlainText() == "Europe\n  Rome\n  Paris\n  "
    assert form.editor("tree").value() == [("Europe", ("Rome", "Paris"))]


def test_a_path_is_selected_or_typed(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    form = ParamForm(TableBuilder)
    qtbot.addWidget(form)
    field = form.editor("path").widget
    monkeypatch.setattr(file_dialogs, "ask_open", lambda *_args: Path("chosen.csv"))
    with qtbot.waitSignal(form.changed):
        qtbot.mouseClick(field.button, Qt.MouseButton.LeftButton)
    assert form.member() == TableBuilder(path="chosen.csv")
    monkeypatch.setattr(file_dialogs, "ask_open", lambda *_args: None)
    qtbot.mouseClick(field.button, Qt.MouseButton.LeftButton)  # file dialog cancelled
    assert form.member() == TableBuilder(path="chosen.csv")
    field.line.selectAll()
    qtbot.keyClicks(field.line, "typed.csv")
    assert form.member() == TableBuilder(path="typed.csv")
    field.line.selectAll()
    qtbot.keyClick(field.line, Qt.Key.Key_Delete)
    assert form.member() == TableBuilder()


def test_an_invalid_path_is_reported_at_its_line(qtbot: QtBot) -> None:
    form = ParamForm(TableBuilder)
    qtbot.addWidget(form)
    field = form.editor("path").widget
    form.show_error(ParameterError("No file is chosen.", hint="Choose one.", parameter="path"))
    assert field.line.property("invalid") == "true"
    form.clear_errors()
    assert field.line.property("invalid") == "false"


def test_the_column_of_groups_is_any_of_the_table_or_typed(qtbot: QtBot) -> None:
    context = FormContext({"quasi-identifying": ("zip", "age"), "insensitive": ("province", "zip")})
    form = ParamForm(TaxonomyBuilder, context=context)
    qtbot.addWidget(form)
    box = form.editor("from_column").widget
    assert [box.itemText(i) for i in range(box.count())] == ["zip", "age", "province"]
    assert form.member() == TaxonomyBuilder()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert form.member() == TaxonomyBuilder(from_column="zip")
    line = box.lineEdit()
    line.selectAll()
    qtbot.keyClicks(line, "region")
    assert form.member() == TaxonomyBuilder(from_column="region")


def test_columns_of_further_levels_are_added_and_removed_one_by_one(qtbot: QtBot) -> None:
    form = ParamForm(TaxonomyBuilder, {"from_column": "zip"}, FormContext({"": ("zip", "state", "part")}))
    qtbot.addWidget(form)
    form.show()
    lines = form.editor("further_columns").widget
    qtbot.mouseClick(lines.add_button, Qt.MouseButton.LeftButton)
    assert form.member() == TaxonomyBuilder(from_column="zip")  # no column is selected yet
    first = lines.findChild(QComboBox, "param.further_columns.2")
    assert first is not None
    for _ in range(2):
        qtbot.keyClick(first, Qt.Key.Key_Down)
    assert form.member() == TaxonomyBuilder(from_column="zip", further_columns=("state",))
    qtbot.keyClick(lines.add_button, Qt.Key.Key_Space)
    second = lines.findChild(QComboBox, "param.further_columns.3")
    qtbot.keyClicks(second.lineEdit(), "continent")
    assert form.member() == TaxonomyBuilder(from_column="zip", further_columns=("state", "continent"))
    assert second.accessibleName() == "Groups of level 3 in column"
    remove = lines.findChildren(QPushButton)
    with qtbot.waitSignal(form.changed):
        qtbot.mouseClick(
            next(b for b in remove if b.accessibleName() == "Remove level 2"), Qt.MouseButton.LeftButton
        )
    assert form.member() == TaxonomyBuilder(from_column="zip", further_columns=("continent",))


def test_columns_of_every_role_can_be_selected(qtbot: QtBot) -> None:
    context = FormContext({"": ("a", "b"), "sensitive": ("b",)})
    form = ParamForm(TaxonomyBuilder, context=context)
    qtbot.addWidget(form)
    box = form.editor("from_column").widget
    assert [box.itemText(i) for i in range(box.count())] == ["a", "b"]
