"""A hierarchy is built, imported, repaired and used as one undo step."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms.number_spin import NumberSpin
from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.session import Session
from anonymizer_gui.widgets import file_dialogs
from engine.hierarchies.builders.intervals import IntervalsBuilder
from tests.anonymizer_gui.hands import pick
from tests.anonymizer_gui.perspectives.configure.conftest import AGES, Settle

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def editing(qtbot: QtBot, configure: ConfigurePresenter, settle: Settle) -> ConfigurePresenter:
    """Return the editor, opened for age by its button."""
    configure.view.table.table.select_columns(("age",))
    qtbot.mouseClick(configure.view.column.edit_button, LEFT)
    assert configure.view.is_editing
    settle()
    return configure


def choose_builder(qtbot: QtBot, configure: ConfigurePresenter, key: str) -> None:
    pick(qtbot, configure.view.editor.builder.builder_box, key)


def shown_row(configure: ConfigurePresenter, row: int) -> list[str]:
    model = configure.view.editor.values.view.model()
    return [model.index(row, column).data() for column in range(model.columnCount())]


def import_text(
    qtbot: QtBot, configure: ConfigurePresenter, path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(file_dialogs, "ask_open", lambda *_args: path)
    qtbot.mouseClick(configure.view.editor.import_button, LEFT)


def test_a_builder_form_changes_the_preview_and_done_is_one_undo_step(
    qtbot: QtBot, editing: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    before = session.project.hierarchies["age"]
    choose_builder(qtbot, editing, "intervals")
    settle()
    assert shown_row(editing, 0) == ["20", "1", "20-24", "20-29", "20-39", "*"]
    form = editing.view.editor.builder.form
    width = form.findChild(NumberSpin, "param.width")
    width.selectAll()
    qtbot.keyClicks(width, "10")
    for level in (3, 2):
        remove = form.findChild(QPushButton, f"param.merge.{level}.remove")
        assert remove is not None
        qtbot.mouseClick(remove, LEFT)
    settle()
    assert shown_row(editing, 0) == ["20", "1", "20-29", "*"]
    assert session.history.own.count() == 0
    qtbot.mouseClick(editing.view.editor.done_button, LEFT)
    settle()
    assert not editing.view.is_editing
    assert session.project.hierarchies["age"].builder == IntervalsBuilder(width=10)
    assert session.history.own.count() == 1
    assert session.history.own.undoText() == "Change hierarchy of age"
    session.history.undo()
    assert session.project.hierarchies["age"] is before


def test_done_waits_for_the_hierarchy_of_the_last_keystroke(
    qtbot: QtBot, editing: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    choose_builder(qtbot, editing, "intervals")
    settle()
    form = editing.view.editor.builder.form
    width = form.findChild(NumberSpin, "param.width")
    width.selectAll()
    qtbot.keyClicks(width, "7")
    qtbot.mouseClick(editing.view.editor.done_button, LEFT)
    settle()
    builder = session.project.hierarchies["age"].builder
    assert builder.width == 7


def test_parameters_that_cannot_be_accepted_are_named_and_keep_done_back(
    qtbot: QtBot, editing: ConfigurePresenter, settle: Settle
) -> None:
    choose_builder(qtbot, editing, "intervals")
    settle()
    panel = editing.view.editor.builder
    form = panel.form
    qtbot.mouseClick(form.ways.control.segment("Cuts"), LEFT)
    line = form.findChild(QLineEdit, "param.cuts")
    line.selectAll()
    qtbot.keyClicks(line, "30, 20")
    settle()
    assert "Cuts" in form.error_text()
    assert not editing.view.editor.done_button.isEnabled()
    assert shown_row(editing, 0) == ["20", "1", "20-24", "20-29", "20-39", "*"]  # the last valid draft
    line.selectAll()
    qtbot.keyClicks(line, "2")
    settle()
    assert editing.view.editor.done_button.isEnabled()


def test_leaving_keeps_the_hierarchy_the_column_had(
    qtbot: QtBot, editing: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    choose_builder(qtbot, editing, "suppress")
    settle()
    back = editing.view.editor.back_button
    assert back.text() == "Discard changes"
    qtbot.mouseClick(back, LEFT)
    assert not editing.view.is_editing
    assert session.history.own.count() == 0
    assert session.project.hierarchies["age"].hierarchy.height == 2


def test_a_file_with_gaps_names_the_values_and_adds_them(
    qtbot: QtBot,
    editing: ConfigurePresenter,
    session: Session,
    settle: Settle,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = "".join(f"{age};young;*\n" for age in AGES[:-2])
    import_text(qtbot, editing, tmp_path / "ages.csv", lines, monkeypatch)
    settle()
    editor = editing.view.editor
    assert editor.coverage_chip.text() == "2 values not covered"
    assert editor.values.view.model().rowCount() == 6  # values without a group have no row yet
    qtbot.mouseClick(editor.gaps.top_button, LEFT)
    assert editor.coverage_chip.text() == "Covers every value"
    assert shown_row(editing, 7) == ["42", "1", "42", "*"]
    qtbot.mouseClick(editor.done_button, LEFT)
    entry = session.project.hierarchies["age"]
    assert entry.path is None  # it differs from the file
    assert entry.hierarchy.label("20", 1) == "young"


def test_an_imported_file_used_unchanged_is_recorded_with_its_path(
    qtbot: QtBot,
    editing: ConfigurePresenter,
    session: Session,
    settle: Settle,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "ages.csv"
    import_text(qtbot, editing, path, "".join(f"{age};*\n" for age in AGES), monkeypatch)
    settle()
    assert editing.view.editor.builder.builder_box.currentText() == "ages.csv"
    qtbot.mouseClick(editing.view.editor.done_button, LEFT)
    assert session.project.hierarchies["age"].path == path


def test_a_file_of_an_older_encoding_is_read_by_the_button_that_names_it(
    qtbot: QtBot,
    editing: ConfigurePresenter,
    session: Session,
    settle: Settle,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "alter.csv"
    path.write_bytes("".join(f"{age};jünger;*\n" for age in AGES).encode("cp1252"))
    monkeypatch.setattr(file_dialogs, "ask_open", lambda *_args: path)
    qtbot.mouseClick(editing.view.editor.import_button, LEFT)
    settle()
    banner = editing.view.editor.banner
    button = next(b for b in banner.findChildren(QPushButton) if b.text() == "Read it as cp1252")
    qtbot.mouseClick(button, LEFT)
    settle()
    assert shown_row(editing, 0) == ["20", "1", "jünger", "*"]
    assert not banner.isVisible()
    qtbot.mouseClick(editing.view.editor.done_button, LEFT)
    settle()
    assert session.project.hierarchies["age"].path is None


def test_the_hierarchy_shown_is_exported_as_it_can_be_imported(
    qtbot: QtBot,
    editing: ConfigurePresenter,
    settle: Settle,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "out.csv"
    monkeypatch.setattr(file_dialogs, "ask_save", lambda *_args: path)
    editing.view.editor.export_action.trigger()
    settle()
    assert path.read_text(encoding="utf-8").splitlines()[:2] == ["20;20-29;*", "21;20-29;*"]


def test_a_column_without_hierarchy_opens_with_the_proposed_one(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    configure.view.table.table.select_columns(("sex",))
    qtbot.mouseClick(configure.view.column.edit_button, LEFT)
    settle()
    assert shown_row(configure, 0) == ["f", "3", "*"]
    qtbot.mouseClick(configure.view.editor.done_button, LEFT)
    settle()
    assert session.project.hierarchies["sex"].builder is not None


def test_the_options_of_a_builder_have_examples_from_their_column(
    qtbot: QtBot, editing: ConfigurePresenter, settle: Settle
) -> None:
    choose_builder(qtbot, editing, "intervals")
    settle()
    qtbot.mouseClick(editing.view.editor.done_button, LEFT)
    settle()
    for column, value in (("name", "Ada"), ("age", "20")):  # made by its builder, opened a second time
        editing.view.table.table.select_columns((column,))
        qtbot.mouseClick(editing.view.column.edit_button, LEFT)
        settle()
        assert editing.view.editor.builder.example.labels[0] == value
        qtbot.mouseClick(editing.view.editor.done_button, LEFT)
        settle()


def test_statistics_give_groups_and_the_k_of_the_attribute_alone(editing: ConfigurePresenter) -> None:
    model = editing.view.editor.statistics.table.model()
    rows = [[model.index(row, column).data() for column in range(6)] for row in range(3)]
    assert rows == [
        ["2", "1", "8", "8", "none", "8"],
        ["1", "3", "2", "3", "none", "2"],
        ["0", "8", "1", "1", "8 · 100\u202f%", "1"],
    ]


def test_undo_while_the_editor_is_open_shows_the_hierarchy_of_then(
    qtbot: QtBot, editing: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    choose_builder(qtbot, editing, "suppress")
    settle()
    qtbot.mouseClick(editing.view.editor.done_button, LEFT)
    qtbot.mouseClick(editing.view.column.edit_button, LEFT)
    settle()
    assert shown_row(editing, 0) == ["20", "1", "*"]
    session.history.own.undo()  # undo of the project; the editor undoes steps of the draft
    settle()
    assert shown_row(editing, 0) == ["20", "1", "20-29", "*"]


def test_changes_that_were_discarded_can_be_brought_back(
    qtbot: QtBot, editing: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    choose_builder(qtbot, editing, "suppress")
    settle()
    qtbot.mouseClick(editing.view.editor.back_button, LEFT)
    qtbot.mouseClick(editing.view.column.edit_button, LEFT)
    settle()
    assert shown_row(editing, 0) == ["20", "1", "20-29", "*"]
    banner = editing.view.editor.banner
    button = next(b for b in banner.findChildren(QPushButton) if b.text() == "Restore them")
    qtbot.mouseClick(button, LEFT)
    settle()
    assert shown_row(editing, 0) == ["20", "1", "*"]
    session.history.undo()
    assert shown_row(editing, 0) == ["20", "1", "20-29", "*"]


def test_discarded_changes_of_a_column_without_hierarchy_can_be_brought_back_too(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    configure.view.table.table.select_columns(("sex",))
    qtbot.mouseClick(configure.view.column.edit_button, LEFT)
    settle()
    choose_builder(qtbot, configure, "masking")
    settle()
    qtbot.mouseClick(configure.view.editor.back_button, LEFT)
    qtbot.mouseClick(configure.view.column.edit_button, LEFT)
    settle()
    banner = configure.view.editor.banner
    button = next(b for b in banner.findChildren(QPushButton) if b.text() == "Restore them")
    assert button.isVisible()
    qtbot.mouseClick(button, LEFT)
    settle()
    box = configure.view.editor.builder.builder_box
    assert box.currentData() == "masking"


def test_a_group_of_kept_or_hidden_values_goes_below_the_level_that_hides_them(
    qtbot: QtBot, editing: ConfigurePresenter, settle: Settle
) -> None:
    choose_builder(qtbot, editing, "suppress")
    settle()
    view = editing.view.editor.values.view
    for row, keys in ((0, Qt.KeyboardModifier.NoModifier), (2, Qt.KeyboardModifier.ControlModifier)):
        place = view.visualRect(view.model().index(row, 0)).center()
        qtbot.mouseClick(view.viewport(), LEFT, keys, pos=place)
    QTest.keyClick(
        view, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    settle()
    assert {tuple(shown_row(editing, row)[2:]) for row in range(len(AGES))} == {
        ("20, 25", "*"),
        *((age, "*") for age in AGES if age not in ("20", "25")),
    }


def test_escape_cancels_a_cut(qtbot: QtBot, editing: ConfigurePresenter, settle: Settle) -> None:
    view = editing.view.editor.values.view
    view.setFocus()
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.model().index(0, 0)).center())
    words: list[str] = []
    editing.selection_described.connect(words.append)
    QTest.keyClick(view, Qt.Key.Key_X, Qt.KeyboardModifier.ControlModifier)
    assert words[-1].startswith("20 cut")
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert "Paste what was cut into the selected group" not in words[-1]
    assert not editing.view.editor.commands["paste"].isEnabled()
