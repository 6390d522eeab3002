"""The open dialog: detection, changed settings, and invalid files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QDialog, QPushButton, QTableView

from engine.records.formats import FORMATS, endings_of
from tests.engine.records.test_statistical import cataloged
from tests.formats import (
    write_feather,
    write_json_lines,
    write_parquet,
    write_portable,
    write_spss,
    write_stata,
    write_transport,
    write_workbook,
)
from tests.messy_workbook import HEADINGS, N_RECORDS, write_messy
from tests.window_driver import Driver, shared_window

WRITERS = {
    ".sav": write_spss,
    ".por": write_portable,
    ".dta": write_stata,
    ".xpt": write_transport,
    ".jsonl": write_json_lines,
    ".parquet": write_parquet,
    ".feather": write_feather,
}
FEW = (".sav", ".jsonl")


@pytest.fixture(scope="module")
def window(request: pytest.FixtureRequest) -> Iterator[Driver]:
    with shared_window(request) as made:
        yield made


@pytest.fixture
def driver(window: Driver, work_here: None) -> Iterator[Driver]:
    """Return the window of all tests here, afterwards without dialogs, message and project again."""
    yield window
    for dialog in window.window.findChildren(QDialog):
        dialog.done(0)
    window.window.banner.dismiss()
    window.session.close_project()
    window.wait(lambda: not window.wiring.runner.is_busy)


def dropped(driver: Driver, path: Path, data: bytes) -> Any:
    path.write_bytes(data)
    assert driver.drop(path)
    dialog = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None or dialog._banner.isVisible())  # type: ignore[attr-defined]
    if dialog._choices.isHidden():  # type: ignore[attr-defined]
        driver.click(driver.button(dialog, "formatButton"))
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


def test_the_preview_shows_types_below_names_and_a_click_leads_to_them(
    driver: Driver, tmp_path: Path
) -> None:
    lines = b"".join(b"%d,0%d.03.1990,%d\n" % (20 + i, 1 + i, i) for i in range(8))
    dialog = dropped(driver, tmp_path / "t.csv", b"age,born,code\n" + lines + b"30,09.03.1990,x7\n")
    table = dialog.findChild(QTableView, "previewTable")
    header = table.horizontalHeader()
    words = [header.type_text(place) for place in range(3)]
    assert words[0] == "Whole number"
    assert words[1].startswith("Date")
    assert words[2].startswith("Text")
    for place in range(3):
        assert header.sectionSize(place) >= header.wanted_width(place)
    middle = header.sectionViewportPosition(0) + header.sectionSize(0) // 2
    driver.click(header.viewport(), QPoint(middle, header.height() // 2))
    box = dialog.findChild(QComboBox, "typeBox")
    assert box.isVisible()
    driver.wait(lambda: box.hasFocus() and box.count() > 1)
    assert box.currentText().startswith("Whole number")
    driver.choose(box, "Text")
    driver.wait(lambda: dialog.reading is not None and header.type_text(0) == "Text")


def test_a_messy_workbook_is_mended_by_what_its_raw_rows_offer(driver: Driver, tmp_path: Path) -> None:
    assert driver.drop(write_messy(tmp_path / "patients.xlsx"))
    dialog: Any = driver.dialog("openDialog")
    rows = dialog.findChild(QTableView, "rawTable")
    driver.wait(lambda: dialog._raw is not None and rows.isVisible())
    assert not driver.button(dialog, "openDialogButton").isEnabled()
    assert dialog._reason.isVisible()
    assert dialog._choices.isHidden()
    assert rows.columnSpan(0, 1) == 6
    assert [rows.texts.cell(row, 7).text for row in (0, 2)] == ["looks like a title", "column names"]
    driver.click(dialog._banner._action)  # Skip 2 rows
    driver.wait(lambda: dialog.reading is not None and len(dialog._offered) == 2)
    assert rows.texts.cell(0, 1).is_struck
    assert dialog.reading.table.names == HEADINGS
    for wanted in ("Leave out row 45", "Read both", "Fill with zeros to 5"):
        driver.wait(lambda wanted=wanted: wanted in offers(dialog))  # type: ignore[misc]
        driver.click(offers(dialog)[wanted])
        driver.wait(lambda: dialog.reading is not None and not driver.wiring.runner.is_busy)
        assert QApplication.focusWidget() in offers(dialog).values()
    assert not dialog._note.isVisible()  # no misfits are left
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.project is not None)
    project = driver.session.project
    assert project is not None
    assert (project.table.n_records, project.options.skip_lines) == (N_RECORDS, 2)
    assert project.options.leave_out == "\"Lfd. Nr.\" = 'Summe'"
    assert project.options.forms == {"PLZ": ("00000",), "Geburtsdatum": ("%d.%m.%Y", "%Y-%m-%d")}


def offers(dialog: Any) -> dict[str, QPushButton]:
    found = dialog._offers.findChildren(QPushButton)
    return {button.text(): button for button in found if button.isVisible()}


def test_a_click_on_the_number_of_a_row_makes_it_the_header(driver: Driver, tmp_path: Path) -> None:
    dialog = dropped(driver, tmp_path / "t.csv", b"a;b\nage;sex\n31;m\n32;f\n")
    driver.wait(lambda: dialog._raw is not None)
    driver.click(dialog._pages.segment("raw"))
    rows = dialog.findChild(QTableView, "rawTable")
    driver.click(rows.viewport(), rows.visualRect(rows.model().index(1, 0)).center())
    driver.wait(lambda: dialog.reading is not None and dialog.reading.table.names == ("age", "sex"))
    rows.setCurrentIndex(rows.model().index(0, 1))
    rows.setFocus()
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: dialog.reading is not None and dialog.reading.table.names == ("a", "b"))


def test_another_delimiter_is_previewed_at_once(driver: Driver, tmp_path: Path) -> None:
    dialog = dropped(driver, tmp_path / "t.csv", b"a;b,c\n1;2,3\n4;5,6\n")
    before = preview(dialog)
    driver.choose("param.delimiter", "Comma  ,")
    driver.wait(lambda: preview(dialog) != before)
    assert preview(dialog) == [["1;2", "3"], ["4;5", "6"]]


def test_the_first_line_can_be_a_record(driver: Driver, tmp_path: Path) -> None:
    dialog = dropped(driver, tmp_path / "t.csv", b"x,y\nu,v\n")
    box = dialog.findChild(QCheckBox, "param.header")
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
    [(b"", "empty"), (b"a,b\n", "no records"), (b"a,b\n1\n", "1 field, but the header has 2")],
)
def test_a_file_without_a_table_is_explained(driver: Driver, tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    driver.drop(path)

    def problem() -> str:
        dialogs: list[Any] = [d for d in driver.window.findChildren(QDialog) if d.isVisible()]
        banner = dialogs[0]._banner if dialogs else driver.window.banner
        return banner.problem() if banner.isVisible() else ""

    driver.wait(problem)
    assert says in problem()
    assert driver.session.project is None


def test_unnamed_columns_get_names_and_are_reported(driver: Driver, tmp_path: Path) -> None:
    dialog = dropped(driver, tmp_path / "t.csv", b"a,,a,b\n1,2,3,4\n5,6,7,8\n")
    assert dialog.reading.table.names == ("a", "column 2", "a (2)", "b")
    assert "given names: 2 “column 2”, 3 “a (2)”." in dialog._note.text()
    driver.choose("param.decimal", "Comma  ,")
    driver.wait(lambda: dialog.reading is not None and dialog.reading.options.decimal == ",")
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.project is not None)
    project = driver.session.project
    assert project.table.names == ("a", "column 2", "a (2)", "b")
    found = [(taken.source, taken.previous, taken.next, taken.occurrence) for taken in project.options.take]
    assert found == [("a", None, "", 1), (2, "a", "a", 1), ("a", "", "b", 2), ("b", None, None, 1)]


def test_a_sheet_whose_columns_share_a_name_is_opened(driver: Driver, tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "people.xlsx", ("2023", [["age", "age"], [36, "f"]]))
    dialog = opened(driver, path)
    assert dialog.reading.table.names == ("age", "age (2)")
    assert dialog._note.isVisible()


def test_an_encoding_nothing_proves_is_marked_as_a_guess(driver: Driver, tmp_path: Path) -> None:
    dialog = dropped(driver, tmp_path / "t.csv", "name,city\nZoë,Düren\n".encode("cp1252"))
    assert dialog._note.isVisible()
    assert preview(dialog)[0] == ["Zoë", "Düren"]


def opened(driver: Driver, path: Path) -> Any:
    assert driver.drop(path)
    dialog = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None or dialog._banner.isVisible())  # type: ignore[attr-defined]
    return dialog


def boxes(dialog: Any) -> set[str]:
    return {box.objectName() for box in dialog.findChildren(QComboBox)}


def test_a_workbook_has_sheets_to_choose_from_and_no_delimiter(driver: Driver, tmp_path: Path) -> None:
    sheets = (("2023", [["age", "sex"], [36, "f"]]), ("2024", [[41, "m"], [50, "?"], [51, "f"]]))
    dialog = opened(driver, write_workbook(tmp_path / "people.xlsx", *sheets))
    assert "param.sheet" in boxes(dialog)
    assert not boxes(dialog) & {"param.delimiter", "param.encoding", "param.quote"}
    assert preview(dialog) == [["36", "f"]]
    driver.choose("param.sheet", "2024")
    driver.wait(lambda: dialog.reading is not None and dialog.reading.options.sheet == "2024")
    assert preview(dialog) == [["41", "m"], ["50", "?"], ["51", "f"]]
    assert dialog.options.header is False  # found again, as this sheet has no names
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.project is not None)
    project = driver.session.project
    assert (project.options.sheet, project.table.n_records) == ("2024", 3)


def test_codes_are_read_instead_of_labels_if_chosen(driver: Driver, tmp_path: Path) -> None:
    labels: Any = {"variable_value_labels": {"sex": {1: "male", 2: "female"}}}
    dialog = opened(driver, write_spss(tmp_path / "people.sav", {"sex": [1.0, 2.0]}, **labels))
    assert preview(dialog) == [["male"], ["female"]]
    driver.click(driver.button(dialog, "formatButton"))
    driver.choose("param.value_labels", "Codes")
    driver.wait(lambda: dialog.reading is not None and dialog.reading.options.value_labels == "codes")
    assert preview(dialog) == [["1"], ["2"]]
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.project is not None)
    assert driver.session.project.options.value_labels == "codes"  # type: ignore[union-attr]


def test_a_damaged_catalog_can_be_replaced_by_another(driver: Driver, data: Path, tmp_path: Path) -> None:
    cataloged(data, tmp_path, "formats.sas7bcat")
    (tmp_path / "iris.sas7bcat").write_bytes(b"\0" * 5000)
    dialog = opened(driver, tmp_path / "iris.sas7bdat")
    assert "'iris.sas7bcat' is damaged" in dialog._banner.problem()
    driver.choose("param.catalog", "formats.sas7bcat")
    driver.wait(lambda: dialog.reading is not None)
    assert preview(dialog)[0][0] == "middle"
    driver.choose("param.catalog", "None")
    driver.wait(lambda: dialog.reading is not None and dialog.reading.options.catalog == "")
    assert preview(dialog)[0][0] == "5.1"


def test_another_sheet_is_offered_if_the_first_is_not_a_table(driver: Driver, tmp_path: Path) -> None:
    sheets = (("Cover", []), ("People", [["age"], [36]]))
    dialog = opened(driver, write_workbook(tmp_path / "people.xlsx", *sheets))
    assert "sheet 'Cover' is empty" in dialog._banner.problem()
    driver.choose("param.sheet", "People")
    driver.wait(lambda: dialog.reading is not None)
    assert preview(dialog) == [["36"]]
    assert not dialog._banner.isVisible()


@pytest.mark.parametrize(
    "ending", [pytest.param(e, marks=() if e in FEW else pytest.mark.thorough) for e in WRITERS]
)
def test_formats_that_name_their_columns_ask_neither_for_names_nor_delimiter(
    driver: Driver, tmp_path: Path, ending: str
) -> None:
    write = WRITERS[ending]
    dialog = opened(driver, write(tmp_path / f"people{ending}", {"age": [36, 41], "sex": ["f", "NA"]}))
    assert boxes(dialog) <= {"typeBox", "param.value_labels"}
    labels = dialog.findChild(QComboBox, "param.value_labels")
    assert labels is None or not labels.isVisible()  # no value has one
    assert dialog.findChild(QCheckBox, "param.header") is None
    assert dialog.options.missing == ("NA",)
    assert preview(dialog) == [["36", "f"], ["41", "NA"]]
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: driver.session.project is not None)


def test_a_damaged_workbook_is_explained_without_a_dialog(driver: Driver, tmp_path: Path) -> None:
    path = tmp_path / "people.xlsx"
    path.write_bytes(b"PK\x03\x04 and no more")
    driver.drop(path)
    driver.wait(driver.window.banner.isVisible)
    assert "not a valid Excel workbook" in driver.window.banner.problem()
    assert driver.session.project is None


def test_every_format_is_offered_in_the_file_dialog(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    from anonymizer_gui.perspectives.start import opening

    asked: list[str] = []
    monkeypatch.setattr(
        opening, "ask_open_several", lambda parent, title, filters: asked.append(filters) or []
    )
    opening.Opening(driver.window, driver.wiring.runner, driver.window.banner).ask()
    offered = asked[0].split("(")[1].split(")")[0].split()
    assert {"*.csv", "*.csv.gz", "*.toml", "*.anon"} <= set(offered)
    assert {f"*{ending}" for ending in endings_of(*FORMATS)} <= set(offered)


def test_a_file_that_is_gone_is_explained_without_a_dialog(driver: Driver, tmp_path: Path) -> None:
    assert driver.drop(tmp_path / "gone.csv")
    banner = driver.window.banner
    driver.wait(banner.isVisible)
    assert banner.problem().endswith("gone.csv' does not exist.")
    assert not [dialog for dialog in driver.window.findChildren(QDialog, "openDialog") if dialog.isVisible()]
