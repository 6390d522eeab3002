"""The open dialog: what it detects, what a person changes, what a wrong file says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QCheckBox, QTableView
from pytestqt.qtbot import QtBot

from tests.window_driver import Driver, driven_window


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    with driven_window(qtbot, themed) as made:
        yield made


def dropped(driver: Driver, path: Path, data: bytes) -> Any:
    path.write_bytes(data)
    assert driver.drop(path)
    dialog = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None or dialog._banner.isVisible())  # type: ignore[attr-defined]
    return dialog


def preview(dialog: Any) -> list[list[str]]:
    model = dialog.findChild(QTableView, "previewTable").model()
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_delimiter_header_and_missing_words_are_detected(driver: Driver, tmp_path: Path) -> None:
    dialog = dropped(driver, tmp_path / "t.csv", b"name;age\nAda;36\nBob;?\nEve;41\n")
    assert dialog.options.delimiter == ";"
    assert dialog.options.header is True
    assert dialog.options.missing == ("?",)
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.project is not None)
    column = driver.session.project.table.column("age")  # type: ignore[union-attr]
    assert column.has_missing
    assert column.data_type.is_numeric


def test_another_delimiter_is_previewed_at_once(driver: Driver, tmp_path: Path) -> None:
    dialog = dropped(driver, tmp_path / "t.csv", b"a;b,c\n1;2,3\n4;5,6\n")
    before = preview(dialog)
    driver.choose("delimiterBox", "Comma  ,")
    driver.wait(lambda: preview(dialog) != before)
    assert preview(dialog) == [["1;2", "3"], ["4;5", "6"]]


def test_the_first_line_can_be_a_record(driver: Driver, tmp_path: Path) -> None:
    dialog = dropped(driver, tmp_path / "t.csv", b"x,y\nu,v\n")
    box = dialog.findChild(QCheckBox, "headerBox")
    wanted = not box.isChecked()
    driver.click(box, box.rect().topLeft() + box.rect().center() * 0 + _on_indicator(box))
    driver.wait(lambda: dialog.reading is not None and dialog.options.header is wanted)
    assert len(preview(dialog)) == (1 if wanted else 2)


def _on_indicator(box: QCheckBox) -> Any:
    center = box.rect().center()
    center.setX(8)
    return center


def test_typed_missing_words_are_read_as_missing(driver: Driver, tmp_path: Path) -> None:
    dialog = dropped(driver, tmp_path / "t.csv", b"a,b\n1,none\n2,x\n")
    driver.type_into("missingEdit", "none")
    driver.wait(lambda: dialog.reading is not None and "none" in dialog.reading.options.missing)
    column = dialog.reading.table.column("b")
    assert column.has_missing


def test_ragged_rows_name_the_line_and_cannot_be_opened(driver: Driver, tmp_path: Path) -> None:
    dialog = dropped(driver, tmp_path / "t.csv", b"a,b\n1,2\n3\n")
    assert "line 3" in dialog._banner.problem()
    assert not driver.button(dialog, "openDialogButton").isEnabled()


@pytest.mark.parametrize(
    ("data", "says"),
    [(b"", "empty"), (b"a,b\n", "no records"), (b"a,a\n1,2\n", "both called 'a'")],
)
def test_a_file_without_a_table_is_explained(driver: Driver, tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    driver.drop(path)

    def problem() -> str:
        from PySide6.QtWidgets import QDialog

        dialogs: list[Any] = [d for d in driver.window.findChildren(QDialog) if d.isVisible()]
        return dialogs[0]._banner.problem() if dialogs else driver.window.banner.problem()

    driver.wait(problem)
    assert says in problem()
    assert driver.session.project is None


def test_an_encoding_nothing_proves_is_marked_as_a_guess(driver: Driver, tmp_path: Path) -> None:
    dialog = dropped(driver, tmp_path / "t.csv", "name,city\nZoë,Düren\n".encode("cp1252"))
    assert dialog._note.isVisible()
    assert preview(dialog)[0] == ["Zoë", "Düren"]
