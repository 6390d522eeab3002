"""Import settings of a file: characters, lines, columns, types, cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPushButton, QTableView, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.start.table_opening import OpenFlow, TableOpening
from anonymizer_gui.tasks import TaskRunner
from engine.records.columns_taken import TakenColumn
from engine.records.options import ReadOptions
from engine.records.types import Kind

LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
PEOPLE = b"age;born;city\n" + b"".join(b"%d;0%d.03.1990;x\n" % (20 + i, 1 + i) for i in range(8))
WRONG = PEOPLE + b"unknown;spring;y\n~40;09.03.1990;y\n"


class Bench:
    """An open dialog above an empty window."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot, self.folder = qtbot, folder
        self.window = QWidget()
        self.window.resize(1280, 720)
        qtbot.addWidget(self.window)
        self.window.show()
        self.runner = TaskRunner()
        self.opening = TableOpening(OpenFlow(self.window, self.runner), "open")
        self.read: list[Any] = []
        self.opening.read.connect(lambda _path, reading: self.read.append(reading))
        self.dialog: Any = None

    def open(self, data: bytes, name: str = "t.csv", before: ReadOptions = ReadOptions()) -> Any:
        path = self.folder / name
        path.write_bytes(data)
        self.opening.open(path, before)
        self.wait(lambda: self.opening._dialog is not None)
        self.dialog = self.opening._dialog
        self.wait(lambda: self.dialog.reading is not None or self.dialog._banner.isVisible())
        return self.dialog

    def wait(self, condition: Callable[[], object]) -> None:
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=60_000)

    def find(self, kind: Any, name: str) -> Any:
        found = self.dialog.findChild(kind, name)
        assert found is not None
        return found

    def click(self, name: str) -> None:
        button = self.find(QPushButton, name)
        assert button.isEnabled()
        self.qtbot.mouseClick(button, LEFT)

    def write(self, name: str, text: str) -> None:
        edit = self.find(QLineEdit, name)
        self.qtbot.mouseClick(edit, LEFT)
        self.qtbot.keyClick(edit, Qt.Key.Key_A, CONTROL)
        self.qtbot.keyClicks(edit, text)

    def write_box(self, name: str, text: str) -> None:
        edit = self.find(QComboBox, name).lineEdit()
        self.qtbot.keyClick(edit, Qt.Key.Key_A, CONTROL)
        self.qtbot.keyClicks(edit, text)

    def choose(self, name: str, beginning: str) -> None:
        box = self.find(QComboBox, name)
        self.wait(lambda: any(box.itemText(i).startswith(beginning) for i in range(box.count())))
        wanted = next(i for i in range(box.count()) if box.itemText(i).startswith(beginning))
        box.setFocus()
        while box.currentIndex() != wanted:
            down = box.currentIndex() < wanted
            self.qtbot.keyClick(box, Qt.Key.Key_Down if down else Qt.Key.Key_Up)

    def go_to_column(self, row: int) -> None:
        self.qtbot.mouseClick(self.dialog._pages.segment("columns"), LEFT)
        table = self.find(QTableView, "columnsTable")
        at = table.visualRect(table.model().index(row, 1)).center()
        self.qtbot.mouseClick(table.viewport(), LEFT, pos=at)

    def toggle(self, row: int) -> None:
        table = self.find(QTableView, "columnsTable")
        cell = table.visualRect(table.model().index(row, 0))
        self.qtbot.mouseClick(table.viewport(), LEFT, pos=QPoint(cell.left() + 14, cell.center().y()))

    def texts(self, name: str) -> list[list[str]]:
        model = self.find(QTableView, name).model()
        return [
            [model.index(row, column).data() for column in range(model.columnCount())]
            for row in range(model.rowCount())
        ]

    def opened(self) -> Any:
        self.wait(lambda: self.dialog.reading is not None)
        self.click("openDialogButton")
        self.wait(lambda: self.read)
        return self.read[-1]


@pytest.fixture
def bench(qtbot: QtBot, themed: QApplication, tmp_path: Path) -> Iterator[Bench]:
    made = Bench(qtbot, tmp_path)
    yield made
    if made.opening._dialog is not None:
        made.opening._dialog.reject()
    made.runner.shutdown()


def test_enter_opens_with_the_detected_options(bench: Bench) -> None:
    dialog = bench.open(PEOPLE)
    bench.qtbot.keyClick(dialog.focusWidget() or dialog, Qt.Key.Key_Return)
    bench.wait(lambda: bench.read)
    assert bench.read[0].table.column("age").data_type.kind is Kind.INTEGER


def test_every_cell_that_does_not_fit_is_listed_and_nothing_changes_by_itself(bench: Bench) -> None:
    dialog = bench.open(WRONG)
    assert "age, born" in dialog._note.text()
    bench.go_to_column(0)
    assert bench.texts("misfitsTable") == [
        ["9", "unknown", "unchanged"],
        ["10", "~40", "unchanged"],
    ]
    table = bench.opened().table
    assert table.column("age").data_type.kind is Kind.TEXT
    assert table.column("age").text(8) == "unknown"


def test_misfitting_cells_are_read_as_missing_on_request(bench: Bench) -> None:
    bench.open(WRONG)
    bench.go_to_column(0)
    bench.click("allMissingButton")
    bench.wait(lambda: bench.dialog.reading is not None)
    assert [row[2] for row in bench.texts("misfitsTable")] == ["read as missing"] * 2
    reading = bench.opened()
    assert reading.table.column("age").data_type.kind is Kind.INTEGER
    assert reading.table.column("age").has_missing
    assert reading.options.column_missing == {"age": ("unknown", "~40")}
    assert reading.table.column("born").data_type.kind is Kind.TEXT


def test_a_column_waits_for_the_last_of_its_cells_and_they_can_be_left_again(bench: Bench) -> None:
    bench.open(WRONG)
    bench.go_to_column(0)
    table = bench.find(QTableView, "misfitsTable")
    at = table.visualRect(table.model().index(0, 1)).center()
    bench.qtbot.mouseClick(table.viewport(), LEFT, pos=at)
    bench.click("someMissingButton")
    bench.wait(lambda: bench.dialog.reading is not None)
    assert bench.dialog.reading.table.column("age").data_type.kind is Kind.TEXT
    bench.click("leaveButton")
    bench.wait(lambda: bench.dialog.reading is not None)
    assert bench.opened().options.column_missing == {}


def test_a_type_is_chosen_among_those_that_fit_with_their_share(bench: Bench) -> None:
    bench.open(WRONG)
    bench.go_to_column(0)
    bench.choose("typeBox", "Whole number · 80 %")
    bench.wait(lambda: bench.dialog.reading is not None)
    assert len(bench.texts("misfitsTable")) == 2
    bench.go_to_column(2)
    bench.choose("typeBox", "Ordered category")
    bench.wait(lambda: bench.find(QLineEdit, "typeDetailEdit").isVisible())
    bench.wait(lambda: bench.dialog.reading is not None)
    bench.write("typeDetailEdit", "y < x")
    bench.wait(lambda: bench.dialog.reading is not None)
    column = bench.opened().table.column("city")
    assert column.data_type.kind is Kind.ORDERED
    assert column.labels == ("y", "x")


def test_columns_are_left_out_renamed_and_moved(bench: Bench) -> None:
    bench.open(PEOPLE)
    bench.go_to_column(2)
    bench.write("columnNameEdit", "town")
    bench.wait(lambda: bench.dialog.reading is not None)
    bench.click("moveUpButton")
    bench.wait(lambda: bench.dialog.reading is not None)
    bench.toggle(0)
    bench.wait(lambda: bench.dialog.reading is not None)
    reading = bench.opened()
    assert reading.table.names == ("town", "born")
    assert reading.options.take == (TakenColumn("city", "town"), TakenColumn("born", "born"))


def test_two_columns_of_one_name_are_refused_until_they_differ(bench: Bench) -> None:
    dialog = bench.open(PEOPLE)
    bench.go_to_column(2)
    bench.write("columnNameEdit", "age")
    bench.wait(dialog._banner.isVisible)
    assert "both" in dialog._banner.problem() or "Two" in dialog._banner.problem()
    bench.write("columnNameEdit", "place")
    bench.wait(lambda: dialog.reading is not None)
    assert dialog.reading.table.names == ("age", "born", "place")


def test_an_unusual_delimiter_can_be_typed(bench: Bench) -> None:
    dialog = bench.open(b"a%b\n1%2\n")
    bench.write_box("param.delimiter", "%")
    bench.wait(lambda: dialog.reading is not None and len(dialog.reading.table.columns) == 2)
    assert bench.opened().options.delimiter == "%"


def test_comments_are_detected_and_lines_skipped_by_a_number(bench: Bench) -> None:
    dialog = bench.open(b"# made by nobody, ever\na,b,c\n1,2,3\n")
    assert dialog.options.comment == "#"
    assert dialog.reading.table.names == ("a", "b", "c")
    bench.write("param.comment", " ")
    bench.wait(dialog._banner.isVisible)


def test_the_marks_of_numbers_can_be_exchanged(bench: Bench) -> None:
    dialog = bench.open(b"a;b\n1.234;x\n2.345;y\n")
    bench.choose("param.decimal", "Comma")
    bench.choose("param.thousands", ".")
    bench.wait(lambda: dialog.reading is not None and dialog.reading.options.thousands == ".")
    assert dialog.reading.table.column("a").data_type.kind is Kind.INTEGER


def test_short_records_are_filled_only_on_request_and_are_reported(bench: Bench) -> None:
    dialog = bench.open(b"a,b\n1,2\n3\n")
    assert dialog.reading is None
    box = bench.find(QWidget, "param.ragged")
    bench.qtbot.mouseClick(box, LEFT, pos=QPoint(8, box.height() // 2))
    bench.wait(lambda: dialog.reading is not None)
    assert "Short records were padded with missing cells: 2." in dialog._note.text()


def test_names_and_order_of_the_previous_table_are_restored(bench: Bench) -> None:
    before = ReadOptions(take=(TakenColumn("city", "town"), TakenColumn("age", "age")))
    dialog = bench.open(PEOPLE, before=before)
    bench.wait(lambda: dialog.reading is not None)
    assert dialog.reading.table.names == ("town", "age", "born")
