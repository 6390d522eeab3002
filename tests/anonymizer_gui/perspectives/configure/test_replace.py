"""Values are counted and replaced in the strip above the table, as one undo step."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.perspectives.configure.table.filter_bar import ReplaceBar
from anonymizer_gui.session import Session
from tests.anonymizer_gui.perspectives.configure.conftest import Settle

LEFT = Qt.MouseButton.LeftButton
Typed = Callable[[str, str], ReplaceBar]


@pytest.fixture
def type_request(qtbot: QtBot, configure: ConfigurePresenter, settle: Settle) -> Typed:
    """Open the strip and type a value and its replacement."""

    def act(needle: str, new: str) -> ReplaceBar:
        bar = configure.view.table.replace_bar
        if not bar.isVisible():
            configure.actions()["find_replace"]()
        for field, text in ((bar.find_edit, needle), (bar.new_edit, new)):
            field.selectAll()
            qtbot.keyClicks(field, text) if text else qtbot.keyClick(field, Qt.Key.Key_Delete)
        qtbot.keyClick(bar.new_edit, Qt.Key.Key_Return)
        settle()
        return bar

    return act


def values(session: Session, name: str) -> tuple[str, ...]:
    return session.project.table.column(name).labels


def test_the_count_is_shown_before_anything_changes(
    configure: ConfigurePresenter, session: Session, type_request: Typed
) -> None:
    configure.view.table.table.select_columns(("disease",))
    bar = type_request("COLD", "flu")
    assert bar.words() == "3 cells in 1 value · 1 become equal to others"
    assert bar.replace_button.toolTip() == "cold → flu"
    assert values(session, "disease") == ("cold", "flu", "mumps")


def test_replacing_changes_table_and_hierarchy_as_one_step_and_undo_restores_both(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, type_request: Typed, settle: Settle
) -> None:
    configure.view.table.table.select_columns(("age",))
    bar = type_request("20", "23")
    assert bar.words() == "1 cell in 1 value · the hierarchy is updated"
    qtbot.mouseClick(bar.replace_button, LEFT)
    settle()
    assert values(session, "age")[:3] == ("21", "23", "25")
    assert session.project.hierarchies["age"].hierarchy.label("23", 1) == "20-29"
    assert session.history.own.count() == 1
    assert session.history.own.undoText() == "Replace in age"
    assert bar.words() == "No value would change"
    session.history.undo()
    assert values(session, "age")[:3] == ("20", "21", "25")
    assert "20" in session.project.hierarchies["age"].hierarchy.index


def test_a_value_that_does_not_fit_the_type_is_refused_in_place(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, type_request: Typed, settle: Settle
) -> None:
    configure.view.table.table.select_columns(("age",))
    bar = type_request("20", "young")
    qtbot.mouseClick(bar.replace_button, LEFT)
    settle()
    assert "'young' is not a whole number" in bar.words()
    assert session.history.own.count() == 0


def test_case_and_complete_value_restrict_the_search(
    qtbot: QtBot, configure: ConfigurePresenter, type_request: Typed, settle: Settle
) -> None:
    configure.view.table.table.select_columns(("name",))
    bar = type_request("A", "x")
    assert bar.words().startswith("4 cells in 4 values")
    qtbot.mouseClick(bar.case_check, LEFT)
    settle()
    assert bar.words().startswith("1 cell in 1 value")
    qtbot.mouseClick(bar.whole_check, LEFT)
    settle()
    assert bar.words() == "No value would change"
    assert not bar.replace_button.isEnabled()


def test_the_column_is_the_selected_one_and_choosing_another_selects_it(
    qtbot: QtBot, configure: ConfigurePresenter, type_request: Typed
) -> None:
    configure.view.table.table.select_columns(("sex",))
    bar = type_request("f", "female")
    assert bar.column_box.currentText() == "sex"
    bar.column_box.setFocus()
    qtbot.keyClick(bar.column_box, Qt.Key.Key_Down)
    assert configure.selected_columns() == ("disease",)
    qtbot.keyClick(bar.find_edit, Qt.Key.Key_Escape)
    assert not bar.isVisible()


def test_values_become_missing_without_a_replacement(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, type_request: Typed, settle: Settle
) -> None:
    configure.view.table.table.select_columns(("disease",))
    bar = type_request("mumps", "")
    assert bar.words() == "1 cell in 1 value · 1 become missing"
    qtbot.mouseClick(bar.replace_button, LEFT)
    settle()
    assert session.project.table.column("disease").has_missing
