"""Population and subset: set in a dialog that counts while it is filled, and undone in one step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.perspectives.configure.table import population_presenter
from anonymizer_gui.perspectives.configure.table.population_presenter import (
    PopulationDialog,
    read_people,
    read_rows,
    setting_of,
)
from anonymizer_gui.session import Session
from engine.privacy.k_map import KMap
from engine.project import Project, edits
from engine.project.population import Population
from engine.project.subset import Subset
from tests.anonymizer_gui.perspectives.configure.conftest import Settle

LEFT = Qt.MouseButton.LeftButton


def asked(qtbot: QtBot, configure: ConfigurePresenter, settle: Settle) -> PopulationDialog:
    qtbot.mouseClick(configure.view.requirement.people_button, LEFT)
    found = configure.view.findChildren(PopulationDialog)
    assert len(found) == 1
    settle()
    return found[0]


def typed(qtbot: QtBot, dialog: PopulationDialog, name: str, text: str, settle: Settle) -> None:
    field = {
        "size": dialog.size_box,
        "fraction": dialog.fraction_box,
        "filter": dialog.filter_edit,
        "share": dialog.share_box,
    }[name]
    field.setFocus()
    field.selectAll()
    with qtbot.waitSignal(dialog.setting_changed):  # a moment after the last key
        qtbot.keyClicks(field, text)
    settle()


def test_a_size_is_previewed_set_and_undone(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    dialog = asked(qtbot, configure, settle)
    assert dialog.preview.text() == "The population is unknown; all records are released."
    typed(qtbot, dialog, "size", "4000", settle)
    assert dialog.buttons["size"].isChecked()
    assert dialog.size_box.value() == 4000
    assert (
        dialog.preview.text()
        == "8 records from 4\u202f000 people: 0.2\u202f% of the population is in the table."
    )
    qtbot.mouseClick(dialog.accept_button, LEFT)
    assert session.project.population == Population(size=4000)
    settle()
    assert configure.view.requirement.people_button.text() == "Population: 4\u202f000"
    session.history.undo()
    assert session.project.population is None
    assert configure.view.requirement.people_button.text() == "Population"


def test_fewer_people_than_records_are_refused_before_they_are_set(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    dialog = asked(qtbot, configure, settle)
    typed(qtbot, dialog, "size", "7", settle)
    assert "7 people is smaller than the 8 records" in dialog.preview.text()
    assert not dialog.accept_button.isEnabled()
    typed(qtbot, dialog, "size", "9", settle)
    assert dialog.accept_button.isEnabled()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert session.history.own.count() == 0


def test_a_filter_is_counted_while_it_is_typed_and_chooses_the_records(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    dialog = asked(qtbot, configure, settle)
    typed(qtbot, dialog, "filter", "age >= 30 and", settle)
    assert not dialog.accept_button.isEnabled()
    typed(qtbot, dialog, "filter", "agee >= 30", settle)
    assert dialog.filter_edit.error_span() == (0, 4)
    assert dialog.filter_edit.cursorPosition() == 10  # the cursor does not move while typing
    typed(qtbot, dialog, "filter", "age >= 30 and sex = 'm'", settle)
    assert dialog.preview.text() == (
        "3 of 8 records are released (37.5\u202f%); the whole table is the population."
    )
    qtbot.keyClick(dialog.filter_edit, Qt.Key.Key_Return)
    settle()
    assert session.project.subset == Subset(filter="age >= 30 and sex = 'm'")
    assert session.project.n_records == 3
    assert configure.view.requirement.people_button.text() == "Subset: 3 records"
    assert configure.view.requirement.limit_words.text() == "at most 0 records"  # 5 % of 3
    session.history.undo()
    assert session.project.n_records == 8


def test_a_condition_no_record_meets_is_refused(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    dialog = asked(qtbot, configure, settle)
    typed(qtbot, dialog, "filter", "age > 90", settle)
    assert "No record meets the filter" in dialog.preview.text()
    assert not dialog.accept_button.isEnabled()


def test_a_random_share_is_sampled_and_can_be_cleared(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    dialog = asked(qtbot, configure, settle)
    typed(qtbot, dialog, "share", "25", settle)
    assert dialog.preview.text().startswith("2 of 8 records")
    qtbot.mouseClick(dialog.accept_button, LEFT)
    settle()
    assert session.project.subset == Subset(fraction=0.25)
    qtbot.waitUntil(lambda: not configure.view.findChildren(PopulationDialog))
    dialog = asked(qtbot, configure, settle)
    assert dialog.buttons["random"].isChecked()
    qtbot.mouseClick(dialog.buttons["none"], LEFT, pos=dialog.buttons["none"].rect().center())
    settle()
    qtbot.mouseClick(dialog.accept_button, LEFT)
    assert session.project.subset is None
    assert session.history.own.count() == 2


def test_the_finding_of_a_model_that_needs_a_population_opens_the_dialog(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    session.edit("k-map", edits.add_model(session.project, KMap(estimator="poisson")))
    key = f"needs_population:{len(session.project.requirement.models) - 1}"
    qtbot.waitUntil(lambda: configure.view.preflight.fix_button(key) is not None)
    button = configure.view.preflight.fix_button(key)
    assert button is not None
    qtbot.mouseClick(button, LEFT)
    settle()
    dialog = configure.view.findChildren(PopulationDialog)[0]
    typed(qtbot, dialog, "fraction", "10", settle)
    qtbot.mouseClick(dialog.accept_button, LEFT)
    assert session.project.population == Population(sampling_fraction=0.1)
    qtbot.waitUntil(lambda: configure.view.preflight.fix_button(key) is None)
    settle()


def test_tables_of_people_and_rows_are_read_from_files(
    qtbot: QtBot,
    configure: ConfigurePresenter,
    session: Session,
    settle: Settle,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people, rows, other = (tmp_path / name for name in ("people.csv", "rows.csv", "other.csv"))
    people.write_text("age,sex,shoe\n" + "".join(f"{20 + i % 25},f,40\n" for i in range(100)))
    rows.write_text("name\nAda\nEve\n")
    other.write_text("shoe\n40\n41\n")
    answers = [other, people, rows]
    monkeypatch.setattr(population_presenter, "ask_table", lambda *_: answers.pop(0))
    dialog = asked(qtbot, configure, settle)
    qtbot.mouseClick(dialog.people_button, LEFT)
    settle()
    assert "none of the columns of the table" in dialog.preview.text()
    assert not dialog.accept_button.isEnabled()
    qtbot.mouseClick(dialog.people_button, LEFT)
    settle()
    assert dialog.buttons["table"].isChecked()
    assert dialog.preview.text() == "8 records from 100 people: 8\u202f% of the population is in the table."
    qtbot.mouseClick(dialog.rows_button, LEFT)
    settle()
    assert dialog.preview.text().startswith("2 of 8 records are released (25\u202f%)")
    qtbot.mouseClick(dialog.accept_button, LEFT)
    assert session.project.subset.path == rows


def test_the_choice_of_a_project_is_unchanged_by_the_dialog(
    qtbot: QtBot, themed: QApplication, project: Project
) -> None:
    for made in (
        None,
        Population(size=5_000_000_000),
        Population(sampling_fraction=0.07),
        Population(table=project.table),
        Subset(filter="age > 30"),
        Subset(rows=project.table),
        Subset(fraction=0.25, seed=7),
        Subset(size=3, seed=1),
    ):
        edit = edits.set_population if isinstance(made, Population) else edits.set_subset
        dialog = PopulationDialog(setting_of(edit(project, made)), 8)  # type: ignore[operator]  # of its kind
        qtbot.addWidget(dialog)
        with qtbot.waitSignal(dialog.setting_chosen) as chosen:
            dialog.submit()
        assert chosen.args == [made]


def test_files_of_people_and_rows_treat_missing_cells_like_the_table(
    project: Project, tmp_path: Path
) -> None:
    asked = replace(project, options=replace(project.options, missing=("?", "-")))
    name = project.table.names[0]
    (tmp_path / "all.csv").write_text(f"{name},x\n-,1\n?,2\nnone,3\n", encoding="utf-8")
    path = tmp_path / "all.csv"
    for found in (read_people(path, asked).table, read_rows(path, asked).rows):
        assert found is not None
        assert found.column(name).labels == ("none", "?")
        assert found.column(name).missing_label == "?"
