"""Copied rows and files of the list: all digits, named as on the command line."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.node_columns import RowOrder
from anonymizer_gui.perspectives.explore.listing.presenter import write_listing
from anonymizer_gui.widgets import file_dialogs
from engine.cli.lattice import write_nodes
from engine.errors import CancelledError, ExportError
from engine.scoring.in_parts import node_columns
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.anonymizer_gui.perspectives.explore.list_driver import ListDriver
from tests.stopping import Stopping

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def driver(qtbot: QtBot, bench: Bench) -> ListDriver:
    return ListDriver(qtbot, bench)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_selected_rows_are_copied_with_all_digits(qtbot: QtBot, driver: ListDriver) -> None:
    scores = driver.bench.explore.state.scores
    driver.view.setFocus()
    driver.click_row(1)
    driver.click_row(3, SHIFT)
    assert driver.bench.session.selection.node == scores.lattice.node(driver.nodes[3]), (
        "the last one is selected"
    )
    assert len(driver.view.selectionModel().selectedRows()) == 3
    qtbot.keyClick(driver.view, Qt.Key.Key_C, CONTROL)
    head, *lines = [line.split("\t") for line in QApplication.clipboard().text().splitlines()]
    assert head[:4] == ["rank", "satisfies", "level.sex", "level.age"]
    assert len(lines) == 3
    assert all(len(line) == len(driver.columns) for line in lines)
    place = driver.columns.index("loss")
    assert [float(line[place]) for line in lines] == scores.values[driver.nodes[1:4]].tolist()
    menu = driver.open_menu(lambda: driver.click("listMore"))
    QApplication.clipboard().clear()
    driver.pick(menu, "Copy rows")
    assert QApplication.clipboard().text().splitlines() == ["\t".join(line) for line in [head, *lines]]


def test_the_listed_nodes_are_written_in_their_order_as_the_command_line_writes_them(
    qtbot: QtBot, driver: ListDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = driver.bench.session
    assert session.results.evaluation is not None
    write_nodes(tmp_path / "all.csv", node_columns(session.results.evaluation))
    by_command = read(tmp_path / "all.csv")
    monkeypatch.setattr(file_dialogs, "ask_save", lambda *_: tmp_path / "listed.csv")
    qtbot.keyClicks(driver.panel.filter_field, "age <= 2")
    driver.click_title("suppressed")
    menu = driver.open_menu(lambda: driver.click("listMore"))
    driver.pick(menu, "Export listed nodes")
    qtbot.waitUntil(lambda: driver.hint.startswith("Wrote"), timeout=20_000)
    assert driver.hint == f"Wrote {len(driver.nodes)} nodes to listed.csv: every column, all digits."
    written = read(tmp_path / "listed.csv")
    names = [name for name in by_command[0] if name != "non_uniform_entropy"]  # costly, and not chosen
    assert {row["group_held"] for row in by_command} >= {"", "true"}
    expected = [{name: by_command[node][name] for name in names} for node in driver.nodes]
    assert [{name: row[name] for name in names} for row in written] == expected
    assert [name for name in written[0] if name in names] == names
    assert [row["rank"] for row in written] == [driver.cell(i, "rank") for i in range(len(written))]
    assert {row["minimal"] for row in written} <= {"true", "false"}


def test_slow_columns_are_measured_for_the_file(driver: ListDriver, tmp_path: Path) -> None:
    from dataclasses import replace

    listing = driver.bench.explore._list._listing()
    assert listing is not None
    write_listing(tmp_path / "now.csv", listing, RowOrder())
    write_listing(tmp_path / "early.csv", replace(listing, details=None), RowOrder())
    assert (tmp_path / "early.csv").read_bytes() == (tmp_path / "now.csv").read_bytes()

    with pytest.raises(CancelledError):
        write_listing(tmp_path / "now.csv", listing, RowOrder(), Stopping())
    assert (tmp_path / "early.csv").read_bytes() == (tmp_path / "now.csv").read_bytes()
    with pytest.raises(ExportError):
        write_listing(tmp_path / "no such folder" / "x.csv", listing, RowOrder())


def test_the_card_of_a_node_is_shown_over_its_row(qtbot: QtBot, driver: ListDriver) -> None:
    from PySide6.QtGui import QHelpEvent

    view = driver.view
    place = view.visualRect(driver.model.index(1, 0)).center()
    event = QHelpEvent(QHelpEvent.Type.ToolTip, place, view.viewport().mapToGlobal(place))
    QApplication.sendEvent(view.viewport(), event)
    card = next(w for w in QApplication.topLevelWidgets() if w.objectName() == "hoverCard")
    words = driver.bench.explore.state.describe_number(driver.nodes[1])
    assert card.text == words  # type: ignore[attr-defined]
    event = QHelpEvent(QHelpEvent.Type.ToolTip, QPoint(5, view.viewport().height() - 1), QPoint(0, 0))
    QApplication.sendEvent(view.viewport(), event)
