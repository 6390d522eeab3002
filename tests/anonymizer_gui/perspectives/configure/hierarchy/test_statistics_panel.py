"""The statistics of the editor: levels by mouse and keys, and their effect on the optimum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.hierarchy.drafts import NOTHING, Selection
from anonymizer_gui.perspectives.configure.hierarchy.statistics import presenter as statistics_presenter
from anonymizer_gui.perspectives.configure.hierarchy.statistics.panel import (
    LevelTable,
    StatisticsPanel,
    effect_rows,
)
from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.session import Session
from anonymizer_gui.session.scoring_controller import ScoringController
from anonymizer_gui.theming import current_theme
from anonymizer_gui.widgets import file_dialogs
from engine.advice.level_effects import LevelEffect, level_effects
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from tests.anonymizer_gui.perspectives.configure.conftest import AGES, Settle

LEFT = Qt.MouseButton.LeftButton
OUTCOME = 3


@pytest.fixture
def scored(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> Iterator[ConfigurePresenter]:
    """Return Configure with the lattice of the eight people scored."""
    scoring = ScoringController(session)
    scoring.score_again()
    qtbot.waitUntil(lambda: scoring.is_settled and session.results.optimum is not None)
    settle()
    yield configure
    scoring.deleteLater()


def opened(qtbot: QtBot, configure: ConfigurePresenter, name: str, settle: Settle) -> StatisticsPanel:
    configure.view.table.table.select_columns((name,))
    qtbot.mouseClick(configure.view.column.edit_button, LEFT)
    settle()
    return configure.view.editor.statistics


def rows(table: LevelTable) -> list[list[str]]:
    model = table.model()
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def tinted(table: LevelTable) -> list[int]:
    """Return the levels of the highlighted rows."""
    return [table.model().rowCount() - 1 - index.row() for index in table.selectionModel().selectedRows()]


def cell(table: LevelTable, row: int) -> QModelIndex:
    return table.model().index(row, 0)


def click_row(qtbot: QtBot, table: LevelTable, row: int) -> None:
    qtbot.mouseClick(table.viewport(), LEFT, pos=table.visualRect(cell(table, row)).center())


def test_each_level_is_shown_as_the_optimum_would_be_with_it(
    qtbot: QtBot, scored: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    panel = opened(qtbot, scored, "age", settle)
    qtbot.waitUntil(lambda: panel.updating.isHidden())
    project, optimum = session.project, session.results.optimum
    assert optimum is not None
    effects = level_effects(project, "age", project.hierarchies["age"].hierarchy, optimum)
    shown = rows(panel.effects)
    assert [row[0] for row in shown] == ["hidden", "10-year bands", "unchanged"]
    assert [row[2] for row in shown] == [f"loss {effect.value:.3f}" for effect in reversed(effects)]
    assert [row[OUTCOME] for row in shown] == ["0 suppressed", "2 above the limit", "8 above the limit"]
    model = panel.effects.model()
    colours = [
        model.index(row, OUTCOME).data(Qt.ItemDataRole.ForegroundRole).color().name().upper()
        for row in range(3)
    ]
    theme = current_theme()
    assert colours == [theme.text_2, theme.danger, theme.danger]
    weights = [model.index(row, 0).data(Qt.ItemDataRole.FontRole).weight() for row in range(3)]
    assert weights[0] > weights[1] == weights[2]
    assert panel.reason.text() == ""


def test_a_level_shows_how_many_records_its_groups_have(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    panel = opened(qtbot, configure, "age", settle)
    told = panel.table.model().index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert told.splitlines()[:2] == [
        "Level 1: 10-year bands",
        "3 groups of 2 to 3 records; the largest is 37.5\u202f% of all",
    ]


def test_a_changed_draft_updates_the_statistics_and_removes_the_previous_ones(
    qtbot: QtBot, scored: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    panel = opened(qtbot, scored, "age", settle)
    qtbot.waitUntil(lambda: panel.updating.isHidden())
    drafts = scored.hierarchies.drafts
    click_row(qtbot, panel.table, 1)
    QTest.keyClick(panel.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)  # removes the level
    assert not panel.updating.isHidden()
    assert rows(panel.effects) == [["hidden", "", "", ""], ["unchanged", "", "", ""]]
    assert len(rows(panel.table)) == 2
    qtbot.waitUntil(lambda: panel.updating.isHidden())
    project, optimum, hierarchy = session.project, session.results.optimum, drafts.draft.hierarchy
    assert hierarchy is not None
    assert optimum is not None
    expected = [f"loss {e.value:.3f}" for e in level_effects(project, "age", hierarchy, optimum)]
    assert [row[2] for row in rows(panel.effects)] == expected[::-1]
    drafts.undo_stack.undo()
    assert not panel.updating.isHidden()
    qtbot.waitUntil(lambda: panel.updating.isHidden())
    assert len(rows(panel.effects)) == 3


def test_a_late_answer_to_a_former_draft_is_not_shown(
    qtbot: QtBot, scored: ConfigurePresenter, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def answer(question: object) -> tuple[LevelEffect, ...]:
        height = question.hierarchy.height  # type: ignore[attr-defined]
        asked.append(height)
        return tuple(LevelEffect(level, height + level / 10, 0, True, True) for level in range(height + 1))

    monkeypatch.setattr(statistics_presenter, "_answer", answer)
    panel = opened(qtbot, scored, "age", settle)
    qtbot.waitUntil(lambda: asked == [2])  # its answer has not come back yet
    click_row(qtbot, panel.table, 1)
    QTest.keyClick(panel.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    shown = []
    panel.effects.texts.dataChanged.connect(lambda: shown.append([row[2] for row in rows(panel.effects)]))
    qtbot.waitUntil(lambda: panel.updating.isHidden())
    assert shown == [["loss 1.100", "loss 1.000"]]


def test_the_reason_for_no_comparison_is_shown(
    qtbot: QtBot,
    scored: ConfigurePresenter,
    session: Session,
    settle: Settle,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    panel = opened(qtbot, scored, "disease", settle)
    assert panel.reason.text() == "disease is not quasi-identifying: its levels do not change the optimum."
    qtbot.mouseClick(scored.view.editor.back_button, LEFT)
    opened(qtbot, scored, "age", settle)
    assert panel.reason.text() == ""
    path = tmp_path / "ages.csv"
    path.write_text("".join(f"{age};young;*\n" for age in AGES[:-2]), encoding="utf-8")
    monkeypatch.setattr(file_dialogs, "ask_open", lambda *_args: path)
    qtbot.mouseClick(scored.view.editor.import_button, LEFT)
    qtbot.waitUntil(lambda: panel.reason.text() == "2 values have no group yet.")
    assert rows(panel.effects) == []
    scored.hierarchies.drafts.undo_stack.undo()
    assert panel.reason.text() == ""
    session.edit("k", replace(session.project, requirement=Requirement((KAnonymity(9),), 0.0)))
    qtbot.waitUntil(lambda: panel.reason.text() == "No optimum: no scored node satisfies the requirement.")


def test_before_anything_is_scored_effects_wait(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    panel = opened(qtbot, configure, "age", settle)
    assert panel.reason.text() == "No optimum yet: not all nodes are scored."


def test_clicking_a_row_selects_the_groups_of_its_level(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    panel = opened(qtbot, configure, "age", settle)
    drafts = configure.hierarchies.drafts
    assert tinted(panel.table) == []
    click_row(qtbot, panel.table, 1)
    assert drafts.selection == Selection(1, ("20-29", "30-39", "40-49"))
    assert tinted(panel.table) == [1]
    drafts.select(Selection(2, ("*",)))
    assert tinted(panel.table) == [2]
    click_row(qtbot, panel.table, 0)  # the highlighted row
    assert drafts.selection == Selection(2, ("*",))
    drafts.select(NOTHING)
    assert tinted(panel.table) == []


def test_arrow_keys_walk_through_levels_and_return_selects_again(
    qtbot: QtBot, scored: ConfigurePresenter, settle: Settle
) -> None:
    panel = opened(qtbot, scored, "age", settle)
    qtbot.waitUntil(lambda: panel.updating.isHidden())
    drafts = scored.hierarchies.drafts
    for table in (panel.table, panel.effects):
        table.setFocus()
        click_row(qtbot, table, 0)
        QTest.keyClick(table, Qt.Key.Key_Down)
        assert drafts.selection.level == 1
        assert tinted(panel.table) == tinted(panel.effects) == [1]
        QTest.keyClick(table, Qt.Key.Key_Down)
        assert drafts.selection == Selection(0, tuple(AGES))
        drafts.select(NOTHING)
        QTest.keyClick(table, Qt.Key.Key_Return)
        assert drafts.selection.level == 0


def test_another_k_is_counted_at_once(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    panel = opened(qtbot, configure, "age", settle)
    assert [row[4] for row in rows(panel.table)] == ["none", "none", "8 · 100\u202f%"]
    session.edit("k", replace(session.project, requirement=Requirement((KAnonymity(3),), 0.05)))
    assert [row[4] for row in rows(panel.table)] == ["none", "2 · 25\u202f%", "8 · 100\u202f%"]
    session.edit("k", replace(session.project, requirement=Requirement((), 0.05)))
    assert panel.table.isColumnHidden(4)


def test_statistics_of_many_values_are_counted_in_the_background(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = opened(qtbot, configure, "age", settle)
    before = rows(panel.table)
    monkeypatch.setattr(statistics_presenter, "AT_ONCE", 0)
    click_row(qtbot, panel.table, 1)
    QTest.keyClick(panel.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    assert panel.caption.text() == "updating"
    settle()
    assert panel.caption.text() == "this column alone"
    assert rows(panel.table) == [["1", *before[0][1:]], before[2]]


def test_narrow_statistics_hide_redundant_columns(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    panel = opened(qtbot, configure, "age", settle)
    table = panel.table
    for width, hidden in ((620, []), (410, [2]), (340, [2, 3]), (270, [2, 3, 4])):
        panel.setFixedWidth(width)
        settle()
        assert [section for section in range(6) if table.isColumnHidden(section)] == hidden
        assert table.horizontalHeader().length() <= table.viewport().width()


def test_models_obey_qt(
    qtbot: QtBot, scored: ConfigurePresenter, settle: Settle, qtmodeltester: ModelTester
) -> None:
    panel = opened(qtbot, scored, "age", settle)
    qtbot.waitUntil(lambda: panel.updating.isHidden())
    qtmodeltester.check(panel.effects.model())


def test_failing_levels_are_not_on_the_ramp_and_missing_values_have_no_bar() -> None:
    effects = [
        LevelEffect(0, 0.1, 90, False, False),
        LevelEffect(1, 0.2, 5, True, True),
        LevelEffect(2, 0.4, 0, True, True),
        LevelEffect(3, float("nan"), 0, True, False),
    ]
    found = effect_rows(effects, ("kept", "bands", "groups", "hidden"), "loss", 10)
    assert [row.colour for row in found] == [None, 0, 63, None]
    assert [row.share for row in found] == [0.25, 0.5, 1.0, 0.0]
    assert [row.cells[0].is_strong for row in found] == [False, True, False, False]
    assert [row.cells[OUTCOME].text for row in found] == [
        "90 above the limit",
        "5 suppressed",
        "0 suppressed",
        "fails a model",
    ]
    assert [row.cells[OUTCOME].tone for row in found] == ["danger", "text_2", "text_2", "danger"]
    assert found[0].cells[0].tooltip.splitlines() == [
        "Level 0: kept",
        "Loss 0.100",
        "90 records suppressed, 10 allowed",
    ]
