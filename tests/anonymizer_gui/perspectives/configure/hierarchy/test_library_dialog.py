"""The library saves and restores hierarchies, and asks before it replaces or deletes one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.hierarchy.library_dialog import LibraryDialog
from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.session import Session
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.hierarchies.library import entries, keep
from tests.anonymizer_gui.perspectives.configure.conftest import AGES, Settle, make

LEFT = Qt.MouseButton.LeftButton
HALVES = Hierarchy.from_rows([[age, "low" if age < "30" else "high", "*"] for age in AGES])
FIVES = IntervalsBuilder(width=5)


@pytest.fixture
def folder(config_dir: Path) -> Path:
    """Return a library with a manual table, a rule, an entry for other columns, and a damaged table."""
    made = config_dir / "hierarchies"
    keep(made, "halves", HALVES, column="age")
    keep(made, "Fives", FIVES.build(make("c", ["1", "2"])), FIVES)
    keep(made, "sexes", Hierarchy.from_rows([["f", "*"], ["m", "*"]]), column="sex")
    (made / "broken.csv").write_text("a;b;*\nc;d\n", encoding="utf-8")
    return made


@pytest.fixture
def opened(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle, folder: Path
) -> Iterator[LibraryDialog]:
    """Return the library, opened from the menu of the editor of age."""
    configure.view.table.table.select_columns(("age",))
    qtbot.mouseClick(configure.view.column.edit_button, LEFT)
    settle()
    editor = configure.view.editor
    menu = editor.more_button.menu()
    menu.popup(editor.more_button.mapToGlobal(editor.more_button.rect().bottomLeft()))
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(editor.library_action).center())
    settle()
    yield shown(configure)
    for left in configure.view.findChildren(LibraryDialog):
        left.done(0)


def shown(configure: ConfigurePresenter) -> LibraryDialog:
    return next(d for d in configure.view.findChildren(LibraryDialog) if d.isVisible())


def names(dialog: LibraryDialog) -> list[str]:
    return [row[0] for row in dialog.model.texts()]


def click_row(qtbot: QtBot, dialog: LibraryDialog, name: str) -> None:
    view = dialog.table
    cell = view.visualRect(dialog.model.index(names(dialog).index(name), 0))
    qtbot.mouseClick(view.viewport(), LEFT, pos=cell.center())


def agree(qtbot: QtBot, dialog: LibraryDialog, text: str) -> None:
    button = next(b for b in dialog.banner.findChildren(QPushButton) if b.text() == text)
    assert button.isVisible()
    qtbot.mouseClick(button, LEFT)


def test_entries_are_listed_with_their_size_and_coverage_of_the_column(
    qtbot: QtBot, opened: LibraryDialog
) -> None:
    assert opened.model.texts() == [
        ["broken", "–", "–", "–", "Cannot be read"],
        ["Fives", "–", "3", "2", "By rule"],
        ["halves", "age", "3", "8", "All 8 values"],
        ["sexes", "sex", "2", "2", "0 of 8 values"],
    ]
    labels = [label.text() for label in opened.findChildren(QLabel)]
    assert any("line 2" in text for text in labels)  # error of the first entry
    assert not opened.use_button.isEnabled()
    assert "line 2" in opened.use_button.toolTip()
    click_row(qtbot, opened, "sexes")
    assert opened.use_button.toolTip() == "Contains no value of this column"
    click_row(qtbot, opened, "halves")
    assert "low, high · hidden" in [label.text() for label in opened.findChildren(QLabel)]


def test_using_an_entry_is_one_step_of_the_draft(
    qtbot: QtBot, opened: LibraryDialog, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    click_row(qtbot, opened, "halves")
    qtbot.mouseClick(opened.use_button, LEFT)
    settle()
    drafts = configure.hierarchies.drafts
    assert drafts.draft.hierarchy.label("21", 1) == "low"
    assert drafts.undo_stack.undoText() == "Use “halves” from the library"
    assert session.history.own.count() == 0
    session.history.undo()
    assert drafts.draft.hierarchy.label("21", 1) == "20-29"


def test_keys_use_the_rule_of_an_entry(
    qtbot: QtBot, opened: LibraryDialog, configure: ConfigurePresenter, settle: Settle
) -> None:
    opened.activateWindow()
    qtbot.waitUntil(opened.isActiveWindow)
    opened.table.setFocus()
    qtbot.keyClick(opened.table, Qt.Key.Key_Down)
    qtbot.keyClick(opened.table, Qt.Key.Key_Return)
    settle()
    draft = configure.hierarchies.drafts.draft
    assert draft.builder == FIVES
    assert draft.hierarchy.label("21", 1) == "20-24"


def test_the_hierarchy_shown_is_kept_under_a_name(
    qtbot: QtBot, opened: LibraryDialog, folder: Path, settle: Settle
) -> None:
    assert opened.name_line.text() == "age"
    opened.name_line.selectAll()
    qtbot.keyClicks(opened.name_line, "Tens: 10/20")
    qtbot.keyClick(opened.name_line, Qt.Key.Key_Return)
    settle()
    assert opened.isVisible()
    entry = (item := opened.current_item()).entry
    assert (entry.name, entry.column, item.sizes[-1].text) == ("Tens: 10/20", "age", "All 8 values")
    kept = next(entry for entry in entries(folder) if entry.name == "Tens: 10/20")
    assert kept.hierarchy.label("21", 1) == "20-29"


def test_an_existing_name_is_replaced_only_after_confirmation(
    qtbot: QtBot, opened: LibraryDialog, folder: Path, settle: Settle
) -> None:
    opened.name_line.selectAll()
    qtbot.keyClicks(opened.name_line, "HALVES")
    qtbot.mouseClick(opened.keep_button, LEFT)
    settle()
    assert "” is already in the library." in opened.banner.problem()
    assert (folder / "halves.csv").read_text(encoding="utf-8").count("low") == 3
    agree(qtbot, opened, "Replace")
    settle()
    assert (folder / "halves.csv").read_text(encoding="utf-8").count("low") == 0
    assert names(opened).count("halves") == 1
    assert not opened.banner.isVisible()


def test_an_entry_is_deleted_only_after_confirmation(
    qtbot: QtBot, opened: LibraryDialog, folder: Path, settle: Settle
) -> None:
    click_row(qtbot, opened, "halves")
    qtbot.mouseClick(opened.delete_button, LEFT)
    assert opened.banner.problem() == "Delete “halves” from the library?"
    close = next(b for b in opened.banner.findChildren(QPushButton) if b.toolTip() == "Close")
    qtbot.mouseClick(close, LEFT)
    settle()
    assert (folder / "halves.csv").exists()
    opened.table.setFocus()
    qtbot.keyClick(opened.table, Qt.Key.Key_Delete)
    agree(qtbot, opened, "Delete")
    settle()
    assert not (folder / "halves.csv").exists()
    assert names(opened) == ["broken", "Fives", "sexes"]


def test_a_damaged_entry_can_be_deleted(
    qtbot: QtBot, opened: LibraryDialog, folder: Path, settle: Settle
) -> None:
    click_row(qtbot, opened, "broken")
    qtbot.mouseClick(opened.delete_button, LEFT)
    agree(qtbot, opened, "Delete")
    settle()
    assert not (folder / "broken.csv").exists()


def test_an_unusable_name_and_a_read_only_folder_are_reported(
    qtbot: QtBot, opened: LibraryDialog, folder: Path, settle: Settle
) -> None:
    opened.name_line.selectAll()
    qtbot.keyClick(opened.name_line, Qt.Key.Key_Delete)
    assert not opened.keep_button.isEnabled()
    qtbot.keyClicks(opened.name_line, "x" * 190)
    qtbot.mouseClick(opened.keep_button, LEFT)
    settle()
    assert opened.banner.problem() == "The name is too long for a file."
    (folder / "blocked.csv").mkdir()
    opened.name_line.selectAll()
    qtbot.keyClicks(opened.name_line, "blocked")
    qtbot.mouseClick(opened.keep_button, LEFT)
    settle()
    agree(qtbot, opened, "Replace")
    settle()
    assert "is a folder" in opened.banner.problem()


def test_a_saved_entry_is_listed_although_the_next_name_is_refused(
    qtbot: QtBot, opened: LibraryDialog, settle: Settle
) -> None:
    opened.name_line.selectAll()
    qtbot.keyClicks(opened.name_line, "first")
    qtbot.keyClick(opened.name_line, Qt.Key.Key_Return)
    settle()
    for name in ("second", "y" * 190):  # without waiting for the list of the second
        opened.name_line.selectAll()
        opened.name_line.insert(name)
        qtbot.keyClick(opened.name_line, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: names(opened).count("first") == 1)
    settle()
    assert opened.banner.problem() == "The name is too long for a file."
    assert {"first", "second"} <= set(names(opened))


def test_an_empty_library_says_so_and_stores_the_hierarchy(
    qtbot: QtBot, opened: LibraryDialog, folder: Path, settle: Settle
) -> None:
    for name in names(opened):
        click_row(qtbot, opened, name)
        qtbot.mouseClick(opened.delete_button, LEFT)
        agree(qtbot, opened, "Delete")
        settle()
    assert "The library is empty." in [
        label.text() for label in opened.findChildren(QLabel) if label.isVisible()
    ]
    assert not opened.use_button.isEnabled()
    assert not opened.delete_button.isEnabled()
    store = next(b for b in opened.findChildren(QPushButton) if b.text() == "Store this hierarchy")
    name = opened.name_line.text()
    opened.name_line.clear()
    assert not store.isEnabled()
    opened.name_line.setText(name)
    qtbot.mouseClick(store, LEFT)
    settle()
    assert names(opened) == [name]
