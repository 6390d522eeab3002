"""The builder panel: examples, groups per level, wrong labels, manual changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms.list_editors import CheckList, LevelList
from anonymizer_gui.forms.number_spin import NumberSpin
from anonymizer_gui.perspectives.configure.hierarchy.builder.panel import BuilderPanel
from anonymizer_gui.perspectives.configure.hierarchy.drafts import Draft, Selection
from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.session import Session
from engine.hierarchies import editing
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.project import Project
from engine.records import ReadOptions, Table
from tests.anonymizer_gui.hands import level_lines
from tests.anonymizer_gui.perspectives.configure.conftest import AGES, Settle, make

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(configure: ConfigurePresenter, settle: Settle) -> BuilderPanel:
    """Return the panel of the column age, with the builder of intervals chosen by keys."""
    configure.hierarchies.open("age")
    configure.view.show_editor()
    settle()
    choose(configure, settle, "Intervals")
    return configure.view.editor.builder


def choose(configure: ConfigurePresenter, settle: Settle, title: str) -> None:
    box = configure.view.editor.builder.builder_box
    box.showPopup()
    view = box.view()
    view.setCurrentIndex(box.model().index(box.findText(title), 0))
    QTest.keyClick(view, Qt.Key.Key_Return)
    settle()


def part(panel: BuilderPanel, kind: type, name: str):  # type: ignore[no-untyped-def]  # the kind that is asked for
    found = panel.findChild(kind, name)
    assert found is not None, name
    return found


def test_an_example_shows_the_most_frequent_value_and_then_the_selected_one(
    panel: BuilderPanel, configure: ConfigurePresenter
) -> None:
    assert panel.example.labels == ("20", "20-24", "20-29", "20-39", "*")
    configure.hierarchies.drafts.select(Selection(0, ("41",)))
    assert panel.example.labels == ("41", "40-44", "40-49", "40-59", "*")
    configure.hierarchies.drafts.select(Selection(1, ("20-24",)))
    assert panel.example.labels[0] == "20"


def test_lines_of_levels_show_the_number_of_groups(panel: BuilderPanel, settle: Settle) -> None:
    levels = part(panel, LevelList, "param.merge")
    assert level_lines(levels) == ["Level 2 2 bands 3", "Level 3 2 bands 2"]
    QTest.mouseClick(part(panel, QPushButton, "param.merge.3.remove"), LEFT)
    settle()
    assert level_lines(levels) == ["Level 2 2 bands 3"]
    QTest.mouseClick(levels.add_button, LEFT)
    settle()
    assert panel.shown_builder() == IntervalsBuilder(width=5, merge=(2, 2))


def test_forms_of_labels_are_shown_by_their_example(panel: BuilderPanel) -> None:
    box = part(panel, QComboBox, "param.label")
    texts = [box.itemText(i) for i in range(box.count())]
    assert texts[:2] == ["Range: 20-24", "Interval: [20, 25)"]


def test_cuts_begin_with_those_of_the_bands_shown(panel: BuilderPanel, settle: Settle) -> None:
    QTest.mouseClick(panel.form.ways.control.segment("Cuts"), LEFT)
    settle()
    assert panel.example.labels[0] == "20"
    builder = panel.shown_builder()
    assert builder.cuts == (25, 30, 35, 40)


def test_a_builder_changed_by_hand_can_be_started_again(
    panel: BuilderPanel, configure: ConfigurePresenter, settle: Settle
) -> None:
    drafts = configure.hierarchies.drafts
    before = drafts.draft
    assert before.hierarchy is not None
    assert not panel.former_button.isVisible()
    drafts.edit("Rename", Draft(editing.rename(before.hierarchy, 1, "20-24", "young"), former=before.builder))
    settle()
    assert panel.builder_box.currentText() == "By hand"
    assert panel.former_button.text() == "Restart with intervals"
    QTest.mouseClick(panel.former_button, LEFT)
    settle()
    assert drafts.draft.builder == before.builder
    assert panel.builder_box.currentText() == "Intervals"
    assert not panel.former_button.isVisible()
    drafts.undo_stack.undo()
    assert panel.former_button.isVisible()


def test_wrong_labels_are_detected_and_rewritten_as_one_step(
    panel: BuilderPanel, configure: ConfigurePresenter, settle: Settle, tmp_path: Path
) -> None:
    path = tmp_path / "late.csv"
    tens = {age: (int(age) + 9) // 10 * 10 - 1 for age in AGES}  # 20 to 29 is written as 19-28, and so on
    path.write_text("".join(f"{age};{tens[age] - 9}-{tens[age]};*\n" for age in AGES), encoding="utf-8")
    configure.hierarchies.import_file(path)
    settle()
    assert panel.mislabel.isVisible()
    assert panel.mislabel.words.text().startswith("The imported file puts age ")
    assert panel.mislabel.button.text().startswith("Relabel as ")
    steps = configure.hierarchies.drafts.undo_stack.count()
    QTest.mouseClick(panel.mislabel.button, LEFT)
    settle()
    assert not panel.mislabel.isVisible()
    assert configure.hierarchies.drafts.undo_stack.count() == steps + 1
    configure.hierarchies.drafts.undo_stack.undo()
    settle()
    assert panel.mislabel.isVisible()


def test_tab_moves_from_the_list_of_builders_into_the_form(panel: BuilderPanel) -> None:
    panel.window().activateWindow()  # the list of the combo box was a separate window
    QApplication.processEvents()
    panel.builder_box.setFocus()
    QTest.keyClick(panel.builder_box, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is panel.form.ways.control


def test_values_a_builder_cannot_place_are_named_and_granularities_shown_by_example(
    configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    seen = ["2026-11-22", "2026-11-22", "2025-03-01", "2025-04-01", "soon", "later"]
    session.open_project(Project("visits", Path("v.csv"), ReadOptions(), Table((make("seen", seen),))))
    settle()
    configure.hierarchies.open("seen")
    configure.view.show_editor()
    settle()
    choose(configure, settle, "Dates")
    panel = configure.view.editor.builder
    assert panel.unplaced.words.text() == "“later”, “soon” stay unchanged on every level below the top."
    boxes = part(panel, CheckList, "param.granularities")
    assert boxes.box("quarter").accessibleName() == "Quarter: 2026-Q4"
    QTest.mouseClick(boxes.box("quarter"), LEFT)
    settle()
    assert panel.example.labels[:3] == ("2026-11-22", "2026-11", "2026-Q4")


def test_an_example_is_marked_as_outdated_while_a_builder_fails(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    configure.view.table.table.select_columns(("age",))
    qtbot.mouseClick(configure.view.column.edit_button, Qt.MouseButton.LeftButton)
    settle()
    panel = configure.view.editor.builder
    titles = {label.text() for label in panel.example.findChildren(QLabel)}
    assert "Example, level by level" in titles
    choose(configure, settle, "Taxonomy")
    titles = {label.text() for label in panel.example.findChildren(QLabel)}
    assert "Example, with the current hierarchy" in titles
    choose(configure, settle, "Keep or hide")
    assert "Example, level by level" in {label.text() for label in panel.example.findChildren(QLabel)}


def test_undo_restores_parameters_in_the_existing_form(
    panel: BuilderPanel, session: Session, settle: Settle
) -> None:
    form = panel.form
    QTest.mouseClick(form.more.button, Qt.MouseButton.LeftButton)
    width = part(panel, NumberSpin, "param.width")
    width.selectAll()
    QTest.keyClicks(width, "10")
    settle()
    session.history.undo()
    settle()
    assert panel.form is form
    assert width.value() == 5
    assert form.more.button.text() == "Less"
    session.history.redo()
    settle()
    assert width.value() == 10
    assert panel.shown_builder() == IntervalsBuilder(width=10, merge=(2, 2))
