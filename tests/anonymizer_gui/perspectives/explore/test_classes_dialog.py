"""The window of classes: sorted, filtered, opened from the inspector, linked to the selected node."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QTableView
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.node_name import own_name
from anonymizer_gui.perspectives.explore.inspector import classes_presenter
from anonymizer_gui.perspectives.explore.inspector.classes_presenter import ClassesDialog
from engine.scoring.nodes.class_table import ClassTable
from tests.anonymizer_gui.perspectives.explore.conftest import Bench, settle

LEFT = Qt.MouseButton.LeftButton


def table_of(bench: Bench) -> ClassTable:
    session = bench.session
    assert session.results.profile is not None
    assert session.shown.requirement is not None
    assert session.selection.node is not None
    return ClassTable.of(session.results.profile, session.selection.node, session.shown.requirement)


def opened(qtbot: QtBot, bench: Bench) -> ClassesDialog:
    """Return the window, by the button of the inspector."""
    qtbot.mouseClick(bench.explore.view.inspector.sizes.classes, LEFT)
    settle(qtbot, bench)
    dialog = bench.explore.view.window().findChild(ClassesDialog, "classesDialog")
    assert dialog.isVisible()
    return dialog


def click_row(qtbot: QtBot, view: QTableView, row: int) -> None:
    place = view.visualRect(view.model().index(row, 0)).center()
    qtbot.mouseClick(view.viewport(), LEFT, pos=place)


def shown_sizes(dialog: ClassesDialog) -> list[int]:
    model = dialog.view.texts
    texts = [str(model.index(row, 0).data()) for row in range(model.rowCount())]
    return [int(text.replace("\u202f", "")) for text in texts]


def test_classes_are_listed_sorted_and_filtered(qtbot: QtBot, bench: Bench) -> None:
    dialog, table = opened(qtbot, bench), table_of(bench)
    assert shown_sizes(dialog) == sorted(table.sizes.tolist())
    assert str(table.n_classes) in dialog.summary.text().replace("\u202f", "")
    header = dialog.view.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(0) + 12, header.height() // 2)
    qtbot.mouseClick(header.viewport(), LEFT, pos=place)
    assert shown_sizes(dialog) == sorted(table.sizes.tolist(), reverse=True)
    title = str(dialog.view.texts.headerData(0, Qt.Orientation.Horizontal))
    assert title == "Records ↓"
    assert header.sectionSize(0) >= header.sectionSizeHint(0)
    assert not header.isSortIndicatorShown(), "it covers the title"
    for key, wanted in (("suppressed", ~table.fulfilled), ("kept", table.fulfilled)):
        qtbot.mouseClick(dialog.filter.segment(key), LEFT)
        assert sorted(shown_sizes(dialog)) == sorted(table.sizes[wanted].tolist())
    statuses = {str(dialog.view.texts.index(row, 1).data()) for row in range(dialog.view.texts.rowCount())}
    assert statuses == {"kept"}
    across = Qt.Orientation.Horizontal
    texts = dialog.view.texts
    titles = [str(texts.headerData(i, across)).rstrip(" ↓") for i in range(texts.columnCount())]
    assert titles == ["Records", "Status", *table.problem.names, "l", "t"]


def test_a_click_and_arrow_keys_list_the_records_of_a_class(qtbot: QtBot, bench: Bench) -> None:
    dialog, table = opened(qtbot, bench), table_of(bench)
    assert dialog.records_view.texts.rowCount() == table.sizes[dialog.order[0]], "the first class is open"
    click_row(qtbot, dialog.view, 3)
    for _ in range(2):
        number = dialog.order[dialog.view.currentIndex().row()]
        shown = [int(row[0].replace("\u202f", "")) - 1 for row in dialog.records_view.texts.texts()]
        assert shown == table.records(number).tolist()
        first = table.problem.attributes[0].column
        assert dialog.records_view.texts.index(0, 1).data() == first.text(shown[0])
        title = bench.explore.view.inspector.shares.title.text()
        assert title == "hours-per-week: Class selected in the list"
        qtbot.keyClick(dialog.view, Qt.Key.Key_Down)


def test_the_window_follows_the_selected_node_and_clears_the_choice(qtbot: QtBot, bench: Bench) -> None:
    dialog = opened(qtbot, bench)
    click_row(qtbot, dialog.view, 0)
    scores = bench.explore.state.scores
    bench.explore.state.select(int(np.flatnonzero(~scores.satisfies)[-1]))
    settle(qtbot, bench)
    table = table_of(bench)
    assert shown_sizes(dialog) == sorted(table.sizes.tolist())
    assert dialog.records_view.texts.rowCount() == table.sizes[dialog.order[0]]
    assert own_name(table.node, table.problem) in dialog.windowTitle()
    assert (
        bench.explore.view.inspector.shares.title.text() == "hours-per-week: Class with the largest distance"
    )


def test_one_of_the_worst_classes_opens_its_records(qtbot: QtBot, bench: Bench) -> None:
    buttons = bench.explore.view.inspector.why.classes.widgets(hidden=False)
    assert buttons
    qtbot.mouseClick(buttons[0], LEFT)
    settle(qtbot, bench)
    dialog = bench.explore.view.window().findChild(ClassesDialog, "classesDialog")
    row = np.asarray(dialog.order).tolist().index(buttons[0].row.number)
    assert row is not None
    assert dialog.view.currentIndex().row() == row
    assert dialog.records_view.texts.rowCount() == table_of(bench).sizes[buttons[0].row.number]
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_many_classes_are_sorted_in_a_task(
    qtbot: QtBot, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classes_presenter, "_DIRECT", 0)
    dialog, table = opened(qtbot, bench), table_of(bench)
    assert shown_sizes(dialog) == sorted(table.sizes.tolist())
